#include "knobs_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "chosen_model.h"
#include "data_files.h"
#include "knob_features.h"
#include "knob_table.h"
#include "knobs/orders.h"
#include "knobs/orders_csv.h"
#include "knobs/rank_result.h"
#include "measure/random_draws.h"
#include "predict/fit.h"
#include "predict/model_check.h"
#include "report/knobs_report.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

// A case's configurations with features, and what a model says of them.
struct Scored {
  std::vector<size_t> configurations;
  std::vector<double> scores;  // lower is faster; NaN: not known
};

// What runs, as far as the features tell: equal for configurations that differ in nothing but a cap
// that leaves the registers as they are.
std::string kind_of(const KnobFeatureRow& row) {
  std::vector<double> values = row.values;
  values[predict::index_of(analysis::Feature::kMaxNreg)] = 0;
  values[predict::index_of(predict::Column::kSpillBytes)] = 0;  // smooth: never quite none
  return fmt::format("{}", fmt::join(values, ","));
}

// By case and configuration, numbers; empty when every configuration is a kind of its own.
using Kinds = std::map<std::pair<size_t, size_t>, size_t>;
Kinds kinds_of(const KnobFeatures& features) {
  std::map<std::string, size_t> numbers;
  Kinds out;
  for (const auto& [key, row] : features)
    out[key] = numbers.try_emplace(kind_of(row), numbers.size()).first->second;
  return out;
}

// `before` in its order, then the others by score, of each kind the first before the second of any;
// what is not known comes last.
std::vector<size_t> in_order(const knobs::Table& table, size_t number, const Scored& scored,
                             const Kinds& kinds, std::vector<size_t> before) {
  std::vector<size_t> places(scored.scores.size());
  for (size_t i = 0; i < places.size(); ++i) places[i] = i;
  std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) {
    const double x = scored.scores[a], y = scored.scores[b];
    return std::isnan(y) ? !std::isnan(x) : x < y;
  });
  std::set<size_t> taken(before.begin(), before.end());
  std::vector<size_t> out = std::move(before);
  const auto take = [&](size_t configuration) {
    if (taken.insert(configuration).second) out.push_back(configuration);
  };
  std::set<size_t> seen;
  const auto is_new = [&](size_t configuration) {
    const auto kind = kinds.find({number, configuration});
    return kind == kinds.end() || seen.insert(kind->second).second;
  };
  for (const size_t b : out) is_new(b);
  for (const size_t p : places)
    if (const size_t c = scored.configurations[p]; !taken.contains(c) && is_new(c)) take(c);
  for (const size_t p : places) take(scored.configurations[p]);
  for (size_t i = 0; i < table.space().size(); ++i)
    if (table.row(number, i) != nullptr) take(i);
  return out;
}

// The model as it is.
Scored before_measuring(const ChosenModel& chosen, const KnobFeatures& features, size_t number) {
  Scored out;
  std::vector<std::span<const double>> rows;
  for (const auto& [key, row] : features) {
    if (key.first != number) continue;
    out.configurations.push_back(key.second);
    rows.push_back(row.values);
  }
  for (const predict::Prediction& p :
       chosen.model ? predict_group(*chosen.model, rows) : predict::analytic_group(rows))
    out.scores.push_back(p.score);
  return out;
}

// What the model was made for, held against what the features are of.
Status check_fitness(const ChosenModel& chosen, const KnobFeatures& features) {
  if (!chosen.model) return Ok{};
  for (const auto& [key, row] : features) {
    const auto answer =
        predict::fitness_of(chosen.model->origin, {row.compiler, row.target, row.gpu});
    if (answer.fitness == predict::Fitness::kRefused)
      return input_error(
          fmt::format("{} was not made for this: {} (--model none asks the analytic "
                      "score)",
                      chosen.name, answer.reasons.front()));
  }
  return Ok{};
}

