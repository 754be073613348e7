"""Latencies and rates of the memory system of the GPU here: what isa/gpus says with source h200-rates.

    python3 tools/gpu/memory.py

Needs CuPy. Prints cycles from a load to the use of its result by where it hits, cycles of a barrier by
threads of the block, cycles of a warp's shared atomics by pattern, and bandwidths.
"""

import cupy
import numpy

SOURCE = r"""
extern "C" {
__global__ void chase_l1(const unsigned long long* p, unsigned long long* out, int n) {
  unsigned long long a = (unsigned long long)p; long long t0 = clock64();
  for (int i = 0; i < n; ++i) asm volatile("ld.global.ca.u64 %0,[%0];" : "+l"(a));
  long long t1 = clock64(); out[0] = t1 - t0; out[1] = a; }
__global__ void chase_l2(const unsigned long long* p, unsigned long long* out, int n) {
  unsigned long long a = (unsigned long long)p; long long t0 = clock64();
  for (int i = 0; i < n; ++i) asm volatile("ld.global.cg.u64 %0,[%0];" : "+l"(a));
  long long t1 = clock64(); out[0] = t1 - t0; out[1] = a; }
__global__ void chase_shared(unsigned long long* out, int n) {
  __shared__ unsigned s[64];
  for (int i = 0; i < 64; ++i) s[i] = (unsigned)__cvta_generic_to_shared(&s[(i + 1) % 64]);
  unsigned a = s[0]; long long t0 = clock64();
  for (int i = 0; i < n; ++i) asm volatile("ld.shared.u32 %0,[%0];" : "+r"(a));
  long long t1 = clock64(); out[0] = t1 - t0; out[1] = a; }
__global__ void barrier(unsigned long long* out, int n) {
  long long t0 = clock64(); for (int i = 0; i < n; ++i) __syncthreads(); long long t1 = clock64();
  if (threadIdx.x == 0) out[blockIdx.x] = t1 - t0; }
__global__ void shared_atomics(const int* offset, unsigned long long* out, int n) {
  __shared__ unsigned s[4096]; unsigned r = 0;
  unsigned q = (unsigned)__cvta_generic_to_shared(s) + (offset[threadIdx.x & 31] & 16383);
  __syncthreads(); long long t0 = clock64();
  for (int i = 0; i < n; ++i) asm volatile("atom.shared.add.u32 %0,[%1],%2;" : "=r"(r) : "r"(q), "r"(i + threadIdx.x));
  __syncthreads(); long long t1 = clock64();
  if (threadIdx.x == 0) out[blockIdx.x] = t1 - t0; if (r == 12345) out[0] = 1; }
__global__ void read(const float4* p, float* out, unsigned long long n, int times) {
  float s = 0; const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
  for (int r = 0; r < times; ++r)
    for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < n; i += 4 * step) {
      float4 v[4];
      #pragma unroll
      for (int u = 0; u < 4; ++u)
        asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3},[%4];"
            : "=f"(v[u].x), "=f"(v[u].y), "=f"(v[u].z), "=f"(v[u].w) : "l"(p + i + u * step) : "memory");
      #pragma unroll
      for (int u = 0; u < 4; ++u) s += v[u].x + v[u].y + v[u].z + v[u].w; }
  if (s == 12345.f) out[0] = s; }
}"""


def main():
    get = cupy.RawModule(code=SOURCE).get_function
    out = cupy.zeros(4096, dtype=cupy.uint64)

    def chase(name, size, stride, steps, warm):
        buffer = cupy.zeros(size // 8, dtype=cupy.uint64)
        order = cupy.random.permutation(size // stride).astype(cupy.uint64)
        buffer[(order * (stride // 8)).astype(cupy.int64)] = buffer.data.ptr + cupy.roll(order, -1) * stride
        start = cupy.uint64(buffer.data.ptr + int(order[0]) * stride)
        flush = cupy.zeros(1 << 28, dtype=cupy.uint8)
        flush += 1
        for _ in range(2 if warm else 1):
            get(name)((1,), (1,), (start, out, numpy.int32(steps)))
        return int(out.get()[0]) / steps

    print("latency L1", chase("chase_l1", 16 << 10, 128, 4096, True))
    print("latency L2", chase("chase_l2", 16 << 20, 128, 131072, True))
    print("latency DRAM", chase("chase_l2", 4 << 30, 1024, 100000, False))
    get("chase_shared")((1,), (1,), (out, numpy.int32(4096)))
    print("latency shared", int(out.get()[0]) / 4096)
    for threads in (32, 128, 256, 512, 1024):
        get("barrier")((132,), (threads,), (out, numpy.int32(256)))
        print("barrier of", threads, "threads", int(out.get()[0]) / 256)
    lane = numpy.arange(32)
    for name, offset in (("one address", lane * 0), ("words", lane * 4), ("every 8 bytes", lane * 8), ("every 128", lane * 128)):
        where = cupy.asarray(offset.astype(numpy.int32))
        for _ in range(2):
            get("shared_atomics")((132,), (512,), (where, out, numpy.int32(64)))
        print("shared atomics,", name, out.get()[:132].mean() / (16 * 64), "cycles a warp")
    big = cupy.zeros(1 << 30, dtype=cupy.float32)
    sink = cupy.zeros(4, dtype=cupy.float32)

    def seconds(size, times):
        chunk = 264 * 1024 * 4
        n = size // 16 // chunk * chunk
        best = 1e9
        for _ in range(5):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            get("read")((264,), (1024,), (big, sink, numpy.uint64(n), numpy.int32(times)))
            end.record()
            end.synchronize()
            best = min(best, cupy.cuda.get_elapsed_time(begin, end) * 1e-3)
        return best, n * 16 * times

    for mib in (24, 32):
        t, moved = seconds(mib << 20, 50)
        print("L2 read", mib, "MiB", moved / t / 1e9, "GB/s")
    t, moved = seconds(4 << 30, 1)
    print("DRAM read", moved / t / 1e9, "GB/s")


if __name__ == "__main__":
    main()
