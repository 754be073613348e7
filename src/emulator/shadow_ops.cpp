// What exact arithmetic makes of the operands: arithmetic, functions, conversions, matrix products.
#include <algorithm>
#include <cmath>

#include "emulator/block.h"
#include "emulator/register_tile.h"
#include "emulator/shadow.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

// How the registers of an instruction type hold floats.
struct Lanes {
  unsigned width = 0, parts = 1;  // bytes of one; how many in a register
  Type type = Type::kNone;        // of one
};

Lanes lanes_of(Type t) {
  switch (t) {
    case Type::kF64:
      return {8, 1, t};
    case Type::kF32:
    case Type::kTf32:
      return {4, 1, t};
    case Type::kF32x2:
      return {4, 2, Type::kF32};
    case Type::kF16:
    case Type::kBf16:
      return {2, 1, t};
    case Type::kF16x2:
      return {2, 2, Type::kF16};
    case Type::kBf16x2:
      return {2, 2, Type::kBf16};
    default:
      return {};
  }
}

std::vector<Type> types_of(const ptx::Opcode& o) {
  std::vector<Type> out;
  for (ptx::ModId m : o.modifiers)
    if (ptx::mod_type(m) != Type::kNone) out.push_back(ptx::mod_type(m));
  return out;
}

bool is_float(Type t) { return ptx::kind_of(t) == ptx::TypeKind::kFloat; }

// Adding 1.5·2^23 to a small float (2^52 to a double) is how code rounds to an integer: that is no
// rounding error, and what comes out is exact.
bool rounds_to_integer(const ShadowValue& big, const ShadowValue& small, double unit) {
  const double ulp_is_one = 0.5 / unit;
  return big.error2() == 0 && std::fabs(big.value) >= 0.5 * ulp_is_one &&
         std::fabs(big.value) <= 2 * ulp_is_one && big.value == std::nearbyint(big.value) &&
         std::fabs(small.value) < 0.25 * ulp_is_one && small.value != std::nearbyint(small.value);
}

}  // namespace

// `known` false: nothing better than the executed value.
ShadowValue Shadow::apply(const ptx::Opcode& o, const std::array<ShadowValue, 3>& x, double unit,
                          bool& known) const {
  const bool approximate = o.has_mod(Mod::kApprox) || o.has_mod(Mod::kFull);
  const double coarse = approximate ? 4 * unit : unit;
  known = true;
  auto sum = [&](const ShadowValue& a, const ShadowValue& b) {
    if (rounds_to_integer(a, b, unit) || rounds_to_integer(b, a, unit)) known = false;
    return shadow_add(a, b, unit);
  };
  switch (o.mnemonic) {
    case Mnemonic::kAdd:
      return sum(x[0], x[1]);
    case Mnemonic::kSub:
      return sum(x[0], shadow_neg(x[1]));
    case Mnemonic::kMul:
      return shadow_rounded(shadow_product(x[0], x[1]), unit);
    case Mnemonic::kFma:
    case Mnemonic::kMad:
      return sum(shadow_product(x[0], x[1]), x[2]);
    case Mnemonic::kNeg:
      return shadow_neg(x[0]);
    case Mnemonic::kAbs:
      return x[0].value < 0 ? shadow_neg(x[0]) : x[0];
    case Mnemonic::kMin:
    case Mnemonic::kMax: {
      const bool first =
          o.mnemonic == Mnemonic::kMin ? x[0].value <= x[1].value : x[0].value >= x[1].value;
      ShadowValue r = first ? x[0] : x[1];
      r.variance = std::max(r.error2(), (first ? x[1] : x[0]).error2());
      r.sums = 0;
      return r;
    }
    case Mnemonic::kDiv:
      return shadow_rounded(shadow_div(x[0], x[1]), coarse);
    case Mnemonic::kRcp:
      return shadow_rounded(shadow_div(exact_shadow(1), x[0]), coarse);
    case Mnemonic::kSqrt:
      return shadow_rounded(shadow_sqrt(x[0]), coarse);
    case Mnemonic::kRsqrt:
      return shadow_rounded(shadow_rsqrt(x[0]), coarse);
    case Mnemonic::kEx2:
      return shadow_rounded(shadow_ex2(x[0]), coarse);
    case Mnemonic::kLg2: {
      ShadowValue r = shadow_rounded(shadow_lg2(x[0]), coarse);
      r.variance += 0x1p-44;  // 2^-22 absolute around 1
      return r;
    }
    case Mnemonic::kSin:
    case Mnemonic::kCos: {
      const double v = o.mnemonic == Mnemonic::kSin ? std::sin(x[0].value) : std::cos(x[0].value);
      return fresh_shadow(v, x[0].error2() + 0x1p-41);  // 2^-20.5 absolute
    }
    case Mnemonic::kTanh:
      return shadow_rounded(shadow_tanh(x[0]), std::max(unit, 0x1p-11));
    case Mnemonic::kCopysign: {
      ShadowValue r = x[1];  // PTX: the sign of a, the magnitude of b
      return std::signbit(x[0].value) != std::signbit(r.value) ? shadow_neg(r) : r;
    }
    default:
      known = false;
      return {};
  }
}

