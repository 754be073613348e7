// Whether time and memory grow with the size of the text and nothing else: modules of 1 to 100 MB
// in several shapes, with a fit of the order; peak memory and the use of cores by the program
// itself.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "analysis/features.h"
#include "analysis/lint.h"
#include "inputs.h"
#include "ptx/parser.h"
#include "ptx/verify.h"
#include "support/file.h"

namespace {

using namespace pitot;
using bench::Shape;
namespace fs = std::filesystem;

constexpr size_t kMegabyte = 1000 * 1000;

void parse_only(const ptx::Module&) {}

void verify(const ptx::Module& m) {
  Diagnostics found;
  ptx::verify(m, {}, found);
  if (found.errors() == 0) analysis::lint(m, {}, found);
  benchmark::DoNotOptimize(found);
}

void features(const ptx::Module& m) {
  analysis::FeatureExtractor extractor;
  for (const auto& f : m.functions)
    if (f.has_body) benchmark::DoNotOptimize(extractor.extract(m, f));
}

// CPU time by size, and the order that fits it.
void grows(benchmark::State& state, Shape shape, void (*work)(const ptx::Module&)) {
  const std::string text =
      bench::module_text(shape, static_cast<size_t>(state.range(0)) * kMegabyte);
  for (auto _ : state) work(ptx::parse("made", text));
  state.SetBytesProcessed(static_cast<int64_t>(text.size()) * state.iterations());
  state.SetComplexityN(static_cast<int64_t>(text.size()));
}

struct Usage {
  double peak_bytes = 0, user = 0, real = 0;  // seconds
  double busiest = 0;                         // share of the busiest thread in the CPU time
  bool ok = false;
};

// Runs the program; its output is thrown away.
Usage run_pitot(const std::vector<std::string>& arguments, bool watch_threads = false) {
  std::vector<char*> argv;
  std::string program = PITOT_BINARY;
  argv.push_back(program.data());
  std::vector<std::string> copy = arguments;
  for (auto& a : copy) argv.push_back(a.data());
  argv.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  // Not fork: the child would begin with this process's memory as its own peak.
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  for (int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int failed = posix_spawn(&child, program.c_str(), &quiet, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&quiet);
  Usage u;
  int status = 0;
  rusage usage{};
  // CPU time by thread, looked at until the end: it tells how work is shared out on a machine that
  // has other things to do, where real time does not.
  std::map<std::string, double> threads;
  while (failed == 0 && watch_threads) {
    siginfo_t state{};
    ::waitid(P_PID, id_t(child), &state, WEXITED | WNOHANG | WNOWAIT);
    if (state.si_pid == child) break;
    std::error_code ignored;
    for (const auto& task :
         fs::directory_iterator("/proc/" + std::to_string(child) + "/task", ignored)) {
      double nanoseconds = 0;
      if (std::ifstream(task.path() / "schedstat") >> nanoseconds)
        threads[task.path().filename()] = nanoseconds;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  double all = 0, most = 0;
  for (const auto& [id, time] : threads) {
    all += time;
    most = std::max(most, time);
  }
  if (all > 0) u.busiest = most / all;
  if (failed != 0 || ::wait4(child, &status, 0, &usage) != child) return u;
  u.real = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  u.peak_bytes = static_cast<double>(usage.ru_maxrss) * 1024;
  u.user = static_cast<double>(usage.ru_utime.tv_sec) +
           static_cast<double>(usage.ru_utime.tv_usec) / 1e6;
  u.ok = WIFEXITED(status) && WEXITSTATUS(status) <= 1;  // 1: findings
  return u;
}

// A directory for made files, gone at the end.
class Scratch {
 public:
  Scratch() : path_(fs::temp_directory_path() / ("pitot-bench-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string file(const std::string& name, std::string_view text) const {
    std::string path = (path_ / name).string();
    if (!write_file(path, text).ok()) std::abort();
    return path;
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

// Peak resident memory of the program over the bytes that it is given (both files of diff and
// gate).
void memory(benchmark::State& state, Shape shape, const std::string& verb) {
  const size_t size = static_cast<size_t>(state.range(0)) * kMegabyte;
  Scratch scratch;
  const std::string path = scratch.file("made.ptx", bench::module_text(shape, size));
  double bytes = static_cast<double>(fs::file_size(path));
  std::vector<std::string> arguments{verb};
  if (verb == "gate") arguments.push_back("--no-ptxas");
  arguments.push_back(path);
  if (verb == "gate" || verb == "diff") {
    arguments.push_back(path);
    bytes *= 2;
  }
  Usage u;
  for (auto _ : state) u = run_pitot(arguments);
  if (!u.ok) return state.SkipWithError("pitot failed");
  state.counters["peak_over_source"] = u.peak_bytes / bytes;
  state.counters["user_s"] = u.user;
}

// A thousand files by one and by all workers.
void BM_ThousandFiles(benchmark::State& state) {
  Scratch scratch;
  size_t bytes = 0;
  for (size_t k = 0; k < 1000; ++k) {
    const std::string& text = bench::corpus()[k % bench::corpus().size()].text;
    scratch.file(std::to_string(k) + ".ptx", text);
    bytes += text.size();
  }
  Usage u;
  for (auto _ : state)
    u = run_pitot({"-j", std::to_string(state.range(0)), "features", scratch.path()}, true);
  if (!u.ok) return state.SkipWithError("pitot failed");
  state.SetBytesProcessed(static_cast<int64_t>(bytes) * state.iterations());
  state.counters["user_s"] = u.user;
  state.counters["busiest_thread"] = u.busiest;
}
BENCHMARK(BM_ThousandFiles)
    ->ArgName("workers")
    ->Arg(1)
    ->Arg(0)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void register_all() {
  const std::pair<const char*, void (*)(const ptx::Module&)> works[] = {
      {"Parse", parse_only}, {"Verify", verify}, {"Features", features}};
  for (const auto& [name, work] : works)
    for (Shape shape : bench::kShapes)
      benchmark::RegisterBenchmark(
          (std::string("BM_Grow") + name + "/" + to_string(shape)).c_str(),
          [shape = shape, work = work](benchmark::State& s) { grows(s, shape, work); })
          ->ArgName("MB")
          ->Arg(1)
          ->Arg(3)
          ->Arg(10)
          ->Arg(30)
          ->Arg(100)
          ->MinTime(0.05)
          ->Unit(benchmark::kMillisecond)
          ->Complexity(benchmark::oN);
  for (const char* verb : {"verify", "features", "inspect", "diff", "gate"})
    for (Shape shape : bench::kShapes)
      benchmark::RegisterBenchmark(
          (std::string("BM_Memory/") + verb + "/" + to_string(shape)).c_str(),
          [shape, verb = std::string(verb)](benchmark::State& s) { memory(s, shape, verb); })
          ->ArgName("MB")
          ->Arg(10)
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
}

}  // namespace

int main(int argc, char** argv) {
  register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
