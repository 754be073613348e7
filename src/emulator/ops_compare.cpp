// Comparisons of integers and floats (PTX ISA, "Comparison and Selection Instructions").
#include <cmath>

#include "emulator/families.h"
#include "emulator/vector_op.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

// Low bits of Op::variant: the relation. Floats: the unordered ones also hold for NaN.
enum Relation : uint16_t {
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan,
};
enum : uint16_t { kRelationBits = 15, kAndBit = 16, kOrBit = 32, kXorBit = 64, kFtzBit = 128 };

template <class T>
bool holds(unsigned relation, T a, T b) {
  switch (relation) {
    case kEq:
      return a == b;
    case kNe:
      if constexpr (std::is_floating_point_v<T>) return a < b || a > b;
      return a != b;
    case kLt:
      return a < b;
    case kLe:
      return a <= b;
    case kGt:
      return a > b;
    case kGe:
      return a >= b;
    case kEqu:
      return !(a < b || a > b);
    case kNeu:
      return !(a == b);
    case kLtu:
      return !(a >= b);
    case kLeu:
      return !(a > b);
    case kGtu:
      return !(a <= b);
    case kGeu:
      return !(a < b);
    case kNum:
      return !std::isnan(a) && !std::isnan(b);
    default:
      return std::isnan(a) || std::isnan(b);
  }
}

inline float flushed(float v) {
  return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v;
}

template <class T>
LaneMask compare(unsigned relation, bool ftz, const Word<T>* a, const Word<T>* b) {
  auto value = [&](Word<T> v) {
    T x = from_word<T>(v);
    if constexpr (std::is_same_v<T, float>)
      if (ftz) x = flushed(x);
    return x;
  };
  // One loop a relation, so that each vectorises.
  switch (relation) {
    case kEq:
      return lanes_where([&](unsigned i) { return holds<T>(kEq, value(a[i]), value(b[i])); });
    case kNe:
      return lanes_where([&](unsigned i) { return holds<T>(kNe, value(a[i]), value(b[i])); });
    case kLt:
      return lanes_where([&](unsigned i) { return holds<T>(kLt, value(a[i]), value(b[i])); });
    case kLe:
      return lanes_where([&](unsigned i) { return holds<T>(kLe, value(a[i]), value(b[i])); });
    case kGt:
      return lanes_where([&](unsigned i) { return holds<T>(kGt, value(a[i]), value(b[i])); });
    case kGe:
      return lanes_where([&](unsigned i) { return holds<T>(kGe, value(a[i]), value(b[i])); });
    default:
      return lanes_where([&](unsigned i) { return holds<T>(relation, value(a[i]), value(b[i])); });
  }
}

LaneMask combined(const Op& op, LaneMask result, LaneMask c) {
  if ((op.variant & kAndBit) != 0) return result & c;
  if ((op.variant & kOrBit) != 0) return result | c;
  if ((op.variant & kXorBit) != 0) return result ^ c;
  return result;
}

template <class T>
void setp(Warp& w, const Op& op, LaneMask mask) {
  const auto slots = w.program().slots_of(op);
  const size_t first = static_cast<size_t>(op.imm);  // destinations
  const LaneMask r = compare<T>(op.variant & kRelationBits, (op.variant & kFtzBit) != 0,
                                words<T>(w, slots[first].at), words<T>(w, slots[first + 1].at));
  LaneMask c = 0;
  if (slots.size() > first + 2) {
    c = w.predicate(slots[first + 2].at);
    if (slots[first + 2].negated) c = ~c;
  }
  if (!slots[0].sink) {
    LaneMask& p = w.predicate(slots[0].at);
    p = (p & ~mask) | (combined(op, r, c) & mask);
  }
  if (first > 1 && !slots[1].sink) {
    LaneMask& q = w.predicate(slots[1].at);
    q = (q & ~mask) | (combined(op, ~r, c) & mask);
  }
}

