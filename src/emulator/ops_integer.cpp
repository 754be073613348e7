// Integer arithmetic, logic and shifts (PTX ISA, "Integer Arithmetic Instructions", "Logic and
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

// Shifts clamp: by the width or more, nothing (or copies of the sign) is left.
template <class T>
void shl(Warp& w, const Op& op, LaneMask mask) {
  binary<T, T, uint32_t>(w, op, mask, [](T a, uint32_t n) {
    return n >= sizeof(T) * 8 ? T{0} : static_cast<T>(static_cast<Math<T>>(a) << n);
  });
}
template <class T>
void shr(Warp& w, const Op& op, LaneMask mask) {
  binary<T, T, uint32_t>(w, op, mask, [](T a, uint32_t n) {
    constexpr uint32_t width = sizeof(T) * 8;
    if (n >= width) return static_cast<T>(a < 0 ? T(-1) : T{0});
    return static_cast<T>(a >> n);
  });
}
// shf: d = the upper (l) or lower (r) word of hi:lo shifted; operands a = lo, b = hi, c = amount.
template <bool kLeft, bool kWrap>
void shf(Warp& w, const Op& op, LaneMask mask) {
  ternary<uint32_t, uint32_t, uint32_t, uint32_t>(
      w, op, mask, [](uint32_t lo, uint32_t hi, uint32_t c) {
        const uint32_t n = kWrap ? c & 31 : std::min<uint32_t>(c, 32);
        const uint64_t both = uint64_t{hi} << 32 | lo;
        return kLeft ? static_cast<uint32_t>((both << n) >> 32) : static_cast<uint32_t>(both >> n);
      });
}

template <class T>
void popc(Warp& w, const Op& op, LaneMask mask) {
  unary<uint32_t, T>(w, op, mask, [](T a) { return static_cast<uint32_t>(std::popcount(a)); });
}
template <class T>
void clz(Warp& w, const Op& op, LaneMask mask) {
  unary<uint32_t, T>(w, op, mask, [](T a) { return static_cast<uint32_t>(std::countl_zero(a)); });
}
template <class T>
void bfind(Warp& w, const Op& op, LaneMask mask) {
  const bool amount = op.variant != 0;
  unary<uint32_t, T>(w, op, mask, [amount](T a) {
    auto v = static_cast<Unsigned<T>>(a);
    if constexpr (std::is_signed_v<T>)
      if (a < 0) v = static_cast<Unsigned<T>>(~v);
    if (v == 0) return UINT32_MAX;
    const auto zeros = static_cast<uint32_t>(std::countl_zero(v));
    return amount ? zeros : static_cast<uint32_t>(sizeof(T) * 8 - 1) - zeros;
  });
}
template <class T>
void brev(Warp& w, const Op& op, LaneMask mask) {
  unary<T, T>(w, op, mask, [](T a) {
    T r = 0;
    for (unsigned i = 0; i < sizeof(T) * 8; ++i) r = static_cast<T>(r << 1 | ((a >> i) & 1));
    return r;
  });
}
// Position and length are the low bytes; a field that reaches past the top is filled with the sign
// (PTX ISA, bfe).
template <class T>
void bfe(Warp& w, const Op& op, LaneMask mask) {
  ternary<T, T, uint32_t, uint32_t>(w, op, mask, [](T a, uint32_t b, uint32_t c) {
    constexpr uint32_t msb = sizeof(T) * 8 - 1;
    const uint32_t pos = b & 0xff, len = c & 0xff;
    const auto v = static_cast<Unsigned<T>>(a);
    bool sign = false;
    if (std::is_signed_v<T> && len != 0) sign = (v >> std::min(pos + len - 1, msb)) & 1;
    Unsigned<T> field = pos > msb ? 0 : static_cast<Unsigned<T>>(v >> pos);
    const uint32_t have = pos > msb ? 0 : msb + 1 - pos;
    const uint32_t take = std::min(len, have);
    if (take <= msb) field &= static_cast<Unsigned<T>>((Unsigned<T>{1} << take) - 1);
    if (sign && take <= msb) field |= static_cast<Unsigned<T>>(~Unsigned<T>{0} << take);
    return static_cast<T>(field);
  });
}
template <class T>
void bfi(Warp& w, const Op& op, LaneMask mask) {
  const auto* a = words<T>(w, op.a);
  const auto* b = words<T>(w, op.b);
  const auto* c = words<uint32_t>(w, op.c);
  const auto* n = words<uint32_t>(w, w.program().slots_of(op)[4].at);
  store_lanes<T>(words<T>(w, op.d), mask, [&](unsigned i) {
    constexpr uint32_t width = sizeof(T) * 8;
    const uint32_t pos = c[i] & 0xff, len = std::min<uint32_t>(n[i] & 0xff, width);
    if (pos >= width || len == 0) return static_cast<T>(b[i]);
    const T field = len >= width ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << len) - 1);
    const T at = static_cast<T>(field << pos);
    return static_cast<T>((b[i] & ~at) | ((static_cast<T>(a[i]) << pos) & at));
  });
}
void bmsk(Warp& w, const Op& op, LaneMask mask) {
  const bool wrap = op.variant != 0;
  binary<uint32_t, uint32_t, uint32_t>(w, op, mask, [wrap](uint32_t a, uint32_t b) {
    if (wrap) {
      a &= 31;
      b &= 31;
    } else if (a >= 32) {
      return 0u;
    }
    const uint32_t ones = b >= 32 ? UINT32_MAX : (1u << b) - 1;
    return ones << a;
  });
}
void szext_u(Warp& w, const Op& op, LaneMask mask) {
  const bool wrap = op.variant != 0;
  binary<uint32_t, uint32_t, uint32_t>(w, op, mask, [wrap](uint32_t a, uint32_t n) {
    if (wrap) n &= 31;
    return n >= 32 ? a : a & ((1u << n) - 1);
  });
}
void szext_s(Warp& w, const Op& op, LaneMask mask) {
  const bool wrap = op.variant != 0;
  binary<uint32_t, uint32_t, uint32_t>(w, op, mask, [wrap](uint32_t a, uint32_t n) {
    if (wrap) n &= 31;
    if (n >= 32) return a;
    if (n == 0) return 0u;
    return static_cast<uint32_t>(static_cast<int32_t>(a << (32 - n)) >> (32 - n));
  });
}

