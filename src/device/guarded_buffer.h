// A spec's buffer in a GPU's memory, where writes beside it show.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cuda/gpu.h"
#include "device/arguments.h"

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

// The values of a buffer before a launch, made on all cores.
Result<std::vector<std::byte>> values_of(const ResolvedArgument& buffer);

}  // namespace pitot::device
