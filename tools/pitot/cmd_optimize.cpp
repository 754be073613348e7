// pitot optimize: the sequence of transforms that makes a kernel best, verified to compute the
// same; for one kernel, or for many with a table.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "device/cuda_run.h"
#include "optimize_run.h"
#include "progress.h"
#include "report/optimize_report.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

// The report of one kernel; its PTX too, where that goes to standard output.
void print_one(const search::OptimizeResult& r, bool to_stdout, const Options& options) {
  const std::string report =
      options.format == "json" ? report::optimize_json(r)
      : options.format == "csv"
          ? report::optimize_table_csv({&r, 1})
          : report::optimize_text(r, options.style(to_stdout ? STDERR_FILENO : STDOUT_FILENO));
  if (!to_stdout) return print(report);
  std::fwrite(report.data(), 1, report.size(), stderr);
  print(r.search.best_text);
}

void print_table(const std::vector<search::OptimizeResult>& rows, const Options& options) {
  if (options.format == "json") return print(report::optimize_table_json(rows, options.errors));
  if (options.format == "csv") return print(report::optimize_table_csv(rows));
  print(report::optimize_table_text(rows, options.style(STDOUT_FILENO)));
}

Status make_folder(const std::string& folder) {
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) return input_error(folder + ": " + error.message());
  return Ok{};
}

// Whether the command is about a single kernel, by how it was asked.
bool asks_for_one(const OptimizeArguments& args, const std::vector<LaunchSource>& sources) {
  std::error_code error;
  return sources.size() == 1 && args.paths.size() == 1 && args.paths[0] == sources[0].spec &&
         !std::filesystem::is_directory(args.log, error);
}

void optimize_one(const OptimizeArguments& args, const std::vector<OptimizeKernel>& kernels,
                  Options& options) {
  const auto optimizer = Optimizer::make(args, kernels, options);
  if (!optimizer) return fail(options, optimizer.error());
  Progress progress("programs", args.how.budget);
  auto found = optimizer->run(0, args.log, [&] { progress.step(); });
  progress.finish();
  if (!found) return fail(options, found.error());
  search::OptimizeResult r = std::move(*found);
  if (!r.verified) options.exit_code = kFindings;
  const bool to_stdout = args.output == "-";
  if (!args.output.empty() && !to_stdout) {
    if (Status s = write_file(args.output, r.search.best_text); !s) return fail(options, s.error());
    r.output = args.output;
  }
  print_one(r, to_stdout, options);
}

void optimize_many(const OptimizeArguments& args, const std::vector<OptimizeKernel>& kernels,
                   Options& options) {
  if (args.output == "-")
    return fail(options, input_error("-o - is for one kernel; of several, -o DIR"));
  for (const std::string& folder : {args.log, args.output})
    if (Status s = make_folder(folder); !s) return fail(options, s.error());
  const auto optimizer = Optimizer::make(args, kernels, options);
  if (!optimizer) return fail(options, optimizer.error());
  std::vector<search::OptimizeResult> rows;
  Progress progress("optimizing", kernels.size());
  for (size_t i = 0; i < kernels.size(); ++i, progress.step()) {
    const LaunchSource& source = kernels[i].source;
    const std::filesystem::path log(args.log), output(args.output);
    Result<search::OptimizeResult> found = failed_error("the time for all kernels was used up");
    if (!optimizer->over())
      found = optimizer->run(
          i, args.log.empty() ? std::string() : (log / (source.name + ".jsonl")).string(), {});
    search::OptimizeResult& row = rows.emplace_back();
    if (!found) {
      row.name = source.name;
      row.group = source.group;
      row.path = source.spec;
      row.error = found.error().message;
      if (!optimizer->over())
        fail(options, Error{found.error().kind, source.name + ": " + row.error});
      continue;
    }
    row = std::move(*found);
    if (!row.verified) options.exit_code = std::max<int>(options.exit_code, kFindings);
    if (args.output.empty()) continue;
    row.output = (output / (source.name + ".ptx")).string();
    if (Status s = write_file(row.output, row.search.best_text); !s) fail(options, s.error());
    row.search.best_text.clear();
  }
  progress.finish();
  print_table(rows, options);
}

void run_optimize(const OptimizeArguments& args, Options& options) {
  if (args.cost == "log" && args.log.empty())
    return fail(options, input_error("--cost log wants the --log that it takes values from"));
  const auto sources = read_launch_sources(args.paths, args.like, options);
  if (sources.empty()) return;
  if (sources.size() > 1 && (!args.like.ptx.empty() || !args.like.entry.empty()))
    return fail(options, input_error("--ptx and --entry are for one spec"));
  std::vector<OptimizeKernel> kernels;
  for (const LaunchSource& source : sources)
    if (auto k = read_optimize_kernel(source, args.round_otherwise, options))
      kernels.push_back(std::move(*k));
  if (kernels.empty()) return;
  if (asks_for_one(args, sources)) {
    optimize_one(args, kernels, options);
  } else {
    optimize_many(args, kernels, options);
  }
}

std::string known_cost(const std::string& text) {
  for (const char* known : {"emu", "predict", "code", "log"})
    if (text == known) return {};
  if (device::cuda_number(text)) return {};
  return "no such cost: " + text;
}

