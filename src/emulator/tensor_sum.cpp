#include "emulator/tensor_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace pitot::emulator {
namespace {

using ptx::Type;

constexpr int kOfZero = -5000;  // an exponent below all others, also when two are added
constexpr unsigned kLanesAtOnce = 8;

int lowest_exponent(Type t) {
  switch (t) {
    case Type::kF16:
    case Type::kE5m2:
      return -14;
    case Type::kE4m3:
      return -6;
    default:
      return -126;
  }
}

PITOT_INLINE int exponent_of(double v, int lowest) {
  const auto e = static_cast<int>(std::bit_cast<uint64_t>(v) >> 52 & 0x7ff) - 1023;
  return v == 0 ? kOfZero : std::max(e, lowest);
}

PITOT_INLINE double power_of_two(int e) {
  return std::bit_cast<double>(static_cast<uint64_t>(1023 + e) << 52);
}

// Towards zero, to so many bits of fraction as an f32 has them.
double cut(double v, unsigned bits) {
  if (v == 0 || !std::isfinite(v)) return v;
  const double unit = power_of_two(exponent_of(v, -126) - static_cast<int>(bits));
  const double t = std::trunc(v / unit) * unit;
  return std::fabs(t) > std::numeric_limits<float>::max()
             ? std::copysign(std::numeric_limits<double>::infinity(), v)
             : t;
}

double half(double v) { return decode(kF16, encode(kF16, v, Rounding::kNearest)); }
double single(double v) { return static_cast<double>(static_cast<float>(v)); }

// Factors of some columns of the product, in the order in which they are added.
struct Factors {
  std::vector<double> x, y;  // by product; by product and column
  std::vector<int> ex, ey;
  bool finite = true;
};

class Sum {
 public:
  Sum(const TensorSum& how, Type td) : how_(how), half_(td == Type::kF16) {}

  // Products [first, last) onto the accumulators.
  void add(const Factors& f, size_t first, size_t last, double* acc) const {
    bool finite = f.finite;
    for (unsigned e = 0; e < kLanesAtOnce; ++e) finite = finite && std::isfinite(acc[e]);
    int top[kLanesAtOnce];
    double scale[kLanesAtOnce], sum[kLanesAtOnce];
    for (unsigned e = 0; e < kLanesAtOnce; ++e) top[e] = exponent_of(acc[e], -126);
    for (size_t q = first; q < last; ++q)
      for (unsigned e = 0; e < kLanesAtOnce; ++e)
        top[e] = std::max(top[e], f.ex[q] + f.ey[q * kLanesAtOnce + e]);
    for (unsigned e = 0; e < kLanesAtOnce; ++e) {
      top[e] = std::clamp(top[e], -600, 600);
      scale[e] = power_of_two(how_.fraction - top[e]);
      sum[e] = finite ? toward_zero(acc[e] * scale[e]) : 0;
    }
    if (finite)
      for (size_t q = first; q < last; ++q)
        for (unsigned e = 0; e < kLanesAtOnce; ++e)
          sum[e] += toward_zero(f.x[q] * f.y[q * kLanesAtOnce + e] * scale[e]);
    for (unsigned e = 0; e < kLanesAtOnce; ++e) {
      if (!finite && !add_special(f, first, last, e, scale[e], acc[e], sum[e])) continue;
      // Nothing but zeros: the accumulator keeps its sign.
      if (sum[e] == 0 && acc[e] == 0 && top[e] == -600) continue;
      const double v = sum[e] * power_of_two(top[e] - how_.fraction);
      acc[e] = half_ ? half(v) : cut(v, how_.result_bits);
    }
  }

  void add_c(double* acc, const double* c) const {
    for (unsigned e = 0; e < kLanesAtOnce; ++e)
      acc[e] = half_ ? half(acc[e] + c[e]) : single(acc[e] + c[e]);
  }

 private:
  // Less than 2^28 in magnitude.
  static PITOT_INLINE double toward_zero(double v) {
    return static_cast<double>(static_cast<int32_t>(v));
  }

  // One column where something is infinite or NaN: true if it is not here, and `sum` is made.
  static bool add_special(const Factors& f, size_t first, size_t last, unsigned e, double scale,
                          double& acc, double& sum) {
    double all = acc;
    for (size_t q = first; q < last; ++q) all += f.x[q] * f.y[q * kLanesAtOnce + e];
    if (!std::isfinite(all)) {
      acc = all;
      return false;
    }
    sum = toward_zero(acc * scale);
    for (size_t q = first; q < last; ++q)
      sum += toward_zero(f.x[q] * f.y[q * kLanesAtOnce + e] * scale);
    return true;
  }

