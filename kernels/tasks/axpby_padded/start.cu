// z = alpha x + beta y, an element a thread.
extern "C" __global__ void axpby_padded(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ z,
                                        int rows, int cols, int pitch_x, int pitch_y, float alpha, float beta) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) z[r * cols + c] = alpha * x[r * pitch_x + c] + beta * y[r * pitch_y + c];
}
