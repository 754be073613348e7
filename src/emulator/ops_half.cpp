// Arithmetic of f16, bf16 and their pairs, and of f32 with f16 or bf16 operands (PTX ISA, "Half
// Precision Floating Point Instructions", "Mixed Precision Floating Point Instructions").
//
// Halves are widened to f32, exactly. A result is computed so that rounding it once more to the
// half is the rounding of the exact result: f32 has more than twice the bits plus two, products are
// exact in f64, and where neither suffices the wider result is rounded to odd. NaN results are
// 0x7fff. .oob is not covered: which NaN it means is not documented.
#include <cmath>

#include "emulator/families.h"
#include "emulator/float_order.h"
#include "emulator/small_float.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

struct Half {
  static constexpr uint32_t kExponent = 0x7c00;
  // As f32: numbers below it are below 2^-14 when rounded to 11 bits.
  static constexpr int32_t kTooSmall = 0x387ff000;
  static const Format& format() { return kF16; }
  static PITOT_INLINE uint32_t widen(uint32_t h) { return f16_to_f32(h); }
  static PITOT_INLINE uint32_t narrow(uint32_t v) { return f32_to_f16(v); }
};
struct Brain {
  static constexpr uint32_t kExponent = 0x7f80;
  static constexpr int32_t kTooSmall = 0x00800000;  // nothing flushes
  static const Format& format() { return kBf16; }
  static PITOT_INLINE uint32_t widen(uint32_t h) { return bf16_to_f32(h); }
  static PITOT_INLINE uint32_t narrow(uint32_t v) { return f32_to_bf16(v); }
};

// a·b + c rounded to odd; the product of two halves is exact.
PITOT_INLINE double odd_fma(double a, double b, double c) {
  const double p = a * b;
  const double s = p + c;
  const double t = s - p;
  const double error = (p - (s - t)) + (c - t);
  const bool inexact = error > 0 || error < 0;  // not for infinities
  const bool outwards = (error > 0) == (s > 0);
  uint64_t r = bits(s);
  const uint64_t even = ~r & 1;
  r += pick64(inexact, pick64(outwards, even, uint64_t{0} - even), 0);
  return as_f64(r);
}

struct Add {
  static constexpr unsigned kArity = 2;
  template <class H>
  static PITOT_INLINE uint32_t of(uint32_t a, uint32_t b, uint32_t) {
    return bits(as_f32(a) + as_f32(b));
  }
};
struct Sub {
  static constexpr unsigned kArity = 2;
  template <class H>
  static PITOT_INLINE uint32_t of(uint32_t a, uint32_t b, uint32_t) {
    return bits(as_f32(a) - as_f32(b));
  }
};
struct Mul {
  static constexpr unsigned kArity = 2;
  template <class H>
  static PITOT_INLINE uint32_t of(uint32_t a, uint32_t b, uint32_t) {
    if constexpr (std::is_same_v<H, Half>) {
      return bits(as_f32(a) * as_f32(b));  // exact
    } else {
      return odd_f32(static_cast<double>(as_f32(a)) * as_f32(b));  // exact in f64
    }
  }
};
struct Fma {
  static constexpr unsigned kArity = 3;
  template <class H>
  static PITOT_INLINE uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    if constexpr (std::is_same_v<H, Half>) {
      // Exact in f64 unless one term is over 2^31 times the other: then the result is c or too
      // large, whatever is lost.
      return odd_f32(static_cast<double>(as_f32(a)) * as_f32(b) + as_f32(c));
    } else {
      return odd_f32(odd_fma(as_f32(a), as_f32(b), as_f32(c)));
    }
  }
};

template <class H, class F, bool kPair>
struct Arithmetic {
  const uint32_t *a, *b, *c;
  uint32_t flush;  // bits that a subnormal loses
  uint32_t relu;   // 0x8000, or 0
  bool sat;

