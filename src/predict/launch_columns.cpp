#include "predict/launch_columns.h"

#include <algorithm>
#include <cmath>

#include "arch/occupancy.h"

namespace pitot::predict {

void set_launch_columns(const LaunchFacts& l, const arch::Gpu& gpu, FeatureRow& row) {
  using enum Column;
  constexpr Column kGrid[] = {kGridX, kGridY, kGridZ}, kBlock[] = {kBlockX, kBlockY, kBlockZ};
  for (size_t i = 0; i < 3; ++i) {
    row.set(kGrid[i], l.grid[i]);
    row.set(kBlock[i], l.block[i]);
  }
  const auto blocks = static_cast<double>(emulator::volume_of(l.grid));
  const auto threads = static_cast<double>(emulator::volume_of(l.block));
  row.set(kClusterBlocks, static_cast<double>(emulator::volume_of(l.cluster)));
  row.set(kLaunchDynamicShared, l.dynamic_shared);
  row.set(kLaunchShared, static_cast<double>(l.shared));
  row.set(kLaunchBlocks, blocks);
  row.set(kLaunchThreads, threads);
  row.set(kLaunchWarps, std::ceil(threads / 32));
  row.set(kLaunchAllThreads, blocks * threads);
  if (l.registers != 0) {
    row.set(kLaunchRegisters, l.registers);
    row.set(kSpillBytes, l.spill_bytes);
  }
  if (gpu.sms) {
    const double busiest = std::ceil(blocks / *gpu.sms);
    row.set(kBlocksOfBusiest, busiest);
    row.set(kSmBalance, blocks / *gpu.sms / busiest);
  }
  arch::LaunchResources needs;
  needs.threads = static_cast<uint32_t>(std::min<double>(threads, UINT32_MAX));
  needs.registers_per_thread = l.registers;
  needs.dynamic_shared = static_cast<uint32_t>(std::min<uint64_t>(l.shared, UINT32_MAX));
  needs.cluster_blocks = static_cast<uint32_t>(emulator::volume_of(l.cluster));
  const arch::Occupancy o = arch::occupancy(gpu, needs);
  row.set(kRuns, o.runs() ? 1 : 0);
  if (!o.runs()) {
    row.notes.push_back(std::string(gpu.name) + " cannot run this launch: " + o.message);
    return;
  }
  row.set(kBlocksPerSm, o.blocks);
  row.set(kWarpsPerSm, o.warps);
  row.set(kOccupancy, o.occupancy);
  row.set(kLimitedByWarps, (o.limits & arch::kLimitWarps) != 0);
  row.set(kLimitedByRegisters, (o.limits & arch::kLimitRegisters) != 0);
  row.set(kLimitedByShared, (o.limits & arch::kLimitShared) != 0);
  row.set(kLimitedByBlocks, (o.limits & arch::kLimitBlocks) != 0);
  if (gpu.sms && o.blocks > 0) {
    const double waves = blocks / (static_cast<double>(*gpu.sms) * o.blocks);
    row.set(kWaves, waves);
    row.set(kWaveEfficiency, waves / std::ceil(waves - 1e-9));
  }
}

void set_gpu_columns(const arch::Gpu& gpu, FeatureRow& row) {
  using enum Column;
  auto put = [&](Column column, const auto& figure) {
    if (figure) row.set(column, static_cast<double>(*figure));
  };
  const arch::Capability& c = *gpu.capability;
  row.set(kGpuSm, c.sm());
  put(kGpuSms, gpu.sms);
  put(kGpuBoostMhz, gpu.boost_mhz);
  put(kGpuDramGbPerS, gpu.dram_gb_per_s);
  put(kGpuL2Bytes, gpu.l2_bytes);
  put(kGpuL2BytesPerClk, gpu.l2_bytes_per_clk);
  put(kGpuL1Bytes, c.l1_bytes);
  put(kGpuSharedPerSm, c.shared_per_sm);
  put(kGpuRegistersPerSm, c.registers_per_sm);
  put(kGpuThreadsPerSm, c.threads_per_sm);
  put(kGpuSubPartitions, c.sub_partitions);
  put(kGpuFp32Lanes, c.fp32_lanes);
  put(kGpuInt32Lanes, c.int32_lanes);
  put(kGpuInt32MulLanes, c.int32_mul_lanes);
  put(kGpuFp16Lanes, c.fp16_lanes);
  put(kGpuFp64Lanes, c.fp64_lanes);
  put(kGpuSfuLanes, c.sfu_lanes);
  put(kGpuTensorLanes, c.tensor_fp16_lanes);
  put(kGpuLatencyDram, c.latency_dram);
  put(kGpuLatencyL2, c.latency_l2);
  put(kGpuLaunchCycles, gpu.launch_cycles);
  put(kGpuCyclesPerBlock, gpu.cycles_per_block);
}

void set_ptxas_columns(const toolchain::PtxasFunction& said, uint64_t code_bytes, FeatureRow& row) {
  using enum Column;
  if (said.registers) row.set(kPtxasRegisters, static_cast<double>(*said.registers));
  // What ptxas leaves out of an entry is 0.
  row.set(kPtxasSpillStores, static_cast<double>(said.spill_stores.value_or(0)));
  row.set(kPtxasSpillLoads, static_cast<double>(said.spill_loads.value_or(0)));
  row.set(kPtxasStack, static_cast<double>(said.stack_frame.value_or(0)));
  row.set(kPtxasShared, static_cast<double>(said.shared.value_or(0)));
  row.set(kPtxasBarriers, static_cast<double>(said.barriers.value_or(0)));
  if (code_bytes != 0) row.set(kPtxasCodeBytes, static_cast<double>(code_bytes));
}

}  // namespace pitot::predict
