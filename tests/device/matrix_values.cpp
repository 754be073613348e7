#include "matrix_values.h"

#include <algorithm>

namespace pitot::conformance {
namespace {

using ptx::Type;

struct Format {
  unsigned exponent, mantissa;
  bool one_nan = false;  // e4m3
};

bool format_of(Type t, Format& f) {
  switch (t) {
    case Type::kF16:
      f = {5, 10};
      return true;
    case Type::kBf16:
      f = {8, 7};
      return true;
    case Type::kTf32:
    case Type::kF32:
      f = {8, 23};
      return true;
    case Type::kF64:
      f = {11, 52};
      return true;
    case Type::kE4m3:
      f = {4, 3, true};
      return true;
    case Type::kE5m2:
      f = {5, 2};
      return true;
    default:
      return false;
  }
}

}  // namespace

uint64_t matrix_element(Random& r, Type t, Mixture m) {
  const unsigned bits = ptx::bits_of(t);
  const uint64_t all = bits >= 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  Format f{};
  if (!format_of(t, f)) {  // integers: the ends now and then
    const uint64_t ends[] = {0, 1, all, all >> 1, (all >> 1) + 1};
    return (r.chance(m == Mixture::kSpecial ? 70 : 10) ? r.of(ends) : r.next()) & all;
  }
  const uint64_t sign = r.chance(50) ? uint64_t{1} << (f.exponent + f.mantissa) : 0;
  const uint64_t top = (uint64_t{1} << f.exponent) - 1, bias = top >> 1;
  const auto make = [&](uint64_t e, uint64_t mantissa) {
    return e << f.mantissa | (mantissa & ((uint64_t{1} << f.mantissa) - 1));
  };
  const uint64_t last = f.one_nan ? top : top - 1;  // exponent of the largest numbers
  const auto finite = [&](uint64_t e, uint64_t mantissa) {
    uint64_t v = make(std::min(e, last), mantissa);
    if (f.one_nan && v == make(top, ~uint64_t{0})) v -= 1;
    return v;
  };
  switch (m) {
    case Mixture::kAlike:
      return sign | finite(bias - 2 + r.below(4), r.next());
    case Mixture::kPositive:
      return finite(bias - 2 + r.below(3), r.next());
    case Mixture::kWide: {
      const uint64_t half = std::min<uint64_t>(bias - 1, 13);
      return sign | finite(bias - half +
                               r.below(static_cast<uint32_t>(half + std::min<uint64_t>(half, 6))),
                           r.next());
    }
    case Mixture::kCancelling: {
      const uint64_t some[] = {0, 0, 1, 3, uint64_t{1} << (f.mantissa - 1)};
      return sign |
             finite(bias + r.below(std::min<uint32_t>(4, static_cast<uint32_t>(bias))), r.of(some));
    }
    case Mixture::kOneLarge:
      if (r.chance(12)) return sign | finite(bias + std::min<uint64_t>(bias - 1, 7), r.next());
      return sign | finite(bias - std::min<uint64_t>(bias - 2, 4) + r.below(3), r.next());
    case Mixture::kSmallIntegers: {
      constexpr unsigned kExponents[] = {0, 0, 1, 1, 2};
      return r.chance(20) ? 0
                          : sign | finite(bias + r.of(kExponents),
                                          r.next() & (uint64_t{1} << (f.mantissa - 1)));
    }
    case Mixture::kAny:
      return sign | finite(r.below(static_cast<uint32_t>(last + 1)), r.next());
    case Mixture::kSpecial:
      break;
  }
  switch (r.below(60)) {
    case 0:
      return f.one_nan ? sign | make(top, ~uint64_t{0}) : sign | make(top, 0);  // infinity
    case 1:
      return sign | make(top, ~uint64_t{0});  // NaN
    case 2:
    case 3:
      return sign;
    case 4:
    case 5:
    case 6:
      return sign | make(0, r.next());
    case 7:
      return sign | make(0, 1);
    case 8:
      return sign | finite(last, ~uint64_t{0});
    case 9:
      return sign | make(1, 0);
    default:
      return sign | finite(bias - 2 + r.below(4), r.next());
  }
}

uint64_t matrix_register(Random& r, Type t, unsigned bits, Mixture m) {
  const unsigned step = ptx::bits_of(t);
  uint64_t v = 0;
  for (unsigned at = 0; at < bits; at += step) v |= matrix_element(r, t, m) << at;
  return v;
}

}  // namespace pitot::conformance
