#include "bench_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "bench/scores.h"
#include "bench_clock.h"
#include "device/cuda_run.h"
#include "progress.h"
#include "store/bench_archive.h"
#include "support/hash.h"
#include "support/parallel.h"
#include "support/work_processes.h"

namespace pitot::cli {
namespace {

namespace fs = std::filesystem;

// Complaints of a worker, which has no other way to the user than the terminal.
void complain(const std::string& message) {
  std::fprintf(stderr, "pitot: error: %s\n", message.c_str());
}

bench::Judgement copied(bench::Judgement known, const bench::Submission& s) {
  known.candidate = s.name;
  known.generator = s.generator;
  known.round = s.round;
  known.sample = s.sample;
  known.seconds = 0;
  return known;
}

Status run_job(const JudgeJob& job, const JudgeSetup& setup, store::BenchArchive& archive) {
  std::vector<bench::Submission> batch = job.submissions;
  if (job.make) {
    auto made = job.make();
    if (!made) return made.error();
    batch = std::move(*made);
  }
  auto judged = judge_batch(*job.task, batch, setup, archive);
  return judged ? Status(Ok{}) : Status(judged.error());
}

}  // namespace

void JudgeArguments::add_to(CLI::App& verb) {
  verb.add_option("--private", drawn, "sizes to draw that the task does not publish")
      ->capture_default_str()
      ->check(CLI::Range(0u, 1000u));
  verb.add_option("--time-limit", seconds, "seconds for a candidate; then it counts as a hang")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 86400.0));
  verb.add_option("--gpu", gpu, "the GPU whose time is modelled")->capture_default_str();
  verb.add_option("--device", device,
                  "emu; or cuda, cuda:1: what the emulator finds right runs and is timed there too")
      ->capture_default_str();
  verb.add_flag("--cold", cold, "on a GPU, time with cold caches as well");
  verb.add_option("--seconds", sampling, "on a GPU, of sampling each kernel of a comparison")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 60.0));
  verb.add_flag("--no-ptxas", no_ptxas, "do not assemble, even where ptxas is there");
  verb.add_flag("--no-time", no_time, "only the first two tiers: does it compile, is it right");
}

Result<JudgeSetup> JudgeSetup::make(const JudgeArguments& args, const Options& options) {
  JudgeSetup out;
  out.args_ = args;
  out.seed_ = options.seed;
  auto gpu = arch::find_gpu(args.gpu);
  if (!gpu) return gpu.error();
  out.gpu_ = *gpu;
  std::string assembler = "no ptxas";
  if (!args.no_ptxas) {
    if (auto found = open_ptxas()) {
      assembler = "ptxas " + found->toolkit.ptxas.version;
      out.ptxas_ = std::make_shared<Ptxas>(std::move(*found));
    } else {
      std::fprintf(stderr, "pitot: note: %s; whether candidates compile is the verifier's word\n",
                   found.error().message.c_str());
    }
  }
  std::string clock = fmt::format("time modelled for {}", out.gpu_->name);
  if (args.device != "emu") {
    const auto number = device::cuda_number(args.device);
    if (!number)
      return input_error(fmt::format("'{}' is no device: emu, cuda or cuda:N", args.device));
    out.cuda_ =
        GpuArguments{.number = *number, .time_limit = args.seconds, .seconds = args.sampling};
    auto name = gpu_name(*out.cuda_);
    if (!name) return name.error();
    out.cuda_name_ = *name;
    out.gpu_run_ = gpu_runner(*out.cuda_);
    out.gpu_time_ = gpu_timer(*out.cuda_);
    clock = args.no_time ? fmt::format("run on {}, not timed", *name)
                         : fmt::format("run and timed on {}{}, {:g} s a kernel", *name,
                                       args.cold ? ", warm and cold" : "", args.sampling);
  }
  out.clock_ = modelled_clock(*out.gpu_, options.seed);
  out.search_clock_ = modelled_clock(*out.gpu_, options.seed, ClockCare::kQuick);
  out.settings_ = fmt::format(
      "judge/3 emulated, {} private sizes, {}, {}, seed {}", args.drawn, assembler,
      args.no_time && args.device == "emu" ? std::string("not timed") : clock, options.seed);
  return out;
}

