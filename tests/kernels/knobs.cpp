// References of the kernels whose compile knobs are tuned (kernels/knobs).
#include <cmath>

#include "reference.h"

namespace pitot::kernels {
namespace {

void square_product(Call& c) {
  const auto n = static_cast<size_t>(c.size("n"));
  const auto &a = c.in("a"), &b = c.in("b");
  std::vector<double>& out = c.out["c"];
  out.assign(n * n, 0);
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < n; ++k)
      for (size_t j = 0; j < n; ++j) out[i * n + j] += a[i * n + k] * b[k * n + j];
}

void matrix_sum(Call& c) {
  double sum = 0;
  for (double v : c.in("x")) sum += v;
  c.out["out"] = {sum};
}

void softmax_square(Call& c) {
  const auto n = static_cast<size_t>(c.size("n"));
  const auto& x = c.in("x");
  for (size_t row = 0; row < x.size(); row += n) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += std::exp(x[row + i]);
    for (size_t i = 0; i < n; ++i) c.out["y"].push_back(std::exp(x[row + i]) / sum);
  }
}

}  // namespace

void add_knobs(References& to) {
  to["knobs/gemm"] = square_product;
  to["knobs/reduction"] = matrix_sum;
  to["knobs/softmax"] = softmax_square;
}

}  // namespace pitot::kernels
