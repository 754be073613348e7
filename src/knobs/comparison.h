// Phase 7: the default, random, greedy and exhaustive search, and any ranking or policy, on the
// same recorded measurements at the same budgets.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "knobs/comparison_result.h"
#include "knobs/table.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace pitot::knobs {

// In which order somebody would measure a case's configurations, seed by seed; methods without
// draws have one.
struct Contender {
  std::string name;
  std::map<size_t, std::vector<std::vector<size_t>>> orders;  // by case
};

struct ComparisonOptions {
  std::vector<uint64_t> budgets = {1, 5, 10, 20, 50, 100};
  uint64_t seeds = 100;  // of random and greedy search; at least 1
  uint64_t seed = 1;     // from which those are drawn, and of the bootstrap
  // As Environment takes it: (256, 0, first values …).
  std::vector<int64_t> baseline;
  // Of the bootstrap: kernels are drawn with all their sizes, not cases one by one.
  bool whole_kernels = false;
};

// Adds the default, random, greedy and exhaustive search to `others`. Errors (kInput): no budgets,
// a default that the table does not have or that does not run.
Result<ComparisonResult> compare(const Table& table, std::vector<Contender> others,
                                 const ComparisonOptions& options);

// Of the searches of several tables, whose cases are different ones: summaries over all of them.
ComparisonResult pooled(std::vector<ComparisonResult> parts, const ComparisonOptions& options);

// Orders from a CSV: kernel, matrix_size, seed, rank and a column a knob; rows of one kernel, size
// and seed in the order of rank. Complaints are located.
Contender read_orders(const SourceText& source, std::string name, const Table& table,
                      Diagnostics& out);

// kernel, matrix_size, method, seed, budget, best_ms, default_ms, least_ms, regret, speedup: what
// phase7_comparison.csv has.
std::string comparison_csv(const ComparisonResult& result);

}  // namespace pitot::knobs