  PITOT_INLINE uint32_t flushed(uint32_t h) const {
    return h & ~pick((h & H::kExponent) == 0, flush, 0);
  }
  PITOT_INLINE uint32_t read(uint32_t h) const { return H::widen(flushed(h & 0xffff)); }
  PITOT_INLINE uint32_t one(uint32_t x, uint32_t y, uint32_t z) const {
    const uint32_t v =
        F::template of<H>(read(x), F::kArity > 1 ? read(y) : 0, F::kArity > 2 ? read(z) : 0);
    uint32_t r = flushed(H::narrow(pick(sat, saturate32(v), v)));
    // What would be too small were there no limit to exponents is flushed too, as sm_90 does it.
    const bool small = (static_cast<int32_t>(v & 0x7fffffff) < H::kTooSmall) & (flush != 0);
    r = pick(small, pick(sat, 0, v >> 16 & 0x8000), r);
    return pick((r & relu) != 0, 0, r);  // NaN is positive by now
  }
  PITOT_INLINE uint32_t operator()(unsigned i) const {
    const uint32_t x = a[i], y = F::kArity > 1 ? b[i] : 0, z = F::kArity > 2 ? c[i] : 0;
    if constexpr (kPair) return one(x, y, z) | one(x >> 16, y >> 16, z >> 16) << 16;
    return one(x, y, z);
  }
};
enum : uint16_t { kFtz = 1, kSat = 2, kRelu = 4, kNanWins = 8, kAbs = 16, kXorSign = 32 };

template <class H, class F, bool kPair>
struct ArithmeticKernel {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    write_lanes(w.u32(op.d), mask,
                Arithmetic<H, F, kPair>{
                    w.u32(op.a), w.u32(op.b), w.u32(op.c), (op.variant & kFtz) != 0 ? 0x7fffu : 0u,
                    (op.variant & kRelu) != 0 ? 0x8000u : 0u, (op.variant & kSat) != 0});
  }
};

// fma of bf16 in a direction other than to nearest: Op::imm.
template <bool kPair>
void directed_fma(Warp& w, const Op& op, LaneMask mask) {
  const auto r = static_cast<Rounding>(op.imm);
  const bool relu = (op.variant & kRelu) != 0;
  auto one = [&](uint32_t a, uint32_t b, uint32_t c) {
    auto value = [](uint32_t h) { return static_cast<double>(as_f32(bf16_to_f32(h & 0xffff))); };
    const double x = value(a), y = value(b), z = value(c);
    double v = odd_fma(x, y, z);
    // An exact zero of terms of opposite sign is −0 downwards.
    if (v == 0 && r == Rounding::kDown && std::signbit(x * y) != std::signbit(z)) v = -0.0;
    const auto h = static_cast<uint32_t>(encode(kBf16, v, r));
    return relu && (h & 0x8000) != 0 ? 0 : h;
  };
  const uint32_t *a = w.u32(op.a), *b = w.u32(op.b), *c = w.u32(op.c);
  uint32_t* d = w.u32(op.d);
  for_each_lane(mask, [&](unsigned i) {
    uint32_t v = one(a[i], b[i], c[i]);
    if (kPair) v |= one(a[i] >> 16, b[i] >> 16, c[i] >> 16) << 16;
    d[i] = v;
  });
}

