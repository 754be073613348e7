// Integer arithmetic and bitwise logic (PTX ISA, "Integer Arithmetic Instructions", "Logic and
// Shift Instructions").
#include <algorithm>
#include <limits>

#include "emulator/families.h"
#include "emulator/vector_op.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
using Wide = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
                       std::conditional_t<std::is_signed_v<T>, Int128, Uint128>>>;

// Arithmetic wraps around: on the unsigned type, in at least 32 bits.
template <class T>
using Math = std::conditional_t<(sizeof(T) < 4), uint32_t, Unsigned<T>>;

struct Add {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(static_cast<Math<T>>(a) + static_cast<Math<T>>(b));
  }
};
struct Sub {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(static_cast<Math<T>>(a) - static_cast<Math<T>>(b));
  }
};
template <class T>
T saturate(int64_t v) {
  return static_cast<T>(
      std::clamp<int64_t>(v, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}
struct AddSat {
  template <class T>
  static T of(T a, T b) {
    return saturate<T>(static_cast<int64_t>(a) + static_cast<int64_t>(b));
  }
};
struct SubSat {
  template <class T>
  static T of(T a, T b) {
    return saturate<T>(static_cast<int64_t>(a) - static_cast<int64_t>(b));
  }
};
struct MulLo {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(static_cast<Math<T>>(a) * static_cast<Math<T>>(b));
  }
};
struct MulHi {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)) >> (sizeof(T) * 8));
  }
};
// Only the low 24 bits count, sign- or zero-extended.
template <class T>
int64_t low24(T v) {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<int32_t>(static_cast<uint32_t>(v) << 8) >> 8;
  } else {
    return v & 0xffffff;
  }
}
struct Mul24Lo {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(static_cast<uint64_t>(low24(a)) * static_cast<uint64_t>(low24(b)));
  }
};
struct Mul24Hi {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((static_cast<uint64_t>(low24(a)) * static_cast<uint64_t>(low24(b))) >>
                          16);
  }
};
struct Min {
  template <class T>
  static T of(T a, T b) {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  static T of(T a, T b) {
    return a < b ? b : a;
  }
};
struct And {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
// Division by zero gives all ones, as the hardware's routines do; the ISA leaves it open.
struct Div {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1)) return Sub::of<T>(0, a);
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1)) return 0;
    return static_cast<T>(a % b);
  }
};

