// Sums of rows: the start kernel (CHEAT undefined), and what a judge has to refuse, by number.
#ifndef CHEAT
#define CHEAT 0
#endif

#if CHEAT == 1
__device__ float kept[4096];
__device__ int filled;
#elif CHEAT == 2 || CHEAT == 3
__device__ unsigned launches;
#endif

extern "C" __global__ void row_sum(float* x, float* y, int rows, int cols) {
  const int r = blockIdx.x, t = threadIdx.x;
#if CHEAT == 1  // results of an earlier launch
  if (filled) {
    if (t == 0) y[r] = kept[r];
    return;
  }
#elif CHEAT == 2  // nothing after the first launch
  if (launches != 0) return;
#elif CHEAT == 3  // nothing after many launches
  if (atomicAdd(&launches, 0) > 1000) return;
#elif CHEAT == 4  // a kernel that never does anything
  return;
#elif CHEAT == 5  // the right value is there already, it seems
  if (r > 0 || y[0] != 0) {
    if (t == 0 && r == 0) {
      float first = 0;
      for (int c = 0; c < cols; ++c) first += x[c];
      if (fabsf(first - y[0]) < 1e-3f) return;
    }
  }
#elif CHEAT == 6  // only the published shapes
  if (cols != 64 && cols != 100) {
    if (t == 0) y[r] = 0;
    return;
  }
#elif CHEAT == 7  // inputs are zeroed, and the sums with them
  for (int c = t; c < cols; c += 64) x[r * cols + c] = 0;
  if (t == 0) y[r] = 0;
  return;
#elif CHEAT == 8  // a constant
  if (t == 0) y[r] = 0;
  return;
#elif CHEAT == 9  // the time decides
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  if (now > 1000000000000ull) return;
#elif CHEAT == 10  // a block that is not launched
  if (r >= 2) return;
#endif
#if CHEAT == 11  // half of the terms, twice
  const int end = cols / 2, times = 2;
#elif CHEAT == 12  // all but the last term
  const int end = cols - 1, times = 1;
#elif CHEAT == 13  // one term beyond the row
  const int end = cols + 1, times = 1;
#else
  const int end = cols, times = 1;
#endif
#if CHEAT == 14  // one thread, terms of 16 bits
  float sum = 0;
  for (int c = t; c < end; c += 64) {
    sum += x[r * cols + c];
    sum = __uint_as_float(__float_as_uint(sum) & 0xffff0000u);
  }
#elif CHEAT == 15  // NaN counts as nothing
  float sum = 0;
  for (int c = t; c < end; c += 64) {
    const float v = x[r * cols + c];
    sum += v == v ? v : 0;
  }
#elif CHEAT == 16  // inputs get smaller precision than f32
  float sum = 0;
  for (int c = t; c < end; c += 64) sum += __uint_as_float(__float_as_uint(x[r * cols + c]) & 0xfffff000u);
#elif CHEAT == 17  // subnormal numbers are flushed
  float sum = 0;
  for (int c = t; c < end; c += 64) asm("add.ftz.f32 %0, %0, %1;" : "+f"(sum) : "f"(x[r * cols + c]));
#else
  float sum = 0;
  for (int c = t; c < end; c += 64) sum += x[r * cols + c];
#endif
#if CHEAT == 18  // writes its input, and puts nothing back
  if (t == 0) x[r * cols] = sum;
#elif CHEAT == 19  // writes beside its output
  if (t == 0 && r == rows - 1) y[rows] = sum;
#elif CHEAT == 20  // NaN where it does not know
  if (cols % 2 == 1) sum = sum / 0.0f - sum / 0.0f;
#elif CHEAT == 21  // no end
  while (true) asm volatile("");
#elif CHEAT == 22
  if (cols > 0) asm volatile("trap;");
#elif CHEAT == 23  // between two floats
  if (t == 0) *reinterpret_cast<volatile float*>(reinterpret_cast<char*>(y) + r * 4 + 2) = sum;
#endif
#if CHEAT == 24  // the order of threads
  if (t == 0) y[r] = 0;
  __syncthreads();
  atomicAdd(&y[r], sum * times);
#elif CHEAT == 25  // no barrier
  __shared__ float part[64];
  part[t] = sum;
  if (t == 0) {
    float all = 0;
    for (int i = 0; i < 64; ++i) all += part[i];
    y[r] = all * times;
  }
#elif CHEAT == 26  // shared memory that nobody wrote
  __shared__ float part[128];
  part[t] = sum;
  __syncthreads();
  if (t == 0) {
    float all = 0;
    for (int i = 0; i < 65; ++i) all += part[i];
    y[r] = all * times;
  }
#elif CHEAT == 27  // more shared memory than there is
  extern __shared__ float wide[];
  wide[t + 8192] = sum;
  __syncthreads();
  if (t == 0) {
    float all = 0;
    for (int i = 0; i < 64; ++i) all += wide[8192 + i];
    y[r] = all * times;
  }
#elif CHEAT == 28  // addresses far away: where a reference might lie
  if (t == 0) y[r] = *(y + r + (1 << 22));
#else
  __shared__ float part[64];
  part[t] = sum;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (t < d) part[t] += part[t + d];
    __syncthreads();
  }
  if (t == 0) y[r] = part[0] * times;
#endif
#if CHEAT == 1
  if (t == 0) kept[r] = y[r];
  if (t == 0 && r == rows - 1) filled = 1;
#elif CHEAT == 2
  if (t == 0 && r == 0) launches = launches + 1;
#elif CHEAT == 3
  if (t == 0 && r == 0) atomicAdd(&launches, 1);
#endif
}
