#include "device/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "device/arguments.h"
#include "device/values.h"

namespace pitot::device {
namespace {

constexpr uint64_t kMostMemory = uint64_t{4} << 30;

constexpr uint64_t kRepeatedBytes = 4096;

bool random_floats(const ArgumentSpec& a) {
  return ptx::kind_of(a.type) == ptx::TypeKind::kFloat &&
         (a.init == "normal" || a.init.starts_with("uniform"));
}

// Null for what has no cheaper values than its own.
emulator::PageFill rough_values(const ResolvedArgument& from) {
  const ArgumentSpec& a = *from.spec;
  const uint64_t each = ptx::bytes_of(a.type);
  if (random_floats(a)) {
    auto some = initial_values(from.init, a.type, kRepeatedBytes / each, from.seed);
    if (!some) return nullptr;
    return [some = std::move(*some)](uint64_t, std::span<std::byte, emulator::kPageBytes> bytes) {
      for (size_t at = 0; at + some.size() <= bytes.size(); at += some.size())
        std::memcpy(bytes.data() + at, some.data(), some.size());
    };
  }
  const std::string_view init = from.init;
  const size_t open = init.find('(');
  const std::string_view name = init.substr(0, open);
  if ((name != "permutation" && name != "cycle") || open == init.npos) return nullptr;
  uint64_t n = 0;
  std::from_chars(init.data() + open + 1, init.data() + init.size(), n);
  if (n == 0) return nullptr;
  return [n, each, seed = from.seed](uint64_t offset,
                                     std::span<std::byte, emulator::kPageBytes> bytes) {
    for (uint64_t at = 0; at + each <= bytes.size(); at += each) {
      const uint64_t v = random_bits(seed, (offset + at) / each) % n;
      std::memcpy(bytes.data() + at, &v, each);
    }
  };
}

// Puts a buffer into memory; its address.
Result<uint64_t> place(const ResolvedArgument& from, bool lazy, bool rough, PreparedRun& out) {
  emulator::GlobalMemory& memory = *out.memory;
  const ArgumentSpec& a = *from.spec;
  uint64_t base = 0, size = from.bytes();
  if (lazy) {
    if (auto one = initial_values(from.init, a.type, 1, from.seed); !one) return one.error();
    auto fill = [from](uint64_t offset, std::span<std::byte, emulator::kPageBytes> bytes) {
      const ArgumentSpec& spec = *from.spec;
      const uint64_t each = ptx::bytes_of(spec.type), first = offset / each;
      const uint64_t n = std::min(from.count - std::min(from.count, first), bytes.size() / each);
      if (auto values = initial_values(from.init, spec.type, n, from.seed, from.origin, first))
        std::memcpy(bytes.data(), values->data(), values->size());
    };
    emulator::PageFill pages = rough ? rough_values(from) : nullptr;
    if (!pages) pages = std::move(fill);
    emulator::Region& region = memory.allocate_filled(a.name, size, a.align, std::move(pages));
    region.origin = from.origin_bytes();
    base = region.base();
  } else {
    auto bytes = initial_values(from.init, a.type, from.count, from.seed, from.origin);
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

// Calls f(address, offset among the rows without their padding, bytes) until it fails.
template <class F>
Status each_row(const emulator::Image& m, F&& f) {
  uint64_t tight = 0;
  for (uint32_t level = 0; level < m.levels; ++level)
    for (uint64_t row = 0; row < m.rows(level); ++row) {
      const uint64_t bytes = m.row_bytes(level);
      const uint64_t at = m.level_offset(level) + row * m.pitch(level);
      if (Status s = f(m.region->base() + at, tight, bytes); !s) return s;
      tight += bytes;
    }
  return Ok{};
}

// Gives an object its texels, with their initial values.
Status place_image(const ResolvedArgument& from, emulator::OpaqueObject& object, PreparedRun& out) {
  const ArgumentSpec& a = *from.spec;
  object.kind = a.image->kind;
  object.name = a.name;
  a.image->apply(object.sampler);
  if (!a.image->has_texels()) return Ok{};
  object.image = from.image;
  if (Status s = emulator::OpaqueObjects::allocate(object, *out.memory, false); !s) return s;
  const emulator::Image& m = object.image;
  auto values =
      initial_values(from.init, a.type, texel_bytes(m) / ptx::bytes_of(a.type), from.seed);
  if (!values) return values.error();
  const auto bytes = std::span<const std::byte>(*values);
  out.images.push_back({&a, m});
  return each_row(m, [&](uint64_t address, uint64_t offset, uint64_t n) {
    return a.init == "poison" ? out.memory->fill(address, bytes.subspan(offset, n))
                              : out.memory->write(address, bytes.subspan(offset, n));
  });
}

Status bind_reference(const ResolvedArgument& from, PreparedRun& out) {
  emulator::OpaqueObject* object = out.memory->objects().declared(from.spec->name);
  if (object == nullptr)
    return input_error(fmt::format("the module declares no '{}'", from.spec->name));
  if (object->kind != from.spec->image->kind)
    return input_error(fmt::format("'{}' is a {} in the module, not a {}", from.spec->name,
                                   emulator::name_of(object->kind),
                                   emulator::name_of(from.spec->image->kind)));
  return place_image(from, *object, out);
}

}  // namespace

Result<std::vector<std::byte>> texels_of(const emulator::GlobalMemory& memory,
                                         const emulator::Image& image) {
  std::vector<std::byte> out(texel_bytes(image));
  const auto to = std::span<std::byte>(out);
  Status s = each_row(image, [&](uint64_t address, uint64_t offset, uint64_t n) {
    return memory.read(address, to.subspan(offset, n));
  });
  if (!s) return s.error();
  return out;
}

std::string size_text(const SizeSpec& size) {
  std::string out;
  for (const auto& [name, value] : size.values)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", name, value);
  return out;
}

Result<PreparedRun> prepare(const emulator::Program& program, uint32_t kernel,
                            const KernelSpec& spec, const SizeSpec& size, uint64_t seed, bool lazy,
                            bool rough) {
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
  std::vector<uint64_t> pointers(resolved->arguments.size());
  for (size_t i = 0; i < resolved->arguments.size(); ++i) {
    const ResolvedArgument& a = resolved->arguments[i];
    uint64_t bits = a.bits;
    if (a.spec->is_buffer) {
      auto base = place(a, lazy, rough, out);
      if (!base) return base.error();
      bits = *base + a.origin_bytes();
      pointers[i] = bits;
    } else if (a.spec->image) {
      emulator::OpaqueObject object;
      if (Status s = place_image(a, object, out); !s) return s.error();
      bits = out.memory->objects().add(std::move(object));
    }
    const uint64_t at = program.symbols[f.parameters[i]].address;
    std::memcpy(launch.parameters.data() + at, &bits, std::min<uint64_t>(a.parameter_bytes, 8));
  }
  for (size_t i = 0; i < resolved->arguments.size(); ++i) {
    const ResolvedArgument& a = resolved->arguments[i];
    if (!a.spec->map) continue;
    emulator::TensorMap map = a.map;
    map.address = pointers[a.tensor];
    const auto bytes = map.encode();
    std::memcpy(launch.parameters.data() + program.symbols[f.parameters[i]].address, bytes.data(),
                bytes.size());
  }
  for (const ResolvedArgument& a : resolved->references)
    if (Status s = bind_reference(a, out); !s) return s.error();
  return out;
}

}  // namespace pitot::device
