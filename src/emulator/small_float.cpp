// Rounding to a format one value at a time, with integers only.
#include "emulator/small_float.h"

#include <algorithm>
#include <cmath>

namespace pitot::emulator {

uint64_t round_to(const Format& f, bool negative, uint64_t mantissa, int exponent, Rounding r,
                  bool satfinite) {
  const uint64_t sign = negative ? f.sign() : 0;
  if (mantissa == 0) return sign;
  const int lowest = 1 - f.bias();
  const int top = std::max(exponent + 63 - std::countl_zero(mantissa), lowest);
  const int shift = top - f.mantissa_bits - exponent;  // of the mantissa, to the format's quantum
  uint64_t kept = 0;
  bool any = false, above = false, half = false;  // what is cut off, against half a quantum
  if (shift <= 0) {
    kept = mantissa << -shift;
  } else if (shift > 64) {
    any = true;
  } else {
    const uint64_t middle = uint64_t{1} << (shift - 1);
    const uint64_t rest = shift == 64 ? mantissa : mantissa & (2 * middle - 1);
    kept = shift == 64 ? 0 : mantissa >> shift;
    any = rest != 0;
    half = rest == middle;
    above = rest > middle;
  }
  bool up = false;
  switch (r) {
    case Rounding::kNearest:
      up = above || (half && (kept & 1) != 0);
      break;
    case Rounding::kNearestAway:
      up = above || half;
      break;
    case Rounding::kZero:
      break;
    case Rounding::kDown:
      up = any && negative;
      break;
    case Rounding::kUp:
      up = any && !negative;
      break;
  }
  // A subnormal that rounds up to a normal number, and a mantissa to the next power, carry over.
  const uint64_t v = (static_cast<uint64_t>(top - lowest) << f.mantissa_bits) + kept + (up ? 1 : 0);
  if (v <= f.largest() && top <= f.bias() + 1) return sign | v;
  const bool away = r == Rounding::kNearest || r == Rounding::kNearestAway ||
                    (r == Rounding::kUp && !negative) || (r == Rounding::kDown && negative);
  if (satfinite || !away || f.top == TopExponent::kFinite) return sign | f.largest();
  return f.top == TopExponent::kIeee ? sign | f.infinity() : f.nan();
}

uint64_t encode(const Format& f, double v, Rounding r, bool satfinite) {
  const uint64_t b = bits(v);
  const bool negative = b >> 63 != 0;
  if (is_nan64(b)) return f.nan();
  const int e = static_cast<int>(b >> 52) & 0x7ff;
  const uint64_t m = b & ((uint64_t{1} << 52) - 1);
  if (e == 0x7ff) {
    const uint64_t sign = negative ? f.sign() : 0;
    if (f.top == TopExponent::kIeee && !satfinite) return sign | f.infinity();
    return f.top == TopExponent::kOneNan && !satfinite ? f.nan() : sign | f.largest();
  }
  if (e == 0) return round_to(f, negative, m, -1074, r, satfinite);
  return round_to(f, negative, m | uint64_t{1} << 52, e - 1075, r, satfinite);
}

double decode(const Format& f, uint64_t b) {
  const uint64_t magnitude = b & (f.sign() - 1);
  double v;
  if (f.top == TopExponent::kIeee && magnitude >= f.infinity()) {
    v = magnitude == f.infinity() ? HUGE_VAL : as_f64(0x7ff8000000000000);
  } else if (f.top == TopExponent::kOneNan && magnitude == f.nan()) {
    v = as_f64(0x7ff8000000000000);
  } else {
    const uint64_t e = magnitude >> f.mantissa_bits;
    uint64_t m = magnitude & ((uint64_t{1} << f.mantissa_bits) - 1);
    if (e != 0) m |= uint64_t{1} << f.mantissa_bits;
    const int exponent = static_cast<int>(std::max<uint64_t>(e, 1)) - f.bias() - f.mantissa_bits;
    v = std::ldexp(static_cast<double>(m), exponent);
  }
  return (b & f.sign()) != 0 ? -v : v;
}

double round_integral(double v, Rounding r) {
  switch (r) {
    case Rounding::kZero:
      return std::trunc(v);
    case Rounding::kDown:
      return std::floor(v);
    case Rounding::kUp:
      return std::ceil(v);
    case Rounding::kNearestAway:
      return std::round(v);
    case Rounding::kNearest:
      break;
  }
  return std::nearbyint(v);
}

uint32_t encode_ue8m0(float v, Rounding r, bool satfinite) {
  const uint32_t b = bits(v) & 0x7fffffff;
  if (b > 0x7f800000) return 0xff;
  if (b == 0x7f800000) return satfinite ? 0xfe : 0xff;
  uint32_t e = b >> 23;
  const uint32_t m = b & 0x7fffff;
  // 2^-127 is the smallest value: a subnormal with its top bit set, and what is below rounds to it.
  if (r == Rounding::kUp && (e == 0 ? m > 0x400000 : m != 0)) ++e;
  if (e == 0xff) return satfinite ? 0xfe : 0xff;
  return e;
}

}  // namespace pitot::emulator
