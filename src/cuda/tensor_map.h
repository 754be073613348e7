// Tensor maps as the driver makes them.
#pragma once

#include <array>
#include <cstdint>

#include "cuda/gpu.h"

namespace pitot::cuda {

// Extents and distances by dimension, the innermost first.
struct TensorLayout {
  DevicePointer address = 0;
  TensorType type = TensorType::kF32;
  uint32_t rank = 1;
  std::array<uint64_t, 5> size{1, 1, 1, 1, 1};  // elements
  std::array<uint64_t, 4> stride{};             // bytes
  std::array<uint32_t, 5> box{1, 1, 1, 1, 1}, step{1, 1, 1, 1, 1};
  TensorSwizzle swizzle = TensorSwizzle::kNone;
  bool fill_nan = false;
  bool im2col = false;
  std::array<int, 3> lower{}, upper{};  // of W, H, D
  uint32_t channels = 1, pixels = 1;
};

// Errors: a driver without tensor maps, a layout that it does not take.
Result<EncodedTensorMap> encode(const Gpu& gpu, const TensorLayout& layout);

}  // namespace pitot::cuda
