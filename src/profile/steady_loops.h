// Loops that can be sampled: whose trips do the same thing at addresses that move on by constant
// steps, as far as the code tells. Whether they do is seen when they run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/bits.h"
#include "emulator/program.h"

namespace pitot::profile {

// A place in the frame that holds an integer.
struct LoopValue {
  emulator::Slot slot;
  bool is_signed = false;  // how a comparison reads it
};

// A comparison of integers.
struct LoopTest {
  LoopValue left, right;
  bool exit = false;  // it alone decides on leaving: it has to be as steady as the rest
};

struct SteadyLoop {
  // Registers that a trip hands to the next and that addresses, guards or exits depend on.
  std::vector<emulator::Slot> carried;
  // While none of them turns out otherwise, trips are alike.
  std::vector<LoopTest> tests;
  // Its operations, as ranges [first, last), ascending.
  std::vector<std::pair<uint32_t, uint32_t>> ranges;
  bool contains(uint32_t op) const {
    const auto after = std::upper_bound(ranges.begin(), ranges.end(), std::pair(op, UINT32_MAX));
    return after != ranges.begin() && op < std::prev(after)->second;
  }
  bool joint = false;  // has barriers: all warps of a block go round equally often
  bool wraps =
      false;  // a register is not only added to: like one that counts stages round and round
};

class SteadyLoops {
 public:
  explicit SteadyLoops(const emulator::Program& program);
  // By the place that every trip comes to by a branch backwards: the first operation of its header,
  // or where compilers lay the header behind the rest, of another block. Null if no steady loop has
  // this place.
  const SteadyLoop* at(uint32_t place) const {
    const auto found = loops_.find(place);
    return found == loops_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<uint32_t, SteadyLoop> loops_;
};

}  // namespace pitot::profile
