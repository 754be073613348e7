// The GPU in use in the process that measures: what is kept between subjects, and the measuring.
#pragma once

#include <memory>
#include <optional>

#include "cuda/nvml.h"
#include "measure/live_kernels.h"
#include "measure/meter.h"
#include "measure/timed_kernel.h"

namespace pitot::measure {

struct Meter::Session {
  static Result<std::shared_ptr<Session>> start(int number);
  // The parts of the records that come from the GPU.
  MeasureRecord measure(const Subject& subject, const MeterOptions& options) const;
  CompareRecord compare(const Subject& a, const Subject& b, const MeterOptions& options,
                        uint64_t seed) const;

  LiveSample live(size_t number, const Subject& subject, const MeterOptions& options);

  BenchRef bench;
  std::optional<cuda::Nvml> nvml;
  LiveKernels kernels{kMostLiveBytes};

 private:
  static constexpr uint64_t kMostLiveBytes = uint64_t{16} << 30;
  Telemetry telemetry() const;
  Result<cuda::Kernel> load(const Subject& subject) const;
  // SM cycles of one launch, from a copy of the kernel with clock reads; none where that cannot be
  // made.
  std::optional<double> cycles(const Subject& subject, const device::ResolvedLaunch& launch,
                               const TimedKernel& timed) const;
  void describe(const cuda::Kernel& kernel, const cuda::Launch& shape, MeasureRecord& out) const;
};

}  // namespace pitot::measure
