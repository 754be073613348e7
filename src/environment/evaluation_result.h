// How well policies and searches do on a recorded table, in plain data: for reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pitot::environment {

// What one method made of one kernel.
struct KernelOutcome {
  std::string kernel;
  bool held_out = false;              // no policy that judged it had learned from it
  std::vector<std::string> sequence;  // empty: the original. Of random, none is given
  double gain = 0;      // log(cost before / cost after); negative: slower. Random: mean of runs
  double change = 0;    // cost after / cost before - 1. Random: of the mean gain
  double measured = 0;  // programs that were measured, the original among them. Random: mean
  bool failed = false;  // the sequence leads to a program that does not work: rolled back
};

// Over the kernels of one group.
struct OutcomeSummary {
  uint64_t kernels = 0;
  double mean_change = 0, best_change = 0, worst_change = 0;
  std::string best_kernel;
  double mean_gain = 0;
  // Mean of gain / the oracle's gain, over kernels where the oracle gains more than the dead zone.
  double ratio = 0;
  uint64_t with_oracle = 0;  // those kernels
  uint64_t improved = 0;     // gain above the dead zone
  uint64_t worse = 0;        // gain below minus the dead zone
  double mean_measured = 0;
  uint64_t distinct_sequences = 0;  // 0 of random
  double entropy = 0;               // of the sequences' frequencies over kernels, in nats
};

struct MethodResult {
  std::string method;   // "oracle", "greedy", "beam", "random", "recipe", "policy"
  uint64_t budget = 0;  // programs that may be measured; 0: none is. Of the oracle, all
  bool whole = false;   // without a budget
  std::vector<KernelOutcome> kernels;  // in the table's order
  OutcomeSummary all, seen, held_out;
};

struct EvaluationResult {
  std::string table, cost;  // file; what it measured
  std::string table_hash;
  std::vector<std::string> policies;  // files
  bool same_data = true;              // the policies were learned from this very table
  std::string kind;                   // whose actions all methods had
  uint32_t max_steps = 0;
  uint64_t seed = 0, random_runs = 0;
  uint64_t kernels = 0, programs = 0, unmeasured = 0, failed = 0;
  std::vector<MethodResult> methods;
};

}  // namespace pitot::environment
