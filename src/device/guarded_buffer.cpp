#include "device/guarded_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "device/values.h"
#include "support/parallel.h"

namespace pitot::device {

Result<std::vector<std::byte>> values_of(const ResolvedArgument& a) {
  constexpr uint64_t kPiece = uint64_t{1} << 20;
  const uint64_t each = ptx::bytes_of(a.spec->type), pieces = (a.count + kPiece - 1) / kPiece;
  if (pieces <= 1) return initial_values(a.init, a.spec->type, a.count, a.seed, a.origin);
  // The first piece also says whether the rest can be made.
  auto first = initial_values(a.init, a.spec->type, kPiece, a.seed, a.origin);
  if (!first) return first.error();
  std::vector<std::byte> out(a.bytes());
  std::memcpy(out.data(), first->data(), first->size());
  parallel_for(pieces - 1, 0, [&](size_t i) {
    const uint64_t begin = (i + 1) * kPiece;
    const auto piece = initial_values(a.init, a.spec->type, std::min(kPiece, a.count - begin),
                                      a.seed, a.origin, begin);
    std::memcpy(out.data() + begin * each, piece->data(), piece->size());
  });
  return out;
}

Result<GuardedBuffer> GuardedBuffer::make(cuda::GpuRef gpu, const ResolvedArgument& argument) {
  GuardedBuffer b;
  b.argument_ = argument;
  b.bytes_ = argument.bytes();
  const size_t align = std::max<size_t>(argument.spec->align, 256);
  b.gpu_ = gpu;
  auto memory = cuda::Memory::allocate(std::move(gpu), b.bytes_ + 2 * kGuardBytes + align);
  if (!memory)
    return failed_error(
        fmt::format("buffer '{}': {}", argument.spec->name, memory.error().message));
  b.memory_ = std::move(*memory);
  const uint64_t from = b.memory_.address() + kGuardBytes;
  // Aligned as promised, and no further, so that a kernel that relies on more is found.
  uint64_t base = (from + align - 1) / align * align;
  b.offset_ = base - b.memory_.address();
  for (const auto& [at, n] : {std::pair<size_t, size_t>{0, b.offset_},
                              {b.offset_ + b.bytes_, b.memory_.size() - b.offset_ - b.bytes_}})
    if (Status s = b.memory_.fill(at, n, kGuard); !s) return s.error();
  return b;
}

Result<std::string> GuardedBuffer::overwritten() const {
  std::string out;
  auto look = [&](size_t at, size_t n, auto&& say) -> Status {
    std::vector<std::byte> zone(n);
    if (Status s = memory_.read(at, zone); !s) return s;
    const auto bad = [](std::byte v) { return v != kGuard; };
    const auto first = std::find_if(zone.begin(), zone.end(), bad);
    if (first == zone.end()) return Ok{};
    const auto last = std::find_if(zone.rbegin(), zone.rend(), bad);
    out += (out.empty() ? "" : "; ") + say(static_cast<size_t>(first - zone.begin()),
                                           static_cast<size_t>(zone.rend() - last) - 1);
    return Ok{};
  };
  const std::string& name = argument_.spec->name;
  Status s = look(0, offset_, [&](size_t first, size_t last) {
    return fmt::format("written before the start of '{}': bytes -{} to -{}", name, offset_ - first,
                       offset_ - last);
  });
  if (!s) return s.error();
  const size_t end = offset_ + bytes_;
  s = look(end, memory_.size() - end, [&](size_t first, size_t last) {
    return fmt::format("written past the end of '{}' ({} bytes): bytes {} to {}", name, bytes_,
                       bytes_ + first, bytes_ + last);
  });
  if (!s) return s.error();
  return out;
}

Status GuardedBuffer::repeat(uint64_t bytes) {
  const cuda::Api& api = gpu_->api();
  for (uint64_t have = bytes; have < bytes_; have *= 2)
    if (Status s =
            api.check(api.copy(base() + have, base(), std::min(have, bytes_ - have), nullptr),
                      "filling a buffer");
        !s)
      return s;
  return api.check(gpu_->synchronize(), "filling a buffer");
}

Status GuardedBuffer::fill(uint64_t period) {
  ResolvedArgument start = argument_;
  start.count = std::min(start.count, period);
  auto values = values_of(start);
  if (!values) return values.error();
  if (Status s = write(*values); !s) return s;
  return repeat(values->size());
}

}  // namespace pitot::device
