// pitot knobs: compile knobs of a kernel, swept and compared.
#include "knobs_compare.h"
#include "knobs_families.h"
#include "knobs_orders.h"
#include "knobs_phase.h"
#include "knobs_rank.h"
#include "knobs_rollout.h"
#include "knobs_sweep.h"

namespace pitot::cli {
namespace {

void add_sweep(CLI::App& knobs, const std::string& name, const std::string& what, bool counters,
               Options& options) {
  auto args = std::make_shared<SweepArguments>();
  args->counters = counters;
  CLI::App* verb = knobs.add_subcommand(name, what);
  verb->add_option("TEMPLATE", args->templates,
                   "NAME.variants.toml with BLOCK and CAP among its parameters, or the folder that "
                   "`variants` made of it")
      ->required();
  args->output = counters ? "phase1_result.csv" : "phase0_baseline.csv";
  verb->add_option("-o,--output", args->output,
                   "the CSV; provenance lies beside it; - for standard output")
      ->capture_default_str();
  args->directory = "knobs";
  verb->add_option("--work", args->directory, "where the compiled configurations are kept")
      ->capture_default_str();
  verb->add_option("--sizes", args->sizes, "only these matrix sizes")->delimiter(',');
  verb->add_option("--gpu", args->gpu, "the GPU that --device emu models; default H200");
  verb->add_option("--features", args->features,
                   "CSV of what the ranker sees of each configuration, of --device emu: for "
                   "`knobs rank`");
  verb->add_option("--store", args->store,
                   "keep timings in this file (SQLite); what it has is not measured again");
  verb->add_option("--warmup", args->warmup, "seconds before sampling at least")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 60.0));
  verb->add_option("--warmup-limit", args->warmup_limit,
                   "seconds after which times need not have settled")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 60.0));
  if (counters)
    verb->add_option("--counter-seconds", args->counter_seconds,
                     "time limit of Nsight Compute for a configuration at a size")
        ->capture_default_str()
        ->check(CLI::Range(1.0, 3600.0));
  verb->add_option("--device", args->timing.device, "cuda, cuda:1, or emu: modelled times")
      ->capture_default_str();
  verb->add_option("--seconds", args->timing.seconds, "sampling of a configuration at most")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 3600.0));
  verb->add_option("--ci", args->timing.half_width,
                   "sample until the half width of the median's 95 % interval is this many percent")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 50.0));
  verb->add_option("--batch", args->timing.batch_ms, "milliseconds that a sample should take")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 1000.0));
  verb->add_option("--time-limit", args->timing.time_limit,
                   "seconds for a configuration, with compiling")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 86400.0));
  add_examples(
      *verb,
      counters
          ? "  pitot knobs counters kernels/knobs/*/*.small.variants.toml --store h200.db\n"
            "  pitot knobs counters kernels/knobs/*/*.small.variants.toml --device emu --gpu "
            "H200\n"
            "Times as by `knobs sweep` (a store that has them is not measured again), and four "
            "counters:\nby Nsight Compute on a GPU, modelled on emu. A configuration whose "
            "counters cannot be had keeps its\nplace, with the reason.\n"
            "Exit codes: 0 done, 2 wrong usage or input, 3 no GPU or nvcc."
          : "  pitot knobs sweep kernels/knobs/*/*.small.variants.toml --store h200.db\n"
            "  pitot knobs sweep kernels/knobs/gemm/gemm.large.variants.toml --sizes 2048,4096 "
            "-o gemm.csv\n"
            "  pitot knobs sweep kernels/knobs/*/*.small.variants.toml --device emu --gpu H200 "
            "-o emu.csv\n"
            "Every configuration at every size: docs/knobs.md has the columns. With --store an "
            "interrupted sweep\ngoes on where it was.\n"
            "Exit codes: 0 done, 2 wrong usage or input, 3 no GPU or nvcc.");
  verb->callback([args, &options] { run_sweep(*args, options); });
}

void add_comparison(CLI::App& knobs, Options& options) {
  auto args = std::make_shared<KnobsCompareArguments>();
  CLI::App* verb = knobs.add_subcommand(
      "compare", "default, random, greedy, exhaustive search and others on one sweep (phase 7)");
  verb->add_option("SWEEP", args->table, "CSV of `knobs sweep` or `counters`: the measurements")
      ->required();
  add_format(*verb, options, {"text", "json"});
  verb->add_option("--ranked", args->ranked,
                   "NAME=CSV: measure in the order of another sweep's times, a model's");
  verb->add_option("--orders", args->orders,
                   "NAME=CSV: measure in this order (kernel, matrix_size, seed, rank, knobs)");
  verb->add_option("--budgets", args->budgets, "configurations measured in a case")
      ->delimiter(',')
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32));
  verb->add_option("--seeds", args->seeds, "runs of random and greedy search a case")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{100000}));
  verb->add_option("--default", args->baseline,
                   "settings of the default; else block_size 256, reg_cap 0, others' first values")
      ->delimiter(',');
  verb->add_option("-o,--output", args->output, "every search as CSV: phase7_comparison.csv");
  add_examples(*verb,
               "  pitot knobs compare phase0_baseline.csv -o phase7_comparison.csv\n"
               "  pitot knobs compare gemm.csv --ranked model=gemm_emu.csv --budgets 1,5,20\n"
               "  pitot knobs compare gemm.csv --orders ppo=ppo_orders.csv --seeds 1000\n"
               "All search the same measurements. Regret is over the best of all configurations; "
               "intervals are\n95 %, by bootstrap over cases and seeds.\n"
               "Exit codes: 0 done, 2 wrong usage or unreadable input.");
  verb->callback([args, &options] { run_knobs_compare(*args, options); });
}

