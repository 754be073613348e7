// 3 x 3 convolution of each channel, an element a thread.
#include "../oracle.cuh"

extern "C" __global__ void depthwise_conv_oracle(const float* x, const float* w, const float* bias, double* y,
                                                 int channels, int height, int width, double* y_scale) {
  each(Count{channels} * height * width, [&](Count e) {
    const int c = e % width, r = e / width % height, k = e / width / height;
    double sum = bias[k], size = fabs(sum);
    for (int dr = -1; dr <= 1; ++dr)
      for (int dc = -1; dc <= 1; ++dc) {
        if (r + dr < 0 || r + dr >= height || c + dc < 0 || c + dc >= width) continue;
        const double product = in_f32(static_cast<double>(x[(Count{k} * height + r + dr) * width + c + dc]) *
                                      w[k * 9 + (dr + 1) * 3 + dc + 1]);
        sum += product;
        size += fabs(product);
      }
    y[e] = sum;
    y_scale[e] = at_least(size);
  });
}
