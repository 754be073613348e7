// What a value will be in the next turn of a loop, computed anew from this turn's values: exact
// also where an index wraps around.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "transform/edit.h"
#include "transform/value_distance.h"

namespace pitot::transform {

class NextValue {
 public:
  NextValue(Subject& subject, Edit& edit) : subject_(subject), edit_(edit), distance_(subject) {}

  // What is made from here on can be taken back.
  void start();
  void drop();
  // A register with the value that `operand` of the instruction reads in the next turn, made by
  // `statements` in front of it. Empty where that hangs on more than additions of constants:
  // loaded values, values that meet.
  std::string of(uint32_t instruction, uint8_t operand, analysis::LoopId loop,
                 std::vector<std::string>& statements);
  // The same of the instruction's guard, its negation left out.
  std::string of_guard(uint32_t instruction, analysis::LoopId loop,
                       std::vector<std::string>& statements);
  // Whether `next` is computed as `of` would for `now`.
  bool is_next(analysis::ValueId next, analysis::ValueId now, analysis::LoopId loop);

 private:
  // Of a value at the start of a turn: what the turn makes of it, if it is one instruction.
  std::string compute_phi(analysis::ValueId v, uint32_t reader, uint32_t place,
                          analysis::LoopId loop, std::vector<std::string>& statements);
  // Of operand `operand` of `reader`, at `place`.
  std::string compute(uint32_t reader, uint8_t operand, uint32_t place, analysis::LoopId loop,
                      int depth, std::vector<std::string>& statements);
  // Of a value that `reader` reads.
  std::string compute_value(analysis::ValueId v, uint32_t reader, uint32_t place,
                            analysis::LoopId loop, int depth, std::vector<std::string>& statements);
  // Whether the register still has, at `place`, what `reader` reads in the same turn.
  bool holds(ptx::RegId reg, uint32_t reader, uint32_t place, analysis::LoopId loop) const;
  // The pure, unguarded integer instruction that makes all of a value; kNone if there is none.
  uint32_t maker(analysis::ValueId v, analysis::LoopId loop) const;
  analysis::ValueId latch_value(analysis::ValueId phi, analysis::LoopId loop) const;
  bool matches(analysis::ValueId next, analysis::ValueId now, analysis::LoopId loop, int depth);
  bool find_match(analysis::ValueId next, analysis::ValueId now, analysis::LoopId loop, int depth);
  unsigned width_of(analysis::ValueId v) const;

  Subject& subject_;
  Edit& edit_;
  ValueDistance distance_;
  // By block of the place and value; those since `start` are in `pending_` too.
  std::map<std::pair<analysis::BlockId, analysis::ValueId>, std::string> made_;
  std::vector<std::pair<analysis::BlockId, analysis::ValueId>> pending_;
  std::map<std::pair<analysis::ValueId, analysis::ValueId>, bool> matched_;
  size_t registers_ = 0;  // at `start`
};

}  // namespace pitot::transform
