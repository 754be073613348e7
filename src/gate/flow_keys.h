// Keys of instructions that do not depend on names: from the operation, its constants and where its
// values come from and go to. Equal programs have equal keys; the reverse must be checked.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gate/operand_match.h"
#include "gate/side.h"

namespace pitot::gate {

// Keys of every instruction of the function that `order` lists, the whole flow of values taken in.
// `order` must be a permutation that legal reordering inside blocks does not change in kind: blocks
// one after the other. What the tolerance allows to differ does not enter the keys.
// `tie_breakers`: extra numbers an instruction, to tell like ones apart; may be empty.
std::vector<uint64_t> flow_keys(const Side& s, std::span<const uint32_t> order, Tolerance t,
                                std::span<const uint64_t> tie_breakers);

// Keys in layout order that see only `depth` steps back along the values (0: the instruction
// alone), so that a change disturbs only its neighbours' keys.
std::vector<uint64_t> local_keys(const Side& s, int depth, Tolerance t);

// Mixes two hashes, not symmetric.
inline uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;
  return x ^ (x >> 32);
}

// A symbol's properties apart from its name, which counts only where the outside sees it.
uint64_t symbol_key(const ptx::Module& m, const ptx::Function& f, uint32_t symbol, Tolerance t);

}  // namespace pitot::gate
