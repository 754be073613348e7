// Sums of segments, a segment a thread.
#include "../oracle.cuh"

extern "C" __global__ void segment_sum_f32_oracle(const float* x, const int* start, double* y, int segments,
                                                  double* y_scale) {
  each(segments, [&](Count s) {
    double sum = 0, size = 0;
    for (int i = start[s]; i < start[s + 1]; ++i) {
      sum += x[i];
      size += fabs(static_cast<double>(x[i]));
    }
    y[s] = sum;
    y_scale[s] = at_least(size);
  });
}
