// pitot bench generate and export: the loop around a generator, and what it leaves for training.
#pragma once

#include <string>
#include <vector>

#include "bench/command_generator.h"
#include "bench/endpoint.h"
#include "bench/loop.h"
#include "bench_run.h"

namespace pitot::cli {

struct GenerateArguments {
  std::vector<std::string> tasks{kDefaultTasks}, only;
  std::string builtin, policy, output, archive = "bench.db";
  bench::CommandSettings command;
  bench::EndpointSettings endpoint;
  uint64_t budget = 60;
  bench::LoopOptions loop;
  JudgeArguments judge;
};
void run_bench_generate(const GenerateArguments& args, Options& options);

struct PromptArguments {
  std::vector<std::string> tasks{kDefaultTasks};
  std::string task, gpu = "H200";
};
void run_bench_prompt(const PromptArguments& args, Options& options);

struct ExportArguments {
  std::string archive, settings, what = "rewards", output, statistics;
  std::vector<std::string> tasks{kDefaultTasks};
  uint64_t words = 512;
};
void run_bench_export(const ExportArguments& args, Options& options);

}  // namespace pitot::cli
