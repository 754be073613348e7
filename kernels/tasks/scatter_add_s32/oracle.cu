// Rows added to a table, an element of the table a thread.
#include "../oracle.cuh"

extern "C" __global__ void scatter_add_s32_oracle(const int* x, const int* index, int* table, int n, int width,
                                                  int entries) {
  each(Count{entries} * width, [&](Count e) {
    unsigned sum = static_cast<unsigned>(table[e]);
    for (Count i = 0; i < n; ++i)
      if (index[i] == e / width) sum += static_cast<unsigned>(x[i * width + e % width]);
    table[e] = static_cast<int>(sum);
  });
}
