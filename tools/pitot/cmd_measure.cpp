// pitot measure: times kernels on a GPU, with statistics, into a store.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "cli.h"
#include "profile_cuda.h"
#include "progress.h"
#include "report/measure_report.h"
#include "store/store.h"
#include "subjects.h"

namespace pitot::cli {
namespace {

struct MeasureArguments {
  std::vector<std::string> specs;
  std::string ptx, entry, store;
  bool again = false, counters = false, no_cycles = false;
  double warmup = 0.05, warmup_limit = 1;
  TimingArguments timing;
};

// What there is to measure, in order: a subject by its number, or the record of a file with errors.
struct MeasureItem {
  std::optional<size_t> subject;
  measure::MeasureRecord unread;
};

void print_records(const std::vector<measure::MeasureRecord>& records, Options& options) {
  if (options.format == "json")
    return print(report::measure_json(records, options.problems, options.errors));
  if (options.format == "jsonl") return print(report::measure_jsonl(records));
  if (options.format == "csv") return print(report::measure_csv(records));
  // Files with errors have been complained of.
  for (const auto& r : records)
    if (!r.kernel.empty()) print(report::measure_text(r, options.style(STDOUT_FILENO)));
}

// The part of its resident warps that a kernel kept busy, by Nsight Compute.
Result<double> achieved_occupancy(const MeasureArguments& args, const measure::MeasureRecord& r,
                                  const Options& options) {
  constexpr const char* kWarpsActive = "sm__warps_active.avg.pct_of_peak_sustained_active";
  auto counters = count_run({args.timing.device, r.spec, args.ptx, r.kernel, r.kernel, r.size_text,
                             options.seed, args.timing.time_limit},
                            {.metrics = {kWarpsActive}});
  if (!counters) return counters.error();
  if (const auto percent = counters->find(kWarpsActive)) return *percent / 100;
  return failed_error("Nsight Compute does not tell the active warps of '" + r.kernel + "'");
}

void run_measure(const MeasureArguments& args, Options& options) {
  std::vector<measure::MeasureRecord> records;
  const auto give_up = [&](const Error& e) {
    fail(options, e);
    if (options.format == "json") print_records(records, options);
  };
  auto meter_of = meter_options(args.timing, options);
  if (!meter_of) return give_up(meter_of.error());
  meter_of->protocol.cycles = !args.no_cycles;
  meter_of->protocol.warmup_seconds = args.warmup;
  meter_of->protocol.warmup_limit_seconds = std::max(args.warmup, args.warmup_limit);
  const std::vector<std::string> specs = expand_specs(args.specs, options);
  if (!args.ptx.empty() && specs.size() != 1)
    return give_up(input_error("--ptx stands in for the PTX of one spec"));
  std::vector<measure::Subject> subjects;
  std::vector<MeasureItem> items;
  for (const std::string& spec : specs) {
    const SubjectSource source{spec, args.ptx, args.entry, args.timing.sizes, args.timing.set};
    auto read = read_subjects(source, options);
    if (!read) items.push_back({std::nullopt, unread_record(source, read.error())});
    for (size_t i = 0; read && i < read->size(); ++i) {
      items.push_back({subjects.size(), {}});
      subjects.push_back(std::move((*read)[i]));
    }
  }
  std::optional<store::Store> store;
  if (!args.store.empty() && !subjects.empty()) {
    auto opened = store::Store::open(args.store);
    if (!opened) return give_up(opened.error());
    store.emplace(std::move(*opened));
  }
  const size_t count = subjects.size();
  const std::vector<measure::Subject> kept = subjects;
  measure::Meter meter(std::move(subjects), *meter_of);
  Result<cuda::GpuFacts> gpu = cuda::GpuFacts{};
  if (count > 0) gpu = meter.gpu();
  if (!gpu) return give_up(gpu.error());
  bool counting = args.counters;
  Progress progress("measuring", count);
  for (MeasureItem& item : items) {
    if (!item.subject) {
      records.push_back(std::move(item.unread));
      continue;
    }
    measure::MeasureRecord r = meter.describe(*item.subject, *gpu);
    bool changed = false;
    std::optional<measure::MeasureRecord> known;
    if (store && !args.again) {
      auto found = store->find(store::key_of(r));
      if (!found) return give_up(found.error());
      known = std::move(*found);
    }
    if (known) {
      r = std::move(*known);
    } else {
      r = meter.measure(*item.subject, *gpu);
      if (!r.ok) r.reason += place_of_fault(kept[*item.subject], r.reason, options.seed);
      changed = true;
    }
    if (counting && r.ok && !r.achieved_occupancy) {
      if (auto achieved = achieved_occupancy(args, r, options)) {
        r.achieved_occupancy = *achieved;
        changed = true;
      } else {
        fail(options, achieved.error());
        counting = false;  // it would fail again
      }
    }
    if (store && changed)
      if (Status s = store->put(r); !s) return give_up(s.error());
    if (!r.ok) options.exit_code = std::max<int>(options.exit_code, kFindings);
    records.push_back(std::move(r));
    progress.step();
  }
  progress.finish();
  print_records(records, options);
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
  verb->add_flag("--counters", args->counters,
                 "achieved occupancy too, by Nsight Compute: some seconds more a kernel");
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
