#include "device/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "device/arguments.h"
#include "device/values.h"

namespace pitot::device {
namespace {

constexpr uint64_t kMostMemory = uint64_t{4} << 30;

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
    emulator::Region& region = memory.allocate_filled(a.name, size, a.align, std::move(fill));
    region.origin = from.origin_bytes();
    base = region.base();
  } else {
    auto bytes = initial_values(a.init, a.type, from.count, from.seed, from.origin);
    if (!bytes) return bytes.error();
    // Poison is not defined: reading it is a fault where that is checked.
    emulator::Region& region = memory.allocate(a.name, size, a.align, false);
    region.origin = from.origin_bytes();
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
  if (auto problem = emulator::launch_problem(program, kernel, launch)) {
    using enum arch::LaunchPart;
    const uint32_t line = problem->part == kGrid      ? spec.grid_line
                          : problem->part == kBlock   ? spec.block_line
                          : problem->part == kCluster ? spec.cluster_line
                                                      : spec.shared_line;
    return spec.error_at(line, problem->message);
  }
  const ptx::Function& f = program.module->functions[kernel];
  if (!lazy) {
    // Values are made before the memory's own cap can say no.
    uint64_t left = kMostMemory;
    for (const ResolvedArgument& a : resolved->arguments) {
      if (a.spec->is_buffer && a.bytes() > left)
        return spec.error_at(
            a.spec->line, fmt::format("the buffers up to '{}' have more than {} GiB, which is all "
                                      "that the emulator holds",
                                      a.spec->name, kMostMemory >> 30));
      if (a.spec->is_buffer) left -= a.bytes();
    }
  }
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
