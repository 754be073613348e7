// Scalar accesses of shared memory that ptxas makes into vector accesses.
#pragma once

#include <vector>

#include "emulator/program.h"
#include "profile/op_facts.h"

namespace pitot::profile {

// Marks the members of every group of neighbouring loads or stores of shared memory that nothing
// keeps apart: where the whole is aligned, the one at the lowest address does the group's access
// and the others cost nothing. Alignment is seen when it runs, since ptxas places the variables
// itself. (ptxas 13.0 does this for shared memory; for global memory the compilers have done it
// before.)
void mark_merged(const emulator::Program& program, std::vector<OpFacts>& facts);

}  // namespace pitot::profile
