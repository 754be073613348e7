// The GPU table: what each compute capability's SM has and may hold, and what each chip as sold
// has. The data is isa/gpus, compiled in; every figure knows its source, unknown figures are
// absent.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "support/result.h"

namespace pitot::arch {

// A figure of the table with where it comes from; source 0: not known, value meaningless.
template <class T>
struct Figure {
  T value{};
  uint16_t source = 0;
  constexpr bool known() const { return source != 0; }
  constexpr explicit operator bool() const { return known(); }
  constexpr T operator*() const { return value; }
  constexpr T value_or(T other) const { return known() ? value : other; }
};

// The document a figure comes from; empty for an unknown figure.
std::string_view source_title(uint16_t source);

// What one SM of a compute capability has and may hold. The first group is always known.
struct Capability {
  uint8_t major = 0;
  uint8_t minor = 0;
  std::span<const uint32_t>
      shared_configs{};  // bytes the shared part of L1 can take; empty before 7.0

  Figure<uint32_t> threads_per_block{};
  Figure<uint32_t> threads_per_sm{};
  Figure<uint32_t> blocks_per_sm{};
  Figure<uint32_t> registers_per_sm{};  // 32-bit registers, here and below
  Figure<uint32_t> registers_per_block{};
  Figure<uint32_t> registers_per_thread{};
  Figure<uint32_t> register_unit{};           // a warp gets a multiple of this many
  Figure<uint32_t> sub_partitions{};          // each owns an equal part of the registers
  Figure<uint32_t> shared_per_sm{};           // bytes, here and below
  Figure<uint32_t> shared_per_block{};        // without opt-in; the limit of static shared memory
  Figure<uint32_t> shared_per_block_optin{};  // dynamic, after cuFuncSetAttribute
  Figure<uint32_t> shared_reserved_per_block{};  // taken by the driver from each block's share
  Figure<uint32_t> shared_unit{};                // allocation granularity
  Figure<uint32_t> barriers_per_block_slot{};    // an SM has this × blocks_per_sm barriers

  Figure<uint32_t> l1_bytes{};          // unified L1 and shared memory
  Figure<uint32_t> cluster_portable{};  // blocks in a cluster any GPU of the capability takes
  Figure<uint32_t> cluster_max{};       // with the non-portable opt-in
  // Results per clock per SM; a fused multiply-add is one result.
  Figure<uint32_t> fp16_lanes{};
  Figure<uint32_t> fp32_lanes{};
  Figure<uint32_t> fp64_lanes{};
  Figure<uint32_t> int32_lanes{};
  Figure<uint32_t> sfu_lanes{};
  Figure<uint32_t> lsu_lanes{};
  Figure<uint32_t> tensor_cores{};
  Figure<uint32_t> tensor_fp16_lanes{};  // dense FP16 multiply-adds
  Figure<uint32_t> int32_mul_lanes{};    // 32-bit integer multiply-adds
  Figure<uint32_t> shuffle_lanes{};      // values exchanged between lanes
  Figure<uint32_t> barrier_lanes{};      // threads that arrive at a barrier of the block

  // Cycles from a load to the use of what it brings, from each place, when nothing else is going
  // on.
  Figure<uint32_t> latency_shared{};
  Figure<uint32_t> latency_l1{};
  Figure<uint32_t> latency_l2{};
  Figure<uint32_t> latency_dram{};

  constexpr uint32_t warps_per_sm() const { return *threads_per_sm / 32; }
  constexpr unsigned sm() const { return major * 10u + minor; }  // 86 for 8.6
};

// A chip as sold.
struct Gpu {
  std::string_view name;
  std::span<const std::string_view> aliases{};
  std::string_view chip;  // "GA102"; empty if not known
  std::string_view architecture;
  const Capability* capability = nullptr;  // never null in the table
  Figure<uint32_t> sms{};
  Figure<uint32_t> boost_mhz{};
  Figure<uint32_t> memory_mhz{};   // as the driver reports it
  Figure<uint64_t> dram_bytes{};   // nominal: what is sold as 80 GB is 80 GiB here
  Figure<double> dram_gb_per_s{};  // 10^9 bytes a second
  Figure<uint64_t> l2_bytes{};
  Figure<uint32_t> l2_bytes_per_clk{};  // what L2 gives all SMs together, a cycle of their clock
  Figure<uint32_t> launch_cycles{};     // a kernel that does nothing, one block
  Figure<double> cycles_per_block{};    // between starts of blocks, all SMs together
};

std::span<const Gpu> gpus();                 // in order of compute capability
std::span<const Capability> capabilities();  // ascending

// The row of capability 8.6 for sm = 86; null if the table has none. Suffixes (sm_90a) do not
// matter.
const Capability* find_capability(unsigned sm);

// A chip by name, alias or "sm_86" (then the first chip of the capability). Case, blanks, '-', '_'
// and the words NVIDIA, GeForce, Tesla are ignored. The error names the nearest chip.
Result<const Gpu*> find_gpu(std::string_view name);

}  // namespace pitot::arch
