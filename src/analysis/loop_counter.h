// Finds the counter that a loop's exit test compares, by following def-use chains.
#pragma once

#include <cstdint>

#include "analysis/flow_facts.h"
#include "analysis/int_ops.h"

namespace pitot::analysis {

// The counter that decides on leaving a loop: it is `start` on the first test and grows by `step`
// (a value that does not change in the loop), or is shifted, until it compares with `bound`.
struct LoopCounter {
  uint32_t test = kNone;  // the setp; kNone: no counter was found
  uint32_t branch = kNone;
  bool stays_when = true;    // outcome of the comparison, counter first, that goes round again
  Order order = Order::kEq;  // of that outcome: counter ORDER bound
  bool is_signed = true;
  uint8_t width = 32;
  ValueId start = kNone, bound = kNone, step_value = kNone;  // kNone: the constant alone
  int64_t start_offset = 0, bound_offset = 0, step = 0;      // added to the values
  bool stepped = false;  // the first test sees start + step_value, or start shifted once
  // Bits that a trip shifts the counter by: right if positive, left if negative; 0: it is added to.
  int8_t shift = 0;
  bool at_bottom = true;  // the body has run when the test is made
};

// What a conditional exit of a loop tests.
struct ExitTest {
  LoopCounter counter;
  bool waits = false;  // for memory, an arrival or another thread to change something
};

// Of the block that ends in the exit. No counter where the test does not run on every trip.
ExitTest exit_test(const FlowFacts& flow, LoopId loop, BlockId block);

// Whether control may leave the loop from this block, to another block or out of the function.
bool loop_is_left(const FlowFacts& flow, LoopId loop, BlockId block);

// The instruction that wrote all of a value as its first result, kNone if there is none.
uint32_t only_writer(const FlowFacts& flow, ValueId v);

}  // namespace pitot::analysis
