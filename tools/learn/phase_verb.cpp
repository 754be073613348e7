#include "phase_verb.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "knobs/phase_evaluation.h"
#include "knobs/phase_windows.h"
#include "learn/phase_trainer.h"
#include "phase_files.h"
#include "progress.h"
#include "report/phase_report.h"
#include "support/file.h"
#include "support/hash.h"

namespace pitot::cli {
namespace {

using knobs::JudgedWindow;
using knobs::PhaseWindow;

struct PhaseLearnArguments {
  std::vector<std::string> windows, tests;  // tests: NAME=FILE
  std::string output;
  size_t synthetic = 0;
  unsigned folds = 5;
  learn::PhaseTrainingOptions how;
};

std::vector<const PhaseWindow*> pointers(const std::vector<PhaseWindow>& windows) {
  std::vector<const PhaseWindow*> out;
  for (const PhaseWindow& w : windows) out.push_back(&w);
  return out;
}

// A detector a fold, which learns from windows that no kernel of the fold had a part in and judges
// those that only its kernels ran in.
Status cross_validate(const std::vector<PhaseWindow>& windows, const PhaseLearnArguments& args,
                      Progress& progress, std::vector<JudgedWindow>& out) {
  const knobs::KernelFolds folds(windows, args.folds, args.how.seed);
  if (folds.kernels() < args.folds)
    return input_error(fmt::format("{} folds of {} kernels", args.folds, folds.kernels()));
  for (unsigned fold = 0; fold < args.folds; ++fold) {
    std::vector<const PhaseWindow*> learned;
    for (const PhaseWindow& w : windows)
      if (!folds.touches(w.kernels, fold)) learned.push_back(&w);
    learn::PhaseTrainingOptions how = args.how;
    how.seed += fold + 1;
    const auto trained = learn::train_phases(learned, how, "");
    if (!trained) return trained.error();
    for (const PhaseWindow& w : windows)
      if (folds.fold_of(w.kernels) == fold)
        out.push_back(judged(trained->detector, w, "held out", fold + 1));
    progress.step();
  }
  return Ok{};
}

Status train_phase(const PhaseLearnArguments& args, const std::vector<PhaseWindow>& windows,
                   const std::vector<std::pair<std::string, std::vector<PhaseWindow>>>& tests,
                   const std::string& source, Options& options) {
  std::vector<JudgedWindow> all;
  Progress progress("phase", args.folds + 1);
  if (args.folds > 0)
    if (Status s = cross_validate(windows, args, progress, all); !s) return s;
  const std::string origin =
      fmt::format("pitot-learn " PITOT_VERSION " on {} windows of {}, seed {}", windows.size(),
                  source, args.how.seed);
  const auto trained = learn::train_phases(pointers(windows), args.how, origin);
  if (!trained) return trained.error();
  progress.step();
  progress.finish();
  for (const auto& [name, test] : tests)
    for (const PhaseWindow& w : test) all.push_back(judged(trained->detector, w, name, 0));
  knobs::PhaseTrainingResult result;
  result.tool = "pitot-learn " PITOT_VERSION;
  result.seed = args.how.seed;
  result.epochs = args.how.epochs;
  result.weights = knobs::PhaseDetector::weights();
  result.windows = windows.size();
  result.loss = trained->loss;
  result.trained_accuracy = trained->accuracy;
  result.scores = knobs::score_phases(all, args.how.seed);
  std::error_code error;
  std::filesystem::create_directories(args.output, error);
  if (error) return input_error(args.output + ": " + error.message());
  for (const auto& [name, content] : {std::pair{"phase.detector", trained->detector.bytes()},
                                      {"phase5_eval.csv", knobs::phases_csv(all)},
                                      {"summary.json", report::phase_json(result)}})
    if (Status s = write_file(args.output + "/" + name, content); !s) return s;
  print(options.format == "json" ? report::phase_json(result)
                                 : report::phase_text(result, options.style(STDOUT_FILENO)));
  return Ok{};
}

void run_phase(PhaseLearnArguments& args, Options& options) {
  args.how.seed = options.seed;
  if (args.windows.empty() == (args.synthetic == 0))
    return fail(options, input_error("files of windows are wanted, or --synthetic N"));
  std::vector<PhaseWindow> windows;
  std::string source = fmt::format("published rules ({} drawn)", args.synthetic);
  if (args.synthetic > 0) windows = knobs::synthetic_phase_windows(args.synthetic, options.seed);
  for (const std::string& path : args.windows) {
    auto read = read_windows_file(path, true, options);
    if (!read) return;
    // Windows of several files may have the same names.
    if (args.windows.size() > 1)
      for (PhaseWindow& w : *read) w.name = path + ":" + w.name;
    windows.insert(windows.end(), read->begin(), read->end());
  }
  if (!args.windows.empty()) {
    source.clear();
    for (const std::string& path : args.windows) {
      const auto text = read_file(path);
      source += (source.empty() ? "" : ", ") + (text ? hash_bytes(*text).hex() : path);
    }
  }
  std::vector<std::pair<std::string, std::vector<PhaseWindow>>> tests;
  for (const std::string& text : args.tests) {
    const size_t is = text.find('=');
    if (is == 0 || is == std::string::npos || is + 1 == text.size())
      return fail(options, input_error(fmt::format("'{}': NAME=FILE is wanted", text)));
    auto read = read_windows_file(text.substr(is + 1), true, options);
    if (!read) return;
    tests.emplace_back(text.substr(0, is), std::move(*read));
  }
  if (const Status s = train_phase(args, windows, tests, source, options); !s)
    fail(options, s.error());
}

}  // namespace

void add_phase(CLI::App& app, Options& options) {
  auto args = std::make_shared<PhaseLearnArguments>();
  learn::PhaseTrainingOptions& how = args->how;
  CLI::App* verb = app.add_subcommand(
      "phase", "the phase detector: windows of counters to compute, memory, latency or mixed");
  verb->add_option("WINDOWS", args->windows,
                   "CSV, a row a step: window, kernels, label, and five counters in percent");
  verb->add_option("-o,--output", args->output, "folder of all that is written")->required();
  verb->add_option("--synthetic", args->synthetic,
                   "in place of files: so many windows drawn from the published rules")
      ->check(CLI::Range(size_t{8}, size_t{1000000}));
  verb->add_option("--folds", args->folds,
                   "each kernel is held out in one of these; 0: nothing is held out")
      ->capture_default_str()
      ->check(CLI::Range(0u, 1000u));
  verb->add_option("--test", args->tests, "NAME=CSV: judge these, too, after learning from all");
  verb->add_option("--epochs", how.epochs, "over all windows")
      ->capture_default_str()
      ->check(CLI::Range(1u, 100000u));
  verb->add_option("--batch", how.batch, "windows a gradient step")
      ->capture_default_str()
      ->check(CLI::Range(1u, 1000000u));
  verb->add_option("--rate", how.rate, "of Adam")
      ->capture_default_str()
      ->check(CLI::Range(1e-9, 1.0));
  add_format(*verb, options, {"text", "json"});
  add_examples(*verb,
               "  pitot learn phase --synthetic 2000 -o drawn\n"
               "  pitot learn phase data/h200/knobs/phase/phase_windows.csv -o phase\n"
               "  pitot knobs phase windows.csv --detector phase/phase.detector\n"
               "Exit codes: 0 done, 2 wrong usage or unreadable input.");
  verb->callback([args, &options] { run_phase(*args, options); });
}

}  // namespace pitot::cli