// set: all ones or 1.0 where the comparison holds.
template <class T>
void set(Warp& w, const Op& op, LaneMask mask) {
  const auto slots = w.program().slots_of(op);
  const LaneMask r = compare<T>(op.variant & kRelationBits, (op.variant & kFtzBit) != 0,
                                words<T>(w, slots[1].at), words<T>(w, slots[2].at));
  LaneMask c = 0;
  if (slots.size() > 3) {
    c = w.predicate(slots[3].at);
    if (slots[3].negated) c = ~c;
  }
  const LaneMask yes = combined(op, r, c);
  const auto one = static_cast<uint32_t>(op.imm);
  store_lanes<uint32_t>(w.u32(op.d), mask, [&](unsigned i) { return (yes >> i) & 1 ? one : 0u; });
}

// slct: a where c >= 0 (−0 counts as 0, NaN takes b), else b.
template <class T, class C>
void slct(Warp& w, const Op& op, LaneMask mask) {
  const bool ftz = op.variant != 0;
  const auto* a = words<T>(w, op.a);
  const auto* b = words<T>(w, op.b);
  const auto* c = words<C>(w, op.c);
  store_lanes<T>(words<T>(w, op.d), mask, [&](unsigned i) {
    C v = from_word<C>(c[i]);
    if constexpr (std::is_same_v<C, float>)
      if (ftz) v = flushed(v);
    return from_word<T>(v >= 0 ? a[i] : b[i]);
  });
}

bool relation_of(const Selection& s, uint16_t& out) {
  struct Name {
    Mod mod;
    uint16_t relation;
  };
  constexpr Name kNames[] = {
      {Mod::kEq, kEq},   {Mod::kNe, kNe},   {Mod::kLt, kLt},   {Mod::kLe, kLe},   {Mod::kGt, kGt},
      {Mod::kGe, kGe},   {Mod::kLo, kLt},   {Mod::kLs, kLe},   {Mod::kHi, kGt},   {Mod::kHs, kGe},
      {Mod::kEqu, kEqu}, {Mod::kNeu, kNeu}, {Mod::kLtu, kLtu}, {Mod::kLeu, kLeu}, {Mod::kGtu, kGtu},
      {Mod::kGeu, kGeu}, {Mod::kNum, kNum}, {Mod::kNan, kNan}};
  for (const Name& n : kNames)
    if (s.has(n.mod)) {
      out = n.relation;
      if (s.has(Mod::kAnd)) out |= kAndBit;
      if (s.has(Mod::kOr)) out |= kOrBit;
      if (s.has(Mod::kXor)) out |= kXorBit;
      if (s.has(Mod::kFtz)) out |= kFtzBit;
      return true;
    }
  return false;
}

template <class F>
Handler with_type(Type t, F&& f) {
  if (t == Type::kF32) return f(float{});
  if (t == Type::kF64) return f(double{});
  return with_integer(t, f);
}

}  // namespace

bool select_compare(Selection& s) {
  switch (s.opcode.mnemonic) {
    case Mnemonic::kSetp: {
      if (!relation_of(s, s.op.variant)) return false;
      s.op.imm = s.operands[0].count;
      s.op.run = with_type(s.type, [](auto v) -> Handler { return setp<decltype(v)>; });
      return s.op.run != nullptr;
    }
    case Mnemonic::kSet: {
      if (!relation_of(s, s.op.variant)) return false;
      if (s.types[0] == Type::kF32) {
        s.op.imm = 0x3f800000;
      } else if (s.types[0] == Type::kU32 || s.types[0] == Type::kS32) {
        s.op.imm = UINT32_MAX;
      } else {
        return false;
      }
      s.op.run = with_type(s.types[1], [](auto v) -> Handler { return set<decltype(v)>; });
      return s.op.run != nullptr;
    }
    case Mnemonic::kSlct: {
      s.op.variant = s.has(Mod::kFtz) ? 1 : 0;
      const bool wide = ptx::bits_of(s.types[0]) > 32;
      if (s.types[1] == Type::kF32) {
        s.op.run = wide ? slct<uint64_t, float> : slct<uint32_t, float>;
      } else {
        s.op.run = wide ? slct<uint64_t, int32_t> : slct<uint32_t, int32_t>;
      }
      return true;
    }
    default:
      return false;
  }
}

}  // namespace pitot::emulator
