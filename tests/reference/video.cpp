// Video instructions of the reference interpreter (PTX ISA, "Scalar Video Instructions" and "SIMD
// Video Instructions"), following its pseudocode step by step.
#include "reference/work.h"

namespace pitot::reference {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

namespace {

// partSelectSignExtend
Signed part(Value v, Type t, std::string_view selector) {
  unsigned at = 0, n = 32;
  if (!selector.empty()) {
    n = selector[0] == 'b' ? 8 : 16;
    at = static_cast<unsigned>(selector[1] - '0') * n;
  }
  v = low(v, 32) >> at;
  return is_signed(t) ? sign_extended(v, n) : static_cast<Signed>(low(v, n));
}

Signed as_type(Type t, Value v) { return number(t, v); }

// optSaturate
Signed saturated(Signed v, bool with_sign, std::string_view selector) {
  const unsigned n = selector.empty() ? 32 : selector[0] == 'b' ? 8 : 16;
  const Signed span = Signed{1} << n;
  return with_sign ? clamp(v, -span / 2, span / 2 - 1) : clamp(v, 0, span - 1);
}

// optMerge
Value merged(Value v, Value c, std::string_view selector) {
  if (selector.empty()) return low(v, 32);
  const unsigned n = selector[0] == 'b' ? 8 : 16;
  const unsigned at = static_cast<unsigned>(selector[1] - '0') * n;
  return (c & ~(ones(n) << at)) | low(v, n) << at;
}

bool compares(const Work& w, Signed a, Signed b) {
  if (w.has(Mod::kEq)) return a == b;
  if (w.has(Mod::kNe)) return a != b;
  if (w.has(Mod::kLt)) return a < b;
  if (w.has(Mod::kLe)) return a <= b;
  if (w.has(Mod::kGt)) return a > b;
  return a >= b;
}

Signed scalar(const Work& w, Signed a, Signed b) {
  switch (w.op.mnemonic) {
    case Mnemonic::kVadd:
      return a + b;
    case Mnemonic::kVsub:
      return a - b;
    case Mnemonic::kVabsdiff:
      return a > b ? a - b : b - a;
    case Mnemonic::kVmin:
      return a < b ? a : b;
    case Mnemonic::kVmax:
      return a > b ? a : b;
    case Mnemonic::kVshl:
    case Mnemonic::kVshr:
      if (w.has(Mod::kWrap)) b &= 31;
      if (b > 32) b = 32;
      return w.op.mnemonic == Mnemonic::kVshl ? a * (Signed{1} << b) : a >> b;
    default:
      return compares(w, a, b) ? 1 : 0;  // vset
  }
}

void scalar_operation(Work& w) {
  const bool set = w.op.mnemonic == Mnemonic::kVset;
  const Type d = set ? Type::kU32 : w.type(0), ta = w.type(set ? 0 : 1), tb = w.type(set ? 1 : 2);
  Signed t = scalar(w, part(w.in[0], ta, w.selectors[1]), part(w.in[1], tb, w.selectors[2]));
  if (w.has(Mod::kSat)) t = saturated(t, is_signed(d), w.selectors[0]);
  if (w.in.size() > 2 && w.selectors[0].empty()) {
    // optSecOp works on 33-bit signed numbers; c's sign is that of the destination type.
    const Signed first = sign_extended(static_cast<Value>(t), 33), c = as_type(d, w.in[2]);
    if (w.has(Mod::kAdd)) t = first + c;
    if (w.has(Mod::kMin)) t = first < c ? first : c;
    if (w.has(Mod::kMax)) t = first > c ? first : c;
  }
  w.d = merged(static_cast<Value>(t), w.in.size() > 2 ? w.in[2] : 0, w.selectors[0]);
  w.result = Type::kB32;
}

void multiply_add(Work& w) {
  const Type ta = w.type(1), tb = w.type(2);
  const bool product_negated = w.minus[0] != w.minus[1], c_negated = w.minus[2];
  const bool final_signed = is_signed(ta) || is_signed(tb) || product_negated || c_negated;
  Signed t = part(w.in[0], ta, w.selectors[1]) * part(w.in[1], tb, w.selectors[2]);
  Value c = low(w.in[2], 32);
  Signed one = 0;
  if (w.has(Mod::kPo)) {
    one = 1;
  } else if (product_negated) {
    t = ~t;
    one = 1;
  } else if (c_negated) {
    c = low(~c, 32);
    one = 1;
  }
  t += (final_signed ? sign_extended(c, 32) : static_cast<Signed>(c)) + one;
  if (w.has(Mod::kShr7)) t >>= 7;
  if (w.has(Mod::kShr15)) t >>= 15;
  if (w.has(Mod::kSat)) t = saturated(t, final_signed, {});
  w.d = static_cast<Value>(t);
  w.result = Type::kB32;
}

Signed lane(const Work& w, Signed a, Signed b) {
  switch (w.op.mnemonic) {
    case Mnemonic::kVadd2:
    case Mnemonic::kVadd4:
      return a + b;
    case Mnemonic::kVsub2:
    case Mnemonic::kVsub4:
      return a - b;
    case Mnemonic::kVavrg2:
    case Mnemonic::kVavrg4:
      return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    case Mnemonic::kVabsdiff2:
    case Mnemonic::kVabsdiff4:
      return a > b ? a - b : b - a;
    case Mnemonic::kVmin2:
    case Mnemonic::kVmin4:
      return a < b ? a : b;
    case Mnemonic::kVmax2:
    case Mnemonic::kVmax4:
      return a > b ? a : b;
    default:
      return compares(w, a, b) ? 1 : 0;
  }
}

// The element of {b,a} that goes to lane i: digits of the selector, most significant lane first.
unsigned chosen(std::string_view selector, unsigned i, unsigned lanes, unsigned otherwise) {
  if (selector.empty()) return otherwise + i;
  if (selector.size() != lanes + 1) throw Problem("selector of a SIMD operand");
  return static_cast<unsigned>(selector[lanes - i] - '0');
}

bool masked(std::string_view mask, unsigned i) {
  return mask.empty() || mask.substr(1).find(static_cast<char>('0' + i)) != std::string_view::npos;
}

void simd(Work& w, unsigned lanes) {
  const bool set = w.op.mnemonic == Mnemonic::kVset2 || w.op.mnemonic == Mnemonic::kVset4;
  const Type d = set ? Type::kU32 : w.type(0), ta = w.type(set ? 0 : 1), tb = w.type(set ? 1 : 2);
  const unsigned n = 32 / lanes;
  const Value both = low(w.in[1], 32) << 32 | low(w.in[0], 32);
  const auto pick = [&](std::string_view selector, unsigned i, unsigned otherwise, Type t) {
    const Value v = both >> (n * chosen(selector, i, lanes, otherwise));
    return is_signed(t) ? sign_extended(v, n) : static_cast<Signed>(low(v, n));
  };
  Value merge = 0, accumulated = low(w.in[2], 32);
  for (unsigned i = 0; i < lanes; ++i) {
    Signed t = lane(w, pick(w.selectors[1], i, 0, ta), pick(w.selectors[2], i, lanes, tb));
    if (w.has(Mod::kSat)) t = saturated(t, is_signed(d), lanes == 2 ? "h0" : "b0");
    if (masked(w.selectors[0], i)) {
      accumulated += static_cast<Value>(t);
      merge |= low(static_cast<Value>(t), n) << (n * i);
    } else {
      merge |= low(w.in[2] >> (n * i), n) << (n * i);
    }
  }
  w.d = w.has(Mod::kAdd) ? accumulated : merge;
  w.result = Type::kB32;
}

}  // namespace

bool video(Work& w) {
  switch (w.op.mnemonic) {
    case Mnemonic::kVadd:
    case Mnemonic::kVsub:
    case Mnemonic::kVabsdiff:
    case Mnemonic::kVmin:
    case Mnemonic::kVmax:
    case Mnemonic::kVshl:
    case Mnemonic::kVshr:
    case Mnemonic::kVset:
      scalar_operation(w);
      return true;
    case Mnemonic::kVmad:
      multiply_add(w);
      return true;
    case Mnemonic::kVadd2:
    case Mnemonic::kVsub2:
    case Mnemonic::kVavrg2:
    case Mnemonic::kVabsdiff2:
    case Mnemonic::kVmin2:
    case Mnemonic::kVmax2:
    case Mnemonic::kVset2:
      simd(w, 2);
      return true;
    case Mnemonic::kVadd4:
    case Mnemonic::kVsub4:
    case Mnemonic::kVavrg4:
    case Mnemonic::kVabsdiff4:
    case Mnemonic::kVmin4:
    case Mnemonic::kVmax4:
    case Mnemonic::kVset4:
      simd(w, 4);
      return true;
    default:
      return false;
  }
}

}  // namespace pitot::reference
