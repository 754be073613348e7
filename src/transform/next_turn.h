// Whether a counted loop goes round again, as a predicate that is known in the middle of a turn:
// the loop's own test, made early.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/trip_counts.h"
#include "transform/edit.h"
#include "transform/value_distance.h"

namespace pitot::transform {

class NextTurn {
 public:
  NextTurn(Subject& subject, Edit& edit) : subject_(subject), edit_(edit), distance_(subject) {}

  // Whether the loop's going round can be told at the instruction, and the instruction is on the
  // way of every turn; else why not.
  bool known(analysis::LoopId loop, uint32_t instruction, std::string& reason);
  // "%p3" or "!%p3", set before the instruction: the loop goes round again, and `guard` ("%p1" or
  // "!%p1", the next turn's; empty: none) holds. Only where `known`.
  std::string predicate(analysis::LoopId loop, uint32_t instruction, const std::string& guard);
  bool written_in(analysis::LoopId loop, ptx::RegId reg) const;

 private:
  // How the loop's test is made early.
  struct Test {
    std::string reason;  // why it cannot be
    uint32_t setp = analysis::kNone;
    uint8_t counter = 1, bound = 2;           // operands of the setp
    bool stays_when = true;                   // outcome of the setp that goes round again
    analysis::ValueId phi = analysis::kNone;  // the counter at the start of a turn
    int64_t compared = 0;                     // what the test compares, less the phi
    int64_t step = 0;                         // of the counter a turn
  };
  const Test& test_of(analysis::LoopId loop);
  Test find_test(analysis::LoopId loop);
  // The value on which the instruction's next execution depends, from what is in a register there.
  struct Compared {
    ptx::RegId reg = ptx::kNoId;  // kNoId: it is not at hand
    int64_t added = 0;
  };
  Compared compared(const Test& t, analysis::LoopId loop, uint32_t instruction);
  bool visible(ptx::RegId reg, uint32_t instruction) const;
  // Every write of the register in the loop comes after the instruction in a turn.
  bool unwritten_until(analysis::LoopId loop, ptx::RegId reg, uint32_t instruction) const;

  Subject& subject_;
  Edit& edit_;
  ValueDistance distance_;
  std::optional<std::vector<analysis::TripCount>> trips_;
  std::map<analysis::LoopId, Test> tests_;
  std::map<std::pair<analysis::BlockId, std::string>, std::string> made_;  // by block and guard
};

}  // namespace pitot::transform
