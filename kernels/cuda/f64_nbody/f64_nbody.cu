// Gravity of n bodies in double precision, tiles of positions in shared memory.
extern "C" __global__ void f64_nbody(const double4* __restrict__ body, double3* __restrict__ force, int n) {
  __shared__ double4 tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const double4 me = i < n ? body[i] : make_double4(0, 0, 0, 0);
  double fx = 0, fy = 0, fz = 0;
  for (int first = 0; first < n; first += 128) {
    tile[threadIdx.x] = first + threadIdx.x < n ? body[first + threadIdx.x] : make_double4(0, 0, 0, 0);
    __syncthreads();
    for (int j = 0; j < 128; ++j) {
      const double dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      const double r2 = dx * dx + dy * dy + dz * dz + 1e-9;
      const double w = tile[j].w / (r2 * sqrt(r2));
      fx += dx * w;
      fy += dy * w;
      fz += dz * w;
    }
    __syncthreads();
  }
  if (i < n) force[i] = make_double3(fx, fy, fz);
}
