#include "device/arguments.h"

#include <fmt/format.h>

#include "device/values.h"

namespace pitot::device {
namespace {

Status resolve_launch(const KernelSpec& spec, const Sizes& sizes, ResolvedLaunch& out) {
  auto three = [&](const std::array<std::string, 3>& text, std::array<uint32_t, 3>& to,
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

Status resolve_buffer(const ArgumentSpec& a, const Sizes& sizes, ResolvedArgument& out) {
  auto count = evaluate(a.count, sizes);
  if (!count) return count.error();
  if (*count < 0) return input_error(fmt::format("'{}' has {} elements", a.name, *count));
  auto origin = evaluate(a.origin, sizes);
  if (!origin) return origin.error();
  if (*origin < 0 || *origin > *count)
    return input_error(fmt::format("'{}' points to element {} of {}", a.name, *origin, *count));
  out.count = static_cast<uint64_t>(*count);
  out.origin = static_cast<uint64_t>(*origin);
  return Ok{};
}

Status resolve_scalar(const ArgumentSpec& a, const Sizes& sizes, ResolvedArgument& out) {
  if (ptx::kind_of(a.type) == ptx::TypeKind::kFloat) {
    auto v = evaluate_real(a.value, sizes);
    if (!v) return v.error();
    out.bits = encode(*v, a.type);
  } else {
    auto v = evaluate(a.value, sizes);
    if (!v) return v.error();
    out.bits = static_cast<uint64_t>(*v);
  }
  return Ok{};
}

}  // namespace

Result<ResolvedLaunch> resolve(const ptx::Module& m, uint32_t kernel, const KernelSpec& spec,
                               const SizeSpec& size, uint64_t seed) {
  ResolvedLaunch out;
  if (Status s = resolve_launch(spec, size.values, out); !s) return s.error();
  const ptx::Function& f = m.functions[kernel];
  if (f.parameters.size() != spec.arguments.size())
    return input_error(fmt::format("{}: '{}' takes {} parameters, the spec gives {}", spec.path,
                                   f.name, f.parameters.size(), spec.arguments.size()));
  for (size_t i = 0; i < spec.arguments.size(); ++i) {
    ResolvedArgument a;
    a.spec = &spec.arguments[i];
    a.parameter_bytes = static_cast<uint32_t>(m.symbols[f.parameters[i]].size);
    a.seed = random_bits(seed, i);
    if (Status s = a.spec->is_buffer ? resolve_buffer(*a.spec, size.values, a)
                                     : resolve_scalar(*a.spec, size.values, a);
        !s)
      return s.error();
    if (a.spec->is_buffer && a.parameter_bytes < 8)
      return input_error(fmt::format("parameter {} of '{}' is too small for a pointer", i, f.name));
    if (!a.spec->is_buffer && ptx::bytes_of(a.spec->type) > a.parameter_bytes)
      return input_error(fmt::format("argument '{}' ({}) is larger than parameter {} of '{}'",
                                     a.spec->name, ptx::name_of(a.spec->type), i, f.name));
    out.arguments.push_back(a);
  }
  return out;
}

}  // namespace pitot::device
