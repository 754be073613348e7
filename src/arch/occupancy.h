// Occupancy: how many blocks of a launch one SM holds, what limits that, and what would lift it.
//
// The rules are those of cuda_occupancy.h (CUDA 13.0), which tests compare with over a grid of
// inputs: registers are given to warps in units, each sub-partition owning its part of the file;
// shared memory is given in units plus what the driver reserves; blocks, warps and barriers are
// counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arch/gpu.h"

namespace pitot::arch {

struct LaunchResources {
  uint32_t threads = 0;               // per block
  uint32_t registers_per_thread = 0;  // as ptxas reports; 0: a kernel that uses none
  uint32_t static_shared = 0;         // bytes
  uint32_t dynamic_shared = 0;        // bytes
  uint32_t barriers = 0;              // named barriers the kernel uses, as ptxas reports
  uint32_t cluster_blocks = 1;        // blocks of a cluster
  bool shared_optin = true;           // the kernel raised its dynamic limit (cuFuncSetAttribute)
  // Preferred shared part of the unified cache in percent, 0…100; none: the driver's default, all
  // of it.
  std::optional<uint32_t> carveout_percent{};
};

// Why a launch cannot run at all.
enum class LaunchProblem : uint8_t {
  kNone,
  kNoThreads,
  kThreadsPerBlock,
  kRegistersPerThread,
  kRegistersPerBlock,  // registers × threads, rounded as the hardware rounds
  kStaticShared,       // over the static limit, which no opt-in raises
  kSharedPerBlock,
  kBarriers,  // over 16, PTX ISA "bar"
  kClusterUnsupported,
  kClusterSize,
};
const char* to_string(LaunchProblem problem);  // "registers-per-block"

enum Limit : uint8_t {
  kLimitWarps = 1,
  kLimitRegisters = 2,
  kLimitShared = 4,
  kLimitBlocks = 8,
  kLimitBarriers = 16,
};

constexpr uint32_t kUnlimited = 0xffffffff;

struct Occupancy {
  LaunchProblem problem = LaunchProblem::kNone;
  std::string message;  // empty if the launch runs
  std::string note;     // what must hold besides for it to run; empty if nothing

  uint32_t blocks = 0;  // resident per SM
  uint32_t warps = 0;   // resident per SM
  uint32_t max_warps = 0;
  double occupancy = 0;  // warps / max_warps; 0 only with a problem

  uint8_t limits = 0;  // Limit bits, each of which allows no more than `blocks`
  // Blocks per SM that each resource allows on its own; kUnlimited if none of it is used.
  uint32_t by_warps = 0, by_registers = 0, by_shared = 0, by_blocks = 0, by_barriers = kUnlimited;
  uint32_t registers_per_block = 0;  // as allocated
  uint32_t shared_per_block = 0;     // bytes as allocated, the driver's share included

  bool runs() const { return problem == LaunchProblem::kNone; }
};

Occupancy occupancy(const Capability& capability, const LaunchResources& launch);
inline Occupancy occupancy(const Gpu& gpu, const LaunchResources& launch) {
  return occupancy(*gpu.capability, launch);
}

// A change of one resource and the occupancy it brings.
struct Step {
  uint32_t value = 0;
  Occupancy result;
};

// The largest smaller register count with more resident blocks (or with which the launch runs at
// all).
std::optional<Step> fewer_registers(const Capability& capability, const LaunchResources& launch);
// The largest register count that keeps the resident blocks: what the kernel may use for nothing.
// None if the launch does not run.
std::optional<uint32_t> free_registers(const Capability& capability, const LaunchResources& launch);
// The largest smaller amount of dynamic plus static shared memory with more resident blocks.
std::optional<Step> less_shared(const Capability& capability, const LaunchResources& launch);

// Names of the limits that are set: "registers", "registers, shared memory".
std::string limit_names(uint8_t limits);

// How evenly a grid fills the GPU: blocks per wave and the number of waves, fraction of the last
// one.
struct Waves {
  uint64_t blocks_per_wave = 0;
  uint64_t full = 0;      // complete waves
  double last = 0;        // filling of the incomplete last wave, 0 if there is none
  double efficiency = 0;  // work done / capacity of the waves begun, 0…1
};
// None if the chip's SM count is unknown or the launch does not run.
std::optional<Waves> waves(const Gpu& gpu, const Occupancy& occupancy, uint64_t grid_blocks);

}  // namespace pitot::arch
