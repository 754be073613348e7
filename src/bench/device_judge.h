// The second and third tier on a GPU, for candidates that the emulator found right: the oracle's
// results at the timed sizes, at private ones and with special data, and the time beside the best
// kernel known.
#pragma once

#include "bench/bench_result.h"
#include "bench/oracle.h"

namespace pitot::bench {

// Times a candidate beside another kernel at a size, interleaved: the first's microseconds, the
// second's, and how many times as fast the first is with its 95 % interval. The seed is of the data
// and of the order.
struct DeviceTiming {
  double candidate_us = 0, other_us = 0;
  double speedup = 0, low = 0, high = 0;
};
using DeviceTimer =
    std::function<Result<DeviceTiming>(const Candidate& candidate, const Candidate& other,
                                       const device::SizeSpec& size, bool cold, uint64_t seed)>;

struct DeviceOptions {
  Runner run;
  DeviceTimer time;  // empty: nothing is timed
  std::string name;  // of the GPU
  uint64_t seed = 0;
  bool cold = false;    // cold caches as well as warm ones
  unsigned drawn = 6;   // private sizes that are drawn: those of the emulator's judge
  unsigned trials = 5;  // how many of its private sizes and special data run on the GPU besides
};

class DeviceJudge {
 public:
  // The task must outlive it. Errors: kernels that cannot be read.
  static Result<DeviceJudge> make(const Task& task, const Candidate* baseline,
                                  const DeviceOptions& options);
  // Continues a judgement whose tier is kRight; timings on a model are replaced. Errors: of the
  // task or the GPU; what the candidate does is in the judgement.
  Status judge(const Candidate& candidate, Judgement& out);
  const Candidate& start() const { return oracle_.start(); }

 private:
  DeviceJudge(const Task& task, const Candidate* baseline, const DeviceOptions& options,
              Oracle oracle);
  // False when the candidate is judged. Errors: as judge.
  Result<bool> right(const Candidate& candidate, const TrialPlan& plan, Judgement& out);
  Status time(const Candidate& candidate, Judgement& out);

  const Task* task_;
  std::vector<TrialPlan> plan_;
  const Candidate* baseline_;  // null: the start kernel is the best that is known
  DeviceOptions options_;
  Oracle oracle_;
  // The best known at a size and state of the caches, and how many times as fast as the start
  // kernel it is.
  struct Best {
    const Candidate* kernel = nullptr;
    double start_us = 0, over_start = 1, low = 1, high = 1;
  };
  std::map<std::string, Best> best_known_;
};

}  // namespace pitot::bench
