// Video instructions (PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions"). What an
// operation needs beyond its registers lies in Op::imm, packed when it is decoded.
#include <algorithm>
#include <array>
#include <bit>

#include "emulator/families.h"
#include "emulator/vector_op.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Selector;
using ptx::Type;

enum class Second : uint8_t { kNone, kAdd, kMin, kMax, kMerge };
enum class Compare : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };

// A part of a source is brought to the top of the word and down again, so that its sign spreads.
// `at` and `bits` are the destination's part; for SIMD, `lanes` has the elements that take part.
struct Plan {
  uint64_t a_up : 5 = 0, a_down : 5 = 0, a_signed : 1 = 0;
  uint64_t b_up : 5 = 0, b_down : 5 = 0, b_signed : 1 = 0;
  uint64_t at : 5 = 0, bits : 6 = 32, is_signed : 1 = 0, saturate : 1 = 0;
  uint64_t second : 3 = 0, compare : 3 = 0, scale : 4 = 0, wrap : 1 = 0;
  uint64_t negate_product : 1 = 0, negate_c : 1 = 0, plus_one : 1 = 0, lanes : 4 = 0;
  uint64_t unused : 11 = 0;
};
static_assert(sizeof(Plan) == sizeof(int64_t));

int64_t take(uint32_t v, unsigned up, unsigned down, bool with_sign) {
  const uint32_t top = v << up;
  return with_sign ? int64_t{static_cast<int32_t>(top) >> down} : int64_t{top >> down};
}
int64_t whole(uint32_t v, bool with_sign) {
  return with_sign ? int64_t{static_cast<int32_t>(v)} : int64_t{v};
}
int64_t saturate(int64_t v, unsigned bits, bool with_sign) {
  const int64_t half = int64_t{1} << (bits - 1);
  return with_sign ? std::clamp(v, -half, half - 1) : std::clamp<int64_t>(v, 0, 2 * half - 1);
}
bool holds(Compare c, int64_t a, int64_t b) {
  switch (c) {
    case Compare::kEq:
      return a == b;
    case Compare::kNe:
      return a != b;
    case Compare::kLt:
      return a < b;
    case Compare::kLe:
      return a <= b;
    case Compare::kGt:
      return a > b;
    case Compare::kGe:
      return a >= b;
  }
  return false;
}

struct Add {
  static int64_t of(const Plan&, int64_t a, int64_t b) { return a + b; }
};
struct Subtract {
  static int64_t of(const Plan&, int64_t a, int64_t b) { return a - b; }
};
struct Difference {
  static int64_t of(const Plan&, int64_t a, int64_t b) { return a < b ? b - a : a - b; }
};
struct Least {
  static int64_t of(const Plan&, int64_t a, int64_t b) { return std::min(a, b); }
};
struct Most {
  static int64_t of(const Plan&, int64_t a, int64_t b) { return std::max(a, b); }
};
struct Average {  // halves go up, of a negative sum down
  static int64_t of(const Plan&, int64_t a, int64_t b) {
    return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
  }
};
struct Set {
  static int64_t of(const Plan& p, int64_t a, int64_t b) {
    return holds(static_cast<Compare>(p.compare), a, b) ? 1 : 0;
  }
};
uint64_t amount(const Plan& p, int64_t b) {
  const auto n = static_cast<uint64_t>(b);
  return p.wrap ? n & 31 : std::min<uint64_t>(n, 32);
}
struct Left {
  static int64_t of(const Plan& p, int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) << amount(p, b));
  }
};
struct Right {
  static int64_t of(const Plan& p, int64_t a, int64_t b) { return a >> amount(p, b); }
};

// The intermediate result has 33 bits when it is combined with c.
int64_t combine(const Plan& p, int64_t v, uint32_t c) {
  const int64_t first = static_cast<int64_t>(static_cast<uint64_t>(v) << 31) >> 31;
  switch (static_cast<Second>(p.second)) {
    case Second::kAdd:
      return v + c;
    case Second::kMin:
      return std::min(first, whole(c, p.is_signed));
    case Second::kMax:
      return std::max(first, whole(c, p.is_signed));
    default:
      return v;
  }
}

template <class F>
void scalar(Warp& w, const Op& op, LaneMask mask) {
  const auto p = std::bit_cast<Plan>(op.imm);
  const uint32_t *a = w.u32(op.a), *b = w.u32(op.b);
  const uint32_t* c = p.second == 0 ? a : w.u32(op.c);
  const uint32_t part = (p.bits == 32 ? UINT32_MAX : (1u << p.bits) - 1) << p.at;
  store_lanes<uint32_t>(w.u32(op.d), mask, [&](unsigned i) {
    int64_t v = F::of(p, take(a[i], p.a_up, p.a_down, p.a_signed),
                      take(b[i], p.b_up, p.b_down, p.b_signed));
    if (p.saturate) v = saturate(v, p.bits, p.is_signed);
    v = combine(p, v, c[i]);
    return (static_cast<uint32_t>(v) << p.at & part) | (c[i] & ~part);
  });
}

