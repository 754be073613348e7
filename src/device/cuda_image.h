// A texture or surface of a spec on a GPU.
#pragma once

#include "cuda/image.h"
#include "device/arguments.h"

namespace pitot::device {

class DeviceImage {
 public:
  // Errors: what only the emulator has (samplers of their own, several samples a texel, surfaces
  // over plain memory), extents that the GPU does not take, out of memory.
  static Result<DeviceImage> make(cuda::GpuRef gpu, const ResolvedArgument& argument);

  cuda::ObjectHandle handle() const { return handle_; }
  // Its initial values, made from the spec's seed.
  Status fill();
  // Of all levels one after the other, rows without padding.
  Result<std::vector<std::byte>> read() const;
  Status copy(const DeviceImage& from, cuda::StreamHandle stream) {
    return texels_.copy(from.texels_, stream);
  }
  const ResolvedArgument& argument() const { return argument_; }
  const ArgumentSpec& spec() const { return *argument_.spec; }
  uint64_t bytes() const { return texels_.bytes(); }

 private:
  ResolvedArgument argument_;
  cuda::Texels texels_;
  cuda::ObjectHandle handle_ = 0;
};

}  // namespace pitot::device
