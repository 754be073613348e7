// Judging many candidates: in several processes, each result kept as soon as it is there.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/gpu.h"
#include "bench/generator.h"
#include "bench/judge.h"
#include "bench_gpu.h"
#include "bench_tasks.h"
#include "cli.h"
#include "inspect_kernel.h"
#include "report/bench_report.h"
#include "store/bench_archive.h"

namespace pitot::cli {

// How candidates are judged, as options.
struct JudgeArguments {
  unsigned drawn = bench::EmulatedOptions{}.drawn;
  double seconds = 60;    // for a candidate
  double sampling = 0.1;  // seconds, of each kernel of a comparison on a GPU
  std::string gpu = "H200";
  std::string device = "emu";
  bool no_ptxas = false, no_time = false, cold = false;

  void add_to(CLI::App& verb);
};

// The judge's tools on this machine, made once and used by all processes.
class JudgeSetup {
 public:
  // Errors: no such GPU (kInput: in the table; kMissing: on this machine).
  static Result<JudgeSetup> make(const JudgeArguments& args, const Options& options);
  // For a batch of candidates, which are fixed: the private seed hangs on all their texts.
  bench::JudgeOptions options_for(const bench::Task& task,
                                  const std::vector<bench::Submission>& batch) const;
  // In words; two judgements with the same settings can be compared.
  const std::string& settings() const { return settings_; }
  // Candidates are rewritten for this target first.
  void for_target(const std::string& target) { settings_ += ", for " + target; }
  // By which searches compare programs.
  const bench::Clock& search_clock() const { return search_clock_; }

 private:
  JudgeArguments args_;
  uint64_t seed_ = 1;
  const arch::Gpu* gpu_ = nullptr;
  std::shared_ptr<Ptxas> ptxas_;
  std::optional<GpuArguments> cuda_;
  std::string cuda_name_;
  bench::Runner gpu_run_;
  bench::DeviceTimer gpu_time_;
  bench::Clock clock_, search_clock_;
  std::string settings_;
};

// Judges what the archive does not have yet; a program that it has from another sample is not run
// again. In the order of the batch. Errors: of the task, the archive, the machine.
Result<std::vector<bench::Judgement>> judge_batch(const bench::Task& task,
                                                  const std::vector<bench::Submission>& batch,
                                                  const JudgeSetup& setup,
                                                  store::BenchArchive& archive);

// Candidates of one task that are made and judged together.
struct JudgeJob {
  const bench::Task* task = nullptr;
  std::string generator;
  // Empty: the submissions are there.
  std::function<Result<std::vector<bench::Submission>>()> make;
  std::vector<bench::Submission> submissions;
};

// Judges what the archive does not have yet; results go there one by one, also when this process is
// killed. Errors of single jobs are printed.
void run_jobs(const std::vector<JudgeJob>& jobs, const JudgeSetup& setup,
              const std::string& archive, Options& options);

// Of the archive, by these settings; all tasks and generators where `jobs` is empty. Scores of
// several generators are compared with the first.
Result<report::BenchRun> read_run(const std::string& archive, const std::string& settings,
                                  const std::vector<uint32_t>& ks, uint64_t seed);

// --archive, or a file that is gone when this is.
class ArchiveFile {
 public:
  static Result<ArchiveFile> make(const std::string& path);
  ~ArchiveFile();
  ArchiveFile(ArchiveFile&& o) noexcept : path_(std::move(o.path_)), own_(o.own_) {
    o.own_ = false;
  }
  ArchiveFile& operator=(ArchiveFile&&) = delete;
  const std::string& path() const { return path_; }

 private:
  ArchiveFile(std::string path, bool own) : path_(std::move(path)), own_(own) {}
  std::string path_;
  bool own_ = false;
};

}  // namespace pitot::cli
