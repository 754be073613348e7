// Texels in a GPU's memory, and the handles by which kernels reach them.
#pragma once

#include <memory>
#include <vector>

#include "cuda/gpu.h"

namespace pitot::cuda {

enum class TexelLayout : uint8_t {
  kArray,   // as the hardware likes it
  kLinear,  // one row of plain memory
  kPitch,   // rows of plain memory
};

// How texels lie. Extents of a level are halved from one level to the next; the depth of layers is
// not.
struct TexelShape {
  TexelLayout layout = TexelLayout::kArray;
  size_t width = 1, height = 0, depth = 0;  // 0: it has no such dimension; depth: slices or layers
  unsigned levels = 1;
  ArrayFormat format = ArrayFormat::kF32;
  unsigned channels = 1, texel_bytes = 4;
  unsigned flags = 0;  // kArray…
};

class Texels {
 public:
  // Errors: out of memory, extents that the GPU does not take.
  static Result<Texels> create(GpuRef gpu, const TexelShape& shape);

  // Of all levels one after the other, rows without padding.
  size_t bytes() const;
  // All of them; done when the call returns.
  Status write(std::span<const std::byte> from);
  Status read(std::span<std::byte> to) const;
  // From texels of the same shape, in the stream's order.
  Status copy(const Texels& from, StreamHandle stream);

  // A handle for a kernel's parameter. It lives as long as the texels.
  Result<ObjectHandle> texture(const TextureDescriptor& how);
  Result<ObjectHandle> surface();

 private:
  struct Level {
    ArrayHandle array = nullptr;
    size_t row_bytes = 0, height = 1, depth = 1;
    size_t bytes() const { return row_bytes * height * depth; }
  };
  struct Storage;  // what the driver gave

  CopyPlace place(const Level& level) const;
  ResourceDescriptor resource() const;
  Result<ObjectHandle> keep(ObjectHandle handle, Status32 status, bool is_surface);

  GpuRef gpu_;
  TexelShape shape_;
  std::vector<Level> levels_;
  std::shared_ptr<Storage> storage_;
};

}  // namespace pitot::cuda