void add_search_options(CLI::App& verb, OptimizeArguments& args) {
  verb.add_option("--policy", args.policy,
                  "how to search: greedy, beam, random, exhaustive, or a trained policy's file")
      ->capture_default_str();
  verb.add_option("--budget", args.how.budget,
                  "distinct programs that may be judged, the original among them; of a trained "
                  "policy 0 is the default: its likeliest sequence, nothing judged")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 40));
  verb.add_option("--steps", args.how.max_steps, "transforms in a sequence at most")
      ->capture_default_str()
      ->check(CLI::Range(0u, static_cast<unsigned>(transform::kActions)));
  verb.add_option("--width", args.how.width, "programs of each length that beam continues")
      ->capture_default_str()
      ->check(CLI::Range(1u, 1000000u));
  std::vector<std::string> names;
  for (const transform::ActionInfo& a : transform::actions()) names.emplace_back(a.name);
  verb.add_option("--actions", args.actions,
                  "only these transforms; pitot transform --list has them")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  verb.add_option("--batch", args.batch, "programs judged at a time; 0: what suits the cost")
      ->capture_default_str();
  verb.add_option("--seconds", args.seconds,
                  "time limit of a search, which ends with what it has; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e7));
  verb.add_option("--all-seconds", args.all_seconds, "time limit of all searches together; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e7));
  verb.add_option("--tries", args.tries,
                  "programs, best first, of which the check may confirm the first")
      ->capture_default_str()
      ->check(CLI::Range(1u, 1000u));
  verb.add_flag("--no-check", args.no_check, "take the best program without the check");
}

void add_measuring_options(CLI::App& verb, OptimizeArguments& args) {
  verb.add_option("--clock", args.clock,
                  "of a GPU: sm (cycles of the SM), event (time), auto: sm for one block")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "sm", "event"}));
  verb.add_option("--warmups", args.protocol.warmups, "launches before those that count (sm)")
      ->capture_default_str()
      ->check(CLI::Range(0u, 100000u));
  verb.add_option("--launches", args.protocol.launches, "launches that count (sm)")
      ->capture_default_str()
      ->check(CLI::Range(3u, 100000u));
  verb.add_option("--sampling", args.sampling_ms, "milliseconds of sampling a program (event)")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 100000.0));
  verb.add_option("--sample", args.protocol.timing.batch_ms, "milliseconds of a sample (event)")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 1000.0));
  verb.add_option("--time-limit", args.time_limit, "seconds for a program on a GPU")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 86400.0));
  verb.add_option("--assembler", args.assembler,
                  "who makes machine code for a GPU: ptxas (where it is there), or the driver")
      ->capture_default_str()
      ->check(CLI::IsMember({"ptxas", "driver"}));
}

}  // namespace

void add_optimize(CLI::App& app, Options& options) {
  auto args = std::make_shared<OptimizeArguments>();
  CLI::App* verb = app.add_subcommand(
      "optimize", "search for the transforms that make kernels fastest, and verify the result");
  verb->add_option("SPEC", args->paths,
                   "kernel specs (*.kernel.toml), directories of them, or lists of launches in the "
                   "form of kernels/triton.toml")
      ->required();
  add_format(*verb, options, {"text", "json", "csv"});
  verb->add_option("--cost", args->cost,
                   "what judges: emu, the modelled time of a launch by the emulator; predict, a "
                   "trained model; cuda or cuda:N, a GPU; code, the size of the machine code by "
                   "ptxas; log, only what the log has")
      ->capture_default_str()
      ->check(CLI::Validator(known_cost, "COST"));
  verb->add_option("--gpu", args->gpu, "the GPU that is modelled; default one of the PTX's target");
  verb->add_option("--model", args->model, "of --cost predict: a file of pitot train")
      ->capture_default_str();
  verb->add_option("--ptx", args->like.ptx, "this file instead of the spec's");
  verb->add_option("--entry", args->like.entry,
                   "kernel in it; default the spec's, or the only one");
  auto* set = verb->add_option("--set", args->like.set,
                               "a size of one's own: the spec's first with other values");
  verb->add_option("--size", args->like.size, "the spec's size of this kind; else its first")
      ->capture_default_str()
      ->excludes(set);
  add_search_options(*verb, *args);
  add_measuring_options(*verb, *args);
  verb->add_option("--log", args->log,
                   "where each judgement is written, and read again by the next run (JSON lines); "
                   "of several kernels a directory");
  verb->add_flag("--round-otherwise", args->round_otherwise,
                 "results may be rounded otherwise (fma_contract)");
  verb->add_option("-o,--output", args->output,
                   "where the PTX goes; - for standard output (the report to standard error); of "
                   "several kernels a directory");
  add_examples(
      *verb,
      "  pitot optimize softmax.kernel.toml -o faster.ptx\n"
      "  pitot optimize gemm.kernel.toml --gpu H200 --policy beam --width 8 --budget 500 "
      "--log gemm.jsonl\n"
      "  pitot optimize gemm.kernel.toml --policy gemm.policy.json --cost cuda --budget 10\n"
      "  pitot --seed 7 optimize k.kernel.toml --policy random --format json\n"
      "  pitot optimize kernels/triton.toml --cost cuda --log logs/ -o faster/ -f csv\n"
      "  pitot optimize tile/ --cost cuda --clock sm --policy exhaustive --budget 100000 --log "
      "logs/\n"
      "The result is checked against the original on the emulator; what is not the same is taken "
      "back, and\nthe next best is tried. An interrupted command goes on with its logs.\n"
      "Exit codes: 0 done (perhaps nothing is better), 1 the result was taken back or the PTX "
      "has\nerrors, 2 wrong usage or unreadable input, 3 no such GPU or no ptxas. "
      "docs/search.md says how\nit searches.");
  verb->callback([args, verb, &options] {
    if (!is_method(args->policy) && verb->count("--budget") == 0) args->how.budget = 0;
    for (search::Method m : {search::Method::kRandom, search::Method::kGreedy,
                             search::Method::kBeam, search::Method::kExhaustive})
      if (args->policy == search::to_string(m)) args->how.method = m;
    for (const std::string& name : args->actions)
      args->how.allowed.push_back(transform::find_action(name)->action);
    run_optimize(*args, options);
  });
}

}  // namespace pitot::cli