bool Shadow::arithmetic(Warp& w, const Op& op, const ptx::Opcode& o, LaneMask mask) {
  const Lanes lanes = lanes_of(o.type);
  const auto slots = program_.slots_of(op);
  if (lanes.width == 0 || slots.size() < 2 || slots.size() > 4 || types_of(o).size() != 1)
    return false;
  switch (o.mnemonic) {
    case Mnemonic::kMin:
    case Mnemonic::kMax:
    case Mnemonic::kAdd:
    case Mnemonic::kSub:
    case Mnemonic::kMul:
    case Mnemonic::kDiv:
    case Mnemonic::kCopysign:
      if (slots.size() != 3) return false;
      break;
    case Mnemonic::kFma:
    case Mnemonic::kMad:
      if (slots.size() != 4) return false;
      break;
    case Mnemonic::kNeg:
    case Mnemonic::kAbs:
    case Mnemonic::kRcp:
    case Mnemonic::kSqrt:
    case Mnemonic::kRsqrt:
    case Mnemonic::kEx2:
    case Mnemonic::kLg2:
    case Mnemonic::kSin:
    case Mnemonic::kCos:
    case Mnemonic::kTanh:
      if (slots.size() != 2) return false;
      break;
    default:
      return false;
  }
  const double unit = unit_roundoff(lanes.type);
  const bool saturates = o.has_mod(Mod::kSat), relu = o.has_mod(Mod::kRelu);
  for_each_lane(mask, [&](unsigned lane) {
    for (unsigned part = 0; part < lanes.parts; ++part) {
      const unsigned at = part * lanes.width;
      std::array<ShadowValue, 3> x;
      for (size_t i = 1; i < slots.size(); ++i)
        x[i - 1] = read(w, slots[i], lane, at, lanes.width, lanes.type);
      bool known = true;
      ShadowValue r = apply(o, x, unit, known);
      if (!known) continue;
      const double clamped = saturates ? std::clamp(r.value, 0.0, 1.0)
                             : relu    ? std::max(r.value, 0.0)
                                       : r.value;
      if (clamped != r.value) r = fresh_shadow(clamped, r.error2());
      write(slots[0], lane, at, lanes.width, r);
    }
  });
  return true;
}

bool Shadow::convert(Warp& w, const Op& op, const ptx::Opcode& o, LaneMask mask) {
  const auto types = types_of(o);
  if (types.size() != 2) return false;
  const Lanes to = lanes_of(types[0]), from = lanes_of(types[1]);
  if (!is_float(types[0])) {
    if (!is_float(types[1])) bits(w, op, mask);
    return true;  // integers are exact, whatever they were rounded from
  }
  if (!is_float(types[1])) return true;
  if (to.width == 0 || from.width == 0 || from.parts != 1) return false;
  if (o.has_mod(Mod::kRni) || o.has_mod(Mod::kRzi) || o.has_mod(Mod::kRmi) || o.has_mod(Mod::kRpi))
    return true;
  const auto slots = program_.slots_of(op);
  if (slots.size() != 1 + to.parts) return false;
  const double unit =
      unit_roundoff(to.type) > unit_roundoff(from.type) ? unit_roundoff(to.type) : 0;
  for_each_lane(mask, [&](unsigned lane) {
    for (unsigned part = 0; part < to.parts; ++part) {
      // The first source goes to the upper half (PTX ISA, "cvt").
      const Slot& source = slots[to.parts - part];
      ShadowValue r = shadow_rounded(read(w, source, lane, 0, from.width, from.type), unit);
      const double clamped = o.has_mod(Mod::kSat)    ? std::clamp(r.value, 0.0, 1.0)
                             : o.has_mod(Mod::kRelu) ? std::max(r.value, 0.0)
                                                     : r.value;
      if (clamped != r.value) r = fresh_shadow(clamped, r.error2());
      write(slots[0], lane, part * to.width, to.width, r);
    }
  });
  return true;
}

