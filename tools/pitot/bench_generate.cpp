#include "bench_generate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "bench/export.h"
#include "bench_eval.h"
#include "progress.h"
#include "store/bench_archive.h"
#include "support/file.h"
#include "support/parallel.h"
#include "support/work_processes.h"

namespace pitot::cli {
namespace {

namespace fs = std::filesystem;

Result<std::shared_ptr<bench::Generator>> generator_of(const GenerateArguments& args,
                                                       const JudgeSetup& setup) {
  const int given =
      !args.builtin.empty() + !args.command.command.empty() + !args.endpoint.url.empty();
  if (given != 1)
    return input_error("one of --builtin, --command and --endpoint says who proposes candidates");
  if (!args.builtin.empty())
    return builtin_generator(args.builtin, setup.search_clock(), args.budget, args.policy);
  if (!args.command.command.empty())
    return std::shared_ptr<bench::Generator>(bench::command_generator(args.command));
  auto made = bench::endpoint_generator(args.endpoint);
  if (!made) return made.error();
  return std::shared_ptr<bench::Generator>(std::move(*made));
}

// The loop on one task, in this process; every judgement goes into the archive.
class TaskLoop {
 public:
  TaskLoop(const bench::Task& task, const GenerateArguments& args, const JudgeSetup& setup,
           store::BenchArchive& archive)
      : task_(task), args_(args), setup_(setup), archive_(archive) {}

  Result<bench::LoopResult> run(bench::Generator& generator) {
    auto oracle = bench::Oracle::make(task_);
    if (!oracle) return oracle.error();
    return bench::run_loop(
        task_, *oracle, generator, args_.loop, [&](const auto& batch) { return judge(batch); },
        [&](uint32_t round) { return recall(generator.name(), round); });
  }

 private:
  // Proposals of a round are kept before they are judged: a model may not be asked again.
  Result<std::vector<bench::Submission>> recall(const std::string& generator, uint32_t round) {
    auto kept = archive_.proposals(task_.name, generator, round, setup_.settings());
    if (!kept) return kept.error();
    std::vector<bench::Submission> out;
    for (store::Proposed& p : *kept)
      out.push_back({std::move(p.name), generator, round, p.sample, std::move(p.text)});
    return out;
  }

  Result<std::vector<bench::Judgement>> judge(const std::vector<bench::Submission>& batch) {
    std::vector<store::Proposed> proposed;
    for (const bench::Submission& s : batch) proposed.push_back({s.sample, s.name, s.text});
    if (Status s = archive_.propose(task_.name, batch[0].generator, batch[0].round,
                                    setup_.settings(), proposed);
        !s)
      return s.error();
    return judge_batch(task_, batch, setup_, archive_);
  }

