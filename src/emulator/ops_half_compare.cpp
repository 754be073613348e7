// setp and set where a half takes part: compared as f16, bf16 or a pair of them, or set to 1.0 of
// one (PTX ISA, "Half Precision Comparison Instructions").
#include "emulator/families.h"
#include "emulator/small_float.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

// How two values stand to each other, and the relations as sets of that.
enum : uint16_t { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };
enum : uint16_t { kAndBit = 16, kOrBit = 32, kXorBit = 64, kFtzBit = 128 };

bool relation_of(const Selection& s, uint16_t& out) {
  constexpr std::pair<Mod, int> kNames[] = {
      {Mod::kEq, kEqual},
      {Mod::kNe, kLess | kGreater},
      {Mod::kLt, kLess},
      {Mod::kLe, kLess | kEqual},
      {Mod::kGt, kGreater},
      {Mod::kGe, kGreater | kEqual},
      {Mod::kLo, kLess},
      {Mod::kLs, kLess | kEqual},
      {Mod::kHi, kGreater},
      {Mod::kHs, kGreater | kEqual},
      {Mod::kEqu, kEqual | kUnordered},
      {Mod::kNeu, kLess | kGreater | kUnordered},
      {Mod::kLtu, kLess | kUnordered},
      {Mod::kLeu, kLess | kEqual | kUnordered},
      {Mod::kGtu, kGreater | kUnordered},
      {Mod::kGeu, kGreater | kEqual | kUnordered},
      {Mod::kNum, kLess | kEqual | kGreater},
      {Mod::kNan, kUnordered},
  };
  for (const auto& [mod, relation] : kNames)
    if (s.has(mod)) {
      out = static_cast<uint16_t>(relation);
      if (s.has(Mod::kAnd)) out |= kAndBit;
      if (s.has(Mod::kOr)) out |= kOrBit;
      if (s.has(Mod::kXor)) out |= kXorBit;
      if (s.has(Mod::kFtz)) out |= kFtzBit;
      return true;
    }
  return false;
}

template <class T>
bool holds(unsigned relation, T a, T b) {
  const unsigned stand = a < b ? kLess : a > b ? kGreater : a == b ? kEqual : kUnordered;
  return (relation & stand) != 0;
}

// Values of one lane; `half` says which of a pair.
bool compare_lane(Type t, unsigned relation, bool ftz, uint64_t a, uint64_t b, unsigned half) {
  auto halves = [&](uint32_t exponent, uint32_t (*widen)(uint32_t)) {
    auto value = [&](uint64_t v) {
      auto h = static_cast<uint32_t>(v >> (16 * half)) & 0xffff;
      if (ftz && (h & exponent) == 0) h &= 0x8000;
      return as_f32(widen(h));
    };
    return holds(relation, value(a), value(b));
  };
  const unsigned cut = 64 - ptx::bits_of(t);
  switch (t) {
    case Type::kF16:
    case Type::kF16x2:
      return halves(0x7c00, [](uint32_t h) { return f16_to_f32(h); });
    case Type::kBf16:
    case Type::kBf16x2:
      return halves(0, [](uint32_t h) { return bf16_to_f32(h); });
    case Type::kF32: {
      auto value = [&](uint64_t v) {
        const auto word = static_cast<uint32_t>(v);
        return as_f32(ftz ? flush32(word) : word);
      };
      return holds(relation, value(a), value(b));
    }
    case Type::kF64:
      return holds(relation, as_f64(a), as_f64(b));
    default:
      if (ptx::kind_of(t) == ptx::TypeKind::kSigned)
        return holds(relation, static_cast<int64_t>(a << cut) >> cut,
                     static_cast<int64_t>(b << cut) >> cut);
      return holds(relation, a << cut, b << cut);
  }
}

LaneMask compare(Warp& w, const Op& op, Type t, const Slot& a, const Slot& b, unsigned half,
                 LaneMask mask) {
  LaneMask out = 0;
  const unsigned relation = op.variant & 15;
  for_each_lane(mask, [&](unsigned i) {
    out |= static_cast<LaneMask>(compare_lane(t, relation, (op.variant & kFtzBit) != 0, w.get(a, i),
                                              w.get(b, i), half))
           << i;
  });
  return out;
}

