#include "predict/analytic.h"

#include <algorithm>
#include <cmath>

namespace pitot::predict {
namespace {

using analysis::Feature;

// Where several resources are nearly equally busy they hinder each other, the more the fewer warps
// there are to keep them busy at the same time: one warp alone loads, computes and stores in turn.
// Blocks that start one after the other hinder nobody: they start while others work.
constexpr double kNormWarps = 32, kNormRoot = 0.25, kNormUnknown = 2, kStartNorm = 8;

// What of a peak is reached, and by how much waiting takes longer when others wait too. Chosen on
// the families of data/h200/variants that are not held out; docs/predict-features.md says what each
// changes.
constexpr double kReachedDram = 0.88, kReachedL2 = 1 / 1.3, kReachedLsu = 1 / 1.3;
constexpr double kLatencyUnderLoad = 1.3;

// Local loads and stores that a warp instruction brings along where a share of the values that are
// wanted at once has no register: few where ptxas can choose what is needed late, up to one for
// each operand and result where most are spilled. docs/predict-features.md says what it was chosen
// on.
constexpr double kSpillAccesses = 8, kSpillPower = 5;

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

// Of one warp instruction; 0 where nothing spills or that is not known.
double spill_accesses(const ScoreInput& in) {
  const double registers = in.or_zero(Column::kLaunchRegisters);
  const double spilled = in.or_zero(Column::kSpillBytes) / 4;
  if (!(registers > 0 && spilled > 0)) return 0;
  return kSpillAccesses * std::pow(spilled / (registers + spilled), kSpillPower);
}

double norm_of(double warps_of_sm) {
  if (!(warps_of_sm > 0)) return kNormUnknown;
  return 1 + std::pow(warps_of_sm / kNormWarps, kNormRoot);
}

AnalyticScore combined(std::vector<ScoreTerm> terms, double launch, double mhz, double norm) {
  AnalyticScore out;
  double sum = 0, starts = 0;
  for (const ScoreTerm& t : terms)
    if (t.resource == "blocks")
      starts += t.cycles;
    else
      sum += std::pow(t.cycles, norm);
  const double work = std::pow(sum, 1 / norm);
  const double cycles =
      std::pow(std::pow(work, kStartNorm) + std::pow(starts, kStartNorm), 1 / kStartNorm);
  out.us = (cycles + launch) / mhz;
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
  struct Term {
    std::string_view resource;
    Column column;
    double times = 1;
  };
  constexpr Term kTerms[] = {
      {"issue", kEmuCyclesIssue},
      {"fma", kEmuCyclesFma},
      {"alu", kEmuCyclesAlu},
      {"half", kEmuCyclesHalf},
      {"fp64", kEmuCyclesFp64},
      {"sfu", kEmuCyclesSfu},
      {"shuffle", kEmuCyclesShuffle},
      {"tensor", kEmuCyclesTensor},
      {"barrier", kEmuCyclesBarrier},
      {"lsu", kEmuCyclesLsu, 1 / kReachedLsu},
      {"l2", kEmuCyclesL2, 1 / kReachedL2},
      {"dram", kEmuCyclesDram, 1 / kReachedDram},
      {"atomics", kEmuCyclesAtomics},
      {"blocks", kEmuCyclesBlocks},
      {"latency", kEmuCyclesLatency, kLatencyUnderLoad},
  };
  std::vector<ScoreTerm> terms;
  for (const Term& t : kTerms) terms.push_back({t.resource, in.or_zero(t.column) * t.times});
  // Each is issued, and takes its turn of the SM's one load-store pipeline.
  if (const double more = spill_accesses(in) * in[kEmuCyclesIssue]; more > 0) {
    terms.push_back({"spills", more * (1 + in.or_zero(kGpuSubPartitions) / kReachedLsu)});
  }
  AnalyticScore out = combined(std::move(terms), in.or_zero(kGpuLaunchCycles), in[kGpuBoostMhz],
                               norm_of(in[kWarpsPerSm]));
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
  return combined(std::move(terms), in.or_zero(kGpuLaunchCycles), in[kGpuBoostMhz],
                  norm_of(in[kWarpsPerSm]));
}

}  // namespace pitot::predict
