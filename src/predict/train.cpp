#include "predict/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "predict/fit.h"
#include "predict/judge_scores.h"
#include "support/text.h"

namespace pitot::predict {
namespace {

constexpr size_t kPairsOfGroup = 2000;  // for the second stage

class Trainer {
 public:
  Trainer(const XgboostApi& api, const Dataset& data, const Recipe& recipe,
          const TrainOptions& options)
      : api_(api), all_(data), recipe_(recipe), o_(options) {}

  Result<TrainedModel> run() {
    if (auto s = choose_rows(); !s) return s.error();
    if (auto s = validate(); !s) return s.error();
    if (auto s = fit(); !s) return s.error();
    if (o_.final_test)
      if (auto s = final_test(); !s) return s.error();
    return std::move(out_);
  }

 private:
  // Which rows are learned from, and what is said of them.
  Status choose_rows() {
    const auto columns = feature_columns();
    if (all_.columns.size() != columns.size() ||
        !std::equal(columns.begin(), columns.end(), all_.columns.begin(),
                    [](const FeatureColumn& c, const std::string& name) { return c.name == name; }))
      return input_error(fmt::format(
          "the features are not those of schema {}, which this program has: make them again",
          kFeatureSetSchema));
    const auto families = all_.families();
    for (const std::string& f : o_.held_out)
      if (o_.final_test && !std::binary_search(families.begin(), families.end(), f))
        return input_error(fmt::format("the data has no family '{}'", f));
    const std::set<std::string> held(o_.held_out.begin(), o_.held_out.end());
    std::vector<size_t> rows;
    TrainingResult& r = out_.result;
    for (size_t i = 0; i < all_.rows.size(); ++i) {
      if (held.contains(all_.rows[i].family)) continue;
      rows.push_back(i);
      r.failed += !all_.rows[i].measured();
      r.rows += all_.rows[i].measured();
    }
    data_ = all_.subset(rows);
    if (!data_.extra.empty()) {
      if (o_.final_test)
        return input_error(fmt::format(
            "the column group '{}' says nothing of families held out: no final test with it",
            data_.extra.group));
      plain_ = data_.without_extra();
    }
    if (r.rows == 0) return input_error("the data has no measured row to learn from");
    if (auto s = check_target(); !s) return s;
    r.recipe = recipe_.name;
    r.target = o_.target;
    r.data_hash = all_.content.hex();
    r.files = all_.files;
    r.families = data_.families();
    r.groups = data_.groups().size();
    r.held_out = o_.held_out;
    r.least_difference = o_.least_difference;
    r.wanted_coverage = o_.coverage;
    r.wanted_accuracy = o_.pair_accuracy;
    r.seed = o_.seed;
    r.xgboost = api_.version;
    r.notes = all_.notes;
    if (o_.target != "time") recipe_.corrects_analytic = false;
    return Ok{};
  }

  Status check_target() const {
    if (o_.target == "time") return Ok{};
    std::vector<std::string_view> known{"time"};
    for (const OtherTarget& t : other_targets()) known.push_back(t.name);
    if (std::find(known.begin(), known.end(), o_.target) == known.end())
      return input_error(
          fmt::format("no target '{}'; there are {}", o_.target, fmt::join(known, ", ")));
    for (const DataRow& r : data_.rows)
      if (r.others.contains(o_.target)) return Ok{};
    return input_error(fmt::format("no row of the data has a column '{}'", o_.target));
  }

  // The target in place of the time, so that every figure is of it. Larger is not faster there:
  // only its error counts.
  Result<std::vector<ScoredRow>> scored(std::span<const Split> splits, const Recipe& recipe) {
    return cross_predict(api_, data_, splits, recipe, o_.workers, o_.target);
  }

  TrainingLine line_of(std::string split, std::string score, std::span<const ScoredRow> rows) {
    TrainingLine line;
    line.split = std::move(split);
    line.score = std::move(score);
    line.rows = rows.size();
    if (o_.target == "time") {
      line.metrics = order_metrics(data_, rows, o_.least_difference, o_.seed);
      line.pooled = pooled_agreement(data_, rows, o_.seed);
    }
    return line;
  }

  // Figures of one kind of split: the recipe's, then those of the others.
  Result<std::vector<ScoredRow>> compare(const std::string& name, std::span<const Split> splits,
                                         bool unseen) {
    auto rows = scored(splits, recipe_);
    if (!rows) return rows.error();
    TrainingLine line = line_of(name, recipe_.name, *rows);
    if (!data_.extra.empty())
      if (auto s = against_without(name, splits, line); !s) return s.error();
    const CoverageResult c = cross_coverage(data_, *rows, o_.coverage, unseen, o_.seed, o_.target);
    line.coverage = c.coverage;
    line.half_width = c.mean_half_width;
    out_.model.validation.push_back(
        {name, line.metrics.pairwise, line.metrics.spearman, line.metrics.top5, c.coverage.value});
    out_.result.lines.push_back(std::move(line));
    for (const std::string& other : o_.against) {
      auto recipe = find_recipe(other);
      if (!recipe) return recipe.error();
      auto others = cross_predict(api_, data_.extra.empty() ? data_ : plain_, splits, *recipe,
                                  o_.workers, o_.target);
      if (!others) return others.error();
      out_.result.lines.push_back(line_of(name, other, *others));
    }
    return rows;
  }

