#include "emulator/tile.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

namespace pitot::emulator {
namespace {

using ptx::Type;

// The values of all bytes in a format of up to 8 bits.
std::array<double, 256> values_of(const Format& f) {
  std::array<double, 256> v{};
  for (unsigned b = 0; b < 256; ++b) v[b] = decode(f, b & ((2 * f.sign()) - 1));
  return v;
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

double decode_narrow(Type t, uint64_t raw) {
  static const auto kE4m3Values = values_of(kE4m3), kE5m2Values = values_of(kE5m2),
                    kE3m2Values = values_of(kE3m2), kE2m3Values = values_of(kE2m3),
                    kE2m1Values = values_of(kE2m1);
  const auto bits = static_cast<uint32_t>(raw);
  switch (t) {
    case Type::kE4m3:
      return kE4m3Values[bits & 0xff];
    case Type::kE5m2:
      return kE5m2Values[bits & 0xff];
    case Type::kE3m2:
      return kE3m2Values[bits & 0x3f];
    case Type::kE2m3:
      return kE2m3Values[bits & 0x3f];
    case Type::kE2m1:
      return kE2m1Values[bits & 0xf];
    case Type::kUe4m3:
      return kE4m3Values[bits & 0x7f];
    case Type::kUe8m0:
      return (bits & 0xff) == 0xff ? std::numeric_limits<double>::quiet_NaN()
                                   : std::ldexp(1.0, static_cast<int>(bits & 0xff) - 127);
    default:
      return static_cast<double>(std::bit_cast<float>(bits));
  }
}

uint32_t encode_float(Type t, double v) {
  switch (t) {
    case Type::kF16:
      return static_cast<uint32_t>(encode(kF16, v, Rounding::kNearest));
    case Type::kBf16:
      return static_cast<uint32_t>(encode(kBf16, v, Rounding::kNearest));
    default:
      return std::isnan(v) ? 0x7fffffffu : std::bit_cast<uint32_t>(static_cast<float>(v));
  }
}

void multiply_float(const Tile& a, const Tile& b, const Tile& c, Tile& d) {
  const unsigned m = a.rows, k = a.columns, n = b.columns;
  // Eight columns at a time, so that their sums stay in registers. N is a multiple of 8 everywhere.
  constexpr unsigned kBlock = 8;
  for (unsigned s = 0; s + kBlock <= n; s += kBlock)
    for (unsigned r = 0; r < m; ++r) {
      double sum[kBlock];
      std::copy_n(c.f.data() + size_t{r} * n + s, kBlock, sum);
      const double* x = a.f.data() + size_t{r} * k;
      const double* y = b.f.data() + s;
      for (unsigned q = 0; q < k; ++q, y += n)
        for (unsigned e = 0; e < kBlock; ++e) sum[e] += x[q] * y[e];
      std::copy_n(sum, kBlock, d.f.data() + size_t{r} * n + s);
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
  constexpr unsigned kBlock = 8;
  for (unsigned s = 0; s + kBlock <= n; s += kBlock)
    for (unsigned r = 0; r < m; ++r) {
      // 256 products of bytes fit in 32 bits; C does not beside them.
      int32_t sum[kBlock] = {};
      const int32_t* x = a.i.data() + size_t{r} * k;
      const int32_t* y = b.i.data() + s;
      for (unsigned q = 0; q < k; ++q, y += n)
        for (unsigned e = 0; e < kBlock; ++e) sum[e] += x[q] * y[e];
      for (unsigned e = 0; e < kBlock; ++e) {
        const size_t at = size_t{r} * n + s + e;
        int64_t v = int64_t{sum[e]} + c.i[at];
        if (saturate) v = std::clamp<int64_t>(v, INT32_MIN, INT32_MAX);
        d.i[at] = static_cast<int32_t>(static_cast<uint32_t>(v));
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
