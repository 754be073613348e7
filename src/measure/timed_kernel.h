// A kernel whose launches are timed on a GPU, one sample at a time.
#pragma once

#include <memory>
#include <vector>

#include "cuda/stream.h"
#include "device/cuda_launch.h"
#include "device/kept_values.h"
#include "measure/protocol.h"

namespace pitot::measure {

// What timing needs of a GPU, made once: a stream, events, what empties L2, and the initial values
// of buffers that kernels have in common.
class Bench {
 public:
  static Result<std::shared_ptr<Bench>> open(cuda::GpuRef gpu);
  const cuda::GpuRef& gpu() const { return gpu_; }
  const cuda::Stream& stream() const { return stream_; }
  // Reads data of several times the size of L2, so that nothing else is left in it.
  cuda::Status32 flush() const;
  // Milliseconds of what `work` puts on the stream. The error is the driver's answer to the work.
  Result<double> time(const std::function<cuda::Status32()>& work) const;
  device::KeptValues& values() { return values_; }

 private:
  Bench(cuda::GpuRef gpu, cuda::Stream stream, cuda::Event begin, cuda::Event end,
        cuda::Kernel flusher)
      : gpu_(std::move(gpu)),
        stream_(std::move(stream)),
        begin_(std::move(begin)),
        end_(std::move(end)),
        flusher_(std::move(flusher)),
        values_(gpu_, kMostKeptBytes) {}

  cuda::GpuRef gpu_;
  cuda::Stream stream_;
  cuda::Event begin_, end_;
  cuda::Kernel flusher_;
  cuda::Memory scratch_;
  // Two sizes of a family of kernels, and memory left for their buffers.
  static constexpr uint64_t kMostKeptBytes = uint64_t{8} << 30;
  device::KeptValues values_;
};
using BenchRef = std::shared_ptr<Bench>;

// Device memory that the launch's buffers and images take, guard zones included; at least 1.
uint64_t buffer_bytes(const device::ResolvedLaunch& launch);

class TimedKernel {
 public:
  // Makes the buffers, runs the kernel once, and finds the batch. With `like`, on its buffers and
  // with its batch, for a comparison. The launch's spec must live as long.
  static Result<TimedKernel> make(BenchRef bench, const cuda::Kernel& kernel,
                                  const device::ResolvedLaunch& launch, const Protocol& protocol,
                                  const TimedKernel* like = nullptr);
  // Milliseconds a launch, the mean of a batch.
  Result<double> sample();
  uint32_t batch() const { return batch_; }
  const cuda::Kernel& kernel() const { return sets_.front().kernel(); }
  const device::CudaLaunch& first() const { return sets_.front(); }
  // Writes outside of the buffers so far; empty if there were none.
  Result<std::string> overwritten() const;

 private:
  Status restore();
  Status record();
  Status add_sets(cuda::GpuRef gpu, const cuda::Kernel& kernel,
                  const device::ResolvedLaunch& launch, size_t count);

  BenchRef bench_;
  CacheState cache_ = CacheState::kWarm;
  uint32_t batch_ = 1;
  std::vector<device::CudaLaunch> sets_;        // one warm; one a launch of the batch cold
  std::shared_ptr<device::Snapshot> pristine_;  // of the first set, before the kernel ran
  std::optional<cuda::Graph> graph_;
};

}  // namespace pitot::measure
