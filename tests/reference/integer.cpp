// Integer arithmetic of the reference interpreter: every result is computed exactly in 128 bits
// and then cut (PTX ISA, "Integer Arithmetic Instructions", "Extended-Precision …").
#include <cstdlib>

#include "reference/work.h"

namespace pitot::reference {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

namespace {

bool is_integer(Type t) {
  const auto k = ptx::kind_of(t);
  return (k == ptx::TypeKind::kSigned || k == ptx::TypeKind::kUnsigned ||
          k == ptx::TypeKind::kBits) &&
         t != Type::kF16x2 && t != Type::kBf16x2 && t != Type::kF32x2;
}

struct Packed {
  Type element;
  unsigned count;
};
Packed packed(Type t) {
  switch (t) {
    case Type::kU16x2:
      return {Type::kU16, 2};
    case Type::kS16x2:
      return {Type::kS16, 2};
    case Type::kU8x4:
      return {Type::kU8, 4};
    case Type::kS8x4:
      return {Type::kS8, 4};
    default:
      return {Type::kNone, 0};
  }
}

Signed absolute(Signed v) { return v < 0 ? -v : v; }

// add, sub, min, max and neg on one element.
Signed element(const Work& w, Type t, Signed a, Signed b) {
  Signed r = 0;
  switch (w.op.mnemonic) {
    case Mnemonic::kAdd:
      r = a + b;
      break;
    case Mnemonic::kSub:
      r = a - b;
      break;
    case Mnemonic::kMin:
      r = a < b ? a : b;
      break;
    case Mnemonic::kMax:
      r = a > b ? a : b;
      break;
    case Mnemonic::kNeg:
      return -a;
    default:
      throw Problem("packed " + std::string(w.op.text));
  }
  if (w.has(Mod::kSat)) r = clamp(r, least_of(t), most_of(t));
  if (w.has(Mod::kRelu) && r < 0) r = 0;
  return r;
}

// The full product of two numbers of type t, in two's complement of 128 bits.
Value product(Type t, Value a, Value b) {
  if (is_signed(t)) return static_cast<Value>(number(t, a) * number(t, b));
  return low(a, ptx::bits_of(t)) * low(b, ptx::bits_of(t));
}

// The part of a product that .lo, .hi or .wide takes.
Value part(const Work& w, Type t, Value full) {
  const unsigned n = ptx::bits_of(t);
  if (w.has(Mod::kWide)) return low(full, 2 * n);
  return low(w.has(Mod::kHi) ? full >> n : full, n);
}

// mul24 and mad24: 24-bit numbers in 32-bit registers; .hi takes bits 47 to 16.
Value part24(const Work& w, Type t, Value a, Value b) {
  const Signed x = is_signed(t) ? sign_extended(a, 24) : static_cast<Signed>(low(a, 24));
  const Signed y = is_signed(t) ? sign_extended(b, 24) : static_cast<Signed>(low(b, 24));
  const Value full = static_cast<Value>(x * y);
  return low(w.has(Mod::kHi) ? full >> 16 : full, 32);
}

void add_saturated(Work& w, Type t, Value high, Value c) {
  w.d = static_cast<Value>(clamp(number(t, high) + number(t, c), least_of(t), most_of(t)));
}

Value dot(const Work& w) {
  const bool four = w.op.mnemonic == Mnemonic::kDp4a;
  const Type ta = w.type(0), tb = w.type(1);
  const bool any_signed = is_signed(ta) || is_signed(tb);
  Signed sum = any_signed ? sign_extended(w.in[2], 32) : static_cast<Signed>(low(w.in[2], 32));
  const unsigned step_a = four ? 8 : 16;
  const unsigned from_b = !four && w.has(Mod::kHi) ? 16 : 0;
  for (unsigned i = 0; i < (four ? 4u : 2u); ++i) {
    const Value a = w.in[0] >> (step_a * i), b = w.in[1] >> (from_b + 8 * i);
    const Signed x = is_signed(ta) ? sign_extended(a, step_a) : static_cast<Signed>(low(a, step_a));
    const Signed y = is_signed(tb) ? sign_extended(b, 8) : static_cast<Signed>(low(b, 8));
    sum += x * y;
  }
  return static_cast<Value>(sum);
}

}  // namespace

bool integer_arithmetic(Work& w) {
  const Mnemonic m = w.op.mnemonic;
  if (m == Mnemonic::kDp4a || m == Mnemonic::kDp2a) {
    w.d = dot(w);
    w.result = Type::kB32;
    return true;
  }
  if (w.types.empty()) return false;
  const Type t = w.type();
  if (const Packed p = packed(t); p.count != 0) {
    const unsigned n = ptx::bits_of(p.element);
    for (unsigned i = 0; i < p.count; ++i) {
      const Value a = w.in[0] >> (n * i), b = w.in.size() > 1 ? w.in[1] >> (n * i) : 0;
      const Signed r = element(w, p.element, number(p.element, a), number(p.element, b));
      w.d |= low(static_cast<Value>(r), n) << (n * i);
    }
    w.result = Type::kB32;
    return true;
  }
  if (!is_integer(t)) return false;
  const unsigned n = ptx::bits_of(t);
  const auto num = [&](size_t i) { return number(t, w.in.at(i)); };
  const auto bits = [&](size_t i) { return low(w.in.at(i), n); };
  w.result = t;
  switch (m) {
    case Mnemonic::kAdd:
    case Mnemonic::kSub:
      if (w.has(Mod::kCc)) {
        const Value r = m == Mnemonic::kAdd ? bits(0) + bits(1) : bits(0) - bits(1);
        w.carry = (r >> n & 1) != 0;
        if (m == Mnemonic::kSub) w.carry = !w.carry;  // nothing was borrowed
        w.d = r;
        return true;
      }
      [[fallthrough]];
    case Mnemonic::kMin:
    case Mnemonic::kMax:
      w.d = static_cast<Value>(element(w, t, num(0), num(1)));
      return true;
    case Mnemonic::kAddc:
    case Mnemonic::kSubc: {
      const Value r = m == Mnemonic::kAddc ? bits(0) + bits(1) + (w.carry ? 1 : 0)
                                           : bits(0) - (bits(1) + (w.carry ? 0 : 1));
      if (w.has(Mod::kCc)) w.carry = ((r >> n & 1) != 0) != (m == Mnemonic::kSubc);
      w.d = r;
      return true;
    }
    case Mnemonic::kMul:
      w.d = part(w, t, product(t, w.in[0], w.in[1]));
      if (w.has(Mod::kWide)) {
        const bool narrow = n == 16;
        w.result =
            is_signed(t) ? (narrow ? Type::kS32 : Type::kS64) : (narrow ? Type::kU32 : Type::kU64);
      }
      return true;
    case Mnemonic::kMad:
    case Mnemonic::kMadc: {
      const Value x = part(w, t, product(t, w.in[0], w.in[1]));
      if (w.has(Mod::kSat)) {
        add_saturated(w, t, x, w.in[2]);
        return true;
      }
      if (w.has(Mod::kWide)) {
        w.d = low(x + w.in[2], 2 * n);
        w.result = n == 16 ? Type::kB32 : Type::kB64;
        return true;
      }
      const Value r = x + bits(2) + (m == Mnemonic::kMadc && w.carry ? 1 : 0);
      if (w.has(Mod::kCc)) w.carry = (r >> n & 1) != 0;
      w.d = r;
      return true;
    }
    case Mnemonic::kMul24:
      w.d = part24(w, t, w.in[0], w.in[1]);
      return true;
    case Mnemonic::kMad24: {
      const Value x = part24(w, t, w.in[0], w.in[1]);
      if (w.has(Mod::kSat))
        add_saturated(w, t, x, w.in[2]);
      else
        w.d = x + bits(2);
      return true;
    }
    case Mnemonic::kSad:
      w.d = static_cast<Value>(num(2) + absolute(num(0) - num(1)));
      return true;
    case Mnemonic::kDiv:
      if (num(1) == 0) throw Problem("division by zero: the result is unspecified");
      w.d = static_cast<Value>(num(0) / num(1));
      return true;
    case Mnemonic::kRem:
      if (num(1) == 0) throw Problem("remainder by zero: the result is unspecified");
      w.d = static_cast<Value>(num(0) % num(1));
      return true;
    case Mnemonic::kAbs:
      w.d = static_cast<Value>(absolute(num(0)));
      return true;
    case Mnemonic::kNeg:
      w.d = static_cast<Value>(-num(0));
      return true;
    default:
      return false;
  }
}

}  // namespace pitot::reference
