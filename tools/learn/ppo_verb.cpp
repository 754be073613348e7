#include "ppo_verb.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "kernel_files.h"
#include "knob_table.h"
#include "learn/event_file.h"
#include "learn/ppo_training.h"
#include "progress.h"
#include "report/ppo_report.h"
#include "support/file.h"
#include "support/hash.h"

namespace pitot::cli {
namespace {

struct PpoArguments {
  std::string table, output;
  unsigned checkpoint_every = 5;
  bool resume = false, no_nvml = false;
  std::vector<std::string> graphs;  // KERNEL=FILE
  learn::PpoOptions how;
};

double seconds_now() {
  using std::chrono::system_clock;
  return std::chrono::duration<double>(system_clock::now().time_since_epoch()).count();
}

// Tags as Stable-Baselines3 has them, where it has one.
Status add_events(learn::EventFile& events, const learn::PpoUpdate& u) {
  auto f = [](double v) { return static_cast<float>(v); };
  return events.add(u.time, static_cast<int64_t>(u.steps),
                    {{"rollout/ep_rew_mean", f(u.episode_reward)},
                     {"rollout/mean_step_reward", f(u.reward)},
                     {"eval/mean_step_reward", f(u.likeliest_reward)},
                     {"train/policy_gradient_loss", f(u.policy_loss)},
                     {"train/value_loss", f(u.value_loss)},
                     {"train/entropy_loss", f(-u.entropy)},
                     {"train/approx_kl", f(u.kl)},
                     {"train/clip_fraction", f(u.clipped)},
                     {"train/explained_variance", f(u.explained_variance)},
                     {"measured/configurations", f(static_cast<double>(u.measured))}});
}

// What is written into the folder, by name and content.
Status write_all(const std::string& folder, const learn::PpoTraining& training,
                 const learn::PpoResult& result) {
  for (const auto& [name, content] :
       {std::pair{"latest.checkpoint", training.checkpoint()},
        {"best.policy.json", knobs::trained_policy_json(training.best())},
        {"latest.policy.json", knobs::trained_policy_json(training.latest())},
        {"measured.csv", knobs::orders_csv(training.space(), training.measured())},
        {"updates.csv", report::ppo_updates_csv(result)},
        {"summary.json", report::ppo_json(result)}})
    if (Status s = write_file(folder + "/" + name, content); !s) return s;
  return Ok{};
}

Result<learn::PpoTraining> begun_ppo(const PpoArguments& args, knobs::Table table,
                                     const std::string& hash) {
  const std::string path = args.output + "/latest.checkpoint";
  std::error_code error;
  if (!args.resume || !std::filesystem::exists(path, error))
    return learn::PpoTraining::begin(std::move(table), hash, args.how);
  const auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  auto out = learn::PpoTraining::resume(std::move(table), hash, args.how, *bytes);
  if (!out) return input_error(path + ": " + out.error().message);
  return out;
}

// The graph of each kernel of the table, out of the files named for them.
Result<std::vector<knobs::ControlGraph>> graphs_of(const std::vector<std::string>& named,
                                                   const knobs::Table& table, Options& options) {
  std::vector<knobs::ControlGraph> out;
  for (const std::string& kernel : table.kernels()) {
    const auto at = std::find_if(named.begin(), named.end(), [&](const std::string& text) {
      return text.starts_with(kernel + "=");
    });
    if (at == named.end())
      return input_error(
          fmt::format("--graph {}=PTX is missing: every kernel of the sweep has one", kernel));
    const std::string path = at->substr(kernel.size() + 1);
    const auto module = read_sound_module(path, options);
    if (!module) return input_error(path + ": no PTX to make a graph of");
    const auto entry = find_kernel(*module, WantedKernel{});
    if (!entry) return entry.error();
    auto graph = knobs::control_graph(*module, module->functions[*entry]);
    if (!graph) return input_error(path + ": " + graph.error().message);
    out.push_back(std::move(*graph));
  }
  return out;
}

Status train_ppo(PpoArguments& args, knobs::Table table, Options& options) {
  const auto text = read_file(args.table);
  if (!text) return text.error();
  args.how.seed = options.seed;
  args.how.states = !args.no_nvml;
  args.how.tool = "pitot-learn " PITOT_VERSION;
  if (!args.graphs.empty()) {
    auto graphs = graphs_of(args.graphs, table, options);
    if (!graphs) return graphs.error();
    args.how.graphs = std::move(*graphs);
  }
  auto training = begun_ppo(args, std::move(table), hash_bytes(*text).hex());
  if (!training) return training.error();
  std::error_code error;
  std::filesystem::create_directories(args.output, error);
  if (error) return input_error(args.output + ": " + error.message());
  const auto before = training->updates();
  auto events = learn::EventFile::create(args.output + "/events.out.tfevents.pitot",
                                         before.empty() ? seconds_now() : before[0].time);
  if (!events) return events.error();
  Progress progress("ppo", training->total_updates());
  for (const learn::PpoUpdate& u : before) {
    if (Status s = add_events(*events, u); !s) return s;
    progress.step();
  }
  while (!training->done()) {
    if (Status s = training->update(seconds_now()); !s) return s;
    if (Status s = add_events(*events, training->updates().back()); !s) return s;
    if (training->improved())
      if (Status s = write_file(args.output + "/best.policy.json",
                                knobs::trained_policy_json(training->best()));
          !s)
        return s;
    if (training->updates().size() % args.checkpoint_every == 0)
      if (Status s = write_file(args.output + "/latest.checkpoint", training->checkpoint()); !s)
        return s;
    progress.step();
  }
  progress.finish();
  const auto result = training->result();
  if (!result) return result.error();
  if (Status s = write_all(args.output, *training, *result); !s) return s;
  print(options.format == "json" ? report::ppo_json(*result)
                                 : report::ppo_text(*result, options.style(STDOUT_FILENO)));
  return Ok{};
}

void run_ppo(PpoArguments& args, Options& options) {
  auto table = read_knob_table(args.table, options);
  if (!table) return;
  if (const Status s = train_ppo(args, std::move(*table), options); !s) fail(options, s.error());
}

}  // namespace

void add_ppo(CLI::App& app, Options& options) {
  auto args = std::make_shared<PpoArguments>();
  learn::PpoOptions& how = args->how;
  CLI::App* verb = app.add_subcommand("ppo", "PPO over compile knobs, on a recorded sweep");
  verb->add_option("SWEEP", args->table, "CSV of `knobs sweep` or `counters`")->required();
  verb->add_option("-o,--output", args->output, "folder of all that is written")->required();
  const auto whole = [&](const char* name, auto& value, const char* what, auto least) {
    verb->add_option(name, value, what)
        ->capture_default_str()
        ->check(CLI::Range(least, decltype(least)(1) << 30));
  };
  whole("--steps", how.steps, "of the environment", uint64_t{1});
  whole("--max-steps", how.max_steps, "of an episode", 1u);
  whole("--rollout", how.rollout, "steps between updates", 2u);
  whole("--minibatch", how.minibatch, "steps a gradient step", 2u);
  whole("--passes", how.passes, "over a rollout", 1u);
  whole("--checkpoint-every", args->checkpoint_every, "updates", 1u);
  verb->add_option("--rate", how.rate, "of Adam")
      ->capture_default_str()
      ->check(CLI::Range(1e-9, 1.0));
  verb->add_option("--entropy", how.loss.entropy, "weight of the entropy bonus")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 10.0));
  verb->add_option("--gamma", how.gamma, "discount")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  verb->add_flag("--sizes", how.sizes, "the observation tells the size of the matrix, too");
  verb->add_flag("--no-nvml", args->no_nvml, "the observation has no states of the GPU");
  verb->add_option("--only-sizes", how.only_sizes, "train only on matrices of these sizes")
      ->delimiter(',');
  verb->add_option("--graph", args->graphs,
                   "KERNEL=PTX of every kernel: the embedding of its control-flow graph, learned "
                   "along, joins the observation");
  verb->add_flag("--resume", args->resume, "go on from OUTPUT/latest.checkpoint, if it is there");
  add_format(*verb, options, {"text", "json"});
  add_examples(*verb,
               "  pitot learn ppo data/h200/knobs/phase1_result.csv -o ppo\n"
               "  pitot learn ppo gemm_large.csv --sizes --only-sizes 1024 --seed 2 -o ppo-2\n"
               "  pitot knobs orders gemm_large.csv --policy ppo-*/best.policy.json -o ppo.csv\n"
               "  pitot knobs compare gemm_large.csv --orders ppo=ppo.csv\n"
               "Exit codes: 0 done, 1 a default that does not run, 2 wrong usage or input.");
  verb->callback([args, &options] { run_ppo(*args, options); });
}

}  // namespace pitot::cli