void lop3(Warp& w, const Op& op, LaneMask mask) {
  const auto table = static_cast<uint32_t>(op.imm);
  ternary<uint32_t, uint32_t, uint32_t, uint32_t>(
      w, op, mask, [table](uint32_t a, uint32_t b, uint32_t c) {
        uint32_t r = 0;
        for (unsigned k = 0; k < 8; ++k)
          if ((table >> k & 1) != 0) r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
        return r;
      });
}

// prmt: op.variant is the mode (0 generic, 1 f4e, 2 b4e, 3 rc8, 4 ecl, 5 ecr, 6 rc16).
void prmt(Warp& w, const Op& op, LaneMask mask) {
  const unsigned mode = op.variant;
  ternary<uint32_t, uint32_t, uint32_t, uint32_t>(
      w, op, mask, [mode](uint32_t a, uint32_t b, uint32_t c) {
        const uint64_t both = uint64_t{b} << 32 | a;
        uint32_t r = 0;
        for (unsigned i = 0; i < 4; ++i) {
          const unsigned n = c & 3;
          unsigned s = 0;
          bool sign = false;
          switch (mode) {
            case 0:
              s = (c >> (4 * i)) & 7;
              sign = (c >> (4 * i)) & 8;
              break;
            case 1:
              s = (n + i) & 7;
              break;
            case 2:
              s = (n + 8 - i) & 7;
              break;
            case 3:
              s = n;
              break;
            case 4:
              s = std::max(n, i);
              break;
            case 5:
              s = std::min(n, i);
              break;
            default:
              s = (n & 1 ? 2 : 0) + (i & 1);
              break;
          }
          uint32_t byte = static_cast<uint32_t>(both >> (8 * s)) & 0xff;
          if (sign) byte = byte & 0x80 ? 0xff : 0;
          r |= byte << (8 * i);
        }
        return r;
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

// add.cc, addc, sub.cc, subc and the mad forms; the carry (or borrow) flag is a mask of the frame.
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
    // Borrow is the carry flag's complement of nothing: the bit above, as sub.cc writes it.
    if ((op.variant & kSubtract) != 0) {
      r = static_cast<Uint128>(static_cast<U>(x)) - static_cast<U>(y) - in;
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
    case Mnemonic::kShl:
      return with_integer(t, [](auto v) -> Handler { return shl<decltype(v)>; });
    case Mnemonic::kShr:
      return with_integer(t, [](auto v) -> Handler { return shr<decltype(v)>; });
    case Mnemonic::kShf:
      if (s.has(Mod::kL)) return s.has(Mod::kWrap) ? shf<true, true> : shf<true, false>;
      return s.has(Mod::kWrap) ? shf<false, true> : shf<false, false>;
    case Mnemonic::kPopc:
      return t == Type::kB64 ? popc<uint64_t> : popc<uint32_t>;
    case Mnemonic::kClz:
      return t == Type::kB64 ? clz<uint64_t> : clz<uint32_t>;
    case Mnemonic::kBfind:
      s.op.variant = s.has(Mod::kShiftamt) ? 1 : 0;
      return with_integer(t, [](auto v) -> Handler {
        if constexpr (sizeof(v) >= 4) return bfind<decltype(v)>;
        return nullptr;
      });
    case Mnemonic::kBrev:
      return t == Type::kB64 ? brev<uint64_t> : brev<uint32_t>;
    case Mnemonic::kBfe:
      return with_integer(t, [](auto v) -> Handler {
        if constexpr (sizeof(v) >= 4) return bfe<decltype(v)>;
        return nullptr;
      });
    case Mnemonic::kBfi:
      return t == Type::kB64 ? bfi<uint64_t> : bfi<uint32_t>;
    case Mnemonic::kBmsk:
      s.op.variant = s.has(Mod::kWrap) ? 1 : 0;
      return bmsk;
    case Mnemonic::kSzext:
      s.op.variant = s.has(Mod::kWrap) ? 1 : 0;
      return t == Type::kS32 ? szext_s : szext_u;
    case Mnemonic::kPrmt:
      s.op.variant = s.has(Mod::kF4e)    ? 1
                     : s.has(Mod::kB4e)  ? 2
                     : s.has(Mod::kRc8)  ? 3
                     : s.has(Mod::kEcl)  ? 4
                     : s.has(Mod::kEcr)  ? 5
                     : s.has(Mod::kRc16) ? 6
                                         : 0;
      return prmt;
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
    case Mnemonic::kLop3: {
      // The predicate form is left to a later row; the table is the operand after c.
      if (s.operands.size() != 5 || s.operands[4].kind != ptx::OperandKind::kInteger) return false;
      s.op.imm = s.lop3_table;
      s.op.run = lop3;
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
