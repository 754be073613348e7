// Interning of atoms, monomials and forms, and what can be read off a form.
#include "analysis/affine.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace pitot::analysis {
namespace {

uint64_t mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdu;
  return h ^ (h >> 32);
}

// Open addressing with ids + 1 in the slots; `same(id)` compares, `hash_of(id)` serves growth.
template <class Same, class HashOf>
uint32_t find_slot(std::vector<uint32_t>& slots, size_t count, uint64_t hash, Same&& same,
                   HashOf&& hash_of) {
  if (slots.size() < 64) slots.assign(64, 0);
  if ((count + 1) * 4 > slots.size() * 3) {
    std::vector<uint32_t> bigger(slots.size() * 2, 0);
    for (uint32_t entry : slots) {
      if (entry == 0) continue;
      size_t at = hash_of(entry - 1) & (bigger.size() - 1);
      while (bigger[at] != 0) at = (at + 1) & (bigger.size() - 1);
      bigger[at] = entry;
    }
    slots.swap(bigger);
  }
  size_t at = hash & (slots.size() - 1);
  while (slots[at] != 0 && !same(slots[at] - 1)) at = (at + 1) & (slots.size() - 1);
  return static_cast<uint32_t>(at);
}

constexpr size_t kKeptSlots = 4096;

// Empty, with room for about `entries` without growing.
void clear_slots(std::vector<uint32_t>& slots, size_t entries) {
  const size_t wanted = std::min(std::bit_ceil(2 * entries + 1), kKeptSlots);
  // A table that one huge function blew up is not kept for the small ones that follow.
  if (slots.size() > kKeptSlots) {
    slots.assign(kKeptSlots, 0);
    slots.shrink_to_fit();
  } else {
    slots.assign(std::max(slots.size(), wanted), 0);
  }
}

uint64_t hash_atom(const Atom& a) {
  uint64_t h = mix(static_cast<uint64_t>(a.kind), a.id);
  h = mix(h, static_cast<uint64_t>(a.offset));
  h = mix(h, a.width | (a.has_second ? 256u : 0u));
  if (a.kind != AtomKind::kExpression) return h;
  const IntInstruction& o = a.operation;
  h = mix(h, static_cast<uint64_t>(o.op) | uint64_t{o.width} << 8 | uint64_t{o.result_width} << 16 |
                 uint64_t{o.is_signed} << 24 | uint64_t{o.wrap} << 25 |
                 static_cast<uint64_t>(o.order) << 26 | static_cast<uint64_t>(o.combine) << 32);
  for (size_t k = 0; k < a.argument_count; ++k) h = mix(h, a.arguments[k]);
  return h;
}

bool same_atom(const Atom& a, const Atom& b) {
  if (a.kind != b.kind || a.id != b.id || a.offset != b.offset || a.width != b.width ||
      a.has_second != b.has_second || a.argument_count != b.argument_count)
    return false;
  if (a.kind != AtomKind::kExpression) return true;
  const IntInstruction &x = a.operation, &y = b.operation;
  return x.op == y.op && x.width == y.width && x.result_width == y.result_width &&
         x.is_signed == y.is_signed && x.wrap == y.wrap && x.order == y.order &&
         x.combine == y.combine &&
         std::equal(a.arguments.begin(), a.arguments.begin() + a.argument_count,
                    b.arguments.begin());
}

uint64_t hash_monomial(const Monomial& m) {
  return mix(mix(mix(0, m.atoms[0]), m.atoms[1]), m.atoms[2]);
}

uint64_t hash_form(int64_t constant, bool assumes, std::span<const Term> terms) {
  uint64_t h = mix(assumes ? 1 : 0, static_cast<uint64_t>(constant));
  for (const Term& t : terms) h = mix(mix(h, t.monomial), static_cast<uint64_t>(t.coefficient));
  return h;
}

}  // namespace

void AffineForms::reset(const FlowFacts& flow, const Uniformity& uniformity) {
  flow_ = &flow;
  uniformity_ = &uniformity;
  atoms_.clear();
  monomials_.clear();
  forms_.clear();
  terms_.clear();
  special_names_.clear();
  const size_t entries = flow.values.values.size();
  clear_slots(form_slots_, entries);
  clear_slots(monomial_slots_, entries / 2);
  clear_slots(atom_slots_, entries / 2);
  by_value_.assign(flow.values.values.size(), kNone);
  if (!flow.is_long()) return;
  // Room enough for most, so that long tables are not copied while they grow; what is not touched
  // costs nothing.
  forms_.reserve(2 * flow.values.values.size());
  terms_.reserve(2 * flow.values.values.size());
  atoms_.reserve(flow.values.values.size());
  monomials_.reserve(flow.values.values.size());
}

MonomialId AffineForms::intern(const Monomial& m) {
  auto same = [&](uint32_t id) { return monomials_[id] == m; };
  auto hash_of = [&](uint32_t id) { return hash_monomial(monomials_[id]); };
  uint32_t at = find_slot(monomial_slots_, monomials_.size(), hash_monomial(m), same, hash_of);
  if (monomial_slots_[at] == 0) {
    monomials_.push_back(m);
    monomial_slots_[at] = static_cast<uint32_t>(monomials_.size());
  }
  return monomial_slots_[at] - 1;
}

AtomId AffineForms::add_atom(Atom a) {
  auto same = [&](uint32_t id) { return same_atom(atoms_[id], a); };
  auto hash_of = [&](uint32_t id) { return hash_atom(atoms_[id]); };
  uint32_t at = find_slot(atom_slots_, atoms_.size(), hash_atom(a), same, hash_of);
  if (atom_slots_[at] != 0) return atom_slots_[at] - 1;
  AtomId id = static_cast<AtomId>(atoms_.size());
  Monomial m;
  m.atoms[0] = id;
  a.monomial = intern(m);
  atoms_.push_back(a);
  atom_slots_[at] = id + 1;
  return id;
}

