// Attention, a query a thread. An error of a score is relative to the sizes of its terms, and as much relative to the
// weight.
#include "../oracle.cuh"

extern "C" __global__ void attention_full_f32_oracle(const float* q, const float* k, const float* v, double* out,
                                                     int heads, int n, float scale, double* out_scale) {
  each(Count{heads} * n, [&](Count r) {
    const float* query = q + r * 64;
    const float* keys = k + r / n * n * 64;
    const float* values = v + r / n * n * 64;
    double size;  // of the score that was computed last
    auto score = [&](int j) {
      double sum = 0;
      size = 0;
      for (int d = 0; d < 64; ++d) {
        const double product = static_cast<double>(query[d]) * keys[j * 64 + d] * scale;
        sum += product;
        size += fabs(product);
      }
      return sum;
    };
    double top = -INFINITY, weight = 0, lost = 0;
    double sum[64] = {}, sizes[64] = {};
    for (int j = 0; j < n; ++j) top = fmax(top, score(j));
    for (int j = 0; j < n; ++j) {
      const double p = exp(score(j) - top), off = 1 + size + fabs(top);
      weight += p;
      lost += p * off;
      for (int d = 0; d < 64; ++d) {
        sum[d] += p * values[j * 64 + d];
        sizes[d] += p * off * fabs(static_cast<double>(values[j * 64 + d]));
      }
    }
    for (int d = 0; d < 64; ++d) {
      out[r * 64 + d] = sum[d] / weight;
      out_scale[r * 64 + d] = at_least(sizes[d] / weight + fabs(sum[d]) / weight * lost / weight);
    }
  });
}
