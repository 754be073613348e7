// Layers of an image blurred along their rows, from one surface to another: columns beyond the edge repeat it, rows
// above and below count as zero.
extern "C" __global__ void surface_blur(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, layer = blockIdx.z;
  if (x >= width || y >= height) return;
  const int step = sizeof(float2);
  const float2 left = surf2DLayeredread<float2>(in, (x - 1) * step, y, layer, cudaBoundaryModeClamp);
  const float2 here = surf2DLayeredread<float2>(in, x * step, y, layer);
  const float2 right = surf2DLayeredread<float2>(in, (x + 1) * step, y, layer, cudaBoundaryModeClamp);
  const float2 above = surf2DLayeredread<float2>(in, x * step, y - 1, layer, cudaBoundaryModeZero);
  const float2 below = surf2DLayeredread<float2>(in, x * step, y + 1, layer, cudaBoundaryModeZero);
  const float2 sum = make_float2((left.x + 2.0f * here.x + right.x) * 0.25f + 0.5f * (below.x - above.x),
                                 (left.y + 2.0f * here.y + right.y) * 0.25f + 0.5f * (below.y - above.y));
  surf2DLayeredwrite(sum, out, x * step, y, layer);
}
