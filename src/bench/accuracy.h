// How exact results are: rounding errors of a kernel's outputs against exact values, in units of
// what rounding to the types involved explains, and the limits that follow for a candidate.
//
// The unit of an element is max(u(output) |exact|, u(arithmetic) scale): u is half a unit in the
// last place of 1, the scale what the oracle says errors are relative to (Σ|terms| of a sum). A
// result that is rounded once is off by at most 1. A sum of n terms in the worst order is off by
// √n / 3 in the mean square (Higham, Accuracy and Stability of Numerical Algorithms, 2002, 4.2:
// errors as independent).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ptx/types.h"

namespace pitot::bench {

double unit_roundoff(ptx::Type type);

// Whether an element of `each` bytes still holds what outputs are filled with before a launch.
bool is_poison(uint64_t bits, unsigned each);

// What one output should hold.
struct ExpectedOutput {
  std::string name;
  ptx::Type type = ptx::Type::kNone;
  std::vector<double> exact, scale;  // of floats in double; else empty: the bytes are exact
  std::vector<std::byte> start;      // what the start kernel makes of it; of integers the oracle's
  bool exact_bits() const { return exact.empty(); }
};

// Squares of errors over many elements, so that trials can be put together.
struct ErrorSum {
  double squares = 0, worst = 0;
  double explained = 0;  // squares of what rounding in any order explains
  uint64_t count = 0;
  double rms() const;
  double explained_rms() const;
  void add(const ErrorSum& o);
};

// Of the arithmetic, in units. Where the output is coarser these are u(arithmetic) scale, and the
// rounding of the result comes on top: a coarse output does not allow for coarse sums.
struct ErrorLimits {
  double worst = 0, rms = 0;  // of a candidate, without regard to the start kernel
};
// Of a sum of `length` terms (1: none) with so many other roundings a term.
ErrorLimits model_limits(double length, double operations);

// Why an element is wrong.
enum class Wrong : uint8_t {
  kNothing,
  kValue,      // further off than rounding explains
  kNan,        // NaN where a number should be
  kNotNan,     // a number where NaN should be
  kInfinity,   // an infinity too many or too few
  kUnwritten,  // still what was there before
};

struct OutputJudgement {
  Wrong wrong = Wrong::kNothing;
  uint64_t index = 0, differing = 0;  // the first wrong element; how many are
  double got = 0, expected = 0;
  double units = 0;  // of the first wrong one
  ErrorSum errors;   // over elements where both are finite
};

// A candidate's output. Elements may be as far off as `limits` says, and two units of a coarser
// output more, or four times as far as the start kernel is at worst (`start`); where exact values
// are NaN or infinite the result has to be so too, or what the start kernel has. Wrong elements
// that still hold device::kPoison were not written.
OutputJudgement judge_output(const ExpectedOutput& expected, std::span<const std::byte> got,
                             ptx::Type arithmetic, const ErrorLimits& limits,
                             const ErrorSum& start);

// Of the start kernel itself: its errors; `wrong` where NaN or infinities are not where the oracle
// has them.
OutputJudgement judge_start(const ExpectedOutput& expected, ptx::Type arithmetic);

}  // namespace pitot::bench
