// What searches over knobs found in the same recorded measurements, in plain data.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace pitot::knobs {

// One search of one case at one budget.
struct ComparisonRow {
  std::string kernel;
  int64_t matrix_size = 0;
  std::string method;
  uint64_t seed = 0;
  uint64_t budget = 0;    // configurations measured
  double best_ms = 0;     // the least of them; infinite where none ran
  double default_ms = 0;  // of the default configuration
  double least_ms = 0;    // of all configurations: what exhaustive search finds
  double regret() const { return best_ms / least_ms - 1; }
  double speedup() const { return default_ms / best_ms; }
};

// Over all cases and seeds of a method at a budget. Means of cases, each the mean of its seeds;
// intervals of 95 % by bootstrap over the cases and the seeds in them.
struct ComparisonSummary {
  std::string method;
  uint64_t budget = 0;
  uint64_t without = 0;  // searches in which nothing ran; they are not in the means
  double regret = 0;
  std::array<double, 2> regret_interval{};
  double speedup = 0;  // geometric mean over the default
  std::string worst_case;
  double worst_regret = 0;  // of that case
  // Regret less random's at the same budget; below 0: better. Not a number for random itself.
  double against_random = 0;
  std::array<double, 2> against_random_interval{};
};

struct ComparisonResult {
  std::vector<ComparisonRow> rows;
  std::vector<ComparisonSummary> summaries;
};

}  // namespace pitot::knobs
