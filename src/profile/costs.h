// What operations cost: machine instructions by pipe, the cycles until a result is there, and how
// fast each pipe of a compute capability is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "arch/gpu.h"
#include "ptx/isa.h"

namespace pitot::profile {

// Units of an SM that instructions queue for.
enum class Unit : uint8_t {
  kFma,      // FP32 add, multiply, multiply-add
  kImad,     // integer multiply-add: part of the FMA unit
  kAlu,      // integer, logic, comparison, selection, packing
  kHalf,     // FP16 and BF16, two a lane
  kFp64,     //
  kSfu,      // special functions, bit counts, most conversions
  kShuffle,  // exchange between lanes
  kTensor,   // dense FP16 multiply-adds of the tensor cores
  kBarrier,  // barriers of a block
  kCount,
};
inline constexpr size_t kUnits = static_cast<size_t>(Unit::kCount);
std::string_view name_of(Unit unit);  // "fma"

struct OpCost {
  std::array<double, kUnits> slots{};  // warp instructions; kTensor: multiply-adds of the warp
  double issue = 0;                    // warp instructions that the schedulers send
  uint32_t latency = 0;                // cycles until the result can be used; memory apart
};

// Of one execution by a warp. `sm`: 86 for 8.6.
OpCost cost_of(const ptx::Opcode& opcode, unsigned sm);

// Lanes a cycle of an SM (kHalf: registers, not halves; kTensor: multiply-adds). Empty where the
// GPU table does not know it.
std::optional<double> rate_of(const arch::Capability& capability, Unit unit);

}  // namespace pitot::profile
