#include "reference/number.h"

namespace pitot::reference {

using ptx::Mod;
using ptx::Type;

namespace {

unsigned width(Value v) {
  unsigned n = 0;
  for (; v != 0; v >>= 1) ++n;
  return n;
}

// Whether the magnitude is to be rounded away from zero, given the last bit kept, the first one
// dropped, and whether anything follows.
bool rounds_up(Rounding mode, bool negative, bool last, bool half, bool rest) {
  switch (mode) {
    case Rounding::kNearestEven:
      return half && (rest || last);
    case Rounding::kNearestAway:
      return half;
    case Rounding::kZero:
      return false;
    case Rounding::kDown:
      return negative && (half || rest);
    case Rounding::kUp:
      return !negative && (half || rest);
  }
  return false;
}

// The mantissa in units of 2^unit, rounded.
Value in_units(const Number& n, int unit, Rounding mode) {
  const int drop = unit - n.exponent;
  if (drop <= 0) {
    const Value v = n.mantissa << -drop;  // the caller keeps this within 128 bits
    return n.inexact && rounds_up(mode, n.negative, (v & 1) != 0, false, true) ? v + 1 : v;
  }
  Value kept = 0;
  bool half = false, rest = n.inexact;
  if (drop <= 128) {
    kept = drop == 128 ? 0 : n.mantissa >> drop;
    half = (n.mantissa >> (drop - 1) & 1) != 0;
    rest = rest || low(n.mantissa, static_cast<unsigned>(drop - 1)) != 0;
  } else {
    rest = rest || n.mantissa != 0;
  }
  return rounds_up(mode, n.negative, (kept & 1) != 0, half, rest) ? kept + 1 : kept;
}

}  // namespace

bool is_float(Type t) {
  return t == Type::kF16 || t == Type::kBf16 || t == Type::kF32 || t == Type::kF64;
}

Format format_of(Type t) {
  switch (t) {
    case Type::kF16:
      return kHalf;
    case Type::kBf16:
      return kBfloat;
    case Type::kF32:
      return kSingle;
    case Type::kF64:
      return kDouble;
    default:
      throw Problem("no floating-point format");
  }
}

Value canonical_nan(Type t) {
  const Format f = format_of(t);
  // Double precision: a quiet NaN without a payload.
  return t == Type::kF64 ? Value{0xfff8'0000'0000'0000} : ones(f.bits() - 1);
}

Rounding rounding_of(const ptx::Opcode& op) {
  const auto any = [&](Mod a, Mod b) { return op.has_mod(a) || op.has_mod(b); };
  if (any(Mod::kRz, Mod::kRzi)) return Rounding::kZero;
  if (any(Mod::kRm, Mod::kRmi)) return Rounding::kDown;
  if (any(Mod::kRp, Mod::kRpi)) return Rounding::kUp;
  if (op.has_mod(Mod::kRna)) return Rounding::kNearestAway;
  return Rounding::kNearestEven;
}

Number nan() {
  Number n;
  n.kind = Number::Kind::kNan;
  return n;
}

Number from_integer(Signed v) {
  Number n;
  n.negative = v < 0;
  n.mantissa = static_cast<Value>(v < 0 ? -v : v);
  return n;
}

Number decode(Format f, Value bits) {
  Number n;
  n.negative = (bits >> (f.bits() - 1) & 1) != 0;
  const Value fraction = low(bits, f.fraction_bits);
  const int field = static_cast<int>(low(bits >> f.fraction_bits, f.exponent_bits));
  if (field == (1 << f.exponent_bits) - 1) {
    n.kind = fraction != 0 ? Number::Kind::kNan : Number::Kind::kInfinite;
    return n;
  }
  n.mantissa = field == 0 ? fraction : fraction | Value{1} << f.fraction_bits;
  n.exponent = (field == 0 ? 1 : field) - f.bias() - static_cast<int>(f.fraction_bits);
  return n;
}

Value encode(Format f, const Number& n, Rounding mode) {
  const Value sign = n.negative ? Value{1} << (f.bits() - 1) : 0;
  const Value infinity = ones(f.exponent_bits) << f.fraction_bits;
  if (n.nan()) return ones(f.bits() - 1);
  if (n.infinite()) return sign | infinity;
  if (n.mantissa == 0 && !n.inexact) return sign;
  // Units of the last place: those of the number's binade, or of the subnormals.
  const int least = 1 - f.bias() - static_cast<int>(f.fraction_bits);
  int unit =
      n.exponent + static_cast<int>(width(n.mantissa)) - 1 - static_cast<int>(f.fraction_bits);
  if (unit < least) unit = least;
  Value m = in_units(n, unit, mode);
  if (width(m) > f.fraction_bits + 1) {
    m >>= 1;
    ++unit;
  }
  if (width(m) <= f.fraction_bits) return sign | m;  // subnormal or zero: unit == least
  const int field = unit - least + 1;
  if (field >= (1 << f.exponent_bits) - 1) {
    const bool to_infinity = mode == Rounding::kNearestEven || mode == Rounding::kNearestAway ||
                             (mode == Rounding::kUp && !n.negative) ||
                             (mode == Rounding::kDown && n.negative);
    return sign | (to_infinity ? infinity : infinity - 1);
  }
  return sign | static_cast<Value>(field) << f.fraction_bits | low(m, f.fraction_bits);
}

Signed to_integer(const Number& n, Rounding mode) {
  const Signed limit = Signed{1} << 100;
  if (n.mantissa != 0 && n.exponent + static_cast<int>(width(n.mantissa)) > 100)
    return n.negative ? -limit : limit;
  const Signed m = static_cast<Signed>(in_units(n, 0, mode));
  return n.negative ? -m : m;
}

Number negated(Number n) {
  n.negative = !n.negative;
  return n;
}

Number magnitude(Number n) {
  n.negative = false;
  return n;
}

// Operands are exact.
Number sum(const Number& a, const Number& b, Rounding mode) {
  if (a.nan() || b.nan()) return nan();
  if (a.infinite() || b.infinite()) {
    if (a.infinite() && b.infinite() && a.negative != b.negative) return nan();
    return a.infinite() ? a : b;
  }
  if (a.zero() && b.zero()) {
    Number n;
    n.negative = a.negative == b.negative ? a.negative : mode == Rounding::kDown;
    return n;
  }
  if (a.zero()) return b;
  if (b.zero()) return a;
  const auto top = [](const Number& n) { return n.exponent + static_cast<int>(width(n.mantissa)); };
  const Number& big = top(a) >= top(b) ? a : b;
  const Number& small = top(a) >= top(b) ? b : a;
  // The greater one's top bit goes to bit 125; what of the other falls below bit 0 is remembered.
  Number n = big;
  const int shift = 126 - static_cast<int>(width(big.mantissa));
  n.mantissa = big.mantissa << shift;
  n.exponent = big.exponent - shift;
  const int down = n.exponent - small.exponent;
  Value other;
  bool lost = false;
  if (down <= 0) {
    other = small.mantissa << -down;
  } else if (down < 128) {
    other = small.mantissa >> down;
    lost = low(small.mantissa, static_cast<unsigned>(down)) != 0;
  } else {
    other = 0;
    lost = true;
  }
  if (a.negative == b.negative) {
    n.mantissa += other;
  } else if (n.mantissa >= other + (lost ? 1 : 0)) {
    n.mantissa -= other + (lost ? 1 : 0);  // then the rest is again between 0 and 1 unit above
  } else {
    n.mantissa = other - n.mantissa;  // equal tops, nothing lost
    n.negative = !n.negative;
  }
  n.inexact = lost;
  if (n.mantissa == 0 && !lost) {
    n = Number{};
    n.negative = mode == Rounding::kDown;
  }
  return n;
}

Number product(const Number& a, const Number& b) {
  if (a.nan() || b.nan()) return nan();
  Number n;
  n.negative = a.negative != b.negative;
  if (a.infinite() || b.infinite()) {
    if (a.zero() || b.zero()) return nan();
    n.kind = Number::Kind::kInfinite;
    return n;
  }
  n.mantissa = a.mantissa * b.mantissa;
  n.exponent = a.exponent + b.exponent;
  return n;
}

Number quotient(const Number& a, const Number& b) {
  if (a.nan() || b.nan() || (a.infinite() && b.infinite()) || (a.zero() && b.zero())) return nan();
  Number n;
  n.negative = a.negative != b.negative;
  if (a.infinite() || b.zero()) {
    n.kind = Number::Kind::kInfinite;
    return n;
  }
  if (a.zero() || b.infinite()) return n;
  const int up = 127 - static_cast<int>(width(a.mantissa));
  const Value dividend = a.mantissa << up;
  n.mantissa = dividend / b.mantissa;
  n.inexact = dividend % b.mantissa != 0;
  n.exponent = a.exponent - up - b.exponent;
  return n;
}

Number square_root(const Number& a) {
  if (a.nan() || a.zero()) return a;
  if (a.negative) return nan();
  if (a.infinite()) return a;
  int up = 126 - static_cast<int>(width(a.mantissa));
  if ((a.exponent - up) % 2 != 0) --up;
  const Value radicand = a.mantissa << up;
  Value root = 0;
  for (unsigned i = 64; i-- > 0;) {
    const Value candidate = root | Value{1} << i;
    if (candidate * candidate <= radicand) root = candidate;
  }
  Number n;
  n.mantissa = root;
  n.inexact = root * root != radicand;
  n.exponent = (a.exponent - up) / 2;
  return n;
}

int compare(const Number& a, const Number& b) {
  if (a.infinite() || b.infinite()) {
    const int x = a.infinite() ? (a.negative ? -1 : 1) : 0;
    const int y = b.infinite() ? (b.negative ? -1 : 1) : 0;
    return x < y ? -1 : x > y ? 1 : 0;
  }
  const Number difference = sum(a, negated(b), Rounding::kNearestEven);
  if (difference.zero()) return 0;
  return difference.negative ? -1 : 1;
}

Value flushed(Format f, Value bits) {
  const bool subnormal = low(bits >> f.fraction_bits, f.exponent_bits) == 0;
  return subnormal ? bits & Value{1} << (f.bits() - 1) : low(bits, f.bits());
}

}  // namespace pitot::reference
