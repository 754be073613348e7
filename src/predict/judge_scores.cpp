#include "predict/judge_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "measure/random_draws.h"
#include "predict/analytic.h"
#include "predict/numbers.h"

namespace pitot::predict {
namespace {

// Scored rows by group; with `by_split`, those of different splits apart.
using GroupKey = std::tuple<std::string, std::string, std::string, unsigned>;
std::map<GroupKey, std::vector<const ScoredRow*>> grouped(const Dataset& data,
                                                          std::span<const ScoredRow> rows,
                                                          bool by_split) {
  std::map<GroupKey, std::vector<const ScoredRow*>> out;
  for (const ScoredRow& s : rows) {
    const DataRow& r = data.rows[s.row];
    out[{r.family, r.size, r.gpu, by_split ? s.split : 0}].push_back(&s);
  }
  return out;
}

// The interval that was measured, at least as wide as the row's noise says.
ScoredVariant scored(const DataRow& row, double log_score) {
  ScoredVariant v;
  v.time = row.median_us;
  const double half = std::isnan(row.noise) ? 0 : row.noise * row.median_us;
  v.lo = std::isnan(row.lo_us) ? v.time - half : std::min(row.lo_us, v.time - half);
  v.hi = std::isnan(row.hi_us) ? v.time + half : std::max(row.hi_us, v.time + half);
  v.score = std::isnan(log_score) ? kInfinite : log_score;
  return v;
}

double column_or_none(std::span<const double> row, Column c) { return row[index_of(c)]; }

}  // namespace

MetricsSummary order_metrics(const Dataset& data, std::span<const ScoredRow> rows, double least,
                             uint64_t seed) {
  std::vector<GroupMetrics> groups;
  for (const auto& [key, members] : grouped(data, rows, false)) {
    std::vector<ScoredVariant> variants;
    for (const ScoredRow* s : members) variants.push_back(scored(data.rows[s->row], s->log_score));
    GroupMetrics m = group_metrics(variants, least);
    std::tie(m.family, m.size, m.gpu, std::ignore) = key;
    groups.push_back(std::move(m));
  }
  return summarise(std::move(groups), seed);
}

MeanWithInterval pooled_agreement(const Dataset& data, std::span<const ScoredRow> rows,
                                  uint64_t seed) {
  std::map<std::string, std::vector<ScoredVariant>> by_family;
  for (const ScoredRow& s : rows)
    if (std::isfinite(s.log_us))
      by_family[data.rows[s.row].family].push_back(scored(data.rows[s.row], s.log_us));
  std::vector<std::vector<ScoredVariant>> families;
  for (auto& [name, members] : by_family) families.push_back(std::move(members));
  return pooled_spearman(families, seed);
}

std::vector<std::string> untrained_scores() {
  return {"analytic", "static", "instructions × threads", "waves", "emulated cycles"};
}

Result<std::vector<ScoredRow>> untrained_rows(const Dataset& data, std::span<const size_t> rows,
                                              std::string_view score) {
  using analysis::Feature;
  const auto value = [&](std::span<const double> row) -> double {
    if (score == "analytic") {
      const auto s = analytic_score(row);
      return s ? s->us : kUnknownValue;
    }
    if (score == "static") {
      const auto s = static_score(row);
      return s ? s->us : kUnknownValue;
    }
    if (score == "instructions × threads")
      return row[index_of(Feature::kTotalInstructions)] *
             column_or_none(row, Column::kLaunchAllThreads);
    if (score == "waves") return column_or_none(row, Column::kWaves);
    return column_or_none(row, Column::kEmuEstimate);
  };
  const auto known = untrained_scores();
  if (std::find(known.begin(), known.end(), score) == known.end())
    return input_error(
        fmt::format("no untrained score '{}'; there are {}", score, fmt::join(known, ", ")));
  std::vector<ScoredRow> out;
  for (size_t r : rows) {
    const double log = std::log(value(data.feature_row(r)));
    out.push_back({r, 0, log, log, {}});
  }
  return out;
}

std::vector<CalibrationRow> calibration_rows(const Dataset& data, std::span<const ScoredRow> rows,
                                             const std::string& target) {
  std::vector<CalibrationRow> out;
  for (const ScoredRow& s : rows) {
    const double error = std::log(target_of(data.rows[s.row], target)) - s.log_us;
    if (!std::isnan(error)) out.push_back({data.rows[s.row].family, error});
  }
  return out;
}

CoverageResult cross_coverage(const Dataset& data, std::span<const ScoredRow> rows, double coverage,
                              bool unseen, uint64_t seed, const std::string& target) {
  std::map<unsigned, std::vector<ScoredRow>> own, others;
  for (const ScoredRow& s : rows) own.try_emplace(s.split).first->second.push_back(s);
  for (auto& [split, members] : own)
    for (const ScoredRow& s : rows)
      if (s.split != split) others[split].push_back(s);
  CoverageResult out;
  double widths = 0, count = 0;
  std::map<std::string, std::pair<double, double>> by_family;  // covered, rows
  for (const auto& [split, members] : own) {
    const auto learned = calibration_rows(data, others[split], target);
    const Calibration c =
        unseen ? calibrate({}, learned, coverage) : calibrate(learned, {}, coverage);
    for (const ScoredRow& s : members) {
      Likeness like = s.likeness;
      if (!unseen) {
        like.ood = false;
        like.nearest = data.rows[s.row].family;
      }
      const double half = unseen ? c.unseen : half_width(c, like);
      const double error = std::fabs(std::log(target_of(data.rows[s.row], target)) - s.log_us);
      if (std::isnan(error)) continue;
      auto& [covered, n] = by_family[data.rows[s.row].family];
      covered += error <= half;
      ++n;
      if (std::isfinite(half)) {
        widths += half;
        ++count;
      }
    }
  }
  std::vector<GroupMetrics> groups;
  for (const auto& [family, c] : by_family) {
    GroupMetrics m;
    m.family = family;
    m.pairwise = c.first / c.second;
    groups.push_back(m);
  }
  out.coverage = summarise(std::move(groups), seed).pairwise;
  out.mean_half_width = count > 0 ? widths / count : kInfinite;
  return out;
}

double spread_of(std::span<const double> values) {
  double n = 0, sum = 0, squares = 0;
  for (double v : values) {
    if (std::isnan(v)) continue;
    ++n;
    sum += v;
    squares += v * v;
  }
  return n > 0 ? std::sqrt(std::max(0.0, squares / n - sum * sum / n / n)) : 0;
}

std::vector<JudgedPair> judged_pairs(const Dataset& data, std::span<const ScoredRow> rows,
                                     const Calibration& calibration, double least, size_t most,
                                     uint64_t seed) {
  std::vector<JudgedPair> out;
  std::vector<std::string> families;
  std::map<std::string, double> of_family;
  for (const auto& [key, members] : grouped(data, rows, true)) {
    std::vector<double> logs;
    std::vector<PairSide> sides;
    std::vector<ScoredVariant> variants;
    for (const ScoredRow* s : members) {
      const auto row = data.feature_row(s->row);
      const auto analytic = analytic_score(row);
      logs.push_back(s->log_score);
      sides.push_back({s->log_score, analytic ? std::log(analytic->us) : kUnknownValue,
                       half_width(calibration, s->likeness), s->likeness, row});
      variants.push_back(scored(data.rows[s->row], s->log_score));
    }
    const double spread = spread_of(logs);
    std::vector<std::pair<size_t, size_t>> pairs;
    for (size_t i = 0; i < members.size(); ++i)
      for (size_t j = i + 1; j < members.size(); ++j)
        if (told_apart(variants[i], variants[j], least) && std::isfinite(logs[i]) &&
            std::isfinite(logs[j]))
          pairs.push_back({i, j});
    measure::RandomDraws random(seed ^ hash_bytes(std::get<0>(key) + std::get<1>(key)).low);
    for (size_t i = 0; i + 1 < pairs.size() && i < most; ++i)
      std::swap(pairs[i], pairs[i + random.below(static_cast<uint32_t>(pairs.size() - i))]);
    pairs.resize(std::min(most, pairs.size()));
    for (const auto& [i, j] : pairs) {
      const bool right =
          (variants[i].score < variants[j].score) == (variants[i].time < variants[j].time);
      out.push_back({pair_inputs(sides[i], sides[j], spread), right, 1, members[i]->split});
      families.push_back(std::get<0>(key));
      ++of_family[std::get<0>(key)];
    }
  }
  for (size_t i = 0; i < out.size(); ++i) out[i].weight = 1 / of_family[families[i]];
  return out;
}

}  // namespace pitot::predict
