#include "bench_eval.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "bench/search_generator.h"
#include "support/file.h"
#include "support/hash.h"

namespace pitot::cli {
namespace {

namespace fs = std::filesystem;

// Files of candidates, by the task that they are for.
std::map<std::string, std::vector<std::string>> files_of(const EvalArguments& args,
                                                         Options& options) {
  std::map<std::string, std::vector<std::string>> out;
  for (const std::string& path : args.candidates) {
    std::error_code none;
    if (!fs::is_directory(path, none)) {
      if (args.task.empty())
        fail(options, input_error(path + ": say which task it is for by --task"));
      else
        out[args.task].push_back(path);
      continue;
    }
    if (!args.task.empty()) {
      auto files = list_files(path, {".ptx"});
      if (!files) fail(options, files.error());
      if (files) out[args.task].insert(out[args.task].end(), files->begin(), files->end());
      continue;
    }
    bool any = false;
    std::vector<std::string> folders;
    for (const auto& entry : fs::directory_iterator(path, none))
      if (entry.is_directory(none)) folders.push_back(entry.path().string());
    std::sort(folders.begin(), folders.end());
    for (const std::string& folder : folders) {
      auto files = list_files(folder, {".ptx"});
      if (!files || files->empty()) continue;
      auto& to = out[fs::path(folder).filename().string()];
      to.insert(to.end(), files->begin(), files->end());
      any = true;
    }
    if (!any)
      fail(options, input_error(path + ": no folder with PTX in it; a folder a task is wanted, or "
                                       "--task for files of one"));
  }
  return out;
}

JudgeJob job_of_files(const bench::Task& task, const std::string& name,
                      const std::vector<std::string>& files, Options& options) {
  JudgeJob job{&task, name, nullptr, {}};
  for (const std::string& file : files) {
    auto text = read_file(file);
    if (!text) {
      fail(options, text.error());
      continue;
    }
    job.submissions.push_back({fs::path(file).filename().string(), name, 0,
                               static_cast<uint32_t>(job.submissions.size()), std::move(*text)});
  }
  return job;
}

JudgeJob job_of_generator(const bench::Task& task, std::shared_ptr<bench::Generator> generator,
                          uint32_t samples, uint64_t seed) {
  JudgeJob job{&task, generator->name(), nullptr, {}};
  job.make = [&task, generator, samples, seed]() -> Result<std::vector<bench::Submission>> {
    bench::Request r;
    r.task = &task;
    auto start = read_file(task.beside(task.spec.ptx));
    if (!start) return start.error();
    r.start = r.best = std::move(*start);
    r.candidates = samples;
    r.seed = hash_bytes(task.name + generator->name(), seed).low;
    auto made = generator->propose(r);
    if (!made) return made.error();
    std::vector<bench::Submission> out;
    for (bench::Proposal& p : *made)
      out.push_back({std::move(p.name), generator->name(), 0, static_cast<uint32_t>(out.size()),
                     std::move(p.text)});
    return out;
  };
  return job;
}

}  // namespace

Result<std::shared_ptr<bench::Generator>> builtin_generator(const std::string& name,
                                                            const bench::Clock& clock,
                                                            uint64_t budget,
                                                            const std::string& policy) {
  using Made = std::shared_ptr<bench::Generator>;
  if (name == "identity") return Made(bench::identity_generator());
  if (name == "each") return Made(bench::each_generator());
  if (name == "random") return Made(bench::random_generator());
  if (name == "faulty") return Made(bench::faulty_generator());
  if (name == "greedy" || name == "beam") {
    bench::SearchSettings how;
    how.method = name == "greedy" ? search::Method::kGreedy : search::Method::kBeam;
    how.budget = budget;
    return Made(bench::search_generator(clock, how));
  }
  if (name == "policy") {
    if (policy.empty()) return input_error("the policy generator needs --policy FILE");
    auto text = read_file(policy);
    if (!text) return text.error();
    auto read = search::read_policy(*text, policy);
    if (!read) return read.error();
    return Made(bench::policy_generator(std::move(*read), "policy"));
  }
  return input_error(
      fmt::format("no generator '{}'; there are identity, random, each, greedy, beam, "
                  "policy and faulty",
                  name));
}

void run_bench_eval(const EvalArguments& args, Options& options) {
  const auto tasks = read_tasks(args.tasks, args.only, options);
  if (args.candidates.empty() && args.builtin.empty())
    return fail(options, input_error("nothing to judge: give files or --builtin"));
  auto setup = JudgeSetup::make(args.judge, options);
  if (!setup) return fail(options, setup.error());
  std::vector<JudgeJob> jobs;
  auto files = files_of(args, options);
  for (const auto& entry : files) {
    const std::string& name = entry.first;
    const auto task =
        std::find_if(tasks.begin(), tasks.end(), [&](const auto& t) { return t->name == name; });
    if (task == tasks.end()) {
      if (args.only.empty()) fail(options, input_error(fmt::format("no task '{}'", name)));
      continue;
    }
    jobs.push_back(job_of_files(**task, args.name, entry.second, options));
  }
  for (const std::string& name : args.builtin) {
    auto generator = builtin_generator(name, setup->search_clock(), args.budget, args.policy);
    if (!generator) return fail(options, generator.error());
    for (const auto& task : tasks)
      jobs.push_back(job_of_generator(*task, *generator, args.samples, options.seed));
  }
  if (jobs.empty()) return;
  auto archive = ArchiveFile::make(args.archive);
  if (!archive) return fail(options, archive.error());
  run_jobs(jobs, *setup, archive->path(), options);
  auto run = read_run(archive->path(), setup->settings(), args.ks, options.seed);
  if (!run) return fail(options, run.error());
  const bool each = args.each || !args.candidates.empty();
  if (options.format == "json")
    print(report::bench_json(*run));
  else if (options.format == "csv")
    print(report::bench_csv(*run));
  else
    print(report::bench_text(*run, each, options.style(STDOUT_FILENO)));
  const bool all_right = std::all_of(run->judged.begin(), run->judged.end(),
                                     [](const bench::Judgement& j) { return j.right(); });
  if (!all_right && options.exit_code == kFine) options.exit_code = kFindings;
}

}  // namespace pitot::cli
