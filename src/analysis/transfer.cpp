// Known bits and variation of integer instructions.
#include "analysis/transfer.h"

#include <algorithm>

namespace pitot::analysis {
namespace {

Bits select_below(const Bits& joined, uint64_t maximum) {
  Bits out = joined;
  if (!out.is_bottom()) {
    out.zero |= maximum == 0 ? ~uint64_t{0}
                             : ~Bits::mask(64 - static_cast<unsigned>(std::countl_zero(maximum)));
    out.one &= ~out.zero;
    out.vary &= ~out.known();
  }
  return out;
}

Bits extend(const Bits& a, unsigned from, unsigned to, bool is_signed) {
  Bits low = truncate(a, from);
  return is_signed ? sign_extend(low, from, to) : low;
}

bool non_negative(const Bits& a, unsigned width) { return (a.zero >> (width - 1) & 1) != 0; }

Bits minimum_or_maximum(const IntInstruction& i, const Bits& a, const Bits& b) {
  Bits out = join(a, b);
  if (out.varies()) out = out.with_all_varying();
  if (i.is_signed && !(non_negative(a, i.width) && non_negative(b, i.width))) return out;
  if (i.op == IntOp::kMin) return select_below(out, std::min(a.max(), b.max()));
  return out;
}

Bits divide_bits(const IntInstruction& i, const Bits& a, const Bits& b) {
  unsigned w = i.width;
  bool varies = a.varies() || b.varies();
  Bits unknown = varies ? Bits::varying(w) : Bits::uniform(w);
  if (i.is_signed && !(non_negative(a, w) && non_negative(b, w))) return unknown;
  if (b.is_constant() && std::has_single_bit(b.one)) {
    if (i.op == IntOp::kDiv)
      return bits_shr(a, static_cast<unsigned>(std::countr_zero(b.one)), w, false);
    return bits_and(a, Bits::constant(b.one - 1));
  }
  if (b.min() == 0) return unknown;  // may divide by zero, which gives anything
  if (i.op == IntOp::kDiv) return bits_below(a.max() / b.min(), varies);
  return bits_below(std::min(a.max(), b.max() - 1), varies);
}

Bits shift_bits(const IntInstruction& i, const Bits& a, const Bits& amount) {
  unsigned w = i.width;
  if (amount.is_constant()) {
    unsigned n = static_cast<unsigned>(std::min<uint64_t>(amount.one & 0xffffffff, 255));
    return i.op == IntOp::kShl ? bits_shl(a, n, w) : bits_shr(a, n, w, i.is_signed);
  }
  bool varies = a.varies() || amount.varies();
  Bits out = varies ? Bits::varying(w) : Bits::uniform(w);
  unsigned least = static_cast<unsigned>(std::min<uint64_t>(amount.min(), w));
  if (i.op == IntOp::kShl) {
    out.zero |= Bits::mask(std::min(a.trailing_zeros() + least, w));
    out.vary &= ~out.known();
  } else if (!i.is_signed || non_negative(a, w)) {
    out = select_below(out, least >= 64 ? 0 : a.max() >> least);
  }
  return out;
}

Bits extract_bits(const IntInstruction& i, const Bits& a, const Bits& position,
                  const Bits& length) {
  unsigned w = i.width;
  bool varies = a.varies() || position.varies() || length.varies();
  if (!position.is_constant() || !length.is_constant())
    return varies ? Bits::varying(w) : Bits::uniform(w);
  unsigned p = position.one & 0xff, n = length.one & 0xff;
  Bits shifted = bits_shr(a, p, w, i.is_signed);
  if (p >= w && i.is_signed) shifted = bits_shr(a, w - 1, w, true);
  if (n == 0) return Bits::constant(0);
  if (n >= w) return shifted;
  return extend(shifted, n, w, i.is_signed);
}

Bits insert_bits(unsigned w, const Bits& a, const Bits& b, const Bits& position,
                 const Bits& length) {
  bool varies = a.varies() || b.varies() || position.varies() || length.varies();
  if (!position.is_constant() || !length.is_constant())
    return varies ? Bits::varying(w) : Bits::uniform(w);
  unsigned p = position.one & 0xff, n = length.one & 0xff;
  if (p >= w || n == 0) return b;
  uint64_t field = (Bits::mask(n) << p) & Bits::mask(w);
  return bits_or(bits_and(b, Bits::constant(~field)),
                 bits_and(bits_shl(a, p, w), Bits::constant(field)));
}

Bits lop3_bits(unsigned w, const Bits& a, const Bits& b, const Bits& c, uint64_t table) {
  uint64_t can_be_one = 0, can_be_zero = 0;
  for (unsigned k = 0; k < 8; ++k) {
    auto may = [](const Bits& x, bool one) { return one ? ~x.zero : ~x.one; };
    uint64_t here = may(a, (k & 4) != 0) & may(b, (k & 2) != 0) & may(c, (k & 1) != 0);
    ((table >> k & 1) != 0 ? can_be_one : can_be_zero) |= here;
  }
  Bits out{~can_be_one, ~can_be_zero, a.vary | b.vary | c.vary};
  out.vary &= ~out.known();
  return truncate(out, w);
}

Bits permute_bits(const Bits& a, const Bits& b, const Bits& selector) {
  bool varies = a.varies() || b.varies() || selector.varies();
  if (!selector.is_constant() || (selector.one & 0x8888) != 0)
    return varies ? Bits::varying(32) : Bits::uniform(32);
  auto pick = [&](uint64_t x, uint64_t y) {
    uint64_t source[] = {x & 0xffffffff, y & 0xffffffff, selector.one}, out = 0;
    IntInstruction prmt;
    prmt.op = IntOp::kPrmt;
    prmt.width = prmt.result_width = 32;
    evaluate(prmt, source, out);
    return out;
  };
  return {pick(a.zero, b.zero) | ~Bits::mask(32), pick(a.one, b.one), pick(a.vary, b.vary)};
}

Bits compare_bits(const IntInstruction& i, const Bits& compared, const Bits& predicate) {
  switch (i.combine) {
    case IntInstruction::Combine::kAnd:
      return bits_and(compared, predicate);
    case IntInstruction::Combine::kOr:
      return bits_or(compared, predicate);
    case IntInstruction::Combine::kXor:
      return bits_xor(compared, predicate);
    case IntInstruction::Combine::kNone:
      break;
  }
  return compared;
}

Bits funnel_bits(const IntInstruction& i, const Bits& a, const Bits& b, const Bits& amount) {
  bool varies = a.varies() || b.varies() || amount.varies();
  if (!amount.is_constant()) return varies ? Bits::varying(32) : Bits::uniform(32);
  uint64_t n = amount.one & 0xffffffff;
  unsigned shift = static_cast<unsigned>(i.wrap ? n & 31 : std::min<uint64_t>(n, 32));
  if (i.op == IntOp::kFunnelLeft) shift = 32 - shift;
  return truncate(bits_shr(bits_or(bits_shl(b, 32, 64), a), shift, 64, false), 32);
}

// Products of the upper halves only bound the size.
Bits high_bits(const IntInstruction& i, const Bits& a, const Bits& b) {
  unsigned w = i.width;
  bool varies = a.varies() || b.varies();
  if ((i.is_signed && !(non_negative(a, w) && non_negative(b, w))) || w == 64)
    return varies ? Bits::varying(w) : Bits::uniform(w);
  return bits_below(a.max() * b.max() >> w, varies);
}

}  // namespace

ValueFacts merge(const ValueFacts& a, const ValueFacts& b, Scope choice) {
  if (a.bits.is_bottom()) return b;
  if (b.bits.is_bottom()) return a;
  ValueFacts out;
  out.bits = join(a.bits, b.bits);
  out.scope = std::max(a.scope, b.scope);
  if (a.bits == b.bits && a.bits.is_constant()) return a;
  if (choice == Scope::kVarying) {
    out.bits = out.bits.with_all_varying();
  } else {
    out.scope = std::max(out.scope, choice);
  }
  return out;
}

ValueFacts transfer(const IntInstruction& i, std::span<const ValueFacts> s, ValueFacts* second) {
  unsigned w = i.width;
  ValueFacts out;
  bool all_constant = true;
  uint64_t values[4] = {};
  for (size_t k = 0; k < s.size(); ++k) {
    if (s[k].bits.is_bottom()) {
      if (second != nullptr) second->bits = Bits::bottom();
      out.bits = Bits::bottom();
      return out;
    }
    if (!s[k].bits.is_constant()) {
      all_constant = false;
      out.scope = std::max(out.scope, s[k].scope);
    } else if (k < 4) {
      values[k] = s[k].bits.one;
    }
  }
  auto bits = [&](size_t k) { return k < s.size() ? s[k].bits : Bits::varying(64); };
  Bits a = bits(0), b = bits(1), c = bits(2);
  if (all_constant && i.op != IntOp::kCompare) {
    uint64_t v = 0;
    if (evaluate(i, std::span<const uint64_t>(values, std::min<size_t>(s.size(), 4)), v))
      return constant_facts(v);
  }
  switch (i.op) {
    case IntOp::kMov:
      out.bits = truncate(a, w);
      break;
    case IntOp::kAdd:
      out.bits = bits_add(a, b, w);
      break;
    case IntOp::kSub:
      out.bits = bits_sub(a, b, w);
      break;
    case IntOp::kMul:
      out.bits = bits_mul(a, b, w);
      break;
    case IntOp::kMad:
      out.bits = bits_add(bits_mul(a, b, w), c, w);
      break;
    case IntOp::kMulWide:
    case IntOp::kMadWide: {
      unsigned r = i.result_width;
      out.bits = bits_mul(extend(a, w, r, i.is_signed), extend(b, w, r, i.is_signed), r);
      if (i.op == IntOp::kMadWide) out.bits = bits_add(out.bits, c, r);
      break;
    }
    case IntOp::kMulHi:
      out.bits = high_bits(i, a, b);
      break;
    case IntOp::kAnd:
      out.bits = bits_and(a, b);
      break;
    case IntOp::kOr:
      out.bits = bits_or(a, b);
      break;
    case IntOp::kXor:
      out.bits = bits_xor(a, b);
      break;
    case IntOp::kNot:
      out.bits = bits_not(a, w);
      break;
    case IntOp::kNeg:
      out.bits = bits_sub(Bits::constant(0), a, w);
      break;
    case IntOp::kMin:
    case IntOp::kMax:
      out.bits = minimum_or_maximum(i, a, b);
      break;
    case IntOp::kDiv:
    case IntOp::kRem:
      out.bits = divide_bits(i, a, b);
      break;
    case IntOp::kShl:
    case IntOp::kShr:
      out.bits = shift_bits(i, a, b);
      break;
    case IntOp::kFunnelLeft:
    case IntOp::kFunnelRight:
      out.bits = funnel_bits(i, a, b, c);
      break;
    case IntOp::kBfe:
      out.bits = extract_bits(i, a, b, c);
      break;
    case IntOp::kBfi:
      out.bits = insert_bits(w, a, b, c, bits(3));
      break;
    case IntOp::kPopc:
    case IntOp::kClz:
      out.bits = bits_below(w, a.varies());
      break;
    case IntOp::kLop3: {
      Bits table = bits(3);
      out.bits = table.is_constant() ? lop3_bits(w, a, b, c, table.one) : Bits::varying(w);
      break;
    }
    case IntOp::kPrmt:
      out.bits = permute_bits(a, b, c);
      break;
    case IntOp::kCompare: {
      Bits compared = bits_compare(a, b, i.order, w, i.is_signed);
      out.bits = compare_bits(i, compared, c);
      if (second != nullptr) {
        second->bits = compare_bits(i, bits_not(compared, 1), c);
        second->scope = second->bits.is_constant() ? Scope::kGrid : out.scope;
      }
      break;
    }
    case IntOp::kSelect:
      if (c.is_constant()) return (c.one & 1) != 0 ? s[0] : s[1];
      out = merge(s[0], s[1], s[2].level());
      break;
    case IntOp::kConvert:
      out.bits = truncate(extend(a, w, std::max<unsigned>(w, i.result_width), i.is_signed),
                          i.result_width);
      break;
    default: {
      bool varies = false;
      for (const ValueFacts& f : s) varies = varies || f.bits.varies();
      out.bits = varies ? Bits::varying(i.result_width) : Bits::uniform(i.result_width);
      break;
    }
  }
  if (out.bits.is_constant()) out.scope = Scope::kGrid;
  return out;
}

ValueFacts symbol_facts(const ptx::Symbol& symbol, int64_t displacement, unsigned width,
                        bool in_entry) {
  Bits base = Bits::uniform(width);
  if (std::has_single_bit(symbol.alignment) && symbol.size + symbol.unsized != 0)
    base.zero |= Bits::mask(static_cast<unsigned>(std::countr_zero(symbol.alignment)));
  ValueFacts out;
  out.bits =
      bits_add(base, truncate(Bits::constant(static_cast<uint64_t>(displacement)), width), width);
  bool on_stack = symbol.space == ptx::Space::kLocal || symbol.space == ptx::Space::kParam;
  out.scope = on_stack && !in_entry ? Scope::kWarp : Scope::kGrid;
  return out;
}

}  // namespace pitot::analysis
