// Transfer functions of Bits. Addition and multiplication follow the usual known-bits algebra:
// a result bit is known where both operand bits and the carry into it are.
#include "analysis/bits.h"

#include <algorithm>

namespace pitot::analysis {
namespace {

Bits normal(Bits b) {
  b.vary &= ~b.known();
  return b;
}

// All bits from the lowest set one upwards.
uint64_t upward(uint64_t lowest_of) {
  return lowest_of == 0 ? 0 : ~uint64_t{0} << std::countr_zero(lowest_of);
}

Bits add_with_carry(const Bits& a, const Bits& b, bool carry) {
  uint64_t c = carry ? 1 : 0;
  uint64_t highest = ~a.zero + ~b.zero + c;
  uint64_t lowest = a.one + b.one + c;
  uint64_t carry_zero = ~(highest ^ a.zero ^ b.zero);
  uint64_t carry_one = lowest ^ a.one ^ b.one;
  uint64_t carry_known = carry_zero | carry_one;
  uint64_t known = a.known() & b.known() & carry_known;
  Bits out;
  out.zero = ~highest & known;
  out.one = lowest & known;
  uint64_t varying = a.vary | b.vary;
  // A carry can differ between lanes only above the lowest bit that does.
  out.vary = varying | (~carry_known & upward(varying));
  return normal(out);
}

}  // namespace

Bits join(const Bits& a, const Bits& b) {
  if (a.is_bottom()) return b;
  if (b.is_bottom()) return a;
  return normal({a.zero & b.zero, a.one & b.one, a.vary | b.vary});
}

Bits truncate(const Bits& a, unsigned width) {
  if (a.is_bottom()) return a;
  uint64_t m = Bits::mask(width);
  return {a.zero | ~m, a.one & m, a.vary & m};
}

Bits sign_extend(const Bits& a, unsigned from, unsigned to) {
  if (a.is_bottom() || from >= to) return a;
  uint64_t sign = uint64_t{1} << (from - 1);
  uint64_t high = Bits::mask(to) & ~Bits::mask(from);
  Bits out = a;
  if ((a.zero & sign) != 0) return out;
  out.zero &= ~high;
  if ((a.one & sign) != 0) out.one |= high;
  if ((a.vary & sign) != 0) out.vary |= high;
  return out;
}

Bits bits_add(const Bits& a, const Bits& b, unsigned width) {
  if (a.is_bottom() || b.is_bottom()) return Bits::bottom();
  return truncate(add_with_carry(a, b, false), width);
}

Bits bits_sub(const Bits& a, const Bits& b, unsigned width) {
  if (a.is_bottom() || b.is_bottom()) return Bits::bottom();
  return truncate(add_with_carry(a, {b.one, b.zero, b.vary}, true), width);
}

Bits bits_mul(const Bits& a, const Bits& b, unsigned width) {
  if (a.is_bottom() || b.is_bottom()) return Bits::bottom();
  if (a.is_constant() && b.is_constant()) return truncate(Bits::constant(a.one * b.one), width);
  for (auto [x, y] : {std::pair{&a, &b}, std::pair{&b, &a}})
    if (x->is_constant() && std::has_single_bit(x->one))
      return bits_shl(*y, static_cast<unsigned>(std::countr_zero(x->one)), width);
  unsigned zeros_a = std::min(a.trailing_zeros(), 64u), zeros_b = std::min(b.trailing_zeros(), 64u);
  unsigned known_a = static_cast<unsigned>(std::countr_one(a.known()));
  unsigned known_b = static_cast<unsigned>(std::countr_one(b.known()));
  // The low bits of a product depend on the low bits of the factors only.
  unsigned exact =
      std::min(64u, std::min(known_a - zeros_a, known_b - zeros_b) + zeros_a + zeros_b);
  uint64_t low = (a.one & Bits::mask(known_a)) * (b.one & Bits::mask(known_b));
  Bits out;
  out.zero = ~low & Bits::mask(exact);
  out.one = low & Bits::mask(exact);
  uint64_t largest = 0;
  if (!__builtin_mul_overflow(a.max(), b.max(), &largest) && largest != ~uint64_t{0})
    out.zero |= largest == 0 ? ~uint64_t{0} : ~Bits::mask(64 - std::countl_zero(largest));
  unsigned first = 64;
  if (a.vary != 0) first = std::countr_zero(a.vary) + zeros_b;
  if (b.vary != 0) first = std::min(first, std::countr_zero(b.vary) + zeros_a);
  out.vary = first >= 64 ? 0 : ~uint64_t{0} << first;
  return truncate(normal(out), width);
}

Bits bits_and(const Bits& a, const Bits& b) {
  if (a.is_bottom() || b.is_bottom()) return Bits::bottom();
  return normal({a.zero | b.zero, a.one & b.one, (a.vary & ~b.zero) | (b.vary & ~a.zero)});
}

Bits bits_or(const Bits& a, const Bits& b) {
  if (a.is_bottom() || b.is_bottom()) return Bits::bottom();
  return normal({a.zero & b.zero, a.one | b.one, (a.vary & ~b.one) | (b.vary & ~a.one)});
}

Bits bits_xor(const Bits& a, const Bits& b) {
  if (a.is_bottom() || b.is_bottom()) return Bits::bottom();
  return normal(
      {(a.zero & b.zero) | (a.one & b.one), (a.zero & b.one) | (a.one & b.zero), a.vary | b.vary});
}

Bits bits_not(const Bits& a, unsigned width) {
  if (a.is_bottom()) return a;
  return truncate({a.one, a.zero, a.vary}, width);
}

Bits bits_shl(const Bits& a, unsigned amount, unsigned width) {
  if (a.is_bottom()) return a;
  if (amount >= width) return Bits::constant(0);
  if (amount == 0) return a;
  Bits out{(a.zero << amount) | Bits::mask(amount), a.one << amount, a.vary << amount};
  return truncate(out, width);
}

Bits bits_shr(const Bits& a, unsigned amount, unsigned width, bool is_signed) {
  if (a.is_bottom()) return a;
  if (!is_signed) {
    if (amount >= width) return Bits::constant(0);
    if (amount == 0) return a;
    return {(a.zero >> amount) | ~(~uint64_t{0} >> amount), a.one >> amount, a.vary >> amount};
  }
  amount = std::min(amount, width - 1);
  Bits wide = sign_extend(a, width, 64);
  auto shift = [amount](uint64_t v) {
    return static_cast<uint64_t>(static_cast<int64_t>(v) >> amount);
  };
  return truncate({shift(wide.zero), shift(wide.one), shift(wide.vary)}, width);
}

Bits bits_below(uint64_t maximum, bool varies) {
  Bits out;
  out.zero = ~Bits::mask(64 - static_cast<unsigned>(std::countl_zero(maximum)));
  if (maximum == 0) out.zero = ~uint64_t{0};
  out.vary = varies ? ~out.zero : 0;
  return out;
}

namespace {

enum class Verdict : uint8_t { kFalse, kTrue, kEither };

Verdict decide_less(const Bits& a, const Bits& b, bool or_equal, unsigned width, bool is_signed) {
  // Flipping the sign bit turns signed order into unsigned order.
  uint64_t sign = is_signed ? uint64_t{1} << (width - 1) : 0;
  auto low = [sign](const Bits& x) { return (x.one & ~sign) | ((x.zero & sign) != 0 ? sign : 0); };
  auto high = [sign](const Bits& x) {
    return (x.max() & ~sign) | ((x.one & sign) != 0 ? 0 : sign);
  };
  if (or_equal ? high(a) <= low(b) : high(a) < low(b)) return Verdict::kTrue;
  if (or_equal ? low(a) > high(b) : low(a) >= high(b)) return Verdict::kFalse;
  return Verdict::kEither;
}

// a < b when only the low bits of one side vary and the other side sits on a boundary of those
// bits.
bool order_is_uniform(const Bits& a, const Bits& b, bool or_equal, unsigned width, bool is_signed) {
  if (!a.varies() && !b.varies()) return true;
  if (is_signed && ((a.vary | b.vary) >> (width - 1)) != 0) return false;
  auto low_span = [](const Bits& x) { return Bits::mask(64 - std::countl_zero(x.vary)); };
  if (a.varies() && !b.varies()) {
    uint64_t span = low_span(a);  // a < b iff a>>k < b>>k when b's low k bits are 0; a <= b: all 1
    return or_equal ? (b.one & span) == span : (b.zero & span) == span;
  }
  if (!a.varies() && b.varies()) {
    uint64_t span = low_span(b);  // a < b iff not b <= a; a <= b iff not b < a
    return or_equal ? (a.zero & span) == span : (a.one & span) == span;
  }
  return false;
}

}  // namespace

Bits bits_compare(const Bits& a, const Bits& b, Order order, unsigned width, bool is_signed) {
  if (a.is_bottom() || b.is_bottom()) return Bits::bottom();
  Bits out = Bits::uniform(1);
  Verdict verdict = Verdict::kEither;
  bool uniform = !a.varies() && !b.varies();
  bool invert = false;
  switch (order) {
    case Order::kNe:
      invert = true;
      [[fallthrough]];
    case Order::kEq:
      if (((a.one & b.zero) | (a.zero & b.one)) != 0) verdict = Verdict::kFalse;
      if (a.is_constant() && b.is_constant() && a.one == b.one) verdict = Verdict::kTrue;
      break;
    case Order::kLt:
    case Order::kGe:
      invert = order == Order::kGe;
      verdict = decide_less(a, b, false, width, is_signed);
      uniform = order_is_uniform(a, b, false, width, is_signed);
      break;
    case Order::kGt:
    case Order::kLe:
      invert = order == Order::kGt;
      verdict = decide_less(a, b, true, width, is_signed);
      uniform = order_is_uniform(a, b, true, width, is_signed);
      break;
  }
  if (verdict != Verdict::kEither)
    return Bits::constant((verdict == Verdict::kTrue) != invert ? 1 : 0);
  if (!uniform) out.vary = 1;
  return out;
}

}  // namespace pitot::analysis
