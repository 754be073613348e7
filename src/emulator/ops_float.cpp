// Arithmetic of f32, f32x2 and f64 (PTX ISA, "Floating Point Instructions"): add, sub, mul, fma,
// mad, and the correctly rounded div, rcp and sqrt.
//
// Results are those of IEEE 754 in the direction asked for, computed by the host in that direction.
// NaN results are kNan32; for f64, where the ISA promises nothing, see kNan64. A result that is
// subnormal after rounding is what .ftz flushes.
#include "emulator/families.h"
#include "emulator/float_lanes.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

enum : unsigned { kFtz = 1, kSat = 2, kDirected = 4 };

struct Add {
  static constexpr unsigned kArity = 2;
  template <class T>
  static PITOT_INLINE T of(T a, T b, T) {
    return a + b;
  }
};
struct Sub {
  static constexpr unsigned kArity = 2;
  template <class T>
  static PITOT_INLINE T of(T a, T b, T) {
    return a - b;
  }
};
struct Mul {
  static constexpr unsigned kArity = 2;
  template <class T>
  static PITOT_INLINE T of(T a, T b, T) {
    return a * b;
  }
};
// One instruction where the target has it, else the C library's, which is correctly rounded too.
struct Fma {
  static constexpr unsigned kArity = 3;
  static PITOT_INLINE float of(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static PITOT_INLINE double of(double a, double b, double c) { return __builtin_fma(a, b, c); }
};
struct Div {
  static constexpr unsigned kArity = 2;
  template <class T>
  static PITOT_INLINE T of(T a, T b, T) {
    return a / b;
  }
};
struct Rcp {
  static constexpr unsigned kArity = 1;
  template <class T>
  static PITOT_INLINE T of(T a, T, T) {
    return T{1} / a;
  }
};
struct Sqrt {
  static constexpr unsigned kArity = 1;
  static PITOT_INLINE float of(float a, float, float) { return __builtin_sqrtf(a); }
  static PITOT_INLINE double of(double a, double, double) { return __builtin_sqrt(a); }
};

template <class F, unsigned kFlags>
struct Lane32 {
  const uint32_t *a, *b, *c;
  static PITOT_INLINE float read(const uint32_t* p, unsigned i) {
    return as_f32((kFlags & kFtz) != 0 ? flush32(p[i]) : p[i]);
  }
  PITOT_INLINE uint32_t operator()(unsigned i) const {
    const float x = read(a, i);
    const float y = F::kArity > 1 ? read(b, i) : 0;
    const float z = F::kArity > 2 ? read(c, i) : 0;
    uint32_t r = bits(F::of(x, y, z));
    if constexpr ((kFlags & kFtz) != 0) {
      r = flush32(r);
      // What would be too small were there no limit to exponents is flushed too, as sm_90 does it.
      if constexpr (std::is_same_v<F, Mul> || std::is_same_v<F, Fma>) {
        const double exact = __builtin_fabs(F::of(double{x}, double{y}, double{z}));
        const bool below =
            (kFlags & kDirected) != 0 ? exact <= 0x1p-126 - 0x1p-150 : exact < 0x1p-126 - 0x1p-151;
        const bool small = (r & 0x7fffffff) == 0x00800000 && below;
        r = small ? r & 0x80000000 : r;
      }
    }
    if constexpr ((kFlags & kSat) != 0) return saturate32(r);
    return canonical32(r);
  }
};

// kPairs: f32x2, both halves of 64-bit registers, which lie in memory one after the other.
template <class F, unsigned kFlags, bool kPairs>
struct Kernel32 {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    const Lane32<F, kFlags> lane{w.u32(op.a), w.u32(op.b), w.u32(op.c)};
    constexpr unsigned kCount = kPairs ? 2 * kLanes : kLanes;
    if constexpr ((kFlags & kDirected) != 0) {
      const RoundingScope scope(static_cast<Rounding>(op.variant));
      write_lanes<kCount, kPairs ? 1 : 0>(w.u32(op.d), mask, lane);
    } else {
      write_lanes<kCount, kPairs ? 1 : 0>(w.u32(op.d), mask, lane);
    }
  }
};

