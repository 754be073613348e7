// Compares instructions of two sides under a growing bijection of registers and symbols.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gate/side.h"

namespace pitot::gate {

// A one-to-one map between two sets of numbers, built pair by pair.
class Bijection {
 public:
  // Whether (a, b) is in the map or can be added to it.
  bool allows(uint32_t a, uint32_t b) const;
  // Adds (a, b) if allowed.
  bool bind(uint32_t a, uint32_t b);
  uint32_t image(uint32_t a) const { return a < forward_.size() ? forward_[a] : ptx::kNoId; }
  const std::vector<uint32_t>& forward() const { return forward_; }

 private:
  std::vector<uint32_t> forward_, backward_;
};

// What a pair of instructions may differ in.
struct Tolerance {
  bool constants = false;
  bool modifiers = false;  // of the opcode, and register widths with them
};

// What it was found to differ in.
struct PairDifference {
  bool constants = false;
  bool modifiers = false;
  bool register_class = false;  // .f32 against .b32 registers: no difference
  bool spelling = false;        // another name of the same operation
  bool negated = false;         // the guard is the opposite one; counts among the modifiers
  bool swapped = false;         // sources of a commutative operation exchanged
};

// The value of a constant operand as it takes part in the operation, and its kind.
struct ConstantValue {
  bool is_constant = false;
  uint64_t bits = 0;
};
ConstantValue constant_value(const Side& s, uint32_t instruction, const ptx::Operand& o);

class OperandMatcher {
 public:
  OperandMatcher(const Side& a, const Side& b, Bijection& registers, Bijection& symbols)
      : a_(a), b_(b), registers_(registers), symbols_(symbols) {}

  // True when the two are the same up to the tolerance and the maps, which then grow. Guards
  // compare with their negation unless `polarity_resolved`: the shape has taken it in.
  bool match(uint32_t ia, uint32_t ib, Tolerance t, bool polarity_resolved,
             PairDifference& difference);

 private:
  bool match_operands(uint32_t ia, uint32_t ib, Tolerance t, bool swap, PairDifference& d);
  bool match_operand(const ptx::Operand& oa, const ptx::Operand& ob);
  bool match_register(uint32_t ra, uint32_t rb);

  const Side& a_;
  const Side& b_;
  Bijection& registers_;
  Bijection& symbols_;
  uint32_t ia_ = 0, ib_ = 0;
  Tolerance tolerance_;
  PairDifference* difference_ = nullptr;
};

}  // namespace pitot::gate
