// cvt of the reference interpreter (PTX ISA, cvt).
#include "reference/number.h"

namespace pitot::reference {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

namespace {

Value to_int(const Work& w, Type d, Type s, Value v) {
  const Format f = format_of(s);
  if (w.has(Mod::kFtz)) v = flushed(f, v);
  const Number x = decode(f, v);
  const unsigned n = ptx::bits_of(d);
  // "Zero if source is not .f64 and destination is not .s64, .u64; otherwise 1 << (width − 1)".
  if (x.nan()) return s == Type::kF64 || n == 64 ? Value{1} << (n - 1) : 0;
  if (x.infinite()) return static_cast<Value>(x.negative ? least_of(d) : most_of(d));
  return static_cast<Value>(clamp(to_integer(x, rounding_of(w.op)), least_of(d), most_of(d)));
}

bool rounds_to_integer(const ptx::Opcode& op) {
  return op.has_mod(Mod::kRni) || op.has_mod(Mod::kRzi) || op.has_mod(Mod::kRmi) ||
         op.has_mod(Mod::kRpi);
}

// What follows the conversion to a floating-point type.
Value finished(const Work& w, Type d, Value bits) {
  const Format f = format_of(d);
  if (w.has(Mod::kFtz) && d == Type::kF32) bits = flushed(f, bits);
  const Number x = decode(f, bits);
  if (w.has(Mod::kSat)) {
    const Number one = from_integer(1);
    if (x.nan() || x.zero() || x.negative) return 0;
    if (compare(x, one) > 0) return encode(f, one, Rounding::kZero);
  }
  if (w.has(Mod::kSatfinite) && x.infinite()) bits -= 1;
  if (w.has(Mod::kRelu) && !x.nan() && x.negative) return 0;
  return bits;
}

Value to_float(const Work& w, Type d, Type s, Value v) {
  const Rounding mode = rounding_of(w.op);
  if (!is_float(s)) return finished(w, d, encode(format_of(d), from_integer(number(s, v)), mode));
  const Format f = format_of(s);
  v = low(v, f.bits());
  if (w.has(Mod::kFtz) && s == Type::kF32 && d != Type::kF16) v = flushed(f, v);
  Number x = decode(f, v);
  if (x.nan()) return finished(w, d, canonical_nan(d));
  if (rounds_to_integer(w.op) && x.kind == Number::Kind::kFinite && x.exponent < 0) {
    const bool negative = x.negative;
    x = from_integer(to_integer(x, mode));
    x.negative = negative;  // also of zero
  }
  return finished(w, d, encode(format_of(d), x, mode));
}

Value to_tf32(const Work& w, Value v) {
  const Number x = decode(kSingle, v);
  if (x.nan()) return ones(31);
  const Value bits = encode(Format{8, 10}, x, rounding_of(w.op)) << 13;
  const Number r = decode(kSingle, bits);
  if (w.has(Mod::kRelu) && r.negative) return 0;
  return w.has(Mod::kSatfinite) && r.infinite() ? bits - (1u << 13) : bits;
}

// The small formats: without infinity, their greatest number and what NaN becomes.
struct Small {
  Format f;
  bool ieee;   // the greatest exponent is infinity and NaN
  Value most;  // greatest finite magnitude
  Value from_nan;
  unsigned step;  // bits from one packed value to the next
};
Small small_of(Type t) {
  switch (t) {
    case Type::kE4m3x2:
      return {{4, 3}, false, 0x7e, 0x7f, 8};
    case Type::kE5m2x2:
      return {{5, 2}, true, 0x7b, 0x7f, 8};
    case Type::kE2m3x2:
      return {{2, 3}, false, 0x1f, 0x1f, 8};
    case Type::kE3m2x2:
      return {{3, 2}, false, 0x1f, 0x1f, 8};
    case Type::kE2m1x2:
      return {{2, 1}, false, 0x7, 0x7, 4};
    default:
      return {{}, false, 0, 0, 0};
  }
}

// The magnitude that the format's bits without the sign stand for.
Number magnitude_of(const Small& s, Value bits) {
  const int e = static_cast<int>(bits >> s.f.fraction_bits);
  Number x;
  x.mantissa = low(bits, s.f.fraction_bits) | (e != 0 ? Value{1} << s.f.fraction_bits : 0);
  x.exponent = (e == 0 ? 1 : e) - s.f.bias() - static_cast<int>(s.f.fraction_bits);
  return x;
}

// The nearest of the format's few numbers, of two equally near the even one; beyond the greatest,
// that one (.satfinite, which all these conversions have).
Value to_small(const Work& w, const Small& s, const Number& x) {
  if (x.nan()) return s.from_nan;
  if (w.has(Mod::kRelu) && x.negative) return 0;
  const Value sign = x.negative ? Value{1} << (s.f.bits() - 1) : 0;
  if (x.infinite() || compare(magnitude(x), magnitude_of(s, s.most)) >= 0) return sign | s.most;
  const auto distance = [&](Value bits) {
    return magnitude(sum(magnitude(x), negated(magnitude_of(s, bits)), Rounding::kNearestEven));
  };
  Value best = 0;
  for (Value m = 1; m <= s.most; ++m) {
    const int order = compare(distance(m), distance(best));
    if (order < 0 || (order == 0 && (m & 1) == 0)) best = m;
  }
  return sign | best;
}

// A small format's number as f16 or bf16.
Value from_small(const Work& w, const Small& s, Type half, Value bits) {
  bits = low(bits, s.f.bits());
  const bool negative = (bits >> (s.f.bits() - 1) & 1) != 0;
  const Value m = low(bits, s.f.bits() - 1);
  Number x = magnitude_of(s, m);
  x.negative = negative;
  if (m > s.most && s.from_nan > s.most) {  // beyond the finite numbers
    if (!s.ieee || low(m, s.f.fraction_bits) != 0) return canonical_nan(half);
    x.kind = Number::Kind::kInfinite;
  }
  if (w.has(Mod::kRelu) && negative) return 0;
  const Value d = encode(format_of(half), x, Rounding::kNearestEven);
  return w.has(Mod::kSatfinite) && x.infinite() ? d - 1 : d;
}

// ue8m0: an exponent alone, 2^(e − 127); all ones is NaN.
Value power_of_two(Value bits) {
  bits &= 0xff;
  if (bits == 0xff) return canonical_nan(Type::kBf16);
  Number x;
  x.mantissa = 1;
  x.exponent = static_cast<int>(bits) - 127;
  return encode(kBfloat, x, Rounding::kNearestEven);
}

void pack(Work& w) {
  const Type t = w.type(0);
  const unsigned n = ptx::bits_of(t);
  const auto part = [&](size_t k) {
    return low(static_cast<Value>(clamp(sign_extended(w.in[k], 32), least_of(t), most_of(t))), n);
  };
  w.d = part(0) << n | part(1);
  if (w.in.size() > 2) w.d |= low(w.in[2], 32) << (2 * n);
  w.result = Type::kB32;
}

}  // namespace

bool conversion(Work& w) {
  if (w.op.mnemonic != Mnemonic::kCvt) return false;
  if (w.has(Mod::kPack)) {
    pack(w);
    return true;
  }
  const Type d = w.type(0), s = w.type(1);
  w.result = d;
  if (d == Type::kTf32) {
    w.d = to_tf32(w, w.in[0]);
    w.result = Type::kB32;
    return true;
  }
  if (w.has(Mod::kRs)) return false;
  if (const Small small = small_of(d); small.step != 0) {
    Number a, b;
    if (s == Type::kF32) {
      a = decode(kSingle, w.in[0]);
      b = decode(kSingle, w.in[1]);
    } else if (s == Type::kF16x2 || s == Type::kBf16x2) {
      const Format f = s == Type::kF16x2 ? kHalf : kBfloat;
      a = decode(f, w.in[0] >> 16 & 0xffff);
      b = decode(f, w.in[0] & 0xffff);
    } else {
      return false;
    }
    w.d = to_small(w, small, a) << small.step | to_small(w, small, b);
    w.result = small.step == 4 ? Type::kB8 : Type::kB16;
    return true;
  }
  if (d == Type::kF16x2 || d == Type::kBf16x2) {
    const Type half = d == Type::kF16x2 ? Type::kF16 : Type::kBf16;
    if (const Small small = small_of(s); small.step != 0) {
      w.d = from_small(w, small, half, w.in[0] >> small.step) << 16 |
            from_small(w, small, half, w.in[0]);
      return true;
    }
    if (s == Type::kUe8m0x2) {
      w.d = power_of_two(w.in[0] >> 8) << 16 | power_of_two(w.in[0]);
      return true;
    }
    if (s != Type::kF32) return false;
    w.d = to_float(w, half, s, w.in[0]) << 16 | to_float(w, half, s, w.in[1]);
    return true;
  }
  if (is_float(d)) {
    w.d = to_float(w, d, s, w.in[0]);
    return true;
  }
  if (is_float(s)) {
    w.d = to_int(w, d, s, w.in[0]);
    return true;
  }
  if (ptx::kind_of(d) != ptx::TypeKind::kSigned && ptx::kind_of(d) != ptx::TypeKind::kUnsigned)
    return false;
  Signed v = number(s, w.in[0]);
  if (w.has(Mod::kSat)) v = clamp(v, least_of(d), most_of(d));
  w.d = static_cast<Value>(v);
  return true;
}

}  // namespace pitot::reference
