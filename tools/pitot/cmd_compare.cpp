// pitot compare: is B faster than A? interleaved on a GPU, with the change that could be seen.
#include <fmt/format.h>
#include <unistd.h>

#include "cli.h"
#include "progress.h"
#include "report/measure_report.h"
#include "store/store.h"
#include "subjects.h"

namespace pitot::cli {
namespace {

struct CompareArguments {
  std::string a, b, spec, entry_a, entry_b, store;
  uint32_t repeat = 1, placements = 8;
  TimingArguments timing;
};

// A comparison that could not begin.
measure::CompareRecord not_compared(measure::MeasureRecord a, measure::MeasureRecord b,
                                    const std::string& reason) {
  measure::CompareRecord c;
  c.a = std::move(a);
  c.b = std::move(b);
  c.reason = reason;
  return c;
}

void run_compare(const CompareArguments& args, Options& options) {
  auto source = [&](const std::string& path, const std::string& entry) {
    return args.spec.empty()
               ? SubjectSource{path, "", entry, args.timing.sizes, args.timing.set}
               : SubjectSource{args.spec, path, entry, args.timing.sizes, args.timing.set};
  };
  const SubjectSource source_a = source(args.a, args.entry_a),
                      source_b = source(args.b, args.entry_b);
  const auto print_problem = [&](const std::string& reason) {
    if (options.format != "json") return;
    const Error none = input_error("");
    print(report::compare_json(
        {not_compared(unread_record(source_a, none), unread_record(source_b, none), reason)},
        options.problems, options.errors));
  };
  const auto give_up = [&](const Error& e) {
    fail(options, e);
    print_problem(e.message);
  };
  auto meter_of = meter_options(args.timing, options);
  if (!meter_of) return give_up(meter_of.error());
  if (args.spec.empty() && (args.a.ends_with(".ptx") || args.b.ends_with(".ptx")))
    return give_up(input_error("PTX files need --spec with their launch and arguments"));
  auto read_a = read_subjects(source_a, options), read_b = read_subjects(source_b, options);
  if (!read_a || !read_b)
    return print_problem(!read_a ? "A: " + read_a.error().message : "B: " + read_b.error().message);
  std::vector<measure::Subject> subjects = std::move(*read_a);
  const size_t count = subjects.size();
  if (read_b->size() != count)
    return give_up(input_error("A and B have different numbers of sizes; --size names them"));
  for (measure::Subject& s : *read_b) subjects.push_back(std::move(s));
  const std::vector<measure::Subject> kept = subjects;
  std::optional<store::Store> store;
  if (!args.store.empty()) {
    auto opened = store::Store::open(args.store);
    if (!opened) return give_up(opened.error());
    store.emplace(std::move(*opened));
  }
  std::vector<measure::CompareRecord> records;
  Progress progress("comparing", count * args.repeat);
  meter_of->protocol.placements = args.placements;
  measure::Meter meter(std::move(subjects), *meter_of);
  auto gpu = meter.gpu();
  if (!gpu) return give_up(gpu.error());
  for (uint32_t n = 0; n < args.repeat; ++n) {
    for (size_t i = 0; i < count; ++i) {
      measure::CompareRecord c = meter.compare(i, count + i, *gpu, options.seed + n);
      for (const auto& [side, subject] : {std::pair{"A: ", i}, {"B: ", count + i}})
        if (c.verdict == measure::Verdict::kFault && c.reason.starts_with(side))
          c.reason +=
              place_of_fault(kept[subject], std::string_view(c.reason).substr(3), options.seed);
      if (store)
        if (Status s = store->put(c); !s) return give_up(s.error());
      if (c.verdict != measure::Verdict::kSame)
        options.exit_code = std::max<int>(options.exit_code, kFindings);
      records.push_back(std::move(c));
      progress.step();
    }
  }
  progress.finish();
  if (options.format == "json")
    return print(report::compare_json(records, options.problems, options.errors));
  if (options.format == "csv") return print(report::compare_csv(records));
  for (const auto& r : records) print(report::compare_text(r, options.style(STDOUT_FILENO)));
}

}  // namespace

void add_compare(CLI::App& app, Options& options) {
  auto args = std::make_shared<CompareArguments>();
  CLI::App* verb = app.add_subcommand("compare", "is B faster than A? interleaved on a GPU");
  add_format(*verb, options, {"text", "json", "csv"});
  verb->add_option("A", args->a, "kernel spec, or with --spec a PTX file")->required();
  verb->add_option("B", args->b, "the same of what A is compared with")->required();
  verb->add_option("--spec", args->spec, "kernel spec for both PTX files");
  verb->add_option("--entry-a", args->entry_a, "kernel in A; default the spec's, or the only one");
  verb->add_option("--entry-b", args->entry_b, "kernel in B");
  verb->add_option("--repeat", args->repeat, "whole comparisons, with seeds one after the other")
      ->capture_default_str()
      ->check(CLI::Range(1u, 100000u));
  verb->add_option("--placements", args->placements,
                   "times that both are loaded anew: what is common to one of them is no evidence")
      ->capture_default_str()
      ->check(CLI::Range(2u, 1000u));
  verb->add_option("--store", args->store, "keep records in this file (SQLite)");
  add_timing(*verb, args->timing);
  add_examples(
      *verb,
      "  pitot compare old.ptx new.ptx --spec gemm.kernel.toml\n"
      "  pitot compare a.kernel.toml b.kernel.toml --size 0 --cold\n"
      "Samples of A and B follow one another in random order on the same buffers, in several\n"
      "placements that load the modules anew. A change is told only when its interval excludes "
      "none\n"
      "and it lies outside of what A against A would show.\n"
      "Exit codes: 0 same, 1 faster, slower or a fault, 2 wrong usage or unreadable input, 3 no "
      "such "
      "GPU.");
  verb->callback([args, &options] { run_compare(*args, options); });
}

}  // namespace pitot::cli