  // What the extra columns add: the same recipe without them, on the same splits.
  Status against_without(const std::string& name, std::span<const Split> splits,
                         TrainingLine& with) {
    const auto rows = cross_predict(api_, plain_, splits, recipe_, o_.workers, o_.target);
    if (!rows) return rows.error();
    TrainingLine line = line_of(name, recipe_.name + " without " + data_.extra.group, *rows);
    if (o_.target == "time") {
      const MetricsSummary gain = paired_difference(with.metrics, line.metrics, o_.seed);
      with.pairwise_gain = gain.pairwise;
      with.top5_gain = gain.top5;
    }
    out_.result.lines.push_back(std::move(line));
    return Ok{};
  }

  Status validate() {
    const auto folds = folds_within_families(data_, o_.folds, o_.seed);
    auto within = compare(fmt::format("{}-fold within family", o_.folds), folds, false);
    if (!within) return within.error();
    std::vector<ScoredRow> apart;
    if (o_.by_family && out_.result.families.size() > 1) {
      auto rows = compare("family left out", leave_one_family_out(data_), true);
      if (!rows) return rows.error();
      apart = std::move(*rows);
    }
    if (o_.by_target) {
      const auto splits = leave_one_target_out(data_);
      if (splits.size() < 2) {
        out_.result.notes.push_back("the data has one target; none can be left out");
      } else if (auto rows = compare("target left out", splits, true); !rows) {
        return rows.error();
      }
    }
    for (unsigned n : o_.shots)
      if (auto s = few_shots(n); !s) return s;
    if (o_.untrained && o_.target == "time") untrained();
    return calibrate_by(*within, apart);
  }

  Status few_shots(unsigned n) {
    const auto splits = few_shot(data_, n, o_.seed);
    auto rows = cross_predict(api_, data_.extra.empty() ? data_ : plain_, splits, recipe_,
                              o_.workers, o_.target);
    if (!rows) return rows.error();
    out_.result.lines.push_back(
        line_of(fmt::format("{} of the family measured", n),
                data_.extra.empty() ? recipe_.name : recipe_.name + " without " + data_.extra.group,
                *rows));
    return Ok{};
  }

