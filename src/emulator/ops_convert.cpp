// cvt of single values, between all integer and floating-point types (PTX ISA, "cvt").
//
// Conversions that kernels are full of have loops of their own; every other one goes through
// convert_one(), a value at a time. Registers wider than a type are extended as the ISA says: the
// sign for signed integers, zeros for all else.
#include <algorithm>
#include <cmath>
#include <limits>

#include "emulator/families.h"
#include "emulator/small_float.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

enum : uint8_t { kFtz = 1, kSat = 2, kRelu = 4, kSatfinite = 8, kIntegral = 16 };

// In Op::imm.
struct Plan {
  Type from, to;
  Rounding rounding;
  uint8_t flags;
  bool wide_source;  // the register has 64 bits
  uint8_t unused[3];
};
static_assert(sizeof(Plan) == sizeof(int64_t));

bool is_integer(Type t) {
  const auto k = ptx::kind_of(t);
  return k == ptx::TypeKind::kSigned || k == ptx::TypeKind::kUnsigned;
}
bool is_signed(Type t) { return ptx::kind_of(t) == ptx::TypeKind::kSigned; }

const Format& format_of(Type t) {
  switch (t) {
    case Type::kF16:
      return kF16;
    case Type::kBf16:
      return kBf16;
    case Type::kTf32:
      return kTf32;
    case Type::kF64:
      return kF64;
    default:
      return kF32;
  }
}

Int128 read_integer(Type t, uint64_t raw) {
  const unsigned cut = 64 - ptx::bits_of(t);
  if (is_signed(t)) return static_cast<int64_t>(raw << cut) >> cut;
  return (raw << cut) >> cut;
}

uint64_t integer_from_integer(const Plan& p, Int128 v) {
  if ((p.flags & kSat) != 0) {
    const unsigned n = ptx::bits_of(p.to);
    const Int128 low = is_signed(p.to) ? -(Int128{1} << (n - 1)) : Int128{0};
    const Int128 high = is_signed(p.to) ? (Int128{1} << (n - 1)) - 1 : (Int128{1} << n) - 1;
    v = std::clamp(v, low, high);
  }
  return static_cast<uint64_t>(v);
}

// Out of range: the nearest integer of the type. NaN: 0, or with 64 bits on either side the top
// bit alone.
uint64_t integer_from_float(const Plan& p, double v) {
  const unsigned n = ptx::bits_of(p.to);
  if (v != v) return p.from == Type::kF64 || n == 64 ? uint64_t{1} << (n - 1) : 0;
  v = round_integral(v, p.rounding);
  const double limit = std::ldexp(1.0, static_cast<int>(is_signed(p.to) ? n - 1 : n));
  const Int128 high = (Int128{1} << (is_signed(p.to) ? n - 1 : n)) - 1;
  const Int128 low = is_signed(p.to) ? -high - 1 : Int128{0};
  Int128 i;
  if (v >= limit) {
    i = high;
  } else if (v <= static_cast<double>(low)) {
    i = low;
  } else {
    i = static_cast<Int128>(v);
  }
  return static_cast<uint64_t>(i);
}

// tf32 lies in the upper bits of an f32.
uint64_t placed(Type to, uint64_t v) {
  if (to != Type::kTf32) return v;
  return v << 13;
}

uint64_t float_from_integer(const Plan& p, Int128 v) {
  if ((p.flags & kSat) != 0) v = std::clamp(v, Int128{0}, Int128{1});
  return round_to(format_of(p.to), v < 0, static_cast<uint64_t>(v < 0 ? -v : v), 0, p.rounding);
}

uint64_t float_from_float(const Plan& p, uint64_t raw, double v) {
  const Format& to = format_of(p.to);
  if (v != v && p.to == Type::kTf32 && p.rounding == Rounding::kNearestAway) {
    // As on sm_90, which looks at nothing but the bits.
    uint32_t r = static_cast<uint32_t>(raw) & 0xffffe000;
    if ((p.flags & kSatfinite) != 0) r -= 0x2000;
    return r;
  }
  if (v != v && (p.flags & kSat) == 0) {
    if (p.to != Type::kF64) return placed(p.to, to.nan());
    // f64 keeps what the source's NaN carries.
    const Format& from = format_of(p.from);
    const uint64_t payload = raw & ((uint64_t{1} << from.mantissa_bits) - 1);
    return ((raw & from.sign()) != 0 ? to.sign() : 0) | to.infinity() | kQuiet64 |
           payload << (52 - from.mantissa_bits);
  }
  if ((p.flags & kIntegral) != 0) v = round_integral(v, p.rounding);
  if ((p.flags & kSat) != 0) v = v > 0 ? std::min(v, 1.0) : 0.0;
  if ((p.flags & kRelu) != 0) v = v > 0 ? v : 0.0;
  uint64_t r = encode(to, v, p.rounding, (p.flags & kSatfinite) != 0);
  if (p.to == Type::kF32 && (p.flags & kFtz) != 0) r = flush32(static_cast<uint32_t>(r));
  return placed(p.to, r);
}

