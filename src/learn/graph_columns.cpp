#include "learn/graph_columns.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "predict/analytic.h"
#include "predict/feature_set.h"
#include "predict/numbers.h"
#include "predict/splits.h"
#include "support/csv.h"

namespace pitot::learn {
namespace {

using predict::Column;

double log_analytic(std::span<const double> features) {
  const auto score = predict::analytic_score(features);
  return score && score->us > 0 ? std::log(score->us) : predict::kUnknownValue;
}

float known(double v) { return std::isfinite(v) ? static_cast<float>(v) : 0.0F; }

std::array<float, kLaunchContext> context_of(std::span<const double> features, double analytic) {
  const auto value = [&](Column c) { return features[predict::index_of(c)]; };
  return {known(analytic),
          known(std::log2(value(Column::kLaunchThreads)) / 10),
          known(value(Column::kOccupancy)),
          known(value(Column::kWaveEfficiency)),
          known(std::log1p(value(Column::kWaves)) / 8),
          known(value(Column::kLaunchRegisters) / 255)};
}

// All measured rows, ready to be learned from.
struct Prepared {
  std::vector<knobs::ControlGraph> graphs;
  std::vector<std::pair<std::string, std::string>> names;  // of the graphs
  std::vector<GraphRow> rows;                              // by number of the data's row
  std::vector<bool> usable;                                // has a label
};

Result<Prepared> prepare(const predict::Dataset& data, const VariantGraphs& graphs) {
  Prepared out;
  out.rows.resize(data.rows.size());
  out.usable.resize(data.rows.size());
  std::map<std::pair<std::string, std::string>, size_t> numbers;
  std::map<std::string, size_t> families;
  size_t group = 0;
  for (const auto& members : data.groups()) {
    std::vector<double> analytic;
    for (const size_t r : members) analytic.push_back(log_analytic(data.feature_row(r)));
    const double mean = predict::mean_known(analytic);
    for (size_t i = 0; i < members.size(); ++i) {
      const predict::DataRow& row = data.rows[members[i]];
      const auto [at, is_new] = numbers.try_emplace({row.family, row.variant}, out.graphs.size());
      if (is_new) {
        const auto graph = graphs.find(at->first);
        if (graph == graphs.end())
          return input_error(fmt::format("{} {} has no graph", row.family, row.variant));
        out.graphs.push_back(graph->second);
        out.names.push_back(at->first);
      }
      const double label = std::log(row.median_us) - analytic[i];
      GraphRow& g = out.rows[members[i]];
      g.graph = at->second;
      g.group = group;
      g.family = families.try_emplace(row.family, families.size()).first->second;
      g.context = context_of(data.feature_row(members[i]), analytic[i] - mean);
      g.label = known(label);
      out.usable[members[i]] = std::isfinite(label);
    }
    ++group;
  }
  return out;
}

std::vector<predict::Split> splits_of(const predict::Dataset& data,
                                      const GraphColumnsOptions& options) {
  std::vector<predict::Split> out;
  if (options.folds > 0)
    out = predict::folds_within_families(data, options.folds, options.split_seed);
  if (options.by_family)
    for (predict::Split& s : predict::leave_one_family_out(data)) out.push_back(std::move(s));
  predict::Split all;
  all.name = "all rows";
  for (size_t r = 0; r < data.rows.size(); ++r)
    if (data.rows[r].measured()) all.train.push_back(r);
  out.push_back(std::move(all));
  return out;
}

}  // namespace

size_t graph_parts(const predict::Dataset& data, const GraphColumnsOptions& options) {
  return options.folds + (options.by_family ? data.families().size() : 0) + 1;
}

Result<std::string> graph_columns(const predict::Dataset& data, const VariantGraphs& graphs,
                                  const GraphColumnsOptions& options) {
  const auto prepared = prepare(data, graphs);
  if (!prepared) return prepared.error();
  std::string out = "split,family,variant,learned";
  for (size_t k = 0; k < knobs::kEmbedding; ++k) out += fmt::format(",e{}", k);
  out += "\n";
  for (const predict::Split& split : splits_of(data, options)) {
    if (options.begun) options.begun(split.name);
    std::vector<GraphRow> rows;
    std::set<size_t> learned;
    for (const size_t r : split.train) {
      if (!prepared->usable[r]) continue;
      rows.push_back(prepared->rows[r]);
      learned.insert(rows.back().graph);
    }
    const auto trained = train_graphs(prepared->graphs, rows, options.training);
    if (!trained) return input_error(fmt::format("{}: {}", split.name, trained.error().message));
    for (size_t g = 0; g < prepared->graphs.size(); ++g) {
      out +=
          fmt::format("{},{},{},{:d}", csv_field(split.name), csv_field(prepared->names[g].first),
                      csv_field(prepared->names[g].second), learned.contains(g));
      for (const float v : trained->encoder.encode(prepared->graphs[g]))
        out += fmt::format(",{:.6g}", v);
      out += "\n";
    }
  }
  return out;
}

}  // namespace pitot::learn
