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
  emulator::TensorMap map;             // tensor map: of a tensor at address 0
  size_t tensor = 0;                   // tensor map: the argument in whose buffer it lies
  uint64_t bytes() const { return count * ptx::bytes_of(spec->type); }
  uint64_t origin_bytes() const { return origin * ptx::bytes_of(spec->type); }
};

struct ResolvedLaunch {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  uint32_t dynamic_shared = 0;  // bytes
  bool cooperative = false;
  const KernelSpec* spec = nullptr;          // must live as long
  std::vector<ResolvedArgument> arguments;   // one a parameter of the kernel
  std::vector<ResolvedArgument> references;  // of the module
};

// The launch alone, for which no module is needed; `target` of the PTX, where it is known. Errors:
// expressions that do not evaluate.
Status resolve_launch(const KernelSpec& spec, const Sizes& sizes, ResolvedLaunch& out,
                      const std::string& target = {});

// Bytes that a kernel moves which reads once what it is given and writes once what it gives back:
// buffers and images that are in or out once, inout twice.
uint64_t traffic_bytes(const ResolvedLaunch& launch);

// Errors: expressions that do not evaluate, arguments that do not match the kernel's parameters.
Result<ResolvedLaunch> resolve(const ptx::Module& module, uint32_t kernel, const KernelSpec& spec,
                               const SizeSpec& size, uint64_t seed);

}  // namespace pitot::device
