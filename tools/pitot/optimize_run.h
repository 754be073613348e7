// One search of optimize: its cost, its log, and the check of what it found.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuda/gpu.h"
#include "measure/program_meter.h"
#include "optimize_kernel.h"
#include "policy_run.h"
#include "search/optimize_result.h"

namespace pitot::cli {

struct OptimizeArguments {
  std::vector<std::string> paths, actions;
  std::string policy = "greedy", cost = "emu", gpu, model = "default", output, log;
  std::string clock = "auto", assembler = "ptxas";
  LaunchSource like;  // of all kernels: --ptx, --entry, --set, --size
  search::SearchOptions how;
  measure::ProgramProtocol protocol;
  double sampling_ms = 15, seconds = 0, all_seconds = 0, time_limit = 10;
  uint32_t tries = 8;
  uint32_t batch = 0;  // 0: what suits the cost
  bool round_otherwise = false, no_check = false;
};

// What the searches of a command have in common: above all the GPU's process.
class Optimizer {
 public:
  // Errors: no such GPU, no model, neither a method nor a policy.
  static Result<Optimizer> make(const OptimizeArguments& args,
                                const std::vector<OptimizeKernel>& kernels, Options& options);
  // The search of one of the kernels, with its log in this file (empty: none). `step` is called
  // for every program. Errors are of this kernel; `options` is told nothing.
  Result<search::OptimizeResult> run(size_t kernel, const std::string& log,
                                     const std::function<void()>& step) const;
  // Whether the time for all is used up.
  bool over() const;

 private:
  struct Made {  // a cost, and what it is called
    std::unique_ptr<search::Cost> cost;
    std::string name, unit, gpu, protocol;
    std::vector<std::string> warnings;
    uint32_t batch = 32;
    class MeasuredCost* measured = nullptr;  // the same cost, where it is one
  };
  Optimizer(const OptimizeArguments& args, const std::vector<OptimizeKernel>& kernels,
            Options& options)
      : args_(args), kernels_(kernels), options_(options) {}
  Result<Made> make_cost(size_t kernel) const;
  Result<search::OptimizeResult> follow(size_t kernel) const;
  Status verify(const OptimizeKernel& kernel, search::OptimizeResult& result) const;

  const OptimizeArguments& args_;
  const std::vector<OptimizeKernel>& kernels_;
  Options& options_;
  std::shared_ptr<measure::ProgramMeter> meter_;
  cuda::GpuFacts gpu_;
  std::shared_ptr<const struct ChosenModel> model_;
  PolicySearch policy_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace pitot::cli
