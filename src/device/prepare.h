// A kernel spec at one size, made ready to run: the launch, its memory and its arguments.
#pragma once

#include <memory>
#include <vector>

#include "device/spec.h"
#include "emulator/launch.h"

namespace pitot::device {

struct PreparedBuffer {
  const ArgumentSpec* argument = nullptr;  // of the spec, which must live as long
  uint64_t base = 0, bytes = 0;
};

struct PreparedRun {
  emulator::Launch launch;
  std::unique_ptr<emulator::GlobalMemory> memory;
  std::vector<PreparedBuffer> buffers;
};

// Errors: expressions that do not evaluate, arguments that do not match the kernel's parameters.
// `lazy`: buffers get their values page by page, when they are first touched, and count as defined
// all over; for runs that touch only part of large buffers.
Result<PreparedRun> prepare(const emulator::Program& program, uint32_t kernel,
                            const KernelSpec& spec, const SizeSpec& size, uint64_t seed,
                            bool lazy = false);

// "k=64 m=64 n=64"
std::string size_text(const SizeSpec& size);

}  // namespace pitot::device