// Retrains with what was measured: the families that the model knows, and of each case's
// configurations those that are drawn.
class Retraining {
 public:
  Retraining(const knobs::Table& table, const KnobFeatures& features, const predict::Model& model,
             const predict::Dataset& base)
      : table_(table) {
    std::vector<size_t> known;
    for (size_t i = 0; i < base.rows.size(); ++i)
      if (std::binary_search(model.origin.families.begin(), model.origin.families.end(),
                             base.rows[i].family)) {
        if (base.rows[i].measured()) learned_.push_back(known.size());
        known.push_back(i);
      }
    data_ = base.subset(known);
    for (const auto& [key, row] : features) {
      const knobs::Case& at = table.cases()[key.first];
      predict::DataRow r;
      // A name that no family of the data has: the case is a family of its own.
      r.family = "knobs/" + at.kernel;
      r.variant = fmt::format("{}", key.second);
      r.size = fmt::format("{}", at.matrix_size);
      r.gpu = row.gpu;
      r.target = row.target;
      r.compiler = row.compiler;
      r.status = "ok";
      // Compared with the others of its group, measured or not; only times of rows that a split
      // learns from are looked at.
      const knobs::SweepRow* swept = table.row(key.first, key.second);
      r.median_us = swept != nullptr && swept->ok() ? swept->mean_ms * 1e3 : 1;
      places_[key] = data_.rows.size();
      data_.rows.push_back(std::move(r));
      data_.features.insert(data_.features.end(), row.values.begin(), row.values.end());
    }
  }

  bool fits_schema() const { return data_.columns.size() == predict::kColumnCount; }
  bool has_families() const { return !learned_.empty(); }

  // Scores of a case's other configurations by trees that saw `measured`.
  predict::Split split(size_t number, const std::vector<size_t>& measured) const {
    predict::Split s;
    s.name = fmt::format("{} of {}", measured.size(), table_.cases()[number].kernel);
    s.train = learned_;
    const std::set<size_t> seen(measured.begin(), measured.end());
    for (const auto& [key, row] : places_) {
      if (key.first != number) continue;
      if (!seen.contains(key.second)) {
        s.test.push_back(row);
      } else if (table_.row(key.first, key.second)->ok()) {
        s.train.push_back(row);
        s.shots.push_back(row);
      }
    }
    return s;
  }
  size_t configuration(size_t row) const { return std::stoul(data_.rows[row].variant); }
  const predict::Dataset& data() const { return data_; }

 private:
  const knobs::Table& table_;
  predict::Dataset data_;
  std::vector<size_t> learned_;
  std::map<std::pair<size_t, size_t>, size_t> places_;
};

struct Asked {
  size_t number = 0;
  uint64_t draw = 0;
  std::vector<size_t> measured;
};

// Which configurations are measured first, draw by draw.
std::vector<Asked> asked(const KnobsRankArguments& args, const knobs::Table& table,
                         const std::vector<std::vector<size_t>>& first, uint64_t seed) {
  std::vector<Asked> out;
  for (size_t c = 0; c < table.cases().size(); ++c) {
    measure::RandomDraws draws(seed + c);
    for (uint64_t d = 0; d < std::max<uint64_t>(args.draws, 1); ++d) {
      std::vector<size_t> order =
          args.draws == 0 ? first[c] : knobs::random_order(table, c, draws.bits());
      order.resize(std::min<size_t>(order.size(), args.measured));
      out.push_back({c, d, std::move(order)});
    }
  }
  return out;
}

struct Ranking {
  std::vector<knobs::SeededOrder> orders;
  knobs::RankProvenance provenance;
};

