#include "measure/program_bench.h"

#include <fmt/format.h>

#include <algorithm>

#include "measure/clock_probe.h"
#include "measure/sampling.h"
#include "measure/statistics.h"

namespace pitot::measure {
namespace {

// Elements after which the values of a buffer repeat, as in TimedKernel.
constexpr uint64_t kProgramPeriod = uint64_t{1} << 24;
// Of clock records, which a row of launches writes one after the other.
constexpr uint64_t kRecordBytes = uint64_t{64} << 20;

}  // namespace

const char* unit_of(ProgramClock clock) { return clock == ProgramClock::kSm ? "cycles" : "us"; }

std::string describe(const ProgramProtocol& p) {
  return p.clock == ProgramClock::kSm ? fmt::format("sm-clock/1 {}+{}", p.warmups, p.launches)
                                      : "programs/1 " + describe(p.timing);
}

Result<ProgramBench> ProgramBench::make(BenchRef bench, const Subject& s, const ProgramCode& code,
                                        const ProgramProtocol& protocol, uint64_t seed) {
  ProgramBench out(bench, protocol);
  out.entry_ = std::string(s.module->functions[s.kernel].name);
  auto launch = device::resolve(*s.module, s.kernel, *s.spec, s.spec->sizes[s.size], seed);
  if (!launch) return launch.error();
  out.launch_ = std::make_unique<device::ResolvedLaunch>(std::move(*launch));
  auto kernel = cuda::Kernel::load(bench->gpu(), code.plain, out.entry_);
  if (!kernel) return kernel.error();
  if (protocol.clock == ProgramClock::kEvent) {
    auto timed = TimedKernel::make(bench, *kernel, *out.launch_, protocol.timing);
    if (!timed) return timed.error();
    out.original_.emplace(std::move(*timed));
    out.buffers_ = out.original_->first();
  } else {
    auto made = device::CudaLaunch::make(bench->gpu(), *kernel, *out.launch_);
    if (!made) return made.error();
    out.buffers_ = std::move(*made);
  }
  if (Status f = bench->values().fill(*out.buffers_, kProgramPeriod); !f) return f.error();
  auto outputs = KeptOutputs::make(bench, *out.buffers_);
  if (!outputs) return outputs.error();
  out.outputs_.emplace(std::move(*outputs));
  return out;
}

Result<std::vector<double>> ProgramBench::by_events(const cuda::Kernel& kernel) {
  auto timed = TimedKernel::make(bench_, kernel, *launch_, protocol_.timing, &*original_);
  if (!timed) return timed.error();
  auto warm = warm_up(*timed, protocol_.timing);
  if (!warm) return warm.error();
  auto samples = take_samples(*timed, protocol_.timing);
  if (samples)
    for (double& ms : *samples) ms *= 1000;
  return samples;
}

Result<std::vector<double>> ProgramBench::by_sm_clock(const std::string& timed) {
  auto kernel = cuda::Kernel::load(bench_->gpu(), timed, entry_);
  if (!kernel) return kernel.error();
  auto instrumented = buffers_->with(*kernel, *launch_);
  if (!instrumented) return instrumented.error();
  const uint64_t blocks = uint64_t{launch_->grid[0]} * launch_->grid[1] * launch_->grid[2],
                 each = blocks * sizeof(ClockRecord),
                 all = uint64_t{protocol_.warmups} + protocol_.launches,
                 row = std::clamp<uint64_t>(kRecordBytes / each, 1, all);
  if (records_.size() < row * each) {
    auto memory = cuda::Memory::allocate(bench_->gpu(), row * each);
    if (!memory) return memory.error();
    records_ = std::move(*memory);
  }
  const cuda::Api& api = bench_->gpu()->api();
  instrumented->append_parameter(records_.address());
  std::vector<double> cycles;
  std::vector<ClockRecord> records;
  for (uint64_t done = 0; done < all;) {
    const uint64_t n = std::min(row, all - done);
    records.assign(n * blocks, ClockRecord());
    if (Status s = records_.write(0, std::as_bytes(std::span(records))); !s) return s.error();
    for (uint64_t i = 0; i < n; ++i) {
      if (outputs_->has_inout())
        if (Status s = outputs_->restore_inout(); !s) return s.error();
      instrumented->replace_last_parameter(records_.address() + i * each);
      if (Status s = api.check(instrumented->launch(bench_->stream().get()), "launching"); !s)
        return s.error();
    }
    if (const cuda::Status32 s = bench_->stream().synchronize(); s != cuda::kSuccess) {
      const char* word = cuda::fault_word(s);
      return failed_error(fmt::format("{}: {}, in the copy with clock reads",
                                      word == nullptr ? "launch" : word, api.describe(s)));
    }
    if (Status s = records_.read(0, std::as_writable_bytes(std::span(records))); !s)
      return s.error();
    for (uint64_t i = 0; i < n; ++i, ++done) {
      auto span = clock_span(std::span(records).subspan(i * blocks, blocks));
      if (!span) return span.error();
      if (done >= protocol_.warmups) cycles.push_back(static_cast<double>(span->cycles));
    }
  }
  return cycles;
}

ProgramTime ProgramBench::measure(const ProgramCode& code, const OutputJudge& judge,
                                  bool judge_all) {
  ProgramTime out;
  auto failed = [&](const Error& e) {
    out.reason = e.message;
    return out;
  };
  auto kernel = cuda::Kernel::load(bench_->gpu(), code.plain, entry_);
  if (!kernel) return failed(kernel.error());
  out.registers = kernel->facts().registers;
  auto launch = buffers_->with(*kernel, *launch_);
  if (!launch) return failed(launch.error());
  auto differs = outputs_->differences(*launch, judge, judge_all);
  if (!differs) return failed(differs.error());
  out.reason = *differs;
  if (!out.reason.empty()) return out;
  auto samples =
      protocol_.clock == ProgramClock::kSm ? by_sm_clock(code.timed) : by_events(*kernel);
  if (!samples) return failed(samples.error());
  out.median = bootstrap_median(*samples);
  out.samples = static_cast<uint32_t>(samples->size());
  out.ok = true;
  return out;
}

}  // namespace pitot::measure
