// pitot train: a model from measured variants, with the figures it earned on rows it had not seen.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "append_store.h"
#include "cli.h"
#include "data_files.h"
#include "names_file.h"
#include "predict/model_file.h"
#include "predict/train.h"
#include "report/train_report.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

struct TrainArguments {
  std::vector<std::string> data, against, splits{"folds", "families"}, without;
  std::string output, recipe = "pitot", apart, objective, store, extra;
  predict::TrainOptions how;
  double least_percent = 1;
  bool no_untrained = false;
};

// The recipe named, with what the command line changes of it.
Result<predict::Recipe> chosen_recipe(const TrainArguments& args) {
  auto recipe = predict::find_recipe(args.recipe);
  if (!recipe) return recipe;
  for (const std::string& name : args.without) {
    bool found = false;
    for (size_t g = 0; g < predict::kFeatureGroups; ++g)
      if (predict::name_of(static_cast<predict::FeatureGroup>(g)) == name) {
        recipe->groups[g] = false;
        found = true;
      }
    if (!found) return input_error("no feature group '" + name + "'");
  }
  if (!args.objective.empty()) {
    if (recipe->order_share == 0)
      return input_error("recipe " + recipe->name + " has no stage that orders");
    recipe->order.objective = args.objective;
  }
  return recipe;
}

void run_train(TrainArguments& args, Options& options) {
  const auto recipe = chosen_recipe(args);
  if (!recipe) return fail(options, recipe.error());
  // Before any work: without the library nothing comes of it.
  const auto api = predict::load_xgboost();
  if (!api) return fail(options, api.error());
  if (!args.store.empty())
    if (const Status s = append_store(args.store, args.data, options); !s)
      return fail(options, s.error());
  auto data = read_data(args.data, options);
  if (!data) return;
  if (!args.extra.empty() && !add_extra_columns(args.extra, *data, options)) return;
  predict::TrainOptions& how = args.how;
  if (!args.apart.empty()) {
    const auto names = read_names(args.apart);
    if (!names) return fail(options, names.error());
    how.held_out = *names;
  } else if (how.final_test) {
    return fail(options, input_error("--final wants --hold-out: which families it is of"));
  }
  const auto wants = [&](const char* split) {
    return std::find(args.splits.begin(), args.splits.end(), split) != args.splits.end();
  };
  how.by_family = wants("families");
  how.by_target = wants("targets");
  if (wants("few-shot") && how.shots.empty()) how.shots = {0, 5, 10, 20, 50};
  if (!wants("few-shot")) how.shots.clear();
  how.against = args.against;
  how.untrained = !args.no_untrained;
  how.least_difference = args.least_percent / 100;
  how.seed = options.seed;
  how.workers = options.jobs;
  how.tool = "pitot " PITOT_VERSION;
  auto trained = predict::train_model(**api, *data, *recipe, how);
  if (!trained) return fail(options, trained.error());
  if (!args.output.empty()) {
    if (const Status s = write_file(args.output, predict::model_json(trained->model)); !s)
      return fail(options, s.error());
    trained->result.model = args.output;
  }
  print(options.format == "json"
            ? report::train_json(trained->result)
            : report::train_text(trained->result, options.style(STDOUT_FILENO)));
}

}  // namespace

void add_train(CLI::App& app, Options& options) {
  auto args = std::make_shared<TrainArguments>();
  CLI::App* verb =
      app.add_subcommand("train", "a model that ranks kernels, from measured variants");
  add_format(*verb, options, {"text", "json"});
  verb->add_option("DATA", args->data,
                   "FAMILY.csv with FAMILY.features.csv beside it, or a directory of them")
      ->required();
  verb->add_option("-o,--output", args->output, "write the model to this file");
  verb->add_option("--recipe", args->recipe, "pitot, or classic: the published nine columns")
      ->capture_default_str();
  verb->add_option("--against", args->against, "figures of these recipes too, on the same splits")
      ->delimiter(',');
  verb->add_option("--split", args->splits,
                   "how to judge: folds, families, few-shot, targets; default folds,families")
      ->delimiter(',')
      ->check(CLI::IsMember({"folds", "families", "few-shot", "targets"}));
  verb->add_option("--folds", args->how.folds, "of the split within families")
      ->capture_default_str()
      ->check(CLI::Range(2u, 100u));
  verb->add_option("--shots", args->how.shots, "measured variants of few-shot splits")
      ->delimiter(',');
  verb->add_option("--hold-out", args->apart,
                   "file with the names of families that are not learned from");
  verb->add_flag("--final", args->how.final_test,
                 "judge the finished model on the families held out: once, after all is chosen");
  verb->add_option("--target", args->how.target,
                   "what to predict: time, or another column of the data")
      ->capture_default_str();
  verb->add_option("--coverage", args->how.coverage, "of the intervals")
      ->capture_default_str()
      ->check(CLI::Range(0.5, 0.999));
  verb->add_option("--least-difference", args->least_percent,
                   "percent by which two variants must differ, besides their intervals, to count")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 100.0));
  verb->add_option("--without", args->without,
                   "feature groups to leave out: static, launch, gpu, ptxas, emulated")
      ->delimiter(',');
  verb->add_option("--extra", args->extra,
                   "GROUP=CSV: further columns with a part for each split (pitot learn graph)");
  verb->add_option("--order-objective", args->objective,
                   "of the stage that orders: reg:squarederror or rank:pairwise");
  verb->add_flag("--no-untrained", args->no_untrained, "no figures of the untrained scores");
  verb->add_option("--append", args->store,
                   "first add what this store has measured to the data, features included");
  add_examples(
      *verb,
      "  pitot train data/h200/variants -o h200.json\n"
      "  pitot train data/h200/variants --against classic --split folds,families,few-shot\n"
      "  pitot train data/h200/variants --hold-out data/splits/test_families.txt -o h200.json\n"
      "  pitot train my_data --append measured.db -o mine.json      learn from new measurements\n"
      "Figures are of rows that the trees had not seen; intervals are over families.\n"
      "Exit codes: 0 trained, 2 wrong usage or unreadable data, 3 no XGBoost library.");
  verb->callback([args, &options] { run_train(*args, options); });
}

}  // namespace pitot::cli