Status retrain(const KnobsRankArguments& args, const knobs::Table& table,
               const KnobFeatures& features, const predict::Model& model, const Kinds& kinds,
               const std::vector<std::vector<size_t>>& first, Ranking& out, Options& options) {
  const auto api = predict::load_xgboost();
  if (!api) return api.error();
  const auto recipe = predict::find_recipe(model.recipe);
  if (!recipe) return recipe.error();
  const auto base = read_data(args.data, options);
  if (!base) return input_error("there is nothing to learn from");
  const Retraining retraining(table, features, model, *base);
  if (!retraining.has_families() || !retraining.fits_schema())
    return input_error("the data has not the families and features that the model was made from");
  const std::vector<Asked> list = asked(args, table, first, options.seed);
  std::vector<predict::Split> splits;
  for (const Asked& a : list) splits.push_back(retraining.split(a.number, a.measured));
  const auto scored =
      predict::cross_predict(**api, retraining.data(), splits, *recipe, options.jobs);
  if (!scored) return scored.error();
  std::vector<Scored> of(list.size());
  for (const predict::ScoredRow& s : *scored) {
    of[s.split].configurations.push_back(retraining.configuration(s.row));
    of[s.split].scores.push_back(s.log_score);
  }
  for (size_t i = 0; i < list.size(); ++i)
    out.orders.push_back({table.cases()[list[i].number], list[i].draw,
                          in_order(table, list[i].number, of[i], kinds, list[i].measured)});
  out.provenance.xgboost = (*api)->version;
  out.provenance.data_hash = base->content.hex();
  return Ok{};
}

Result<Ranking> rank(const KnobsRankArguments& args, const knobs::Table& table,
                     const KnobFeatures& features, Options& options) {
  const auto chosen = choose_model(args.model);
  if (!chosen) return chosen.error();
  if (Status s = check_fitness(*chosen, features); !s) return s.error();
  const Kinds kinds = args.distinct ? kinds_of(features) : Kinds{};
  std::vector<std::vector<size_t>> first;
  for (size_t c = 0; c < table.cases().size(); ++c)
    first.push_back(in_order(table, c, before_measuring(*chosen, features, c), kinds, {}));
  Ranking out;
  knobs::RankProvenance& p = out.provenance;
  p.model = chosen->name;
  if (chosen->model) {
    p.recipe = chosen->model->recipe;
    p.model_data_hash = chosen->model->origin.data_hash;
    p.families = chosen->model->origin.families;
  }
  p.distinct = args.distinct;
  p.measured = args.measured;
  p.draws = args.draws;
  p.seed = options.seed;
  if (args.measured == 0) {
    for (size_t c = 0; c < first.size(); ++c)
      out.orders.push_back({table.cases()[c], 0, std::move(first[c])});
    return out;
  }
  if (!chosen->model) return input_error("a score without trees does not learn: --measured is 0");
  if (Status s = retrain(args, table, features, *chosen->model, kinds, first, out, options); !s)
    return s.error();
  return out;
}

}  // namespace

void run_knobs_rank(const KnobsRankArguments& args, Options& options) {
  const auto table = read_knob_table(args.table, options);
  if (!table) return;
  const auto features = read_knob_features(args.features, *table, options);
  if (!features) return;
  if (args.measured > 0 && args.data.empty())
    return fail(options, input_error("--measured wants --data: what the model was made from"));
  auto ranking = rank(args, *table, *features, options);
  if (!ranking) return fail(options, ranking.error());
  for (knobs::SeededOrder& o : ranking->orders)
    o.configurations.resize(std::min<size_t>(o.configurations.size(), args.first));
  const std::string csv = knobs::orders_csv(table->space(), ranking->orders);
  if (args.output.empty()) return print(csv);
  knobs::RankProvenance& p = ranking->provenance;
  p.tool = "pitot " PITOT_VERSION;
  for (const auto& [path, name, hash] : {std::tuple{&args.table, &p.sweep, &p.sweep_hash},
                                         {&args.features, &p.features, &p.features_hash}}) {
    const auto text = read_file(*path);
    if (!text) return fail(options, text.error());
    *name = std::filesystem::path(*path).filename().string();
    *hash = hash_bytes(*text).hex();
  }
  const std::string beside =
      std::filesystem::path(args.output).replace_extension(".provenance.json").string();
  for (const auto& [path, text] :
       {std::pair{args.output, csv}, {beside, report::rank_provenance_json(p)}})
    if (Status s = write_file(path, text); !s) return fail(options, s.error());
}

}  // namespace pitot::cli
