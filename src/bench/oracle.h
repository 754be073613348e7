// What a task's outputs should be: the oracle and the start kernel run, on the emulator unless it
// is said otherwise, once for each data, and kept.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "bench/accuracy.h"
#include "bench/candidate.h"
#include "bench/trials.h"
#include "device/run_result.h"

namespace pitot::bench {

struct Expected {
  std::vector<ExpectedOutput> outputs;
  uint64_t start_instructions = 0;  // warp instructions of the start kernel
  ErrorSum start_errors;            // of all float outputs
  bool start_exact = true;          // integers, NaN and infinities are where the oracle has them
  std::string start_difference;     // where not, in words
};

// Runs a kernel of the task with this spec at a size. Faults are in the result. Errors: launches
// that are none, no GPU.
using Runner =
    std::function<Result<device::RunResult>(const Candidate& kernel, const device::KernelSpec& spec,
                                            const device::SizeSpec& size, uint64_t seed)>;
Result<device::RunResult> run_on_emulator(const Candidate& kernel, const device::KernelSpec& spec,
                                          const device::SizeSpec& size, uint64_t seed);

class Oracle {
 public:
  // Errors: kernels that cannot be read or do not fit the task.
  static Result<Oracle> make(const Task& task, Runner runner = run_on_emulator);

  // For a size, kind of data and seed. Errors: the oracle or the start kernel faults there.
  Result<const Expected*> at(const device::SizeSpec& size, Data data, uint64_t seed);
  const Candidate& start() const { return start_; }
  const Task& task() const { return *task_; }
  void forget() { kept_.clear(); }  // gives back the memory of what was computed

 private:
  Oracle(const Task& task, Candidate start, Candidate oracle, Runner runner)
      : task_(&task),
        start_(std::move(start)),
        oracle_(std::move(oracle)),
        runner_(std::move(runner)) {}
  Result<device::RunResult> run(const Candidate& kernel, const device::KernelSpec& spec,
                                const device::SizeSpec& size, uint64_t seed,
                                const char* what) const;
  void take_start(const ExpectedOutput& e, Expected& out) const;
  Result<Expected> compute(const device::SizeSpec& size, Data data, uint64_t seed) const;

  const Task* task_;
  Candidate start_, oracle_;
  Runner runner_;
  std::map<std::string, std::unique_ptr<Expected>> kept_;
};

}  // namespace pitot::bench
