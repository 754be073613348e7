// Streams of kernel launches whose work is known by construction, to be timed and to be counted by Nsight Compute:
//   nvcc -O3 -std=c++17 -arch=native tools/gpu/phase_kernels.cu -o phase_kernels
//   phase_kernels time 0 400          a row a launch: its work and its time
//   ncu … -k regex:^phase_ phase_kernels count 0 400   the same launches, nothing besides
// Streams FIRST to LAST, each of 30 launches of one kernel or of two in turns; the same numbers give the same launches.
// Every launch begins with a cold L2: emptied here when timing, by ncu when counting.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define CHECK(call)                                                                         \
  do {                                                                                      \
    const cudaError_t e_ = (call);                                                          \
    if (e_ != cudaSuccess) {                                                                \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));      \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

// Of each of the five buffers: 64 MiB. ncu saves all of them at every launch, which takes most of its time.
constexpr uint64_t kFloats = uint64_t{1} << 24;
constexpr int kSteps = 30;

__device__ __forceinline__ uint64_t thread_of() { return blockIdx.x * uint64_t{blockDim.x} + threadIdx.x; }
__device__ __forceinline__ uint64_t threads_of() { return gridDim.x * uint64_t{blockDim.x}; }

__global__ void phase_copy(const float4* a, float4* b, uint64_t n) {
  for (uint64_t i = thread_of(); i < n; i += threads_of()) b[i] = a[i];
}
__global__ void phase_triad(const float* a, const float* b, float* c, uint64_t n) {
  for (uint64_t i = thread_of(); i < n; i += threads_of()) c[i] = a[i] + 1.5f * b[i];
}
__global__ void phase_sum(const float* a, float* out, uint64_t n) {
  float s = 0;
  for (uint64_t i = thread_of(); i < n; i += threads_of()) s += a[i];
  for (int w = 16; w > 0; w /= 2) s += __shfl_down_sync(~0u, s, w);
  if (threadIdx.x % 32 == 0) atomicAdd(out, s);
}
__global__ void phase_dot(const float4* a, const float4* b, float* out, uint64_t n) {
  float s = 0;
  for (uint64_t i = thread_of(); i < n; i += threads_of()) {
    const float4 x = a[i], y = b[i];
    s += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
  }
  for (int w = 16; w > 0; w /= 2) s += __shfl_down_sync(~0u, s, w);
  if (threadIdx.x % 32 == 0) atomicAdd(out, s);
}
template <class T, int kChains>
__device__ void chain(T* out, T seed, int rounds) {
  T v[kChains];
  for (int k = 0; k < kChains; ++k) v[k] = seed + static_cast<T>(threadIdx.x + k);
  for (int i = 0; i < rounds; ++i)
#pragma unroll
    for (int k = 0; k < kChains; ++k) v[k] = v[k] * seed + static_cast<T>(3);
  T s = 0;
  for (int k = 0; k < kChains; ++k) s += v[k];
  out[thread_of()] = s;
}
__global__ void phase_chain_f32(float* out, float seed, int rounds) { chain<float, 4>(out, seed, rounds); }
__global__ void phase_chain_f32_one(float* out, float seed, int rounds) { chain<float, 1>(out, seed, rounds); }
__global__ void phase_chain_f64(double* out, double seed, int rounds) { chain<double, 4>(out, seed, rounds); }
__global__ void phase_chain_int(int* out, int seed, int rounds) { chain<int, 4>(out, seed, rounds); }
__global__ void phase_chain_sfu(float* out, float seed, int rounds) {
  float v[4];
  for (int k = 0; k < 4; ++k) v[k] = seed + threadIdx.x + k;
  for (int i = 0; i < rounds; ++i)
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = __sinf(v[k]);
  out[thread_of()] = v[0] + v[1] + v[2] + v[3];
}
__global__ void phase_poly(const float* a, float* b, uint64_t n, int degree) {
  for (uint64_t i = thread_of(); i < n; i += threads_of()) {
    const float x = a[i];
    float y = 1;
    for (int d = 0; d < degree; ++d) y = y * x + 0.5f;
    b[i] = y;
  }
}
__global__ void phase_gemm_naive(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  float s = 0;
  for (int k = 0; k < n; ++k) s += a[row * n + k] * b[k * n + column];
  c[row * n + column] = s;
}
__global__ void phase_gemm_tile(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][17], bs[16][17];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float s = 0;
  for (int k = 0; k < n; k += 16) {
    as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) s += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = s;
}
__global__ void phase_gemm_registers(const float* a, const float* b, float* c, int n) {
  __shared__ float as[8][128], bs[8][128];
  const int row = blockIdx.y * 128, column = blockIdx.x * 128, t = threadIdx.x;
  float s[8][8] = {};
  for (int k = 0; k < n; k += 8) {
    const float4 x = *reinterpret_cast<const float4*>(a + (row + t / 2) * n + k + t % 2 * 4);
    const float4 y = *reinterpret_cast<const float4*>(b + (k + t / 32) * n + column + t % 32 * 4);
    as[t % 2 * 4][t / 2] = x.x;
    as[t % 2 * 4 + 1][t / 2] = x.y;
    as[t % 2 * 4 + 2][t / 2] = x.z;
    as[t % 2 * 4 + 3][t / 2] = x.w;
    *reinterpret_cast<float4*>(&bs[t / 32][t % 32 * 4]) = y;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float u[8], v[8];
#pragma unroll
      for (int j = 0; j < 8; ++j) u[j] = as[i][t / 16 * 8 + j];
#pragma unroll
      for (int j = 0; j < 8; ++j) v[j] = bs[i][t % 16 * 8 + j];
#pragma unroll
      for (int p = 0; p < 8; ++p)
#pragma unroll
        for (int q = 0; q < 8; ++q) s[p][q] += u[p] * v[q];
    }
    __syncthreads();
  }
  for (int p = 0; p < 8; ++p)
    for (int q = 0; q < 8; ++q) c[(row + t / 16 * 8 + p) * n + column + t % 16 * 8 + q] = s[p][q];
}
__global__ void phase_stencil2(const float* a, float* b, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  const uint64_t i = uint64_t(y) * n + x;
  b[i] = 0.5f * a[i] + 0.125f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n]);
}
__global__ void phase_stencil3(const float* a, float* b, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
  const uint64_t i = (uint64_t(z) * n + y) * n + x, plane = uint64_t(n) * n;
  b[i] = 0.4f * a[i] + 0.1f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - plane] + a[i + plane]);
}
__global__ void phase_transpose_naive(const float* a, float* b, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  b[uint64_t(x) * n + y] = a[uint64_t(y) * n + x];
}
__global__ void phase_transpose_shared(const float* a, float* b, int n) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32, y = blockIdx.y * 32;
  for (int j = threadIdx.y; j < 32; j += 8) tile[j][threadIdx.x] = a[uint64_t(y + j) * n + x + threadIdx.x];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) b[uint64_t(x + j) * n + y + threadIdx.x] = tile[threadIdx.x][j];
}
__device__ float block_sum(float v) {
  __shared__ float part[32];
  for (int w = 16; w > 0; w /= 2) v += __shfl_xor_sync(~0u, v, w);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  float s = 0;
  for (unsigned k = 0; k < blockDim.x / 32; ++k) s += part[k];
  __syncthreads();
  return s;
}
__global__ void phase_softmax(const float* a, float* b, int width) {
  const float* row = a + uint64_t(blockIdx.x) * width;
  float s = 0;
  for (int i = threadIdx.x; i < width; i += blockDim.x) s += __expf(row[i]);
  s = 1 / block_sum(s);
  for (int i = threadIdx.x; i < width; i += blockDim.x) b[uint64_t(blockIdx.x) * width + i] = __expf(row[i]) * s;
}
__global__ void phase_layernorm(const float* a, float* b, int width) {
  const float* row = a + uint64_t(blockIdx.x) * width;
  float s = 0, q = 0;
  for (int i = threadIdx.x; i < width; i += blockDim.x) s += row[i], q += row[i] * row[i];
  const float mean = block_sum(s) / width;
  const float scale = rsqrtf(block_sum(q) / width - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < width; i += blockDim.x) b[uint64_t(blockIdx.x) * width + i] = (row[i] - mean) * scale;
}
__global__ void phase_nbody(const float4* a, float4* b, int n) {
  extern __shared__ float4 tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = a[i];
  float x = 0, y = 0, z = 0;
  for (int first = 0; first < n; first += blockDim.x) {
    tile[threadIdx.x] = a[first + threadIdx.x];
    __syncthreads();
    for (unsigned k = 0; k < blockDim.x; ++k) {
      const float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
      const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = tile[k].w * r * r * r;
      x += f * dx, y += f * dy, z += f * dz;
    }
    __syncthreads();
  }
  b[i] = make_float4(x, y, z, me.w);
}
__global__ void phase_histogram(const unsigned* a, unsigned* out, uint64_t n) {
  __shared__ unsigned bins[256];
  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  for (uint64_t i = thread_of(); i < n; i += threads_of()) atomicAdd(&bins[a[i] >> 24], 1u);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&out[i], bins[i]);
}
__global__ void phase_spmv(const float* values, const unsigned* columns, const float* x, float* y, int rows, int width) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int k = 0; k < width; ++k) s += values[uint64_t(k) * rows + r] * x[columns[uint64_t(k) * rows + r] % rows];
  y[r] = s;
}
__global__ void phase_gather(const unsigned* index, const float* a, float* b, uint64_t n, unsigned mask) {
  for (uint64_t i = thread_of(); i < n; i += threads_of()) b[i] = a[index[i] & mask];
}
__global__ void phase_chase(const unsigned* next, unsigned* out, int steps, unsigned mask) {
  unsigned at = static_cast<unsigned>(thread_of() * 7919) & mask;
  for (int i = 0; i < steps; ++i) at = next[at] & mask;
  out[thread_of()] = at;
}
__global__ void phase_scan(const float* a, float* b, uint64_t n) {
  extern __shared__ float part[];
  const uint64_t i = thread_of();
  part[threadIdx.x] = i < n ? a[i] : 0;
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    const float v = threadIdx.x >= d ? part[threadIdx.x - d] : 0;
    __syncthreads();
    part[threadIdx.x] += v;
    __syncthreads();
  }
  if (i < n) b[i] = part[threadIdx.x];
}
__global__ void phase_conv7(const float* a, float* b, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < 3 || y < 3 || x >= n - 3 || y >= n - 3) return;
  float s = 0;
