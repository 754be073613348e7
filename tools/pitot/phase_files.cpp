#include "phase_files.h"

#include <fmt/format.h>

#include "kernel_files.h"
#include "knobs/phase_windows.h"
#include "support/file.h"

namespace pitot::cli {

std::optional<std::vector<knobs::PhaseWindow>> read_windows_file(const std::string& path,
                                                                 bool labelled, Options& options) {
  auto text = read_file(path);
  if (!text) {
    fail(options, text.error());
    return std::nullopt;
  }
  Diagnostics found;
  const SourceText source(path, std::move(*text));
  auto windows = knobs::read_phase_windows(source, found);
  if (found.errors() > 0) {
    complain(source, found, options);
    options.exit_code = kUsage;
    return std::nullopt;
  }
  for (const knobs::PhaseWindow& w : windows)
    if (labelled && !w.label) {
      fail(options, input_error(fmt::format("{}: window '{}' has no label", path, w.name)));
      return std::nullopt;
    }
  return windows;
}

knobs::JudgedWindow judged(const knobs::PhaseDetector& detector, const knobs::PhaseWindow& window,
                           const std::string& set, unsigned fold) {
  knobs::JudgedWindow out;
  out.set = set;
  out.fold = fold;
  out.name = window.name;
  out.kernels = window.kernels;
  out.label = window.label.value_or(knobs::Phase::kMixed);
  out.by_rule = knobs::published_rule(window);
  out.verdict = detector.judge(window);
  return out;
}

}  // namespace pitot::cli
