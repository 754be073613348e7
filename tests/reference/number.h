// Exact floating-point numbers and their rounding to a format, on integers alone, so that nothing
// depends on the host's floating-point unit (IEEE 754; PTX ISA, "Floating Point Instructions").
#pragma once

#include "reference/work.h"

namespace pitot::reference {

struct Format {
  unsigned exponent_bits = 8, fraction_bits = 23;
  unsigned bits() const { return 1 + exponent_bits + fraction_bits; }
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};
inline constexpr Format kHalf{5, 10}, kBfloat{8, 7}, kSingle{8, 23}, kDouble{11, 52};
bool is_float(ptx::Type t);        // f16, bf16, f32, f64
Format format_of(ptx::Type t);     // of those
Value canonical_nan(ptx::Type t);  // what arithmetic on such a type gives

enum class Rounding : uint8_t { kNearestEven, kZero, kDown, kUp, kNearestAway };
Rounding rounding_of(const ptx::Opcode& op);  // rn, rz, rm, rp, rna, rni …; rn without one

// (-1)^negative × mantissa × 2^exponent, plus something less than one unit of the mantissa if
// `inexact`.
struct Number {
  enum class Kind : uint8_t { kFinite, kInfinite, kNan };
  Kind kind = Kind::kFinite;
  bool negative = false;
  bool inexact = false;
  int exponent = 0;
  Value mantissa = 0;

  bool nan() const { return kind == Kind::kNan; }
  bool infinite() const { return kind == Kind::kInfinite; }
  bool zero() const { return kind == Kind::kFinite && mantissa == 0 && !inexact; }
};

Number nan();
Number from_integer(Signed v);
Number decode(Format f, Value bits);
// NaN gives all ones but the sign; overflow gives infinity or the greatest number by the mode.
Value encode(Format f, const Number& n, Rounding mode);
// A number's integral value in the mode; not for NaN and infinity. Cut to ±2^100.
Signed to_integer(const Number& n, Rounding mode);

Number negated(Number n);
Number magnitude(Number n);
// An exact zero that is the sum of opposite numbers is −0 only when rounding down.
Number sum(const Number& a, const Number& b, Rounding mode);
Number product(const Number& a, const Number& b);
Number quotient(const Number& a, const Number& b);
Number square_root(const Number& a);
// −1, 0, 1; NaN is not allowed.
int compare(const Number& a, const Number& b);

// Subnormal bits become a zero of their sign.
Value flushed(Format f, Value bits);

}  // namespace pitot::reference
