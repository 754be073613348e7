#include "operand_values.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace pitot::conformance {
namespace {

using ptx::Type;
using ptx::TypeKind;

struct Shape {
  unsigned exponent, mantissa;
};

uint64_t floating(Random& r, Shape s) {
  const unsigned bits = 1 + s.exponent + s.mantissa;
  const uint64_t one = uint64_t{1} << s.mantissa, low = one - 1;
  const uint64_t top = (uint64_t{1} << s.exponent) - 1, bias = top >> 1;
  const uint64_t sign = r.chance(50) ? uint64_t{1} << (bits - 1) : 0;
  const auto make = [&](uint64_t e, uint64_t m) { return sign | e << s.mantissa | (m & low); };
  const uint32_t kind = r.below(100);
  if (kind < 35) {
    switch (r.below(18)) {
      case 0:
        return make(0, 0);
      case 1:
        return make(top, 0);
      case 2:
        return make(top, one >> 1);  // quiet NaN
      case 3:
        return make(top, 1);  // signalling NaN
      case 4:
        return make(top, r.next() | 1);
      case 5:
        return make(0, 1);
      case 6:
        return make(0, low);
      case 7:
        return make(1, 0);
      case 8:
        return make(top - 1, low);
      case 9:
        return make(bias, 0);
      case 10:
        return make(bias, 1);
      case 11:
        return make(bias - 1, low);
      case 12:
        return make(bias - 1, 0);
      case 13:
        return make(0, r.next());  // subnormal
      case 14: {                   // an integer and a half, or close to it
        const unsigned shift = r.below(std::min(s.mantissa, static_cast<unsigned>(bias - 1)));
        const uint64_t half = shift < s.mantissa ? one >> (shift + 1) : 0;
        const uint64_t whole = r.next() & low & ~(2 * half - 1);
        return make(bias + shift, (whole | half) + r.below(3) - 1);
      }
      case 15: {  // at the end of an integer type
        constexpr unsigned kEnds[] = {7, 8, 15, 16, 31, 32, 63, 64};
        const uint64_t e = std::min<uint64_t>(bias + r.of(kEnds), top - 1);
        return r.chance(50) ? make(e, r.below(3)) : make(e - 1, low - r.below(3));
      }
      case 16:
        return make(top - 1, r.next());
      default:
        return make(1 + r.below(3), r.next());
    }
  }
  if (kind < 50) return r.next() & ((uint64_t{2} << (bits - 1)) - 1);
  const uint64_t e = bias - 9 + r.below(18);
  uint64_t m = r.next();
  if (kind < 65 && s.mantissa >= 23) {  // a tie, or beside one, of a shorter format
    constexpr unsigned kShorter[] = {2, 3, 7, 10, 23};
    unsigned keep = r.of(kShorter);
    if (keep >= s.mantissa) keep = 10;
    const unsigned cut = s.mantissa - keep;
    m = (m & ~((uint64_t{1} << cut) - 1)) | uint64_t{1} << (cut - 1);
    m += r.below(3) - 1;
    if (r.chance(30)) {  // among the subnormals of half precision
      return make(bias - 14 - r.below(11), m);
    }
  } else if (kind < 72) {  // few bits set
    m = (uint64_t{1} << r.below(s.mantissa)) | (r.chance(50) ? 1 : 0);
  }
  return make(e, m);
}

uint64_t integer(Random& r, unsigned bits) {
  const uint64_t mask = bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  const uint32_t kind = r.below(100);
  if (kind < 30) {
    const uint64_t ends[] = {0, 1, 2, mask, mask >> 1, (mask >> 1) + 1, mask - 1, (mask >> 1) + 2};
    return r.of(ends) & mask;
  }
  if (kind < 45) return ((uint64_t{1} << r.below(bits)) + r.below(3) - 1) & mask;
  if (kind < 60) return (r.next() >> r.below(64)) & mask;
  if (kind < 70) return (0 - (r.next() >> (20 + r.below(43)))) & mask;
  return r.next() & mask;
}

uint64_t narrow(Random& r, unsigned bits) { return r.next() & ((uint64_t{1} << bits) - 1); }

}  // namespace

uint64_t draw_amount(Random& r) {
  if (r.chance(70)) return r.below(70);
  return integer(r, 32);
}

uint64_t draw_value(Random& r, Type t) {
  const auto twice = [&](Type part, unsigned bits) {
    return draw_value(r, part) | draw_value(r, part) << bits;
  };
  switch (t) {
    case Type::kF16:
      return floating(r, {5, 10});
    case Type::kBf16:
      return floating(r, {8, 7});
    case Type::kF32:
    case Type::kTf32:
      return floating(r, {8, 23});
    case Type::kF64:
      return floating(r, {11, 52});
    case Type::kF16x2:
      return twice(Type::kF16, 16);
    case Type::kBf16x2:
      return twice(Type::kBf16, 16);
    case Type::kF32x2:
      return twice(Type::kF32, 32);
    case Type::kU16x2:
    case Type::kS16x2:
      return integer(r, 16) | integer(r, 16) << 16;
    case Type::kE4m3x2:
    case Type::kE5m2x2:
      return narrow(r, 16);
    case Type::kPred:
      return r.below(2);
    default:
      break;
  }
  const unsigned bits = ptx::bits_of(t);
  if (ptx::kind_of(t) == TypeKind::kBits && r.chance(40)) {
    if (bits == 16) return floating(r, r.chance(50) ? Shape{5, 10} : Shape{8, 7});
    if (bits == 32) return r.chance(60) ? floating(r, {8, 23}) : twice(Type::kF16, 16);
    if (bits == 64) return floating(r, {11, 52});
  }
  return integer(r, bits == 0 || bits > 64 ? 64 : bits);
}

uint64_t related_value(Random& r, Type t, uint64_t other) {
  const unsigned bits = std::min(64u, std::max(1u, ptx::bits_of(t)));
  const uint64_t mask = bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  const uint64_t sign = uint64_t{1} << (bits - 1);
  switch (r.below(6)) {
    case 0:
      return other & mask;
    case 1:
      return (other ^ sign) & mask;
    case 2:
      return (other + r.below(3) - 1) & mask;
    case 3:
      return ((other ^ sign) + r.below(5) - 2) & mask;
    case 4:
      return (0 - other) & mask;
    default:
      return (other ^ (uint64_t{1} << r.below(bits))) & mask;
  }
}

}  // namespace pitot::conformance