uint64_t convert_one(const Plan& p, uint64_t raw) {
  if (is_integer(p.from)) {
    const Int128 v = read_integer(p.from, raw);
    return is_integer(p.to) ? integer_from_integer(p, v) : float_from_integer(p, v);
  }
  const Format& from = format_of(p.from);
  if (p.from == Type::kF32 && (p.flags & kFtz) != 0) raw = flush32(static_cast<uint32_t>(raw));
  const double v = decode(from, raw);
  return is_integer(p.to) ? integer_from_float(p, v) : float_from_float(p, raw, v);
}

void convert(Warp& w, const Op& op, LaneMask mask) {
  const Plan p = std::bit_cast<Plan>(op.imm);
  const Slot& d = w.program().slots_of(op)[0];
  for_each_lane(mask, [&](unsigned lane) {
    const uint64_t raw = p.wide_source ? w.u64(op.a)[lane] : w.u32(op.a)[lane];
    uint64_t r = convert_one(p, raw);
    if (is_integer(p.to)) r = static_cast<uint64_t>(read_integer(p.to, r));
    w.set(d, lane, r);
  });
}

// --- loops for the frequent ones ---

template <class D, class A, class F>
struct Unary {
  const A* a;
  PITOT_INLINE D operator()(unsigned i) const { return F::of(a[i]); }
};
template <class D, class A, class F>
struct UnaryKernel {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    write_lanes(reinterpret_cast<D*>(w.regs + op.d), mask,
                Unary<D, A, F>{reinterpret_cast<const A*>(w.regs + op.a)});
  }
};
template <class D, class A, class F>
Handler unary() {
  return handler_of<UnaryKernel<D, A, F>>();
}

// Integer to integer without .sat: the source's bits extended to its word, cut to the destination's
// type, extended to the destination's register. Shifts in Op::imm's bytes: of the source, of the
// type, of the register.
template <class D, class A, bool kSigned, bool kSignedTo>
struct Resize {
  const A* a;
  unsigned from, to, width;
  template <class W, bool kSign>
  static PITOT_INLINE W extended(W v, unsigned cut) {
    if constexpr (kSign) {
      return static_cast<W>(static_cast<std::make_signed_t<W>>(v << cut) >> cut);
    } else {
      return (v << cut) >> cut;
    }
  }
  PITOT_INLINE D operator()(unsigned i) const {
    const A v = extended<A, kSigned>(a[i], from);
    D r;
    if constexpr (kSigned) {
      r = static_cast<D>(static_cast<std::make_signed_t<A>>(v));
    } else {
      r = static_cast<D>(v);
    }
    return extended<D, false>(extended<D, kSignedTo>(r, to), width);
  }
};
template <class D, class A, bool kSigned, bool kSignedTo>
struct ResizeKernel {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    write_lanes(reinterpret_cast<D*>(w.regs + op.d), mask,
                Resize<D, A, kSigned, kSignedTo>{reinterpret_cast<const A*>(w.regs + op.a),
                                                 static_cast<unsigned>(op.imm & 0xff),
                                                 static_cast<unsigned>(op.imm >> 8 & 0xff),
                                                 static_cast<unsigned>(op.imm >> 16 & 0xff)});
  }
};
template <class D, class A>
Handler resize(bool from_signed, bool to_signed) {
  if (from_signed)
    return to_signed ? handler_of<ResizeKernel<D, A, true, true>>()
                     : handler_of<ResizeKernel<D, A, true, false>>();
  return to_signed ? handler_of<ResizeKernel<D, A, false, true>>()
                   : handler_of<ResizeKernel<D, A, false, false>>();
}
Handler resize(const Plan& p, const Slot& d, const Slot& a, int64_t& imm) {
  const bool wide_d = d.bits > 32, wide_a = a.bits > 32;
  const unsigned word_d = wide_d ? 64 : 32, word_a = wide_a ? 64 : 32;
  imm = (word_a - ptx::bits_of(p.from)) | (word_d - ptx::bits_of(p.to)) << 8 |
        (word_d - d.bits) << 16;
  const bool from_signed = is_signed(p.from), to_signed = is_signed(p.to);
  if (wide_d)
    return wide_a ? resize<uint64_t, uint64_t>(from_signed, to_signed)
                  : resize<uint64_t, uint32_t>(from_signed, to_signed);
  return wide_a ? resize<uint32_t, uint64_t>(from_signed, to_signed)
                : resize<uint32_t, uint32_t>(from_signed, to_signed);
}

