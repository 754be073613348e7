// Shifts, fields, permutations and counts of bits (PTX ISA, "Logic and Shift Instructions" and the
// bit operations among the integer ones).
#include <algorithm>

#include "emulator/families.h"
#include "emulator/vector_op.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

template <class T>
using Unsigned = std::make_unsigned_t<T>;
// Shifting left is done on the unsigned type, in at least 32 bits.
template <class T>
using Math = std::conditional_t<(sizeof(T) < 4), uint32_t, Unsigned<T>>;

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

Handler choose(Selection& s) {
  const Type t = s.type;
  switch (s.opcode.mnemonic) {
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
    case Mnemonic::kLop3: {
      // With a predicate it is select_packed's; the table is the operand after c.
      if (s.operands.size() != 5 || s.operands[4].kind != ptx::OperandKind::kInteger)
        return nullptr;
      s.op.imm = s.lop3_table;
      return lop3;
    }
    default:
      return nullptr;
  }
}

}  // namespace

bool select_bits(Selection& s) {
  s.op.run = choose(s);
  return s.op.run != nullptr;
}

}  // namespace pitot::emulator
