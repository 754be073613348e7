// Fourier transform of 256 points by its definition, a result a thread.
#include "../oracle.cuh"

extern "C" __global__ void fft_256_oracle(const float* x, double* y, int batch, double* y_scale) {
  each(Count{batch} * 256, [&](Count e) {
    const float* in = x + e / 256 * 512;
    const int f = e % 256;
    double real = 0, imaginary = 0, squares = 0;
    for (int t = 0; t < 256; ++t) {
      double sine, cosine;
      sincospi(-2.0 * (f * t % 256) / 256, &sine, &cosine);
      const double a = in[2 * t], b = in[2 * t + 1];
      real += a * cosine - b * sine;
      imaginary += a * sine + b * cosine;
      squares += a * a + b * b;
    }
    y[2 * e] = real;
    y[2 * e + 1] = imaginary;
    y_scale[2 * e] = y_scale[2 * e + 1] = at_least(sqrt(squares));
  });
}
