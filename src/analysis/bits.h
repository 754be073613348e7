// What is known of an integer bit by bit: certainly 0, certainly 1, and whether it may differ
// between the lanes of a warp. The transfer functions are the arithmetic of known bits on up to 64
// bits.
#pragma once

#include <bit>
#include <cstdint>

namespace pitot::analysis {

// Values are held zero-extended: bits at and above the width are known zeros. `zero` and `one` both
// full is the bottom of the lattice (no value has arrived yet).
struct Bits {
  uint64_t zero = 0;  // bits that are 0 in every lane
  uint64_t one = 0;   // bits that are 1 in every lane
  uint64_t vary = 0;  // bits that may differ between the lanes that hold the value together

  bool operator==(const Bits&) const = default;

  static constexpr uint64_t mask(unsigned width) {
    return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  }
  static constexpr Bits constant(uint64_t v) { return {~v, v, 0}; }
  // Nothing is known but the width; the same in all lanes, or not.
  static constexpr Bits uniform(unsigned width) { return {~mask(width), 0, 0}; }
  static constexpr Bits varying(unsigned width) { return {~mask(width), 0, mask(width)}; }
  static constexpr Bits bottom() { return {~uint64_t{0}, ~uint64_t{0}, 0}; }

  bool is_bottom() const { return (zero & one) != 0; }
  bool is_constant() const { return !is_bottom() && (zero | one) == ~uint64_t{0}; }
  bool varies() const { return vary != 0; }
  uint64_t min() const { return one; }
  uint64_t max() const { return ~zero; }
  uint64_t known() const { return zero | one; }
  unsigned trailing_zeros() const { return static_cast<unsigned>(std::countr_one(zero)); }
  // The value is congruent to `one` modulo this power of two, at most 2^63.
  uint64_t modulus() const {
    unsigned n = static_cast<unsigned>(std::countr_one(known()));
    return uint64_t{1} << (n > 63 ? 63 : n);
  }
  // Every bit that is not known may differ.
  Bits with_all_varying() const { return {zero, one, is_bottom() ? 0 : ~known()}; }
};

// Either of the two, all lanes the same one.
Bits join(const Bits& a, const Bits& b);

Bits truncate(const Bits& a, unsigned width);
Bits sign_extend(const Bits& a, unsigned from, unsigned to);

// Results are taken modulo 2^width; operands are of that width.
Bits bits_add(const Bits& a, const Bits& b, unsigned width);
Bits bits_sub(const Bits& a, const Bits& b, unsigned width);
Bits bits_mul(const Bits& a, const Bits& b, unsigned width);
Bits bits_and(const Bits& a, const Bits& b);
Bits bits_or(const Bits& a, const Bits& b);
Bits bits_xor(const Bits& a, const Bits& b);
Bits bits_not(const Bits& a, unsigned width);
// Shifts by a constant; an amount of the width or more gives 0 (or the sign), as PTX clamps.
Bits bits_shl(const Bits& a, unsigned amount, unsigned width);
Bits bits_shr(const Bits& a, unsigned amount, unsigned width, bool is_signed);
// At most `maximum`; all unknown bits vary if `varies`.
Bits bits_below(uint64_t maximum, bool varies);

enum class Order : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };
// The predicate a ? b as one bit.
Bits bits_compare(const Bits& a, const Bits& b, Order order, unsigned width, bool is_signed);

}  // namespace pitot::analysis
