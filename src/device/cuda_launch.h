// A spec's launch set up on a GPU: the compiled kernel, its buffers between guard zones, its
// textures, surfaces and tensor maps, its parameters. For a process that may be lost to a fault.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/cuda_image.h"
#include "device/guarded_buffer.h"
#include "device/run_result.h"

namespace pitot::device {

// What the buffers and surfaces that a kernel reads and writes held at one moment.
struct Snapshot {
  std::vector<cuda::Memory> buffers;
  std::vector<DeviceImage> images;
  bool empty() const { return buffers.empty() && images.empty(); }
};

class CudaLaunch {
 public:
  // The spec must live as long. Errors: the driver does not compile the PTX, the launch is beyond
  // the GPU's limits, out of memory, what only the emulator has.
  static Result<CudaLaunch> make(cuda::GpuRef gpu, const cuda::Kernel& kernel,
                                 const ResolvedLaunch& launch);
  // The same launch of another kernel on the same buffers: nothing but the code differs. The
  // resolved launch must have the same buffers.
  Result<CudaLaunch> with(const cuda::Kernel& kernel, const ResolvedLaunch& launch) const;
  // One more parameter after the spec's: the hidden one of an instrumented kernel.
  void append_parameter(uint64_t bits);
  void replace_last_parameter(uint64_t bits);
  // Gives every buffer its values. With a period, the values of its first `period` elements repeat
  // in longer buffers: quick to make, and enough where only the time counts.
  Status fill(uint64_t period = UINT64_MAX);
  // All contents from a launch of the same spec and size, in the stream's order.
  Status copy(const CudaLaunch& from, cuda::StreamHandle stream);
  Result<Snapshot> snapshot(cuda::StreamHandle stream) const;
  Status restore(const Snapshot& snapshot, cuda::StreamHandle stream) const;
  cuda::Status32 launch(cuda::StreamHandle stream = nullptr) const;
  // Where buffers were written outside of their bounds; empty if they were not.
  Result<std::string> overwritten() const;
  const std::vector<std::shared_ptr<GuardedBuffer>>& buffers() const { return buffers_; }
  const std::vector<std::shared_ptr<DeviceImage>>& images() const { return images_; }
  const cuda::Kernel& kernel() const { return kernel_; }
  const cuda::Launch& shape() const { return shape_; }

 private:
  CudaLaunch(cuda::GpuRef gpu, const cuda::Kernel& kernel)
      : gpu_(std::move(gpu)), kernel_(kernel) {}
  Status set_parameters(const ResolvedLaunch& launch);

  cuda::GpuRef gpu_;
  cuda::Kernel kernel_;
  cuda::Launch shape_;
  std::vector<std::shared_ptr<GuardedBuffer>> buffers_;  // shared by launches that are compared
  std::vector<std::shared_ptr<DeviceImage>> images_;     // likewise
  std::vector<std::vector<std::byte>> parameters_;       // the bytes of each
};

}  // namespace pitot::device
