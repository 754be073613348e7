#include "knobs_compare.h"

#include <fmt/format.h>
#include <unistd.h>

#include "kernel_files.h"
#include "knob_table.h"
#include "knobs/comparison.h"
#include "knobs/orders.h"
#include "report/knobs_report.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

struct Named {
  std::string name, path;
};

Result<Named> named(const std::string& text) {
  const size_t is = text.find('=');
  if (is == 0 || is == std::string::npos || is + 1 == text.size())
    return input_error(fmt::format("'{}': NAME=FILE is wanted", text));
  return Named{text.substr(0, is), text.substr(is + 1)};
}

// In the order of the times of another sweep, a model's.
std::optional<knobs::Contender> ranked(const Named& from, const knobs::Table& table,
                                       Options& options) {
  const auto predicted = read_knob_table(from.path, options);
  if (!predicted) return std::nullopt;
  knobs::Contender out;
  out.name = from.name;
  for (size_t c = 0; c < table.cases().size(); ++c)
    out.orders[c] = {knobs::predicted_order(table, c, *predicted)};
  return out;
}

std::optional<knobs::Contender> ordered(const Named& from, const knobs::Table& table,
                                        Options& options) {
  auto text = read_file(from.path);
  if (!text) {
    fail(options, text.error());
    return std::nullopt;
  }
  Diagnostics found;
  const SourceText source(from.path, std::move(*text));
  knobs::Contender out = knobs::read_orders(source, from.name, table, found);
  if (found.errors() == 0) return out;
  complain(source, found, options);
  options.exit_code = kUsage;
  return std::nullopt;
}

}  // namespace

void run_knobs_compare(const KnobsCompareArguments& args, Options& options) {
  const auto table = read_knob_table(args.table, options);
  if (!table) return;
  std::vector<knobs::Contender> others;
  for (const auto& [texts, read] :
       {std::pair{&args.ranked, &ranked}, std::pair{&args.orders, &ordered}})
    for (const std::string& text : *texts) {
      const auto from = named(text);
      if (!from) return fail(options, from.error());
      auto contender = read(*from, *table, options);
      if (!contender) return;
      others.push_back(std::move(*contender));
    }
  knobs::ComparisonOptions how;
  how.budgets = args.budgets;
  how.seeds = args.seeds;
  how.seed = options.seed;
  how.baseline = args.baseline;
  const auto result = knobs::compare(*table, std::move(others), how);
  if (!result) return fail(options, input_error(args.table + ": " + result.error().message));
  if (!args.output.empty())
    if (Status s = write_file(args.output, knobs::comparison_csv(*result)); !s)
      return fail(options, s.error());
  print(options.format == "json" ? report::comparison_json(*result)
                                 : report::comparison_text(*result, options.style(STDOUT_FILENO)));
}

}  // namespace pitot::cli
