// The occupancy rules, one resource a function, and the searches for the next better resource
// count.
#include "arch/occupancy.h"

#include <algorithm>

namespace pitot::arch {
namespace {

constexpr uint32_t kWarpSize = 32;
constexpr uint32_t kMaxBarriers = 16;

constexpr uint64_t round_up(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

struct RegisterUse {
  uint32_t per_block = 0;
  uint32_t blocks = 0;
};

// `partitions` is a parameter because GP100 is also held to the rule of the rest of its family.
RegisterUse register_limit(const Capability& c, uint32_t registers, uint32_t warps,
                           uint32_t partitions) {
  uint64_t per_warp = round_up(uint64_t{registers} * kWarpSize, *c.register_unit);
  RegisterUse use;
  use.per_block = static_cast<uint32_t>(std::min<uint64_t>(per_warp * warps, kUnlimited));
  if (per_warp == 0) {
    use.blocks = kUnlimited;
    return use;
  }
  // The launch check assumes that every partition takes the same number of warps.
  if (per_warp * round_up(warps, partitions) > *c.registers_per_block) return use;
  uint64_t warps_per_partition = *c.registers_per_sm / partitions / per_warp;
  use.blocks = static_cast<uint32_t>(warps_per_partition * partitions / warps);
  return use;
}

RegisterUse registers(const Capability& c, const LaunchResources& launch, uint32_t warps) {
  RegisterUse use = register_limit(c, launch.registers_per_thread, warps, *c.sub_partitions);
  // What no other Pascal chip can run does not run on GP100 (6.0) either.
  if (c.major == 6 && c.minor == 0 && use.blocks != 0 &&
      register_limit(c, launch.registers_per_thread, warps, 4).blocks == 0)
    use.blocks = 0;
  return use;
}

// The smallest size the shared part of the cache can take that holds `bytes`.
uint64_t shared_config(const Capability& c, uint64_t bytes) {
  for (uint32_t size : c.shared_configs)
    if (size >= bytes) return size;
  return *c.shared_per_sm;
}

struct SharedUse {
  uint64_t per_block = 0;
  uint32_t blocks = 0;
  uint64_t limit = 0;  // of static plus dynamic bytes
};

SharedUse shared(const Capability& c, const LaunchResources& launch) {
  SharedUse use;
  uint64_t wanted = uint64_t{launch.static_shared} + launch.dynamic_shared;
  uint64_t reserved = *c.shared_reserved_per_block;
  use.per_block = round_up(wanted + reserved, *c.shared_unit);
  bool raised = launch.shared_optin && wanted + reserved > *c.shared_per_block;
  use.limit = raised ? *c.shared_per_block_optin : *c.shared_per_block;
  if (use.per_block > use.limit + reserved) return use;
  if (use.per_block == 0) {
    use.blocks = kUnlimited;
    return use;
  }
  uint64_t available = *c.shared_per_sm;
  if (!c.shared_configs.empty() && launch.carveout_percent) {
    available = shared_config(c, available * std::min(100u, *launch.carveout_percent) / 100);
    // A preference too small for one block is overridden, just far enough for one to run.
    if (available < use.per_block) available = shared_config(c, use.per_block);
  }
  use.blocks = static_cast<uint32_t>(available / use.per_block);
  return use;
}

std::string count(uint64_t value, const char* what) { return std::to_string(value) + " " + what; }

Occupancy refused(Occupancy result, LaunchProblem problem, std::string message) {
  result.problem = problem;
  result.message = std::move(message);
  result.blocks = 0;
  result.warps = 0;
  result.occupancy = 0;
  return result;
}

}  // namespace

const char* to_string(LaunchProblem problem) {
  switch (problem) {
    case LaunchProblem::kNone:
      return "none";
    case LaunchProblem::kNoThreads:
      return "no-threads";
    case LaunchProblem::kThreadsPerBlock:
      return "threads-per-block";
    case LaunchProblem::kRegistersPerThread:
      return "registers-per-thread";
    case LaunchProblem::kRegistersPerBlock:
      return "registers-per-block";
    case LaunchProblem::kStaticShared:
      return "static-shared";
    case LaunchProblem::kSharedPerBlock:
      return "shared-per-block";
    case LaunchProblem::kBarriers:
      return "barriers";
    case LaunchProblem::kClusterUnsupported:
      return "cluster-unsupported";
    case LaunchProblem::kClusterSize:
      return "cluster-size";
  }
  return "none";
}

std::string limit_names(uint8_t limits) {
  static constexpr std::pair<Limit, const char*> kNames[] = {{kLimitWarps, "warps"},
                                                             {kLimitRegisters, "registers"},
                                                             {kLimitShared, "shared memory"},
                                                             {kLimitBlocks, "blocks"},
                                                             {kLimitBarriers, "barriers"}};
  std::string names;
  for (auto [bit, name] : kNames) {
    if ((limits & bit) == 0) continue;
    if (!names.empty()) names += ", ";
    names += name;
  }
  return names;
}

Occupancy occupancy(const Capability& c, const LaunchResources& launch) {
  Occupancy result;
  result.max_warps = c.warps_per_sm();
  if (launch.threads == 0)
    return refused(result, LaunchProblem::kNoThreads, "a block needs at least one thread");
  if (launch.threads > *c.threads_per_block)
    return refused(
        result, LaunchProblem::kThreadsPerBlock,
        count(launch.threads, "threads a block, limit ") + std::to_string(*c.threads_per_block));
  if (launch.registers_per_thread > *c.registers_per_thread)
    return refused(result, LaunchProblem::kRegistersPerThread,
                   count(launch.registers_per_thread, "registers a thread, limit ") +
                       std::to_string(*c.registers_per_thread));
  if (launch.barriers > kMaxBarriers)
    return refused(result, LaunchProblem::kBarriers,
                   count(launch.barriers, "barriers, limit ") + std::to_string(kMaxBarriers));
  if (launch.cluster_blocks > 1) {
    if (!c.cluster_portable)
      return refused(result, LaunchProblem::kClusterUnsupported,
                     "compute capability " + std::to_string(c.major) + "." +
                         std::to_string(c.minor) + " has no clusters");
    if (c.cluster_max && launch.cluster_blocks > *c.cluster_max)
      return refused(result, LaunchProblem::kClusterSize,
                     count(launch.cluster_blocks, "blocks a cluster, limit ") +
                         std::to_string(*c.cluster_max));
    if (launch.cluster_blocks > *c.cluster_portable) {
      result.note = count(launch.cluster_blocks, "blocks a cluster need the non-portable opt-in");
      if (!c.cluster_max) result.note += ", and how many this capability takes is not known";
    }
  }

  uint32_t warps = (launch.threads + kWarpSize - 1) / kWarpSize;
  RegisterUse register_use = registers(c, launch, warps);
  result.registers_per_block = register_use.per_block;
  if (register_use.blocks == 0)
    return refused(result, LaunchProblem::kRegistersPerBlock,
                   std::to_string(launch.registers_per_thread) + " registers x " +
                       std::to_string(launch.threads) + " threads need " +
                       std::to_string(register_use.per_block) + " registers a block, limit " +
                       std::to_string(*c.registers_per_block));
  if (launch.static_shared > *c.shared_per_block)
    return refused(result, LaunchProblem::kStaticShared,
                   count(launch.static_shared, "bytes of static shared memory, limit ") +
                       std::to_string(*c.shared_per_block));
  SharedUse shared_use = shared(c, launch);
  result.shared_per_block =
      static_cast<uint32_t>(std::min<uint64_t>(shared_use.per_block, kUnlimited));
  if (shared_use.blocks == 0)
    return refused(result, LaunchProblem::kSharedPerBlock,
                   count(uint64_t{launch.static_shared} + launch.dynamic_shared,
                         "bytes of shared memory a block, limit ") +
                       std::to_string(shared_use.limit) +
                       (launch.shared_optin ? "" : " without opt-in"));

  result.by_registers = register_use.blocks;
  result.by_shared = shared_use.blocks;
  result.by_warps = c.warps_per_sm() / warps;
  result.by_blocks = *c.blocks_per_sm;
  if (c.major >= 9 && launch.barriers > 0)
    result.by_barriers = *c.blocks_per_sm * *c.barriers_per_block_slot / launch.barriers;
  result.blocks = std::min({result.by_registers, result.by_shared, result.by_warps,
                            result.by_blocks, result.by_barriers});
  result.warps = result.blocks * warps;
  result.occupancy = static_cast<double>(result.warps) / result.max_warps;
  if (result.by_warps == result.blocks) result.limits |= kLimitWarps;
  if (result.by_registers == result.blocks) result.limits |= kLimitRegisters;
  if (result.by_shared == result.blocks) result.limits |= kLimitShared;
  if (result.by_blocks == result.blocks) result.limits |= kLimitBlocks;
  if (result.by_barriers == result.blocks) result.limits |= kLimitBarriers;
  return result;
}

std::optional<Step> fewer_registers(const Capability& c, const LaunchResources& launch) {
  uint32_t now = occupancy(c, launch).blocks;
  LaunchResources trial = launch;
  trial.registers_per_thread = std::min(launch.registers_per_thread, *c.registers_per_thread + 1);
  while (trial.registers_per_thread > 1) {
    --trial.registers_per_thread;
    Occupancy result = occupancy(c, trial);
    if (result.blocks > now) return Step{trial.registers_per_thread, std::move(result)};
  }
  return std::nullopt;
}

std::optional<uint32_t> free_registers(const Capability& c, const LaunchResources& launch) {
  Occupancy now = occupancy(c, launch);
  if (!now.runs()) return std::nullopt;
  LaunchResources trial = launch;
  uint32_t best = launch.registers_per_thread;
  for (uint32_t r = best + 1; r <= *c.registers_per_thread; ++r) {
    trial.registers_per_thread = r;
    if (occupancy(c, trial).blocks < now.blocks) break;
    best = r;
  }
  return best;
}

std::optional<Step> less_shared(const Capability& c, const LaunchResources& launch) {
  uint32_t now = occupancy(c, launch).blocks;
  uint64_t wanted = uint64_t{launch.static_shared} + launch.dynamic_shared;
  LaunchResources trial = launch;
  trial.static_shared = 0;
  // From the largest amount below the present one that ends on an allocation unit, downwards.
  uint64_t reserved = *c.shared_reserved_per_block;
  uint64_t units = std::min<uint64_t>(wanted + reserved, *c.shared_per_sm + *c.shared_unit);
  units = (units + *c.shared_unit - 1) / *c.shared_unit;
  while (units > 1) {
    --units;
    uint64_t bytes = units * *c.shared_unit;
    if (bytes < reserved) break;
    trial.dynamic_shared = static_cast<uint32_t>(bytes - reserved);
    Occupancy result = occupancy(c, trial);
    if (result.blocks > now) return Step{trial.dynamic_shared, std::move(result)};
  }
  return std::nullopt;
}

std::optional<Waves> waves(const Gpu& gpu, const Occupancy& occupancy, uint64_t grid_blocks) {
  if (!gpu.sms || !occupancy.runs() || grid_blocks == 0) return std::nullopt;
  Waves result;
  result.blocks_per_wave = uint64_t{*gpu.sms} * occupancy.blocks;
  result.full = grid_blocks / result.blocks_per_wave;
  uint64_t rest = grid_blocks % result.blocks_per_wave;
  result.last = static_cast<double>(rest) / static_cast<double>(result.blocks_per_wave);
  uint64_t begun = result.full + (rest != 0 ? 1 : 0);
  result.efficiency = static_cast<double>(grid_blocks) /
                      (static_cast<double>(begun) * static_cast<double>(result.blocks_per_wave));
  return result;
}

}  // namespace pitot::arch
