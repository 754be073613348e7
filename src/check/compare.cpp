#include "check/compare.h"

#include <fmt/format.h>

#include <cmath>

#include "device/values.h"
#include "emulator/shadow.h"

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

namespace {

// Standard deviations that rounding errors may reach: they are not quite independent.
constexpr double kSpread = 8;

// The largest finite number, and where a type's numbers stop being normal.
double largest(Type t) {
  switch (t) {
    case Type::kF16:
      return 65504;
    case Type::kE4m3:
      return 448;
    case Type::kE5m2:
      return 57344;
    case Type::kF64:
      return 1.7976931348623157e308;
    default:
      return 3.4e38;
  }
}

double smallest_normal(Type t) {
  return t == Type::kF16 ? 0x1p-14 : t == Type::kF64 ? 0x1p-1022 : 0x1p-126;
}

}  // namespace

Likeness compare(uint64_t a, uint64_t b, Type type, const emulator::ShadowValue& exact,
                 const Tolerance& otherwise, bool& trusted) {
  trusted = true;
  if (a == b) return Likeness::kSameBits;
  const double x = device::decode(a, type), y = device::decode(b, type);
  const double unit = emulator::unit_roundoff(type);
  if (ptx::kind_of(type) != TypeKind::kFloat || unit == 0 || !std::isfinite(x) ||
      !std::isfinite(y)) {
    // Partial sums of one order may overflow where those of another do not.
    if (std::isfinite(x) != std::isfinite(y) && unit != 0 && exact.magnitude > largest(type) / 4)
      return Likeness::kClose;
    return compare(a, b, type, otherwise);
  }
  if (!std::isfinite(exact.value)) {
    trusted = false;
    return compare(a, b, type, otherwise);
  }
  // Flushed subnormals and the last place of the result are never a difference.
  const double floor = 2 * smallest_normal(type) + 4 * unit * std::fabs(exact.value);
  const double allowed = kSpread * exact.error() + floor, off = std::fabs(x - exact.value);
  if (off > allowed) {
    trusted = false;
    return compare(a, b, type, otherwise);
  }
  return std::fabs(y - exact.value) <= allowed + off ? Likeness::kClose : Likeness::kDifferent;
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

std::string unpaired_variable(char side, const std::string& name) {
  return fmt::format("{} writes the module's variable '{}', which {} lacks: not compared", side,
                     name, side == 'a' ? 'b' : 'a');
}

}  // namespace pitot::check
