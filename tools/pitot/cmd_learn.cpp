// pitot learn: tables and judgement of policies here; training in pitot-learn, which links
// libtorch.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "environment/evaluate.h"
#include "environment/table_file.h"
#include "kernel_files.h"
#include "knobs/trained_policy.h"
#include "learn_table.h"
#include "names_file.h"
#include "report/learn_report.h"
#include "support/csv.h"
#include "support/file.h"
#include "trainer_path.h"

namespace pitot::cli {
namespace {

struct EvalArguments {
  std::string table, split, output;
  std::vector<std::string> policies, recipe;
  std::string kind;
  environment::EvaluateOptions how;
};

Result<environment::EvaluationResult> evaluated(EvalArguments& args, const Options& options) {
  const auto bytes = read_file(args.table);
  if (!bytes) return bytes.error();
  const auto table = environment::read_table(*bytes, args.table);
  if (!table) return table.error();
  environment::EvaluateOptions& how = args.how;
  std::vector<search::Policy> policies;
  for (const std::string& path : args.policies) {
    const auto text = read_file(path);
    if (!text) return text.error();
    auto policy = search::read_policy(*text, path);
    if (!policy) return policy.error();
    policies.push_back(std::move(*policy));
  }
  how.rules.kind = policies.empty() ? table->kind : policies[0].kind();
  if (!args.kind.empty())
    how.rules.kind =
        args.kind == "wide" ? search::PolicyKind::kWide : search::PolicyKind::kPublished;
  if (!policies.empty()) how.rules.distinct_images = policies[0].origin.distinct_images;
  how.rules.max_steps = std::min(how.rules.max_steps, table->max_steps);
  how.seed = options.seed;
  if (!args.split.empty()) {
    auto names = read_names(args.split);
    if (!names) return names.error();
    how.held_out = std::move(*names);
  }
  if (!args.recipe.empty()) how.recipe.clear();
  for (const std::string& name : args.recipe) {
    const transform::ActionInfo* a = transform::find_action(name);
    if (a == nullptr) return input_error("no transform '" + name + "' (pitot transform --list)");
    how.recipe.push_back(a->action);
  }
  auto r = environment::evaluate(*table, policies, how);
  if (!r) return r;
  r->table = args.table;
  r->policies = args.policies;
  return r;
}

void run_eval(EvalArguments& args, Options& options) {
  const auto r = evaluated(args, options);
  if (!r) return fail(options, r.error());
  const std::string text = options.format == "json" ? report::evaluation_json(*r)
                           : options.format == "csv"
                               ? report::evaluation_csv(*r)
                               : report::evaluation_text(*r, options.style(STDOUT_FILENO));
  if (args.output.empty()) return print(text);
  if (Status s = write_file(args.output, text); !s) fail(options, s.error());
}

struct EmbedArguments {
  std::vector<std::string> paths;
  std::string policy, output;
};

void run_embed(const EmbedArguments& args, Options& options) {
  const auto text = read_file(args.policy);
  if (!text) return fail(options, text.error());
  const auto policy = knobs::read_trained_policy(*text, args.policy);
  if (!policy) return fail(options, policy.error());
  if (policy->encoder.empty())
    return fail(options, input_error(args.policy + ": it was trained without --graph"));
  std::string csv = "file,kernel,blocks,edges";
  for (size_t k = 0; k < knobs::kEmbedding; ++k) csv += fmt::format(",e{}", k);
  csv += "\n";
  for (const std::string& path : args.paths) {
    const auto module = read_sound_module(path, options);
    if (!module) return;
    for (const ptx::Function& f : module->functions) {
      if (!f.is_entry || !f.has_body) continue;
      const auto graph = knobs::control_graph(*module, f);
      if (!graph) return fail(options, input_error(path + ": " + graph.error().message));
      csv +=
          fmt::format("{},{},{},{},{}\n", csv_field(path), csv_field(f.name), graph->blocks.size(),
                      graph->edges.size(), fmt::join(policy->encoder.encode(*graph), ","));
    }
  }
  if (args.output.empty()) return print(csv);
  if (Status s = write_file(args.output, csv); !s) fail(options, s.error());
}

// Goes on as pitot-learn with these arguments; comes back only where that is not there.
void run_trainer(const std::string& verb, const std::vector<std::string>& rest, Options& options) {
  const std::string program = trainer_path();
  std::vector<std::string> words{program,   verb,          "--seed", std::to_string(options.seed),
                                 "--color", options.colour};
  words.insert(words.end(), rest.begin(), rest.end());
  std::vector<char*> raw;
  for (std::string& w : words) raw.push_back(w.data());
  raw.push_back(nullptr);
  ::execv(program.c_str(), raw.data());
  fail(options,
       missing_error(fmt::format("learn {} needs {} ({}): it is built where libtorch is installed "
                                 "(Debian, Ubuntu: libtorch-dev)",
                                 verb, program, std::strerror(errno))));
}

void add_table(CLI::App& learn, Options& options) {
  auto args = std::make_shared<TableArguments>();
  CLI::App* verb =
      learn.add_subcommand("table", "a recorded table from specs and logs of their searches");
  verb->add_option(
          "SPEC", args->specs,
          "kernel specs, directories of them, or lists of launches, as optimize takes them")
      ->required();
  verb->add_option("--log", args->logs, "logs of `optimize --log`, or directories of *.jsonl")
      ->required();
  verb->add_option("-o,--output", args->output, "the table")->required();
  verb->add_option("--actions", args->actions, "published: the 20 published ones; wide: all")
      ->capture_default_str()
      ->check(CLI::IsMember({"published", "wide"}));
  verb->add_option("--steps", args->max_steps, "transforms in a sequence at most")
      ->capture_default_str()
      ->check(CLI::Range(1u, static_cast<unsigned>(transform::kActions)));
  verb->add_flag("--round-otherwise", args->round_otherwise,
                 "the logs' searches had consent to other rounding");
  add_format(*verb, options, {"text", "json"});
  verb->callback([args, &options] { run_table(*args, options); });
}

void add_eval(CLI::App& learn, Options& options) {
  auto args = std::make_shared<EvalArguments>();
  CLI::App* verb = learn.add_subcommand("eval", "policies beside searches with the same budgets");
  verb->add_option("--table", args->table, "recorded table")->required();
  verb->add_option("--policy", args->policies,
                   "policies; a kernel is judged by the first that did not learn from it");
  verb->add_option("--split", args->split,
                   "file with the names of kernels that no policy may have learned from");
  verb->add_option("--kind", args->kind, "whose actions; default the policies', else the table's")
      ->check(CLI::IsMember({"published", "wide"}));
  verb->add_option("--steps", args->how.rules.max_steps, "transforms in a sequence at most")
      ->capture_default_str()
      ->check(CLI::Range(1u, static_cast<unsigned>(transform::kActions)));
  verb->add_option("--budgets", args->how.budgets,
                   "programs that each search may measure, the original among them")
      ->delimiter(',')
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 30));
  verb->add_option("--policy-budget", args->how.policy_budget, "the same of the policy")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 30));
  verb->add_option("--width", args->how.width, "of the beam")
      ->capture_default_str()
      ->check(CLI::Range(1u, 1000000u));
  verb->add_option("--random-runs", args->how.random_runs, "random searches that are averaged")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{100000}));
  verb->add_option("--recipe", args->recipe,
                   "the fixed sequence; default vec_ld,vec_st,maxnreg_128")
      ->delimiter(',');
  verb->add_option("-o,--output", args->output, "in place of standard output");
  add_format(*verb, options, {"text", "json", "csv"});
  verb->callback([args, &options] { run_eval(*args, options); });
}

