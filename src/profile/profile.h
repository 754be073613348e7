// Executes a sample of a launch's blocks on the emulator and says what a GPU would feel, line by
// line and in total.
#pragma once

#include "arch/gpu.h"
#include "emulator/launch.h"
#include "profile/profile_result.h"

namespace pitot::profile {

struct ProfileOptions {
  const arch::Gpu* gpu = nullptr;  // null: default_gpu() of the module's target
  uint64_t blocks = 8;             // about so many are executed; 0: all
  bool warm = false;               // what fits into L2 is there already: the launch is one of many
  bool sample_loops = false;       // of long loops, some trips stand for the others
  uint32_t registers = 0;          // a thread; 0: the estimate
  std::string registers_from;      // where `registers` comes from
  emulator::Options emulator;      // workers, seed, budget
};

// The first chip of the target's capability, of those whose figures for the model are best known.
Result<const arch::Gpu*> default_gpu(ptx::Target target);

// Errors: the launch is not valid, does not fit the GPU, or the table lacks the GPU. What the
// kernel does wrong is in ProfileResult::faults.
Result<ProfileResult> profile(const emulator::Program& program, uint32_t kernel,
                              const emulator::Launch& launch, emulator::GlobalMemory& memory,
                              const ProfileOptions& options);

}  // namespace pitot::profile
