// pitot-learn: the training verbs of `pitot learn`.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>

#include "cli.h"
#include "environment/split.h"
#include "environment/table_file.h"
#include "graph_verb.h"
#include "names_file.h"
#include "phase_verb.h"
#include "ppo_verb.h"
#include "progress.h"
#include "report/learn_report.h"
#include "support/file.h"
#include "training_folder.h"

namespace pitot::cli {
namespace {

struct LearnArguments {
  std::string table, split, output, kind = "published", from;
  unsigned folds = 0, checkpoint_every = 10;
  bool resume = false;
  learn::TrainingOptions how;
};

double now() {
  using std::chrono::system_clock;
  return std::chrono::duration<double>(system_clock::now().time_since_epoch()).count();
}

Result<learn::Training> begun(const LearnArguments& args, const learn::TrainingOptions& how,
                              const environment::RecordedTable& table, const search::Policy* start,
                              const std::string& folder) {
  const std::string path = TrainingFolder::latest_checkpoint(folder);
  std::error_code error;
  if (!args.resume || !std::filesystem::exists(path, error))
    return learn::Training::begin(table, how, start);
  const auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  auto out = learn::Training::resume(table, how, start, *bytes);
  if (!out) return input_error(path + ": " + out.error().message);
  return out;
}

// One training into one folder.
Result<learn::TrainingResult> train(const LearnArguments& args, const learn::TrainingOptions& how,
                                    const environment::RecordedTable& table,
                                    const search::Policy* start, const std::string& folder,
                                    Progress& progress) {
  auto training = begun(args, how, table, start, folder);
  if (!training) return training.error();
  auto files = TrainingFolder::open(folder, *training, now());
  if (!files) return files.error();
  for (size_t k = 0; k < training->epochs().size(); ++k) progress.step();
  while (!training->done()) {
    if (Status s = training->epoch(now()); !s) return s.error();
    const bool whole = training->epochs().size() % args.checkpoint_every == 0;
    if (Status s = files->add(*training, whole); !s) return s.error();
    progress.step();
  }
  if (Status s = files->finish(*training); !s) return s.error();
  return training->result();
}

Status run(LearnArguments& args, Options& options) {
  const auto bytes = read_file(args.table);
  if (!bytes) return bytes.error();
  const auto table = environment::read_table(*bytes, args.table);
  if (!table) return table.error();
  args.how.rules.kind =
      args.kind == "wide" ? search::PolicyKind::kWide : search::PolicyKind::kPublished;
  args.how.rules.max_steps = std::min(args.how.rules.max_steps, table->max_steps);
  args.how.seed = options.seed;
  args.how.tool = "pitot-learn " PITOT_VERSION;
  std::optional<search::Policy> start;
  if (!args.from.empty()) {
    const auto text = read_file(args.from);
    if (!text) return text.error();
    auto policy = search::read_policy(*text, args.from);
    if (!policy) return policy.error();
    start = std::move(*policy);
  }
  std::vector<std::vector<std::string>> held_out(1);
  if (!args.split.empty()) {
    auto names = read_names(args.split);
    if (!names) return names.error();
    held_out[0] = std::move(*names);
  }
  if (args.folds > 0) {
    if (!args.split.empty()) return input_error("--split and --folds exclude each other");
    auto folds = environment::folds_of(*table, args.folds, options.seed);
    if (!folds) return folds.error();
    held_out = std::move(*folds);
  }
  const size_t epochs = args.how.epochs + (start ? 0 : args.how.clone_epochs);
  Progress progress("learn", epochs * held_out.size());
  std::vector<learn::TrainingResult> results;
  for (size_t fold = 0; fold < held_out.size(); ++fold) {
    learn::TrainingOptions how = args.how;
    how.held_out = held_out[fold];
    const std::string folder =
        args.folds > 0 ? fmt::format("{}/fold-{}", args.output, fold + 1) : args.output;
    auto result = train(args, how, *table, start ? &*start : nullptr, folder, progress);
    if (!result) return result.error();
    results.push_back(std::move(*result));
  }
  progress.finish();
  if (options.format == "json") {
    print(args.folds > 0 ? report::folds_json(results) : report::training_json(results[0]));
    return Ok{};
  }
  for (const learn::TrainingResult& r : results)
    print(report::training_text(r, options.style(STDOUT_FILENO)));
  return Ok{};
}

void add_verb(CLI::App& app, Options& options, const std::string& name, const char* what) {
  auto args = std::make_shared<LearnArguments>();
  const bool clones = name != "grpo", improves = name != "clone";
  learn::TrainingOptions& how = args->how;
  if (!improves) how.epochs = 0;
  CLI::App* verb = app.add_subcommand(name, what);
  verb->add_option("--table", args->table, "recorded table (pitot learn table)")->required();
  verb->add_option("-o,--output", args->output, "folder of all that is written")->required();
  verb->add_option("--kind", args->kind, "published: 25 features and 20 actions; wide: all")
      ->capture_default_str()
      ->check(CLI::IsMember({"published", "wide"}));
  verb->add_option("--split", args->split, "file with the names of kernels that are held out");
  verb->add_option("--folds", args->folds, "a training a fold, each into OUTPUT/fold-N")
      ->check(CLI::Range(2u, 1000u));
  verb->add_option("--steps", how.rules.max_steps, "transforms in a sequence at most")
      ->capture_default_str()
      ->check(CLI::Range(1u, static_cast<unsigned>(transform::kActions)));
  verb->add_flag("--distinct-images", how.rules.distinct_images,
                 "close actions that lead to the same machine code, where the table knows it");
  if (clones)
    verb->add_option("--clone-epochs", how.clone_epochs, "of imitating the greedy search")
        ->capture_default_str()
        ->check(CLI::Range(1u, 1000000u));
  if (!clones)
    verb->add_option("--from", args->from, "policy to start from; the reference")->required();
  if (improves) {
    verb->add_option("--epochs", how.epochs, "of GRPO")
        ->capture_default_str()
        ->check(CLI::Range(1u, 1000000u));
    verb->add_option("--group", how.group, "episodes a kernel and epoch, the anchor among them")
        ->capture_default_str()
        ->check(CLI::Range(2u, 1000u));
    verb->add_option("--passes", how.passes, "gradient steps over an epoch's episodes")
        ->capture_default_str()
        ->check(CLI::Range(1u, 1000u));
    verb->add_option("--rate", how.rate, "of Adam in GRPO")->capture_default_str();
  }
  verb->add_option("--checkpoint-every", args->checkpoint_every, "epochs")
      ->capture_default_str()
      ->check(CLI::Range(1u, 1000000u));
  verb->add_flag("--resume", args->resume, "go on from OUTPUT/latest.checkpoint, if it is there");
  add_format(*verb, options, {"text", "json"});
  verb->callback([args, &options] {
    if (const Status s = run(*args, options); !s) fail(options, s.error());
  });
}

}  // namespace
}  // namespace pitot::cli

int main(int argc, char** argv) {
  using namespace pitot::cli;
  std::signal(SIGPIPE, SIG_DFL);
  Options options;
  CLI::App app{
      "Training of policies that choose transforms or knobs; as a rule run by `pitot learn`."};
  app.name("pitot learn");
  app.set_version_flag("--version", "pitot-learn " PITOT_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  // `pitot learn` passes on what it was given before the verb; what stands behind it counts.
  app.add_option("--seed", options.seed, "seed of everything random")->take_last();
  app.add_option("--color,--colour", options.colour, "auto, always or never")
      ->take_last()
      ->check(CLI::IsMember({"auto", "always", "never"}));
  add_verb(app, options, "train", "cloning of the greedy search, then GRPO");
  add_verb(app, options, "clone", "only the cloning of the greedy search");
  add_verb(app, options, "grpo", "only GRPO, from a policy that is there");
  add_ppo(app, options);
  add_phase(app, options);
  add_graph(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kFine : kUsage;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fputs("pitot: error: the results could not be written to standard output\n", stderr);
    return kUsage;
  }
  return options.exit_code;
}