void add_embed(CLI::App& learn, Options& options) {
  auto args = std::make_shared<EmbedArguments>();
  CLI::App* verb = learn.add_subcommand(
      "embed",
      "the embeddings of kernels' control-flow graphs by an encoder of `learn ppo --graph`");
  verb->add_option("PTX", args->paths, "PTX files; every kernel of them")->required();
  verb->add_option("--policy", args->policy, "policy file with an encoder")->required();
  verb->add_option("-o,--output", args->output, "CSV, in place of standard output");
  verb->callback([args, &options] { run_embed(*args, options); });
}

void add_trainer(CLI::App& learn, Options& options, const char* name, const char* what) {
  CLI::App* verb = learn.add_subcommand(name, what);
  // Every word goes on as it is, global options among them.
  verb->fallthrough(false);
  verb->prefix_command();
  verb->set_help_flag();
  verb->callback([verb, name = std::string(name), &options] {
    run_trainer(name, verb->remaining(), options);
  });
}

}  // namespace

void add_learn(CLI::App& app, Options& options) {
  CLI::App* verb = app.add_subcommand(
      "learn", "policies that choose transforms or knobs: recorded tables, training, judgement");
  verb->require_subcommand(1);
  add_table(*verb, options);
  add_trainer(*verb, options, "train",
              "cloning and GRPO (pitot-learn; its --help has the options)");
  add_trainer(*verb, options, "clone", "only the cloning of the greedy search (pitot-learn)");
  add_trainer(*verb, options, "grpo", "only GRPO, from a policy that is there (pitot-learn)");
  add_trainer(*verb, options, "ppo", "PPO over compile knobs, on a recorded sweep (pitot-learn)");
  add_trainer(*verb, options, "phase",
              "the phase detector, on windows of hardware counters (pitot-learn)");
  add_trainer(*verb, options, "graph",
              "the graph encoder on measured variants: columns for train --extra (pitot-learn)");
  add_eval(*verb, options);
  add_embed(*verb, options);
  add_examples(
      *verb,
      "  pitot learn table gemm/ --log logs/ -o gemm.table\n"
      "  pitot learn train --table gemm.table --split data/splits/gemm_tile_half.txt -o half\n"
      "  pitot learn eval --table gemm.table --policy half/best.policy.json\n"
      "  pitot learn train --table gemm.table --folds 8 -o folds\n"
      "  pitot learn eval --table gemm.table --policy folds/fold-*/best.policy.json\n"
      "  pitot learn ppo data/h200/knobs/phase1_result.csv -o ppo\n"
      "  pitot learn phase data/h200/knobs/phase/phase_windows.csv -o phase\n"
      "docs/learn.md says what is learned and how it is judged.\n"
      "Exit codes: 0 done, 2 wrong usage or unreadable input, 3 pitot-learn is not here.");
}

}  // namespace pitot::cli
