// C = A B for one thread, M by K times K by N, in straight-line PTX whose order is fixed: all loads of A,
// all of B, the products in the order i, j, k, all stores; every access has four bytes.
// What a transform of PTX has to work with is then in the source and not in a compiler's mood.
#include <utility>

template <int... I>
__device__ __forceinline__ void load_all(const float* p, float* to, std::integer_sequence<int, I...>) {
  (..., [&] { asm volatile("ld.global.f32 %0, [%1+%2];" : "=f"(to[I]) : "l"(p), "n"(4 * I)); }());
}
template <int... I>
__device__ __forceinline__ void store_all(float* p, const float* from, std::integer_sequence<int, I...>) {
  (..., [&] { asm volatile("st.global.f32 [%0+%1], %2;" ::"l"(p), "n"(4 * I), "f"(from[I]) : "memory"); }());
}

extern "C" __global__ void gemm_tile(const float* a, const float* b, float* c) {
  float av[M * K], bv[K * N], cv[M * N];
  load_all(a, av, std::make_integer_sequence<int, M * K>());
  load_all(b, bv, std::make_integer_sequence<int, K * N>());
#pragma unroll
  for (int i = 0; i < M; ++i)
#pragma unroll
    for (int j = 0; j < N; ++j) {
      cv[i * N + j] = 0;
#pragma unroll
      for (int k = 0; k < K; ++k)
        asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(cv[i * N + j]) : "f"(av[i * K + k]), "f"(bv[k * N + j]));
    }
  store_all(c, cv, std::make_integer_sequence<int, M * N>());
}
