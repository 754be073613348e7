#include "predict/emulated_columns.h"

#include <algorithm>

namespace pitot::predict {
namespace {

struct NamedColumn {
  std::string_view name;
  Column column;
};

constexpr NamedColumn kUnitColumns[] = {
    {"fma", Column::kEmuUnitFma},         {"imad", Column::kEmuUnitImad},
    {"alu", Column::kEmuUnitAlu},         {"half", Column::kEmuUnitHalf},
    {"fp64", Column::kEmuUnitFp64},       {"sfu", Column::kEmuUnitSfu},
    {"shuffle", Column::kEmuUnitShuffle}, {"tensor", Column::kEmuUnitTensor},
    {"barrier", Column::kEmuUnitBarrier},
};

constexpr NamedColumn kBoundColumns[] = {
    {"issue", Column::kEmuCyclesIssue},     {"fma", Column::kEmuCyclesFma},
    {"alu", Column::kEmuCyclesAlu},         {"half", Column::kEmuCyclesHalf},
    {"fp64", Column::kEmuCyclesFp64},       {"sfu", Column::kEmuCyclesSfu},
    {"shuffle", Column::kEmuCyclesShuffle}, {"tensor", Column::kEmuCyclesTensor},
    {"barrier", Column::kEmuCyclesBarrier}, {"lsu", Column::kEmuCyclesLsu},
    {"l2", Column::kEmuCyclesL2},           {"dram", Column::kEmuCyclesDram},
    {"blocks", Column::kEmuCyclesBlocks},   {"latency", Column::kEmuCyclesLatency},
    {"atomics", Column::kEmuCyclesAtomics},
};

}  // namespace

void set_emulated_columns(const profile::ProfileResult& p, bool inferred, FeatureRow& row) {
  using enum Column;
  if (!p.ok()) return;
  const profile::ProfileCounts& t = p.totals;
  row.set(kEmuSampled, static_cast<double>(p.sampled_blocks));
  row.set(kEmuInferred, inferred ? 1 : 0);
  row.set(kEmuWarpInstructions, t.warp_instructions);
  row.set(kEmuThreadInstructions, t.thread_instructions);
  row.set(kEmuMachineInstructions, t.machine_instructions);
  row.set(kEmuActiveLanes, t.active_lanes());
  row.set(kEmuPredicatedOff, t.lane_slots > 0 ? 1 - t.thread_instructions / t.lane_slots : 0);
  row.set(kEmuBranchesTaken, t.branches_taken);
  row.set(kEmuDivergentBranches, t.divergent_branches);
  row.set(kEmuGlobalRequests, t.global_requests);
  row.set(kEmuGlobalSectors, t.global_sectors);
  row.set(kEmuGlobalBytes, t.global_bytes);
  row.set(kEmuSectorsPerRequest, t.sectors_per_request());
  row.set(kEmuLocalRequests, t.local_requests);
  row.set(kEmuLocalSectors, t.local_sectors);
  row.set(kEmuBulkSectors, t.bulk_sectors);
  row.set(kEmuSharedRequests, t.shared_requests);
  row.set(kEmuSharedPasses, t.shared_passes);
  row.set(kEmuBankConflicts, t.bank_conflicts());
  row.set(kEmuAtomicRequests, t.atomic_requests);
  row.set(kEmuAtomicConflicts, t.atomic_conflicts);
  row.set(kEmuConstantRequests, t.constant_requests);
  row.set(kEmuConstantWords, t.constant_words);
  row.set(kEmuWavefronts, t.wavefronts);
  row.set(kEmuL1Sectors, t.l1_sectors);
  row.set(kEmuL1Hits, t.l1_hits);
  row.set(kEmuL1HitRate, t.l1_hit_rate());
  row.set(kEmuL2Reads, t.l2_reads);
  row.set(kEmuL2Writes, t.l2_writes);
  row.set(kEmuL2Atomics, t.l2_atomics);
  row.set(kEmuL2HitRate, t.l2_hit_rate());
  row.set(kEmuDramReads, t.dram_reads);
  row.set(kEmuDramWrites, t.dram_writes);
  row.set(kEmuFootprint, static_cast<double>(p.footprint_bytes));
  row.set(kEmuWarm, p.warm ? 1 : 0);
  row.set(kEmuAtomicSectors, p.atomic_sectors);
  row.set(kEmuWaitCycles, t.wait_cycles);
  for (const NamedColumn& u : kUnitColumns)
    for (const auto& [name, work] : p.units)
      if (name == u.name) row.set(u.column, work);
  for (const NamedColumn& b : kBoundColumns) {
    row.set(b.column, 0);
    for (const profile::ProfileBound& bound : p.bounds)
      if (bound.resource == b.name)
        row.set(b.column, bound.cycles.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  if (p.block_cycles) row.set(kEmuBlockCycles, *p.block_cycles);
  row.set(kEmuCycles, p.cycles);
  if (p.estimate) row.set(kEmuEstimate, *p.estimate);
}

}  // namespace pitot::predict
