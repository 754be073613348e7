#include "predict/analytic.h"

#include <algorithm>
#include <cmath>

namespace pitot::predict {
namespace {

using analysis::Feature;

// Where several resources are nearly equally busy they hinder each other.
constexpr double kScoreNorm = 2;

// A row's values by column.
class ScoreInput {
 public:
  explicit ScoreInput(std::span<const double> row) : row_(row) {}
  template <class C>
  double operator[](C column) const {
    return row_[index_of(column)];
  }
  template <class C>
  double or_zero(C column) const {
    const double v = (*this)[column];
    return std::isnan(v) ? 0 : v;
  }
  template <class... C>
  bool has(C... columns) const {
    return (!std::isnan((*this)[columns]) && ...);
  }

 private:
  std::span<const double> row_;
};

AnalyticScore combined(std::vector<ScoreTerm> terms, double launch, double mhz) {
  AnalyticScore out;
  double sum = 0;
  for (const ScoreTerm& t : terms) sum += std::pow(t.cycles, kScoreNorm);
  out.us = (std::pow(sum, 1 / kScoreNorm) + launch) / mhz;
  std::erase_if(terms, [](const ScoreTerm& t) { return t.cycles <= 0; });
  std::stable_sort(terms.begin(), terms.end(),
                   [](const ScoreTerm& a, const ScoreTerm& b) { return a.cycles > b.cycles; });
  out.terms = std::move(terms);
  return out;
}

}  // namespace

std::optional<AnalyticScore> analytic_score(std::span<const double> row) {
  using enum Column;
  const ScoreInput in(row);
  if (!in.has(kEmuCyclesIssue, kGpuBoostMhz)) return static_score(row);
  constexpr std::pair<std::string_view, Column> kTerms[] = {
      {"issue", kEmuCyclesIssue},     {"fma", kEmuCyclesFma},
      {"alu", kEmuCyclesAlu},         {"half", kEmuCyclesHalf},
      {"fp64", kEmuCyclesFp64},       {"sfu", kEmuCyclesSfu},
      {"shuffle", kEmuCyclesShuffle}, {"tensor", kEmuCyclesTensor},
      {"barrier", kEmuCyclesBarrier}, {"lsu", kEmuCyclesLsu},
      {"l2", kEmuCyclesL2},           {"dram", kEmuCyclesDram},
      {"blocks", kEmuCyclesBlocks},   {"latency", kEmuCyclesLatency},
  };
  std::vector<ScoreTerm> terms;
  for (const auto& [resource, column] : kTerms) terms.push_back({resource, in.or_zero(column)});
  AnalyticScore out = combined(std::move(terms), in.or_zero(kGpuLaunchCycles), in[kGpuBoostMhz]);
  out.emulated = true;
  return out;
}

std::optional<AnalyticScore> static_score(std::span<const double> row) {
  using enum Column;
  const ScoreInput in(row);
  if (!in.has(Feature::kWeightedInstructions, kBlocksOfBusiest, kLaunchWarps, kGpuSubPartitions,
              kGpuBoostMhz))
    return std::nullopt;
  const double on_sm = in[kBlocksOfBusiest] * in[kLaunchWarps];  // warps of the busiest SM
  const double warps = in[kLaunchBlocks] * in[kLaunchWarps];
  std::vector<ScoreTerm> terms;
  terms.push_back({"issue", on_sm * in[Feature::kWeightedInstructions] / in[kGpuSubPartitions]});
  auto unit = [&](std::string_view name, Feature count, Column lanes, double scale = 1) {
    if (in.has(count, lanes) && in[lanes] > 0)
      terms.push_back({name, on_sm * in[count] * scale * 32 / in[lanes]});
  };
  unit("fma", Feature::kWeightedFp32Ops, kGpuFp32Lanes);
  unit("alu", Feature::kWeightedIntOps, kGpuInt32Lanes);
  unit("half", Feature::kWeightedHalfOps, kGpuFp16Lanes, 2);
  unit("fp64", Feature::kWeightedFp64Ops, kGpuFp64Lanes);
  unit("sfu", Feature::kWeightedSfuOps, kGpuSfuLanes);
  // Four sectors a wavefront, as when lanes read neighbouring words.
  if (in.has(Feature::kWeightedSharedPasses, Feature::kWeightedGlobalSectors))
    terms.push_back({"lsu", on_sm * (in[Feature::kWeightedSharedPasses] +
                                     in[Feature::kWeightedGlobalSectors] / 4)});
  if (in.has(Feature::kWeightedGlobalSectors, kGpuL2BytesPerClk))
    terms.push_back(
        {"l2", warps * in[Feature::kWeightedGlobalSectors] * 32 / in[kGpuL2BytesPerClk]});
  if (in.has(kGpuCyclesPerBlock))
    terms.push_back({"blocks", in[kLaunchBlocks] * in[kGpuCyclesPerBlock]});
  if (in.has(Feature::kCriticalPath, kWaves))
    terms.push_back({"latency", in[Feature::kCriticalPath] * std::ceil(in[kWaves] - 1e-9)});
  return combined(std::move(terms), in.or_zero(kGpuLaunchCycles), in[kGpuBoostMhz]);
}

}  // namespace pitot::predict
