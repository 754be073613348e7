#include "knobs_sweep.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>

#include "candidates.h"
#include "device/prepare.h"
#include "knob_features.h"
#include "knob_variants.h"
#include "knobs/measured_row.h"
#include "knobs/sweep_csv.h"
#include "knobs_modelled.h"
#include "profile_cuda.h"
#include "progress.h"
#include "report/knobs_report.h"
#include "store/store.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

using knobs::SweepRow;

constexpr const char* kMetrics[knobs::kCounters] = {
    "sm__warps_active.avg.pct_of_peak_sustained_active", "lts__t_sector_hit_rate.pct",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__throughput.avg.pct_of_peak_sustained_active"};

bool wanted(const SweepArguments& args, std::optional<int64_t> size) {
  return args.sizes.empty() ||
         (size && std::find(args.sizes.begin(), args.sizes.end(), *size) != args.sizes.end());
}

// Rows without times, of a variant that could not be made or read: one a size that others have.
void add_failures(const KnobVariants& variants, knobs::SweepResult& sweep) {
  std::map<std::string, std::vector<int64_t>> sizes;
  for (const SweepRow& r : sweep.rows) {
    auto& of = sizes[r.kernel];
    if (std::find(of.begin(), of.end(), r.matrix_size) == of.end()) of.push_back(r.matrix_size);
  }
  for (const KnobVariant& v : variants.list) {
    if (v.failure.empty()) continue;
    for (const int64_t n : sizes[v.kernel]) {
      SweepRow r;
      r.kernel = v.kernel;
      r.matrix_size = n;
      r.settings = v.settings;
      r.threads_per_block = static_cast<uint32_t>(v.settings[0]);
      r.failure = v.failure;
      sweep.rows.push_back(std::move(r));
    }
  }
}

// Phase 1 on a GPU: Nsight Compute runs all sizes of a variant in one process. `sizes`: of the
// spec, by number, one a row.
void count_on_gpu(const SweepArguments& args, const KnobVariant& variant,
                  const std::vector<size_t>& rows, const std::vector<size_t>& sizes,
                  knobs::SweepResult& sweep, const Options& options) {
  CountedRun run;
  run.device = args.timing.device;
  run.spec = variant.spec;
  run.kernel = variant.kernel;
  run.sizes = sizes;
  run.seed = options.seed;
  run.seconds = args.counter_seconds;
  measure::CounterOptions how;
  how.metrics.assign(std::begin(kMetrics), std::end(kMetrics));
  const auto counted = count_runs(run, how);
  for (size_t i = 0; i < rows.size(); ++i) {
    SweepRow& row = sweep.rows[rows[i]];
    knobs::SweepCounters c;
    c.source = "ncu";
    c.ok = counted.ok() && i < counted->size();
    if (!c.ok) {
      c.reason = counted ? "ncu saw no launch of this size" : counted.error().message;
    } else {
      for (size_t k = 0; k < knobs::kCounters; ++k) c.percent[k] = (*counted)[i].find(kMetrics[k]);
      if (c.percent[0]) row.achieved_occupancy = *c.percent[0] / 100;
    }
    row.counters = std::move(c);
  }
}

std::optional<knobs::SweepResult> measure_all(const SweepArguments& args,
                                              const KnobVariants& variants,
                                              knobs::SweepProvenance& provenance,
                                              Options& options) {
  const auto failed = [&](const Error& e) {
    fail(options, e);
    return std::nullopt;
  };
  auto how = meter_options(args.timing, options);
  if (!how) return failed(how.error());
  how->protocol.cycles = false;
  how->protocol.warmup_seconds = args.warmup;
  how->protocol.warmup_limit_seconds = std::max(args.warmup, args.warmup_limit);
  std::vector<measure::Subject> subjects;
  std::vector<size_t> variant_of, size_of;
  for (size_t v = 0; v < variants.list.size(); ++v) {
    if (variants.list[v].spec.empty()) continue;
    auto read = read_subjects({variants.list[v].spec, "", "", {}, {}}, options);
    if (!read) return std::nullopt;
    for (measure::Subject& s : *read) {
      if (!wanted(args, knobs::matrix_size(device::size_text(s.spec->sizes[s.size])))) continue;
      size_of.push_back(s.size);
      subjects.push_back(std::move(s));
      variant_of.push_back(v);
    }
  }
  if (subjects.empty()) return failed(input_error("there is nothing to sweep: no such sizes"));
  std::optional<store::Store> store;
  if (!args.store.empty()) {
    auto opened = store::Store::open(args.store);
    if (!opened) return failed(opened.error());
    store.emplace(std::move(*opened));
  }
  measure::Meter meter(std::move(subjects), *how);
  const auto gpu = meter.gpu();
  if (!gpu) return failed(gpu.error());
  knobs::SweepResult sweep;
  sweep.knobs = variants.knobs;
  std::map<size_t, std::vector<size_t>> ran;  // rows of each variant
  Progress progress("sweeping", variant_of.size());
  for (size_t i = 0; i < variant_of.size(); ++i) {
    measure::MeasureRecord r = meter.describe(i, *gpu);
    std::optional<measure::MeasureRecord> known;
    if (store) {
      auto found = store->find(store::key_of(r));
      if (!found) return failed(found.error());
      known = std::move(*found);
    }
    if (known) {
      r = std::move(*known);
    } else {
      r = meter.measure(i, *gpu);
      if (store)
        if (Status s = store->put(r); !s) return failed(s.error());
    }
    const KnobVariant& v = variants.list[variant_of[i]];
    provenance.driver = r.driver;
    provenance.protocol = r.protocol;
    if (provenance.started.empty() || r.started < provenance.started)
      provenance.started = r.started;
    if (r.ok) ran[variant_of[i]].push_back(i);
    sweep.rows.push_back(knobs::measured_row(r, v.kernel, v.settings));
    progress.step();
  }
  progress.finish();
  provenance.source = "measured";
  provenance.device = args.timing.device;
  provenance.gpu = gpu->name;
  if (args.counters) {
    Progress counting("counting", ran.size());
    for (const auto& [v, rows] : ran) {
      std::vector<size_t> sizes;
      for (const size_t i : rows) sizes.push_back(size_of[i]);
      count_on_gpu(args, variants.list[v], rows, sizes, sweep, options);
      counting.step();
    }
    counting.finish();
  }
  return sweep;
}

std::optional<knobs::SweepResult> model_all(const SweepArguments& args,
                                            const KnobVariants& variants,
                                            knobs::SweepProvenance& provenance, Options& options) {
  const auto gpu = arch::find_gpu(args.gpu.empty() ? "H200" : args.gpu);
  if (!gpu) {
    fail(options, gpu.error());
    return std::nullopt;
  }
  std::vector<Candidate> candidates;
  std::vector<size_t> variant_of;
  for (size_t v = 0; v < variants.list.size(); ++v) {
    if (variants.list[v].spec.empty()) continue;
    for (Candidate& c : read_candidates({variants.list[v].spec}, {}, options)) {
      if (!wanted(args, knobs::matrix_size(c.size_text))) continue;
      candidates.push_back(std::move(c));
      variant_of.push_back(v);
    }
  }
  if (candidates.empty()) {
    fail(options, input_error("there is nothing to sweep: no such sizes"));
    return std::nullopt;
  }
  predict::RowOptions how;
  how.seed = options.seed;
  const auto rows = rows_of(candidates, *gpu, how, options);
  knobs::SweepResult sweep;
  sweep.knobs = variants.knobs;
  std::string features = knob_features_header(sweep.knobs);
  for (size_t i = 0; i < rows.size(); ++i) {
    const KnobVariant& v = variants.list[variant_of[i]];
    sweep.rows.push_back(modelled_row(candidates[i], rows[i], v, **gpu, args.counters));
    // What cannot be launched is not ranked.
    if (rows[i].row &&
        launch_answer(candidates[i], *rows[i].row, **gpu).answer != variants::CanLaunch::kNo)
      features += knob_features_line(candidates[i], *rows[i].row, v, **gpu);
  }
  if (!args.features.empty())
    if (Status s = write_file(args.features, features); !s) {
      fail(options, s.error());
      return std::nullopt;
    }
  provenance.source = "modelled";
  provenance.device = "emu";
  provenance.gpu = (*gpu)->name;
  provenance.protocol = "modelled time of sampled blocks, warm (docs/predict-features.md)";
  provenance.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return sweep;
}

std::string provenance_path(const std::string& csv) {
  std::filesystem::path p(csv);
  return p.replace_extension(".provenance.json").string();
}

}  // namespace

