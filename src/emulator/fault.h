// What went wrong in an execution, where, and for which threads.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pitot::emulator {

enum class FaultKind : uint8_t {
  kUncovered,  // an instruction that the emulator does not have
  kOutOfBounds,
  kMisaligned,
  kUninitialised,  // an undefined value reached an address, a branch or memory that counts
  kRace,
  kBarrierDivergence,
  kMemberMask,    // a lane outside of its own mask, or a named lane that cannot come
  kUnwaitedCopy,  // bytes of an asynchronous copy read before its wait
  kTransactions,  // mbarrier bytes do not match what was expected
  kDeadlock,
  kTrap,
  kBudget,  // instructions used up
  kMemoryCap,
  kIllegal,  // what the ISA calls undefined: bad call target, brx index, readonly write
};
std::string_view name_of(FaultKind kind);  // "out-of-bounds"

struct Fault {
  FaultKind kind = FaultKind::kIllegal;
  uint32_t line = 0;        // of the PTX; 0 when there is none
  uint32_t other_line = 0;  // kRace: of the access that came before
  std::array<uint32_t, 3> thread{}, block{};
  uint32_t lanes = 0;  // of the warp, that have the same fault at the same time
  uint64_t address = 0;
  std::string message;
};

}  // namespace pitot::emulator
