// Causal attention, a query a thread. Weights may be rounded to f16; an error of a score is one of f32, 2^-13 of that,
// relative to the sizes of its terms, and as much relative to the weight.
#include <cuda_fp16.h>

#include "../oracle.cuh"

extern "C" __global__ void attention_causal_f16_oracle(const __half* q, const __half* k, const __half* v, double* out,
                                                       int heads, int n, float scale, double* out_scale) {
  each(Count{heads} * n, [&](Count r) {
    const __half* query = q + r * 64;
    const __half* keys = k + r / n * n * 64;
    const __half* values = v + r / n * n * 64;
    const int i = r % n;
    double size;  // of the score that was computed last
    auto score = [&](int j) {
      double sum = 0;
      size = 0;
      for (int d = 0; d < 64; ++d) {
        const double product = static_cast<double>(__half2float(query[d])) * __half2float(keys[j * 64 + d]) * scale;
        sum += product;
        size += fabs(product);
      }
      return sum;
    };
    double top = -INFINITY, weight = 0, lost = 0;
    double sum[64] = {}, sizes[64] = {};
    for (int j = 0; j <= i; ++j) top = fmax(top, score(j));
    for (int j = 0; j <= i; ++j) {
      const double p = exp(score(j) - top), off = 1 + (size + fabs(top)) * 0x1p-13;
      weight += p;
      lost += p * off;
      for (int d = 0; d < 64; ++d) {
        const double value = __half2float(values[j * 64 + d]);
        sum[d] += p * value;
        sizes[d] += p * off * fabs(value);
      }
    }
    for (int d = 0; d < 64; ++d) {
      out[r * 64 + d] = sum[d] / weight;
      // Weights below the normal numbers of f16 lose more: half of its least number each.
      out_scale[r * 64 + d] = at_least(sizes[d] / weight + fabs(sum[d]) / weight * lost / weight, 0x1p-14);
    }
  });
}
