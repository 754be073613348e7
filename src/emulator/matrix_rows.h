// Rows of matrices in shared memory whose addresses the lanes of a warp give: what ldmatrix and
// stmatrix read and write.
#pragma once

#include "emulator/access.h"

namespace pitot::emulator {

// Resolves the 16 bytes at the address of each of the first `rows` lanes. False after a fault; a
// generic address must be one of shared memory.
bool matrix_rows(Warp& w, const Op& op, size_t operand, unsigned rows, bool generic,
                 AccessKind kind, Access& a);

}  // namespace pitot::emulator
