// An image of bytes turned about its middle: normalized coordinates, bytes as fractions, linear filter; what lies outside
// is its mirror image.
extern "C" __global__ void texture_rotate(cudaTextureObject_t image, cudaSurfaceObject_t out, int width, int height,
                                          float sine, float cosine) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = (x + 0.5f) / width - 0.5f, v = (y + 0.5f) / height - 0.5f;
  const float4 c = tex2D<float4>(image, u * cosine - v * sine + 0.5f, v * cosine + u * sine + 0.5f);
  auto byte = [](float f) { return static_cast<unsigned char>(f * 255.0f + 0.5f); };
  surf2Dwrite(make_uchar4(byte(c.x), byte(c.y), byte(c.z), byte(c.w)), out, x * static_cast<int>(sizeof(uchar4)), y);
}
