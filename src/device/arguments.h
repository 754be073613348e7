// A kernel spec at one size as plain numbers: the launch and what each parameter gets. Every
// backend starts from these, so that all run the same thing.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "device/spec.h"
#include "ptx/module.h"

namespace pitot::device {

struct ResolvedArgument {
  const ArgumentSpec* spec = nullptr;  // the KernelSpec must live as long
  uint32_t parameter_bytes = 0;        // size of the kernel's parameter
  uint64_t bits = 0;                   // scalar: its encoding, zero-extended
  uint64_t count = 0, origin = 0;      // buffer: elements; the element that the pointer points to
  uint64_t seed = 0;                   // buffer: of its values
  std::string init;                    // buffer, image: the spec's, with numbers for its arguments
  emulator::Image image;               // texture, surface: without memory
  uint64_t bytes() const { return count * ptx::bytes_of(spec->type); }
  uint64_t origin_bytes() const { return origin * ptx::bytes_of(spec->type); }
};

struct ResolvedLaunch {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  uint32_t dynamic_shared = 0;  // bytes
  bool cooperative = false;
  std::vector<ResolvedArgument> arguments;   // one a parameter of the kernel
  std::vector<ResolvedArgument> references;  // of the module
};

// The launch alone, for which no module is needed. Errors: expressions that do not evaluate.
Status resolve_launch(const KernelSpec& spec, const Sizes& sizes, ResolvedLaunch& out);

// Errors: expressions that do not evaluate, arguments that do not match the kernel's parameters.
Result<ResolvedLaunch> resolve(const ptx::Module& module, uint32_t kernel, const KernelSpec& spec,
                               const SizeSpec& size, uint64_t seed);

}  // namespace pitot::device
