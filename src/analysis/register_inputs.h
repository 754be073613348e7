// What the register estimate looks at: how many registers are live in the text's own order and in
// the order a scheduler that hides latency would choose, under several views of which values need
// one.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "analysis/flow_facts.h"
#include "analysis/uniformity.h"

namespace pitot::analysis {

enum class RegisterInput : uint8_t {
  kLive,         // maximum live 32-bit registers, text order, every value counts
  kLiveVarying,  // the same without values that cost no register (parameters, constants, moves)
  kLiveLane,     // and without integers that are uniform over a block (the uniform file holds them)
  kHoisted,      // maximum when loads go first within a block, every value counts
  kHoistedVarying,
  kHoistedLane,
  kLazyLane,      // maximum when each value is computed just before its first use
  kMeanLane,      // mean over instructions of kLiveLane's profile
  kLoopCarried,   // largest lane-varying set alive at a loop header
  kBlockLoads,    // most units that the loads of one block write
  kBlockSize,     // instructions of the largest block, log2
  kInstructions,  // log2
  kWide,          // share of registers named that are 64 bits wide
  kFp64,          // f64 instructions / all
  kHalf,          // 16-bit floating-point instructions / all
  kDivisions,  // full-range divisions, square roots, remainders: they become subroutines, log2(1+n)
  kSfu,        // special functions, log2(1+n)
  kTensor,     // tensor operations, log2(1+n)
  kTensorUnits,  // most registers one tensor operation names
  kGlobal,       // global accesses, log2(1+n)
  kShared,       // shared accesses, log2(1+n)
  kBarriers,     // log2(1+n)
  kCalls,        // calls, log2(1+n)
  kLocal,        // local accesses, log2(1+n)
  kLoops,        // log2(1+n)
  kPredicates,   // maximum live predicates
  kPointers,     // 64-bit parameters
  kMaxVector,    // registers of the widest access
  kTarget,       // compute capability, 80 for sm_80
  kCount,
};
inline constexpr size_t kRegisterInputCount = static_cast<size_t>(RegisterInput::kCount);
using RegisterInputs = std::array<double, kRegisterInputCount>;

std::string_view name_of(RegisterInput input);

// `uniformity` of the same function.
RegisterInputs register_inputs(const FlowFacts& flow, const Uniformity& uniformity, unsigned sm,
                               Workspace& ws);

}  // namespace pitot::analysis
