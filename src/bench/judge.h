// The judge: a candidate through all tiers, in a child process that it may take down with it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bench/bench_result.h"
#include "bench/candidate.h"
#include "bench/device_judge.h"
#include "bench/emulated_judge.h"
#include "support/child.h"
#include "toolchain/cache.h"
#include "toolchain/toolkit.h"

namespace pitot::bench {

// A candidate as it was handed in.
struct Submission {
  std::string name;       // for people: a file, "search#2"
  std::string generator;  // who made it
  uint32_t round = 0, sample = 0;
  std::string text;
};

// Microseconds of a kernel at a size, by whatever clock. Errors: it has none.
using Clock = std::function<Result<double>(const Candidate&, const device::SizeSpec&)>;

struct JudgeOptions {
  EmulatedOptions emulated;
  double seconds = 60;                          // for one candidate; then it counts as crashed
  const toolchain::Toolkit* toolkit = nullptr;  // null: nothing is assembled
  toolchain::Cache* cache = nullptr;
  Clock model;                          // the third tier without a GPU; empty: nothing is timed
  std::string model_name;               // "model of NVIDIA H200"
  std::optional<DeviceOptions> device;  // a GPU for tiers two and three, after the emulator
};

// Of one task. Not to be used by several threads.
class Judge {
 public:
  // The task must outlive it. Errors: kernels of the task that cannot be read.
  static Result<std::unique_ptr<Judge>> make(const Task& task, const JudgeOptions& options);

  // Errors are of the task or the machine; whatever the candidate does is in the judgement.
  Result<Judgement> judge(const Submission& submission);
  const Oracle& oracle() const { return oracle_; }

 private:
  Judge(const Task& task, const JudgeOptions& options, Oracle oracle);
  bool assembles(const Submission& submission, Judgement& out);
  std::string work(std::string_view request);
  Status judge_here(const Submission& submission, Judgement& out);
  Status time(const Candidate& candidate, Judgement& out);
  Status judge_on_device(const Submission& submission, Judgement& out);

  const Task& task_;
  JudgeOptions options_;
  Oracle oracle_;
  std::optional<Candidate> baseline_;
  std::map<std::string, std::pair<double, double>> known_us_;  // baseline and start, by size
  ChildProcess child_;
  std::optional<DeviceJudge> device_;
};

}  // namespace pitot::bench
