// Distances between values that are certain, whatever the numbers: what one value exceeds another
// by, and what an address grows by from one turn of a loop to the next. Unlike affine forms nothing
// is taken on trust: an index that might wrap around before it is widened gives no answer.
#pragma once

#include <optional>
#include <unordered_map>

#include "transform/subject.h"

namespace pitot::transform {

class ValueDistance {
 public:
  explicit ValueDistance(Subject& subject) : subject_(subject) {}

  // Bytes from one address to another, both read in one block (or one turn of a loop).
  std::optional<int64_t> addresses(uint32_t from, uint8_t from_operand, uint32_t to,
                                   uint8_t to_operand);
  // to − from modulo 2^width, sign-extended.
  std::optional<int64_t> values(analysis::ValueId from, analysis::ValueId to, unsigned width);
  // By how much the value is greater in the next turn of the loop, modulo 2^width, sign-extended.
  std::optional<int64_t> per_turn(analysis::ValueId v, analysis::LoopId loop, unsigned width);

  // The value without the constants that were added to it.
  struct Root {
    analysis::ValueId value = analysis::kNone;
    int64_t offset = 0;
  };
  Root root_of(analysis::ValueId v, unsigned width) const;

 private:
  struct Source {  // an operand of an instruction: a value, or a constant
    analysis::ValueId value = analysis::kNone;
    std::optional<int64_t> constant;
    const ptx::Operand* operand = nullptr;
  };
  Source source(uint32_t instruction, uint8_t operand) const;
  // The instruction that writes all of a value under no guard; kNone if there is none.
  uint32_t writer(analysis::ValueId v) const;
  std::optional<int64_t> distance(analysis::ValueId from, analysis::ValueId to, unsigned width);
  std::optional<int64_t> distance(const Source& from, const Source& to, unsigned width);
  std::optional<int64_t> find_distance(analysis::ValueId from, analysis::ValueId to,
                                       unsigned width);
  std::optional<int64_t> same_operation(uint32_t from, uint32_t to, unsigned width);
  std::optional<int64_t> widened(const Source& from, const Source& to, unsigned width,
                                 bool is_signed);
  bool stays_in_range(const Source& value, int64_t added, unsigned width, bool is_signed) const;
  std::optional<int64_t> turn(analysis::ValueId v, analysis::LoopId loop, unsigned width);
  std::optional<int64_t> turn(const Source& s, analysis::LoopId loop, unsigned width);

  Subject& subject_;
  int steps_ = 0;  // left for the current question
  // Answers so far, by the two values and the width.
  std::unordered_map<uint64_t, std::optional<int64_t>> known_;
};

}  // namespace pitot::transform
