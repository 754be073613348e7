#include "learn_table.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "environment/record_kernel.h"
#include "environment/table_file.h"
#include "optimize_kernel.h"
#include "progress.h"
#include "report/learn_report.h"
#include "support/file.h"
#include "support/parallel.h"

namespace pitot::cli {
namespace {

struct NamedKernel {
  OptimizeKernel kernel;
  Hash128 hash;
  std::optional<search::History> log;
  const std::string& name() const { return kernel.source.name; }
};
struct NamedLog {
  std::string path, text;
  search::LogHead head;
};

std::vector<NamedKernel> read_kernels(const TableArguments& args, Options& options) {
  std::vector<NamedKernel> out;
  for (const LaunchSource& source : read_launch_sources(args.specs, {}, options))
    if (auto kernel = read_optimize_kernel(source, args.round_otherwise, options)) {
      const Hash128 hash = search::program_hash(kernel->kernel);
      out.push_back({std::move(*kernel), hash, {}});
    }
  return out;
}

std::vector<NamedLog> read_logs(const TableArguments& args, Options& options) {
  std::vector<NamedLog> out;
  for (const std::string& path : args.logs) {
    const auto files = list_files(path, {".jsonl"});
    if (!files) {
      fail(options, files.error());
      continue;
    }
    if (files->empty()) fail(options, input_error(path + ": no .jsonl file below this directory"));
    for (const std::string& file : *files) {
      auto text = read_file(file);
      auto head = text ? search::read_log_head(*text) : Result<search::LogHead>(text.error());
      if (!head) {
        fail(options, text ? input_error(file + ": " + head.error().message) : head.error());
        continue;
      }
      out.push_back({file, std::move(*text), std::move(*head)});
    }
  }
  return out;
}

// Each log goes to the kernel that it is of; of several launches of one text to the one of its
// name.
void match(std::vector<NamedKernel>& kernels, const std::vector<NamedLog>& logs, Options& options) {
  for (const NamedLog& log : logs) {
    std::vector<NamedKernel*> of;
    for (NamedKernel& k : kernels)
      if (k.hash == log.head.original) of.push_back(&k);
    if (of.size() > 1)
      std::erase_if(of, [&](const NamedKernel* k) {
        return k->name() != std::filesystem::path(log.path).stem().string();
      });
    if (of.size() != 1) {
      fail(options,
           input_error(log.path +
                       ": the log is of none of these kernels, or of one as it was before"));
    } else if (of[0]->log) {
      fail(options, input_error(log.path + ": a second log of " + of[0]->name()));
    } else if (auto history = search::read_log(log.text, log.head)) {
      of[0]->log = std::move(*history);
    } else {
      fail(options, input_error(log.path + ": " + history.error().message));
    }
  }
}

std::vector<std::string> parts_of(const std::string& cost) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin <= cost.size();) {
    const size_t end = std::min(cost.find(", ", begin), cost.size());
    out.push_back(cost.substr(begin, end - begin));
    begin = end + 2;
  }
  return out;
}

// What the logs' costs have in common: "emu H200, seed 1". Errors: they begin otherwise.
Result<std::string> common_cost(const std::vector<NamedLog>& logs) {
  std::vector<std::string> common = parts_of(logs[0].head.cost);
  for (const NamedLog& log : logs) {
    const std::vector<std::string> parts = parts_of(log.head.cost);
    if (parts[0] != common[0])
      return input_error(fmt::format("{} has values of '{}', and {} of '{}'", logs[0].path,
                                     common[0], log.path, parts[0]));
    std::erase_if(common, [&](const std::string& p) {
      return std::find(parts.begin(), parts.end(), p) == parts.end();
    });
  }
  return fmt::format("{}", fmt::join(common, ", "));
}

environment::TableKernel summary_of(const environment::RecordedKernel& k) {
  environment::TableKernel out;
  out.name = k.name;
  out.programs = k.programs.size();
  out.levels = k.levels;
  out.unmeasured = k.unmeasured;
  out.original = out.best = k.original().level;
  std::set<uint32_t> images;
  for (const environment::RecordedProgram& p : k.programs) {
    out.failed += !p.value.ok();
    if (p.image != environment::kNowhere) images.insert(p.image);
    if (p.value.ok()) out.best = std::min(out.best, p.level);
  }
  out.images = images.size();
  return out;
}

}  // namespace

void run_table(const TableArguments& args, Options& options) {
  std::vector<NamedKernel> kernels = read_kernels(args, options);
  const std::vector<NamedLog> logs = read_logs(args, options);
  if (options.exit_code == kFine) match(kernels, logs, options);
  if (options.exit_code != kFine) return;
  // Specs without a log are what has not been measured yet.
  std::erase_if(kernels, [](const NamedKernel& k) { return !k.log; });
  if (kernels.empty()) return fail(options, input_error("no kernel has a log"));
  const auto cost = common_cost(logs);
  if (!cost) return fail(options, cost.error());

  const auto kind =
      args.actions == "wide" ? search::PolicyKind::kWide : search::PolicyKind::kPublished;
  environment::RecordedTable table;
  table.tool = "pitot " PITOT_VERSION;
  table.cost = *cost;
  table.max_steps = args.max_steps;
  table.kind = kind;
  table.kernels.resize(kernels.size());
  std::vector<std::optional<Error>> errors(kernels.size());
  Progress progress("table", kernels.size());
  parallel_for(kernels.size(), options.jobs, [&](size_t i) {
    auto made = environment::record_kernel(kernels[i].name(), kernels[i].kernel.kernel,
                                           *kernels[i].log, kind, args.max_steps);
    if (made) {
      table.kernels[i] = std::move(*made);
    } else {
      errors[i] = made.error();
    }
    progress.step();
  });
  progress.finish();
  for (const auto& e : errors)
    if (e) fail(options, *e);
  if (options.exit_code != kFine) return;
  if (Status s = write_file(args.output, table_bytes(table)); !s) return fail(options, s.error());

  environment::TableResult r;
  r.path = args.output;
  r.cost = table.cost;
  r.hash = table.hash.hex();
  r.kind = args.actions;
  r.max_steps = table.max_steps;
  for (const environment::RecordedKernel& k : table.kernels) r.kernels.push_back(summary_of(k));
  print(options.format == "json" ? report::table_json(r)
                                 : report::table_text(r, options.style(STDOUT_FILENO)));
}

}  // namespace pitot::cli
