#include "bench_transfer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "bench/scores.h"
#include "bench_list.h"
#include "toolchain/ptx_header.h"

namespace pitot::cli {
namespace {

// What was right and timed, as candidates again. Errors: the archive.
Result<std::vector<JudgeJob>> jobs_of(const std::vector<bench::Judgement>& judged,
                                      const std::vector<std::unique_ptr<const bench::Task>>& tasks,
                                      const store::BenchArchive& archive, const ptx::Target& to) {
  std::map<std::pair<std::string, std::string>, JudgeJob> jobs;
  for (const bench::Judgement& j : judged) {
    if (!j.right() || j.speedup <= 0) continue;
    const auto task =
        std::find_if(tasks.begin(), tasks.end(), [&](const auto& t) { return t->name == j.task; });
    if (task == tasks.end()) continue;
    auto text = archive.text_of(j.program);
    if (!text) return text.error();
    if (to.sm != 0) *text = toolchain::with_target(*text, toolchain::read_ptx_header(*text), to);
    JudgeJob& job = jobs[{j.task, j.generator}];
    job.task = task->get();
    job.generator = j.generator;
    job.submissions.push_back({j.candidate, j.generator, j.round, j.sample, std::move(*text)});
  }
  std::vector<JudgeJob> out;
  for (auto& [key, job] : jobs) out.push_back(std::move(job));
  return out;
}

std::vector<bench::Judgement> of_generator(const std::vector<bench::Judgement>& all,
                                           const std::string& generator) {
  std::vector<bench::Judgement> out;
  for (const bench::Judgement& j : all)
    if (j.generator == generator) out.push_back(j);
  return out;
}

}  // namespace

void run_bench_transfer(const TransferArguments& args, Options& options) {
  ptx::Target to;
  if (!args.target.empty()) {
    to = ptx::target_from_name(args.target);
    if (to.sm == 0)
      return fail(options, input_error(fmt::format("'{}' is no target: sm_80", args.target)));
  }
  auto setup = JudgeSetup::make(args.judge, options);
  if (!setup) return fail(options, setup.error());
  if (!args.target.empty()) setup->for_target(args.target);
  auto archive = store::BenchArchive::open(args.archive);
  if (!archive) return fail(options, archive.error());
  auto first = chosen_settings(*archive, args.archive, args.settings, setup->settings());
  if (!first) return fail(options, first.error());
  if (*first == setup->settings())
    return fail(options, input_error(fmt::format("{}: was judged in this way; give another --gpu, "
                                                 "--device or --target",
                                                 args.archive)));
  auto judged = archive->judgements({}, *first);
  if (!judged) return fail(options, judged.error());
  const auto tasks = read_tasks(args.tasks, args.only, options);
  auto jobs = jobs_of(*judged, tasks, *archive, to);
  if (!jobs) return fail(options, jobs.error());
  if (jobs->empty())
    return fail(options, input_error(args.archive + ": nothing in it is right and timed"));
  run_jobs(*jobs, *setup, args.archive, options);
  auto again = archive->judgements({}, setup->settings());
  if (!again) return fail(options, again.error());
  std::vector<bench::Transfer> out;
  std::vector<std::string> generators;
  for (const JudgeJob& job : *jobs) generators.push_back(job.generator);
  std::sort(generators.begin(), generators.end());
  generators.erase(std::unique(generators.begin(), generators.end()), generators.end());
  std::vector<bench::Judgement> wanted;  // of the tasks that were chosen
  for (const bench::Judgement& j : *judged)
    if (std::any_of(tasks.begin(), tasks.end(), [&](const auto& t) { return t->name == j.task; }))
      wanted.push_back(j);
  for (const std::string& g : generators)
    out.push_back(
        bench::score_transfer(of_generator(wanted, g), of_generator(*again, g), options.seed));
  print(options.format == "json"
            ? report::transfer_json(out, *first, setup->settings())
            : report::transfer_text(out, *first, setup->settings(), options.style(STDOUT_FILENO)));
}

}  // namespace pitot::cli
