// The report of a run: JSON with every spelling, and a table by instruction.
#pragma once

#include <string>
#include <vector>

#include "case.h"
#include "compare.h"

namespace pitot::conformance {

struct Summary {
  std::string device;
  uint64_t seed = 0;
  uint64_t programs = 0, ran = 0, results = 0;
  std::vector<std::string> problems;  // program and why
  std::map<std::string, uint64_t> families;
  std::map<std::string, Tally> spellings;
  std::vector<std::string> uncovered;
  // Exact operations whose bits differ otherwise than in a NaN, and approximate ones out of bounds.
  uint64_t disagreements() const;
};

Summary summarise(const Cases& cases, const std::vector<Comparison>& results);
std::string json_of(const Summary& s);
std::string markdown_of(const Summary& s);

}  // namespace pitot::conformance
