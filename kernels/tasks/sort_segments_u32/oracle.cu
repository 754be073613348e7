// Each key goes to the place that the number of smaller ones (and of equal ones before it) gives, a key a thread.
#include "../oracle.cuh"

extern "C" __global__ void sort_segments_u32_oracle(const unsigned* x, unsigned* y, int segments) {
  each(Count{segments} * 1024, [&](Count e) {
    const Count first = e / 1024 * 1024;
    int place = 0;
    for (Count i = first; i < first + 1024; ++i) place += x[i] < x[e] || (x[i] == x[e] && i < e);
    y[first + place] = x[e];
  });
}
