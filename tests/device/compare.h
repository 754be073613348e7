// What came of a program: both outputs compared, instruction by instruction.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "case.h"

namespace pitot::conformance {

// Of one spelling, over all programs.
struct Tally {
  Rule rule = Rule::kExact;
  uint64_t programs = 0, results = 0;
  uint64_t different = 0;  // not the same bits
  uint64_t nan_bits = 0;   // of those: both NaN, of different bits
  uint64_t beyond = 0;     // approximate: the GPU or the emulator further off than documented
  double gpu_error = 0, emulator_error = 0;  // largest, ulp from the exact value
  double apart = 0;                          // largest distance of the two, ulp
  std::string example;                       // of the first difference that counts
  void add(const Tally& t);
};

struct Comparison {
  std::string problem;  // one of the two did not run
  bool differs = false;
  std::map<std::string, Tally> spellings;
};

Comparison compare(const Case& c, const std::vector<uint8_t>& emulator,
                   const std::vector<uint8_t>& gpu);

}  // namespace pitot::conformance
