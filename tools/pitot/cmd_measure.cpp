// pitot measure: times kernels on a GPU, with statistics, into a store.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "cli.h"
#include "progress.h"
#include "report/measure_report.h"
#include "store/store.h"
#include "subjects.h"

namespace pitot::cli {
namespace {

struct MeasureArguments {
  std::vector<std::string> specs;
  std::string ptx, entry, store;
  bool again = false, no_cycles = false;
  double warmup = 0.05, warmup_limit = 1;
  TimingArguments timing;
};

void run_measure(const MeasureArguments& args, Options& options) {
  auto meter_of = meter_options(args.timing, options);
  if (!meter_of) return fail(options, meter_of.error());
  meter_of->protocol.cycles = !args.no_cycles;
  meter_of->protocol.warmup_seconds = args.warmup;
  meter_of->protocol.warmup_limit_seconds = std::max(args.warmup, args.warmup_limit);
  const std::vector<std::string> specs = expand_specs(args.specs, options);
  if (!args.ptx.empty() && specs.size() != 1)
    return fail(options, input_error("--ptx stands in for the PTX of one spec"));
  std::vector<measure::Subject> subjects;
  for (const std::string& spec : specs)
    for (measure::Subject& s :
         read_subjects({spec, args.ptx, args.entry, args.timing.sizes, args.timing.set}, options))
      subjects.push_back(std::move(s));
  if (subjects.empty()) return;
  std::optional<store::Store> store;
  if (!args.store.empty()) {
    auto opened = store::Store::open(args.store);
    if (!opened) return fail(options, opened.error());
    store.emplace(std::move(*opened));
  }
  const size_t count = subjects.size();
  measure::Meter meter(std::move(subjects), *meter_of);
  auto gpu = meter.gpu();
  if (!gpu) return fail(options, gpu.error());
  std::vector<measure::MeasureRecord> records;
  Progress progress("measuring", count);
  for (size_t i = 0; i < count; ++i) {
    measure::MeasureRecord r = meter.describe(i, *gpu);
    std::optional<measure::MeasureRecord> known;
    if (store && !args.again) {
      auto found = store->find(store::key_of(r));
      if (!found) return fail(options, found.error());
      known = std::move(*found);
    }
    if (known) {
      r = std::move(*known);
    } else {
      r = meter.measure(i, *gpu);
      if (store)
        if (Status s = store->put(r); !s) return fail(options, s.error());
    }
    if (!r.ok) options.exit_code = std::max<int>(options.exit_code, kFindings);
    records.push_back(std::move(r));
    progress.step();
  }
  progress.finish();
  if (options.format == "json") return print(report::measure_json(records));
  if (options.format == "jsonl") return print(report::measure_jsonl(records));
  if (options.format == "csv") return print(report::measure_csv(records));
  for (const auto& r : records) print(report::measure_text(r, options.style(STDOUT_FILENO)));
}

}  // namespace

void add_measure(CLI::App& app, Options& options) {
  auto args = std::make_shared<MeasureArguments>();
  CLI::App* verb = app.add_subcommand("measure", "time kernels on a GPU, with intervals");
  add_format(*verb, options, {"text", "json", "jsonl", "csv"});
  verb->add_option("SPEC", args->specs, "kernel specs (*.kernel.toml), or directories of them")
      ->required();
  verb->add_option("--ptx", args->ptx, "time this file instead of the spec's");
  verb->add_option("--entry", args->entry, "kernel in it; default the spec's, or the only one");
  verb->add_option("--store", args->store,
                   "keep records in this file (SQLite); what it has is not measured again");
  verb->add_flag("--again", args->again, "measure also what the store has");
  verb->add_option("--warmup", args->warmup, "seconds before sampling at least")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 60.0));
  verb->add_option("--warmup-limit", args->warmup_limit,
                   "seconds after which times need not have settled")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 60.0));
  verb->add_flag("--no-cycles", args->no_cycles, "times only: a kernel is compiled once");
  add_timing(*verb, args->timing);
  add_examples(
      *verb,
      "  pitot measure gemm.kernel.toml\n"
      "  pitot measure kernels/ --store h200.db          go on after an interruption\n"
      "  pitot measure gemm.kernel.toml --size 0 --cold --format json\n"
      "  pitot measure gemm.kernel.toml --set 'm=4096 n=4096' --set 'm=8192 n=8192'\n"
      "  pitot measure variants/ --store h200.db --no-cycles --warmup 0.01 --seconds 0.05   many, "
      "quickly\n"
      "A sample is a graph of launches of about a millisecond; the time is the median of "
      "samples with\nits bootstrap interval. Sampling ends when the interval is narrow or "
      "the time is used up.\n"
      "Exit codes: 0 measured, 1 a kernel that could not be, 2 wrong usage or unreadable "
      "input, 3 no such GPU.");
  verb->callback([args, &options] { run_measure(*args, options); });
}

}  // namespace pitot::cli
