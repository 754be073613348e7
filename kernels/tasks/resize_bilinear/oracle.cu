// Bilinear resize, a pixel a thread.
#include "../oracle.cuh"

__device__ void place(int i, int m, int n, int& a, int& b, double& f) {
  const int at = max((2 * i + 1) * n - m, 0);
  a = at / (2 * m);
  b = min(a + 1, n - 1);
  f = static_cast<double>(at - a * 2 * m) / (2 * m);
}

extern "C" __global__ void resize_bilinear_oracle(const float* x, double* y, int channels, int height, int width,
                                                  int out_height, int out_width, double* y_scale) {
  each(Count{channels} * out_height * out_width, [&](Count e) {
    const int c = e % out_width, r = e / out_width % out_height;
    const float* image = x + e / out_width / out_height * height * width;
    int r0, r1, c0, c1;
    double fr, fc;
    place(r, out_height, height, r0, r1, fr);
    place(c, out_width, width, c0, c1, fc);
    double parts[4] = {(1 - fc) * image[r0 * width + c0], fc * image[r0 * width + c1],
                       (1 - fc) * image[r1 * width + c0], fc * image[r1 * width + c1]};
    y[e] = (1 - fr) * (parts[0] + parts[1]) + fr * (parts[2] + parts[3]);
    y_scale[e] = at_least((1 - fr) * (fabs(parts[0]) + fabs(parts[1])) + fr * (fabs(parts[2]) + fabs(parts[3])));
  });
}
