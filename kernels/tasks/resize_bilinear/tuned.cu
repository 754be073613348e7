// Bilinear resize: a thread has a column of ROWS pixels, TY apart, of CHANNELS images, for which it finds the places
// once.
__device__ __forceinline__ void place(int i, int m, int n, int& a, int& b, float& f) {
  const int at = max((2 * i + 1) * n - m, 0);
  a = at / (2 * m);
  b = min(a + 1, n - 1);
  f = static_cast<float>(at - a * 2 * m) / static_cast<float>(2 * m);
}

extern "C" __global__ void __launch_bounds__(TX* TY)
    resize_bilinear(const float* __restrict__ x, float* __restrict__ y, int channels, int height, int width,
                    int out_height, int out_width) {
  const int c = blockIdx.x * TX + threadIdx.x;
  if (c >= out_width) return;
  int c0, c1;
  float fc;
  place(c, out_width, width, c0, c1, fc);
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    const int r = (blockIdx.y * ROWS + i) * TY + threadIdx.y;
    if (r >= out_height) return;
    int r0, r1;
    float fr;
    place(r, out_height, height, r0, r1, fr);
#pragma unroll
    for (int j = 0; j < CHANNELS; ++j) {
      const int k = blockIdx.z * CHANNELS + j;
      if (k >= channels) break;
      const float* image = x + static_cast<long long>(k) * height * width;
      const float top = (1.0f - fc) * image[r0 * width + c0] + fc * image[r0 * width + c1];
      const float bottom = (1.0f - fc) * image[r1 * width + c0] + fc * image[r1 * width + c1];
      y[(static_cast<long long>(k) * out_height + r) * out_width + c] = (1.0f - fr) * top + fr * bottom;
    }
  }
}
