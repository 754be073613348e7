// Group norm, a group of a sample a thread. Errors come from the difference to the mean, from the variance, and from
// the sum with the bias.
#include "../oracle.cuh"

extern "C" __global__ void groupnorm_f32_oracle(const float* x, const float* gain, const float* bias, double* y,
                                                int samples, int groups, int channels, int pixels, float eps,
                                                double* y_scale) {
  each(Count{samples} * groups, [&](Count g) {
    const int n = channels * pixels;
    const float* in = x + g * n;
    double sum = 0, size = 0, squares = 0, lost = 0;
    for (int i = 0; i < n; ++i) {
      sum += in[i];
      size += fabs(static_cast<double>(in[i]));
    }
    const double mean = sum / n;
    size /= n;
    for (int i = 0; i < n; ++i) {
      const double d = in[i] - mean;
      squares += d * d;
      lost += d * d + fabs(d) * (fabs(static_cast<double>(in[i])) + size);
    }
    const double below = in_f32(squares) / n + eps, scale = 1 / sqrt(below);
    lost = (lost / n + size * size * 0x1p-24) / below;  // of the variance, relative
    for (int i = 0; i < n; ++i) {
      const int channel = g % groups * channels + i / pixels;
      const double v = in[i], a = gain[channel], b = bias[channel], d = v - mean;
      y[g * n + i] = d * scale * a + b;
      const double own = fmax(scale * (fabs(v) + size + fabs(d) * lost), static_cast<double>(FLT_MIN));
      y_scale[g * n + i] = at_least(fabs(a) * own + fabs(b));
    }
  });
}
