// The feature row: counts per instruction, resources, structure, and what the address analyses
// know.
#include "analysis/features.h"

#include <algorithm>
#include <limits>

#include "analysis/access.h"
#include "analysis/critical_path.h"
#include "analysis/depgraph.h"
#include "analysis/feature_counts.h"
#include "analysis/flow_facts.h"
#include "analysis/pressure.h"
#include "analysis/resources.h"
#include "analysis/trip_counts.h"

namespace pitot::analysis {
namespace {

constexpr FeatureInfo kTable[] = {
#define PITOT_FEATURE(id, name, unit, doc) {name, unit, doc},
#include "analysis/feature_list.inc"
#undef PITOT_FEATURE
};
static_assert(std::size(kTable) == kFeatureCount);

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
// The columns that rest on control flow and values.
constexpr Feature kFromFlow[] = {Feature::kRegisterPressure,
                                 Feature::kPredicatePressure,
                                 Feature::kMeanPressure,
                                 Feature::kEdges,
                                 Feature::kBlocks,
                                 Feature::kLoops,
                                 Feature::kLoopDepth,
                                 Feature::kKnownTrips,
                                 Feature::kCriticalPath,
                                 Feature::kIlp,
                                 Feature::kUniformGlobal,
                                 Feature::kGlobalKnown,
                                 Feature::kGlobalSectors,
                                 Feature::kCoalescing,
                                 Feature::kSharedKnown,
                                 Feature::kBankConflicts,
                                 Feature::kWeightedGlobalSectors,
                                 Feature::kWeightedSharedPasses};

void set_ratios(FeatureRow& row) {
  double total = std::max(at(row, Feature::kTotalInstructions), 1.0);
  double memory = at(row, Feature::kMemoryOps);
  at(row, Feature::kArithmeticIntensity) =
      (at(row, Feature::kTotalInstructions) - memory) / std::max(memory, 1.0);
  at(row, Feature::kBranchDensity) = at(row, Feature::kBranches) / total;
  at(row, Feature::kPredicateRatio) = at(row, Feature::kPredicated) / total;
}

void set_resources(const ptx::Module& m, const ptx::Function& f, FeatureRow& row) {
  uint64_t declared = 0;
  for (const auto& d : f.register_declarations) declared += d.registers();
  at(row, Feature::kDeclaredRegisters) = static_cast<double>(declared);
  at(row, Feature::kUsedRegisters) = static_cast<double>(f.registers.size());
  MemoryUse use = memory_use(m, f);
  at(row, Feature::kStaticShared) = static_cast<double>(use.static_shared);
  at(row, Feature::kDynamicShared) = use.dynamic_shared ? 1 : 0;
  at(row, Feature::kLocalBytes) = static_cast<double>(use.local);
  at(row, Feature::kParamBytes) = static_cast<double>(use.parameters);
  at(row, Feature::kMaxThreads) = static_cast<double>(f.bounds.threads().value_or(0));
  at(row, Feature::kMaxNreg) = f.bounds.maxnreg.value_or(0);
  at(row, Feature::kMinBlocks) = f.bounds.minnctapersm.value_or(0);
}

// `weights`: by instruction.
void set_addresses(const AccessTable& table, std::span<const double> weights, FeatureRow& row) {
  double global = 0, known = 0, sectors = 0, useful = 0, uniform = 0;
  double shared = 0, shared_known = 0, extra = 0;
  for (const MemoryRequest& a : table.accesses) {
    ptx::Space space = ptx::base_space(a.resolved != ptx::Space::kNone ? a.resolved : a.space);
    const double weight = weights[a.instruction];
    if (space == ptx::Space::kGlobal || space == ptx::Space::kNone) {
      ++global;
      at(row, Feature::kWeightedGlobalSectors) +=
          weight * (a.sectors > 0 ? double{a.sectors} : kUnknownSectors);
      if (a.pattern == LanePattern::kUnknown) continue;
      if (a.pattern == LanePattern::kUniform) ++uniform;
      if (a.sectors <= 0) continue;
      ++known;
      sectors += a.sectors;
      useful += a.useful_bytes;
    } else if (space == ptx::Space::kShared) {
      ++shared;
      at(row, Feature::kWeightedSharedPasses) +=
          weight * (a.wavefronts > 0 ? double{a.wavefronts} : std::max(1.0, a.bytes / 4.0));
      if (a.wavefronts <= 0) continue;
      ++shared_known;
      extra += a.wavefronts - a.ideal_wavefronts;
    }
  }
  at(row, Feature::kUniformGlobal) = uniform;
  if (global > 0) at(row, Feature::kGlobalKnown) = known / global;
  if (known > 0) at(row, Feature::kGlobalSectors) = sectors / known;
  if (sectors > 0) at(row, Feature::kCoalescing) = useful / (sectors * kSectorBytes);
  if (shared > 0) at(row, Feature::kSharedKnown) = shared_known / shared;
  if (shared_known > 0) at(row, Feature::kBankConflicts) = extra / shared_known;
}

}  // namespace

std::span<const FeatureInfo> feature_table() { return kTable; }

struct FeatureExtractor::Scratch {
  Workspace workspace;
  FlowFacts flow;
  Uniformity uniformity;
  AffineForms forms;
  AccessTable table;
  Pressure pressure;
  DepGraph dependences;
  CriticalPath critical;
};

FeatureExtractor::FeatureExtractor(FeatureOptions options)
    : options_(options), scratch_(std::make_unique<Scratch>()) {}
FeatureExtractor::~FeatureExtractor() = default;
FeatureExtractor::FeatureExtractor(FeatureExtractor&&) noexcept = default;

FeatureRow FeatureExtractor::extract(const ptx::Module& m, const ptx::Function& f,
                                     const KnownValues& known) {
  FeatureRow row{};
  Scratch& s = *scratch_;
  s.flow.build(m, f, s.workspace);
  auto body = m.body(f);
  if (s.flow.too_complex) {
    for (const ptx::Instruction& i : body) count_instruction(m, i, kNotKnown, row);
    set_ratios(row);
    set_resources(m, f, row);
    for (Feature unknown : kFromFlow) at(row, unknown) = kNotKnown;
    s = {};
    return row;
  }
  std::vector<TripCount> trips = trip_counts(s.flow, known);
  const std::vector<double> of_block = block_weights(s.flow, trips, options_.default_trips);
  std::vector<double> weights(body.size());
  for (uint32_t i = 0; i < body.size(); ++i)
    count_instruction(m, body[i], weights[i] = of_block[s.flow.cfg.block_of[i]], row);
  set_ratios(row);
  set_resources(m, f, row);

  // What a long function needs for one part of the row is given back before the next part.
  const bool is_long = s.flow.is_long();
  s.pressure.build(s.flow, s.workspace);
  at(row, Feature::kRegisterPressure) = s.pressure.max;
  at(row, Feature::kPredicatePressure) = s.pressure.max_predicates;
  at(row, Feature::kMeanPressure) = s.pressure.mean;
  if (is_long) {
    s.pressure = {};
    s.workspace.release();
  }

  for (BlockId b : s.flow.cfg.order)
    at(row, Feature::kEdges) += static_cast<double>(s.flow.cfg.successors(b).size());
  at(row, Feature::kBlocks) = static_cast<double>(s.flow.cfg.order.size());
  at(row, Feature::kLoops) = static_cast<double>(trips.size());
  for (LoopId l = 0; l < trips.size(); ++l) {
    at(row, Feature::kLoopDepth) =
        std::max<double>(at(row, Feature::kLoopDepth), s.flow.loops.loops[l].depth);
    if (trips[l].trips) at(row, Feature::kKnownTrips) += 1;
  }

  s.dependences.build(s.flow, s.workspace, Wanted::kTrue);
  std::vector<double> expected(trips.size());
  for (LoopId l = 0; l < trips.size(); ++l)
    expected[l] = trips[l].trips
                      ? static_cast<double>(std::min<uint64_t>(*trips[l].trips, uint64_t{1} << 40))
                      : options_.default_trips;
  if (is_long) {
    std::vector<TripCount>().swap(trips);
    s.workspace.release();
    s.flow.forget_registers();
  }
  s.critical.build(s.flow, s.dependences, expected);
  at(row, Feature::kCriticalPath) = s.critical.function.cycles;
  at(row, Feature::kIlp) = s.critical.ilp();

  std::optional<BlockShape> shape = block_shape_of(f, known.block);
  if (!shape) shape = BlockShape{options_.default_block, false};
  if (is_long) {
    s.dependences = {};
    s.critical = {};
  }
  s.uniformity.build(s.flow, shape, s.workspace);
  if (is_long) {
    s.flow.forget_trees();
    s.workspace.release();
  }
  s.forms.build(s.flow, s.uniformity);
  s.table.build(s.flow, s.uniformity, s.forms, shape);
  set_addresses(s.table, weights, row);
  if (is_long) s = {};
  return row;
}

}  // namespace pitot::analysis
