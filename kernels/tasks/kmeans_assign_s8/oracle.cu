// Nearest centre, a point a thread.
#include "../oracle.cuh"

extern "C" __global__ void kmeans_assign_s8_oracle(const signed char* x, const signed char* centre, int* index,
                                                   int* distance, int n, int centres, int dims) {
  each(n, [&](Count p) {
    int best = 0x7fffffff, at = 0;
    for (int c = 0; c < centres; ++c) {
      int sum = 0;
      for (int d = 0; d < dims; ++d) {
        const int apart = x[p * dims + d] - centre[c * dims + d];
        sum += apart * apart;
      }
      if (sum < best) best = sum, at = c;
    }
    index[p] = at;
    distance[p] = best;
  });
}