bench::JudgeOptions JudgeSetup::options_for(const bench::Task& task,
                                            const std::vector<bench::Submission>& batch) const {
  bench::JudgeOptions out;
  out.emulated.drawn = args_.drawn;
  Hash128 h = hash_bytes(task.name, seed_);
  for (const bench::Submission& s : batch) h = combine(h, hash_bytes(s.text));
  out.emulated.seed = h.low;
  out.seconds = args_.seconds;
  if (ptxas_) {
    out.toolkit = &ptxas_->toolkit;
    out.cache = ptxas_->cache.get();
  }
  if (cuda_) {
    bench::DeviceOptions d;
    d.run = gpu_run_;
    if (!args_.no_time) d.time = gpu_time_;
    d.name = cuda_name_;
    d.seed = out.emulated.seed;
    d.drawn = args_.drawn;
    d.cold = args_.cold;
    out.device = std::move(d);
  } else if (!args_.no_time) {
    out.model = clock_;
    out.model_name = fmt::format("model of {}", gpu_->name);
  }
  return out;
}

Result<std::vector<bench::Judgement>> judge_batch(const bench::Task& task,
                                                  const std::vector<bench::Submission>& batch,
                                                  const JudgeSetup& setup,
                                                  store::BenchArchive& archive) {
  std::vector<bench::Judgement> out;
  std::unique_ptr<bench::Judge> judge;
  for (const bench::Submission& s : batch) {
    const std::string program = bench::program_hash(s.text);
    auto known = archive.of_program(task.name, program, setup.settings());
    if (!known) return known.error();
    if (*known) {
      out.push_back(copied(std::move(**known), s));
      auto has = archive.has(out.back(), setup.settings());
      if (!has) return has.error();
      if (*has) continue;
    } else {
      if (!judge) {
        auto made = bench::Judge::make(task, setup.options_for(task, batch));
        if (!made) return made.error();
        judge = std::move(*made);
      }
      auto judged = judge->judge(s);
      if (!judged) return judged.error();
      out.push_back(std::move(*judged));
      out.back().program = program;
    }
    if (Status kept = archive.put(out.back(), setup.settings(), s.text); !kept) return kept.error();
  }
  return out;
}

void run_jobs(const std::vector<JudgeJob>& jobs, const JudgeSetup& setup,
              const std::string& archive, Options& options) {
  // A file that is no archive is found here, once, and not by every worker.
  if (auto there = store::BenchArchive::open(archive); !there) return fail(options, there.error());
  std::optional<store::BenchArchive> own;  // of each process
  Progress progress("judging", jobs.size());
  const auto work = [&](size_t i) {
    if (!own) {
      auto opened = store::BenchArchive::open(archive);
      if (!opened) {
        complain(opened.error().message);
        return false;
      }
      own.emplace(std::move(*opened));
    }
    const Status s = run_job(jobs[i], setup, *own);
    if (!s) complain(s.error().message);
    return s.ok();
  };
  auto done = work_in_processes(jobs.size(), worker_count(options.jobs), work,
                                [&](size_t) { progress.step(); });
  progress.finish();
  if (!done) return fail(options, done.error());
  for (size_t i : done->lost)
    fail(options, failed_error(fmt::format("{}: the process that judged {} died",
                                           jobs[i].task->name, jobs[i].generator)));
  if (done->failed > 0) options.exit_code = std::max<int>(options.exit_code, kUsage);
}

Result<report::BenchRun> read_run(const std::string& path, const std::string& settings,
                                  const std::vector<uint32_t>& ks, uint64_t seed) {
  auto archive = store::BenchArchive::open(path);
  if (!archive) return archive.error();
  auto judged = archive->judgements({}, settings);
  if (!judged) return judged.error();
  report::BenchRun out;
  out.settings = settings;
  out.judged = std::move(*judged);
  std::vector<std::string> generators;
  for (const bench::Judgement& j : out.judged)
    if (std::find(generators.begin(), generators.end(), j.generator) == generators.end())
      generators.push_back(j.generator);
  std::sort(generators.begin(), generators.end());
  for (const std::string& g : generators) {
    std::vector<bench::Judgement> of;
    for (const bench::Judgement& j : out.judged)
      if (j.generator == g) of.push_back(j);
    out.scores.push_back(bench::score(of, ks, seed));
  }
  for (size_t i = 1; i < out.scores.size(); ++i)
    out.comparisons.push_back(bench::compare_generators(out.scores[0], out.scores[i], seed));
  return out;
}

Result<ArchiveFile> ArchiveFile::make(const std::string& path) {
  if (!path.empty()) return ArchiveFile(path, false);
  std::string own = (fs::temp_directory_path() / "pitot-bench-XXXXXX").string();
  const int file = mkstemp(own.data());
  if (file < 0) return failed_error("no temporary file can be made");
  close(file);
  return ArchiveFile(own, true);
}

ArchiveFile::~ArchiveFile() {
  if (!own_) return;
  std::error_code none;
  fs::remove(path_, none);
  fs::remove(path_ + "-journal", none);
}

}  // namespace pitot::cli
