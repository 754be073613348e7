// Integer values as polynomials: c0 + Σ c·(product of atoms), where atoms are thread coordinates,
// block coordinates, parameters, symbols' addresses, loop counters and everything that is not
// understood.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/int_ops.h"
#include "analysis/uniformity.h"

namespace pitot::analysis {

using AtomId = uint32_t;
using FormId = uint32_t;
using MonomialId = uint32_t;

enum class AtomKind : uint8_t {
  kSpecial,      // special register; id: index into AffineForms::special_names
  kParameter,    // value of a kernel parameter; id: SymbolId, offset: bytes into it
  kSymbol,       // address of a variable in its own state space; id: SymbolId
  kWindow,       // generic address minus address within the space; id: ptx::Space
  kLoopCounter,  // iterations begun since the loop was entered, from 0; id: LoopId
  kValue,        // a value as it is; id: ValueId
  kExpression,   // an integer operation on polynomials
};

struct Atom {
  AtomKind kind = AtomKind::kValue;
  bool pure = false;        // depends on the thread's coordinates in its block only
  bool has_second = false;  // kExpression: the second result of setp
  uint8_t width = 64;       // it lies in [0, 2^width)
  uint8_t argument_count = 0;
  Scope level = Scope::kVarying;  // at the place of its definition
  uint32_t id = kNone;
  LoopId loop = kNone;  // innermost loop in which it changes
  int64_t offset = 0;
  MonomialId monomial = 0;  // the one that is just this atom
  Bits bits;
  IntInstruction operation;
  std::array<FormId, 4> arguments{};
};

// Product of one to three atoms, ascending.
struct Monomial {
  std::array<AtomId, 3> atoms{kNone, kNone, kNone};
  bool operator==(const Monomial&) const = default;
  std::span<const AtomId> span() const {
    size_t n = atoms[1] == kNone ? 1 : atoms[2] == kNone ? 2 : 3;
    return std::span(atoms).first(n);
  }
};

struct Term {
  MonomialId monomial = 0;
  int64_t coefficient = 0;
  bool operator==(const Term&) const = default;
};

// Equal modulo 2^width to the value it describes, for values of any width up to 64.
struct Form {
  int64_t constant = 0;
  uint32_t first = 0;  // into AffineForms::terms
  uint8_t count = 0;   // at most kMaxTerms where sums are made
  // True of the integers as written only if no 32-bit (or narrower) intermediate wrapped before it
  // was widened; its residue modulo 2^8 and below is right either way.
  bool assumes_no_wrap = false;
  bool pure = false;  // every atom is, and nothing is assumed
};

// Forms are shared: equal ones have equal ids. Reusable over functions.
class AffineForms {
 public:
  static constexpr size_t kMaxTerms = 12;

  // Forms of the values that addresses, guards, branches and warp operations depend on.
  void build(const FlowFacts& flow, const Uniformity& uniformity);

  // kNone for values that were not asked for, see build.
  FormId of_value(ValueId v) const { return by_value_[v]; }
  // Of an operand: register, constant, special register, symbol; of an address with its
  // displacement.
  FormId of_operand(uint32_t instruction, uint8_t operand);
  FormId of_guard(uint32_t instruction);  // 1 or 0 valued, negation applied; constant 1 without one

  const Form& form(FormId f) const { return forms_[f]; }
  std::span<const Term> terms(FormId f) const {
    return std::span(terms_).subspan(forms_[f].first, forms_[f].count);
  }
  const Atom& atom(AtomId a) const { return atoms_[a]; }
  const Monomial& monomial(MonomialId m) const { return monomials_[m]; }
  const std::vector<std::string>& special_names() const { return special_names_; }
  size_t atom_count() const { return atoms_.size(); }
  bool is_constant(FormId f) const { return forms_[f].count == 0; }

  // Known bits of the form's value modulo 2^width.
  Bits bits(FormId f, unsigned width) const;
  // The atom that is a pointer or a symbol and stands alone with coefficient 1; kNone if there is
  // no single one.
  AtomId base(FormId f) const;
  // a − b, when all terms cancel.
  bool constant_difference(FormId a, FormId b, int64_t& out) const;
  // "src + 16*tid.x + 4096*ctaid.x + 8"
  std::string to_string_form(FormId f) const;
  std::string to_string(AtomId a) const;

  // Algebra modulo 2^width; kNone when the result would have too many terms.
  FormId constant(uint64_t value, unsigned width);
  FormId from_atom(AtomId a);
  FormId add(FormId a, FormId b, unsigned width, int64_t scale_b = 1);
  FormId scale(FormId a, int64_t factor, unsigned width);
  FormId multiply(FormId a, FormId b, unsigned width);
  FormId truncate_form(FormId a, unsigned width);
  // Zero- or sign-extension; assumes that nothing wrapped where that cannot be shown.
  FormId extend(FormId a, unsigned from, unsigned to, bool is_signed);
  FormId and_mask(FormId a, uint64_t mask, unsigned width);
  FormId or_xor(FormId a, FormId b, bool exclusive, unsigned width);
  FormId shift_right(FormId a, unsigned amount, unsigned width, bool is_signed);
  FormId expression(const IntInstruction& op, std::span<const FormId> arguments,
                    bool second = false);
  AtomId add_atom(Atom a);

 private:
  friend class FormBuilder;
  struct Range {
    int64_t low = 0, high = 0;
    bool known = false;
  };

  void reset(const FlowFacts& flow, const Uniformity& uniformity);
  FormId intern(int64_t constant, bool assumes, std::span<const Term> terms);
  MonomialId intern(const Monomial& m);
  bool product(MonomialId a, MonomialId b, MonomialId& out);
  Bits monomial_bits(MonomialId m) const;
  unsigned trailing_zeros(const Term& t) const;
  // Of the form as an integer, without reduction; unknown when it may leave 64 bits.
  Range range(int64_t constant, std::span<const Term> terms) const;
  Range range(FormId f) const { return range(forms_[f].constant, terms(f)); }
  // a = multiple of 2^k + rest.
  void split(FormId a, unsigned k, unsigned width, FormId& multiple, FormId& rest);
  bool in_low_bits(FormId f, unsigned k) const;

  const FlowFacts* flow_ = nullptr;
  const Uniformity* uniformity_ = nullptr;
  std::vector<Atom> atoms_;
  std::vector<Monomial> monomials_;
  std::vector<Form> forms_;
  std::vector<Term> terms_;
  std::vector<uint32_t> form_slots_, monomial_slots_, atom_slots_;  // open addressing, id + 1
  std::vector<FormId> by_value_;
  std::vector<std::string> special_names_;
  std::vector<Term> scratch_;
};

}  // namespace pitot::analysis
