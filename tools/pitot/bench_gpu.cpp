#include "bench_gpu.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "device/cuda_run.h"
#include "measure/meter.h"

namespace pitot::cli {
namespace {

// The turn of this process on a GPU, for as long as it lives.
class GpuTurn {
 public:
  // Errors: the lock's file cannot be made.
  static Result<GpuTurn> take(int number) {
    const std::string path = (std::filesystem::temp_directory_path() /
                              fmt::format("pitot-gpu-{}-{}.lock", getuid(), number))
                                 .string();
    GpuTurn out(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
    if (out.file_ < 0) return failed_error("no lock of the GPU can be made: " + path);
    while (flock(out.file_, LOCK_EX) != 0)
      if (errno != EINTR) return failed_error("the GPU cannot be locked: " + path);
    return out;
  }
  GpuTurn(GpuTurn&& o) noexcept : file_(std::exchange(o.file_, -1)) {}
  GpuTurn& operator=(GpuTurn&&) = delete;
  ~GpuTurn() {
    if (file_ < 0) return;
    flock(file_, LOCK_UN);  // children that were started meanwhile have the file open too
    close(file_);
  }

 private:
  explicit GpuTurn(int file) : file_(file) {}
  int file_;
};

measure::MeterOptions options_of(const GpuArguments& args, uint64_t seed, bool cold) {
  measure::MeterOptions out;
  out.number = args.number;
  out.seed = seed;
  out.time_limit = args.time_limit;
  out.tool = "pitot " PITOT_VERSION;
  out.protocol.cache = cold ? measure::CacheState::kCold : measure::CacheState::kWarm;
  out.protocol.seconds = args.seconds;
  out.protocol.placements = args.placements;
  out.protocol.cycles = false;
  return out;
}

// A candidate as a subject of measuring, at one size.
measure::Subject subject_of(const bench::Candidate& c, const device::SizeSpec& size) {
  measure::Subject out;
  out.module = c.module;
  out.kernel = c.kernel;
  auto spec = std::make_shared<device::KernelSpec>(c.spec);
  spec->sizes = {size};
  out.spec = std::move(spec);
  out.size = 0;
  return out;
}

}  // namespace

bench::Runner gpu_runner(const GpuArguments& args) {
  auto process = std::make_shared<device::CudaProcess>(args.number, args.time_limit);
  return [args, process](const bench::Candidate& c, const device::KernelSpec& spec,
                         const device::SizeSpec& size, uint64_t seed) -> Result<device::RunResult> {
    auto turn = GpuTurn::take(args.number);
    if (!turn) return turn.error();
    return process->run(*c.module, c.kernel, spec, size, seed);
  };
}

namespace {

// The processes that time, for warm and for cold caches.
struct Meters {
  explicit Meters(const GpuArguments& args)
      : of_warm({}, options_of(args, 0, false)), of_cold({}, options_of(args, 0, true)) {}
  measure::Meter of_warm, of_cold;
};

}  // namespace

bench::DeviceTimer gpu_timer(const GpuArguments& args) {
  auto meters = std::make_shared<Meters>(args);
  return [args, meters](const bench::Candidate& candidate, const bench::Candidate& other,
                        const device::SizeSpec& size, bool cold,
                        uint64_t seed) -> Result<bench::DeviceTiming> {
    auto turn = GpuTurn::take(args.number);
    if (!turn) return turn.error();
    measure::Meter& meter = cold ? meters->of_cold : meters->of_warm;
    auto gpu = meter.gpu();
    if (!gpu) return gpu.error();
    const size_t a = meter.add(subject_of(other, size)), b = meter.add(subject_of(candidate, size));
    const measure::CompareRecord c = meter.compare(a, b, *gpu, seed, seed);
    if (c.verdict == measure::Verdict::kFault) return failed_error(c.reason);
    bench::DeviceTiming out;
    out.other_us = c.a.median.value * 1e3;
    out.candidate_us = c.b.median.value * 1e3;
    // What is common to both of a comparison is no evidence: the interval is never narrower than
    // what a kernel beside itself would show.
    const double least = std::min(c.change.lo, c.change.value - c.noise_band);
    const double most = std::max(c.change.hi, c.change.value + c.noise_band);
    out.speedup = 1 / (1 + c.change.value);
    out.low = 1 / (1 + most);
    out.high = least > -1 ? 1 / (1 + least) : out.speedup;
    return out;
  };
}

Result<std::string> gpu_name(const GpuArguments& args) {
  measure::Meter meter({}, options_of(args, 0, false));
  auto gpu = meter.gpu();
  if (!gpu) return gpu.error();
  return gpu->name;
}

}  // namespace pitot::cli
