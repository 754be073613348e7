// Sum of a token's and a position's embedding.
#include <cuda_fp16.h>

#include "../oracle.cuh"

extern "C" __global__ void embedding_oracle(const int* token, const __half* table, const __half* position, double* y,
                                            int tokens, int width, int context, double* y_scale) {
  each(Count{tokens} * width, [&](Count i) {
    const Count t = i / width, c = i % width;
    y[i] = static_cast<double>(__half2float(table[Count{token[t]} * width + c])) +
           __half2float(position[t % context * width + c]);
    y_scale[i] = at_least(y[i]);
  });
}
