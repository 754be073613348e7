#include "emulator/tensor_memory.h"

#include <algorithm>

namespace pitot::emulator {

std::optional<unsigned> TensorMemory::allocate(unsigned columns) {
  const unsigned count = columns / kGranule, all = kColumns / kGranule;
  for (unsigned first = 0; first + count <= all; ++first) {
    if (!std::all_of(owner_ + first, owner_ + first + count, [](unsigned o) { return o == 0; }))
      continue;
    std::fill_n(owner_ + first, count, first * kGranule + 1);
    // What an earlier owner left is not the new one's.
    for (unsigned row = 0; row < kRows; ++row)
      for (unsigned c = 0; c < columns; ++c) defined_[index(row, first * kGranule + c)] = false;
    return first * kGranule;
  }
  return std::nullopt;
}

bool TensorMemory::release(unsigned first, unsigned columns) {
  const unsigned count = columns / kGranule, at = first / kGranule, all = kColumns / kGranule;
  if (first % kGranule != 0 || at + count > all) return false;
  for (unsigned g = 0; g < all; ++g) {
    const bool inside = g >= at && g < at + count;
    if (inside != (owner_[g] == first + 1)) return false;
  }
  std::fill_n(owner_ + at, count, 0u);
  return true;
}

}  // namespace pitot::emulator
