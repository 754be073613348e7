// Initial values of buffers that stay in device memory: kernels measured one after the other often
// start from the same ones, and making them costs more than measuring.
#pragma once

#include <map>
#include <string>

#include "device/cuda_launch.h"

namespace pitot::device {

class KeptValues {
 public:
  // At most so many bytes are kept; what is longer is made anew each time.
  KeptValues(cuda::GpuRef gpu, uint64_t most_bytes)
      : gpu_(std::move(gpu)), most_bytes_(most_bytes) {}
  // As CudaLaunch::fill. Errors: what initial_values() says, and the driver.
  Status fill(const CudaLaunch& launch, uint64_t period);
  uint64_t bytes() const { return bytes_; }

 private:
  Status fill(GuardedBuffer& buffer, uint64_t period);

  cuda::GpuRef gpu_;
  uint64_t most_bytes_, bytes_ = 0;
  std::map<std::string, cuda::Memory> kept_;  // by all that the values depend on
};

}  // namespace pitot::device
