// What the tcgen05 operations share: addresses of tensor memory and where rows of matrices lie.
#pragma once

#include <vector>

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

// False after a fault: columns outside of tensor memory of the block or not allocated.
bool check_columns(Warp& w, const Op& op, LaneMask lanes, Block& block, TensorAddress at,
                   unsigned columns);

// The blocks whose tensor memory an operation works on: its own, or with cta_group::2 the pair,
// the even one first. Empty after a fault: there is no second block.
std::vector<Block*> tcgen05_blocks(Warp& w, const Op& op, unsigned lane, bool pair);

bool select_tcgen05_mma(Selection& s);
bool select_tcgen05_commit(Selection& s);
bool select_tcgen05_copy(Selection& s);

}  // namespace pitot::emulator
