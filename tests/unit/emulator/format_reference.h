// Small floating-point formats written down as a list of their values: slow, and on purpose nothing
// like what the emulator does.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace pitot::emulator::test {
// Of its own, so that helpers of the same name in other tests stay apart.
inline namespace formats {

enum class Mode { kRn, kRz, kRm, kRp, kRna };

class ReferenceFormat {
 public:
  // top: 'i' infinities and NaN in the topmost exponent, 'n' only all ones is NaN, 'f' all finite.
  ReferenceFormat(int exponent_bits, int mantissa_bits, char top)
      : bits_(1 + exponent_bits + mantissa_bits), top_(top) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    for (uint32_t code = 0; code < sign(); ++code) {
      const int e = static_cast<int>(code >> mantissa_bits);
      const long double m = code & ((1u << mantissa_bits) - 1);
      if (top == 'i' && e == (1 << exponent_bits) - 1) break;
      if (top == 'n' && code == sign() - 1) break;
      const long double unit = std::ldexp(1.0L, -mantissa_bits);
      values_.push_back(e == 0 ? std::ldexp(m * unit, 1 - bias)
                               : std::ldexp(1 + m * unit, e - bias));
    }
  }

  uint32_t sign() const { return 1u << (bits_ - 1); }
  int bits() const { return bits_; }
  const std::vector<long double>& values() const { return values_; }

  long double decode(uint32_t code) const {
    const uint32_t m = code & (sign() - 1);
    long double v = m < values_.size()                   ? values_[m]
                    : top_ == 'i' && m == values_.size() ? HUGE_VALL
                                                         : std::nanl("");
    return (code & sign()) != 0 ? -v : v;
  }

  uint32_t encode(long double v, Mode mode, bool satfinite = false) const {
    const auto largest = static_cast<uint32_t>(values_.size() - 1);
    if (std::isnan(v)) return top_ == 'f' ? largest : sign() - 1;
    const bool negative = std::signbit(v);
    const uint32_t s = negative ? sign() : 0;
    const long double m = std::fabs(v);
    const uint32_t beyond = satfinite || top_ == 'f' ? s | largest
                            : top_ == 'i'            ? s | (largest + 1)
                                                     : sign() - 1;
    if (std::isinf(m)) return beyond;
    const auto it = std::upper_bound(values_.begin(), values_.end(), m);
    const auto below = static_cast<uint32_t>(it - values_.begin() - 1);
    if (values_[below] == m) return s | below;
    const long double above =
        it != values_.end() ? *it : 2 * values_[largest] - values_[largest - 1];
    const long double middle = (values_[below] + above) / 2;
    bool up = false;
    if (mode == Mode::kRn) up = m > middle || (m == middle && below % 2 == 1);
    if (mode == Mode::kRna) up = m >= middle;
    if (mode == Mode::kRm) up = negative;
    if (mode == Mode::kRp) up = !negative;
    if (!up) return s | below;
    return it != values_.end() ? s | (below + 1) : beyond;
  }

  // Every value, every middle between two, and what is next to both.
  std::vector<float> interesting() const {
    std::vector<float> out = {0.0f, -0.0f, HUGE_VALF, -HUGE_VALF, std::nanf("")};
    auto around = [&](long double v) {
      const auto f = static_cast<float>(v);
      for (float x : {f, std::nextafter(f, HUGE_VALF), std::nextafter(f, -HUGE_VALF)}) {
        out.push_back(x);
        out.push_back(-x);
      }
    };
    for (size_t i = 0; i < values_.size(); ++i) {
      const long double next =
          i + 1 < values_.size() ? values_[i + 1] : 2 * values_[i] - values_[i - 1];
      around(values_[i]);
      around((values_[i] + next) / 2);
    }
    return out;
  }

 private:
  int bits_;
  char top_;
  std::vector<long double> values_;
};

inline const ReferenceFormat& reference_f16() {
  static const ReferenceFormat f(5, 10, 'i');
  return f;
}
inline const ReferenceFormat& reference_bf16() {
  static const ReferenceFormat f(8, 7, 'i');
  return f;
}

}  // namespace formats
}  // namespace pitot::emulator::test
