#include "device/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "device/arguments.h"
#include "device/values.h"

namespace pitot::device {
namespace {

// Puts a buffer into memory; its address.
Result<uint64_t> place(const ResolvedArgument& from, bool lazy, PreparedRun& out) {
  emulator::GlobalMemory& memory = *out.memory;
  const ArgumentSpec& a = *from.spec;
  uint64_t base = 0, size = from.bytes();
  if (lazy) {
    if (auto one = initial_values(a.init, a.type, 1, from.seed); !one) return one.error();
    auto fill = [from](uint64_t offset, std::span<std::byte, emulator::kPageBytes> bytes) {
      const ArgumentSpec& spec = *from.spec;
      const uint64_t each = ptx::bytes_of(spec.type), first = offset / each;
      const uint64_t n = std::min(from.count - std::min(from.count, first), bytes.size() / each);
      if (auto values = initial_values(spec.init, spec.type, n, from.seed, from.origin, first))
        std::memcpy(bytes.data(), values->data(), values->size());
    };
    base = memory.allocate_filled(a.name, size, a.align, std::move(fill)).base();
  } else {
    auto bytes = initial_values(a.init, a.type, from.count, from.seed, from.origin);
    if (!bytes) return bytes.error();
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
  auto resolved = resolve(*program.module, kernel, spec, size, seed);
  if (!resolved) return resolved.error();
  PreparedRun out;
  emulator::Launch& launch = out.launch;
  launch.grid = resolved->grid;
  launch.block = resolved->block;
  launch.cluster = resolved->cluster;
  launch.dynamic_shared = resolved->dynamic_shared;
  launch.cooperative = resolved->cooperative;
  const ptx::Function& f = program.module->functions[kernel];
  out.memory = std::make_unique<emulator::GlobalMemory>();
  if (Status s = emulator::place_globals(program, *out.memory); !s) return s.error();
  launch.parameters.resize(program.functions[kernel].parameter_bytes);
  for (size_t i = 0; i < resolved->arguments.size(); ++i) {
    const ResolvedArgument& a = resolved->arguments[i];
    uint64_t bits = a.bits;
    if (a.spec->is_buffer) {
      auto base = place(a, lazy, out);
      if (!base) return base.error();
      bits = *base + a.origin_bytes();
    }
    const uint64_t at = program.symbols[f.parameters[i]].address;
    std::memcpy(launch.parameters.data() + at, &bits, std::min<uint64_t>(a.parameter_bytes, 8));
  }
  return out;
}

}  // namespace pitot::device
