#include "bench_list.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "bench/scores.h"
#include "bench/validate.h"
#include "bench_run.h"
#include "progress.h"
#include "store/bench_archive.h"
#include "support/parallel.h"

namespace pitot::cli {

void run_bench_list(const TaskArguments& args, Options& options) {
  std::vector<bench::TaskSummary> list;
  for (const auto& task : read_tasks(args.tasks, args.only, options))
    list.push_back(bench::summary_of(*task));
  print(options.format == "json" ? report::tasks_json(list) : report::tasks_text(list));
}

void run_bench_validate(const TaskArguments& args, Options& options) {
  const auto tasks = read_tasks(args.tasks, args.only, options);
  std::vector<bench::TaskHealth> list(tasks.size());
  std::vector<std::string> errors(tasks.size());
  Progress progress("validating", tasks.size());
  parallel_for(tasks.size(), worker_count(options.jobs), [&](size_t i) {
    bench::ValidateOptions how;
    how.seed = options.seed;
    how.drawn = args.drawn;
    auto health = bench::validate(*tasks[i], how);
    if (health)
      list[i] = std::move(*health);
    else
      errors[i] = health.error().message;
    progress.step();
  });
  progress.finish();
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (errors[i].empty()) continue;
    list[i].task = bench::summary_of(*tasks[i]);
    list[i].problems.push_back(errors[i]);
  }
  print(options.format == "json" ? report::health_json(list)
                                 : report::health_text(list, options.style(STDOUT_FILENO)));
  const bool sound = std::all_of(list.begin(), list.end(),
                                 [](const bench::TaskHealth& h) { return h.problems.empty(); });
  if (!sound && options.exit_code == kFine) options.exit_code = kFindings;
}

Result<std::string> chosen_settings(const store::BenchArchive& archive, const std::string& path,
                                    const std::string& wanted, const std::string& not_this) {
  auto known = archive.settings();
  if (!known) return known.error();
  if (!wanted.empty()) {
    if (std::find(known->begin(), known->end(), wanted) == known->end())
      return input_error(fmt::format("{}: nothing was judged as '{}'", path, wanted));
    return wanted;
  }
  if (known->size() > 1) std::erase(*known, not_this);
  if (known->empty()) return input_error(path + ": nothing was judged");
  if (known->size() == 1) return known->front();
  std::string list;
  for (const std::string& s : *known) list += "\n  " + s;
  return input_error(path + ": judged in several ways; choose by --settings:" + list);
}

namespace {

void split_run(report::BenchRun& run, const ScoreArguments& args, const Options& options) {
  for (const bench::Scores& s : run.scores) {
    std::vector<bench::Judgement> of;
    for (const bench::Judgement& j : run.judged)
      if (j.generator == s.generator) of.push_back(j);
    run.splits.push_back(bench::score_split(of, args.unseen, args.ks, options.seed));
    if (run.splits.back().unseen.tasks.empty())
      std::fprintf(stderr, "pitot: note: %s: no task that was judged is named by --unseen\n",
                   s.generator.c_str());
  }
}

}  // namespace

void run_bench_scores(const ScoreArguments& args, Options& options) {
  auto archive = store::BenchArchive::open(args.archive);
  if (!archive) return fail(options, archive.error());
  auto settings = chosen_settings(*archive, args.archive, args.settings);
  if (!settings) return fail(options, settings.error());
  auto run = read_run(args.archive, *settings, args.ks, options.seed);
  if (!run) return fail(options, run.error());
  if (!args.unseen.empty()) split_run(*run, args, options);
  print(options.format == "json" ? report::bench_json(*run)
        : options.format == "csv"
            ? report::bench_csv(*run)
            : report::bench_text(*run, args.each, options.style(STDOUT_FILENO)));
}

}  // namespace pitot::cli