void run_sweep(const SweepArguments& args, Options& options) {
  if (!args.features.empty() && args.timing.device != "emu")
    return fail(options, input_error("--features are of the emulator: --device emu"));
  const auto variants = make_knob_variants(args.templates, args.directory, options);
  if (!variants) return;
  knobs::SweepProvenance provenance;
  provenance.seed = options.seed;
  provenance.tool = "pitot " PITOT_VERSION;
  for (const auto& m : variants->manifests)
    provenance.templates.push_back({m.family, m.source, m.source_hash, m.compiler});
  if (args.counters) provenance.counters.assign(std::begin(kMetrics), std::end(kMetrics));
  auto sweep = args.timing.device == "emu" ? model_all(args, *variants, provenance, options)
                                           : measure_all(args, *variants, provenance, options);
  if (!sweep) return;
  add_failures(*variants, *sweep);
  const std::string csv = args.counters ? knobs::counters_csv(*sweep) : knobs::sweep_csv(*sweep);
  if (args.output == "-") return print(csv);
  for (const auto& [path, text] :
       {std::pair{args.output, csv},
        {provenance_path(args.output), report::sweep_provenance_json(*sweep, provenance)}})
    if (Status s = write_file(path, text); !s) return fail(options, s.error());
  print(report::sweep_text(*sweep, options.style(STDOUT_FILENO)));
}

}  // namespace pitot::cli
