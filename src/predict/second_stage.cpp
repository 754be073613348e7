#include "predict/second_stage.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "predict/feature_set.h"
#include "predict/numbers.h"
#include "support/parallel.h"

namespace pitot::predict {
namespace {

// Columns whose difference says how alike two variants are, or along what they differ.
const std::vector<size_t>& compared_columns() {
  static const std::vector<size_t> kColumns = [] {
    using analysis::Feature;
    std::vector<size_t> out{
        index_of(Feature::kTotalInstructions), index_of(Feature::kRegisterPressure),
        index_of(Column::kLaunchThreads),      index_of(Column::kLaunchBlocks),
        index_of(Column::kOccupancy),          index_of(Column::kWaves),
        index_of(Column::kSmBalance),          index_of(Column::kLaunchShared)};
    for (size_t c = index_of(Column::kEmuCyclesIssue); c <= index_of(Column::kEmuEstimate); ++c)
      out.push_back(c);
    return out;
  }();
  return kColumns;
}

// Of the pairs in order of falling sureness: where the share kept is at least `coverage`.
struct Sorted {
  std::vector<size_t> order;
  double weight = 0;
};
Sorted by_sureness(std::span<const JudgedPair> pairs, std::span<const double> sureness) {
  Sorted s;
  s.order.resize(pairs.size());
  std::iota(s.order.begin(), s.order.end(), size_t{0});
  std::stable_sort(s.order.begin(), s.order.end(),
                   [&](size_t a, size_t b) { return sureness[a] > sureness[b]; });
  for (const JudgedPair& p : pairs) s.weight += p.weight;
  return s;
}

// The lowest sureness down to which the pairs kept are right as often as is wanted; how many are
// kept, and how often they are right.
std::pair<double, RiskPoint> threshold_for(std::span<const JudgedPair> pairs,
                                           std::span<const double> sureness, double accuracy) {
  const Sorted s = by_sureness(pairs, sureness);
  double kept = 0, right = 0;
  std::pair<double, RiskPoint> best{std::numeric_limits<double>::infinity(), {0, 1}};
  for (size_t i = 0; i < s.order.size(); ++i) {
    const JudgedPair& p = pairs[s.order[i]];
    kept += p.weight;
    right += p.right ? p.weight : 0;
    const bool last_of_equal =
        i + 1 == s.order.size() || sureness[s.order[i + 1]] != sureness[s.order[i]];
    if (last_of_equal && right >= accuracy * kept)
      best = {sureness[s.order[i]], {kept / s.weight, right / kept}};
  }
  return best;
}

Result<Forest> fit_pairs(const XgboostApi& api, std::span<const JudgedPair> pairs,
                         const std::vector<size_t>& rows, uint64_t seed) {
  Matrix m;
  m.columns = pair_input_names().size();
  std::vector<float> labels, weights;
  double total = 0;
  for (size_t r : rows) total += pairs[r].weight;
  for (size_t r : rows) {
    m.append(pairs[r].inputs);
    labels.push_back(pairs[r].right ? 1.0f : 0.0f);
    weights.push_back(
        static_cast<float>(pairs[r].weight * static_cast<double>(rows.size()) / total));
  }
  BoostOptions o;
  o.objective = "binary:logistic";
  o.trees = 150;
  o.max_depth = 4;
  o.subsample = 0.8;
  o.colsample_bytree = 0.7;
  o.min_child_weight = 10;
  o.tree_method = "hist";
  o.seed = seed;
  return boost(api, {m, labels, weights}, o);
}

}  // namespace

const std::vector<std::string>& pair_input_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names{"apart",  "apart / half width", "analytic apart",
                                   "spread", "distance",           "outside"};
    for (size_t c : compared_columns())
      names.push_back("apart by " + std::string(feature_columns()[c].name));
    return names;
  }();
  return kNames;
}

std::vector<float> pair_inputs(const PairSide& a, const PairSide& b, double group_spread) {
  // The faster by prediction first.
  const PairSide& fast = a.log_score <= b.log_score ? a : b;
  const PairSide& slow = a.log_score <= b.log_score ? b : a;
  const double apart = slow.log_score - fast.log_score;
  std::vector<float> out;
  out.push_back(to_float(apart));
  out.push_back(to_float(apart / (fast.half_width + slow.half_width)));
  out.push_back(to_float(slow.log_analytic - fast.log_analytic));
  out.push_back(to_float(group_spread));
  out.push_back(to_float(std::max(fast.likeness.distance, slow.likeness.distance)));
  out.push_back(to_float(std::max(fast.likeness.outside, slow.likeness.outside)));
  for (size_t c : compared_columns())
    out.push_back(to_float(signed_log(slow.row[c]) - signed_log(fast.row[c])));
  return out;
}

bool SecondStage::uncertain(const PairSide& a, const PairSide& b, double group_spread) const {
  return static_cast<double>(forest.margin(pair_inputs(a, b, group_spread))) < threshold;
}

std::vector<RiskPoint> risk_coverage(std::span<const JudgedPair> pairs,
                                     std::span<const double> sureness) {
  const Sorted s = by_sureness(pairs, sureness);
  std::vector<RiskPoint> curve;
  double kept = 0, right = 0;
  int step = 1;
  for (size_t r : s.order) {
    kept += pairs[r].weight;
    right += pairs[r].right ? pairs[r].weight : 0;
    for (; step <= 20 && kept >= (0.05 * step - 1e-12) * s.weight; ++step)
      curve.push_back({kept / s.weight, right / kept});
  }
  std::reverse(curve.begin(), curve.end());
  return curve;
}

Result<SecondStageFit> fit_second_stage(const XgboostApi& api, std::span<const JudgedPair> pairs,
                                        const SecondStageOptions& options) {
  if (pairs.empty()) return input_error("there are no pairs that the measurements tell apart");
  std::set<unsigned> folds;
  for (const JudgedPair& p : pairs) folds.insert(p.fold);
  const std::vector<unsigned> list(folds.begin(), folds.end());
  std::vector<double> sureness(pairs.size(), 0.0);
  std::vector<Status> failures(list.size(), Ok{});
  parallel_for(list.size() < 2 ? 0 : list.size(), options.workers, [&](size_t f) {
    std::vector<size_t> learn;
    for (size_t i = 0; i < pairs.size(); ++i)
      if (pairs[i].fold != list[f]) learn.push_back(i);
    const auto forest = fit_pairs(api, pairs, learn, options.seed);
    if (!forest) {
      failures[f] = forest.error();
      return;
    }
    for (size_t i = 0; i < pairs.size(); ++i)
      if (pairs[i].fold == list[f])
        sureness[i] = static_cast<double>(forest->margin(pairs[i].inputs));
  });
  for (const Status& s : failures)
    if (!s) return s.error();
  std::vector<size_t> all(pairs.size());
  std::iota(all.begin(), all.end(), size_t{0});
  auto forest = fit_pairs(api, pairs, all, options.seed);
  if (!forest) return forest.error();
  SecondStageFit fit;
  fit.curve = risk_coverage(pairs, sureness);
  const auto [threshold, point] = threshold_for(pairs, sureness, options.accuracy);
  fit.at_threshold = point;
  fit.stage = {std::move(*forest), threshold, options.accuracy};
  return fit;
}

}  // namespace pitot::predict
