// cvt to and from pairs of halves and of 8-, 6- and 4-bit floats (PTX ISA, "cvt"). The first
// operand, or the upper half of a packed one, goes to the upper half.
// s2f6, scale factors and stochastic rounding are in ops_convert_scaled.cpp.
#include <cmath>

#include "emulator/families.h"
#include "emulator/small_float.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

enum class Element : uint8_t {
  kNone,
  kF32,
  kF16,
  kBf16,
  kE4m3,
  kE5m2,
  kE2m3,
  kE3m2,
  kE2m1,
  kUe8m0
};

Element element_of(Type t) {
  switch (t) {
    case Type::kF32:
      return Element::kF32;
    case Type::kF16x2:
      return Element::kF16;
    case Type::kBf16x2:
      return Element::kBf16;
    case Type::kE4m3x2:
      return Element::kE4m3;
    case Type::kE5m2x2:
      return Element::kE5m2;
    case Type::kE2m3x2:
      return Element::kE2m3;
    case Type::kE3m2x2:
      return Element::kE3m2;
    case Type::kE2m1x2:
      return Element::kE2m1;
    case Type::kUe8m0x2:
      return Element::kUe8m0;
    default:
      return Element::kNone;
  }
}

const Format& format_of(Element e) {
  switch (e) {
    case Element::kF16:
      return kF16;
    case Element::kBf16:
      return kBf16;
    case Element::kE4m3:
      return kE4m3;
    case Element::kE5m2:
      return kE5m2;
    case Element::kE2m3:
      return kE2m3;
    case Element::kE3m2:
      return kE3m2;
    case Element::kE2m1:
      return kE2m1;
    default:
      return kF32;
  }
}

// Distance of the two elements in the packed value.
unsigned stride_of(Element e) {
  switch (e) {
    case Element::kF16:
    case Element::kBf16:
      return 16;
    case Element::kE2m1:
      return 4;
    default:
      return 8;
  }
}

double value_of(Element e, uint32_t bits) {
  if (e == Element::kF32) return as_f32(bits);
  if (e == Element::kUe8m0)
    return bits == 0xff ? as_f64(kNan64) : std::ldexp(1.0, static_cast<int>(bits) - 127);
  return decode(format_of(e), bits);
}

enum : uint8_t { kRelu = 1, kSatfinite = 2 };

// In Op::imm.
struct Plan {
  Element from, to;
  Rounding rounding;
  uint8_t flags;
  uint8_t unused[4];
};
static_assert(sizeof(Plan) == sizeof(int64_t));

uint32_t convert_one(const Plan& p, uint32_t bits) {
  double v = value_of(p.from, bits);
  if (p.to == Element::kUe8m0)
    return encode_ue8m0(static_cast<float>(v), p.rounding, (p.flags & kSatfinite) != 0);
  if ((p.flags & kRelu) != 0 && v <= 0) v = 0;
  return static_cast<uint32_t>(encode(format_of(p.to), v, p.rounding, (p.flags & kSatfinite) != 0));
}

// From two f32 or from one packed pair.
void convert(Warp& w, const Op& op, LaneMask mask) {
  const Plan p = std::bit_cast<Plan>(op.imm);
  const auto slots = w.program().slots_of(op);
  const unsigned to = stride_of(p.to), from = stride_of(p.from);
  for_each_lane(mask, [&](unsigned i) {
    uint32_t high, low;
    if (p.from == Element::kF32) {
      high = static_cast<uint32_t>(w.get(slots[1], i));
      low = static_cast<uint32_t>(w.get(slots[2], i));
    } else {
      const auto both = static_cast<uint32_t>(w.get(slots[1], i));
      const uint32_t ones = (1u << from) - 1;
      high = (both >> from) & ones;
      low = both & ones;
    }
    w.set(slots[0], i, convert_one(p, high) << to | convert_one(p, low));
  });
}

template <bool kBrain>
struct HalvesFromF32 {
  const uint32_t *a, *b;
  uint32_t relu;
  PITOT_INLINE uint32_t one(uint32_t v) const {
    const uint32_t r = kBrain ? f32_to_bf16(v) : f32_to_f16(v);
    return pick((r & relu) != 0, 0, r);
  }
  PITOT_INLINE uint32_t operator()(unsigned i) const { return one(a[i]) << 16 | one(b[i]); }
};
template <bool kBrain>
struct HalvesFromF32Kernel {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    write_lanes(w.u32(op.d), mask,
                HalvesFromF32<kBrain>{w.u32(op.a), w.u32(op.b), op.variant != 0 ? 0x8000u : 0u});
  }
};

}  // namespace

bool select_convert_packed(Selection& s) {
  if (s.opcode.mnemonic != Mnemonic::kCvt) return false;
  if (s.has(Mod::kPack) || s.has(Mod::kRs) || s.has(Mod::kScaledN2Ue8m0)) return false;
  Plan p{};
  p.to = element_of(s.types[0]);
  p.from = element_of(s.types[1]);
  if (p.to == Element::kNone || p.to == Element::kF32 || p.from == Element::kNone) return false;
  if (s.slots.size() != (p.from == Element::kF32 ? 3 : 2)) return false;
  p.rounding = rounding_of(s);
  if (s.has(Mod::kRelu)) p.flags |= kRelu;
  if (s.has(Mod::kSatfinite)) p.flags |= kSatfinite;
  const bool halves = p.to == Element::kF16 || p.to == Element::kBf16;
  if (halves && p.from == Element::kF32 && p.rounding == Rounding::kNearest &&
      (p.flags & kSatfinite) == 0 && s.slots[0].bits == 32) {
    s.op.variant = s.has(Mod::kRelu) ? 1 : 0;
    s.op.run = p.to == Element::kF16 ? handler_of<HalvesFromF32Kernel<false>>()
                                     : handler_of<HalvesFromF32Kernel<true>>();
    return true;
  }
  s.op.imm = std::bit_cast<int64_t>(p);
  s.op.run = convert;
  return true;
}

}  // namespace pitot::emulator
