#include "approximate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "emulator/small_float.h"

namespace pitot::conformance {
namespace {

using ptx::Type;

double ulp_at(Type t, double v) {
  const int mantissa = t == Type::kF16 ? 10 : t == Type::kBf16 ? 7 : t == Type::kF64 ? 52 : 23;
  const int lowest = t == Type::kF16 ? -14 : t == Type::kF64 ? -1022 : -126;
  int e = 0;
  std::frexp(v, &e);
  return std::ldexp(1.0, std::max(e - 1, lowest) - mantissa);
}

}  // namespace

double number_of(Type t, uint64_t bits) {
  switch (t) {
    case Type::kF16:
      return emulator::decode(emulator::kF16, bits & 0xffff);
    case Type::kBf16:
      return emulator::decode(emulator::kBf16, bits & 0xffff);
    case Type::kF64:
      return std::bit_cast<double>(bits);
    default:
      return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
}

Exactly exactly(const std::string& spelling, Type type, std::span<const uint64_t> operands) {
  Exactly e;
  if (operands.empty()) return e;
  const std::string name = spelling.substr(0, spelling.find('.'));
  const bool ftz = spelling.find(".ftz") != std::string::npos;
  const Type t = type == Type::kF16x2 ? Type::kF16 : type == Type::kBf16x2 ? Type::kBf16 : type;
  const double smallest = t == Type::kF16 ? 0x1p-14 : t == Type::kF64 ? 0x1p-1022 : 0x1p-126;
  const auto operand = [&](size_t k) {
    uint64_t bits = operands[k];
    if (std::isnan(number_of(t, bits))) return number_of(t, bits);
    if (t == Type::kF64 && name == "rcp") bits &= 0xffffffff00000000;
    if (t == Type::kF64 && ftz) bits &= 0xffffffff00000000;
    double v = number_of(t, bits);
    if (ftz && std::fabs(v) < smallest) v = std::copysign(0.0, v);
    return v;
  };
  const double x = operand(0);
  const double infinite = std::numeric_limits<double>::infinity();
  double relative = 0, absolute = 0, ulps = 0;
  if (name == "rcp") {
    e.value = 1 / x;
    ulps = 1;
    if (t == Type::kF64) relative = 0x1p-20;  // "gross": 20 bits of mantissa
  } else if (name == "sqrt") {
    e.value = std::sqrt(x);
    relative = 0x1p-23;
  } else if (name == "rsqrt") {
    e.value = 1 / std::sqrt(x);
    relative = t == Type::kF64 ? (ftz ? 0x1p-20 : 0x1p-51) : std::exp2(-22.9);
  } else if (name == "sin" || name == "cos") {
    e.value = name == "sin" ? std::sin(x) : std::cos(x);
    const double turns = std::fabs(x) / 3.14159265358979324;
    absolute = turns <= 2 ? std::exp2(-20.5) : turns <= 100 ? std::exp2(-14.7) : infinite;
    if (std::isinf(x)) absolute = 0;
  } else if (name == "lg2") {
    e.value = std::log2(x);
    (x > 0.5 && x < 2 ? absolute : relative) = 0x1p-22;
  } else if (name == "ex2") {
    e.value = std::exp2(x);
    if (t == Type::kF16) relative = std::exp2(-9.9);
    if (t == Type::kBf16) relative = 0x1p-7;
    if (t == Type::kF32) ulps = 2;
  } else if (name == "tanh") {
    e.value = std::tanh(x);
    if (t == Type::kF16) absolute = std::exp2(-10.987);
    if (t == Type::kBf16) absolute = 0x1p-8;
    if (t == Type::kF32) relative = 0x1p-11;
  } else if (name == "div" && operands.size() > 1) {
    const double y = operand(1);
    e.value = x / y;
    ulps = 2;
    // .approx gives 0 beyond 2^126, NaN for an infinite dividend.
    if (spelling.find(".approx") != std::string::npos && std::fabs(y) > 0x1p126 && std::isfinite(y))
      e.value =
          std::isinf(x) ? std::numeric_limits<double>::quiet_NaN() : x * std::copysign(0.0, y);
    // Both subnormal or out of range in between: nothing is said of the scaling in .full.
  } else {
    return e;
  }
  e.known = true;
  const double finite = std::isfinite(e.value) ? e.value : 0;
  e.ulp = ulp_at(t, finite);
  // A bound on the function does not include the rounding into the format below its normal range.
  e.allowed = std::max({relative * std::fabs(finite), absolute, ulps * e.ulp});
  if (std::fabs(finite) < smallest) e.allowed = std::max(e.allowed, e.ulp);
  if (relative != 0 || absolute != 0) e.allowed = std::max(e.allowed, e.ulp / 2);
  if (ftz) e.flushed_below = smallest;
  return e;
}

}  // namespace pitot::conformance
