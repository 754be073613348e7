#include "knobs_families.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "chosen_model.h"
#include "data_files.h"
#include "knobs/comparison.h"
#include "names_file.h"
#include "predict/fit.h"
#include "predict/numbers.h"
#include "report/knobs_report.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

// A family as a table, and which row of the data each configuration of a case is.
struct FamilyTable {
  std::string family;
  knobs::Table table;
  std::vector<std::map<size_t, size_t>> rows;  // by case: configuration → row
  std::vector<int64_t> first;                  // settings of the first variant: the default
};

Result<int64_t> setting(const predict::DataRow& row, const std::string& name) {
  const auto at = row.parameters.find(name);
  int64_t value = 0;
  if (at != row.parameters.end()) {
    const std::string& text = at->second;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec == std::errc{} && end.ptr == text.data() + text.size()) return value;
  }
  return input_error(fmt::format("{} {}: parameter {} is no whole number: no knob", row.family,
                                 row.variant, name));
}

Result<FamilyTable> table_of(const predict::Dataset& data, const std::string& family) {
  knobs::SweepResult sweep;
  sweep.knobs.clear();
  std::vector<size_t> members;
  std::vector<std::string> sizes;
  for (size_t r = 0; r < data.rows.size(); ++r) {
    const predict::DataRow& row = data.rows[r];
    if (row.family != family) continue;
    if (members.empty())
      for (const auto& [name, value] : row.parameters) sweep.knobs.push_back(name);
    members.push_back(r);
    auto size = std::find(sizes.begin(), sizes.end(), row.size);
    if (size == sizes.end()) size = sizes.insert(size, row.size);
    knobs::SweepRow s;
    s.kernel = family;
    s.matrix_size = size - sizes.begin() + 1;
    for (const std::string& name : sweep.knobs) {
      const auto value = setting(row, name);
      if (!value) return value.error();
      s.settings.push_back(*value);
    }
    s.mean_ms = row.measured() ? row.median_us / 1e3 : std::nan("");
    if (!row.measured()) s.failure = row.status;
    sweep.rows.push_back(std::move(s));
  }
  if (members.empty()) return input_error(fmt::format("the data has no family '{}'", family));
  if (sweep.knobs.empty())
    return input_error(fmt::format("family '{}' has no parameters: no knobs", family));
  const auto rows = sweep.rows;
  auto table = knobs::Table::of(std::move(sweep));
  if (!table) return table.error();
  FamilyTable out{family, std::move(*table), {}, rows[0].settings};
  out.rows.resize(out.table.cases().size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto& cases = out.table.cases();
    const auto at =
        std::find(cases.begin(), cases.end(), knobs::Case{rows[i].kernel, rows[i].matrix_size});
    const size_t configuration =
        out.table.space().index_of(*out.table.space().choice_with(rows[i].settings));
    if (!out.rows[static_cast<size_t>(at - cases.begin())]
             .emplace(configuration, members[i])
             .second)
      return input_error(fmt::format("{} {}: two variants have the same parameters", family,
                                     data.rows[members[i]].variant));
  }
  return out;
}

// Rows of the data by score, lower first.
using Scores = std::map<size_t, double>;

// Configurations of a case by score; `before` first.
std::vector<size_t> in_order(const FamilyTable& of, size_t number, const Scores& scores,
                             std::vector<size_t> before) {
  std::set<size_t> taken(before.begin(), before.end());
  std::vector<std::pair<double, size_t>> rest;
  for (const auto& [configuration, row] : of.rows[number])
    if (!taken.contains(configuration)) {
      const auto at = scores.find(row);
      rest.emplace_back(
          at == scores.end() || std::isnan(at->second) ? predict::kInfinite : at->second,
          configuration);
    }
  std::sort(rest.begin(), rest.end());
  for (const auto& [score, configuration] : rest) before.push_back(configuration);
  return before;
}

class Study {
 public:
  Study(const KnobsFamiliesArguments& args, const predict::Dataset& data,
        const std::vector<std::string>& apart, Options& options)
      : args_(args), data_(data), apart_(apart.begin(), apart.end()), options_(options) {}

  Result<knobs::ComparisonResult> run() {
    for (const std::string& family : data_.families()) {
      if (apart_.contains(family) == args_.left_out) continue;
      auto table = table_of(data_, family);
      if (!table) return table.error();
      tables_.push_back(std::move(*table));
    }
    if (tables_.empty()) return input_error("the data has none of the families that are wanted");
    if (Status s = args_.left_out ? score_left_out() : score_by_model(); !s) return s.error();
    if (args_.measured > 0)
      if (Status s = retrain(); !s) return s.error();
    return compare();
  }

 private:
  // The finished model, which must not have learned from what it is asked about.
  Status score_by_model() {
    const auto chosen = choose_model(args_.model);
    if (!chosen) return chosen.error();
    if (!chosen->model) return input_error(args_.model + ": no model with trees");
    const predict::Model& model = *chosen->model;
    recipe_ = model.recipe;
    learned_.insert(model.origin.families.begin(), model.origin.families.end());
    for (const FamilyTable& t : tables_) {
      if (learned_.contains(t.family))
        return input_error(fmt::format("{} has learned from {}", args_.model, t.family));
      for (const auto& of_case : t.rows) {
        std::vector<size_t> rows;
        std::vector<std::span<const double>> features;
        for (const auto& [configuration, row] : of_case) {
          rows.push_back(row);
          features.push_back(data_.feature_row(row));
        }
        const auto said = predict::predict_group(model, features);
        for (size_t i = 0; i < rows.size(); ++i) scores_[rows[i]] = said[i].score;
      }
    }
    return Ok{};
  }

