// Operations of f32 and f64 that choose or change bits and round nothing: min, max, abs, neg,
// copysign, testp (PTX ISA, "Floating Point Instructions").
#include "emulator/families.h"
#include "emulator/float_order.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

enum : uint16_t { kNanWins = 1, kFtz = 2, kAbs = 4, kXorSign = 8 };

template <bool kMaximum, bool kFlush>
struct Extreme {
  const uint32_t *a, *b;
  int32_t for_nan;
  PITOT_INLINE uint32_t operator()(unsigned i) const {
    return extreme32<kMaximum>(kFlush ? flush32(a[i]) : a[i], kFlush ? flush32(b[i]) : b[i],
                               for_nan);
  }
};
template <bool kMaximum, bool kFlush>
struct ExtremeKernel {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    write_lanes(w.u32(op.d), mask,
                Extreme<kMaximum, kFlush>{w.u32(op.a), w.u32(op.b),
                                          nan_key(kMaximum, (op.variant & kNanWins) != 0)});
  }
};

// .abs, .xorsign.abs and three operands. Two operands: the second counts twice.
template <bool kMaximum>
struct ExtremeOfMore {
  const uint32_t *a, *b, *c;
  uint32_t keep, sign;  // masks: of the operands' bits, of the exclusive or of their signs
  bool flush;
  int32_t for_nan;
  PITOT_INLINE uint32_t read(uint32_t v) const { return keep & (flush ? flush32(v) : v); }
  PITOT_INLINE uint32_t operator()(unsigned i) const {
    const uint32_t first = extreme32<kMaximum>(read(a[i]), read(b[i]), for_nan);
    const uint32_t r = extreme32<kMaximum>(first, read(c[i]), for_nan);
    return is_nan32(r) ? r : r | ((a[i] ^ b[i]) & sign);
  }
};
template <bool kMaximum>
struct ExtremeOfMoreKernel {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    const uint32_t third = op.slot_count > 3 ? op.c : op.b;
    write_lanes(w.u32(op.d), mask,
                ExtremeOfMore<kMaximum>{w.u32(op.a), w.u32(op.b), w.u32(third),
                                        (op.variant & kAbs) != 0 ? 0x7fffffffu : UINT32_MAX,
                                        (op.variant & kXorSign) != 0 ? 0x80000000u : 0u,
                                        (op.variant & kFtz) != 0,
                                        nan_key(kMaximum, (op.variant & kNanWins) != 0)});
  }
};

template <bool kMaximum>
struct Extreme64 {
  const uint64_t *a, *b;
  PITOT_INLINE uint64_t operator()(unsigned i) const {
    const uint64_t x = a[i], y = b[i];
    const uint64_t least = (order_key(x) < order_key(y)) != kMaximum ? x : y;
    const uint64_t number = is_nan64(x) ? y : is_nan64(y) ? x : least;
    return is_nan64(number) ? y | kQuiet64 : number;
  }
};
template <bool kMaximum>
struct Extreme64Kernel {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    write_lanes(w.u64(op.d), mask, Extreme64<kMaximum>{w.u64(op.a), w.u64(op.b)});
  }
};

// abs and neg: d = (a & keep) ^ flip. NaN operands give a NaN, which one is not specified; here as
// on sm_90: the canonical one of f32, of f64 the operand made quiet.
template <class W>
struct SignOf {
  const W* a;
  W keep, flip;
  bool flush;
  PITOT_INLINE W operator()(unsigned i) const {
    W v = a[i];
    if constexpr (sizeof(W) == 4) {
      v = flush ? flush32(v) : v;
      return canonical32((v & keep) ^ flip);
    } else {
      return is_nan64(v) ? v | kQuiet64 : (v & keep) ^ flip;
    }
  }
};
template <class W, bool kAbsolute>
struct SignKernel {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    constexpr W kSign = W{1} << (sizeof(W) * 8 - 1);
    write_lanes(reinterpret_cast<W*>(w.regs + op.d), mask,
                SignOf<W>{reinterpret_cast<const W*>(w.regs + op.a),
                          kAbsolute ? static_cast<W>(~kSign) : static_cast<W>(~W{0}),
                          kAbsolute ? W{0} : kSign, (op.variant & kFtz) != 0});
  }
};

