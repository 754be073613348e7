#include "emulator/tile.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

namespace pitot::emulator {
namespace {

using ptx::Type;

// A format without infinities beyond what `decode_small` says of it.
struct SmallFormat {
  unsigned exponent, mantissa;
  int bias;
  bool infinities;  // IEEE-like top exponent
  bool one_nan;     // all ones is NaN, the rest of the top exponent are numbers (e4m3, ue4m3)
};

double decode_small(uint32_t bits, const SmallFormat& f) {
  const uint32_t m = bits & ((1u << f.mantissa) - 1);
  const uint32_t e = (bits >> f.mantissa) & ((1u << f.exponent) - 1);
  const bool negative = ((bits >> (f.mantissa + f.exponent)) & 1) != 0;
  const uint32_t top = (1u << f.exponent) - 1;
  double v = 0;
  if (e == top && f.infinities) {
    v = m == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (e == top && f.one_nan && m == (1u << f.mantissa) - 1) {
    v = std::numeric_limits<double>::quiet_NaN();
  } else if (e == 0) {
    v = std::ldexp(static_cast<double>(m), 1 - f.bias - static_cast<int>(f.mantissa));
  } else {
    v = std::ldexp(static_cast<double>(m + (1u << f.mantissa)),
                   static_cast<int>(e) - f.bias - static_cast<int>(f.mantissa));
  }
  return negative ? -v : v;
}

// Scales by powers of two are exact in double for every format here, so half has its own path only
// because it is the common one.
double decode_half(uint32_t h) {
  const uint32_t sign = (h & 0x8000u) << 16, em = h & 0x7fffu;
  if (em >= 0x7c00u) {
    const float v = std::bit_cast<float>(sign | 0x7f800000u | (em & 0x3ffu) << 13);
    return static_cast<double>(v);
  }
  if (em < 0x400u) {
    const double v = static_cast<double>(em) * 0x1p-24;
    return sign != 0 ? -v : v;
  }
  return static_cast<double>(std::bit_cast<float>(sign | ((em << 13) + 0x38000000u)));
}

// Rounds a double to a binary format with `mantissa` stored bits and the exponent range of `bias`
// (1 − bias … bias); the format's bits.
uint32_t round_to(double v, unsigned mantissa, int bias) {
  const uint32_t sign_at =
      mantissa + static_cast<uint32_t>(std::bit_width(2u * static_cast<unsigned>(bias) + 1));
  const uint32_t sign = std::signbit(v) ? 1u << sign_at : 0;
  const double a = std::fabs(v);
  const uint32_t infinity = (2u * static_cast<uint32_t>(bias) + 1) << mantissa;
  if (std::isinf(a)) return sign | infinity;
  if (a == 0) return sign;
  const int e = std::max(std::ilogb(a), 1 - bias);
  const int step = e - static_cast<int>(mantissa);  // exponent of the last place
  // nearbyint rounds to even; a · 2^-step has at most `mantissa`+1 bits before the point.
  const auto units = static_cast<uint64_t>(std::nearbyint(std::ldexp(a, -step)));
  const uint64_t bits =
      (static_cast<uint64_t>(e + bias - 1) << mantissa) + units;  // a carry moves the exponent up
  return sign | static_cast<uint32_t>(std::min<uint64_t>(bits, infinity));
}

}  // namespace

unsigned element_bits(Type t) {
  switch (t) {
    case Type::kB1:
      return 1;
    case Type::kS4:
    case Type::kU4:
    case Type::kE2m1:
      return 4;
    case Type::kE3m2:
    case Type::kE2m3:
      return 6;
    case Type::kS8:
    case Type::kU8:
    case Type::kE4m3:
    case Type::kE5m2:
      return 8;
    case Type::kF16:
    case Type::kBf16:
      return 16;
    case Type::kF64:
      return 64;
    default:
      return 32;
  }
}

bool is_integer_element(Type t) {
  switch (t) {
    case Type::kB1:
    case Type::kS4:
    case Type::kU4:
    case Type::kS8:
    case Type::kU8:
    case Type::kS32:
      return true;
    default:
      return false;
  }
}

double decode_float(Type t, uint64_t raw) {
  const auto bits = static_cast<uint32_t>(raw);
  switch (t) {
    case Type::kF16:
      return decode_half(bits & 0xffff);
    case Type::kBf16:
      return static_cast<double>(std::bit_cast<float>(bits << 16));
    case Type::kTf32:
      return static_cast<double>(std::bit_cast<float>(bits & 0xffffe000u));
    case Type::kF64:
      return std::bit_cast<double>(raw);
    case Type::kE4m3:
      return decode_small(bits & 0xff, {4, 3, 7, false, true});
    case Type::kE5m2:
      return decode_small(bits & 0xff, {5, 2, 15, true, false});
    case Type::kE3m2:
      return decode_small(bits & 0x3f, {3, 2, 3, false, false});
    case Type::kE2m3:
      return decode_small(bits & 0x3f, {2, 3, 1, false, false});
    case Type::kE2m1:
      return decode_small(bits & 0xf, {2, 1, 1, false, false});
    case Type::kUe4m3:
      return decode_small(bits & 0x7f, {4, 3, 7, false, true});
    case Type::kUe8m0:
      return (bits & 0xff) == 0xff ? std::numeric_limits<double>::quiet_NaN()
                                   : std::ldexp(1.0, static_cast<int>(bits & 0xff) - 127);
    default:
      return static_cast<double>(std::bit_cast<float>(bits));
  }
}

int32_t decode_integer(Type t, uint32_t bits) {
  switch (t) {
    case Type::kS8:
      return static_cast<int8_t>(bits);
    case Type::kU8:
      return static_cast<uint8_t>(bits);
    case Type::kS4:
      return static_cast<int32_t>(bits << 28) >> 28;
    case Type::kU4:
      return static_cast<int32_t>(bits & 15);
    case Type::kB1:
      return static_cast<int32_t>(bits & 1);
    default:
      return static_cast<int32_t>(bits);
  }
}

uint32_t encode_float(Type t, double v) {
  switch (t) {
    case Type::kF16:
      return std::isnan(v) ? 0x7fffu : round_to(v, 10, 15);
    case Type::kBf16:
      return std::isnan(v) ? 0x7fffu : round_to(v, 7, 127);
    default:
      return std::isnan(v) ? 0x7fffffffu : std::bit_cast<uint32_t>(static_cast<float>(v));
  }
}

void multiply_float(const Tile& a, const Tile& b, const Tile& c, Tile& d) {
  const unsigned m = a.rows, k = a.columns, n = b.columns;
  std::vector<double> sum(n);
  for (unsigned r = 0; r < m; ++r) {
    std::copy_n(c.f.data() + size_t{r} * n, n, sum.data());
    for (unsigned q = 0; q < k; ++q) {
      const double x = a.f[size_t{r} * k + q];
      const double* y = b.f.data() + size_t{q} * n;
      for (unsigned s = 0; s < n; ++s) sum[s] += x * y[s];
    }
    std::copy_n(sum.data(), n, d.f.data() + size_t{r} * n);
  }
}

void multiply_double(const Tile& a, const Tile& b, const Tile& c, Tile& d, int rounding) {
  const int before = std::fegetround();
  std::fesetround(rounding);
  for (unsigned r = 0; r < a.rows; ++r)
    for (unsigned s = 0; s < b.columns; ++s) {
      volatile double sum = c.at(r, s);  // kept between the changes of the rounding mode
      for (unsigned q = 0; q < a.columns; ++q) sum = std::fma(a.at(r, q), b.at(q, s), sum);
      d.at(r, s) = sum;
    }
  std::fesetround(before);
  for (double& v : d.f)
    if (std::isnan(v)) v = std::numeric_limits<double>::quiet_NaN();
}

void multiply_integer(const Tile& a, const Tile& b, const Tile& c, Tile& d, bool saturate) {
  const unsigned m = a.rows, k = a.columns, n = b.columns;
  std::vector<int64_t> sum(n);
  for (unsigned r = 0; r < m; ++r) {
    std::copy_n(c.i.data() + size_t{r} * n, n, sum.data());
    for (unsigned q = 0; q < k; ++q) {
      const int32_t x = a.i[size_t{r} * k + q];
      const int32_t* y = b.i.data() + size_t{q} * n;
      for (unsigned s = 0; s < n; ++s) sum[s] += int64_t{x} * y[s];
    }
    for (unsigned s = 0; s < n; ++s) {
      const int64_t v = saturate ? std::clamp<int64_t>(sum[s], INT32_MIN, INT32_MAX) : sum[s];
      d.i[size_t{r} * n + s] = static_cast<int32_t>(static_cast<uint32_t>(v));
    }
  }
}

void multiply_bits(const Tile& a, const Tile& b, const Tile& c, Tile& d, bool conjunction) {
  for (unsigned r = 0; r < a.rows; ++r)
    for (unsigned s = 0; s < b.columns; ++s) {
      uint32_t sum = static_cast<uint32_t>(c.int_at(r, s));
      for (unsigned q = 0; q < a.columns; ++q) {
        const int32_t x = a.int_at(r, q), y = b.int_at(q, s);
        sum += static_cast<uint32_t>(conjunction ? x & y : x ^ y);
      }
      d.int_at(r, s) = static_cast<int32_t>(sum);
    }
}

}  // namespace pitot::emulator
