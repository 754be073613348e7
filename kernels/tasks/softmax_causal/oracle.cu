// Causal softmax, a row of scores a thread. Scaled scores may be off by their own size's rounding.
#include "../oracle.cuh"

extern "C" __global__ void softmax_causal_oracle(const float* x, double* y, int heads, int n, float scale,
                                                 double* y_scale) {
  each(Count{heads} * n, [&](Count r) {
    const float* row = x + r * n;
    const int i = r % n;
    double top = -INFINITY, sum = 0, lost = 0;
    auto score = [&](int j) { return static_cast<double>(scale) * row[j]; };
    for (int j = 0; j <= i; ++j) top = fmax(top, score(j));
    for (int j = 0; j <= i; ++j) {
      const double e = exp(score(j) - top);
      sum += e;
      if (e > 0) lost += e * (fabs(top) + fabs(score(j)));
    }
    for (int j = 0; j < n; ++j) {
      const double v = j <= i ? exp(score(j) - top) / sum : 0;
      y[r * n + j] = v;
      y_scale[r * n + j] = at_least(j <= i ? v * (1 + fabs(top) + fabs(score(j)) + lost / sum) : 0);
    }
  });
}