// The sign of a, the rest of b.
template <class W>
struct CopySign {
  const W *a, *b;
  PITOT_INLINE W operator()(unsigned i) const {
    constexpr W kSign = W{1} << (sizeof(W) * 8 - 1);
    return static_cast<W>((a[i] & kSign) | (b[i] & ~kSign));
  }
};
template <class W>
struct CopySignKernel {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    write_lanes(reinterpret_cast<W*>(w.regs + op.d), mask,
                CopySign<W>{reinterpret_cast<const W*>(w.regs + op.a),
                            reinterpret_cast<const W*>(w.regs + op.b)});
  }
};

enum Class : uint16_t { kFinite, kInfinite, kNumber, kNotANumber, kNormal, kSubnormal };

// Zeros count as normal.
template <class W>
void testp(Warp& w, const Op& op, LaneMask mask) {
  constexpr W kInf = sizeof(W) == 4 ? static_cast<W>(0x7f800000) : static_cast<W>(0x7ffull << 52);
  constexpr W kLeast = sizeof(W) == 4 ? static_cast<W>(0x00800000) : static_cast<W>(1ull << 52);
  const auto* a = reinterpret_cast<const W*>(w.regs + op.a);
  const LaneMask yes = lanes_where([&](unsigned i) {
    const W m = a[i] & (~W{0} >> 1);
    switch (op.variant) {
      case kFinite:
        return m < kInf;
      case kInfinite:
        return m == kInf;
      case kNumber:
        return m <= kInf;
      case kNotANumber:
        return m > kInf;
      case kNormal:
        return m == 0 || (m >= kLeast && m < kInf);
      default:
        return m != 0 && m < kLeast;
    }
  });
  LaneMask& d = w.predicate(op.d);
  d = (d & ~mask) | (yes & mask);
}

bool class_of(const Selection& s, uint16_t& out) {
  constexpr std::pair<Mod, Class> kNames[] = {
      {Mod::kFinite, kFinite},         {Mod::kInfinite, kInfinite}, {Mod::kNumber, kNumber},
      {Mod::kNotanumber, kNotANumber}, {Mod::kNormal, kNormal},     {Mod::kSubnormal, kSubnormal}};
  for (const auto& [mod, name] : kNames)
    if (s.has(mod)) {
      out = name;
      return true;
    }
  return false;
}

template <bool kMaximum>
Handler extreme(const Selection& s) {
  if (s.type == Type::kF64) return handler_of<Extreme64Kernel<kMaximum>>();
  if ((s.op.variant & kAbs) != 0 || s.slots.size() > 3)
    return handler_of<ExtremeOfMoreKernel<kMaximum>>();
  return (s.op.variant & kFtz) != 0 ? handler_of<ExtremeKernel<kMaximum, true>>()
                                    : handler_of<ExtremeKernel<kMaximum, false>>();
}

}  // namespace

bool select_float_bits(Selection& s) {
  const bool wide = s.type == Type::kF64;
  if (s.type != Type::kF32 && !wide) return false;
  uint16_t variant = 0;
  if (s.has(Mod::kNaN)) variant |= kNanWins;
  if (s.has(Mod::kFtz)) variant |= kFtz;
  if (s.has(Mod::kAbs)) variant |= kAbs;
  if (s.has(Mod::kXorsign)) variant |= kXorSign;
  switch (s.opcode.mnemonic) {
    case Mnemonic::kMin:
      s.op.variant = variant;
      s.op.run = extreme<false>(s);
      return true;
    case Mnemonic::kMax:
      s.op.variant = variant;
      s.op.run = extreme<true>(s);
      return true;
    case Mnemonic::kAbs:
      s.op.variant = variant;
      s.op.run = wide ? handler_of<SignKernel<uint64_t, true>>()
                      : handler_of<SignKernel<uint32_t, true>>();
      return true;
    case Mnemonic::kNeg:
      s.op.variant = variant;
      s.op.run = wide ? handler_of<SignKernel<uint64_t, false>>()
                      : handler_of<SignKernel<uint32_t, false>>();
      return true;
    case Mnemonic::kCopysign:
      s.op.run =
          wide ? handler_of<CopySignKernel<uint64_t>>() : handler_of<CopySignKernel<uint32_t>>();
      return true;
    case Mnemonic::kTestp:
      if (!class_of(s, s.op.variant)) return false;
      s.op.run = wide ? testp<uint64_t> : testp<uint32_t>;
      return true;
    default:
      return false;
  }
}

}  // namespace pitot::emulator
