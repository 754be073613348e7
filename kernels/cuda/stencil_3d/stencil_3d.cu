// Seven-point stencil marching along z with the column kept in registers.
extern "C" __global__ void stencil_3d(const float* __restrict__ in, float* __restrict__ out, int nx, int ny,
                                      int nz, float c0, float c1) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
  const int plane = nx * ny;
  int at = y * nx + x;
  float below = in[at], here = in[at + plane];
  for (int z = 1; z < nz - 1; ++z) {
    at += plane;
    const float above = in[at + plane];
    out[at] = c0 * here + c1 * (in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] + below + above);
    below = here;
    here = above;
  }
}
