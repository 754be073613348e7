// Escape times: a data-dependent loop with a divergent exit; also unsigned division and modulo.
extern "C" __global__ void mandelbrot(unsigned short* __restrict__ out, unsigned width, unsigned n,
                                      float scale, int limit) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float cx = (i % width) * scale - 2.0f, cy = (i / width) * scale - 1.25f;
  float x = 0, y = 0;
  int k = 0;
  while (k < limit && x * x + y * y < 4.0f) {
    const float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    ++k;
  }
  out[i] = static_cast<unsigned short>(k);
}
