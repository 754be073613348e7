#include "data_files.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "report/diagnostic_text.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kFeatures = ".features.csv";

// The rows files of a path, in order.
Result<std::vector<std::string>> rows_files(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector<std::string>{path};
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const std::string name = entry.path().string();
    // A table without features beside it is something else.
    if (name.ends_with(".csv") && !name.ends_with(kFeatures) && fs::exists(features_path(name)))
      out.push_back(name);
  }
  if (error) return input_error(path + ": " + error.message());
  if (out.empty()) return input_error(path + ": no FAMILY.csv with FAMILY.features.csv beside it");
  std::sort(out.begin(), out.end());
  return out;
}

void show(const SourceText& source, const Diagnostics& problems, Options& options) {
  const std::string text =
      report::format_diagnostics(source, problems, options.style(STDERR_FILENO));
  std::fwrite(text.data(), 1, text.size(), stderr);
  if (problems.errors() > 0) options.exit_code = kUsage;
}

}  // namespace

std::string features_path(const std::string& rows) {
  const size_t end = rows.ends_with(".csv") ? rows.size() - 4 : rows.size();
  return rows.substr(0, end) + std::string(kFeatures);
}

std::optional<predict::Dataset> read_data(const std::vector<std::string>& paths, Options& options) {
  predict::Dataset data;
  for (const std::string& path : paths) {
    const auto files = rows_files(path);
    if (!files) {
      fail(options, files.error());
      return std::nullopt;
    }
    for (const std::string& file : *files) {
      auto rows = read_file(file), features = read_file(features_path(file));
      for (const auto* text : {&rows, &features})
        if (!*text) {
          fail(options, text->error());
          return std::nullopt;
        }
      const SourceText rows_text(file, std::move(*rows));
      const SourceText features_text(features_path(file), std::move(*features));
      predict::DataProblems problems{Diagnostics(20), Diagnostics(20)};
      predict::add_source(rows_text, features_text, data, problems);
      show(rows_text, problems.rows, options);
      show(features_text, problems.features, options);
    }
  }
  if (options.exit_code != kFine) return std::nullopt;
  return data;
}

bool add_extra_columns(const std::string& text, predict::Dataset& data, Options& options) {
  const size_t is = text.find('=');
  if (is == 0 || is == std::string::npos || is + 1 == text.size()) {
    fail(options, input_error("'" + text + "': GROUP=FILE is wanted"));
    return false;
  }
  const std::string path = text.substr(is + 1);
  auto content = read_file(path);
  if (!content) {
    fail(options, content.error());
    return false;
  }
  const SourceText source(path, std::move(*content));
  Diagnostics problems(20);
  predict::add_extra(source, text.substr(0, is), data, problems);
  show(source, problems, options);
  return problems.errors() == 0;
}

}  // namespace pitot::cli