void add_families(CLI::App& knobs, Options& options) {
  auto args = std::make_shared<KnobsFamiliesArguments>();
  CLI::App* verb = knobs.add_subcommand(
      "families", "the same for kernels unseen: measured families as knob spaces, and the ranker");
  verb->add_option(
          "DATA", args->data,
          "FAMILY.csv with FAMILY.features.csv beside it, or a directory of them; knobs are "
          "the columns p_NAME")
      ->required();
  add_format(*verb, options, {"text", "json"});
  verb->add_option("--hold-out", args->apart,
                   "file with the names of families that the model has not learned from: these are "
                   "searched")
      ->required();
  verb->add_option("--model", args->model, "the ranker: default, or a file of `train`")
      ->capture_default_str();
  verb->add_flag("--left-out", args->left_out,
                 "search the other families instead, each by trees grown from the rest of them");
  verb->add_option("--measured", args->measured,
                   "of a case's first choices, with which the trees are grown anew; 0: none")
      ->capture_default_str();
  verb->add_option("--budgets", args->budgets, "configurations measured in a case")
      ->delimiter(',')
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32));
  verb->add_option("--seeds", args->seeds, "runs of random and greedy search a case")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{100000}));
  verb->add_option("-o,--output", args->output, "every search as CSV");
  add_examples(
      *verb,
      "  pitot knobs families DATA --hold-out data/splits/test_families.txt\n"
      "  pitot knobs families DATA --hold-out data/splits/test_families.txt --left-out\n"
      "A family at a size is a case; its sizes are numbered in the order of the table. The "
      "default is\nthe first variant of the table.\n"
      "Exit codes: 0 done, 2 wrong usage or unreadable input, 3 no XGBoost library.");
  verb->callback([args, &options] { run_knobs_families(*args, options); });
}

void add_orders(CLI::App& knobs, Options& options) {
  auto args = std::make_shared<OrdersArguments>();
  CLI::App* verb = knobs.add_subcommand(
      "orders", "the order in which trained policies would measure, for `knobs compare --orders`");
  verb->add_option("SWEEP", args->table, "CSV of `knobs sweep` or `counters`")->required();
  verb->add_option("--policy", args->policies, "files of `learn ppo`, a seed each")->required();
  verb->add_option("-o,--output", args->output, "in place of standard output");
  add_examples(*verb,
               "  pitot knobs orders gemm.csv --policy ppo-*/best.policy.json -o ppo_orders.csv\n"
               "The first is each knob's likeliest value after the default was observed; then all "
               "others by\nfalling probability.\n"
               "Exit codes: 0 done, 1 a default that does not run, 2 wrong usage or input.");
  verb->callback([args, &options] { run_orders(*args, options); });
}

void add_ranking(CLI::App& knobs, Options& options) {
  auto args = std::make_shared<KnobsRankArguments>();
  CLI::App* verb = knobs.add_subcommand(
      "rank", "the order in which the ranker would measure, for `knobs compare --orders`");
  verb->add_option("SWEEP", args->table, "CSV of `knobs sweep` or `counters`: the measurements")
      ->required();
  verb->add_option("FEATURES", args->features,
                   "of its configurations: `knobs sweep --device emu --features`")
      ->required();
  verb->add_option("--model", args->model, "a model of `train`, default, or none")
      ->capture_default_str();
  verb->add_option("--measured", args->measured,
                   "configurations of each case that are measured first and learned from")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{0}, uint64_t{100000}));
  verb->add_option("--draws", args->draws,
                   "times that these are drawn at random; 0: they are the model's own first ones")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{0}, uint64_t{100000}));
  verb->add_option("--data", args->data,
                   "with --measured: the data of `train` that the model was made from");
  verb->add_flag("--distinct", args->distinct,
                 "of configurations that differ for the model in nothing but a cap that does not "
                 "bind, one is measured before the second of any");
  verb->add_option("--first", args->first, "configurations of each order that are written")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32));
  verb->add_option("-o,--output", args->output,
                   "in place of standard output; provenance lies beside it");
  add_examples(*verb,
               "  pitot knobs rank gemm.csv gemm.features.csv -o ranker.csv\n"
               "  pitot knobs rank gemm.csv gemm.features.csv --measured 5 --data data/ -o 5.csv\n"
               "  pitot knobs compare gemm.csv --orders ranker=ranker.csv --orders ranker5=5.csv\n"
               "With --measured the trees are grown anew, from the families that the model knows "
               "and from what was\nmeasured of the case: once a case and draw. It needs XGBoost's "
               "library.\n"
               "Exit codes: 0 done, 2 wrong usage or input, or a model not made for this, 3 no "
               "XGBoost.");
  verb->callback([args, &options] { run_knobs_rank(*args, options); });
}

