// One load of a warp in each of 39 patterns, for Nsight Compute to count:
//   nvcc -arch=native tools/gpu/patterns.cu -o patterns
//   ncu --csv --metrics l1tex__data_pipe_lsu_wavefronts.sum,\
//     l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum ./patterns
// Each kernel loads its offset first: one request, four sectors and two wavefronts are not the
// pattern's. tests/unit/analysis/line_passes_test.cpp has what an H200 said.
#include <cstdio>

template <class T>
__global__ void load(const char* p, const int* offset, char* out) {
  T v = *reinterpret_cast<const T*>(p + offset[threadIdx.x]);
  if (*reinterpret_cast<int*>(&v) == 12345) *reinterpret_cast<T*>(out) = v;
}

int place(int pattern, int l, int w) {
  switch (pattern) {
    case 0:
      return 0;
    case 1:
      return l * w;
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
      return l * (8 << (pattern - 2));
    case 7:
      return l * w + w;
    case 8:
    case 9:
    case 10:
    case 11: {
      const int lanes = 16 >> (pattern - 8);
      return l / lanes * 512 + l % lanes * w;
    }
    default:
      return l / 2 * 128 + l % 2 * 32;
  }
}

int main() {
  char* p;
  int* offset;
  cudaMalloc(&p, 1 << 22);
  cudaMemset(p, 0, 1 << 22);
  cudaMalloc(&offset, 128);
  const char* names[] = {"same",      "unit",       "stride 8",        "stride 16", "stride 32",
                         "stride 64", "stride 128", "shifted",         "2 lines",   "4 lines",
                         "8 lines",   "16 lines",   "2 sectors a line"};
  for (int w = 4; w <= 16; w *= 2)
    for (int t = 0; t < 13; ++t) {
      int h[32];
      for (int l = 0; l < 32; ++l) h[l] = place(t, l, w) / w * w;
      cudaMemcpy(offset, h, sizeof h, cudaMemcpyHostToDevice);
      std::printf("%d bytes, %s\n", w, names[t]);
      if (w == 4) load<int><<<1, 32>>>(p, offset, p);
      if (w == 8) load<int2><<<1, 32>>>(p, offset, p);
      if (w == 16) load<int4><<<1, 32>>>(p, offset, p);
      cudaDeviceSynchronize();
    }
}
