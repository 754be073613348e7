// Maxima of 3 x 3 windows, an element a thread.
#include "../oracle.cuh"

extern "C" __global__ void maxpool2d_oracle(const float* x, double* y, int channels, int height, int width,
                                            double* y_scale) {
  const int high = (height + 1) / 2, wide = (width + 1) / 2;
  each(Count{channels} * high * wide, [&](Count e) {
    const int c = e % wide, r = e / wide % high, k = e / wide / high;
    double top = -INFINITY;
    for (int row = 2 * r - 1; row <= 2 * r + 1; ++row)
      for (int column = 2 * c - 1; column <= 2 * c + 1; ++column)
        if (row >= 0 && row < height && column >= 0 && column < width)
          top = fmax(top, static_cast<double>(x[(Count{k} * height + row) * width + column]));
    y[e] = top;
    y_scale[e] = at_least(top);
  });
}