template <class H, bool kMaximum, bool kPair>
struct Extreme {
  const uint32_t *a, *b;
  uint32_t flush, keep, sign;  // bits that a subnormal loses; masks of bits and of the sign
  int32_t for_nan;
  PITOT_INLINE uint32_t read(uint32_t h) const {
    h &= keep;
    return H::widen(h & ~pick((h & H::kExponent) == 0, flush, 0));
  }
  PITOT_INLINE uint32_t one(uint32_t x, uint32_t y) const {
    const uint32_t v = extreme32<kMaximum>(read(x), read(y), for_nan);
    const uint32_t r = H::narrow(v);
    return r | pick(is_nan32(v), 0, (x ^ y) & sign);
  }
  PITOT_INLINE uint32_t operator()(unsigned i) const {
    const uint32_t x = a[i], y = b[i];
    if constexpr (kPair) return one(x, y) | one(x >> 16, y >> 16) << 16;
    return one(x, y);
  }
};
template <class H, bool kMaximum, bool kPair>
struct ExtremeKernel {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    write_lanes(w.u32(op.d), mask,
                Extreme<H, kMaximum, kPair>{w.u32(op.a), w.u32(op.b),
                                            (op.variant & kFtz) != 0 ? 0x7fffu : 0u,
                                            (op.variant & kAbs) != 0 ? 0x7fffu : 0xffffu,
                                            (op.variant & kXorSign) != 0 ? 0x8000u : 0u,
                                            nan_key(kMaximum, (op.variant & kNanWins) != 0)});
  }
};

// abs, neg: of one half or both. A NaN becomes the canonical one.
template <class H, bool kPair>
struct Sign {
  const uint32_t* a;
  uint32_t flush, keep, flip;  // bits that a subnormal loses; masks of both halves
  PITOT_INLINE uint32_t flushed(uint32_t h) const {
    return h & ~pick((h & H::kExponent) == 0, flush, 0);
  }
  PITOT_INLINE uint32_t one(uint32_t h) const {
    const uint32_t v = (flushed(h) & keep & 0xffff) ^ (flip & 0xffff);
    return pick((h & 0x7fff) > H::kExponent, 0x7fff, v);
  }
  PITOT_INLINE uint32_t operator()(unsigned i) const {
    const uint32_t v = a[i];
    if constexpr (kPair) return one(v & 0xffff) | one(v >> 16) << 16;
    return one(v & 0xffff);
  }
};
template <class H, bool kAbsolute, bool kPair>
struct SignKernel {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    constexpr uint32_t kSigns = kPair ? 0x80008000 : 0x8000;
    write_lanes(w.u32(op.d), mask,
                Sign<H, kPair>{w.u32(op.a), (op.variant & kFtz) != 0 ? 0x7fffu : 0u,
                               kAbsolute ? ~kSigns : UINT32_MAX, kAbsolute ? 0u : kSigns});
  }
};

// f32 arithmetic whose first operands are halves. The rounding is in Op::imm.
template <class H, class F, bool kDirected>
struct Mixed {
  const uint32_t *a, *b, *c;
  bool sat;
  PITOT_INLINE uint32_t operator()(unsigned i) const {
    const float x = as_f32(H::widen(a[i] & 0xffff));
    float r;
    if constexpr (std::is_same_v<F, Fma>) {
      r = __builtin_fmaf(x, as_f32(H::widen(b[i] & 0xffff)), as_f32(c[i]));
    } else if constexpr (std::is_same_v<F, Add>) {
      r = x + as_f32(b[i]);
    } else {
      r = x - as_f32(b[i]);
    }
    return pick(sat, saturate32(bits(r)), canonical32(bits(r)));
  }
};
template <class H, class F, bool kDirected>
struct MixedKernel {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    const Mixed<H, F, kDirected> lane{w.u32(op.a), w.u32(op.b), w.u32(op.c),
                                      (op.variant & kSat) != 0};
    if constexpr (kDirected) {
      const RoundingScope scope(static_cast<Rounding>(op.imm));
      write_lanes(w.u32(op.d), mask, lane);
    } else {
      write_lanes(w.u32(op.d), mask, lane);
    }
  }
};

bool is_half(Type t) {
  return t == Type::kF16 || t == Type::kF16x2 || t == Type::kBf16 || t == Type::kBf16x2;
}

