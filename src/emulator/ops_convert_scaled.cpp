// cvt with the fixed-point format s2f6, with scale factors, and to pairs of halves with random bits
// (PTX ISA, "cvt"; the format is in "Fixed-point Data format").
//
// Stochastic rounding adds the random bits to what the destination's mantissa cuts off, and the
// carry out rounds away from zero. That is defined where as many bits are cut off as are given: for
// bf16 always (16), for f16 where the result is a normal number (13). How 16 random bits meet the
// 20 and more bits that 8-, 6- and 4-bit results cut off is not said: those forms are not covered,
// and an f16 result that is subnormal and not exact faults.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "emulator/families.h"
#include "emulator/small_float.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

enum : uint16_t { kRelu = 1, kSatfinite = 2, kScaled = 4, kTwoSources = 8 };

// 2^(e − 127); 255 is NaN.
double scale_of(uint64_t byte) {
  return byte == 0xff ? as_f64(kNan64) : std::ldexp(1.0, static_cast<int>(byte) - 127);
}

// --- s2f6: a signed byte times 2^−6 ---

uint32_t to_s2f6(double v, bool relu) {
  if (v != v) return 0x7f;
  if (relu && v <= 0) v = 0;
  const double r = std::nearbyint(std::clamp(v, -2.0, 127.0 / 64) * 64);
  return static_cast<uint32_t>(static_cast<int32_t>(r)) & 0xff;
}

double from_s2f6(uint32_t byte) {
  return static_cast<double>(static_cast<int8_t>(byte & 0xff)) / 64;
}

// The scale factors of an operation, 0x7f7f without the operand.
uint64_t scales(Warp& w, const Op& op, unsigned lane) {
  if ((op.variant & kScaled) == 0) return 0x7f7f;
  return w.get(w.program().slots_of(op).back(), lane);
}

// Two f32 or a pair of bf16 to s2f6x2.
void down(Warp& w, const Op& op, LaneMask mask) {
  const auto slots = w.program().slots_of(op);
  const bool relu = (op.variant & kRelu) != 0;
  for_each_lane(mask, [&](unsigned l) {
    double high, low;
    if ((op.variant & kTwoSources) != 0) {
      high = as_f32(static_cast<uint32_t>(w.get(slots[1], l)));
      low = as_f32(static_cast<uint32_t>(w.get(slots[2], l)));
    } else {
      const auto both = static_cast<uint32_t>(w.get(slots[1], l));
      high = as_f32(bf16_to_f32(both >> 16));
      low = as_f32(bf16_to_f32(both & 0xffff));
    }
    const uint64_t s = scales(w, op, l);
    w.set(slots[0], l,
          to_s2f6(high / scale_of(s >> 8 & 0xff), relu) << 8 |
              to_s2f6(low / scale_of(s & 0xff), relu));
  });
}

// --- pairs of small numbers to bf16x2, each times its scale ---

// Op::imm: the source type.
double small_value(Type t, uint32_t bits) {
  switch (t) {
    case Type::kS2f6x2:
      return from_s2f6(bits);
    case Type::kE4m3x2:
      return decode(kE4m3, bits);
    case Type::kE5m2x2:
      return decode(kE5m2, bits);
    case Type::kE2m3x2:
      return decode(kE2m3, bits & 0x3f);
    case Type::kE3m2x2:
      return decode(kE3m2, bits & 0x3f);
    default:
      return decode(kE2m1, bits & 0xf);
  }
}

void up(Warp& w, const Op& op, LaneMask mask) {
  const auto slots = w.program().slots_of(op);
  const auto from = static_cast<Type>(op.imm);
  const unsigned step = from == Type::kE2m1x2 ? 4 : 8;
  auto one = [&](uint32_t bits, uint64_t scale) {
    // Exact up to here: a short mantissa times a power of two.
    double v = small_value(from, bits) * scale_of(scale);
    if ((op.variant & kRelu) != 0 && v <= 0) v = 0;
    return static_cast<uint32_t>(
        encode(kBf16, v, Rounding::kNearest, (op.variant & kSatfinite) != 0));
  };
  for_each_lane(mask, [&](unsigned l) {
    const auto both = static_cast<uint32_t>(w.get(slots[1], l));
    const uint32_t ones = (1u << step) - 1;
    const uint64_t s = scales(w, op, l);
    w.set(slots[0], l, one(both >> step & ones, s >> 8 & 0xff) << 16 | one(both & ones, s & 0xff));
  });
}

// --- with random bits ---

// Mantissa bits of f32 that the format cuts off.
template <bool kBrain>
constexpr unsigned kCut = kBrain ? 16 : 13;

