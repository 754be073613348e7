// Bilinear resize, a pixel a thread.
// Where pixel i of m lies among n: the pixel before, that after, and how far it is from the one before.
__device__ void place(int i, int m, int n, int& a, int& b, float& f) {
  const int at = max((2 * i + 1) * n - m, 0);
  a = at / (2 * m);
  b = min(a + 1, n - 1);
  f = static_cast<float>(at - a * 2 * m) / static_cast<float>(2 * m);
}

extern "C" __global__ void resize_bilinear(const float* __restrict__ x, float* __restrict__ y, int channels, int height,
                                           int width, int out_height, int out_width) {
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, k = blockIdx.z;
  if (r >= out_height || c >= out_width) return;
  int r0, r1, c0, c1;
  float fr, fc;
  place(r, out_height, height, r0, r1, fr);
  place(c, out_width, width, c0, c1, fc);
  const float* image = x + k * height * width;
  const float top = (1.0f - fc) * image[r0 * width + c0] + fc * image[r0 * width + c1];
  const float bottom = (1.0f - fc) * image[r1 * width + c0] + fc * image[r1 * width + c1];
  y[(k * out_height + r) * out_width + c] = (1.0f - fr) * top + fr * bottom;
}
