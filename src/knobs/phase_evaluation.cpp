// See phase_evaluation.h.
#include "knobs/phase_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "measure/random_draws.h"
#include "support/csv.h"

namespace pitot::knobs {
namespace {

constexpr int kPhaseResamples = 2000;

std::vector<std::string> kernels_in(const std::string& joined) {
  std::vector<std::string> out;
  for (size_t first = 0; first <= joined.size();) {
    const size_t last = std::min(joined.find('+', first), joined.size());
    out.push_back(joined.substr(first, last - first));
    first = last + 1;
  }
  return out;
}

// Mean over the labels that occur of the share of their windows that `right` holds for.
template <class F>
double balanced_share(const std::vector<const JudgedWindow*>& windows, const F& right) {
  std::array<double, kPhases> all{}, found{};
  for (const JudgedWindow* w : windows) {
    all[static_cast<size_t>(w->label)] += 1;
    found[static_cast<size_t>(w->label)] += right(*w) ? 1 : 0;
  }
  double sum = 0, labels = 0;
  for (size_t k = 0; k < kPhases; ++k)
    if (all[k] > 0) {
      sum += found[k] / all[k];
      labels += 1;
    }
  return sum / labels;
}

// Probability that a wrong verdict has more doubt than a right one, ties halved.
std::optional<double> area_under_curve(std::vector<std::pair<double, bool>> doubts) {
  std::sort(doubts.begin(), doubts.end());
  double wrong = 0, right = 0, area = 0;
  for (size_t first = 0, last = 0; first < doubts.size(); first = last) {
    double wrong_here = 0, right_here = 0;
    for (; last < doubts.size() && doubts[last].first == doubts[first].first; ++last)
      (doubts[last].second ? wrong_here : right_here) += 1;
    area += wrong_here * (right + right_here / 2);
    wrong += wrong_here;
    right += right_here;
  }
  if (wrong == 0 || right == 0) return std::nullopt;
  return area / (wrong * right);
}

bool is_right(const JudgedWindow& w) { return w.verdict.likeliest() == w.label; }
bool rule_is_right(const JudgedWindow& w) { return w.by_rule == w.label; }

PhaseScore score_of(const std::vector<const JudgedWindow*>& windows, uint64_t seed) {
  PhaseScore s;
  s.set = windows[0]->set;
  s.windows = windows.size();
  // Windows, right verdicts and right rules of each group.
  std::map<std::string, std::array<double, 3>> groups;
  std::array<size_t, kPhases> labels{};
  std::vector<std::pair<double, bool>> by_uncertainty, by_probability;
  double right = 0, by_rule = 0;
  for (const JudgedWindow* w : windows) {
    const bool ok = is_right(*w), rule = rule_is_right(*w);
    auto& g = groups[w->kernels];
    g[0] += 1;
    g[1] += ok;
    g[2] += rule;
    right += ok;
    by_rule += rule;
    ++labels[static_cast<size_t>(w->label)];
    ++s.confusion[static_cast<size_t>(w->label)][static_cast<size_t>(w->verdict.likeliest())];
    by_uncertainty.emplace_back(w->verdict.uncertainty, !ok);
    by_probability.emplace_back(
        1 - w->verdict.probability[static_cast<size_t>(w->verdict.likeliest())], !ok);
  }
  const auto n = static_cast<double>(windows.size());
  s.kernels = groups.size();
  s.accuracy = right / n;
  s.rule_accuracy = by_rule / n;
  s.balanced = balanced_share(windows, is_right);
  s.rule_balanced = balanced_share(windows, rule_is_right);
  s.majority = static_cast<double>(*std::max_element(labels.begin(), labels.end())) / n;
  s.uncertainty_area = area_under_curve(std::move(by_uncertainty));
  s.probability_area = area_under_curve(std::move(by_probability));
  std::vector<std::array<double, 3>> list;
  for (const auto& [name, g] : groups) list.push_back(g);
  measure::RandomDraws draws(seed);
  std::vector<double> shares, rule_shares;
  for (int r = 0; r < kPhaseResamples; ++r) {
    std::array<double, 3> sum{};
    for (size_t k = 0; k < list.size(); ++k) {
      const auto& g = list[draws.below(static_cast<uint32_t>(list.size()))];
      for (size_t i = 0; i < 3; ++i) sum[i] += g[i];
    }
    shares.push_back(sum[1] / sum[0]);
    rule_shares.push_back(sum[2] / sum[0]);
  }
  const auto interval = [](std::vector<double>& v) {
    std::sort(v.begin(), v.end());
    return std::pair(v[kPhaseResamples / 40], v[kPhaseResamples - 1 - kPhaseResamples / 40]);
  };
  std::tie(s.lo, s.hi) = interval(shares);
  std::tie(s.rule_lo, s.rule_hi) = interval(rule_shares);
  return s;
}

}  // namespace

KernelFolds::KernelFolds(const std::vector<PhaseWindow>& windows, unsigned folds, uint64_t seed) {
  std::set<std::string> names;
  for (const PhaseWindow& w : windows)
    for (std::string& k : kernels_in(w.kernels)) names.insert(std::move(k));
  std::vector<std::string> order(names.begin(), names.end());
  measure::RandomDraws draws(seed);
  for (size_t n = order.size(); n > 1; --n)
    std::swap(order[n - 1], order[draws.below(static_cast<uint32_t>(n))]);
  for (size_t k = 0; k < order.size(); ++k)
    folds_.emplace_back(order[k], static_cast<unsigned>(k % folds));
  std::sort(folds_.begin(), folds_.end());
}

std::optional<unsigned> KernelFolds::fold_of(const std::string& kernels) const {
  std::optional<unsigned> out;
  for (const std::string& k : kernels_in(kernels)) {
    const auto at = std::lower_bound(folds_.begin(), folds_.end(), std::pair(k, 0u));
    if (at == folds_.end() || at->first != k || (out && *out != at->second)) return std::nullopt;
    out = at->second;
  }
  return out;
}

bool KernelFolds::touches(const std::string& kernels, unsigned fold) const {
  for (const std::string& k : kernels_in(kernels)) {
    const auto at = std::lower_bound(folds_.begin(), folds_.end(), std::pair(k, 0u));
    if (at != folds_.end() && at->first == k && at->second == fold) return true;
  }
  return false;
}

std::vector<PhaseScore> score_phases(const std::vector<JudgedWindow>& windows, uint64_t seed) {
  std::vector<std::string> sets;
  for (const JudgedWindow& w : windows)
    if (std::find(sets.begin(), sets.end(), w.set) == sets.end()) sets.push_back(w.set);
  std::vector<PhaseScore> out;
  for (const std::string& set : sets) {
    std::vector<const JudgedWindow*> own;
    for (const JudgedWindow& w : windows)
      if (w.set == set) own.push_back(&w);
    out.push_back(score_of(own, seed));
  }
  return out;
}

std::string phases_csv(const std::vector<JudgedWindow>& windows) {
  std::string out = "set,fold,window,kernels,label,predicted";
  for (const char* name : kPhaseNames) out += fmt::format(",p_{}", name);
  out += ",uncertainty,rule\n";
  for (const JudgedWindow& w : windows) {
    out += fmt::format("{},{},{},{},{},{}", csv_field(w.set), w.fold, csv_field(w.name),
                       csv_field(w.kernels), kPhaseNames[static_cast<size_t>(w.label)],
                       kPhaseNames[static_cast<size_t>(w.verdict.likeliest())]);
    for (const float p : w.verdict.probability) out += fmt::format(",{:.4f}", p);
    out += fmt::format(",{:.4f},{}\n", w.verdict.uncertainty,
                       kPhaseNames[static_cast<size_t>(w.by_rule)]);
  }
  return out;
}

}  // namespace pitot::knobs