template <class F>
struct Lane64 {
  const uint64_t *a, *b, *c;
  PITOT_INLINE uint64_t operator()(unsigned i) const {
    const uint64_t x = a[i], y = F::kArity > 1 ? b[i] : 0, z = F::kArity > 2 ? c[i] : 0;
    const uint64_t r = bits(F::of(as_f64(x), as_f64(y), as_f64(z)));
    uint64_t nan = kNan64;
    // Which NaN of several wins is as on sm_90: of a division the first, else the second factor or
    // summand before the third.
    constexpr bool kFirst = std::is_same_v<F, Div>;
    if constexpr (!kFirst) nan = is_nan64(x) ? x | kQuiet64 : nan;
    if constexpr (F::kArity > 2) nan = is_nan64(z) ? z | kQuiet64 : nan;
    if constexpr (F::kArity > 1) nan = is_nan64(y) ? y | kQuiet64 : nan;
    if constexpr (kFirst) nan = is_nan64(x) ? x | kQuiet64 : nan;
    return is_nan64(r) ? nan : r;
  }
};

template <class F, bool kRound>
struct Kernel64 {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    const Lane64<F> lane{w.u64(op.a), w.u64(op.b), w.u64(op.c)};
    if constexpr (kRound) {
      const RoundingScope scope(static_cast<Rounding>(op.variant));
      write_lanes(w.u64(op.d), mask, lane);
    } else {
      write_lanes(w.u64(op.d), mask, lane);
    }
  }
};

template <class F, bool kPairs>
Handler pick32(unsigned flags) {
  switch (flags) {
    case 0:
      return handler_of<Kernel32<F, 0, kPairs>>();
    case kFtz:
      return handler_of<Kernel32<F, kFtz, kPairs>>();
    case kSat:
      return handler_of<Kernel32<F, kSat, kPairs>>();
    case kFtz | kSat:
      return handler_of<Kernel32<F, kFtz | kSat, kPairs>>();
    case kDirected:
      return handler_of<Kernel32<F, kDirected, kPairs>>();
    case kDirected | kFtz:
      return handler_of<Kernel32<F, kDirected | kFtz, kPairs>>();
    case kDirected | kSat:
      return handler_of<Kernel32<F, kDirected | kSat, kPairs>>();
    default:
      return handler_of<Kernel32<F, kDirected | kFtz | kSat, kPairs>>();
  }
}

template <class F>
bool choose(Selection& s) {
  const Rounding r = rounding_of(s);
  s.op.variant = static_cast<uint16_t>(r);
  const unsigned flags = (s.has(Mod::kFtz) ? kFtz : 0u) | (s.has(Mod::kSat) ? kSat : 0u) |
                         (r != Rounding::kNearest ? kDirected : 0u);
  if (s.type == Type::kF32) {
    s.op.run = pick32<F, false>(flags);
  } else if (s.type == Type::kF64) {
    if (s.has(Mod::kFtz)) return false;  // rcp.rn.ftz.f64 assembles, but nothing says what it does
    s.op.run = r != Rounding::kNearest ? handler_of<Kernel64<F, true>>()
                                       : handler_of<Kernel64<F, false>>();
  } else if constexpr (F::kArity > 1 && !std::is_same_v<F, Div>) {
    if (s.type == Type::kF32x2) s.op.run = pick32<F, true>(flags);
  }
  return s.op.run != nullptr;
}

}  // namespace

bool select_float(Selection& s) {
  if (s.types[1] != Type::kNone) return false;  // mixed precision
  const bool approximate = s.has(Mod::kApprox);
  switch (s.opcode.mnemonic) {
    case Mnemonic::kAdd:
      return choose<Add>(s);
    case Mnemonic::kSub:
      return choose<Sub>(s);
    case Mnemonic::kMul:
      return choose<Mul>(s);
    case Mnemonic::kMad:
      // Without a rounding mode mad.f32 is the truncating one of sm_1x.
      if (s.type == Type::kF32 && !has_rounding(s)) return false;
      return choose<Fma>(s);
    case Mnemonic::kFma:
      return choose<Fma>(s);
    case Mnemonic::kDiv:
      // div.full may be 2 ulp off; the correctly rounded quotient is within that.
      if (approximate || !(has_rounding(s) || s.has(Mod::kFull) || s.type == Type::kF64))
        return false;
      return choose<Div>(s);
    case Mnemonic::kRcp:
      if (approximate || !has_rounding(s)) return false;
      return choose<Rcp>(s);
    case Mnemonic::kSqrt:
      if (approximate || !(has_rounding(s) || s.type == Type::kF64)) return false;
      return choose<Sqrt>(s);
    default:
      return false;
  }
}

}  // namespace pitot::emulator
