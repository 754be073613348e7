// Iterations until a point of the plane escapes: threads of a warp end at different times.
//   Blocks of BX by BY threads, COLS by ROWS points a thread, side by side (SPREAD 0) or a block apart
//   (1); UNROLL steps between looks at whether the point has escaped.
//   Multiplications and sums are written as single instructions, so that all variants round alike.
__device__ __forceinline__ int escape(float cx, float cy, int limit) {
  float x = 0, y = 0;
  int steps = 0;
  for (int i = 0; i < limit; i += UNROLL) {
    float size = 0;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const float xx = __fmul_rn(x, x);
      size = __fmaf_rn(y, y, xx);
      // A point that has escaped stays so: its size grows, to infinity or to no number.
      steps += size <= 4.0f ? 1 : 0;
      const float next = __fadd_rn(__fmaf_rn(-y, y, xx), cx);
      y = __fmaf_rn(__fadd_rn(x, x), y, cy);
      x = next;
    }
    if (!(size <= 4.0f)) break;
  }
  return steps;
}

extern "C" __global__ void __launch_bounds__(BX* BY)
mandelbrot(int* __restrict__ out, int width, int height, int limit) {
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
#pragma unroll
    for (int c = 0; c < COLS; ++c) {
#if SPREAD
      const int px = (blockIdx.x * COLS + c) * BX + threadIdx.x;
      const int py = (blockIdx.y * ROWS + r) * BY + threadIdx.y;
#else
      const int px = (blockIdx.x * BX + threadIdx.x) * COLS + c;
      const int py = (blockIdx.y * BY + threadIdx.y) * ROWS + r;
#endif
      if (px < width && py < height) {
        const float cx = __fmaf_rn(static_cast<float>(px), __fdiv_rn(3.0f, static_cast<float>(width)), -2.2f);
        const float cy = __fmaf_rn(static_cast<float>(py), __fdiv_rn(2.4f, static_cast<float>(height)), -1.2f);
        out[size_t{1} * py * width + px] = escape(cx, cy, limit);
      }
    }
  }
}
