#include "cuda/tensor_map.h"

namespace pitot::cuda {

Result<EncodedTensorMap> encode(const Gpu& gpu, const TensorLayout& m) {
  const Api& api = gpu.api();
  if (api.tensor_map_tiled == nullptr || api.tensor_map_im2col == nullptr)
    return missing_error("the CUDA driver is too old for tensor maps: they came with CUDA 12.0");
  EncodedTensorMap out{};
  // The driver takes the address as a pointer.
  void* address = reinterpret_cast<void*>(m.address);
  const int fill = m.fill_nan ? 1 : 0;
  const Status32 s =
      m.im2col ? api.tensor_map_im2col(&out, m.type, m.rank, address, m.size.data(),
                                       m.stride.data(), m.lower.data(), m.upper.data(), m.channels,
                                       m.pixels, m.step.data(), kTensorNoInterleave, m.swizzle,
                                       kTensorPromote128, fill)
               : api.tensor_map_tiled(&out, m.type, m.rank, address, m.size.data(), m.stride.data(),
                                      m.box.data(), m.step.data(), kTensorNoInterleave, m.swizzle,
                                      kTensorPromote128, fill);
  if (Status made = api.check(s, "making a tensor map"); !made) return made.error();
  return out;
}

}  // namespace pitot::cuda
