#include "device/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "device/values.h"

namespace pitot::device {
namespace {

constexpr uint64_t kMostBufferBytes = uint64_t{1} << 40;

Result<int64_t> number(const KernelSpec& spec, uint32_t line, const std::string& what,
                       const std::string& text, const Sizes& sizes) {
  auto v = evaluate(text, sizes);
  if (!v) return spec.error_at(line, what + ": " + v.error().message);
  return v;
}

Status resolve_buffer(const KernelSpec& spec, const ArgumentSpec& a, const Sizes& sizes,
                      ResolvedArgument& out) {
  auto count = number(spec, a.line, fmt::format("`count` of '{}'", a.name), a.count, sizes);
  if (!count) return count.error();
  if (*count < 0) return spec.error_at(a.line, fmt::format("'{}' has {} elements", a.name, *count));
  if (static_cast<uint64_t>(*count) > kMostBufferBytes / ptx::bytes_of(a.type))
    return spec.error_at(a.line,
                         fmt::format("'{}' has {} elements: more than 1 TiB", a.name, *count));
  auto origin = number(spec, a.line, fmt::format("`origin` of '{}'", a.name), a.origin, sizes);
  if (!origin) return origin.error();
  if (*origin < 0 || *origin > *count)
    return spec.error_at(a.line,
                         fmt::format("'{}' points to element {} of {}", a.name, *origin, *count));
  out.count = static_cast<uint64_t>(*count);
  out.origin = static_cast<uint64_t>(*origin);
  return Ok{};
}

// The map; with memory of its own, its buffer.
Status resolve_tensor_map(const KernelSpec& spec, const ArgumentSpec& a, const Sizes& sizes,
                          ResolvedArgument& out) {
  auto map = evaluate_tensor_map(*a.map, a.type, a.name, sizes);
  if (!map) return spec.error_at(a.line, map.error().message);
  out.map = *map;
  if (!a.is_buffer) {
    const auto is_it = [&](const ArgumentSpec& b) { return b.name == a.map->of; };
    out.tensor = static_cast<size_t>(
        std::find_if(spec.arguments.begin(), spec.arguments.end(), is_it) - spec.arguments.begin());
    return Ok{};
  }
  out.tensor = static_cast<size_t>(&a - spec.arguments.data());
  const uint64_t bytes = tensor_bytes(*map), each = ptx::bytes_of(a.type);
  if (bytes > kMostBufferBytes)
    return spec.error_at(a.line, fmt::format("'{}' has {} bytes: more than 1 TiB", a.name, bytes));
  out.count = (bytes + each - 1) / each;
  return Ok{};
}

Status resolve_image(const KernelSpec& spec, const ArgumentSpec& a, const Sizes& sizes,
                     ResolvedArgument& out) {
  if (!a.image->has_texels()) return Ok{};
  auto image = evaluate_image(*a.image, a.name, sizes);
  if (!image) return spec.error_at(a.line, image.error().message);
  out.image = *image;
  return Ok{};
}

// Whether an integer is one of the type's, signed or not where the type does not say.
bool fits(int64_t v, ptx::Type type) {
  const unsigned bits = ptx::bits_of(type);
  if (bits >= 64) return v >= 0 || ptx::kind_of(type) != ptx::TypeKind::kUnsigned;
  const bool is_signed = ptx::kind_of(type) == ptx::TypeKind::kSigned;
  const int64_t least =
      ptx::kind_of(type) == ptx::TypeKind::kUnsigned ? 0 : -(int64_t{1} << (bits - 1));
  return v >= least && v < int64_t{1} << (is_signed ? bits - 1 : bits);
}

Status resolve_scalar(const KernelSpec& spec, const ArgumentSpec& a, const Sizes& sizes,
                      ResolvedArgument& out) {
  const std::string what = fmt::format("`value` of '{}'", a.name);
  auto misfit = [&](auto v) {
    return spec.error_at(a.line, fmt::format("{}: {} is no {}", what, v, ptx::name_of(a.type)));
  };
  if (ptx::kind_of(a.type) == ptx::TypeKind::kFloat) {
    auto v = evaluate_real(a.value, sizes);
    if (!v) return spec.error_at(a.line, what + ": " + v.error().message);
    out.bits = encode(*v, a.type);
    if (std::isfinite(*v) && !std::isfinite(decode(out.bits, a.type))) return misfit(*v);
  } else {
    auto v = number(spec, a.line, what, a.value, sizes);
    if (!v) return v.error();
    if (!fits(*v, a.type)) return misfit(*v);
    const unsigned bits = ptx::bits_of(a.type);
    out.bits = static_cast<uint64_t>(*v);
    if (bits < 64) out.bits &= (uint64_t{1} << bits) - 1;
  }
  return Ok{};
}

Status resolve_argument(const KernelSpec& spec, const ArgumentSpec& a, const Sizes& sizes,
                        ResolvedArgument& out) {
  if (a.is_buffer || a.image) {
    auto init = initialiser_at(a.init, sizes);
    if (!init) return spec.error_at(a.line, init.error().message);
    out.init = std::move(*init);
  }
  if (a.image) return resolve_image(spec, a, sizes, out);
  if (a.map) return resolve_tensor_map(spec, a, sizes, out);
  return a.is_buffer ? resolve_buffer(spec, a, sizes, out) : resolve_scalar(spec, a, sizes, out);
}

}  // namespace

Status resolve_launch(const KernelSpec& spec, const Sizes& sizes, ResolvedLaunch& out,
                      const std::string& target) {
  auto three = [&](const std::array<std::string, 3>& text, std::array<uint32_t, 3>& to,
                   uint32_t line, const char* what) -> Status {
    for (size_t i = 0; i < 3; ++i) {
      auto v = number(spec, line, what, text[i], sizes);
      if (!v) return v.error();
      if (*v < 1 || *v > INT32_MAX)
        return spec.error_at(line, fmt::format("{} of {}: 1 to {}", what, *v, INT32_MAX));
      to[i] = static_cast<uint32_t>(*v);
    }
    return Ok{};
  };
  if (Status s = three(spec.grid, out.grid, spec.grid_line, "grid"); !s) return s;
  if (Status s = three(spec.block, out.block, spec.block_line, "block"); !s) return s;
  if (Status s = three(spec.cluster, out.cluster, spec.cluster_line, "cluster"); !s) return s;
  const auto own = spec.shared_of.find(target);
  auto shared = number(spec, spec.shared_line, "shared",
                       own != spec.shared_of.end() ? own->second : spec.shared, sizes);
  if (!shared) return shared.error();
  if (*shared < 0 || *shared > 1 << 24)
    return spec.error_at(spec.shared_line, fmt::format("{} bytes of shared memory", *shared));
  out.dynamic_shared = static_cast<uint32_t>(*shared);
  out.cooperative = spec.cooperative;
  return Ok{};
}

uint64_t traffic_bytes(const ResolvedLaunch& launch) {
  uint64_t out = 0;
  for (const auto* list : {&launch.arguments, &launch.references})
    for (const ResolvedArgument& a : *list) {
      uint64_t bytes = a.spec->is_buffer ? a.bytes() : 0;
      if (a.spec->image && a.spec->image->has_texels()) bytes = texel_bytes(a.image);
      out += a.spec->role == Role::kInOut ? 2 * bytes : bytes;
    }
  return out;
}

Result<ResolvedLaunch> resolve(const ptx::Module& m, uint32_t kernel, const KernelSpec& spec,
                               const SizeSpec& size, uint64_t seed) {
  ResolvedLaunch out;
  out.spec = &spec;
  if (Status s = resolve_launch(spec, size.values, out, ptx::name_of(m.target)); !s)
    return s.error();
  const ptx::Function& f = m.functions[kernel];
  // A kernel's own cluster shape needs no launch attribute.
  if (f.bounds.reqnctapercluster && spec.cluster == KernelSpec{}.cluster)
    for (size_t i = 0; i < 3; ++i) out.cluster[i] = std::max((*f.bounds.reqnctapercluster)[i], 1u);
  if (f.parameters.size() != spec.arguments.size())
    return input_error(fmt::format("{}: '{}' takes {} parameters, the spec gives {}", spec.path,
                                   f.name, f.parameters.size(), spec.arguments.size()));
  for (size_t i = 0; i < spec.arguments.size(); ++i) {
    ResolvedArgument a;
    a.spec = &spec.arguments[i];
    a.parameter_bytes = static_cast<uint32_t>(m.symbols[f.parameters[i]].size);
    a.seed = random_bits(seed, i);
    if (Status s = resolve_argument(spec, *a.spec, size.values, a); !s) return s.error();
    if (a.spec->map && a.parameter_bytes != emulator::kTensorMapBytes)
      return spec.error_at(
          a.spec->line,
          fmt::format("'{}' is a tensor map of {} bytes, parameter {} of '{}' has "
                      "{}: maps are passed by value",
                      a.spec->name, emulator::kTensorMapBytes, i, f.name, a.parameter_bytes));
    if ((a.spec->is_buffer || a.spec->image) && a.parameter_bytes < 8)
      return spec.error_at(a.spec->line,
                           fmt::format("'{}' is a {}, parameter {} of '{}' too small for a {}",
                                       a.spec->name, a.spec->is_buffer ? "buffer" : "handle", i,
                                       f.name, a.spec->is_buffer ? "pointer" : "handle"));
    if (!a.spec->is_buffer && !a.spec->map && ptx::bytes_of(a.spec->type) > a.parameter_bytes)
      return spec.error_at(
          a.spec->line, fmt::format("'{}' ({}) is larger than parameter {} of '{}'", a.spec->name,
                                    ptx::name_of(a.spec->type), i, f.name));
    out.arguments.push_back(a);
  }
  for (size_t i = 0; i < spec.references.size(); ++i) {
    ResolvedArgument a;
    a.spec = &spec.references[i];
    a.seed = random_bits(seed, spec.arguments.size() + i);
    if (Status s = resolve_argument(spec, *a.spec, size.values, a); !s) return s.error();
    out.references.push_back(a);
  }
  return out;
}

}  // namespace pitot::device
