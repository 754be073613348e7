// Kernels that stay loaded with their buffers and graphs, so that a timing is one start of a graph:
// what an environment that measures at every step stands on.
#pragma once

#include <chrono>
#include <list>
#include <map>
#include <optional>

#include "cuda/nvml.h"
#include "measure/live_sample.h"
#include "measure/meter.h"
#include "measure/timed_kernel.h"

namespace pitot::measure {

class LiveKernels {
 public:
  // Seconds between readings of the GPU's state, which cost about as much as a timing.
  static constexpr double kStateSeconds = 0.1;

  // Of all kernels' buffers together no more than `most_bytes` are kept, but for the last one used.
  explicit LiveKernels(uint64_t most_bytes) : most_bytes_(most_bytes) {}

  // One batch of the subject, which is loaded when it is first asked for or was let go; a kernel
  // that cannot be loaded is remembered. `load` compiles it.
  LiveSample sample(size_t number, const Subject& subject, const MeterOptions& options,
                    const BenchRef& bench, const std::optional<cuda::Nvml>& nvml,
                    const std::function<Result<cuda::Kernel>(const Subject&)>& load);
  size_t loaded() const { return recent_.size(); }

 private:
  struct Entry {
    std::optional<TimedKernel> kernel;
    std::string failure;
    uint64_t bytes = 0;
    std::list<size_t>::iterator place;  // in recent_, where there is a kernel
  };
  Status load_into(Entry& entry, const Subject& subject, const MeterOptions& options,
                   const BenchRef& bench,
                   const std::function<Result<cuda::Kernel>(const Subject&)>& load);
  void make_room(uint64_t bytes);

  uint64_t most_bytes_, bytes_ = 0;
  std::map<size_t, Entry> entries_;
  std::list<size_t> recent_;  // the last one used first
  std::optional<Telemetry> state_;
  std::chrono::steady_clock::time_point read_{};
};

Telemetry telemetry_of(const cuda::Nvml& nvml);

}  // namespace pitot::measure
