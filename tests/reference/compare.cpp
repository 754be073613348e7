// Comparison and selection of the reference interpreter (PTX ISA, "Comparison and Selection
// Instructions": ordered comparisons are false, unordered ones true, when an operand is NaN).
#include "reference/number.h"

namespace pitot::reference {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

namespace {

Mod operator_of(const ptx::Opcode& op) {
  constexpr Mod kAll[] = {Mod::kEq,  Mod::kNe,  Mod::kLt,  Mod::kLe,  Mod::kGt,  Mod::kGe,
                          Mod::kLo,  Mod::kLs,  Mod::kHi,  Mod::kHs,  Mod::kEqu, Mod::kNeu,
                          Mod::kLtu, Mod::kLeu, Mod::kGtu, Mod::kGeu, Mod::kNum, Mod::kNan};
  for (Mod m : kAll)
    if (op.has_mod(m)) return m;
  throw Problem("no comparison in " + std::string(op.text));
}

bool compares(Mod how, bool unordered, int order) {
  switch (how) {
    case Mod::kEq:
      return !unordered && order == 0;
    case Mod::kNe:
      return !unordered && order != 0;
    case Mod::kLt:
    case Mod::kLo:
      return !unordered && order < 0;
    case Mod::kLe:
    case Mod::kLs:
      return !unordered && order <= 0;
    case Mod::kGt:
    case Mod::kHi:
      return !unordered && order > 0;
    case Mod::kGe:
    case Mod::kHs:
      return !unordered && order >= 0;
    case Mod::kEqu:
      return unordered || order == 0;
    case Mod::kNeu:
      return unordered || order != 0;
    case Mod::kLtu:
      return unordered || order < 0;
    case Mod::kLeu:
      return unordered || order <= 0;
    case Mod::kGtu:
      return unordered || order > 0;
    case Mod::kGeu:
      return unordered || order >= 0;
    case Mod::kNum:
      return !unordered;
    case Mod::kNan:
      return unordered;
    default:
      throw Problem("unknown comparison");
  }
}

bool holds(const Work& w, Type t, Value a, Value b) {
  const Mod how = operator_of(w.op);
  if (!is_float(t)) {
    const Signed x = number(t, a), y = number(t, b);
    return compares(how, false, x < y ? -1 : x > y ? 1 : 0);
  }
  const Format f = format_of(t);
  if (w.has(Mod::kFtz)) {
    a = flushed(f, a);
    b = flushed(f, b);
  }
  const Number x = decode(f, a), y = decode(f, b);
  const bool unordered = x.nan() || y.nan();
  return compares(how, unordered, unordered ? 0 : compare(x, y));
}

bool combined(const Work& w, bool t) {
  if (w.in.size() < 3) return t;
  const bool c = (w.in[2] & 1) != 0;
  if (w.has(Mod::kAnd)) return t && c;
  if (w.has(Mod::kOr)) return t || c;
  return t != c;
}

Type element_of(Type t) {
  return t == Type::kF16x2 ? Type::kF16 : t == Type::kBf16x2 ? Type::kBf16 : Type::kNone;
}

void set_predicates(Work& w) {
  const Type t = w.type();
  w.result = Type::kPred;
  if (const Type e = element_of(t); e != Type::kNone) {
    const bool first = combined(w, holds(w, e, w.in[0] & 0xffff, w.in[1] & 0xffff));
    const bool second = combined(w, holds(w, e, w.in[0] >> 16 & 0xffff, w.in[1] >> 16 & 0xffff));
    w.d = first;
    w.p = second;
    return;
  }
  const bool c = holds(w, t, w.in[0], w.in[1]);
  w.d = combined(w, c);
  w.p = combined(w, !c);
}

Value true_value(Type d) {
  switch (d) {
    case Type::kF32:
      return 0x3f800000;
    case Type::kF16:
      return 0x3c00;
    case Type::kBf16:
      return 0x3f80;
    default:
      return ones(ptx::bits_of(d));
  }
}

void set_value(Work& w) {
  const Type d = w.type(0), s = w.type(1);
  w.result = d;
  if (const Type e = element_of(s); e != Type::kNone) {
    const Value unit = true_value(element_of(d) != Type::kNone ? element_of(d) : Type::kU16);
    if (combined(w, holds(w, e, w.in[0] & 0xffff, w.in[1] & 0xffff))) w.d |= unit;
    if (combined(w, holds(w, e, w.in[0] >> 16 & 0xffff, w.in[1] >> 16 & 0xffff))) w.d |= unit << 16;
    w.result = Type::kB32;
    return;
  }
  w.d = combined(w, holds(w, s, w.in[0], w.in[1])) ? true_value(d) : 0;
}

}  // namespace

bool comparison(Work& w) {
  switch (w.op.mnemonic) {
    case Mnemonic::kSetp:
      set_predicates(w);
      return true;
    case Mnemonic::kSet:
      set_value(w);
      return true;
    case Mnemonic::kSelp:
      w.d = (w.in.at(2) & 1) != 0 ? w.in[0] : w.in[1];
      w.result = w.type();
      return true;
    case Mnemonic::kSlct: {
      w.result = w.type(0);
      bool first;
      if (w.type(1) == Type::kF32) {
        Value c = w.in.at(2);
        if (w.has(Mod::kFtz)) c = flushed(kSingle, c);
        const Number n = decode(kSingle, c);
        first = !n.nan() && compare(n, Number{}) >= 0;
      } else {
        first = number(Type::kS32, w.in.at(2)) >= 0;
      }
      w.d = first ? w.in[0] : w.in[1];
      return true;
    }
    default:
      return false;
  }
}

}  // namespace pitot::reference
