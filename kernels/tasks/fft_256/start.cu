// Fourier transform of 256 points a block: four passes of radix 4 (Stockham's order, nothing is permuted), each from
// shared memory to shared memory.
extern "C" __global__ void __launch_bounds__(64)
    fft_256(const float2* __restrict__ x, float2* __restrict__ y, int batch) {
  __shared__ float2 points[2][256];
  const int t = threadIdx.x;
  const long long first = blockIdx.x * 256LL;
  for (int i = t; i < 256; i += 64) points[0][i] = x[first + i];
  __syncthreads();
  int from = 0;
  // n: points of the transforms that are left to make, s: how many of them are interleaved.
  for (int n = 256, s = 1; n > 1; n /= 4, s *= 4) {
    const int p = t / s, q = t % s;  // p below n / 4
    const float2 a = points[from][q + s * p], b = points[from][q + s * (p + n / 4)];
    const float2 c = points[from][q + s * (p + n / 2)], d = points[from][q + s * (p + n / 4 * 3)];
    const float2 ac = make_float2(a.x + c.x, a.y + c.y), a_c = make_float2(a.x - c.x, a.y - c.y);
    const float2 bd = make_float2(b.x + d.x, b.y + d.y), jb_d = make_float2(d.y - b.y, b.x - d.x);  // i (b - d)
    const float2 out[4] = {make_float2(ac.x + bd.x, ac.y + bd.y), make_float2(a_c.x - jb_d.x, a_c.y - jb_d.y),
                           make_float2(ac.x - bd.x, ac.y - bd.y), make_float2(a_c.x + jb_d.x, a_c.y + jb_d.y)};
    for (int k = 0; k < 4; ++k) {
      float sine, cosine;
      sincospif(-2.0f * (k * p) / n, &sine, &cosine);
      points[1 - from][q + s * (4 * p + k)] =
          make_float2(out[k].x * cosine - out[k].y * sine, out[k].x * sine + out[k].y * cosine);
    }
    from = 1 - from;
    __syncthreads();
  }
  for (int i = t; i < 256; i += 64) y[first + i] = points[from][i];
}
