// 3 x 3 convolution, an element a thread.
#include "../oracle.cuh"

extern "C" __global__ void conv2d_3x3_oracle(const float* x, const float* w, double* y, int inputs, int outputs,
                                             int height, int width, double* y_scale) {
  each(Count{outputs} * height * width, [&](Count e) {
    const int c = e % width, r = e / width % height, o = e / width / height;
    double sum = 0, size = 0;
    for (int i = 0; i < inputs; ++i)
      for (int dr = -1; dr <= 1; ++dr)
        for (int dc = -1; dc <= 1; ++dc) {
          if (r + dr < 0 || r + dr >= height || c + dc < 0 || c + dc >= width) continue;
          const double product = static_cast<double>(x[(Count{i} * height + r + dr) * width + c + dc]) *
                                 w[(Count{o} * inputs + i) * 9 + (dr + 1) * 3 + dc + 1];
          sum += product;
          size += fabs(product);
        }
    y[e] = sum;
    y_scale[e] = at_least(size);
  });
}