template <class T, class F>
void run2(Warp& w, const Op& op, LaneMask mask) {
  binary<T, T, T>(w, op, mask, [](T a, T b) { return F::template of<T>(a, b); });
}
template <class T, class F, class G>
void run3(Warp& w, const Op& op, LaneMask mask) {
  ternary<T, T, T, T>(w, op, mask,
                      [](T a, T b, T c) { return G::template of<T>(F::template of<T>(a, b), c); });
}
template <class T>
void mul_wide(Warp& w, const Op& op, LaneMask mask) {
  using W = Wide<T>;
  binary<W, T, T>(w, op, mask,
                  [](T a, T b) { return static_cast<W>(static_cast<W>(a) * static_cast<W>(b)); });
}
template <class T>
void mad_wide(Warp& w, const Op& op, LaneMask mask) {
  using W = Wide<T>;
  ternary<W, T, T, W>(w, op, mask, [](T a, T b, W c) {
    return Add::of<W>(static_cast<W>(static_cast<W>(a) * static_cast<W>(b)), c);
  });
}
template <class T>
void sad(Warp& w, const Op& op, LaneMask mask) {
  ternary<T, T, T, T>(w, op, mask, [](T a, T b, T c) {
    return Add::of<T>(c, a < b ? Sub::of<T>(b, a) : Sub::of<T>(a, b));
  });
}
template <class T>
void abs_op(Warp& w, const Op& op, LaneMask mask) {
  unary<T, T>(w, op, mask, [](T a) { return a < 0 ? Sub::of<T>(0, a) : a; });
}
template <class T>
void neg(Warp& w, const Op& op, LaneMask mask) {
  unary<T, T>(w, op, mask, [](T a) { return Sub::of<T>(0, a); });
}
template <class T>
void not_op(Warp& w, const Op& op, LaneMask mask) {
  unary<T, T>(w, op, mask, [](T a) { return static_cast<T>(~a); });
}
template <class T>
void cnot(Warp& w, const Op& op, LaneMask mask) {
  unary<T, T>(w, op, mask, [](T a) { return static_cast<T>(a == 0); });
}
template <class T>
void min_relu(Warp& w, const Op& op, LaneMask mask) {
  binary<T, T, T>(w, op, mask, [](T a, T b) { return std::max<T>(Min::of<T>(a, b), 0); });
}
template <class T>
void max_relu(Warp& w, const Op& op, LaneMask mask) {
  binary<T, T, T>(w, op, mask, [](T a, T b) { return std::max<T>(Max::of<T>(a, b), 0); });
}
// Two halves of a word at a time.
template <class T, class F>
void packed16(Warp& w, const Op& op, LaneMask mask) {
  binary<uint32_t, uint32_t, uint32_t>(w, op, mask, [](uint32_t a, uint32_t b) {
    const auto lo = static_cast<uint16_t>(F::template of<T>(static_cast<T>(a), static_cast<T>(b)));
    const auto hi =
        static_cast<uint16_t>(F::template of<T>(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
    return uint32_t{lo} | uint32_t{hi} << 16;
  });
}

// dp4a, dp2a: a's elements signed or not, b's too.
template <bool kSignedA, bool kSignedB>
void dp4a(Warp& w, const Op& op, LaneMask mask) {
  ternary<uint32_t, uint32_t, uint32_t, uint32_t>(
      w, op, mask, [](uint32_t a, uint32_t b, uint32_t c) {
        for (unsigned i = 0; i < 4; ++i) {
          const uint32_t x = a >> (8 * i), y = b >> (8 * i);
          const int32_t p = kSignedA ? static_cast<int8_t>(x) : static_cast<uint8_t>(x);
          const int32_t q = kSignedB ? static_cast<int8_t>(y) : static_cast<uint8_t>(y);
          c += static_cast<uint32_t>(p * q);
        }
        return c;
      });
}
template <bool kSignedA, bool kSignedB, bool kHigh>
void dp2a(Warp& w, const Op& op, LaneMask mask) {
  ternary<uint32_t, uint32_t, uint32_t, uint32_t>(
      w, op, mask, [](uint32_t a, uint32_t b, uint32_t c) {
        for (unsigned i = 0; i < 2; ++i) {
          const uint32_t x = a >> (16 * i), y = b >> (8 * (i + (kHigh ? 2 : 0)));
          const int64_t p = kSignedA ? static_cast<int16_t>(x) : static_cast<uint16_t>(x);
          const int64_t q = kSignedB ? static_cast<int8_t>(y) : static_cast<uint8_t>(y);
          c += static_cast<uint32_t>(p * q);
        }
        return c;
      });
}

// add.cc, addc, sub.cc, subc and the mad forms; the carry flag is a mask of the frame. As in the
// hardware a difference is a + ~b + 1, so that its flag is set when nothing was borrowed: an
// addition that takes the flag of a difference, or the other way round, shows it.
enum : uint16_t { kCarryIn = 1, kCarryOut = 2, kSubtract = 4, kMultiply = 8, kHigh = 16 };
template <class T>
void carry_op(Warp& w, const Op& op, LaneMask mask) {
  const auto* a = words<T>(w, op.a);
  const auto* b = words<T>(w, op.b);
  const auto* c = words<T>(w, op.c);
  auto* d = words<T>(w, op.d);
  LaneMask& flag = w.frame->carry;
  for_each_lane(mask, [&](unsigned i) {
    T x = from_word<T>(a[i]), y = from_word<T>(b[i]);
    if ((op.variant & kMultiply) != 0) {
      x = (op.variant & kHigh) != 0 ? MulHi::of<T>(x, y) : MulLo::of<T>(x, y);
      y = from_word<T>(c[i]);
    }
    using U = Unsigned<T>;
    const Uint128 in = (op.variant & kCarryIn) != 0 ? (flag >> i) & 1 : 0;
    Uint128 r;
    if ((op.variant & kSubtract) != 0) {
      const bool first = (op.variant & kCarryIn) == 0;
      r = static_cast<Uint128>(static_cast<U>(x)) + static_cast<U>(~static_cast<U>(y)) +
          (first ? 1 : in);
    } else {
      r = static_cast<Uint128>(static_cast<U>(x)) + static_cast<U>(y) + in;
    }
    d[i] = to_word<T>(static_cast<T>(static_cast<U>(r)));
    if ((op.variant & kCarryOut) != 0) {
      const LaneMask bit = LaneMask{1} << i;
      flag = (r >> (sizeof(T) * 8)) & 1 ? flag | bit : flag & ~bit;
    }
  });
}

// Predicates take part in and, or, xor, not as masks.
template <class F>
void logic_pred(Warp& w, const Op& op, LaneMask mask) {
  const auto s = w.program().slots_of(op);
  LaneMask a = w.predicate(op.a), b = w.predicate(op.b);
  if (s[1].negated) a = ~a;
  if (s[2].negated) b = ~b;
  LaneMask& d = w.predicate(op.d);
  d = (d & ~mask) | (F::template of<uint32_t>(a, b) & mask);
}
void not_pred(Warp& w, const Op& op, LaneMask mask) {
  LaneMask& d = w.predicate(op.d);
  d = (d & ~mask) | (~w.predicate(op.a) & mask);
}

template <class F>
Handler pick2(Type t) {
  if (t == Type::kU16x2) return packed16<uint16_t, F>;
  if (t == Type::kS16x2) return packed16<int16_t, F>;
  return with_integer(t, [](auto v) -> Handler { return run2<decltype(v), F>; });
}
template <class F, class G>
Handler pick3(Type t) {
  return with_integer(t, [](auto v) -> Handler { return run3<decltype(v), F, G>; });
}

bool carries(Selection& s, uint16_t variant) {
  if (s.has(Mod::kCc)) variant |= kCarryOut;
  s.op.variant = variant;
  s.op.run = with_integer(s.type, [](auto v) -> Handler {
    if constexpr (sizeof(v) >= 4) return carry_op<decltype(v)>;
    return nullptr;
  });
  return s.op.run != nullptr;
}

bool integer_type(Type t) {
  const auto k = ptx::kind_of(t);
  return k == ptx::TypeKind::kBits || k == ptx::TypeKind::kSigned ||
         k == ptx::TypeKind::kUnsigned || k == ptx::TypeKind::kPred;
}

Handler choose(Selection& s) {
  const Type t = s.type;
  const bool sat = s.has(Mod::kSat), hi = s.has(Mod::kHi), wide = s.has(Mod::kWide);
  switch (s.opcode.mnemonic) {
    case Mnemonic::kAdd:
      if (sat) return t == Type::kS32 ? run2<int32_t, AddSat> : Handler{nullptr};
      return pick2<Add>(t);
    case Mnemonic::kSub:
      if (sat) return t == Type::kS32 ? run2<int32_t, SubSat> : Handler{nullptr};
      return pick2<Sub>(t);
    case Mnemonic::kMul:
      if (wide)
        return with_integer(t, [](auto v) -> Handler {
          if constexpr (sizeof(v) < 8) return mul_wide<decltype(v)>;
          return nullptr;
        });
      return hi ? pick2<MulHi>(t) : pick2<MulLo>(t);
    case Mnemonic::kMad:
      if (sat) return t == Type::kS32 && hi ? run3<int32_t, MulHi, AddSat> : Handler{nullptr};
      if (wide)
        return with_integer(t, [](auto v) -> Handler {
          if constexpr (sizeof(v) < 8) return mad_wide<decltype(v)>;
          return nullptr;
        });
      return hi ? pick3<MulHi, Add>(t) : pick3<MulLo, Add>(t);
    case Mnemonic::kMul24:
      if (t == Type::kS32) return hi ? run2<int32_t, Mul24Hi> : run2<int32_t, Mul24Lo>;
      return hi ? run2<uint32_t, Mul24Hi> : run2<uint32_t, Mul24Lo>;
    case Mnemonic::kMad24:
      if (t == Type::kS32) {
        if (sat) return run3<int32_t, Mul24Hi, AddSat>;
        return hi ? run3<int32_t, Mul24Hi, Add> : run3<int32_t, Mul24Lo, Add>;
      }
      return hi ? run3<uint32_t, Mul24Hi, Add> : run3<uint32_t, Mul24Lo, Add>;
    case Mnemonic::kSad:
      return with_integer(t, [](auto v) -> Handler { return sad<decltype(v)>; });
    case Mnemonic::kDiv:
      return pick2<Div>(t);
    case Mnemonic::kRem:
      return pick2<Rem>(t);
    case Mnemonic::kAbs:
      return with_integer(t, [](auto v) -> Handler { return abs_op<decltype(v)>; });
    case Mnemonic::kNeg:
      return with_integer(t, [](auto v) -> Handler { return neg<decltype(v)>; });
    case Mnemonic::kMin:
      if (s.has(Mod::kRelu)) return t == Type::kS32 ? min_relu<int32_t> : Handler{nullptr};
      return pick2<Min>(t);
    case Mnemonic::kMax:
      if (s.has(Mod::kRelu)) return t == Type::kS32 ? max_relu<int32_t> : Handler{nullptr};
      return pick2<Max>(t);
    case Mnemonic::kAnd:
      return t == Type::kPred ? logic_pred<And> : pick2<And>(t);
    case Mnemonic::kOr:
      return t == Type::kPred ? logic_pred<Or> : pick2<Or>(t);
    case Mnemonic::kXor:
      return t == Type::kPred ? logic_pred<Xor> : pick2<Xor>(t);
    case Mnemonic::kNot:
      if (t == Type::kPred) return not_pred;
      return with_integer(t, [](auto v) -> Handler { return not_op<decltype(v)>; });
    case Mnemonic::kCnot:
      return with_integer(t, [](auto v) -> Handler { return cnot<decltype(v)>; });
    default:
      return nullptr;
  }
}

}  // namespace

bool select_integer(Selection& s) {
  switch (s.opcode.mnemonic) {
    case Mnemonic::kAddc:
      return carries(s, kCarryIn);
    case Mnemonic::kSubc:
      return carries(s, kCarryIn | kSubtract);
    case Mnemonic::kMadc:
      return carries(s, kCarryIn | kMultiply | (s.has(Mod::kHi) ? kHigh : 0));
    case Mnemonic::kDp4a: {
      const bool a = s.types[0] == Type::kS32, b = s.types[1] == Type::kS32;
      s.op.run = a ? (b ? dp4a<true, true> : dp4a<true, false>)
                   : (b ? dp4a<false, true> : dp4a<false, false>);
      return true;
    }
    case Mnemonic::kDp2a: {
      const bool a = s.types[0] == Type::kS32, b = s.types[1] == Type::kS32;
      if (s.has(Mod::kHi)) {
        s.op.run = a ? (b ? dp2a<true, true, true> : dp2a<true, false, true>)
                     : (b ? dp2a<false, true, true> : dp2a<false, false, true>);
      } else {
        s.op.run = a ? (b ? dp2a<true, true, false> : dp2a<true, false, false>)
                     : (b ? dp2a<false, true, false> : dp2a<false, false, false>);
      }
      return true;
    }
    default:
      break;
  }
  if (!integer_type(s.type)) return false;
  if (s.has(Mod::kCc)) {
    switch (s.opcode.mnemonic) {
      case Mnemonic::kAdd:
        return carries(s, 0);
      case Mnemonic::kSub:
        return carries(s, kSubtract);
      case Mnemonic::kMad:
        return carries(s, kMultiply | (s.has(Mod::kHi) ? kHigh : 0));
      default:
        return false;
    }
  }
  s.op.run = choose(s);
  return s.op.run != nullptr;
}

}  // namespace pitot::emulator
