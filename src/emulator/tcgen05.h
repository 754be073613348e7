// What the tcgen05 operations share: addresses of tensor memory and where rows of matrices lie.
#pragma once

#include "emulator/block.h"
#include "emulator/select.h"
#include "emulator/tensor_memory.h"

namespace pitot::emulator {

struct TensorAddress {
  unsigned row = 0, column = 0;
};

// The address that an operand `[taddr + offset]` has in a lane: lane in the high half, column in
// the low one.
TensorAddress tensor_address(Warp& w, const Op& op, size_t operand, unsigned lane);

// False after a fault: columns outside of tensor memory or not allocated.
bool check_columns(Warp& w, const Op& op, LaneMask lanes, TensorAddress at, unsigned columns);

bool select_tcgen05_mma(Selection& s);
bool select_tcgen05_commit(Selection& s);

}  // namespace pitot::emulator
