// c = a bT, an element a thread.
#include "../oracle.cuh"

extern "C" __global__ void gemm_s8_oracle(const signed char* a, const signed char* b, int* c, int m, int n, int k) {
  each(Count{m} * n, [&](Count e) {
    const Count i = e / n, j = e % n;
    int sum = 0;
    for (Count l = 0; l < k; ++l) sum += a[i * k + l] * b[j * k + l];
    c[e] = sum;
  });
}
