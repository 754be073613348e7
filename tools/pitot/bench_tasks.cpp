#include "bench_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "kernel_files.h"
#include "support/file.h"
#include "support/text.h"

namespace pitot::cli {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<const bench::Task> read_one(const std::string& folder, Options& options) {
  const std::string path = (fs::path(folder) / "task.toml").string();
  auto text = read_file(path);
  if (!text) {
    fail(options, text.error());
    return nullptr;
  }
  const SourceText source(path, std::move(*text));
  Diagnostics found;
  auto task = std::make_unique<bench::Task>(bench::read_task(source, found));
  complain(source, found, options);
  if (found.errors() != 0) {
    options.exit_code = kUsage;
    return nullptr;
  }
  const bench::BaselineFile baseline = bench::read_baseline(*task);
  if (baseline.source) complain(*baseline.source, baseline.diagnostics, options);
  if (baseline.diagnostics.errors() != 0) {
    options.exit_code = kUsage;
    return nullptr;
  }
  return task;
}

}  // namespace

std::vector<std::unique_ptr<const bench::Task>> read_tasks(const std::vector<std::string>& folders,
                                                           const std::vector<std::string>& names,
                                                           Options& options) {
  std::vector<std::string> found;
  for (const std::string& folder : folders) {
    auto list = bench::task_folders(folder);
    if (!list) {
      fail(options, list.error());
      continue;
    }
    found.insert(found.end(), list->begin(), list->end());
  }
  std::vector<std::string> known;
  for (const std::string& f : found) known.push_back(fs::path(f).lexically_normal().filename());
  for (const std::string& name : names) {
    const bool there = std::any_of(known.begin(), known.end(),
                                   [&](const std::string& k) { return glob_match(name, k); });
    if (there) continue;
    const std::vector<std::string_view> views(known.begin(), known.end());
    const std::string_view like = nearest(name, views);
    fail(options,
         input_error(fmt::format("no task '{}'{}", name,
                                 like.empty() ? "" : fmt::format("; did you mean '{}'?", like))));
  }
  std::vector<std::unique_ptr<const bench::Task>> out;
  for (size_t i = 0; i < found.size(); ++i) {
    const auto wanted = [&](const std::string& n) { return glob_match(n, known[i]); };
    if (!names.empty() && std::none_of(names.begin(), names.end(), wanted)) continue;
    if (auto task = read_one(found[i], options)) out.push_back(std::move(task));
  }
  return out;
}

}  // namespace pitot::cli
