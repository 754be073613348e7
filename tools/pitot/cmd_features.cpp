// pitot features: one row a kernel, in a stable column order.
#include <unistd.h>

#include <cstdio>

#include "analysis/features.h"
#include "cli.h"
#include "features_rows.h"
#include "progress.h"
#include "ptx/parser.h"
#include "report/features_report.h"
#include "support/parallel.h"

namespace pitot::cli {
namespace {

struct FeaturesArguments {
  std::vector<std::string> paths;
  bool schema = false;
  bool functions = false;
  std::vector<uint32_t> block;
  double trips = analysis::kDefaultTrips;
  bool rows = false, no_emulation = false, ptxas = false;
  std::string gpu;
  uint64_t blocks = 0;
};

report::FeatureTable table_of_features() {
  report::FeatureTable table;
  for (const auto& info : analysis::feature_table())
    table.columns.push_back(
        {std::string(info.name), std::string(info.unit), std::string(info.doc)});
  table.schema = analysis::kFeatureSchema;
  return table;
}

std::vector<report::FeatureLine> rows_of(Input& input, const FeaturesArguments& args,
                                         const analysis::FeatureOptions& options) {
  std::vector<report::FeatureLine> rows;
  ptx::Module m = ptx::parse(input.path, std::move(input.text));
  std::string producer = ptx::producer_of(m).name, target = ptx::name_of(m.target);
  analysis::FeatureExtractor extractor(options);
  for (const auto& f : m.functions) {
    if (!f.has_body || (!f.is_entry && !args.functions)) continue;
    analysis::FeatureRow row = extractor.extract(m, f);
    rows.push_back({input.path,
                    std::string(f.name),
                    producer,
                    m.version,
                    target,
                    m.diagnostics.errors(),
                    {row.begin(), row.end()}});
  }
  return rows;
}

void run_features(const FeaturesArguments& args, Options& options) {
  report::FeatureTable table = table_of_features();
  if (args.schema) return print(report::features_schema(table));
  if (args.paths.empty()) return fail(options, input_error("features needs a PATH, or --schema"));
  if (args.rows)
    return print_feature_rows({args.paths, args.gpu, !args.no_emulation, args.blocks, args.ptxas},
                              options);
  if (args.ptxas) return fail(options, input_error("--ptxas is for --rows"));
  analysis::FeatureOptions extract;
  extract.default_trips = args.trips;
  for (size_t i = 0; i < args.block.size(); ++i) extract.default_block[i] = args.block[i];
  std::vector<Input> inputs = read_inputs(args.paths, options);
  std::vector<std::vector<report::FeatureLine>> rows(inputs.size());
  Progress progress("features", inputs.size());
  parallel_for(inputs.size(), options.jobs, [&](size_t i) {
    rows[i] = rows_of(inputs[i], args, extract);
    progress.step();
  });
  progress.finish();
  size_t broken = 0;
  for (auto& file : rows)
    for (auto& row : file) {
      broken += row.errors > 0;
      table.rows.push_back(std::move(row));
    }
  print(options.format == "csv"     ? report::features_csv(table)
        : options.format == "jsonl" ? report::features_jsonl(table)
                                    : report::features_json(table));
  if (broken > 0) {
    std::fprintf(stderr,
                 "pitot: warning: %zu kernel%s in PTX with errors; `pitot verify` says which\n",
                 broken, broken == 1 ? " is" : "s are");
    if (options.exit_code == kFine) options.exit_code = kFindings;
  }
}

}  // namespace

void add_features(CLI::App& app, Options& options) {
  auto args = std::make_shared<FeaturesArguments>();
  CLI::App* verb = app.add_subcommand("features", "static features, one row a kernel");
  verb->add_option("PATH", args->paths,
                   "PTX files, directories, binaries, or - for standard input");
  verb->add_option("-f,--format", options.format, "output format")
      ->check(CLI::IsMember({"csv", "jsonl", "json", "text"}))
      ->default_str("csv");
  verb->add_flag("--schema", args->schema, "print the columns with units and meaning");
  verb->add_flag("--functions", args->functions,
                 "a row for device functions too, not only kernels");
  verb->add_option("--block", args->block,
                   "threads of a block for kernels that do not state them: X[,Y[,Z]]")
      ->delimiter(',')
      ->expected(1, 3)
      ->check(CLI::Range(1u, 1024u));
  verb->add_option("--trips", args->trips, "what a loop of unknown trip count weighs")
      ->check(CLI::Range(0.0, 1e9));
  verb->add_flag("--rows", args->rows,
                 "PATHs are kernel specs: rows for prediction, one a size, with the launch, the "
                 "GPU and what sampled blocks do; as CSV");
  verb->add_option("--gpu", args->gpu, "with --rows: the chip; default one of the PTX's target");
  verb->add_flag("--no-emulation", args->no_emulation, "with --rows: nothing is executed");
  verb->add_flag("--ptxas", args->ptxas,
                 "with --rows: ask ptxas for registers, spills and code size, for occupancy too");
  verb->add_option("--blocks", args->blocks, "with --rows: about so many blocks are executed");
  add_examples(*verb,
               "  pitot features build/ > features.csv          every .ptx below build/\n"
               "  pitot features --format jsonl a.out           the PTX inside an executable\n"
               "  pitot features --rows variants/ --gpu H200 >gemm.features.csv\n"
               "  pitot features --schema");
  verb->callback([args, &options] {
    if (options.format == "text") options.format = "csv";
    run_features(*args, options);
  });
}

}  // namespace pitot::cli
