// A number as exact arithmetic would have it, and how far a rounded one may be from it.
//
// First-order error analysis (Higham, "Accuracy and Stability of Numerical Algorithms", chapters 3
// and 4), with rounding errors taken as independent: their squares add. A sum keeps the sum of its
// terms' magnitudes and counts its roundings, so that the estimate holds for every order of its
// terms, not only for the one that was executed.
#pragma once

#include <cmath>

namespace pitot::emulator {

struct ShadowValue {
  double value = 0;
  double magnitude = 0;  // of a sum: of all terms' absolute values; else |value|
  double sums = 0;       // squared unit roundoffs of the additions, each of the size of `magnitude`
  double variance = 0;   // squared error from everything else
  double error2() const { return variance + sums * magnitude * magnitude; }
  double error() const { return std::sqrt(error2()); }
};

inline ShadowValue exact_shadow(double v) { return {v, std::fabs(v), 0, 0}; }

// A result that is no sum: error² is the argument.
inline ShadowValue fresh_shadow(double v, double error2) { return {v, std::fabs(v), 0, error2}; }

inline ShadowValue shadow_neg(ShadowValue x) {
  x.value = -x.value;
  return x;
}

// `unit`: the unit roundoff of the format, half the distance from 1 to the next number.
inline ShadowValue shadow_add(const ShadowValue& x, const ShadowValue& y, double unit) {
  ShadowValue r{x.value + y.value, x.magnitude + y.magnitude, x.sums + y.sums + unit * unit,
                x.variance + y.variance};
  // What is left when all leading digits cancel is a rounding error itself (compensated sums): its
  // error does not grow with what went before.
  const double size = std::fabs(x.value) + std::fabs(y.value);
  if (std::fabs(r.value) <= 8 * unit * size) {
    // Of exact operands it is exact (Sterbenz).
    if (x.error2() == 0 && y.error2() == 0) return exact_shadow(r.value);
    const double most = 64 * unit * size;
    r = fresh_shadow(r.value, std::fmin(r.error2(), most * most));
  }
  return r;
}

inline ShadowValue shadow_product(const ShadowValue& x, const ShadowValue& y) {
  const double v = x.value * y.value;
  return fresh_shadow(v, x.value * x.value * y.error2() + y.value * y.value * x.error2());
}

// Rounding of the result to a format.
inline ShadowValue shadow_rounded(ShadowValue x, double unit) {
  x.variance += unit * x.value * unit * x.value;
  return x;
}

inline ShadowValue shadow_div(const ShadowValue& x, const ShadowValue& y) {
  const double v = x.value / y.value;
  return fresh_shadow(v, (x.error2() + v * v * y.error2()) / (y.value * y.value));
}

inline ShadowValue shadow_sqrt(const ShadowValue& x) {
  const double at = std::fmax(x.value, x.error());  // the slope has no end at 0
  return fresh_shadow(std::sqrt(x.value), at > 0 ? x.error2() / (4 * at) : 0);
}

inline ShadowValue shadow_rsqrt(const ShadowValue& x) {
  const double v = 1 / std::sqrt(x.value), slope = 0.5 * v / x.value;
  return fresh_shadow(v, slope * slope * x.error2());
}

inline ShadowValue shadow_ex2(const ShadowValue& x) {
  const double v = std::exp2(x.value), slope = v * 0.6931471805599453;
  return fresh_shadow(v, slope * slope * x.error2());
}

inline ShadowValue shadow_lg2(const ShadowValue& x) {
  const double slope = 1.4426950408889634 / x.value;
  return fresh_shadow(std::log2(x.value), slope * slope * x.error2());
}

inline ShadowValue shadow_tanh(const ShadowValue& x) {
  const double v = std::tanh(x.value), slope = 1 - v * v;
  return fresh_shadow(v, slope * slope * x.error2());
}

}  // namespace pitot::emulator
