// Heads before tokens, an element a thread.
#include <cuda_fp16.h>

#include "../oracle.cuh"

extern "C" __global__ void permute_heads_f16_oracle(const __half* x, double* y, int batch, int tokens, int heads,
                                                    int width, double* y_scale) {
  each(Count{batch} * tokens * heads * width, [&](Count e) {
    const Count d = e % width, t = e / width % tokens, h = e / width / tokens % heads, b = e / width / tokens / heads;
    y[e] = __half2float(x[((b * tokens + t) * heads + h) * width + d]);
    y_scale[e] = at_least(y[e]);
  });
}
