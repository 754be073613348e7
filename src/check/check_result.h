// What a check of two kernels found, in plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pitot::check {

enum class Verdict : uint8_t { kSame, kDifferent, kFault, kUndecided };
enum class Evidence : uint8_t { kIdentical, kRenamed, kTested };

struct Difference {
  std::string buffer;
  std::string type;
  uint64_t index = 0;   // element; of an inferred pointer, relative to where it points
  bool before = false;  // of an inferred pointer: the element lies before it, at −index
  std::string a, b;
  std::string exact;  // what a would be without rounding; empty when it is not known
  double ulp = 0;     // of floats; 0 where it has no meaning
};

// An element of an input that the differing element depends on.
struct Feed {
  std::string buffer;
  int64_t index = 0;
  std::string value;
};

struct Counterexample {
  std::string size;  // "grid 1, n = 127"
  uint64_t seed = 0;
  std::vector<std::string> args;  // "x: 127 f32", "n: 127"
  Difference first;
  uint64_t differing = 0;   // elements
  std::vector<Feed> feeds;  // the first few; empty when they were not looked for
  uint64_t fed_by = 0;      // how many there are among those that were tried
  std::string spec;         // a kernel spec that makes it again, without ptx and entry; or
  std::string no_spec;      // why there is none
};

struct CheckFault {
  char side = 'b';  // 'a' or 'b'
  std::string kind, message, path;
  uint32_t line = 0;
  std::string size;
};

// How much of a kernel ran, over all trials.
struct Coverage {
  uint64_t instructions = 0, ran = 0;
  uint64_t branch_sides = 0, taken = 0;  // two a conditional branch
  std::vector<uint32_t> unreached;       // lines where parts begin that never ran
  std::vector<uint32_t> one_sided;       // of branches that only ever went one way
};

struct CheckResult {
  Verdict verdict = Verdict::kUndecided;
  Evidence evidence = Evidence::kTested;
  std::string kernel_a, kernel_b, path_a, path_b;
  unsigned trials = 0;   // that ran to the end on both
  unsigned skipped = 0;  // where the first kernel faults, or the budget ran out
  Coverage coverage_a, coverage_b;
  bool bits_equal = true;     // false: equal only up to rounding
  bool may_be_meant = false;  // undecided: results differ, but perhaps for a reason
  bool reassociated = false;  // bits differ, and no more than rounding in another order explains
  std::vector<CheckFault> faults;
  std::vector<Counterexample> counterexamples;  // the first
  std::vector<std::string> reasons;             // of `undecided`
  std::vector<std::string> notes;
};

}  // namespace pitot::check