void multiply_add(Warp& w, const Op& op, LaneMask mask) {
  const auto p = std::bit_cast<Plan>(op.imm);
  const uint32_t *a = w.u32(op.a), *b = w.u32(op.b), *c = w.u32(op.c);
  store_lanes<uint32_t>(w.u32(op.d), mask, [&](unsigned i) {
    Int128 v =
        Int128{take(a[i], p.a_up, p.a_down, p.a_signed)} * take(b[i], p.b_up, p.b_down, p.b_signed);
    if (p.negate_product) v = -v;
    // −c is ~c + 1 in 32 bits, extended before the 1 is added.
    const uint32_t third = p.negate_c ? ~c[i] : c[i];
    v += whole(third, p.is_signed) + (p.negate_c || p.plus_one ? 1 : 0);
    v >>= p.scale;
    if (p.saturate)
      v = p.is_signed ? std::clamp<Int128>(v, INT32_MIN, INT32_MAX)
                      : std::clamp<Int128>(v, 0, UINT32_MAX);
    return static_cast<uint32_t>(v);
  });
}

template <class F, unsigned kElements>
void simd(Warp& w, const Op& op, LaneMask mask) {
  constexpr unsigned kBits = 32 / kElements;
  constexpr uint32_t kOnes = (1u << kBits) - 1;
  const auto p = std::bit_cast<Plan>(op.imm);
  const uint32_t *a = w.u32(op.a), *b = w.u32(op.b), *c = w.u32(op.c);
  const bool accumulate = static_cast<Second>(p.second) == Second::kAdd;
  store_lanes<uint32_t>(w.u32(op.d), mask, [&](unsigned i) {
    uint32_t merged = c[i], total = c[i];
    for (unsigned e = 0; e < kElements; ++e) {
      if ((p.lanes >> e & 1) == 0) continue;
      const unsigned up = 32 - kBits * (e + 1);
      int64_t v =
          F::of(p, take(a[i], up, 32 - kBits, p.a_signed), take(b[i], up, 32 - kBits, p.b_signed));
      if (p.saturate) v = saturate(v, kBits, p.is_signed);
      total += static_cast<uint32_t>(v);
      const uint32_t here = kOnes << (kBits * e);
      merged = (merged & ~here) | (static_cast<uint32_t>(v) << (kBits * e) & here);
    }
    return accumulate ? total : merged;
  });
}

// --- decoding ---

// The place and width that a selector names; false for one that is not of this kind.
bool part_of(Selector s, unsigned* at, unsigned* bits) {
  if (s == Selector::kNone) {
    *at = 0;
    *bits = 32;
    return true;
  }
  if (s >= Selector::kB0 && s <= Selector::kB3) {
    *bits = 8;
    *at = 8 * (static_cast<unsigned>(s) - static_cast<unsigned>(Selector::kB0));
    return true;
  }
  if (s == Selector::kH0 || s == Selector::kH1) {
    *bits = 16;
    *at = s == Selector::kH1 ? 16 : 0;
    return true;
  }
  return false;
}

Second second_of(const Selection& s, bool has_third) {
  if (s.has(Mod::kAdd)) return Second::kAdd;
  if (s.has(Mod::kMin)) return Second::kMin;
  if (s.has(Mod::kMax)) return Second::kMax;
  return has_third ? Second::kMerge : Second::kNone;
}

Compare compare_of(const Selection& s) {
  return s.has(Mod::kEq)   ? Compare::kEq
         : s.has(Mod::kNe) ? Compare::kNe
         : s.has(Mod::kLt) ? Compare::kLt
         : s.has(Mod::kLe) ? Compare::kLe
         : s.has(Mod::kGt) ? Compare::kGt
                           : Compare::kGe;
}

Handler scalar_handler(Mnemonic m) {
  switch (m) {
    case Mnemonic::kVadd:
      return scalar<Add>;
    case Mnemonic::kVsub:
      return scalar<Subtract>;
    case Mnemonic::kVabsdiff:
      return scalar<Difference>;
    case Mnemonic::kVmin:
      return scalar<Least>;
    case Mnemonic::kVmax:
      return scalar<Most>;
    case Mnemonic::kVshl:
      return scalar<Left>;
    case Mnemonic::kVshr:
      return scalar<Right>;
    case Mnemonic::kVset:
      return scalar<Set>;
    case Mnemonic::kVmad:
      return multiply_add;
    default:
      return nullptr;
  }
}