#pragma unroll
  for (int j = -3; j <= 3; ++j)
#pragma unroll
    for (int i = -3; i <= 3; ++i) s += a[uint64_t(y + j) * n + x + i] * (0.1f * i + 0.2f * j + 0.05f);
  b[uint64_t(y) * n + x] = s;
}
__global__ void phase_options(const float* price, const float* strike, float* call, float* put, uint64_t n) {
  for (uint64_t i = thread_of(); i < n; i += threads_of()) {
    const float s = fabsf(price[i]) + 1, k = fabsf(strike[i]) + 1;
    const float d1 = (__logf(s / k) + 0.045f) * 5, d2 = d1 - 0.2f;
    const float u1 = 1 / (1 + 0.2316419f * fabsf(d1)), u2 = 1 / (1 + 0.2316419f * fabsf(d2));
    const float p1 = __expf(-0.5f * d1 * d1) * u1 * (0.3194f + u1 * (-0.3566f + u1 * (1.7815f + u1 * (-1.8213f + u1 * 1.3303f))));
    const float p2 = __expf(-0.5f * d2 * d2) * u2 * (0.3194f + u2 * (-0.3566f + u2 * (1.7815f + u2 * (-1.8213f + u2 * 1.3303f))));
    call[i] = s * (1 - 0.3989f * p1) - k * 0.9753f * (1 - 0.3989f * p2);
    put[i] = k * 0.9753f * 0.3989f * p2 - s * 0.3989f * p1;
  }
}
__global__ void fill_values(float* a, uint64_t n, unsigned seed, int as_indices) {
  for (uint64_t i = thread_of(); i < n; i += threads_of()) {
    uint64_t z = (i + seed) * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    if (as_indices)
      reinterpret_cast<unsigned*>(a)[i] = static_cast<unsigned>(z);
    else
      a[i] = static_cast<float>(z >> 40) * 0x1p-24f - 0.5f;
  }
}
__global__ void empty_cache(float* a, uint64_t n) {
  for (uint64_t i = thread_of(); i < n; i += threads_of()) a[i] += 1;
}

