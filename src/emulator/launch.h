// A launch of a kernel on the emulator and what came of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "arch/launch_limits.h"
#include "emulator/fault.h"
#include "emulator/follower.h"
#include "emulator/memory.h"
#include "emulator/program.h"

namespace pitot::emulator {

class Observers;

using Dim3 = std::array<uint32_t, 3>;

constexpr uint64_t volume_of(const Dim3& d) { return uint64_t{d[0]} * d[1] * d[2]; }

struct Launch {
  Dim3 grid{1, 1, 1}, block{1, 1, 1};
  Dim3 cluster{1, 1, 1};
  uint32_t dynamic_shared = 0;        // bytes
  bool cooperative = false;           // all blocks run at the same time
  std::vector<std::byte> parameters;  // the kernel's parameter space, laid out as declared
};

// Besides what always faults: out of bounds, misalignment, barriers that part of a block skips.
struct Checks {
  bool uninitialised = false;
  bool member_masks = true;
  bool async_copies = false;  // shared bytes touched before the wait for their copy
  bool races = false;         // unordered accesses to a byte that one of them writes: race_check.h
};

struct Options {
  Checks checks;
  uint64_t seed = 0;                         // of the order in which warps run
  uint64_t instruction_budget = 1ull << 36;  // warp instructions of the whole launch
  unsigned workers = 1;                      // blocks at a time; 0: every core
  uint64_t clock_start = 0;                  // what %clock and %globaltimer begin at
  Follower* follower = nullptr;              // needs workers = 1
  // Linear numbers of the blocks to run, ascending; empty: all. Clusters run whole, and of a
  // cooperative launch every block.
  std::vector<uint64_t> blocks;
  Observers* observers = nullptr;  // outlives the launch
};

struct Counters {
  uint64_t warp_instructions = 0, thread_instructions = 0;
  void add(const Counters& c) {
    warp_instructions += c.warp_instructions;
    thread_instructions += c.thread_instructions;
  }
};

struct Outcome {
  std::vector<Fault> faults;
  Counters counters;
  std::vector<uint8_t> executed;  // by operation of the program: bit 0 ran, branches: bit 1 taken
                                  // by some lane, bit 2 not taken by some lane
  bool ok() const { return faults.empty(); }
};

// Places the module's .global and .const variables in memory; once before the launches of a
// program.
Status place_globals(const Program& program, GlobalMemory& memory);

// What no GPU of the module's target takes, or the kernel itself does not: its limits on the block
// and the cluster, the target's on everything. Parameters are not looked at.
std::optional<arch::ShapeProblem> launch_problem(const Program& program, uint32_t kernel,
                                                 const Launch& launch);

// Bytes of shared memory that a block of the module's target may have at most.
uint32_t most_shared(const Program& program);

// The blocks that run at the same time and may wait for each other, by linear number: one, a
// cluster, or the whole grid of a cooperative launch. Only those that `only` names a block of;
// empty: all.
std::vector<std::vector<uint64_t>> gangs_of(const Launch& launch,
                                            std::span<const uint64_t> only = {});

// Runs one kernel (index of the ptx function). Errors are of the launch itself (too many threads,
// too little parameter space); what the program does wrong is in Outcome::faults.
Result<Outcome> execute(const Program& program, uint32_t kernel, const Launch& launch,
                        GlobalMemory& memory, const Options& options);

}  // namespace pitot::emulator
