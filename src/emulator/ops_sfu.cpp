// The approximate functions: rcp, rsqrt, sqrt, sin, cos, lg2, ex2, tanh, div with .approx (PTX ISA,
// "Floating Point Instructions", "Half Precision …").
//
// The ISA bounds their error and fixes special values, not the last bits. Each is computed in f64
// and rounded once, which is nearer than every documented bound: 1 ulp for rcp, 2 ulp for div,
// 2^-22.9 relative for rsqrt, 2^-23 for sqrt, 2^-20.5 absolute for sin and cos, 2^-22 for lg2, 2
// ulp for ex2, 2^-11 relative for tanh and coarser for halves. Hardware differs in the last bits.
#include <cmath>

#include "emulator/families.h"
#include "emulator/small_float.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

// 2^x to 1e-14 for the range of f32, without branches: 2^round(x) times the series of 2^rest.
PITOT_INLINE double exp2_f64(double x) {
  x = x > 200 ? 200 : x;
  x = x < -200 ? -200 : x;
  constexpr double kShift = 0x1.8p52;  // its unit is 1: adding it rounds to an integer
  const double t = x + kShift;
  const double r = (x - (t - kShift)) * 0.6931471805599453;  // ln 2
  double p = 1.0 / 479001600;
  p = p * r + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return as_f64(bits(p) + (bits(t) << 52));
}

// log2 of a positive normal f64 to 1e-13: exponent plus the series of the inverse tangent.
PITOT_INLINE double log2_f64(double x) {
  constexpr uint64_t kOne = 0x3ff0000000000000, kRootHalf = 0x3fe6a09e667f3bcd;
  const uint64_t k = (bits(x) + (kOne - kRootHalf)) >> 52;
  const double m = as_f64(bits(x) - (k << 52) + kOne);  // in [√½, √2)
  const double e = as_f64(0x4330000000000000 | k) - (0x1p52 + 1023);
  const double s = (m - 1) / (m + 1), q = s * s;
  double p = 1.0 / 17;
  p = p * q + 1.0 / 15;
  p = p * q + 1.0 / 13;
  p = p * q + 1.0 / 11;
  p = p * q + 1.0 / 9;
  p = p * q + 1.0 / 7;
  p = p * q + 1.0 / 5;
  p = p * q + 1.0 / 3;
  p = p * q + 1.0;
  return e + s * p * 2.8853900817779268;  // 2 / ln 2
}

// Each gives the value for f32 bits, special values included, as f64.
struct Rcp {
  static PITOT_INLINE double of(uint32_t a) { return 1.0 / as_f32(a); }
};
struct Sqrt {
  static PITOT_INLINE double of(uint32_t a) {
    return __builtin_sqrt(static_cast<double>(as_f32(a)));
  }
};
struct Rsqrt {
  static PITOT_INLINE double of(uint32_t a) {
    return 1.0 / __builtin_sqrt(static_cast<double>(as_f32(a)));
  }
};
struct Sin {
  static PITOT_INLINE double of(uint32_t a) { return std::sin(static_cast<double>(as_f32(a))); }
};
struct Cos {
  static PITOT_INLINE double of(uint32_t a) { return std::cos(static_cast<double>(as_f32(a))); }
};
struct Tanh {
  static PITOT_INLINE double of(uint32_t a) { return std::tanh(static_cast<double>(as_f32(a))); }
};
struct Ex2 {
  static PITOT_INLINE double of(uint32_t a) {
    const uint64_t r = bits(exp2_f64(as_f32(pick(is_nan32(a), 0, a))));
    return as_f64(pick64(is_nan32(a), kNan64, r));
  }
};
struct Lg2 {
  static PITOT_INLINE double of(uint32_t a) {
    const auto m = static_cast<int32_t>(a & 0x7fffffff);
    const bool ordinary = (static_cast<int32_t>(a) > 0) & (m < 0x7f800000);
    const uint64_t r = bits(log2_f64(as_f32(pick(ordinary, a, 0x3f800000))));
    const uint64_t special =
        pick64(m == 0, 0xfff0000000000000, pick64(a == 0x7f800000, 0x7ff0000000000000, kNan64));
    return as_f64(pick64(ordinary, r, special));
  }
};

template <class F, bool kFlush>
struct Approximate {
  const uint32_t* a;
  PITOT_INLINE uint32_t operator()(unsigned i) const {
    const uint32_t r = bits(static_cast<float>(F::of(kFlush ? flush32(a[i]) : a[i])));
    return canonical32(kFlush ? flush32(r) : r);
  }
};
template <class F, bool kFlush>
struct Kernel {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    write_lanes(w.u32(op.d), mask, Approximate<F, kFlush>{w.u32(op.a)});
  }
};

// Beyond 2^126 the divisor's reciprocal is zero: the quotient of a number is 0, of infinity NaN.
template <bool kFlush>
struct Quotient {
  const uint32_t *a, *b;
  PITOT_INLINE uint32_t operator()(unsigned i) const {
    const uint32_t x = kFlush ? flush32(a[i]) : a[i], y = kFlush ? flush32(b[i]) : b[i];
    const auto m = static_cast<int32_t>(y & 0x7fffffff);
    const bool huge = (m > 0x7e800000) & (m < 0x7f800000);
    const float divisor = as_f32(pick(huge, 0x7f800000 | (y & 0x80000000), y));
    const uint32_t r = bits(as_f32(x) / divisor);
    return canonical32(kFlush ? flush32(r) : r);
  }
};
template <bool kFlush>
struct QuotientKernel {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    write_lanes(w.u32(op.d), mask, Quotient<kFlush>{w.u32(op.a), w.u32(op.b)});
  }
};

