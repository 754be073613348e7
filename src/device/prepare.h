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

struct PreparedImage {
  const ArgumentSpec* argument = nullptr;
  emulator::Image image;
};

struct PreparedRun {
  emulator::Launch launch;
  std::unique_ptr<emulator::GlobalMemory> memory;
  std::vector<PreparedBuffer> buffers;
  std::vector<PreparedImage> images;  // textures and surfaces, references last
};

// The texels of an image without what pads its rows, levels one after the other.
Result<std::vector<std::byte>> texels_of(const emulator::GlobalMemory& memory,
                                         const emulator::Image& image);

// Errors: expressions that do not evaluate, arguments that do not match the kernel's parameters.
// `lazy`: buffers get their values page by page, when they are first touched, and count as defined
// all over; for runs that touch only part of large buffers. `rough`: lazy buffers get values that
// are alike and cost little: random floats come again every 4 KiB, permutations are random numbers
// below their length; for runs whose results nobody looks at.
Result<PreparedRun> prepare(const emulator::Program& program, uint32_t kernel,
                            const KernelSpec& spec, const SizeSpec& size, uint64_t seed,
                            bool lazy = false, bool rough = false);

// "k=64 m=64 n=64"
std::string size_text(const SizeSpec& size);

}  // namespace pitot::device