  TensorSum how_;
  bool half_;
};

void in_sequence(const Factors& f, size_t k, const double* c, bool to_half, double* out) {
  for (unsigned e = 0; e < kLanesAtOnce; ++e) {
    if (to_half) {  // pairs of products, starting with C
      out[e] = c[e];
      for (size_t q = 0; q < k; q += 2)
        out[e] = single(out[e] + single(f.x[q] * f.y[q * kLanesAtOnce + e] +
                                        f.x[q + 1] * f.y[(q + 1) * kLanesAtOnce + e]));
      continue;
    }
    double sum = 0;
    for (size_t q = 0; q < k; ++q) sum = single(sum + f.x[q] * f.y[q * kLanesAtOnce + e]);
    out[e] = single(sum + c[e]);
  }
}

}  // namespace

TensorSum hopper_sum(TensorOperation operation, Type a, bool quads) {
  TensorSum how;
  if (quads) {
    how.way = TensorSum::Way::kSequence;
  } else if (element_bits(a) == 8) {
    if (operation == TensorOperation::kWgmma) {
      how = {TensorSum::Way::kBlocks, 32, 13, 13};
    } else {
      how.way = TensorSum::Way::kHalves;
    }
  } else if (operation == TensorOperation::kWmma && a == Type::kTf32) {
    how.block = 4;
  }
  return how;
}

void multiply_as(const TensorSum& how, Type ta, Type tb, Type td, const Tile& a, const Tile& b,
                 const Tile& c, Tile& d, const SparseColumns* sparse) {
  const unsigned m = a.rows, k = a.columns, n = b.columns;
  const bool halves = how.way == TensorSum::Way::kHalves;
  std::vector<unsigned> order;
  for (unsigned pass = 0; pass < (halves ? 2u : 1u); ++pass)
    for (unsigned q = 0; q < k; ++q)
      if (!halves || (q % 4 >= 2) == (pass == 1)) order.push_back(q);
  const unsigned block = halves ? k / 2 : how.block;
  // mma turns 8-bit floats into halves first.
  const int low_a = lowest_exponent(halves ? Type::kF16 : ta);
  const int low_b = lowest_exponent(halves ? Type::kF16 : tb);
  const Sum sum(how, td);
  Factors f;
  f.x.resize(k);
  f.ex.resize(k);
  f.y.resize(size_t{k} * kLanesAtOnce);
  f.ey.resize(size_t{k} * kLanesAtOnce);
  for (unsigned s = 0; s + kLanesAtOnce <= n; s += kLanesAtOnce) {
    bool columns_finite = true;
    const auto take_columns = [&](auto&& row_of) {
      columns_finite = true;
      for (unsigned q = 0; q < k; ++q)
        for (unsigned e = 0; e < kLanesAtOnce; ++e) {
          const double v = b.at(row_of(order[q]), s + e);
          f.y[size_t{q} * kLanesAtOnce + e] = v;
          f.ey[size_t{q} * kLanesAtOnce + e] = exponent_of(v, low_b);
          columns_finite = columns_finite && std::isfinite(v);
        }
    };
    if (sparse == nullptr) take_columns([](unsigned q) { return q; });
    for (unsigned r = 0; r < m; ++r) {
      if (sparse != nullptr)
        take_columns([&](unsigned q) { return unsigned{(*sparse)[size_t{r} * k + q]}; });
      f.finite = columns_finite;
      for (unsigned q = 0; q < k; ++q) {
        f.x[q] = a.at(r, order[q]);
        f.ex[q] = exponent_of(f.x[q], low_a);
        f.finite = f.finite && std::isfinite(f.x[q]);
      }
      const double* before = c.f.data() + size_t{r} * n + s;
      double acc[kLanesAtOnce] = {};
      if (how.way == TensorSum::Way::kSequence) {
        in_sequence(f, k, before, td == Type::kF16, acc);
      } else {
        if (!halves) std::copy_n(before, kLanesAtOnce, acc);
        for (unsigned q = 0; q < k; q += block) sum.add(f, q, std::min(k, q + block), acc);
        if (halves) sum.add_c(acc, before);
      }
      std::copy_n(acc, kLanesAtOnce, d.f.data() + size_t{r} * n + s);
    }
  }
}

}  // namespace pitot::emulator
