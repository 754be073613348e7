// pitot bench eval: candidates from files and built-in generators, judged.
#pragma once

#include <string>
#include <vector>

#include "bench_run.h"

namespace pitot::cli {

struct EvalArguments {
  std::vector<std::string> candidates;  // files, or folders with a folder a task
  std::vector<std::string> tasks{kDefaultTasks}, only, builtin;
  std::string task;  // that single files are for
  std::string name = "files";
  std::string policy;
  uint32_t samples = 4;
  uint64_t budget = 60;
  std::string archive;
  std::vector<uint32_t> ks{1, 4, 8};
  bool each = false;
  JudgeArguments judge;
};
void run_bench_eval(const EvalArguments& args, Options& options);

// Of a name: identity, random, each, greedy, beam, policy, faulty. Errors (kInput): none such.
Result<std::shared_ptr<bench::Generator>> builtin_generator(const std::string& name,
                                                            const bench::Clock& clock,
                                                            uint64_t budget,
                                                            const std::string& policy);

}  // namespace pitot::cli
