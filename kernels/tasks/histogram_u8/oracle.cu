// Byte counts, a value a thread.
#include "../oracle.cuh"

extern "C" __global__ void histogram_u8_oracle(const unsigned char* x, unsigned* bins, int n) {
  each(256, [&](Count v) {
    unsigned count = 0;
    for (int i = 0; i < n; ++i) count += x[i] == v;
    bins[v] += count;
  });
}