struct Draws {  // SplitMix64
  uint64_t state;
  uint64_t bits() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  // Logarithmically even.
  double between(double lo, double hi) { return lo * std::exp(unit() * std::log(hi / lo)); }
  int one_of(std::initializer_list<int> v) { return v.begin()[bits() % v.size()]; }
};

struct Buffers {
  float *a, *b, *c, *d, *flush;
  unsigned* index;
};

// What a launch is and does. Bytes: what it reads once and writes once.
struct Launch {
  std::function<void()> run;
  uint64_t n = 0;
  unsigned blocks = 0, threads = 0;
  double fp32 = 0, fp64 = 0, int32 = 0, sfu = 0, bytes = 0;
};

struct Family {
  const char* name;
  double lo, hi;  // of the size that a stream is about
  std::function<Launch(const Buffers&, double size, int block, Draws&)> make;
};

unsigned blocks_for(uint64_t n, int block, unsigned most = 132 * 16) {
  return static_cast<unsigned>(std::min<uint64_t>(most, (n + block - 1) / block));
}
uint64_t capped(double n) { return std::clamp<uint64_t>(static_cast<uint64_t>(n), 32, kFloats); }

std::vector<Family> families() {
  std::vector<Family> f;
  const auto add = [&](const char* name, double lo, double hi, auto make) { f.push_back({name, lo, hi, make}); };
  add("copy", 2e3, 1.6e7, [](const Buffers& m, double s, int block, Draws&) {
    const uint64_t n = capped(s) / 4;
    const unsigned g = blocks_for(n, block);
    return Launch{[=] { phase_copy<<<g, block>>>((float4*)m.a, (float4*)m.b, n); }, n * 4, g, (unsigned)block, 0, 0, 0, 0, 32.0 * n};
  });
  add("triad", 2e3, 1.6e7, [](const Buffers& m, double s, int block, Draws&) {
    const uint64_t n = capped(s);
    const unsigned g = blocks_for(n, block);
    return Launch{[=] { phase_triad<<<g, block>>>(m.a, m.b, m.c, n); }, n, g, (unsigned)block, 2.0 * n, 0, 0, 0, 12.0 * n};
  });
  add("sum", 2e3, 1.6e7, [](const Buffers& m, double s, int block, Draws&) {
    const uint64_t n = capped(s);
    const unsigned g = blocks_for(n, block);
    return Launch{[=] { phase_sum<<<g, block>>>(m.a, m.d, n); }, n, g, (unsigned)block, 1.0 * n, 0, 0, 0, 4.0 * n};
  });
  add("dot", 2e3, 1.6e7, [](const Buffers& m, double s, int block, Draws&) {
    const uint64_t n = capped(s) / 4;
    const unsigned g = blocks_for(n, block);
    return Launch{[=] { phase_dot<<<g, block>>>((float4*)m.a, (float4*)m.b, m.d, n); }, n * 4, g, (unsigned)block, 8.0 * n, 0, 0, 0, 32.0 * n};
  });
  // Threads from less than one multiprocessor's to more than all hold.
  const auto add_chain = [&](const char* name, int chains, int width, auto kernel, auto work) {
    add(name, 64, 1e6, [=](const Buffers& m, double s, int block, Draws& d) {
      const unsigned g = std::max(1u, blocks_for(capped(s), block, 1u << 20));
      const int rounds = static_cast<int>(d.between(256, 4096));
      const double threads = double(g) * block, operations = threads * rounds * chains;
      Launch out{[=] { kernel(m, g, block, rounds); }, uint64_t(g) * block, g, (unsigned)block};
      out.bytes = threads * width;
      work(out, operations);
      return out;
    });
  };
  add_chain("chain_f32", 4, 4, [](const Buffers& m, unsigned g, int b, int r) { phase_chain_f32<<<g, b>>>(m.a, 0.3f, r); },
            [](Launch& l, double n) { l.fp32 = 2 * n; });
  add_chain("chain_f32_one", 1, 4, [](const Buffers& m, unsigned g, int b, int r) { phase_chain_f32_one<<<g, b>>>(m.a, 0.3f, r); },
            [](Launch& l, double n) { l.fp32 = 2 * n; });
  add_chain("chain_f64", 4, 8, [](const Buffers& m, unsigned g, int b, int r) { phase_chain_f64<<<g, b>>>((double*)m.a, 0.3, r); },
            [](Launch& l, double n) { l.fp64 = 2 * n; });
  add_chain("chain_int", 4, 4, [](const Buffers& m, unsigned g, int b, int r) { phase_chain_int<<<g, b>>>((int*)m.a, 7, r); },
            [](Launch& l, double n) { l.int32 = n; });
  add_chain("chain_sfu", 4, 4, [](const Buffers& m, unsigned g, int b, int r) { phase_chain_sfu<<<g, b>>>(m.a, 0.3f, r); },
            [](Launch& l, double n) { l.sfu = n; });
  add("poly", 1e4, 1.6e7, [](const Buffers& m, double s, int block, Draws& d) {
    const uint64_t n = capped(s);
    const int degree = static_cast<int>(d.between(4, 512));
    const unsigned g = blocks_for(n, block);
    return Launch{[=] { phase_poly<<<g, block>>>(m.a, m.b, n, degree); }, n, g, (unsigned)block, 2.0 * n * degree, 0, 0, 0, 8.0 * n};
  });
  add("gemm_naive", 64, 1500, [](const Buffers& m, double s, int, Draws&) {
    const int n = std::max(32, int(s) / 32 * 32);
    const dim3 block(32, 8), grid(n / 32, n / 8);
    return Launch{[=] { phase_gemm_naive<<<grid, block>>>(m.a, m.b, m.c, n); }, uint64_t(n), grid.x * grid.y, 256, 2.0 * n * n * n, 0, 0, 0, 12.0 * n * n};
  });
  add("gemm_tile", 64, 2000, [](const Buffers& m, double s, int, Draws&) {
    const int n = std::max(32, int(s) / 32 * 32);
    const dim3 block(16, 16), grid(n / 16, n / 16);
    return Launch{[=] { phase_gemm_tile<<<grid, block>>>(m.a, m.b, m.c, n); }, uint64_t(n), grid.x * grid.y, 256, 2.0 * n * n * n, 0, 0, 0, 12.0 * n * n};
  });
  add("gemm_registers", 128, 4000, [](const Buffers& m, double s, int, Draws&) {
    const int n = std::max(128, int(s) / 128 * 128);
    const dim3 grid(n / 128, n / 128);
    return Launch{[=] { phase_gemm_registers<<<grid, 256>>>(m.a, m.b, m.c, n); }, uint64_t(n), grid.x * grid.y, 256, 2.0 * n * n * n, 0, 0, 0, 12.0 * n * n};
  });
  add("stencil2", 64, 4000, [](const Buffers& m, double s, int block, Draws&) {
    const int n = std::max(32, int(s));
    const dim3 grid((n + block - 1) / block, n);
    return Launch{[=] { phase_stencil2<<<grid, block>>>(m.a, m.b, n); }, uint64_t(n), grid.x * grid.y, (unsigned)block, 6.0 * n * n, 0, 0, 0, 8.0 * n * n};
  });
  add("stencil3", 16, 250, [](const Buffers& m, double s, int block, Draws&) {
    const int n = std::max(8, int(s)), b = std::min(block, 128);
    const dim3 grid((n + b - 1) / b, n, n);
    const double all = double(n) * n * n;
    return Launch{[=] { phase_stencil3<<<grid, b>>>(m.a, m.b, n); }, uint64_t(n), grid.x * grid.y * grid.z, (unsigned)b, 8 * all, 0, 0, 0, 8 * all};
  });
  add("transpose_naive", 64, 4000, [](const Buffers& m, double s, int, Draws&) {
    const int n = std::max(32, int(s) / 32 * 32);
    const dim3 block(32, 8), grid(n / 32, n / 8);
    return Launch{[=] { phase_transpose_naive<<<grid, block>>>(m.a, m.b, n); }, uint64_t(n), grid.x * grid.y, 256, 0, 0, 0, 0, 8.0 * n * n};
  });
  add("transpose_shared", 64, 4000, [](const Buffers& m, double s, int, Draws&) {
    const int n = std::max(32, int(s) / 32 * 32);
    const dim3 block(32, 8), grid(n / 32, n / 32);
    return Launch{[=] { phase_transpose_shared<<<grid, block>>>(m.a, m.b, n); }, uint64_t(n), grid.x * grid.y, 256, 0, 0, 0, 0, 8.0 * n * n};
  });
  add("softmax", 64, 4000, [](const Buffers& m, double s, int block, Draws&) {
    const int n = std::max(32, int(s));
    const double all = double(n) * n;
    return Launch{[=] { phase_softmax<<<n, block>>>(m.a, m.b, n); }, uint64_t(n), (unsigned)n, (unsigned)block, 4 * all, 0, 0, 2 * all, 8 * all};
  });
  add("layernorm", 64, 4000, [](const Buffers& m, double s, int block, Draws&) {
    const int n = std::max(32, int(s));
    const double all = double(n) * n;
    return Launch{[=] { phase_layernorm<<<n, block>>>(m.a, m.b, n); }, uint64_t(n), (unsigned)n, (unsigned)block, 5 * all, 0, 0, 0, 8 * all};
  });
  add("nbody", 256, 6e4, [](const Buffers& m, double s, int block, Draws&) {
    const int b = std::min(block, 256), n = std::max(b, int(s) / b * b);
    return Launch{[=] { phase_nbody<<<n / b, b, b * 16>>>((float4*)m.a, (float4*)m.b, n); }, uint64_t(n), unsigned(n / b), (unsigned)b, 18.0 * n * n, 0, 0, 1.0 * n * n, 32.0 * n};
  });
  add("histogram", 2e3, 1.6e7, [](const Buffers& m, double s, int block, Draws&) {
    const uint64_t n = capped(s);
    const unsigned g = blocks_for(n, block, 132 * 8);
    return Launch{[=] { phase_histogram<<<g, block>>>(m.index, (unsigned*)m.d, n); }, n, g, (unsigned)block, 0, 0, 1.0 * n, 0, 4.0 * n};
  });
  add("spmv", 1e3, 5e5, [](const Buffers& m, double s, int block, Draws&) {
    const int rows = static_cast<int>(capped(s)), width = 32;
    const unsigned g = (rows + block - 1) / block;
    return Launch{[=] { phase_spmv<<<g, block>>>(m.a, m.index, m.b, m.c, rows, width); }, uint64_t(rows), g, (unsigned)block, 2.0 * rows * width, 0, 0, 0, 8.0 * rows * width + 8.0 * rows};
  });
  add("gather", 2e3, 1e7, [](const Buffers& m, double s, int block, Draws& d) {
    const uint64_t n = capped(s);
    const unsigned mask = (1u << (16 + d.bits() % 9)) - 1, g = blocks_for(n, block);
    return Launch{[=] { phase_gather<<<g, block>>>(m.index, m.a, m.b, n, mask); }, n, g, (unsigned)block, 0, 0, 0, 0, 12.0 * n};
  });
  add("chase", 32, 2e5, [](const Buffers& m, double s, int block, Draws& d) {
    const int steps = static_cast<int>(d.between(20, 300));
    const unsigned mask = (1u << (16 + d.bits() % 9)) - 1, g = blocks_for(capped(s), block, 1u << 20);
    const double threads = double(g) * block;
    return Launch{[=] { phase_chase<<<g, block>>>(m.index, (unsigned*)m.d, steps, mask); }, uint64_t(g) * block, g, (unsigned)block, 0, 0, threads * steps, 0, 4.0 * threads * (steps + 1)};
  });
  add("scan", 2e3, 1.6e7, [](const Buffers& m, double s, int block, Draws&) {
    const uint64_t n = capped(s);
    const unsigned g = blocks_for(n, block, 1u << 20);
    const double levels = std::log2(double(block));
    return Launch{[=] { phase_scan<<<g, block, block * 4>>>(m.a, m.b, n); }, n, g, (unsigned)block, levels * n, 0, 0, 0, 8.0 * n};
  });
  add("conv7", 64, 4000, [](const Buffers& m, double s, int block, Draws&) {
    const int n = std::max(32, int(s));
    const dim3 grid((n + block - 1) / block, n);
    return Launch{[=] { phase_conv7<<<grid, block>>>(m.a, m.b, n); }, uint64_t(n), grid.x * grid.y, (unsigned)block, 98.0 * n * n, 0, 0, 0, 8.0 * n * n};
  });
  add("options", 2e3, 1.6e7, [](const Buffers& m, double s, int block, Draws&) {
    const uint64_t n = capped(s);
    const unsigned g = blocks_for(n, block);
    return Launch{[=] { phase_options<<<g, block>>>(m.a, m.b, m.c, m.d, n); }, n, g, (unsigned)block, 44.0 * n, 0, 0, 6.0 * n, 16.0 * n};
  });
  return f;
}