  const bench::Task& task_;
  const GenerateArguments& args_;
  const JudgeSetup& setup_;
  store::BenchArchive& archive_;
};

std::string summary_line(const bench::LoopResult& r) {
  size_t right = 0;
  for (const bench::Judgement& j : r.judged) right += j.right();
  std::string out = fmt::format(
      "{:<26} {} of {} candidates are right; {}\n", r.task, right, r.judged.size(),
      r.improved
          ? fmt::format("kept {}: {:.3f} times the baseline's speed", r.best_name, r.best_speedup)
          : std::string("the start kernel stays"));
  if (!r.error.empty()) out += fmt::format("    ended early: {}\n", r.error);
  return out;
}

}  // namespace

void run_bench_generate(const GenerateArguments& args, Options& options) {
  const auto tasks = read_tasks(args.tasks, args.only, options);
  auto setup = JudgeSetup::make(args.judge, options);
  if (!setup) return fail(options, setup.error());
  auto generator = generator_of(args, *setup);
  if (!generator) return fail(options, generator.error());
  if (args.judge.no_time)
    return fail(options, input_error("--no-time: the loop keeps what is faster, and needs times"));
  auto gpu = arch::find_gpu(args.judge.gpu);
  if (!gpu) return fail(options, gpu.error());
  GenerateArguments own = args;
  own.loop.gpu = *gpu;
  own.loop.seed = options.seed;
  if (auto there = store::BenchArchive::open(args.archive); !there)
    return fail(options, there.error());
  if (!args.output.empty()) {
    std::error_code none;
    fs::create_directories(args.output, none);
  }
  std::optional<store::BenchArchive> archive;  // of each process
  Progress progress("tasks", tasks.size());
  const auto complain = [](const bench::Task& t, const Error& e) {
    std::fprintf(stderr, "pitot: error: %s: %s\n", t.name.c_str(), e.message.c_str());
    return false;
  };
  const auto work = [&](size_t i) {
    const bench::Task& task = *tasks[i];
    if (!archive) {
      auto opened = store::BenchArchive::open(args.archive);
      if (!opened) return complain(task, opened.error());
      archive.emplace(std::move(*opened));
    }
    auto result = TaskLoop(task, own, *setup, *archive).run(**generator);
    if (!result) return complain(task, result.error());
    if (!args.output.empty())
      if (Status s = write_file((fs::path(args.output) / (task.name + ".ptx")).string(),
                                result->best_text);
          !s)
        return complain(task, s.error());
    // One write, so that lines of several processes do not mix.
    const std::string line = summary_line(*result);
    if (options.format == "text" && write(STDOUT_FILENO, line.data(), line.size()) < 0)
      return complain(task, failed_error("standard output is closed"));
    return result->error.empty();
  };
  auto done = work_in_processes(tasks.size(), worker_count(options.jobs), work,
                                [&](size_t) { progress.step(); });
  progress.finish();
  if (!done) return fail(options, done.error());
  for (size_t i : done->lost)
    fail(options, failed_error(fmt::format("{}: its process died", tasks[i]->name)));
  if (done->failed > 0) options.exit_code = std::max<int>(options.exit_code, kUsage);
  auto run = read_run(args.archive, setup->settings(), {1, own.loop.candidates}, options.seed);
  if (!run) return fail(options, run.error());
  print(options.format == "json" ? report::bench_json(*run)
                                 : report::bench_text(*run, false, options.style(STDOUT_FILENO)));
}

namespace {

Result<std::string> first_prompt(const bench::Task& task, const std::string& gpu_name) {
  auto gpu = arch::find_gpu(gpu_name);
  if (!gpu) return gpu.error();
  auto start = bench::load_start(task);
  if (!start) return start.error();
  bench::PromptFacts facts;
  facts.task = &task;
  facts.start = facts.best = &*start;
  facts.gpu = *gpu;
  return bench::make_prompt(facts);
}

}  // namespace

void run_bench_prompt(const PromptArguments& args, Options& options) {
  const auto tasks = read_tasks(args.tasks, {args.task}, options);
  if (tasks.empty()) return;
  auto prompt = first_prompt(*tasks[0], args.gpu);
  if (!prompt) return fail(options, prompt.error());
  print(*prompt);
}

void run_bench_export(const ExportArguments& args, Options& options) {
  auto archive = store::BenchArchive::open(args.archive);
  if (!archive) return fail(options, archive.error());
  auto judged = archive->judgements({}, args.settings);
  if (!judged) return fail(options, judged.error());
  const bench::TextOf text = [&](const std::string& program) { return archive->text_of(program); };
  // Prompts of the tasks that are at hand; a task that is not has none.
  std::map<std::string, std::string> prompts;
  if (args.what == "tuning" || args.what == "preferences") {
    std::vector<std::string> names;
    for (const bench::Judgement& j : *judged)
      if (std::find(names.begin(), names.end(), j.task) == names.end()) names.push_back(j.task);
    for (const auto& task : read_tasks(args.tasks, names, options))
      if (auto p = first_prompt(*task, "H200")) prompts[task->name] = std::move(*p);
  }
  const bench::PromptOf prompt = [&](const std::string& task) { return prompts[task]; };
  Result<bench::Lines> lines = bench::Lines{};
  std::string statistics;
  if (args.what == "tuning") {
    lines = bench::tuning_lines(*judged, text, prompt);
  } else if (args.what == "preferences") {
    lines = bench::preference_lines(*judged, text, prompt);
  } else if (args.what == "rewards") {
    lines = bench::reward_lines(*judged, text);
  } else {
    auto made = bench::corpus(*judged, text, args.words);
    if (!made) return fail(options, made.error());
    statistics = std::move(made->statistics);
    lines = std::move(made->lines);
  }
  if (!lines) return fail(options, lines.error());
  std::string out;
  for (const std::string& l : *lines) out += l + "\n";
  if (args.output.empty() || args.output == "-")
    print(out);
  else if (Status s = write_file(args.output, out); !s)
    return fail(options, s.error());
  if (!statistics.empty() && !args.statistics.empty())
    if (Status s = write_file(args.statistics, statistics); !s) return fail(options, s.error());
  std::fprintf(stderr, "pitot: note: %zu lines of %zu judgements\n", lines->size(), judged->size());
}

}  // namespace pitot::cli
