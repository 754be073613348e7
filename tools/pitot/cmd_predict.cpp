// pitot predict: how long kernels will take, without running them.
#include <unistd.h>

#include "candidates.h"
#include "chosen_model.h"
#include "cli.h"
#include "prediction_options.h"
#include "report/predict_report.h"

namespace pitot::cli {
namespace {

struct PredictArguments {
  std::string model;
  std::vector<std::string> paths;
  PredictionOptions how;
};

void run_predict(const PredictArguments& args, Options& options) {
  const auto chosen = choose_model(args.model);
  if (!chosen) return fail(options, chosen.error());
  const auto gpu = args.how.chip();
  if (!gpu) return fail(options, gpu.error());
  const auto candidates = read_candidates(args.paths, args.how.candidates, options);
  if (candidates.empty()) return;
  const auto rows = rows_of(candidates, *gpu, args.how.rows(options), options);
  auto answers = ask_model(*chosen, candidates, rows, *gpu, args.how.force);
  if (!answers) return fail(options, answers.error());
  for (const std::string& error : answers->errors) fail(options, input_error(error));
  const predict::PredictResult result{std::move(answers->source), std::move(answers->kernels),
                                      std::move(answers->errors)};
  if (options.format == "json") return print(report::predict_json(result));
  if (options.format == "csv") return print(report::predict_csv(result));
  print(report::predict_text(result, options.style(STDOUT_FILENO)));
}

}  // namespace

void add_predict(CLI::App& app, Options& options) {
  auto args = std::make_shared<PredictArguments>();
  CLI::App* verb = app.add_subcommand("predict", "how long kernels will take, with intervals");
  add_format(*verb, options, {"text", "json", "csv"});
  verb->add_option("MODEL", args->model,
                   "a model of `train`; default: the one that comes with the program; none: the "
                   "analytic score")
      ->required();
  verb->add_option("PATH", args->paths, "kernel specs, PTX files, or directories of them")
      ->required();
  args->how.add_to(*verb);
  verb->add_option("--size", args->how.candidates.sizes,
                   "sizes of specs, by number from 0; default all");
  add_examples(*verb,
               "  pitot predict default gemm.kernel.toml --gpu H200\n"
               "  pitot predict h200.json variants/ -f csv >predicted.csv\n"
               "  pitot predict none k.ptx --grid 4096 --block 256 --problem-size 1048576\n"
               "A model refuses kernels of another compiler or architecture than it learned from.\n"
               "Exit codes: 0 predicted, 1 errors in the PTX, 2 wrong usage, unreadable input or a "
               "model that\nwas not made for this.");
  verb->callback([args, &options] { run_predict(*args, options); });
}

}  // namespace pitot::cli
