// See live_kernels.h.
#include "measure/live_kernels.h"

namespace pitot::measure {

Telemetry telemetry_of(const cuda::Nvml& nvml) {
  cuda::GpuState s = nvml.read();
  return {s.sm_clock_mhz,      s.memory_clock_mhz,           s.temperature_c,
          s.power_w,           s.utilisation_percent,        s.memory_utilisation_percent,
          s.memory_used_bytes, std::move(s.throttle_reasons)};
}

void LiveKernels::make_room(uint64_t bytes) {
  while (!recent_.empty() && bytes_ + bytes > most_bytes_) {
    const auto it = entries_.find(recent_.back());
    bytes_ -= it->second.bytes;
    recent_.pop_back();
    entries_.erase(it);
  }
}

Status LiveKernels::load_into(Entry& entry, const Subject& s, const MeterOptions& options,
                              const BenchRef& bench,
                              const std::function<Result<cuda::Kernel>(const Subject&)>& load) {
  auto launch = device::resolve(*s.module, s.kernel, *s.spec, s.spec->sizes[s.size], options.seed);
  if (!launch) return launch.error();
  entry.bytes = buffer_bytes(*launch);
  make_room(entry.bytes);
  auto kernel = load(s);
  if (!kernel) return kernel.error();
  auto timed = TimedKernel::make(bench, *kernel, *launch, options.protocol);
  if (!timed) return timed.error();
  const auto outside = timed->overwritten();
  if (!outside) return outside.error();
  if (!outside->empty()) return failed_error("out-of-bounds: " + *outside);
  entry.kernel = std::move(*timed);
  return Ok{};
}

LiveSample LiveKernels::sample(size_t number, const Subject& subject, const MeterOptions& options,
                               const BenchRef& bench, const std::optional<cuda::Nvml>& nvml,
                               const std::function<Result<cuda::Kernel>(const Subject&)>& load) {
  LiveSample out;
  const auto failed = [&](const std::string& why) {
    out.failure = why;
    out.lost = bench->gpu()->synchronize() != cuda::kSuccess;
    return out;
  };
  auto it = entries_.find(number);
  if (it == entries_.end()) {
    Entry fresh;
    if (Status s = load_into(fresh, subject, options, bench, load); !s)
      fresh.failure = s.error().message;
    it = entries_.emplace(number, std::move(fresh)).first;
    if (it->second.kernel) {
      recent_.push_front(number);
      it->second.place = recent_.begin();
      bytes_ += it->second.bytes;
    }
  }
  Entry& entry = it->second;
  if (!entry.failure.empty()) return failed(entry.failure);
  recent_.splice(recent_.begin(), recent_, entry.place);
  const auto ms = entry.kernel->sample();
  if (!ms) return failed(ms.error().message);
  out.ms = *ms;
  if (nvml) {
    const auto now = std::chrono::steady_clock::now();
    if (!state_ || std::chrono::duration<double>(now - read_).count() > kStateSeconds) {
      state_ = telemetry_of(*nvml);
      read_ = now;
    }
    out.state = state_;
  }
  return out;
}

}  // namespace pitot::measure
