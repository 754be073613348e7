#include "device/emulated.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>

#include "device/values.h"

namespace pitot::device {

uint64_t RunOutput::bits(uint64_t element) const {
  uint64_t v = 0;
  std::memcpy(&v, bytes.data() + element * element_bytes, element_bytes);
  return v;
}

namespace {

Status launch_of(const KernelSpec& spec, const Sizes& sizes, emulator::Launch& out) {
  auto three = [&](const std::array<std::string, 3>& text, emulator::Dim3& to,
                   const char* what) -> Status {
    for (size_t i = 0; i < 3; ++i) {
      auto v = evaluate(text[i], sizes);
      if (!v) return v.error();
      if (*v < 1 || *v > INT32_MAX) return input_error(fmt::format("{} of {}", what, *v));
      to[i] = static_cast<uint32_t>(*v);
    }
    return Ok{};
  };
  if (Status s = three(spec.grid, out.grid, "grid"); !s) return s;
  if (Status s = three(spec.block, out.block, "block"); !s) return s;
  if (Status s = three(spec.cluster, out.cluster, "cluster"); !s) return s;
  auto shared = evaluate(spec.shared, sizes);
  if (!shared) return shared.error();
  if (*shared < 0 || *shared > 1 << 24)
    return input_error(fmt::format("{} bytes of shared memory", *shared));
  out.dynamic_shared = static_cast<uint32_t>(*shared);
  out.cooperative = spec.cooperative;
  return Ok{};
}

}  // namespace

Result<RunResult> run_emulated(const emulator::Program& program, uint32_t kernel,
                               const KernelSpec& spec, const SizeSpec& size,
                               const EmulatedOptions& options) {
  emulator::Launch launch;
  if (Status s = launch_of(spec, size.values, launch); !s) return s.error();
  const ptx::Module& m = *program.module;
  const ptx::Function& f = m.functions[kernel];
  if (f.parameters.size() != spec.arguments.size())
    return input_error(fmt::format("{}: '{}' takes {} parameters, the spec gives {}", spec.path,
                                   f.name, f.parameters.size(), spec.arguments.size()));
  emulator::GlobalMemory memory;
  if (Status s = emulator::place_globals(program, memory); !s) return s.error();
  launch.parameters.resize(program.functions[kernel].parameter_bytes);
  struct Buffer {
    const ArgumentSpec* argument;
    uint64_t base, bytes;
  };
  std::vector<Buffer> buffers;
  for (size_t i = 0; i < spec.arguments.size(); ++i) {
    const ArgumentSpec& a = spec.arguments[i];
    const ptx::Symbol& parameter = m.symbols[f.parameters[i]];
    uint64_t bits = 0;
    if (a.is_buffer) {
      auto count = evaluate(a.count, size.values);
      if (!count) return count.error();
      if (*count < 0) return input_error(fmt::format("'{}' has {} elements", a.name, *count));
      auto origin = evaluate(a.origin, size.values);
      if (!origin) return origin.error();
      if (*origin < 0 || *origin > *count)
        return input_error(fmt::format("'{}' points to element {} of {}", a.name, *origin, *count));
      auto bytes = initial_values(a.init, a.type, static_cast<uint64_t>(*count),
                                  random_bits(options.seed, i), static_cast<uint64_t>(*origin));
      if (!bytes) return bytes.error();
      // Poison is not defined: reading it is a fault where that is checked.
      emulator::Region& region = memory.allocate(a.name, bytes->size(), a.align, false);
      if (a.init == "poison") {
        if (Status s = memory.fill(region.base(), *bytes); !s) return s.error();
      } else if (Status s = memory.write(region.base(), *bytes); !s) {
        return s.error();
      }
      buffers.push_back({&a, region.base(), bytes->size()});
      bits = region.base() + static_cast<uint64_t>(*origin) * ptx::bytes_of(a.type);
      if (parameter.size < 8)
        return input_error(
            fmt::format("parameter {} of '{}' is too small for a pointer", i, f.name));
    } else {
      const bool real = ptx::kind_of(a.type) == ptx::TypeKind::kFloat;
      if (real) {
        auto v = evaluate_real(a.value, size.values);
        if (!v) return v.error();
        bits = encode(*v, a.type);
      } else {
        auto v = evaluate(a.value, size.values);
        if (!v) return v.error();
        bits = static_cast<uint64_t>(*v);
      }
      if (ptx::bytes_of(a.type) > parameter.size)
        return input_error(fmt::format("argument '{}' ({}) is larger than parameter {} of '{}'",
                                       a.name, ptx::name_of(a.type), i, f.name));
    }
    const uint64_t at = program.symbols[f.parameters[i]].address;
    std::memcpy(launch.parameters.data() + at, &bits, std::min<uint64_t>(parameter.size, 8));
  }
  const auto start = std::chrono::steady_clock::now();
  auto outcome = emulator::execute(program, kernel, launch, memory, options.emulator);
  if (!outcome) return outcome.error();
  RunResult r;
  r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  r.device = "emu";
  r.kernel = std::string(f.name);
  r.ptx = m.source->path();
  for (const auto& [name, value] : size.values)
    r.size_text += fmt::format("{}{}={}", r.size_text.empty() ? "" : " ", name, value);
  r.warp_instructions = outcome->counters.warp_instructions;
  r.thread_instructions = outcome->counters.thread_instructions;
  r.executed = std::move(outcome->executed);
  for (const emulator::Fault& fault : outcome->faults)
    r.faults.push_back({std::string(emulator::name_of(fault.kind)), fault.message, fault.line,
                        fault.thread, fault.block, fault.address, fault.other_line});
  for (const Buffer& b : buffers) {
    if (b.argument->role == Role::kIn) continue;
    RunOutput out;
    out.name = b.argument->name;
    out.type = std::string(ptx::name_of(b.argument->type));
    out.element_bytes = ptx::bytes_of(b.argument->type);
    out.address = b.base;
    out.bytes.resize(b.bytes);
    if (Status s = memory.read(b.base, out.bytes); !s) return s.error();
    r.outputs.push_back(std::move(out));
  }
  return r;
}

}  // namespace pitot::device
