// What the register estimate looks at: how many registers are live in the
// text's own order and in the order a scheduler that hides latency would
// choose, under several views of which values need one.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "analysis/flow_facts.h"
#include "analysis/uniformity.h"

namespace pitot::analysis {

enum class RegisterInput : uint8_t {
  kLive,         // maximum live 32-bit registers, text order, every value counts
  kLiveVarying,  // the same by the other cost views (register_values.h)
  kLiveLane,
  kLiveMachine,
  kEarlyMachine,  // maximum when the addresses of loads go before all loads of a
                  // block
                  // alive, for 32 a thread
  kLiveStrict,    // by the strict view, in text order
  kEarlyStrict,
  kLoopStrict,      // largest strict-view set alive at a loop header
  kLoopAddresses,   // registers for addresses that a one-block innermost loop
                    // computes
  kUnrolledMany,    // the same as kUnrolled of innermost loops of any shape
  kChainPeak,       // strict: alive before a chain, its loads and addresses
  kSinglePeak,      // strict, when no result takes the place of an operand
  kMeanMachine,     // mean over instructions of kLiveMachine's profile
  kSlowPath,        // registers alive at a division or root, with those of its
                    // subroutine
  kLoopCarried,     // largest machine-view set alive at a loop header
  kLoopLoads,       // loaded units of an innermost one-block loop that ptxas may
                    // unroll
  kLoopSize,        // its instructions, log2
  kUnrolled,        // alive at its header, and the loads and addresses of four turns
  kChainLoads,      // units loaded by a chain of small conditional blocks that ptxas
                    // merges
  kChainAddresses,  // and registers for the addresses of its global accesses
  kBlockLoads,      // most units that the loads of one block write between barriers
  kBlockGlobal,     // the same of loads from global memory
  kBlockSize,       // instructions of the largest block, log2
  kInstructions,    // log2
  kWide,            // share of registers named that are 64 bits wide
  kFp64,            // f64 instructions / all
  kHalf,            // 16-bit floating-point instructions / all
  kDivisions,       // full-range divisions, square roots, remainders: they become
                    // subroutines, log2(1+n)
  kSfu,             // special functions, log2(1+n)
  kTensor,          // tensor operations, log2(1+n)
  kTensorUnits,     // most registers one tensor operation names
  kGlobal,          // global accesses, log2(1+n)
  kShared,          // shared accesses, log2(1+n)
  kBarriers,        // log2(1+n)
  kCalls,           // calls, log2(1+n)
  kLocal,           // local accesses, log2(1+n)
  kLoops,           // log2(1+n)
  kDepth,           // deepest nesting of loops
  kBlocks,          // basic blocks, log2
  kPredicates,      // maximum live predicates
  kPointers,        // 64-bit parameters
  kMaxVector,       // registers of the widest access
  // Over kLiveMachine, four registers added to both: what order and view
  // change.
  kEarlyOver,
  kLiveOver,
  kLiveLaneOver,
  kLoopCarriedOver,
  kMeanOver,
  kBlockLoadsOver,
  kBlockGlobalOver,
  kUnrolledOver,
  kChainLoadsOver,
  kSlowPathOver,
  kStrictOver,
  kLoopStrictOver,
  // Parameters in registers, and turns of a loop made one (register_loops.h).
  kParamLoops,    // registers of the parameters that an outermost loop and what is in it read
  kParamStrict,   // kLiveStrict with the block's parameters: those of its loop, or between first
                  // and last use
  kParamInner,    // the same with the parameters of the innermost loop
  kParamSlow,     // kSlowStrict with the parameters of the innermost loop
  kSlowStrict,    // the same without parameters, strict view
  kParamVarying,  // kLiveVarying with parameters
  kFixed,         // parameters and constants of a block that only a register can hold
  kParamEntry,    // kLoopStrict so
  kTimedAny,      // peaks by a list scheduler (register_regions.h)
  kTimedSmall,
  kTimedLarge,
  kTimedInner,  // kTimedSmall with the parameters of the innermost loop
  kTimedOuter,  // and of the outermost
  kTimedLoads,
  kTimedText,  // by its nodes in the order of the text
  kStep,       // step of occupancy that every region can be held to, and the peak then
  kStepped,
  kBanks,  // with data of stores in odd registers
  kTextBanks,
  kAllocated,  // that within the step of occupancy of what is alive
  kTextAllocated,
  kTimedSmallOver,
  kTimedLargeOver,
  kTurns,        // turns made one, log2, of the loop of kTurnPeak
  kTurnPeak,     // alive at an unrolled loop's header, with what its turns load
  kTurnParam,    // and with its parameters
  kTurnLoads,    // what the turns load
  kTurnSize,     // their instructions, log2
  kAcrossCalls,  // strict view: alive across a call
  kExternCalls,  // calls of functions without a body, log2(1+n)
  kParamStrictOver,
  kParamEntryOver,
  kTurnPeakOver,
  kThreads,    // of a block by the launch bounds, 0 without
  kMinBlocks,  // blocks a multiprocessor by .minnctapersm, 0 without
  kCap,        // register_cap()
  kTarget,     // compute capability, 80 for sm_80
  kCount,
};
inline constexpr size_t kRegisterInputCount = static_cast<size_t>(RegisterInput::kCount);
using RegisterInputs = std::array<double, kRegisterInputCount>;

std::string_view name_of(RegisterInput input);

// The inputs that are counts of instructions; part of register_inputs().
void count_register_inputs(const FlowFacts& flow, RegisterInputs& out);

// `uniformity` of the same function. `sm`: the compute capability to answer
// for, 80 or 90. O(n log n) in the function's length.
RegisterInputs register_inputs(const FlowFacts& flow, const Uniformity& uniformity, unsigned sm,
                               Workspace& ws);

}  // namespace pitot::analysis