// The half that v rounds to; false where the ISA does not say.
template <bool kBrain>
bool round_randomly(uint32_t v, uint32_t random, const Op& op, uint32_t& result) {
  constexpr Format kTo = kBrain ? kBf16 : kF16;
  constexpr unsigned kBits = kCut<kBrain>;
  const bool finite = (op.variant & kSatfinite) != 0;
  const uint32_t sign = v >> 31 != 0 ? 0x8000u : 0u, magnitude = v & 0x7fffffff;
  if (magnitude > 0x7f800000) {
    result = static_cast<uint32_t>(kTo.nan());
    return true;
  }
  const uint32_t rest = magnitude & ((1u << kBits) - 1);
  if constexpr (kBrain) {
    result = (magnitude + (random & 0xffff)) >> 16;
    if (rest == 0) result = magnitude >> 16;
  } else {
    constexpr uint32_t kLeastNormal = 113u << 23;
    if (magnitude < kLeastNormal) {
      const auto exact = static_cast<uint32_t>(
          encode(kF16, static_cast<double>(as_f32(magnitude)), Rounding::kZero));
      if (as_f32(f16_to_f32(exact)) != as_f32(magnitude)) return false;
      result = exact;
    } else if (magnitude >= 0x7f800000) {
      result = static_cast<uint32_t>(kTo.infinity());
    } else {
      const uint32_t sum = magnitude + (rest == 0 ? 0 : random & 0x1fff);
      result =
          std::min<uint32_t>((sum >> 13) - (112u << 10), static_cast<uint32_t>(kTo.infinity()));
    }
  }
  if (finite) result = std::min(result, static_cast<uint32_t>(kTo.largest()));
  if ((op.variant & kRelu) != 0 && sign != 0) {
    result = 0;
  } else {
    result |= sign;
  }
  return true;
}

template <bool kBrain>
void random_halves(Warp& w, const Op& op, LaneMask mask) {
  const auto slots = w.program().slots_of(op);
  for_each_lane(mask, [&](unsigned l) {
    if (w.stop) return;
    const auto random = static_cast<uint32_t>(w.get(slots[3], l));
    uint32_t high = 0, low = 0;
    const bool defined =
        round_randomly<kBrain>(static_cast<uint32_t>(w.get(slots[1], l)), random >> 16, op, high) &&
        round_randomly<kBrain>(static_cast<uint32_t>(w.get(slots[2], l)), random & 0xffff, op, low);
    if (!defined) {
      w.fault(FaultKind::kUncovered, op, LaneMask{1} << l, 0,
              "stochastic rounding to a subnormal f16, of which the ISA does not say how the "
              "random bits enter");
      return;
    }
    w.set(slots[0], l, high << 16 | low);
  });
}

}  // namespace

bool select_convert_scaled(Selection& s) {
  if (s.opcode.mnemonic != Mnemonic::kCvt || s.has(Mod::kPack)) return false;
  const Type to = s.types[0], from = s.types[1];
  uint16_t v = 0;
  if (s.has(Mod::kRelu)) v |= kRelu;
  if (s.has(Mod::kSatfinite)) v |= kSatfinite;
  if (s.has(Mod::kScaledN2Ue8m0)) v |= kScaled;
  const size_t scale = (v & kScaled) != 0 ? 1 : 0;
  if (s.has(Mod::kRs)) {
    if (from != Type::kF32 || s.slots.size() != 4) return false;
    s.op.variant = v;
    if (to == Type::kF16x2) s.op.run = random_halves<false>;
    if (to == Type::kBf16x2) s.op.run = random_halves<true>;
    return s.op.run != nullptr;
  }
  if (to == Type::kS2f6x2) {
    if (from == Type::kF32) v |= kTwoSources;
    s.op.variant = v;
    s.op.run = down;
    return (from == Type::kF32 || from == Type::kBf16x2) &&
           s.slots.size() == (from == Type::kF32 ? 3 : 2) + scale;
  }
  if (to != Type::kBf16x2 || (from != Type::kS2f6x2 && scale == 0)) return false;
  switch (from) {
    case Type::kS2f6x2:
    case Type::kE4m3x2:
    case Type::kE5m2x2:
    case Type::kE2m3x2:
    case Type::kE3m2x2:
    case Type::kE2m1x2:
      break;
    default:
      return false;
  }
  s.op.variant = v;
  s.op.imm = static_cast<int64_t>(from);
  s.op.run = up;
  return s.slots.size() == 2 + scale;
}

}  // namespace pitot::emulator
