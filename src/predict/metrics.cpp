#include "predict/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "measure/random_draws.h"
#include "predict/numbers.h"

namespace pitot::predict {
namespace {

// Mean ranks from 0: equal values share theirs.
std::vector<double> mean_ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i + 1;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (size_t j = i; j < end; ++j) ranks[order[j]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return ranks;
}

double pearson(const std::vector<double>& x, const std::vector<double>& y) {
  const double n = static_cast<double>(x.size());
  const double mx = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double my = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : kUnknownValue;
}

std::vector<double> column(std::span<const ScoredVariant> group, double ScoredVariant::*member) {
  std::vector<double> out;
  for (const ScoredVariant& v : group) out.push_back(v.*member);
  return out;
}

// The k that are tried first; of equal scores the slowest.
std::vector<ScoredVariant> top(std::span<const ScoredVariant> group, size_t k) {
  std::vector<ScoredVariant> all(group.begin(), group.end());
  std::stable_sort(all.begin(), all.end(), [](const ScoredVariant& a, const ScoredVariant& b) {
    return a.score != b.score ? a.score < b.score : a.time > b.time;
  });
  all.resize(std::min(k, all.size()));
  return all;
}

const ScoredVariant& fastest(std::span<const ScoredVariant> group) {
  return *std::min_element(group.begin(), group.end(),
                           [](const auto& a, const auto& b) { return a.time < b.time; });
}

using Families = std::vector<std::vector<const GroupMetrics*>>;

// Of ascending values.
double percentile(const std::vector<double>& sorted, double p) {
  return sorted[static_cast<size_t>(std::round(p * static_cast<double>(sorted.size() - 1)))];
}

double family_mean(const std::vector<const GroupMetrics*>& groups, double GroupMetrics::*member) {
  std::vector<double> values;
  for (const GroupMetrics* g : groups) values.push_back(g->*member);
  return mean_known(values);
}

MeanWithInterval with_interval(const Families& families, double GroupMetrics::*member,
                               uint64_t seed, unsigned resamples) {
  MeanWithInterval out;
  std::vector<double> means;
  for (const auto& f : families) means.push_back(family_mean(f, member));
  out.value = mean_known(means);
  if (families.empty() || std::isnan(out.value)) return {out.value, kUnknownValue, kUnknownValue};
  measure::RandomDraws random(seed);
  std::vector<double> draws;
  for (unsigned r = 0; r < resamples; ++r) {
    means.clear();
    for (size_t i = 0; i < families.size(); ++i) {
      const auto& f = families[random.below(static_cast<uint32_t>(families.size()))];
      std::vector<const GroupMetrics*> drawn;
      for (size_t j = 0; j < f.size(); ++j)
        drawn.push_back(f[random.below(static_cast<uint32_t>(f.size()))]);
      means.push_back(family_mean(drawn, member));
    }
    if (const double m = mean_known(means); !std::isnan(m)) draws.push_back(m);
  }
  std::sort(draws.begin(), draws.end());
  out.lo = percentile(draws, 0.025);
  out.hi = percentile(draws, 0.975);
  return out;
}

}  // namespace

bool told_apart(const ScoredVariant& a, const ScoredVariant& b, double least) {
  const ScoredVariant& fast = a.time <= b.time ? a : b;
  const ScoredVariant& slow = a.time <= b.time ? b : a;
  return fast.hi < slow.lo && slow.time - fast.time > least * fast.time;
}

PairCount count_pairs(std::span<const ScoredVariant> group, double least) {
  PairCount out;
  for (size_t i = 0; i < group.size(); ++i)
    for (size_t j = i + 1; j < group.size(); ++j) {
      const ScoredVariant &a = group[i], &b = group[j];
      if (!told_apart(a, b, least)) continue;
      ++out.pairs;
      if (a.score == b.score)
        out.right += 0.5;
      else if ((a.score < b.score) == (a.time < b.time))
        out.right += 1;
    }
  return out;
}

double spearman(std::span<const ScoredVariant> group) {
  if (group.size() < 2) return kUnknownValue;
  return pearson(mean_ranks(column(group, &ScoredVariant::score)),
                 mean_ranks(column(group, &ScoredVariant::time)));
}

MeanWithInterval pooled_spearman(const std::vector<std::vector<ScoredVariant>>& families,
                                 uint64_t seed, unsigned resamples) {
  std::vector<ScoredVariant> pool;
  for (const auto& f : families) pool.insert(pool.end(), f.begin(), f.end());
  MeanWithInterval out{spearman(pool), kUnknownValue, kUnknownValue};
  if (families.size() < 2 || std::isnan(out.value)) return out;
  measure::RandomDraws random(seed);
  std::vector<double> draws;
  for (unsigned r = 0; r < resamples; ++r) {
    pool.clear();
    for (size_t i = 0; i < families.size(); ++i) {
      const auto& f = families[random.below(static_cast<uint32_t>(families.size()))];
      pool.insert(pool.end(), f.begin(), f.end());
    }
    if (const double v = spearman(pool); !std::isnan(v)) draws.push_back(v);
  }
  if (draws.empty()) return out;
  std::sort(draws.begin(), draws.end());
  out.lo = percentile(draws, 0.025);
  out.hi = percentile(draws, 0.975);
  return out;
}

double kendall(std::span<const ScoredVariant> group) {
  double agree = 0, score_pairs = 0, time_pairs = 0;
  for (size_t i = 0; i < group.size(); ++i)
    for (size_t j = i + 1; j < group.size(); ++j) {
      const double s = group[i].score - group[j].score, t = group[i].time - group[j].time;
      score_pairs += s != 0;
      time_pairs += t != 0;
      if (s != 0 && t != 0) agree += (s > 0) == (t > 0) ? 1 : -1;
    }
  return score_pairs > 0 && time_pairs > 0 ? agree / std::sqrt(score_pairs * time_pairs)
                                           : kUnknownValue;
}

double top_slowdown(std::span<const ScoredVariant> group, size_t k) {
  if (group.empty() || k == 0) return kUnknownValue;
  return fastest(top(group, k)).time / fastest(group).time - 1;
}

bool top_has_best(std::span<const ScoredVariant> group, size_t k, double least) {
  if (group.empty() || k == 0) return false;
  return !told_apart(fastest(top(group, k)), fastest(group), least);
}

GroupMetrics group_metrics(std::span<const ScoredVariant> group, double least) {
  GroupMetrics m;
  const PairCount pairs = count_pairs(group, least);
  m.variants = group.size();
  m.pairs = pairs.pairs;
  m.pairwise = pairs.pairs > 0 ? pairs.right / static_cast<double>(pairs.pairs) : kUnknownValue;
  m.spearman = spearman(group);
  m.kendall = kendall(group);
  m.best_in_top5 = top_has_best(group, 5, least) ? 1 : 0;
  m.top1 = top_slowdown(group, 1);
  m.top5 = top_slowdown(group, 5);
  return m;
}

MetricsSummary summarise(std::vector<GroupMetrics> groups, uint64_t seed, unsigned resamples) {
  MetricsSummary out;
  out.groups = std::move(groups);
  std::map<std::string, std::vector<const GroupMetrics*>> by_family;
  for (const GroupMetrics& g : out.groups) by_family[g.family].push_back(&g);
  Families families;
  out.worst_pairwise = out.slowest_top5 = kUnknownValue;
  for (const auto& [name, members] : by_family) {
    families.push_back(members);
    const double pairwise = family_mean(members, &GroupMetrics::pairwise);
    const double top5 = family_mean(members, &GroupMetrics::top5);
    if (!std::isnan(pairwise) && !(out.worst_pairwise <= pairwise)) {
      out.worst_pairwise = pairwise;
      out.worst_family = name;
    }
    if (!std::isnan(top5) && !(out.slowest_top5 >= top5)) {
      out.slowest_top5 = top5;
      out.slowest_family = name;
    }
  }
  out.pairwise = with_interval(families, &GroupMetrics::pairwise, seed, resamples);
  out.spearman = with_interval(families, &GroupMetrics::spearman, seed, resamples);
  out.kendall = with_interval(families, &GroupMetrics::kendall, seed, resamples);
  out.best_in_top5 = with_interval(families, &GroupMetrics::best_in_top5, seed, resamples);
  out.top1 = with_interval(families, &GroupMetrics::top1, seed, resamples);
  out.top5 = with_interval(families, &GroupMetrics::top5, seed, resamples);
  return out;
}

MetricsSummary paired_difference(const MetricsSummary& a, const MetricsSummary& b, uint64_t seed,
                                 unsigned resamples) {
  std::vector<GroupMetrics> groups;
  for (GroupMetrics g : a.groups)
    for (const GroupMetrics& other : b.groups) {
      if (g.family != other.family || g.size != other.size || g.gpu != other.gpu) continue;
      for (double GroupMetrics::*figure :
           {&GroupMetrics::pairwise, &GroupMetrics::spearman, &GroupMetrics::kendall,
            &GroupMetrics::best_in_top5, &GroupMetrics::top1, &GroupMetrics::top5})
        g.*figure -= other.*figure;
      groups.push_back(std::move(g));
      break;
    }
  return summarise(std::move(groups), seed, resamples);
}

}  // namespace pitot::predict
