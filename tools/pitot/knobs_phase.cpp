#include "knobs_phase.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "knobs/phase_evaluation.h"
#include "phase_files.h"
#include "report/phase_report.h"
#include "support/csv.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

// Of windows that nobody labelled: the verdicts alone.
std::string verdicts_csv(const std::vector<knobs::JudgedWindow>& windows) {
  std::string out = "window,kernels,phase";
  for (const char* name : knobs::kPhaseNames) out += fmt::format(",p_{}", name);
  out += ",uncertainty\n";
  for (const knobs::JudgedWindow& w : windows) {
    out += fmt::format("{},{},{}", csv_field(w.name), csv_field(w.kernels),
                       knobs::kPhaseNames[static_cast<size_t>(w.verdict.likeliest())]);
    for (const float p : w.verdict.probability) out += fmt::format(",{:.4f}", p);
    out += fmt::format(",{:.4f}\n", w.verdict.uncertainty);
  }
  return out;
}

}  // namespace

void run_phase(const PhaseArguments& args, Options& options) {
  const auto bytes = read_file(args.detector);
  if (!bytes) return fail(options, bytes.error());
  const auto detector = knobs::PhaseDetector::read(*bytes, args.detector);
  if (!detector) return fail(options, detector.error());
  const auto windows = read_windows_file(args.windows, false, options);
  if (!windows) return;
  std::vector<knobs::JudgedWindow> all;
  for (const knobs::PhaseWindow& w : *windows) all.push_back(judged(*detector, w, args.windows, 0));
  const bool labelled = std::all_of(windows->begin(), windows->end(),
                                    [](const knobs::PhaseWindow& w) { return w.label; });
  const std::string csv = labelled ? knobs::phases_csv(all) : verdicts_csv(all);
  if (args.output.empty()) return print(csv);
  if (Status s = write_file(args.output, csv); !s) return fail(options, s.error());
  if (labelled)
    print(report::phase_scores_text(knobs::score_phases(all, options.seed),
                                    options.style(STDOUT_FILENO)));
}

}  // namespace pitot::cli