struct F32FromF16 {
  static PITOT_INLINE uint32_t of(uint32_t a) { return canonical32(f16_to_f32(a & 0xffff)); }
};
struct F32FromBf16 {
  static PITOT_INLINE uint32_t of(uint32_t a) { return canonical32(bf16_to_f32(a & 0xffff)); }
};
struct F16FromF32 {
  static PITOT_INLINE uint32_t of(uint32_t a) { return f32_to_f16(a); }
};
struct Bf16FromF32 {
  static PITOT_INLINE uint32_t of(uint32_t a) { return f32_to_bf16(a); }
};
struct F32FromS32 {
  static PITOT_INLINE uint32_t of(uint32_t a) {
    return bits(static_cast<float>(static_cast<int32_t>(a)));
  }
};
struct F32FromU32 {
  static PITOT_INLINE uint32_t of(uint32_t a) { return bits(static_cast<float>(a)); }
};
struct F64FromS32 {
  static PITOT_INLINE uint64_t of(uint32_t a) {
    return bits(static_cast<double>(static_cast<int32_t>(a)));
  }
};
struct F64FromU32 {
  static PITOT_INLINE uint64_t of(uint32_t a) { return bits(static_cast<double>(a)); }
};
struct F64FromF32 {
  static PITOT_INLINE uint64_t of(uint32_t a) { return bits(static_cast<double>(as_f32(a))); }
};
struct F32FromF64 {
  static PITOT_INLINE uint32_t of(uint64_t a) {
    return canonical32(bits(static_cast<float>(as_f64(a))));
  }
};
template <Rounding kRounding>
PITOT_INLINE float integral(float v) {
  if constexpr (kRounding == Rounding::kZero) return __builtin_truncf(v);
  if constexpr (kRounding == Rounding::kDown) return __builtin_floorf(v);
  if constexpr (kRounding == Rounding::kUp) return __builtin_ceilf(v);
  return __builtin_rintf(v);
}
template <Rounding kRounding, bool kFlush>
struct F32Integral {
  static PITOT_INLINE uint32_t of(uint32_t a) {
    return canonical32(bits(integral<kRounding>(as_f32(kFlush ? flush32(a) : a))));
  }
};
template <Rounding kRounding, bool kFlush>
struct S32FromF32 {
  static PITOT_INLINE uint32_t of(uint32_t a) {
    const float v = integral<kRounding>(as_f32(kFlush ? flush32(a) : a));
    const bool fits = v >= -0x1p31f && v < 0x1p31f;
    const int32_t i = static_cast<int32_t>(fits ? v : 0.0f);
    const int32_t high = v >= 0x1p31f ? INT32_MAX : i;
    return static_cast<uint32_t>(v < -0x1p31f ? INT32_MIN : high);
  }
};
template <Rounding kRounding, bool kFlush>
struct U32FromF32 {
  static PITOT_INLINE uint32_t of(uint32_t a) {
    const float v = integral<kRounding>(as_f32(kFlush ? flush32(a) : a));
    const bool upper = v >= 0x1p31f;
    const float low = v - as_f32(pick(upper, bits(0x1p31f), 0));  // exact
    const uint32_t fits = pick((low > 0) & (low < 0x1p31f), bits(low), 0);
    const auto i = static_cast<uint32_t>(static_cast<int32_t>(as_f32(fits)));
    return pick(v >= 0x1p32f, UINT32_MAX, i | pick(upper, 0x80000000, 0));
  }
};

template <template <Rounding, bool> class F, bool kFlush>
Handler pick_rounding(Rounding r) {
  switch (r) {
    case Rounding::kZero:
      return unary<uint32_t, uint32_t, F<Rounding::kZero, kFlush>>();
    case Rounding::kDown:
      return unary<uint32_t, uint32_t, F<Rounding::kDown, kFlush>>();
    case Rounding::kUp:
      return unary<uint32_t, uint32_t, F<Rounding::kUp, kFlush>>();
    default:
      return unary<uint32_t, uint32_t, F<Rounding::kNearest, kFlush>>();
  }
}
template <template <Rounding, bool> class F>
Handler pick(const Plan& p) {
  return (p.flags & kFtz) != 0 ? pick_rounding<F, true>(p.rounding)
                               : pick_rounding<F, false>(p.rounding);
}

