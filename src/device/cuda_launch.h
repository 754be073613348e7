// A spec's launch set up on a GPU: the compiled kernel, its buffers between guard zones, its
// parameters. For a process that may be lost to a fault.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuda/gpu.h"
#include "device/arguments.h"
#include "device/run_result.h"

namespace pitot::device {

// A buffer in device memory with kGuardBytes of a known pattern on both sides.
class GuardedBuffer {
 public:
  static constexpr size_t kGuardBytes = size_t{64} << 10;
  static constexpr std::byte kGuard{0x5e};

  static Result<GuardedBuffer> make(cuda::GpuRef gpu, const ResolvedArgument& argument);
  // Gives the buffer its values. With a period, those of its first `period` elements repeat.
  Status fill(uint64_t period);
  uint64_t base() const { return memory_.address() + offset_; }
  uint64_t bytes() const { return bytes_; }
  Status write(std::span<const std::byte> from) { return memory_.write(offset_, from); }
  Status read(std::span<std::byte> to) const { return memory_.read(offset_, to); }
  // Says where the guard zones were written; empty if they were not.
  Result<std::string> overwritten() const;
  const ResolvedArgument& argument() const { return argument_; }

 private:
  // Repeats what the first `bytes` hold up to the end of the buffer.
  Status repeat(uint64_t bytes);

  cuda::GpuRef gpu_;
  cuda::Memory memory_;
  ResolvedArgument argument_;
  size_t offset_ = 0, bytes_ = 0;
};

class CudaLaunch {
 public:
  // The spec and the resolved launch's arguments must live as long. Errors: the driver does not
  // compile the PTX, the launch is beyond the GPU's limits, out of memory.
  static Result<CudaLaunch> make(cuda::GpuRef gpu, const cuda::Kernel& kernel,
                                 const ResolvedLaunch& launch);
  // The same launch of another kernel on the same buffers: nothing but the code differs. The
  // resolved launch must have the same buffers.
  Result<CudaLaunch> with(const cuda::Kernel& kernel, const ResolvedLaunch& launch) const;
  // One more parameter after the spec's: the hidden one of an instrumented kernel.
  void append_parameter(uint64_t bits);
  // Gives every buffer its values. With a period, the values of its first `period` elements repeat
  // in longer buffers: quick to make, and enough where only the time counts.
  Status fill(uint64_t period = UINT64_MAX);
  cuda::Status32 launch(cuda::StreamHandle stream = nullptr) const;
  const std::vector<std::shared_ptr<GuardedBuffer>>& buffers() const { return buffers_; }
  const cuda::Kernel& kernel() const { return kernel_; }
  const cuda::Launch& shape() const { return shape_; }

 private:
  explicit CudaLaunch(const cuda::Kernel& kernel) : kernel_(kernel) {}
  Status set_parameters(const ResolvedLaunch& launch);

  cuda::Kernel kernel_;
  cuda::Launch shape_;
  std::vector<std::shared_ptr<GuardedBuffer>> buffers_;  // shared by launches that are compared
  std::vector<std::vector<std::byte>> parameters_;       // the bytes of each
};

// The values of a buffer before a launch, made on all cores.
Result<std::vector<std::byte>> values_of(const ResolvedArgument& buffer);

}  // namespace pitot::device