FormId AffineForms::intern(int64_t constant, bool assumes, std::span<const Term> terms) {
  auto same = [&](uint32_t id) {
    const Form& f = forms_[id];
    return f.constant == constant && f.assumes_no_wrap == assumes &&
           std::equal(terms.begin(), terms.end(), terms_.begin() + f.first,
                      terms_.begin() + f.first + f.count);
  };
  auto hash_of = [&](uint32_t id) {
    return hash_form(forms_[id].constant, forms_[id].assumes_no_wrap, this->terms(id));
  };
  uint32_t at =
      find_slot(form_slots_, forms_.size(), hash_form(constant, assumes, terms), same, hash_of);
  if (form_slots_[at] != 0) return form_slots_[at] - 1;
  Form f;
  f.constant = constant;
  f.assumes_no_wrap = assumes;
  f.first = static_cast<uint32_t>(terms_.size());
  f.count = static_cast<uint8_t>(terms.size());
  f.pure = !assumes;
  for (const Term& t : terms)
    for (AtomId a : monomials_[t.monomial].span()) f.pure = f.pure && atoms_[a].pure;
  terms_.insert(terms_.end(), terms.begin(), terms.end());
  forms_.push_back(f);
  form_slots_[at] = static_cast<uint32_t>(forms_.size());
  return form_slots_[at] - 1;
}

FormId AffineForms::constant(uint64_t value, unsigned width) {
  return intern(sign_extended(value, width), false, {});
}

FormId AffineForms::from_atom(AtomId a) {
  Term t{atoms_[a].monomial, 1};
  return intern(0, false, std::span(&t, 1));
}

bool AffineForms::product(MonomialId a, MonomialId b, MonomialId& out) {
  auto x = monomials_[a].span(), y = monomials_[b].span();
  if (x.size() + y.size() > 3) return false;
  Monomial m;
  std::copy(x.begin(), x.end(), m.atoms.begin());
  std::copy(y.begin(), y.end(), m.atoms.begin() + static_cast<std::ptrdiff_t>(x.size()));
  std::sort(m.atoms.begin(), m.atoms.end());
  out = intern(m);
  return true;
}

Bits AffineForms::monomial_bits(MonomialId m) const {
  auto atoms = monomials_[m].span();
  Bits out = atoms_[atoms[0]].bits;
  for (AtomId a : atoms.subspan(1)) out = bits_mul(out, atoms_[a].bits, 64);
  return out;
}

unsigned AffineForms::trailing_zeros(const Term& t) const {
  unsigned n = static_cast<unsigned>(std::countr_zero(static_cast<uint64_t>(t.coefficient)));
  for (AtomId a : monomials_[t.monomial].span())
    n += std::min(atoms_[a].bits.trailing_zeros(), 64u);
  return n;
}

Bits AffineForms::bits(FormId f, unsigned width) const {
  Bits sum = truncate(Bits::constant(static_cast<uint64_t>(forms_[f].constant)), width);
  for (const Term& t : terms(f)) {
    Bits factor = truncate(Bits::constant(static_cast<uint64_t>(t.coefficient)), width);
    Bits m = truncate(monomial_bits(t.monomial), width);
    sum = bits_add(sum, bits_mul(m, factor, width), width);
  }
  return sum;
}

AffineForms::Range AffineForms::range(int64_t constant, std::span<const Term> terms) const {
  Range out{constant, constant, true};
  for (const Term& t : terms) {
    uint64_t largest = 1;
    for (AtomId a : monomials_[t.monomial].span())
      if (__builtin_mul_overflow(largest, atoms_[a].bits.max(), &largest)) return {};
    if (largest > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return {};
    int64_t extreme = 0;
    if (__builtin_mul_overflow(t.coefficient, static_cast<int64_t>(largest), &extreme)) return {};
    int64_t& side = extreme < 0 ? out.low : out.high;
    if (__builtin_add_overflow(side, extreme, &side)) return {};
  }
  return out;
}

bool AffineForms::in_low_bits(FormId f, unsigned k) const {
  Range r = range(f);
  return r.known && r.low >= 0 && static_cast<uint64_t>(r.high) <= Bits::mask(k);
}

AtomId AffineForms::base(FormId f) const {
  AtomId found = kNone;
  for (const Term& t : terms(f)) {
    auto atoms = monomials_[t.monomial].span();
    if (atoms.size() != 1) continue;
    const Atom& a = atoms_[atoms[0]];
    bool pointer = a.kind == AtomKind::kSymbol;
    if (a.kind == AtomKind::kParameter) {
      const ptx::Symbol& s = flow_->module->symbols[a.id];
      pointer = s.is_pointer || a.width == flow_->module->address_size;
    }
    if (!pointer || t.coefficient != 1) continue;
    if (found != kNone) {
      // A declared pointer or a variable beats a parameter that only has a pointer's width.
      auto declared = [&](AtomId id) {
        const Atom& x = atoms_[id];
        return x.kind == AtomKind::kSymbol || flow_->module->symbols[x.id].is_pointer;
      };
      bool first = declared(found), second = declared(atoms[0]);
      if (first == second) return kNone;
      if (first) continue;
    }
    found = atoms[0];
  }
  return found;
}

bool AffineForms::constant_difference(FormId a, FormId b, int64_t& out) const {
  auto x = terms(a), y = terms(b);
  if (!std::equal(x.begin(), x.end(), y.begin(), y.end())) return false;
  out = static_cast<int64_t>(static_cast<uint64_t>(forms_[a].constant) -
                             static_cast<uint64_t>(forms_[b].constant));
  return true;
}

}  // namespace pitot::analysis
