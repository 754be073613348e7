// Figures of a ranking in plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pitot::predict {

// One group: the variants of a family at one size on one GPU. NaN: cannot be said.
struct GroupMetrics {
  std::string family, size, gpu;
  uint64_t variants = 0, pairs = 0;  // pairs that the measurement tells apart
  double pairwise = 0;               // share of them ordered right, 0…1
  double spearman = 0, kendall = 0;
  double best_in_top5 = 0;    // 1 or 0
  double top1 = 0, top5 = 0;  // slowdown of the best of the top against the true best
};

// A mean with its 95 % interval.
struct MeanWithInterval {
  double value = 0, lo = 0, hi = 0;
};

// Accuracy of the pairs that are kept, and the share that is.
struct RiskPoint {
  double coverage = 0, accuracy = 0;
};

struct MetricsSummary {
  std::vector<GroupMetrics> groups;
  MeanWithInterval pairwise, spearman, kendall, best_in_top5, top1, top5;
  std::string worst_family;  // by pairwise
  double worst_pairwise = 0;
  std::string slowest_family;  // by top5
  double slowest_top5 = 0;
};

}  // namespace pitot::predict
