// Attention of one query a head, a result a thread. An error of a score is relative to the sizes of its terms, and as
// much relative to the weight.
#include <cuda_fp16.h>

#include "../oracle.cuh"

extern "C" __global__ void attention_decode_f16_oracle(const __half* q, const __half* k, const __half* v, double* out,
                                                       int heads, int n, float scale, double* out_scale) {
  // Eight neighbouring dimensions at a time, so that scores are not computed for each.
  each(Count{heads} * 16, [&](Count r) {
    const __half* query = q + r / 16 * 128;
    const __half* keys = k + r / 16 * n * 128;
    const __half* values = v + r / 16 * n * 128 + r % 16 * 8;
    double size;  // of the score that was computed last
    auto score = [&](int j) {
      double sum = 0;
      size = 0;
      for (int d = 0; d < 128; ++d) {
        const double product = static_cast<double>(__half2float(query[d])) * __half2float(keys[j * 128 + d]) * scale;
        sum += product;
        size += fabs(product);
      }
      return sum;
    };
    double top = -INFINITY, weight = 0, lost = 0;
    double sum[8] = {}, sizes[8] = {};
    for (int j = 0; j < n; ++j) top = fmax(top, score(j));
    for (int j = 0; j < n; ++j) {
      const double p = exp(score(j) - top), off = 1 + size + fabs(top);
      weight += p;
      lost += p * off;
      for (int d = 0; d < 8; ++d) {
        const double value = __half2float(values[j * 128 + d]);
        sum[d] += p * value;
        sizes[d] += p * off * fabs(value);
      }
    }
    for (int d = 0; d < 8; ++d) {
      out[r * 8 + d] = sum[d] / weight;
      out_scale[r * 8 + d] = at_least(sizes[d] / weight + fabs(sum[d]) / weight * lost / weight);
    }
  });
}