// One kernel, of about one size and shape, or two in turns or one after the other.
std::vector<std::pair<const Family*, Launch>> stream_of(uint64_t number, const std::vector<Family>& all, const Buffers& m) {
  Draws draws{number * 0x632be59bd9b4e019 + 1};
  struct Voice {
    const Family* family;
    double size;
    int block;
  };
  // Every kernel leads as often as the others.
  std::vector<Voice> voices;
  const auto voice = [&](const Family& f) {
    // Rather large: small launches wait for themselves, whatever they do.
    const double size = f.lo * std::pow(f.hi / f.lo, std::pow(draws.unit(), 0.35));
    voices.push_back({&f, size, draws.one_of({64, 128, 256, 512})});
  };
  voice(all[number % all.size()]);
  const double kind = draws.unit();
  if (kind < 0.3) voice(all[draws.bits() % all.size()]);
  const bool in_turns = kind < 0.15;
  const int change = 10 + static_cast<int>(draws.bits() % 11);
  std::vector<std::pair<const Family*, Launch>> out;
  for (int k = 0; k < kSteps; ++k) {
    const size_t which = voices.size() == 1 ? 0 : in_turns ? k % 2 : k >= change;
    const Voice& v = voices[which];
    const double size = std::clamp(v.size * draws.between(0.7, 1.4), v.family->lo, v.family->hi);
    out.emplace_back(v.family, v.family->make(m, size, v.block, draws));
  }
  return out;
}