// Null where there is no loop of its own.
Handler frequent(const Plan& p, const Slot& d, const Slot& a) {
  const auto is = [&](Type to, Type from) { return p.to == to && p.from == from; };
  const bool narrow_d = d.bits <= 32, narrow_a = a.bits <= 32;
  if (narrow_d && narrow_a && (p.flags & ~(kFtz | kIntegral)) == 0 && d.bits == 32) {
    if (is(Type::kS32, Type::kF32)) return pick<S32FromF32>(p);
    if (is(Type::kU32, Type::kF32)) return pick<U32FromF32>(p);
    if (is(Type::kF32, Type::kF32) && (p.flags & kIntegral) != 0) return pick<F32Integral>(p);
  }
  if ((p.flags & kFtz) != 0 && is(Type::kF32, Type::kF16) && p.flags == kFtz && narrow_d &&
      narrow_a)
    return unary<uint32_t, uint32_t, F32FromF16>();  // no f16 is a subnormal f32
  if (p.flags != 0 || p.rounding != Rounding::kNearest) return nullptr;
  if (narrow_d && narrow_a) {
    if (is(Type::kF32, Type::kF16)) return unary<uint32_t, uint32_t, F32FromF16>();
    if (is(Type::kF32, Type::kBf16)) return unary<uint32_t, uint32_t, F32FromBf16>();
    if (is(Type::kF16, Type::kF32)) return unary<uint32_t, uint32_t, F16FromF32>();
    if (is(Type::kBf16, Type::kF32)) return unary<uint32_t, uint32_t, Bf16FromF32>();
    if (is(Type::kF32, Type::kS32)) return unary<uint32_t, uint32_t, F32FromS32>();
    if (is(Type::kF32, Type::kU32)) return unary<uint32_t, uint32_t, F32FromU32>();
  }
  if (!narrow_d && narrow_a) {
    if (is(Type::kF64, Type::kS32)) return unary<uint64_t, uint32_t, F64FromS32>();
    if (is(Type::kF64, Type::kU32)) return unary<uint64_t, uint32_t, F64FromU32>();
    if (is(Type::kF64, Type::kF32)) return unary<uint64_t, uint32_t, F64FromF32>();
  }
  if (narrow_d && is(Type::kF32, Type::kF64)) return unary<uint32_t, uint64_t, F32FromF64>();
  return nullptr;
}

bool single(Type t) {
  switch (t) {
    case Type::kF16:
    case Type::kBf16:
    case Type::kF32:
    case Type::kF64:
      return true;
    default:
      return is_integer(t);
  }
}

}  // namespace

bool select_convert(Selection& s) {
  if (s.opcode.mnemonic != Mnemonic::kCvt || s.has(Mod::kPack) || s.has(Mod::kRs)) return false;
  const Type to = s.types[0], from = s.types[1];
  if (!(single(to) || to == Type::kTf32) || !single(from) || s.slots.size() != 2) return false;
  const Slot& d = s.slots[0];
  const Slot& a = s.slots[1];
  if (d.bits < ptx::bits_of(to) || d.bits > 64 || a.bits > 64 || a.bits < ptx::bits_of(from))
    return false;
  Plan p{};
  p.from = from;
  p.to = to;
  p.rounding = rounding_of(s);
  if (s.has(Mod::kFtz)) p.flags |= kFtz;
  if (s.has(Mod::kSat)) p.flags |= kSat;
  if (s.has(Mod::kRelu)) p.flags |= kRelu;
  if (s.has(Mod::kSatfinite)) p.flags |= kSatfinite;
  if (s.has(Mod::kRni) || s.has(Mod::kRzi) || s.has(Mod::kRmi) || s.has(Mod::kRpi))
    p.flags |= kIntegral;
  // The hardware does not flush what becomes a half.
  if (to == Type::kF16 && from == Type::kF32) p.flags &= ~kFtz;
  if (is_integer(to) && !is_integer(from)) p.flags &= ~kSat;  // these saturate in any case
  p.wide_source = a.bits > 32;
  s.op.imm = std::bit_cast<int64_t>(p);
  if (is_integer(to) && is_integer(from) && p.flags == 0) {
    s.op.run = resize(p, d, a, s.op.imm);
    return true;
  }
  s.op.run = frequent(p, d, a);
  if (s.op.run == nullptr) s.op.run = convert;
  return true;
}

}  // namespace pitot::emulator
