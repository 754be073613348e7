#include "device/prepare.h"

#include <fmt/format.h>

#include <cstring>

#include "device/values.h"

namespace pitot::device {
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

// Puts a buffer into memory; its address.
Result<uint64_t> place(const ArgumentSpec& a, uint64_t count, uint64_t origin, uint64_t seed,
                       bool lazy, PreparedRun& out) {
  emulator::GlobalMemory& memory = *out.memory;
  uint64_t base = 0, size = 0;
  if (lazy) {
    if (auto one = initial_values(a.init, a.type, 1, seed); !one) return one.error();
    size = count * ptx::bytes_of(a.type);
    auto fill = [&a, count, origin, seed](uint64_t offset,
                                          std::span<std::byte, emulator::kPageBytes> bytes) {
      const uint64_t each = ptx::bytes_of(a.type), first = offset / each;
      const uint64_t n = std::min(count - std::min(count, first), bytes.size() / each);
      if (auto values = initial_values(a.init, a.type, n, seed, origin, first))
        std::memcpy(bytes.data(), values->data(), values->size());
    };
    base = memory.allocate_filled(a.name, size, a.align, std::move(fill)).base();
  } else {
    auto bytes = initial_values(a.init, a.type, count, seed, origin);
    if (!bytes) return bytes.error();
    size = bytes->size();
    // Poison is not defined: reading it is a fault where that is checked.
    emulator::Region& region = memory.allocate(a.name, size, a.align, false);
    base = region.base();
    const Status s = a.init == "poison" ? memory.fill(base, *bytes) : memory.write(base, *bytes);
    if (!s) return s.error();
  }
  out.buffers.push_back({&a, base, size});
  return base;
}

}  // namespace

std::string size_text(const SizeSpec& size) {
  std::string out;
  for (const auto& [name, value] : size.values)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", name, value);
  return out;
}

Result<PreparedRun> prepare(const emulator::Program& program, uint32_t kernel,
                            const KernelSpec& spec, const SizeSpec& size, uint64_t seed,
                            bool lazy) {
  PreparedRun out;
  emulator::Launch& launch = out.launch;
  if (Status s = launch_of(spec, size.values, launch); !s) return s.error();
  const ptx::Module& m = *program.module;
  const ptx::Function& f = m.functions[kernel];
  if (f.parameters.size() != spec.arguments.size())
    return input_error(fmt::format("{}: '{}' takes {} parameters, the spec gives {}", spec.path,
                                   f.name, f.parameters.size(), spec.arguments.size()));
  out.memory = std::make_unique<emulator::GlobalMemory>();
  emulator::GlobalMemory& memory = *out.memory;
  if (Status s = emulator::place_globals(program, memory); !s) return s.error();
  launch.parameters.resize(program.functions[kernel].parameter_bytes);
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
      auto base = place(a, static_cast<uint64_t>(*count), static_cast<uint64_t>(*origin),
                        random_bits(seed, i), lazy, out);
      if (!base) return base.error();
      bits = *base + static_cast<uint64_t>(*origin) * ptx::bytes_of(a.type);
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
  return out;
}

}  // namespace pitot::device