Handler simd_handler(Mnemonic m) {
  switch (m) {
    case Mnemonic::kVadd2:
      return simd<Add, 2>;
    case Mnemonic::kVadd4:
      return simd<Add, 4>;
    case Mnemonic::kVsub2:
      return simd<Subtract, 2>;
    case Mnemonic::kVsub4:
      return simd<Subtract, 4>;
    case Mnemonic::kVavrg2:
      return simd<Average, 2>;
    case Mnemonic::kVavrg4:
      return simd<Average, 4>;
    case Mnemonic::kVabsdiff2:
      return simd<Difference, 2>;
    case Mnemonic::kVabsdiff4:
      return simd<Difference, 4>;
    case Mnemonic::kVmin2:
      return simd<Least, 2>;
    case Mnemonic::kVmin4:
      return simd<Least, 4>;
    case Mnemonic::kVmax2:
      return simd<Most, 2>;
    case Mnemonic::kVmax4:
      return simd<Most, 4>;
    case Mnemonic::kVset2:
      return simd<Set, 2>;
    case Mnemonic::kVset4:
      return simd<Set, 4>;
    default:
      return nullptr;
  }
}

// The signedness of destination and sources: types in the order written, vset without the first.
void take_types(const Selection& s, bool set, Plan& p) {
  std::array<Type, 3> t{Type::kU32, Type::kU32, Type::kU32};
  size_t n = set ? 1 : 0;
  for (ptx::ModId m : s.opcode.modifiers)
    if (ptx::mod_type(m) != Type::kNone && n < t.size()) t[n++] = ptx::mod_type(m);
  p.is_signed = t[0] == Type::kS32;
  p.a_signed = t[1] == Type::kS32;
  p.b_signed = t[2] == Type::kS32;
}

bool decode_simd(Selection& s, Plan& p) {
  // Elements of a source in another order than its own cannot be told from the parsed operand.
  if (s.slots[1].selector != Selector::kNone || s.slots[2].selector != Selector::kNone)
    return false;
  const bool four = ptx::name_of(s.opcode.mnemonic).back() == '4';
  const Selector mask = s.slots[0].selector;
  unsigned at, bits;
  if (!part_of(mask, &at, &bits)) return false;
  if (mask == Selector::kNone)
    p.lanes = four ? 15 : 3;
  else if (bits != (four ? 8u : 16u))
    return false;
  else
    p.lanes = uint64_t{1} << (at / bits);
  p.second = static_cast<uint64_t>(s.has(Mod::kAdd) ? Second::kAdd : Second::kMerge);
  s.op.run = simd_handler(s.opcode.mnemonic);
  return true;
}

bool decode_scalar(Selection& s, Plan& p) {
  // How wide the shifted value is before it saturates is not said.
  if (s.opcode.mnemonic == Mnemonic::kVshl && p.saturate) return false;
  unsigned at, bits;
  if (!part_of(s.slots[0].selector, &at, &bits)) return false;
  p.at = at & 31;
  p.bits = bits & 63;
  if (!part_of(s.slots[1].selector, &at, &bits)) return false;
  p.a_up = (32 - at - bits) & 31;
  p.a_down = (32 - bits) & 31;
  if (!part_of(s.slots[2].selector, &at, &bits)) return false;
  p.b_up = (32 - at - bits) & 31;
  p.b_down = (32 - bits) & 31;
  p.second = static_cast<uint64_t>(second_of(s, s.slots.size() > 3));
  if (s.opcode.mnemonic == Mnemonic::kVmad) {
    p.negate_product = s.slots[1].minus != s.slots[2].minus;
    p.negate_c = s.slots[3].minus;
    p.plus_one = s.has(Mod::kPo);
    p.scale = s.has(Mod::kShr7) ? 7 : s.has(Mod::kShr15) ? 15 : 0;
    p.is_signed = p.a_signed || p.b_signed || p.negate_product || p.negate_c;
  }
  return true;
}

}  // namespace

bool select_video(Selection& s) {
  const Handler one = scalar_handler(s.opcode.mnemonic);
  if (one == nullptr && simd_handler(s.opcode.mnemonic) == nullptr) return false;
  if (s.slots.size() < 3) return false;
  Plan p;
  const Mnemonic m = s.opcode.mnemonic;
  take_types(s, m == Mnemonic::kVset || m == Mnemonic::kVset2 || m == Mnemonic::kVset4, p);
  p.saturate = s.has(Mod::kSat);
  p.wrap = s.has(Mod::kWrap);
  p.compare = static_cast<uint64_t>(compare_of(s));
  s.op.run = one;
  if (!(one != nullptr ? decode_scalar(s, p) : decode_simd(s, p))) return false;
  s.op.imm = std::bit_cast<int64_t>(p);
  return true;
}

}  // namespace pitot::emulator