void add_rollout(CLI::App& knobs, Options& options) {
  auto args = std::make_shared<RolloutArguments>();
  CLI::App* verb = knobs.add_subcommand(
      "rollout",
      "episodes of the environment as logs (phase 3), from a sweep, modelled or measured");
  verb->add_option("SOURCE", args->sources,
                   "CSV of a sweep; with --device emu or cuda templates, or folders made of them")
      ->required();
  verb->add_option(
          "--device", args->device,
          "table: the sweep is replayed; emu: times are modelled; cuda, cuda:1: every step "
          "measures")
      ->capture_default_str();
  verb->add_option("--gpu", args->gpu, "the GPU that --device emu models; default H200");
  verb->add_option("--batch", args->batch_ms, "milliseconds of launches a step, of --device cuda")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 1000.0));
  verb->add_flag(
      "--preload", args->preload,
      "load all configurations first, of --device cuda; else when they are first chosen");
  verb->add_option("--time-limit", args->time_limit,
                   "seconds for a step, with compiling, of --device cuda")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 86400.0));
  verb->add_option("--work", args->directory, "where compiled configurations are kept")
      ->capture_default_str();
  verb->add_option("--sizes", args->sizes, "only these matrix sizes, of templates")->delimiter(',');
  verb->add_option("--policy", args->policy,
                   "who chooses: random, default (always the same), or the file of a policy")
      ->capture_default_str();
  verb->add_option("--default", args->baseline, "settings of the default, as of `knobs compare`")
      ->delimiter(',');
  verb->add_option("--episodes", args->episodes, "of each kernel and size, or with --drawn in all")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{1000000}));
  verb->add_option("--max-steps", args->max_steps, "of an episode")
      ->capture_default_str()
      ->check(CLI::Range(1u, 1000000u));
  verb->add_flag("--drawn", args->drawn, "kernels and sizes are drawn instead of taken in turn");
  args->steps_file = "phase3_rollout.csv";
  args->episodes_file = "phase3_episode_summary.csv";
  verb->add_option("-o,--output", args->steps_file, "a row a step")->capture_default_str();
  verb->add_option("--summary", args->episodes_file, "a row an episode; - for standard output")
      ->capture_default_str();
  add_examples(
      *verb,
      "  pitot knobs rollout data/h200/knobs/phase1_result.csv\n"
      "  pitot knobs rollout phase0_baseline.csv --policy default --summary -\n"
      "  pitot knobs rollout phase0_baseline.csv --policy ppo/best.policy.json\n"
      "  pitot knobs rollout kernels/knobs/*/*.small.variants.toml --device emu --sizes "
      "256,512\n"
      "  pitot knobs rollout kernels/knobs/*/*.small.variants.toml --device cuda --preload\n"
      "Exit codes: 0 done, 1 a baseline that does not run, 2 wrong usage or input, 3 no "
      "GPU or nvcc.");
  verb->callback([args, &options] { run_rollout(*args, options); });
}

void add_phases(CLI::App& knobs, Options& options) {
  auto args = std::make_shared<PhaseArguments>();
  CLI::App* verb = knobs.add_subcommand(
      "phase", "compute, memory, latency or mixed: what a detector says of windows of counters");
  verb->add_option("WINDOWS", args->windows,
                   "CSV, a row a step: window and five counters in percent; label where known")
      ->required();
  verb->add_option("--detector", args->detector, "of `learn phase`")->required();
  verb->add_option("-o,--output", args->output,
                   "in place of standard output, which then gets the scores of labelled windows");
  add_examples(*verb,
               "  pitot knobs phase data/h200/knobs/phase/phase_windows.csv --detector "
               "phase/phase.detector\n"
               "docs/knobs.md has the columns.\n"
               "Exit codes: 0 done, 2 wrong usage or unreadable input.");
  verb->callback([args, &options] { run_phase(*args, options); });
}

}  // namespace

void add_knobs(CLI::App& app, Options& options) {
  CLI::App* knobs = app.add_subcommand(
      "knobs", "compile knobs (block size, register cap, …): sweep them, count, compare searches");
  knobs->require_subcommand(1);
  add_sweep(*knobs, "sweep", "time every configuration (phase 0)", false, options);
  add_sweep(*knobs, "counters", "the same with hardware counters (phase 1)", true, options);
  add_rollout(*knobs, options);
  add_orders(*knobs, options);
  add_ranking(*knobs, options);
  add_comparison(*knobs, options);
  add_families(*knobs, options);
  add_phases(*knobs, options);
}

}  // namespace pitot::cli
