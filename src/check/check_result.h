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
  double ulp = 0;  // of floats; 0 where it has no meaning
};

struct Counterexample {
  std::string size;  // "grid 1, block 128, n = 127"
  uint64_t seed = 0;
  std::vector<std::string> args;  // "x: pointer to f32", "n: 127"
  Difference first;
  uint64_t differing = 0;  // elements
};

struct CheckFault {
  char side = 'b';  // 'a' or 'b'
  std::string kind, message, path;
  uint32_t line = 0;
  std::string size;
};

struct CheckResult {
  Verdict verdict = Verdict::kUndecided;
  Evidence evidence = Evidence::kTested;
  std::string kernel_a, kernel_b, path_a, path_b;
  unsigned trials = 0;           // that ran to the end on both
  unsigned skipped = 0;          // where both kernels fault alike, or a ran out of budget
  double instructions_seen = 0;  // fraction of both kernels' reachable instructions that ran
  std::vector<uint32_t> unreached_a, unreached_b;  // lines where unexecuted parts begin
  bool bits_equal = true;                          // false: equal only within the tolerance
  std::vector<CheckFault> faults;
  std::vector<Counterexample> counterexamples;  // the first
  std::vector<std::string> notes;
};

}  // namespace pitot::check
