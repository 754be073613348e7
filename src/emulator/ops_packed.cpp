// Integers packed into a word (u16x2 … s8x4), and the few integer operations that fit in no other
// file: saturating unsigned addition, lop3 with a predicate, cvt.pack (PTX ISA, "Integer
// Arithmetic Instructions", lop3, cvt.pack).
#include <algorithm>
#include <limits>

#include "emulator/families.h"
#include "emulator/vector_op.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

enum class How : uint8_t { kAdd, kSub, kMin, kMax, kNeg };

// On elements of type T; a neg reads its operand twice.
template <class T, How kHow, bool kSaturate, bool kRelu>
void packed(Warp& w, const Op& op, LaneMask mask) {
  constexpr unsigned kBits = 8 * sizeof(T);
  const uint32_t *a = w.u32(op.a), *b = kHow == How::kNeg ? a : w.u32(op.b);
  store_lanes<uint32_t>(w.u32(op.d), mask, [&](unsigned i) {
    uint32_t out = 0;
    for (unsigned at = 0; at < 32; at += kBits) {
      const int32_t x = static_cast<T>(a[i] >> at), y = static_cast<T>(b[i] >> at);
      int32_t v = kHow == How::kAdd   ? x + y
                  : kHow == How::kSub ? x - y
                  : kHow == How::kMin ? std::min(x, y)
                  : kHow == How::kMax ? std::max(x, y)
                                      : -x;
      if constexpr (kSaturate)
        v = std::clamp<int32_t>(v, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
      if constexpr (kRelu) v = std::max(v, 0);
      out |= static_cast<uint32_t>(static_cast<std::make_unsigned_t<T>>(v)) << at;
    }
    return out;
  });
}

template <class T>
Handler packed_of(const Selection& s) {
  const bool sat = s.has(Mod::kSat), relu = s.has(Mod::kRelu);
  switch (s.opcode.mnemonic) {
    case Mnemonic::kAdd:
      return sat ? packed<T, How::kAdd, true, false> : packed<T, How::kAdd, false, false>;
    case Mnemonic::kSub:
      return sat ? packed<T, How::kSub, true, false> : packed<T, How::kSub, false, false>;
    case Mnemonic::kMin:
      return relu ? packed<T, How::kMin, false, true> : packed<T, How::kMin, false, false>;
    case Mnemonic::kMax:
      return relu ? packed<T, How::kMax, false, true> : packed<T, How::kMax, false, false>;
    case Mnemonic::kNeg:
      return packed<T, How::kNeg, false, false>;
    default:
      return nullptr;
  }
}

void add_saturated_u32(Warp& w, const Op& op, LaneMask mask) {
  binary<uint32_t, uint32_t, uint32_t>(
      w, op, mask, [](uint32_t a, uint32_t b) { return a + b < a ? UINT32_MAX : a + b; });
}

// d|p, a, b, c, table, q: p = (d != 0) BoolOp q.
template <bool kAnd>
void lop3_predicate(Warp& w, const Op& op, LaneMask mask) {
  const auto results = w.program().operand(op, 0);
  const auto source = [&](size_t n) { return w.u32(w.program().operand(op, n)[0].at); };
  const uint32_t *a = source(1), *b = source(2), *c = source(3);
  const Slot& third = w.program().operand(op, 5)[0];
  const auto table = static_cast<uint32_t>(op.imm);
  uint32_t d[kLanes];
  LaneMask set = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    uint32_t v = 0;
    for (unsigned row = 0; row < 8; ++row)
      if (table >> row & 1)
        v |= (row & 4 ? a[i] : ~a[i]) & (row & 2 ? b[i] : ~b[i]) & (row & 1 ? c[i] : ~c[i]);
    d[i] = v;
    set |= LaneMask{v != 0} << i;
  }
  const LaneMask q = third.negated ? ~w.predicate(third.at) : w.predicate(third.at);
  if (!results[0].sink)
    store_lanes<uint32_t>(w.u32(results[0].at), mask, [&](unsigned i) { return d[i]; });
  LaneMask& p = w.predicate(results[1].at);
  p = (p & ~mask) | ((kAnd ? set & q : set | q) & mask);
}

// cvt.pack.sat: variant has the bits of an element, and kSigned.
constexpr uint16_t kSigned = 0x100;
void pack(Warp& w, const Op& op, LaneMask mask) {
  const auto slots = w.program().slots_of(op);
  const unsigned bits = op.variant & 0xff;
  const int64_t half = int64_t{1} << (bits - 1);
  const int64_t least = op.variant & kSigned ? -half : 0;
  const int64_t most = op.variant & kSigned ? half - 1 : 2 * half - 1;
  for_each_lane(mask, [&](unsigned i) {
    const auto part = [&](size_t n) {
      const int64_t v = static_cast<int32_t>(w.get(slots[n], i));
      return static_cast<uint32_t>(std::clamp(v, least, most)) &
             static_cast<uint32_t>(2 * half - 1);
    };
    uint32_t d = part(1) << bits | part(2);
    if (slots.size() > 3) d |= static_cast<uint32_t>(w.get(slots[3], i)) << (2 * bits);
    w.set(slots[0], i, d);
  });
}

bool select_pack(Selection& s) {
  for (ptx::ModId m : s.opcode.modifiers) {
    const Type t = ptx::mod_type(m);
    if (t == Type::kNone) continue;
    s.op.variant = static_cast<uint16_t>(ptx::bits_of(t));
    if (ptx::kind_of(t) == ptx::TypeKind::kSigned) s.op.variant |= kSigned;
    s.op.run = pack;
    return s.slots.size() >= 3;
  }
  return false;
}

}  // namespace

bool select_packed(Selection& s) {
  switch (s.opcode.mnemonic) {
    case Mnemonic::kLop3:
      if (s.operands.size() != 6 || s.operands[0].count != 2) return false;
      s.op.imm = s.lop3_table;
      s.op.run = s.has(Mod::kAnd) ? lop3_predicate<true> : lop3_predicate<false>;
      return true;
    case Mnemonic::kCvt:
      return s.has(Mod::kPack) && select_pack(s);
    case Mnemonic::kAdd:
    case Mnemonic::kSub:
    case Mnemonic::kMin:
    case Mnemonic::kMax:
    case Mnemonic::kNeg:
      break;
    default:
      return false;
  }
  switch (s.type) {
    case Type::kU16x2:
      s.op.run = packed_of<uint16_t>(s);
      break;
    case Type::kS16x2:
      s.op.run = packed_of<int16_t>(s);
      break;
    case Type::kU8x4:
      s.op.run = packed_of<uint8_t>(s);
      break;
    case Type::kS8x4:
      s.op.run = packed_of<int8_t>(s);
      break;
    case Type::kU32:
      if (s.opcode.mnemonic == Mnemonic::kAdd && s.has(Mod::kSat)) s.op.run = add_saturated_u32;
      break;
    default:
      break;
  }
  return s.op.run != nullptr;
}

}  // namespace pitot::emulator
