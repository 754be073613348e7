#include "measure/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "arch/gpu.h"
#include "measure/clock_probe.h"
#include "measure/sampling.h"
#include "measure/statistics.h"

namespace pitot::measure {
namespace {

constexpr int kClockLaunches = 5;

}  // namespace

Result<std::shared_ptr<Meter::Session>> Meter::Session::start(int number) {
  auto api = cuda::load_api();
  if (!api) return api.error();
  auto gpu = cuda::Gpu::open(*api, number);
  if (!gpu) return gpu.error();
  auto session = std::make_shared<Session>();
  auto bench = Bench::open(*gpu);
  if (!bench) return bench.error();
  session->bench = *bench;
  if (auto nvml = cuda::Nvml::open((*gpu)->facts().pci)) session->nvml = *nvml;
  return session;
}

Telemetry Meter::Session::telemetry() const { return nvml ? telemetry_of(*nvml) : Telemetry{}; }

Result<cuda::Kernel> Meter::Session::load(const Subject& s) const {
  return cuda::Kernel::load(bench->gpu(), std::string(s.module->text()),
                            std::string(s.module->functions[s.kernel].name));
}

LiveSample Meter::Session::live(size_t number, const Subject& subject,
                                const MeterOptions& options) {
  return kernels.sample(number, subject, options, bench, nvml,
                        [this](const Subject& s) { return load(s); });
}

void Meter::Session::describe(const cuda::Kernel& kernel, const cuda::Launch& shape,
                              MeasureRecord& out) const {
  const cuda::KernelFacts& f = kernel.facts();
  out.registers = f.registers;
  out.local_bytes = f.local_bytes;
  out.static_shared = f.static_shared;
  out.constant_bytes = f.constant_bytes;
  const arch::Capability* c = arch::find_capability(bench->gpu()->facts().capability);
  const uint32_t threads = shape.block[0] * shape.block[1] * shape.block[2];
  if (auto blocks = kernel.blocks_per_multiprocessor(shape); blocks && c != nullptr)
    out.occupancy = static_cast<double>(*blocks) * ((threads + 31) / 32) / c->warps_per_sm();
}

std::optional<double> Meter::Session::cycles(const Subject& s, const device::ResolvedLaunch& launch,
                                             const TimedKernel& timed) const {
  const std::string entry(s.module->functions[s.kernel].name);
  auto probe = insert_clock_probe(*s.module, entry);
  if (!probe) return std::nullopt;
  auto kernel = cuda::Kernel::load(bench->gpu(), probe->text, entry);
  if (!kernel) return std::nullopt;
  auto instrumented = timed.first().with(*kernel, launch);
  if (!instrumented) return std::nullopt;
  const uint64_t blocks = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  const std::vector<ClockRecord> empty(blocks);
  auto memory = cuda::Memory::allocate(bench->gpu(), blocks * sizeof(ClockRecord));
  if (!memory) return std::nullopt;
  instrumented->append_parameter(memory->address());
  std::vector<double> spans;
  std::vector<ClockRecord> records(blocks);
  for (int i = 0; i < kClockLaunches; ++i) {
    if (!memory->write(0, std::as_bytes(std::span(empty)))) return std::nullopt;
    if (instrumented->launch(bench->stream().get()) != cuda::kSuccess) return std::nullopt;
    if (bench->stream().synchronize() != cuda::kSuccess) return std::nullopt;
    if (!memory->read(0, std::as_writable_bytes(std::span(records)))) return std::nullopt;
    if (auto span = clock_span(records)) spans.push_back(static_cast<double>(span->cycles));
  }
  if (spans.empty()) return std::nullopt;
  return median(spans);
}

MeasureRecord Meter::Session::measure(const Subject& s, const MeterOptions& options) const {
  MeasureRecord r;
  auto fail = [&](const Error& e) {
    r.ok = false;
    r.reason = e.message;
    return r;
  };
  auto launch = device::resolve(*s.module, s.kernel, *s.spec, s.spec->sizes[s.size], options.seed);
  if (!launch) return fail(launch.error());
  auto kernel = load(s);
  if (!kernel) return fail(kernel.error());
  auto timed = TimedKernel::make(bench, *kernel, *launch, options.protocol);
  if (!timed) return fail(timed.error());
  describe(*kernel, timed->first().shape(), r);
  r.batch = timed->batch();
  r.before = telemetry();
  auto warm = warm_up(*timed, options.protocol);
  if (!warm) return fail(warm.error());
  r.stable = warm->stable;
  r.warmup_ms = warm->ms;
  auto samples = take_samples(*timed, options.protocol);
  if (!samples) return fail(samples.error());
  r.after = telemetry();
  r.samples = std::move(*samples);
  summarise(options.protocol, r);
  auto outside = timed->overwritten();
  if (!outside) return fail(outside.error());
  if (!outside->empty()) return fail(failed_error("out-of-bounds: " + *outside));
  if (options.protocol.cycles) r.cycles = cycles(s, *launch, *timed);
  r.ok = true;
  return r;
}

}  // namespace pitot::measure
