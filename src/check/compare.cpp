#include "check/compare.h"

#include <fmt/format.h>

#include <cmath>

#include "device/values.h"

namespace pitot::check {

using ptx::Type;
using ptx::TypeKind;

Tolerance default_tolerance(Type type) {
  switch (type) {
    case Type::kF32:
      return {1e-4, 1e-5};
    case Type::kTf32:
      return {2e-3, 1e-3};
    case Type::kF64:
      return {1e-11, 1e-13};
    case Type::kF16:
      return {4e-3, 2e-3};
    case Type::kBf16:
      return {2e-2, 1e-2};
    case Type::kE4m3:
      return {0.13, 0.02};
    case Type::kE5m2:
      return {0.26, 0.02};
    default:
      return {};
  }
}

Likeness compare(uint64_t a, uint64_t b, Type type, const Tolerance& t) {
  if (a == b) return Likeness::kSameBits;
  if (ptx::kind_of(type) != TypeKind::kFloat) return Likeness::kDifferent;
  const double x = device::decode(a, type), y = device::decode(b, type);
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y) ? Likeness::kClose : Likeness::kDifferent;
  if (std::isinf(x) || std::isinf(y)) return x == y ? Likeness::kClose : Likeness::kDifferent;
  const double allowed = t.absolute + t.relative * std::max(std::fabs(x), std::fabs(y));
  return std::fabs(x - y) <= allowed ? Likeness::kClose : Likeness::kDifferent;
}

double ulp_distance(uint64_t a, uint64_t b, Type type) {
  if (ptx::kind_of(type) != TypeKind::kFloat) return 0;
  const double x = device::decode(a, type), y = device::decode(b, type);
  if (std::isnan(x) || std::isnan(y)) return INFINITY;
  // The bits of a float, as sign and magnitude, count its steps from zero.
  const uint64_t sign = uint64_t{1} << (ptx::bits_of(type) - 1);
  auto steps = [sign](uint64_t v) {
    return (v & sign) != 0 ? -static_cast<double>(v & (sign - 1)) : static_cast<double>(v);
  };
  return std::fabs(steps(a) - steps(b));
}

std::string element_text(uint64_t bits, Type type) {
  if (ptx::kind_of(type) == TypeKind::kFloat) {
    const double v = device::decode(bits, type);
    return type == Type::kF64 ? fmt::format("{:.17g}", v) : fmt::format("{:.9g}", v);
  }
  if (ptx::kind_of(type) == TypeKind::kSigned)
    return fmt::format("{}", static_cast<int64_t>(device::decode(bits, type)));
  if (ptx::kind_of(type) == TypeKind::kUnsigned) return fmt::format("{}", bits);
  return fmt::format("{:#x}", bits);
}

}  // namespace pitot::check