// Calls f<H, kPair>() for the type; null for others.
template <class F>
Handler with_half(Type t, F&& f) {
  switch (t) {
    case Type::kF16:
      return f.template operator()<Half, false>();
    case Type::kF16x2:
      return f.template operator()<Half, true>();
    case Type::kBf16:
      return f.template operator()<Brain, false>();
    case Type::kBf16x2:
      return f.template operator()<Brain, true>();
    default:
      return nullptr;
  }
}
template <class F>
Handler arithmetic(Type t) {
  return with_half(
      t, []<class H, bool kPair>() { return handler_of<ArithmeticKernel<H, F, kPair>>(); });
}
template <bool kMaximum>
Handler extreme(Type t) {
  return with_half(
      t, []<class H, bool kPair>() { return handler_of<ExtremeKernel<H, kMaximum, kPair>>(); });
}
template <bool kAbsolute>
Handler sign(Type t) {
  return with_half(
      t, []<class H, bool kPair>() { return handler_of<SignKernel<H, kAbsolute, kPair>>(); });
}

template <class F>
bool mixed(Selection& s) {
  const Rounding r = rounding_of(s);
  const bool directed = r != Rounding::kNearest;
  s.op.imm = static_cast<int64_t>(r);
  s.op.variant = s.has(Mod::kSat) ? kSat : 0;
  if (s.types[1] == Type::kF16) {
    s.op.run = directed ? handler_of<MixedKernel<Half, F, true>>()
                        : handler_of<MixedKernel<Half, F, false>>();
  } else if (s.types[1] == Type::kBf16) {
    s.op.run = directed ? handler_of<MixedKernel<Brain, F, true>>()
                        : handler_of<MixedKernel<Brain, F, false>>();
  }
  return s.op.run != nullptr;
}

bool fma(Selection& s) {
  const Rounding r = rounding_of(s);
  if (r == Rounding::kNearest) {
    s.op.run = arithmetic<Fma>(s.type);
    return s.op.run != nullptr;
  }
  s.op.imm = static_cast<int64_t>(r);
  if (s.type == Type::kBf16) s.op.run = directed_fma<false>;
  if (s.type == Type::kBf16x2) s.op.run = directed_fma<true>;
  return s.op.run != nullptr;
}

}  // namespace

bool select_half(Selection& s) {
  const Mnemonic m = s.opcode.mnemonic;
  if (s.type == Type::kF32 && s.types[1] != Type::kNone) {
    if (m == Mnemonic::kAdd) return mixed<Add>(s);
    if (m == Mnemonic::kSub) return mixed<Sub>(s);
    if (m == Mnemonic::kFma) return mixed<Fma>(s);
    return false;
  }
  if (s.types[1] != Type::kNone || s.has(Mod::kOob) || !is_half(s.type)) return false;
  uint16_t variant = 0;
  if (s.has(Mod::kFtz)) variant |= kFtz;
  if (s.has(Mod::kSat)) variant |= kSat;
  if (s.has(Mod::kRelu)) variant |= kRelu;
  if (s.has(Mod::kNaN)) variant |= kNanWins;
  if (s.has(Mod::kAbs)) variant |= kAbs;
  if (s.has(Mod::kXorsign)) variant |= kXorSign;
  s.op.variant = variant;
  switch (m) {
    case Mnemonic::kAdd:
      s.op.run = arithmetic<Add>(s.type);
      break;
    case Mnemonic::kSub:
      s.op.run = arithmetic<Sub>(s.type);
      break;
    case Mnemonic::kMul:
      s.op.run = arithmetic<Mul>(s.type);
      break;
    case Mnemonic::kFma:
      return fma(s);
    case Mnemonic::kMin:
      s.op.run = extreme<false>(s.type);
      break;
    case Mnemonic::kMax:
      s.op.run = extreme<true>(s.type);
      break;
    case Mnemonic::kAbs:
      s.op.run = sign<true>(s.type);
      break;
    case Mnemonic::kNeg:
      s.op.run = sign<false>(s.type);
      break;
    default:
      return false;
  }
  return s.op.run != nullptr;
}

}  // namespace pitot::emulator