int main(int argc, char** argv) {
  const bool times = argc == 4 && std::strcmp(argv[1], "time") == 0;
  if (!times && !(argc == 4 && std::strcmp(argv[1], "count") == 0)) {
    std::fprintf(stderr, "phase_kernels time|count FIRST LAST\n");
    return 2;
  }
  const uint64_t first = std::strtoull(argv[2], nullptr, 10), last = std::strtoull(argv[3], nullptr, 10);
  Buffers m{};
  const uint64_t flush = times ? uint64_t{1} << 26 : 1;  // 256 MiB, several times L2
  for (float** p : {&m.a, &m.b, &m.c, &m.d}) CHECK(cudaMalloc(p, kFloats * 4));
  CHECK(cudaMalloc(&m.index, kFloats * 4));
  CHECK(cudaMalloc(&m.flush, flush * 4));
  fill_values<<<1024, 256>>>(m.a, kFloats, 1, 0);
  fill_values<<<1024, 256>>>(m.b, kFloats, 2, 0);
  fill_values<<<1024, 256>>>(m.c, kFloats, 3, 0);
  fill_values<<<1024, 256>>>(m.d, kFloats, 4, 0);
  fill_values<<<1024, 256>>>(reinterpret_cast<float*>(m.index), kFloats, 5, 1);
  CHECK(cudaMemset(m.flush, 0, flush * 4));
  CHECK(cudaDeviceSynchronize());
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  const std::vector<Family> all = families();
  if (times) std::printf("stream,step,kernel,n,blocks,threads,fp32,fp64,int32,sfu,bytes,time_us\n");
  // Clocks come up.
  for (int k = 0; times && k < 3000; ++k) empty_cache<<<1024, 256>>>(m.flush, flush);
  CHECK(cudaDeviceSynchronize());
  for (uint64_t s = first; s < last; ++s) {
    int step = 0;
    for (auto& [family, launch] : stream_of(s, all, m)) {
      if (!times) {
        launch.run();
        CHECK(cudaGetLastError());
        continue;
      }
      float ms[3];
      for (float& t : ms) {
        empty_cache<<<1024, 256>>>(m.flush, flush);
        CHECK(cudaEventRecord(begin));
        launch.run();
        CHECK(cudaEventRecord(end));
        CHECK(cudaGetLastError());
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&t, begin, end));
      }
      std::sort(ms, ms + 3);
      std::printf("%llu,%d,%s,%llu,%u,%u,%g,%g,%g,%g,%g,%.4f\n", (unsigned long long)s, step++, family->name,
                  (unsigned long long)launch.n, launch.blocks, launch.threads, launch.fp32, launch.fp64, launch.int32,
                  launch.sfu, launch.bytes, ms[1] * 1e3);
    }
    std::fflush(stdout);
  }
  CHECK(cudaDeviceSynchronize());
}
