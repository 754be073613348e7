#include "bench_list.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

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

void run_bench_scores(const ScoreArguments& args, Options& options) {
  auto archive = store::BenchArchive::open(args.archive);
  if (!archive) return fail(options, archive.error());
  auto known = archive->settings();
  if (!known) return fail(options, known.error());
  std::string settings = args.settings;
  if (settings.empty()) {
    if (known->size() > 1) {
      std::string list;
      for (const std::string& s : *known) list += "\n  " + s;
      return fail(options, input_error(args.archive +
                                       ": judged in several ways; choose by --settings:" + list));
    }
    if (known->empty()) return fail(options, input_error(args.archive + ": nothing was judged"));
    settings = known->front();
  } else if (std::find(known->begin(), known->end(), settings) == known->end()) {
    return fail(options,
                input_error(fmt::format("{}: nothing was judged as '{}'", args.archive, settings)));
  }
  auto run = read_run(args.archive, settings, args.ks, options.seed);
  if (!run) return fail(options, run.error());
  print(options.format == "json" ? report::bench_json(*run)
        : options.format == "csv"
            ? report::bench_csv(*run)
            : report::bench_text(*run, args.each, options.style(STDOUT_FILENO)));
}

}  // namespace pitot::cli