// tanh and ex2 of halves. ex2 of bf16 is always .ftz.
template <class F, bool kBrain, bool kPair, bool kFlush>
struct OfHalf {
  const uint32_t* a;
  static PITOT_INLINE uint32_t one(uint32_t h) {
    if constexpr (kBrain) {
      const uint32_t v = bf16_to_f32(h);
      const uint32_t r = f32_to_bf16(odd_f32(F::of(kFlush ? flush32(v) : v)));
      return kFlush ? flush32(r << 16) >> 16 : r;
    } else {
      return f32_to_f16(odd_f32(F::of(f16_to_f32(h))));
    }
  }
  PITOT_INLINE uint32_t operator()(unsigned i) const {
    const uint32_t v = a[i];
    if constexpr (kPair) return one(v & 0xffff) | one(v >> 16) << 16;
    return one(v & 0xffff);
  }
};
template <class F, bool kBrain, bool kPair, bool kFlush>
struct HalfKernel {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    write_lanes(w.u32(op.d), mask, OfHalf<F, kBrain, kPair, kFlush>{w.u32(op.a)});
  }
};
template <class F, bool kFlushBrain>
Handler of_half(Type t) {
  switch (t) {
    case Type::kF16:
      return handler_of<HalfKernel<F, false, false, false>>();
    case Type::kF16x2:
      return handler_of<HalfKernel<F, false, true, false>>();
    case Type::kBf16:
      return handler_of<HalfKernel<F, true, false, kFlushBrain>>();
    case Type::kBf16x2:
      return handler_of<HalfKernel<F, true, true, kFlushBrain>>();
    default:
      return nullptr;
  }
}

// rcp.approx.ftz.f64, rsqrt.approx.ftz.f64: of the upper 32 bits, to the upper 32 bits; subnormals
// count as zeros and results that would be subnormal become zeros.
template <bool kRoot>
void gross(Warp& w, const Op& op, LaneMask mask) {
  constexpr uint64_t kExponent = 0x7ff0000000000000, kSign = 0x8000000000000000;
  const uint64_t* a = w.u64(op.a);
  uint64_t* d = w.u64(op.d);
  for_each_lane(mask, [&](unsigned i) {
    uint64_t v = a[i];
    // Only the upper half is looked at, also for what a NaN is.
    v &= 0xffffffff00000000;
    if (is_nan64(v)) {
      d[i] = 0x7fffffff00000000;
      return;
    }
    if ((v & kExponent) == 0) v &= kSign;
    const double x = as_f64(v);
    uint64_t r = bits(1.0 / (kRoot ? std::sqrt(x) : x));
    if (is_nan64(r)) {
      r = kNan64;
    } else if ((r & kExponent) != kExponent) {
      r = (r + 0x80000000) & 0xffffffff00000000;
      if ((r & kExponent) == 0) r &= kSign;
    }
    d[i] = r;
  });
}
void rsqrt_f64(Warp& w, const Op& op, LaneMask mask) {
  const uint64_t* a = w.u64(op.a);
  uint64_t* d = w.u64(op.d);
  for_each_lane(mask, [&](unsigned i) {
    const uint64_t r = bits(1.0 / std::sqrt(as_f64(a[i])));
    d[i] = is_nan64(a[i]) ? a[i] | kQuiet64 : is_nan64(r) ? kNan64 : r;
  });
}

template <class F>
bool choose(Selection& s, bool flush) {
  s.op.run = flush ? handler_of<Kernel<F, true>>() : handler_of<Kernel<F, false>>();
  return true;
}

bool f64(Selection& s) {
  const bool root = s.opcode.mnemonic == Mnemonic::kRsqrt;
  if (s.opcode.mnemonic == Mnemonic::kRcp && s.has(Mod::kApprox)) {
    s.op.run = gross<false>;
  } else if (root) {
    s.op.run = s.has(Mod::kFtz) ? gross<true> : rsqrt_f64;
  }
  return s.op.run != nullptr;
}

}  // namespace

bool select_sfu(Selection& s) {
  const Mnemonic m = s.opcode.mnemonic;
  if (s.type == Type::kF64) return f64(s);
  if (s.type != Type::kF32) {
    if (m == Mnemonic::kTanh) s.op.run = of_half<Tanh, false>(s.type);
    if (m == Mnemonic::kEx2) s.op.run = of_half<Ex2, true>(s.type);
    return s.op.run != nullptr;
  }
  // Before 1.4 nothing was written, and meant .approx.ftz.
  const bool bare = !s.has(Mod::kApprox);
  if (bare && (has_rounding(s) || s.has(Mod::kFull))) return false;
  const bool flush = bare || s.has(Mod::kFtz);
  switch (m) {
    case Mnemonic::kDiv:
      s.op.run = flush ? handler_of<QuotientKernel<true>>() : handler_of<QuotientKernel<false>>();
      return true;
    case Mnemonic::kRcp:
      return choose<Rcp>(s, flush);
    case Mnemonic::kSqrt:
      return choose<Sqrt>(s, flush);
    case Mnemonic::kRsqrt:
      return choose<Rsqrt>(s, flush);
    case Mnemonic::kSin:
      return choose<Sin>(s, flush);
    case Mnemonic::kCos:
      return choose<Cos>(s, flush);
    case Mnemonic::kLg2:
      return choose<Lg2>(s, flush);
    case Mnemonic::kEx2:
      return choose<Ex2>(s, flush);
    case Mnemonic::kTanh:
      return choose<Tanh>(s, flush && !bare);
    default:
      return false;
  }
}

}  // namespace pitot::emulator