  Status score_left_out() {
    for (const std::string& f : data_.families())
      if (!apart_.contains(f)) learned_.insert(f);
    std::vector<predict::Split> splits;
    for (const FamilyTable& t : tables_) {
      predict::Split s;
      s.name = "family " + t.family;
      s.train = learned_rows(t.family);
      for (const auto& of_case : t.rows)
        for (const auto& [configuration, row] : of_case)
          if (data_.rows[row].measured()) s.test.push_back(row);
      splits.push_back(std::move(s));
    }
    const auto rows = predicted(splits);
    if (!rows) return rows.error();
    for (const predict::ScoredRow& r : *rows) scores_[r.row] = r.log_score;
    return Ok{};
  }

  std::vector<size_t> learned_rows(const std::string& without) const {
    std::vector<size_t> out;
    for (size_t r = 0; r < data_.rows.size(); ++r)
      if (data_.rows[r].measured() && data_.rows[r].family != without &&
          learned_.contains(data_.rows[r].family))
        out.push_back(r);
    return out;
  }

  Result<std::vector<predict::ScoredRow>> predicted(const std::vector<predict::Split>& splits) {
    const auto api = predict::load_xgboost();
    if (!api) return api.error();
    const auto recipe = predict::find_recipe(recipe_);
    if (!recipe) return recipe.error();
    return predict::cross_predict(**api, data_, splits, *recipe, options_.jobs);
  }

  // A case's own first ones are measured, and the trees grown anew with them.
  Status retrain() {
    std::vector<predict::Split> splits;
    for (const FamilyTable& t : tables_)
      for (size_t c = 0; c < t.rows.size(); ++c) {
        auto first = in_order(t, c, scores_, {});
        first.resize(std::min<size_t>(first.size(), args_.measured));
        predict::Split s;
        s.name = fmt::format("{} of {}", first.size(), t.family);
        s.train = learned_rows(t.family);
        if (s.train.empty())
          return input_error("the data has not the families that the model was made from");
        for (const auto& [configuration, row] : t.rows[c]) {
          if (!data_.rows[row].measured()) continue;
          if (std::find(first.begin(), first.end(), configuration) == first.end()) {
            s.test.push_back(row);
          } else {
            s.train.push_back(row);
            s.shots.push_back(row);
          }
        }
        splits.push_back(std::move(s));
        measured_.push_back(std::move(first));
      }
    const auto rows = predicted(splits);
    if (!rows) return rows.error();
    for (const predict::ScoredRow& r : *rows) after_[r.row] = r.log_score;
    return Ok{};
  }

  Result<knobs::ComparisonResult> compare() {
    knobs::ComparisonOptions how;
    how.budgets = args_.budgets;
    how.seeds = args_.seeds;
    std::vector<knobs::ComparisonResult> parts;
    size_t place = 0;
    for (size_t k = 0; k < tables_.size(); ++k) {
      const FamilyTable& t = tables_[k];
      std::vector<knobs::Contender> others(args_.measured > 0 ? 2 : 1);
      others[0].name = "ranker";
      for (size_t c = 0; c < t.rows.size(); ++c) {
        others[0].orders[c] = {in_order(t, c, scores_, {})};
        if (args_.measured == 0) continue;
        others[1].name = fmt::format("ranker+{}", args_.measured);
        others[1].orders[c] = {in_order(t, c, after_, measured_[place++])};
      }
      how.seed = options_.seed + 1000 * k;
      how.baseline = t.first;
      auto part = knobs::compare(t.table, std::move(others), how);
      if (!part) return part.error();
      parts.push_back(std::move(*part));
    }
    how.seed = options_.seed;
    how.whole_kernels = true;
    return knobs::pooled(std::move(parts), how);
  }

  const KnobsFamiliesArguments& args_;
  const predict::Dataset& data_;
  std::set<std::string> apart_, learned_;
  Options& options_;
  std::string recipe_ = "pitot";
  std::vector<FamilyTable> tables_;
  Scores scores_, after_;                      // before measuring, and with the first measured
  std::vector<std::vector<size_t>> measured_;  // by table and case
};

}  // namespace

void run_knobs_families(KnobsFamiliesArguments& args, Options& options) {
  const auto data = read_data(args.data, options);
  if (!data) return;
  const auto apart = read_names(args.apart);
  if (!apart) return fail(options, apart.error());
  const auto result = Study(args, *data, *apart, options).run();
  if (!result) return fail(options, result.error());
  if (!args.output.empty())
    if (Status s = write_file(args.output, knobs::comparison_csv(*result)); !s)
      return fail(options, s.error());
  print(options.format == "json" ? report::comparison_json(*result)
                                 : report::comparison_text(*result, options.style(STDOUT_FILENO)));
}

}  // namespace pitot::cli
