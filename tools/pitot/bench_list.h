// pitot bench list, validate and scores: tasks, whether they are sound, and what an archive has.
#pragma once

#include <string>
#include <vector>

#include "bench_tasks.h"
#include "cli.h"
#include "store/bench_archive.h"

namespace pitot::cli {

struct TaskArguments {
  std::vector<std::string> tasks{kDefaultTasks}, only;
  unsigned drawn = 24;
};
void run_bench_list(const TaskArguments& args, Options& options);
void run_bench_validate(const TaskArguments& args, Options& options);

struct ScoreArguments {
  std::string archive, settings;
  std::vector<uint32_t> ks{1, 4, 8};
  std::vector<std::string> unseen;
  bool each = false;
};
// The settings that are asked for, or the only ones of an archive besides `not_this`. Errors
// (kInput): none such, or several, which the message lists.
Result<std::string> chosen_settings(const store::BenchArchive& archive, const std::string& path,
                                    const std::string& wanted, const std::string& not_this = {});
void run_bench_scores(const ScoreArguments& args, Options& options);

}  // namespace pitot::cli