LaneMask combined(Warp& w, const Op& op, LaneMask result, std::span<const Slot> rest) {
  if (rest.empty()) return result;
  const LaneMask c = w.predicate(rest[0].at) ^ (rest[0].negated ? kAllLanes : 0);
  if ((op.variant & kAndBit) != 0) return result & c;
  if ((op.variant & kOrBit) != 0) return result | c;
  if ((op.variant & kXorBit) != 0) return result ^ c;
  return result;
}

void put(Warp& w, const Slot& d, LaneMask value, LaneMask mask) {
  if (d.sink) return;
  LaneMask& p = w.predicate(d.at);
  p = (p & ~mask) | (value & mask);
}

// Op::imm: destinations, and the type above. The second destination of a pair is the upper half's.
void setp(Warp& w, const Op& op, LaneMask mask) {
  const auto slots = w.program().slots_of(op);
  const auto first = static_cast<size_t>(op.imm & 0xff);
  const auto t = static_cast<Type>(op.imm >> 8);
  const Slot &a = slots[first], &b = slots[first + 1];
  const auto rest = slots.subspan(first + 2);
  const LaneMask low = combined(w, op, compare(w, op, t, a, b, 0, mask), rest);
  LaneMask high = 0;
  if (first > 1) high = combined(w, op, compare(w, op, t, a, b, 1, mask), rest);
  put(w, slots[0], low, mask);
  if (first > 1) put(w, slots[1], high, mask);
}

// Op::imm: what a lane becomes where the comparison holds, the source's type above. Of a pair, each
// half by itself.
void set(Warp& w, const Op& op, LaneMask mask) {
  const auto slots = w.program().slots_of(op);
  const auto one = static_cast<uint32_t>(op.imm);
  const auto t = static_cast<Type>(op.imm >> 32);
  const bool pair = t == Type::kF16x2 || t == Type::kBf16x2;
  const auto rest = slots.subspan(3);
  const LaneMask low = combined(w, op, compare(w, op, t, slots[1], slots[2], 0, mask), rest);
  LaneMask high = low;
  if (pair) high = combined(w, op, compare(w, op, t, slots[1], slots[2], 1, mask), rest);
  for_each_lane(mask, [&](unsigned i) {
    const uint32_t v =
        ((low >> i) & 1 ? one & 0xffff : 0) | ((high >> i) & 1 ? one & 0xffff0000 : 0);
    w.set(slots[0], i, v);
  });
}

bool half_kind(Type t) {
  return t == Type::kF16 || t == Type::kF16x2 || t == Type::kBf16 || t == Type::kBf16x2;
}

}  // namespace

bool select_half_compare(Selection& s) {
  uint16_t variant = 0;
  if (s.opcode.mnemonic == Mnemonic::kSetp) {
    const size_t destinations = s.operands[0].count;
    const bool pair = s.type == Type::kF16x2 || s.type == Type::kBf16x2;
    if (!half_kind(s.type) || (destinations > 1 && !pair) || !relation_of(s, variant)) return false;
    s.op.imm = static_cast<int64_t>(destinations) | static_cast<int64_t>(s.type) << 8;
    s.op.run = setp;
  } else if (s.opcode.mnemonic == Mnemonic::kSet) {
    const Type to = s.types[0], from = s.types[1];
    if (!(half_kind(to) || half_kind(from)) || !relation_of(s, variant)) return false;
    uint32_t one = UINT32_MAX;
    if (to == Type::kF16 || to == Type::kF16x2) one = 0x3c003c00;
    if (to == Type::kBf16 || to == Type::kBf16x2) one = 0x3f803f80;
    if (to == Type::kF32) one = 0x3f800000;
    s.op.imm = static_cast<int64_t>(one | static_cast<uint64_t>(from) << 32);
    s.op.run = set;
  } else {
    return false;
  }
  s.op.variant = variant;
  return true;
}

}  // namespace pitot::emulator
