// pitot rank: variants in the order of their predicted times, and which of them to measure.
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "candidates.h"
#include "chosen_model.h"
#include "cli.h"
#include "prediction_options.h"
#include "report/predict_report.h"

namespace pitot::cli {
namespace {

struct RankArguments {
  std::string model = "default";
  std::vector<std::string> paths;
  size_t top = 5;
  uint32_t size = 0;
  PredictionOptions how;
};

// Those that can run by score, then those that may not, then the rest.
bool goes_first(const predict::PredictedKernel& a, const predict::PredictedKernel& b) {
  const auto place = [](const predict::PredictedKernel& k) {
    return k.launchable == "no" ? 2 : std::isnan(k.score) ? 1 : 0;
  };
  return place(a) != place(b) ? place(a) < place(b) : a.score < b.score;
}

void run_rank(RankArguments& args, Options& options) {
  const auto chosen = choose_model(args.model);
  if (!chosen) return fail(options, chosen.error());
  if (chosen->model && chosen->model->target != "time")
    return fail(options, input_error(args.model + " predicts " + chosen->model->target +
                                     ", not time: nothing can be ranked by it"));
  const auto gpu = args.how.chip();
  if (!gpu) return fail(options, gpu.error());
  args.how.candidates.sizes = {args.size};
  const auto candidates = read_candidates(args.paths, args.how.candidates, options);
  if (candidates.empty()) return;
  const auto rows = rows_of(candidates, *gpu, args.how.rows(options), options);
  auto answers = ask_model(*chosen, candidates, rows, *gpu, args.how.force, args.top);
  if (!answers) return fail(options, answers.error());
  for (const std::string& error : answers->errors) fail(options, input_error(error));
  predict::RankResult result{std::move(answers->source),
                             args.top,
                             std::move(answers->kernels),
                             {},
                             std::move(answers->errors)};
  std::stable_sort(result.order.begin(), result.order.end(), goes_first);
  for (const auto& k : result.order)
    if (result.measure.size() < args.top && k.launchable != "no") result.measure.push_back(k.path);
  if (options.format == "json") return print(report::rank_json(result));
  if (options.format == "csv") return print(report::rank_csv(result));
  print(report::rank_text(result, options.style(STDOUT_FILENO)));
}

}  // namespace

void add_rank(CLI::App& app, Options& options) {
  auto args = std::make_shared<RankArguments>();
  CLI::App* verb = app.add_subcommand("rank", "variants by predicted time, and which to measure");
  add_format(*verb, options, {"text", "json", "csv"});
  verb->add_option("PATH", args->paths, "directory of variants; or specs and PTX files")
      ->required();
  verb->add_option("--top", args->top, "how many to measure")
      ->capture_default_str()
      ->check(CLI::Range(size_t{1}, size_t{1000000}));
  verb->add_option("--model", args->model, "a model of `train`, default, or none")
      ->capture_default_str();
  verb->add_option("--size", args->size, "size of the specs, by number from 0")
      ->capture_default_str();
  verb->add_option("--launches", args->how.candidates.launches,
                   "CSV of bare PTX: kernel (path in the directory), grid_x, grid_y, block_x, "
                   "block_y, size");
  args->how.add_to(*verb);
  add_examples(*verb,
               "  pitot rank variants/ --gpu H200 --top 5\n"
               "  pitot rank ptx/ --launches launches.csv --gpu H200 -f json\n"
               "  pitot rank variants/ --model none        by the analytic score alone\n"
               "  pitot measure --store new.db $(pitot rank variants/ -f json | jq -r .measure[])\n"
               "uncertain: the second stage doubts its order with the last of the top.\n"
               "Exit codes: 0 ranked, 1 errors in the PTX, 2 wrong usage, unreadable input or a "
               "model that\nwas not made for this.");
  verb->callback([args, &options] { run_rank(*args, options); });
}

}  // namespace pitot::cli
