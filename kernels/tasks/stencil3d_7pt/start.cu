// Seven-point stencil: a thread goes along the depth with its column of three elements in registers.
extern "C" __global__ void stencil3d_7pt(const float* __restrict__ x, float* __restrict__ y, int depth, int height,
                                         int width, float a, float b) {
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, plane = height * width;
  if (r >= height || c >= width) return;
  const bool edge = r == 0 || c == 0 || r == height - 1 || c == width - 1;
  int at = r * width + c;
  float below = 0, here = x[at];
  for (int z = 0; z < depth; ++z, at += plane) {
    const float above = z + 1 < depth ? x[at + plane] : 0.0f;
    y[at] = edge || z == 0 || z == depth - 1
                ? here
                : a * here + b * (x[at - 1] + x[at + 1] + x[at - width] + x[at + width] + below + above);
    below = here;
    here = above;
  }
}