  void untrained() {
    std::vector<size_t> all(data_.rows.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = i;
    std::erase_if(all, [&](size_t r) { return !data_.rows[r].measured(); });
    for (const std::string& score : untrained_scores())
      if (auto rows = untrained_rows(data_, all, score))
        out_.result.lines.push_back(line_of("untrained", score, *rows));
  }

  // Intervals, thresholds and the second stage, from rows scored by stages that had not seen them.
  Status calibrate_by(std::span<const ScoredRow> within, std::span<const ScoredRow> apart) {
    Model& m = out_.model;
    m.calibration = calibrate(calibration_rows(data_, within, o_.target),
                              calibration_rows(data_, apart, o_.target), o_.coverage);
    const auto flagged = [](std::span<const ScoredRow> rows) {
      double n = 0;
      for (const ScoredRow& s : rows) n += s.likeness.ood;
      return n / static_cast<double>(rows.size());
    };
    out_.result.ood_seen = flagged(within);
    if (!apart.empty()) out_.result.ood_unseen = flagged(apart);
    if (o_.target != "time") return Ok{};
    const auto pairs =
        judged_pairs(data_, within, m.calibration, o_.least_difference, kPairsOfGroup, o_.seed);
    if (pairs.empty()) {
      out_.result.notes.push_back(
          "no second stage: no two variants of a group differ by more than the noise");
      return Ok{};
    }
    auto second = fit_second_stage(api_, pairs, {o_.pair_accuracy, recipe_.boost.seed, o_.workers});
    if (!second) return second.error();
    out_.result.curve = std::move(second->curve);
    out_.result.at_threshold = second->at_threshold;
    m.second = std::move(second->stage);
    return Ok{};
  }

  Status fit() {
    Split everything;
    everything.name = "all rows";
    for (size_t i = 0; i < data_.rows.size(); ++i)
      if (data_.rows[i].measured()) everything.train.push_back(i);
    Model& m = out_.model;
    if (!data_.extra.empty()) {
      auto with = data_.with_extra(everything.name, {});
      if (!with) return with.error();
      m.extra_group = data_.extra.group;
      data_ = std::move(*with);
    }
    auto stages = fit_stages(api_, data_, everything, recipe_, o_.target);
    if (!stages) return stages.error();
    m.recipe = recipe_.name;
    m.target = o_.target;
    m.corrects_analytic = stages->corrects_analytic;
    m.time = std::move(stages->time);
    m.order = std::move(stages->order);
    m.order_share = stages->order_share;
    m.unseen_trust = stages->unseen_trust;
    m.space = std::move(stages->space);
    describe_origin();
    const auto names = Inputs(m.time.view, m.time.groups, m.time.extra).names();
    const auto shares = m.time.forest.importance();
    for (size_t i = 0; i < names.size(); ++i)
      if (shares[i] > 0) out_.result.importance.push_back({names[i], shares[i]});
    std::stable_sort(out_.result.importance.begin(), out_.result.importance.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return Ok{};
  }

  void describe_origin() {
    ModelOrigin& o = out_.model.origin;
    std::set<std::string> compilers, targets, gpus, protocols;
    for (const DataRow& r : data_.rows) {
      if (!r.measured()) continue;
      compilers.insert(r.compiler);
      targets.insert(r.target);
      gpus.insert(r.gpu);
      protocols.insert(r.protocol);
    }
    for (auto* set : {&compilers, &targets, &gpus, &protocols}) set->erase("");
    o.data_hash = all_.content.hex();
    o.families = out_.result.families;
    o.compilers.assign(compilers.begin(), compilers.end());
    o.targets.assign(targets.begin(), targets.end());
    o.gpus.assign(gpus.begin(), gpus.end());
    o.protocols.assign(protocols.begin(), protocols.end());
    o.rows = out_.result.rows;
    o.seed = o_.seed;
    o.xgboost = api_.version;
    o.tool = o_.tool;
  }

  // The model on families that nothing of it has seen.
  Status final_test() {
    const Split split = families_apart(all_, o_.held_out);
    const std::set<size_t> test(split.test.begin(), split.test.end());
    std::vector<ScoredRow> rows;
    std::map<std::string, std::pair<double, double>> covered;
    for (const auto& members : all_.groups()) {
      if (!test.contains(members[0])) continue;
      std::vector<std::span<const double>> features;
      for (size_t r : members) features.push_back(all_.feature_row(r));
      const auto predictions = predict_group(out_.model, features);
      for (size_t i = 0; i < members.size(); ++i) {
        const Prediction& p = predictions[i];
        rows.push_back({members[i], 0, std::log(p.us), std::log(p.score), p.likeness});
        const double t = target_of(all_.rows[members[i]], o_.target);
        if (!p.known() || std::isnan(t)) continue;
        auto& [in, n] = covered[all_.rows[members[i]].family];
        in += t >= p.lo_us && t <= p.hi_us;
        ++n;
      }
    }
    TrainingLine line;
    line.split = "final test";
    line.score = recipe_.name;
    line.rows = rows.size();
    if (o_.target == "time") {
      line.metrics = order_metrics(all_, rows, o_.least_difference, o_.seed);
      line.pooled = pooled_agreement(all_, rows, o_.seed);
    }
    std::vector<GroupMetrics> families;
    for (const auto& [family, c] : covered) {
      GroupMetrics g;
      g.family = family;
      g.pairwise = c.first / c.second;
      families.push_back(g);
    }
    line.coverage = summarise(std::move(families), o_.seed).pairwise;
    out_.result.lines.push_back(std::move(line));
    for (const std::string& other : o_.against)
      if (auto s = final_of(other, split); !s) return s;
    if (o_.untrained && o_.target == "time")
      for (const std::string& score : untrained_scores())
        if (auto scores = untrained_rows(all_, split.test, score))
          out_.result.lines.push_back(final_line("untrained, " + score, *scores));
    return Ok{};
  }

  TrainingLine final_line(const std::string& score, std::span<const ScoredRow> rows) const {
    TrainingLine line;
    line.split = "final test";
    line.score = score;
    line.rows = rows.size();
    if (o_.target == "time") {
      line.metrics = order_metrics(all_, rows, o_.least_difference, o_.seed);
      line.pooled = pooled_agreement(all_, rows, o_.seed);
    }
    return line;
  }

  Status final_of(const std::string& other, const Split& split) {
    auto recipe = find_recipe(other);
    if (!recipe) return recipe.error();
    auto rows = cross_predict(api_, all_, std::span(&split, 1), *recipe, 1, o_.target);
    if (!rows) return rows.error();
    out_.result.lines.push_back(final_line(other, *rows));
    return Ok{};
  }

  const XgboostApi& api_;
  const Dataset& all_;
  Dataset data_;   // without the families held out
  Dataset plain_;  // the same without extra columns, where there are any
  Recipe recipe_;
  const TrainOptions& o_;
  TrainedModel out_;
};

}  // namespace

Result<TrainedModel> train_model(const XgboostApi& api, const Dataset& data, const Recipe& recipe,
                                 const TrainOptions& options) {
  return Trainer(api, data, recipe, options).run();
}

}  // namespace pitot::predict
