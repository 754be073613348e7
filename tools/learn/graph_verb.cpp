#include "graph_verb.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "data_files.h"
#include "kernel_files.h"
#include "knobs/control_graph.h"
#include "learn/graph_columns.h"
#include "names_file.h"
#include "progress.h"
#include "support/file.h"
#include "support/hash.h"

namespace pitot::cli {
namespace {

namespace fs = std::filesystem;

struct GraphLearnArguments {
  std::vector<std::string> data, splits{"folds", "families"};
  std::string made, apart, output;
  learn::GraphColumnsOptions how;
};

// The only kernel of MADE/FAMILY/VARIANT.ptx, which has to be what was measured.
std::optional<knobs::ControlGraph> graph_of(const fs::path& made, const predict::DataRow& row,
                                            Options& options) {
  const std::string path = (made / row.family / (row.variant + ".ptx")).string();
  const auto module = read_sound_module(path, options);
  if (!module) return std::nullopt;
  const auto failed = [&](const std::string& why) {
    fail(options, input_error(path + ": " + why));
    return std::nullopt;
  };
  if (const std::string own = hash_bytes(module->text()).hex();
      !row.ptx_hash.empty() && own != row.ptx_hash)
    return failed(fmt::format("its hash is {}, of what was measured {}", own, row.ptx_hash));
  const auto kernel = find_kernel(*module, WantedKernel{});
  if (!kernel) return failed(kernel.error().message);
  auto graph = knobs::control_graph(*module, module->functions[*kernel]);
  if (!graph) return failed(graph.error().message);
  return std::move(*graph);
}

void run_graph(GraphLearnArguments& args, Options& options) {
  const auto all = read_data(args.data, options);
  if (!all) return;
  std::set<std::string> apart;
  if (!args.apart.empty()) {
    const auto names = read_names(args.apart);
    if (!names) return fail(options, names.error());
    apart.insert(names->begin(), names->end());
  }
  // Families without PTX are passed over.
  std::set<std::string> without;
  std::vector<size_t> rows;
  for (size_t r = 0; r < all->rows.size(); ++r) {
    const std::string& family = all->rows[r].family;
    if (apart.contains(family)) continue;
    std::error_code error;
    if (fs::is_directory(fs::path(args.made) / family, error))
      rows.push_back(r);
    else
      without.insert(family);
  }
  if (!without.empty())
    fmt::print(stderr, "pitot: note: {} has no PTX of {}, which are passed over\n", args.made,
               fmt::join(without, ", "));
  const predict::Dataset data = all->subset(rows);
  learn::VariantGraphs graphs;
  for (const predict::DataRow& row : data.rows) {
    if (!row.measured() || graphs.contains({row.family, row.variant})) continue;
    auto graph = graph_of(args.made, row, options);
    if (!graph) return;
    graphs.emplace(std::pair{row.family, row.variant}, std::move(*graph));
  }
  const auto wants = [&](const char* split) {
    return std::find(args.splits.begin(), args.splits.end(), split) != args.splits.end();
  };
  if (!wants("folds")) args.how.folds = 0;
  args.how.by_family = wants("families");
  args.how.split_seed = options.seed;
  Progress progress("graph", graph_parts(data, args.how));
  args.how.begun = [&](const std::string&) { progress.step(); };
  const auto csv = learn::graph_columns(data, graphs, args.how);
  progress.finish();
  if (!csv) return fail(options, csv.error());
  if (args.output.empty()) return print(*csv);
  if (const Status s = write_file(args.output, *csv); !s) fail(options, s.error());
}

}  // namespace

void add_graph(CLI::App& app, Options& options) {
  auto args = std::make_shared<GraphLearnArguments>();
  learn::GraphColumnsOptions& how = args->how;
  CLI::App* verb = app.add_subcommand(
      "graph", "the graph encoder on measured variants: columns for `train --extra`");
  verb->add_option("DATA", args->data,
                   "FAMILY.csv with FAMILY.features.csv beside it, or a directory of them")
      ->required();
  verb->add_option("--made", args->made, "directory with FAMILY/VARIANT.ptx (pitot variants)")
      ->required();
  verb->add_option("--hold-out", args->apart, "file with the names of families not to look at");
  verb->add_option("--split", args->splits, "for which splits: folds, families; default both")
      ->delimiter(',')
      ->check(CLI::IsMember({"folds", "families"}));
  verb->add_option("--folds", how.folds, "of the split within families, as `train` has them")
      ->capture_default_str()
      ->check(CLI::Range(2u, 100u));
  verb->add_option("--steps", how.training.steps, "gradient steps of each encoder")
      ->capture_default_str()
      ->check(CLI::Range(1u, 1000000u));
  verb->add_option("--batch", how.training.batch, "variants of a step, all of one family")
      ->capture_default_str()
      ->check(CLI::Range(2u, 100000u));
  verb->add_option("--rate", how.training.rate, "of Adam at the beginning")
      ->capture_default_str()
      ->check(CLI::Range(1e-9, 1.0));
  verb->add_option("--encoder-seed", how.training.seed,
                   "of the encoder alone; --seed is that of the folds")
      ->capture_default_str();
  verb->add_option("-o,--output", args->output, "the CSV, in place of standard output");
  add_examples(*verb,
               "  pitot learn graph DATA --made MADE --hold-out test_families.txt -o graph.csv\n"
               "  pitot train DATA --hold-out test_families.txt --extra graph=graph.csv\n"
               "Each split's rows are embedded by an encoder that has not learned from what the "
               "split tests.\n"
               "Exit codes: 0 done, 2 wrong usage or unreadable input.");
  verb->callback([args, &options] { run_graph(*args, options); });
}

}  // namespace pitot::cli
