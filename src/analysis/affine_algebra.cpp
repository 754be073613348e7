// Operations on forms. Everything is modulo 2^width; steps that leave that ring (widening, shifting
// right, masking) are taken only where ranges or known bits show that they are right, or are
// marked.
#include <algorithm>

#include "analysis/affine.h"
#include "analysis/transfer.h"

namespace pitot::analysis {
namespace {

// Wrapped intermediates differ by multiples of 2^8 at least (8-bit registers), see Form.
constexpr unsigned kResidueBits = 8;

bool is_low_mask(uint64_t m) { return (m & (m + 1)) == 0; }

IntInstruction operation(IntOp op, unsigned width, bool is_signed = false) {
  IntInstruction i;
  i.op = op;
  i.width = i.result_width = static_cast<uint8_t>(width);
  i.is_signed = is_signed;
  return i;
}

}  // namespace

FormId AffineForms::add(FormId a, FormId b, unsigned width, int64_t scale_b) {
  const Form x = forms_[a], y = forms_[b];
  scratch_.clear();
  uint32_t i = x.first, j = y.first;
  const uint32_t i_end = x.first + x.count, j_end = y.first + y.count;
  auto reduced = [width](uint64_t v) { return sign_extended(v, width); };
  uint64_t scale = static_cast<uint64_t>(scale_b);
  while (i < i_end || j < j_end) {
    Term t;
    if (j == j_end || (i < i_end && terms_[i].monomial < terms_[j].monomial)) {
      t = terms_[i++];
      t.coefficient = reduced(static_cast<uint64_t>(t.coefficient));
    } else if (i == i_end || terms_[j].monomial < terms_[i].monomial) {
      t = terms_[j++];
      t.coefficient = reduced(static_cast<uint64_t>(t.coefficient) * scale);
    } else {
      t = terms_[i];
      t.coefficient = reduced(static_cast<uint64_t>(t.coefficient) +
                              static_cast<uint64_t>(terms_[j].coefficient) * scale);
      ++i;
      ++j;
    }
    if (t.coefficient != 0) scratch_.push_back(t);
  }
  if (scratch_.size() > kMaxTerms) return kNone;
  int64_t c =
      reduced(static_cast<uint64_t>(x.constant) + static_cast<uint64_t>(y.constant) * scale);
  return intern(c, x.assumes_no_wrap || y.assumes_no_wrap, scratch_);
}

FormId AffineForms::scale(FormId a, int64_t factor, unsigned width) {
  return add(constant(0, width), a, width, factor);
}

FormId AffineForms::truncate_form(FormId a, unsigned width) { return scale(a, 1, width); }

FormId AffineForms::multiply(FormId a, FormId b, unsigned width) {
  if (is_constant(a)) return scale(b, forms_[a].constant, width);
  if (is_constant(b)) return scale(a, forms_[b].constant, width);
  if (size_t{forms_[a].count + 1u} * (forms_[b].count + 1u) > 2 * kMaxTerms) return kNone;
  FormId sum = scale(a, forms_[b].constant, width);
  if (sum != kNone) sum = add(sum, b, width, forms_[a].constant);
  if (sum == kNone) return kNone;
  // The two lines above counted constant·constant twice.
  uint64_t twice =
      static_cast<uint64_t>(forms_[a].constant) * static_cast<uint64_t>(forms_[b].constant);
  sum = add(sum, constant(twice, width), width, -1);
  for (uint32_t i = 0; i < forms_[a].count && sum != kNone; ++i) {
    for (uint32_t j = 0; j < forms_[b].count && sum != kNone; ++j) {
      Term x = terms_[forms_[a].first + i], y = terms_[forms_[b].first + j], t;
      if (!product(x.monomial, y.monomial, t.monomial)) return kNone;
      t.coefficient = sign_extended(
          static_cast<uint64_t>(x.coefficient) * static_cast<uint64_t>(y.coefficient), width);
      if (t.coefficient == 0) continue;
      sum = add(sum, intern(0, false, std::span(&t, 1)), width);
    }
  }
  if (sum == kNone) return kNone;
  if ((forms_[a].assumes_no_wrap || forms_[b].assumes_no_wrap) && !forms_[sum].assumes_no_wrap) {
    scratch_.assign(terms(sum).begin(), terms(sum).end());
    return intern(forms_[sum].constant, true, scratch_);
  }
  return sum;
}

FormId AffineForms::extend(FormId a, unsigned from, unsigned to, bool is_signed) {
  if (from >= to) return truncate_form(a, to);
  if (is_constant(a)) {
    uint64_t v = static_cast<uint64_t>(forms_[a].constant);
    return constant(
        is_signed ? static_cast<uint64_t>(sign_extended(v, from)) : v & Bits::mask(from), to);
  }
  a = truncate_form(a, from);
  Range r = range(a);
  if (r.known) {
    int64_t low = is_signed ? sign_extended(uint64_t{1} << (from - 1), from) : 0;
    int64_t high = static_cast<int64_t>(Bits::mask(is_signed ? from - 1 : from));
    if (r.low >= low && r.high <= high) return a;
  }
  bool uniform = true;
  for (const Term& t : terms(a))
    for (AtomId id : monomials_[t.monomial].span())
      uniform = uniform && !atoms_[id].pure && atoms_[id].level != Scope::kVarying;
  if (forms_[a].pure || (uniform && !forms_[a].assumes_no_wrap)) {
    IntInstruction cvt = operation(IntOp::kConvert, from, is_signed);
    cvt.result_width = static_cast<uint8_t>(to);
    cvt.result_signed = is_signed;
    return expression(cvt, std::span(&a, 1));
  }
  scratch_.assign(terms(a).begin(), terms(a).end());
  return intern(forms_[a].constant, true, scratch_);
}

void AffineForms::split(FormId a, unsigned k, unsigned width, FormId& multiple, FormId& rest) {
  const Form f = forms_[a];
  std::vector<Term> high;
  scratch_.clear();
  for (const Term& t : terms(a)) (trailing_zeros(t) >= k ? high : scratch_).push_back(t);
  int64_t low_constant = static_cast<int64_t>(static_cast<uint64_t>(f.constant) & Bits::mask(k));
  rest = intern(low_constant, f.assumes_no_wrap, scratch_);
  multiple = intern(
      sign_extended(static_cast<uint64_t>(f.constant) - static_cast<uint64_t>(low_constant), width),
      f.assumes_no_wrap, high);
}

FormId AffineForms::and_mask(FormId a, uint64_t mask, unsigned width) {
  mask &= Bits::mask(width);
  if (is_constant(a)) return constant(static_cast<uint64_t>(forms_[a].constant) & mask, width);
  if (mask == 0) return constant(0, width);
  if (mask == Bits::mask(width)) return truncate_form(a, width);
  const bool assumes = forms_[a].assumes_no_wrap;
  if (is_low_mask(~mask & Bits::mask(width))) {  // clears the low bits
    FormId low = and_mask(a, ~mask & Bits::mask(width), width);
    return low == kNone ? kNone : add(a, low, width, -1);
  }
  unsigned k = static_cast<unsigned>(std::bit_width(mask));
  if (assumes && k > kResidueBits) return kNone;
  FormId multiple = kNone, rest = kNone;
  split(a, k, width, multiple, rest);
  if (is_constant(rest))
    return constant(static_cast<uint64_t>(forms_[rest].constant) & mask, width);
  // 2^g·y & mask is 2^g·(y & (mask >> g)).
  uint64_t all = static_cast<uint64_t>(forms_[rest].constant);
  for (const Term& t : terms(rest)) all |= static_cast<uint64_t>(t.coefficient);
  if (unsigned g = static_cast<unsigned>(std::countr_zero(all)); g > 0) {
    if (g >= k) return constant(0, width);
    scratch_.clear();
    for (Term t : terms(rest)) {
      t.coefficient >>= g;
      scratch_.push_back(t);
    }
    FormId y = intern(forms_[rest].constant >> g, forms_[rest].assumes_no_wrap, scratch_);
    FormId masked = and_mask(y, mask >> g, width);
    return masked == kNone ? kNone : scale(masked, int64_t{1} << g, width);
  }
  const bool fits = in_low_bits(rest, k);
  if (is_low_mask(mask) && fits) return rest;
  unsigned j = static_cast<unsigned>(std::countr_zero(mask));
  if (j > 0 && is_low_mask(mask >> j)) {
    FormId high = and_mask(rest, Bits::mask(k), width), low = and_mask(rest, Bits::mask(j), width);
    return high == kNone || low == kNone ? kNone : add(high, low, width, -1);
  }
  if (!forms_[rest].pure) return kNone;
  FormId arguments[] = {rest, constant(mask, width)};
  return expression(operation(IntOp::kAnd, width), arguments);
}

FormId AffineForms::or_xor(FormId a, FormId b, bool exclusive, unsigned width) {
  if (is_constant(a)) std::swap(a, b);
  if (is_constant(b)) {
    uint64_t c = static_cast<uint64_t>(forms_[b].constant) & Bits::mask(width);
    if (c == 0) return a;
    if (is_constant(a)) {
      uint64_t v = static_cast<uint64_t>(forms_[a].constant);
      return constant(exclusive ? v ^ c : v | c, width);
    }
    if (exclusive && c == Bits::mask(width)) return add(constant(c, width), a, width, -1);
  }
  const bool assumes = forms_[a].assumes_no_wrap || forms_[b].assumes_no_wrap;
  Bits x = bits(a, width), y = bits(b, width);
  if (!assumes && (x.max() & y.max()) == 0) return add(a, b, width);
  IntInstruction op = operation(exclusive ? IntOp::kXor : IntOp::kOr, width);
  // (A + B) op small with A a multiple of 2^k and B, small below 2^k.
  for (int side = 0; side < 2; ++side) {
    FormId large = side == 0 ? a : b, small = side == 0 ? b : a;
    uint64_t top = side == 0 ? y.max() : x.max();
    unsigned k = static_cast<unsigned>(std::bit_width(top));
    if (k >= width || !forms_[small].pure || (assumes && k > kResidueBits)) continue;
    if (!is_constant(small) && !in_low_bits(small, k)) continue;
    FormId high = kNone, low = kNone;
    split(large, k, width, high, low);
    if (terms(high).empty() && forms_[high].constant == 0) continue;  // handled below
    if (forms_[low].assumes_no_wrap) {  // the flag stays on `high`; what is left is in range anyway
      scratch_.assign(terms(low).begin(), terms(low).end());
      low = intern(forms_[low].constant, false, scratch_);
    }
    if (!in_low_bits(low, k) || !forms_[low].pure) continue;
    FormId combined = or_xor(low, small, exclusive, width);
    return combined == kNone ? kNone : add(high, combined, width);
  }
  if (!forms_[a].pure || !forms_[b].pure) return kNone;
  FormId arguments[] = {std::min(a, b), std::max(a, b)};
  return expression(op, arguments);
}

FormId AffineForms::shift_right(FormId a, unsigned amount, unsigned width, bool is_signed) {
  if (amount >= width) {
    if (!is_signed) return constant(0, width);
    amount = width - 1;
  }
  a = truncate_form(a, width);
  if (is_constant(a)) {
    uint64_t v = static_cast<uint64_t>(forms_[a].constant) & Bits::mask(width);
    return constant(
        is_signed ? static_cast<uint64_t>(sign_extended(v, width) >> amount) : v >> amount, width);
  }
  if (forms_[a].assumes_no_wrap) return kNone;
  Range r = range(a);
  int64_t low = is_signed ? sign_extended(uint64_t{1} << (width - 1), width) : 0;
  bool exact =
      r.known && r.low >= low &&
      (width == 64 || r.high <= static_cast<int64_t>(Bits::mask(is_signed ? width - 1 : width)));
  if (exact) {
    std::vector<Term> quotient;
    scratch_.clear();
    for (Term t : terms(a)) {
      if (static_cast<unsigned>(std::countr_zero(static_cast<uint64_t>(t.coefficient))) >= amount) {
        t.coefficient >>= amount;
        quotient.push_back(t);
      } else {
        scratch_.push_back(t);
      }
    }
    int64_t c = forms_[a].constant;
    int64_t rest = static_cast<int64_t>(static_cast<uint64_t>(c) & Bits::mask(amount));
    Range left = range(rest, scratch_);
    if (left.known && left.low >= 0 && static_cast<uint64_t>(left.high) <= Bits::mask(amount))
      return intern(c >> amount, false, quotient);
  }
  if (!forms_[a].pure) return kNone;
  FormId arguments[] = {a, constant(amount, 32)};
  return expression(operation(IntOp::kShr, width, is_signed), arguments);
}

FormId AffineForms::expression(const IntInstruction& op, std::span<const FormId> arguments,
                               bool second) {
  Atom a;
  a.kind = AtomKind::kExpression;
  a.operation = op;
  a.has_second = second;
  a.width = op.result_width;
  a.argument_count = static_cast<uint8_t>(std::min<size_t>(arguments.size(), 4));
  a.pure = true;
  a.level = Scope::kGrid;
  std::array<ValueFacts, 4> facts;
  uint32_t depth = 0;
  for (size_t k = 0; k < a.argument_count; ++k) {
    a.arguments[k] = arguments[k];
    a.pure = a.pure && forms_[arguments[k]].pure;
    facts[k].bits = bits(arguments[k], std::max<unsigned>(op.width, k == 0 ? 1 : 32));
    for (const Term& t : terms(arguments[k])) {
      for (AtomId id : monomials_[t.monomial].span()) {
        const Atom& x = atoms_[id];
        a.level = std::max(a.level, x.level);
        if (x.loop != kNone && flow_->loops.loops[x.loop].depth > depth) {
          depth = flow_->loops.loops[x.loop].depth;
          a.loop = x.loop;
        }
      }
    }
  }
  ValueFacts other;
  ValueFacts f = transfer(op, std::span<const ValueFacts>(facts.data(), a.argument_count),
                          second ? &other : nullptr);
  a.bits = truncate(second ? other.bits : f.bits, op.result_width);
  if (a.bits.is_constant()) return constant(a.bits.one, op.result_width);
  return from_atom(add_atom(a));
}

}  // namespace pitot::analysis
