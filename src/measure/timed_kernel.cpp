#include "measure/timed_kernel.h"

#include <algorithm>
#include <cmath>

namespace pitot::measure {
namespace {

// Device memory that the buffers of a cold batch may take together.
constexpr uint64_t kColdBytes = uint64_t{8} << 30;

// Elements after which the values of a buffer repeat.
constexpr uint64_t kPeriod = uint64_t{1} << 24;

}  // namespace

uint64_t buffer_bytes(const device::ResolvedLaunch& launch) {
  uint64_t n = 0;
  for (const auto& a : launch.arguments)
    if (a.spec->is_buffer)
      n += a.bytes() + 2 * device::GuardedBuffer::kGuardBytes;
    else if (a.spec->image)
      n += a.image.bytes();
  return std::max<uint64_t>(n, 1);
}

Status TimedKernel::add_sets(cuda::GpuRef gpu, const cuda::Kernel& kernel,
                             const device::ResolvedLaunch& launch, size_t count) {
  const cuda::Api& api = gpu->api();
  while (sets_.size() < count) {
    auto set = device::CudaLaunch::make(gpu, kernel, launch);
    if (!set) return set.error();
    if (sets_.empty()) {
      if (Status s = bench_->values().fill(*set, kPeriod); !s) return s;
    } else {
      // What the first set held before the kernel ran is not there any more where it writes.
      if (Status c = set->copy(sets_.front(), bench_->stream().get()); !c) return c;
    }
    sets_.push_back(std::move(*set));
  }
  return api.check(bench_->stream().synchronize(), "copying buffers");
}

Result<TimedKernel> TimedKernel::make(BenchRef bench, const cuda::Kernel& kernel,
                                      const device::ResolvedLaunch& launch,
                                      const Protocol& protocol, const TimedKernel* like) {
  TimedKernel out;
  out.bench_ = bench;
  out.cache_ = protocol.cache;
  const cuda::GpuRef& gpu = bench->gpu();
  if (like != nullptr) {
    out.pristine_ = like->pristine_;
    out.batch_ = like->batch_;
    for (const device::CudaLaunch& set : like->sets_) {
      auto mine = set.with(kernel, launch);
      if (!mine) return mine.error();
      out.sets_.push_back(std::move(*mine));
    }
  } else {
    if (Status s = out.add_sets(gpu, kernel, launch, 1); !s) return s.error();
    auto before = out.sets_.front().snapshot(bench->stream().get());
    if (!before) return before.error();
    out.pristine_ = std::make_shared<device::Snapshot>(std::move(*before));
  }
  // The first launch loads the code; faults show here.
  const auto once = [&] { return out.sets_.front().launch(bench->stream().get()); };
  double ms = 0;
  for (int i = 0; i < 3; ++i) {
    if (Status s = out.restore(); !s) return s.error();
    auto t = bench->time(once);
    if (!t) return t.error();
    ms = i == 0 ? *t : std::min(ms, *t);
  }
  if (like == nullptr) {
    double n = std::clamp(std::ceil(protocol.batch_ms / std::max(ms, 1e-4)), 1.0,
                          static_cast<double>(protocol.max_batch));
    if (out.cache_ == CacheState::kCold)
      n = std::clamp(n, 1.0, std::max(1.0, static_cast<double>(kColdBytes / buffer_bytes(launch))));
    out.batch_ = static_cast<uint32_t>(n);
    if (out.cache_ == CacheState::kCold) {
      if (Status s = out.restore(); !s) return s.error();
      if (Status s = out.add_sets(gpu, kernel, launch, out.batch_); !s) return s.error();
    }
  }
  if (Status s = out.record(); !s) return s.error();
  return out;
}

// Puts back what the kernel changed, in every set.
Status TimedKernel::restore() {
  if (pristine_->empty()) return Ok{};
  for (const device::CudaLaunch& set : sets_)
    if (Status s = set.restore(*pristine_, bench_->stream().get()); !s) return s;
  return Ok{};
}

Status TimedKernel::record() {
  auto graph = cuda::Graph::capture(bench_->gpu(), bench_->stream(), [&] {
    cuda::Status32 s = cuda::kSuccess;
    for (uint32_t i = 0; i < batch_ && s == cuda::kSuccess; ++i)
      s = sets_[i % sets_.size()].launch(bench_->stream().get());
    return s;
  });
  if (!graph) return graph.error();
  graph_ = std::move(*graph);
  return Ok{};
}

Result<double> TimedKernel::sample() {
  if (Status s = restore(); !s) return s.error();
  // What another kernel made L2 keep would slow this one.
  if (Status s = bench_->gpu()->api().check(bench_->gpu()->reset_persisting(), "resetting L2"); !s)
    return s.error();
  if (cache_ == CacheState::kCold)
    if (Status s = bench_->gpu()->api().check(bench_->flush(), "emptying L2"); !s) return s.error();
  auto ms = bench_->time([&] { return graph_->launch(bench_->stream()); });
  if (!ms) return ms.error();
  return *ms / batch_;
}

Result<std::string> TimedKernel::overwritten() const { return sets_.front().overwritten(); }

}  // namespace pitot::measure
