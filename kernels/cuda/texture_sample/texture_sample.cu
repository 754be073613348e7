// Bilinear resampling through a texture object, written to a surface object.
extern "C" __global__ void texture_sample(cudaTextureObject_t image, cudaSurfaceObject_t out, int width,
                                          int height, float scale) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float4 v = tex2D<float4>(image, (x + 0.5f) * scale, (y + 0.5f) * scale);
  surf2Dwrite(v, out, x * static_cast<int>(sizeof(float4)), y);
}

// Trilinear sampling of a volume, and linear memory read through a texture.
extern "C" __global__ void texture_gather(cudaTextureObject_t volume, cudaTextureObject_t line, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex3D<float>(volume, i * 0.5f, i * 0.25f, 0.5f) + tex1Dfetch<float>(line, i);
}