// mma of the layout that most shapes share; sparse, scaled and 8-bit ones are not followed.
bool Shadow::multiply_matrices(Warp& w, const Op& op, const ptx::Opcode& o) {
  const auto types = types_of(o);
  if (!types.empty() && !is_float(types[0])) return true;
  unsigned m = 0, n = 0, k = 0;
  if (o.mnemonic != Mnemonic::kMma || types.size() != 4 || op.operand_count != 4 ||
      !shape_of(o, m, n, k) || k == 0)
    return false;
  if (m == 8 && types[0] != Type::kF64) return false;
  const Lanes ab = lanes_of(types[1]), c = lanes_of(types[3]), d = lanes_of(types[0]);
  if (ab.width == 0 || types[2] != types[1] || c.width == 0 || d.width == 0) return false;
  auto tile = [&](size_t operand, TileRole role, unsigned rows, unsigned columns,
                  const Lanes& format) {
    std::vector<ShadowValue> out(size_t{rows} * columns);
    const unsigned per = std::max(1u, 4 / format.width), count = rows * columns / kLanes;
    const auto slots = program_.operand(op, operand);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (unsigned e = 0; e < count; ++e) {
        const TilePlace at = place_of(role, m, per, lane, e);
        ShadowValue& v = out[size_t{at.row} * columns + at.column];
        v = read(w, slots[e / per], lane, e % per * format.width, format.width, format.type);
        // The hardware drops the low bits of tf32 factors; others may have rounded them.
        if (format.type == Type::kTf32) v = shadow_rounded(v, 2 * unit_roundoff(Type::kTf32));
      }
    return out;
  };
  const auto a = tile(1, TileRole::kA, m, k, ab), b = tile(2, TileRole::kB, k, n, ab);
  auto z = tile(3, TileRole::kC, m, n, c);
  const double unit = unit_roundoff(types[0] == Type::kF64 ? Type::kF64 : Type::kF32);
  // Mostly the factors are inputs, and exact.
  auto uncertain = [](const std::vector<ShadowValue>& x) {
    return std::any_of(x.begin(), x.end(), [](const ShadowValue& v) { return v.error2() != 0; });
  };
  const bool errors = uncertain(a) || uncertain(b);
  for (unsigned i = 0; i < m; ++i)
    for (unsigned l = 0; l < k; ++l) {
      const ShadowValue& x = a[size_t{i} * k + l];
      for (unsigned j = 0; j < n; ++j) {
        ShadowValue& s = z[size_t{i} * n + j];
        const ShadowValue& y = b[size_t{l} * n + j];
        s.value += x.value * y.value;
        s.magnitude += std::fabs(x.value * y.value);
        if (errors) s.variance += x.value * x.value * y.error2() + y.value * y.value * x.error2();
      }
    }
  for (ShadowValue& s : z) {
    s.sums += 4 * k * unit * unit;  // tensor cores truncate: up to a whole ulp a term
    if (d.width == 2) s = shadow_rounded(s, unit_roundoff(d.type));
  }
  const auto slots = program_.operand(op, 0);
  const unsigned per = std::max(1u, 4 / d.width);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned e = 0; e < m * n / kLanes; ++e) {
      const TilePlace at = place_of(TileRole::kC, m, per, lane, e);
      write(slots[e / per], lane, e % per * d.width, d.width, z[size_t{at.row} * n + at.column]);
    }
  return true;
}

}  // namespace pitot::emulator
