#include "device/kept_values.h"

#include <fmt/format.h>

namespace pitot::device {

Status KeptValues::fill(GuardedBuffer& buffer, uint64_t period) {
  const ResolvedArgument& a = buffer.argument();
  const cuda::Api& api = gpu_->api();
  auto copy = [&](uint64_t to, uint64_t from) -> Status {
    if (Status s = api.check(api.copy(to, from, buffer.bytes(), nullptr), "filling a buffer"); !s)
      return s;
    return api.check(gpu_->synchronize(), "filling a buffer");
  };
  const std::string key = fmt::format("{} {} {} {} {} {}", static_cast<int>(a.spec->type), a.count,
                                      a.origin, a.seed, period, a.init);
  if (const auto known = kept_.find(key); known != kept_.end())
    return copy(buffer.base(), known->second.address());
  if (Status s = buffer.fill(period); !s) return s;
  if (buffer.bytes() == 0 || buffer.bytes() > most_bytes_) return Ok{};
  if (bytes_ + buffer.bytes() > most_bytes_) {
    kept_.clear();
    bytes_ = 0;
  }
  auto memory = cuda::Memory::allocate(gpu_, buffer.bytes());
  if (!memory) return Ok{};  // the device has better use for its memory
  if (Status s = copy(memory->address(), buffer.base()); !s) return s;
  bytes_ += buffer.bytes();
  kept_.emplace(key, std::move(*memory));
  return Ok{};
}

Status KeptValues::fill(const CudaLaunch& launch, uint64_t period) {
  for (const auto& buffer : launch.buffers())
    if (Status s = fill(*buffer, period); !s) return s;
  for (const auto& image : launch.images())
    if (Status s = image->fill(); !s) return s;
  return Ok{};
}

}  // namespace pitot::device
