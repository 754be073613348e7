#include "predict/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "predict/analytic.h"
#include "support/parallel.h"

namespace pitot::predict {
namespace {

using Rows = std::vector<std::span<const double>>;
constexpr unsigned kSpaceFolds = 5;
constexpr double kInside = 0.99;  // of rows like those learned from, not flagged

double log_analytic(std::span<const double> row) {
  const auto score = analytic_score(row);
  return score && score->us > 0 ? std::log(score->us) : std::nan("");
}

// The training rows by group, each with what it is to say.
class LabelledRows {
 public:
  LabelledRows(const Dataset& data, const Split& split, double shot_weight, bool less_analytic,
               const std::string& target)
      : data_(data) {
    const std::set<size_t> train(split.train.begin(), split.train.end());
    const std::set<size_t> shots(split.shots.begin(), split.shots.end());
    std::map<std::string, double> of_family;
    for (const auto& members : data.groups()) {
      Group g;
      g.members = members;
      for (size_t i = 0; i < members.size(); ++i) {
        const size_t r = members[i];
        if (!train.contains(r)) continue;
        const double base = less_analytic ? log_analytic(data.feature_row(r)) : 0;
        const double label = std::log(target_of(data.rows[r], target)) - base;
        if (!std::isfinite(label)) continue;
        g.used.push_back({i, label, shots.contains(r) ? shot_weight : 0});
        if (!shots.contains(r)) of_family[data.rows[r].family] += 1;
        ++count;
      }
      if (!g.used.empty()) groups.push_back(std::move(g));
    }
    double total = 0;
    for (const auto& [family, n] : of_family) total += n;
    for (Group& g : groups)
      for (Used& u : g.used) {
        const std::string& family = data.rows[g.members[u.member]].family;
        if (u.weight == 0)
          u.weight = total / (static_cast<double>(of_family.size()) * of_family[family]);
      }
  }

  struct Used {
    size_t member = 0;  // of the group's members
    double label = 0, weight = 0;
  };
  struct Group {
    std::vector<size_t> members;  // all measured rows, in training or not
    std::vector<Used> used;
  };

  // Appends the inputs of the used rows, by all rows of their groups.
  Matrix inputs(const Inputs& view) const {
    Matrix out;
    out.columns = view.names().size();
    for (const Group& g : groups) {
      Rows rows;
      for (size_t r : g.members) rows.push_back(data_.feature_row(r));
      const Matrix m = view.group(rows);
      for (const Used& u : g.used) out.append(m.row(u.member));
    }
    return out;
  }

  std::vector<Group> groups;
  size_t count = 0;

 private:
  const Dataset& data_;
};

Result<Forest> fit_time(const XgboostApi& api, const LabelledRows& rows, const Matrix& inputs,
                        const BoostOptions& options) {
  std::vector<float> labels, weights;
  for (const auto& g : rows.groups)
    for (const auto& u : g.used) {
      labels.push_back(to_float(u.label));
      weights.push_back(to_float(u.weight));
    }
  return boost(api, {inputs, labels, weights}, options);
}

// Leaves times `factor`, so that what a forest says has another scale or direction.
Result<Forest> scaled(const Forest& forest, float factor) {
  std::vector<Tree> trees = forest.trees();
  for (Tree& t : trees)
    for (TreeNode& n : t)
      if (n.left < 0) n.value *= factor;
  return Forest::build(std::move(trees), 0, forest.features());
}

// A ranker's margins have no unit: the factor that brings them nearest to the labels.
float label_scale(const Forest& forest, const Matrix& inputs, const std::vector<float>& labels) {
  double xy = 0, xx = 0;
  for (size_t r = 0; r < inputs.rows(); ++r) {
    const double m = static_cast<double>(forest.margin(inputs.row(r)) - forest.base());
    xy += m * static_cast<double>(labels[r]);
    xx += m * m;
  }
  return xx > 0 ? static_cast<float>(xy / xx) : 1.0f;
}

Result<Forest> fit_order(const XgboostApi& api, const LabelledRows& rows, const Inputs& view,
                         const BoostOptions& options) {
  const Matrix inputs = rows.inputs(view);
  const bool ranks = options.objective.starts_with("rank:");
  std::vector<float> labels, weights;
  std::vector<unsigned> sizes;
  for (const auto& g : rows.groups) {
    double mean = 0, weight = 0;
    for (const auto& u : g.used) {
      mean += u.label / static_cast<double>(g.used.size());
      weight += u.weight / static_cast<double>(g.used.size());
    }
    for (const auto& u : g.used) {
      labels.push_back(to_float(u.label - mean));
      if (!ranks) weights.push_back(to_float(u.weight));
    }
    if (ranks) {
      weights.push_back(to_float(weight));
      sizes.push_back(static_cast<unsigned>(g.used.size()));
    }
  }
  if (!ranks) return boost(api, {inputs, labels, weights}, options);
  // More is better there: faster first.
  std::vector<float> relevance;
  for (float l : labels) relevance.push_back(-l);
  auto forest = boost(api, {inputs, relevance, weights, {}, sizes}, options);
  if (!forest) return forest;
  return scaled(*forest, label_scale(*forest, inputs, labels));
}

// Distances that variants of families learned from have when they are not learned from: each fifth
// of them against the space of the others.
void set_thresholds(const LabelledRows& rows, const Dataset& data, const Matrix& inputs,
                    const std::vector<std::string>& families, TrainingSpace& space) {
  std::vector<unsigned> part;
  for (const auto& g : rows.groups)
    for (const auto& u : g.used)
      part.push_back(static_cast<unsigned>(hash_bytes(data.rows[g.members[u.member]].variant).low %
                                           kSpaceFolds));
  std::vector<Likeness> like;
  for (unsigned f = 0; f < kSpaceFolds; ++f) {
    Matrix learned;
    learned.columns = inputs.columns;
    std::vector<std::string> names;
    for (size_t r = 0; r < part.size(); ++r) {
      if (part[r] == f) continue;
      learned.append(inputs.row(r));
      names.push_back(families[r]);
    }
    if (names.empty()) continue;
    const TrainingSpace others = TrainingSpace::fit(learned, names);
    for (size_t r = 0; r < part.size(); ++r)
      if (part[r] == f) like.push_back(others.likeness(inputs.row(r)));
  }
  space.set_thresholds(like, kInside);
}

}  // namespace

std::vector<std::string> extra_columns(const Dataset& data) {
  if (data.columns.size() <= kColumnCount) return {};
  return {data.columns.begin() + static_cast<ptrdiff_t>(kColumnCount), data.columns.end()};
}

double target_of(const DataRow& row, const std::string& target) {
  if (!row.measured()) return std::nan("");
  if (target == "time") return row.median_us;
  const auto at = row.others.find(target);
  return at == row.others.end() ? std::nan("") : at->second;
}

Result<FittedStages> fit_stages(const XgboostApi& api, const Dataset& data, const Split& split,
                                const Recipe& recipe, const std::string& target) {
  const LabelledRows rows(data, split, recipe.shot_weight, recipe.corrects_analytic, target);
  if (rows.count == 0)
    return input_error(fmt::format("{}: no measured row with features{} to learn from", split.name,
                                   target == "time" ? "" : " and " + target));
  FittedStages out;
  out.corrects_analytic = recipe.corrects_analytic;
  const auto extra = extra_columns(data);
  const Inputs own(recipe.view, recipe.groups);
  const Matrix plain_inputs = rows.inputs(own);
  auto time = extra.empty()
                  ? fit_time(api, rows, plain_inputs, recipe.boost)
                  : fit_time(api, rows, rows.inputs(Inputs(recipe.view, recipe.groups, extra)),
                             recipe.boost);
  if (!time) return time.error();
  out.time = {recipe.view, recipe.groups, extra, std::move(*time)};
  if (recipe.order_share > 0) {
    // The time itself, and not what the analytic score lacks of it: that is one of the inputs.
    const LabelledRows plain(data, split, recipe.shot_weight, false, target);
    auto order =
        fit_order(api, plain, Inputs(InputView::kRelative, recipe.groups, extra), recipe.order);
    if (!order) return order.error();
    out.order = Stage{InputView::kRelative, recipe.groups, extra, std::move(*order)};
    out.order_share = recipe.order_share;
  }
  std::vector<std::string> families;
  for (const auto& g : rows.groups)
    families.insert(families.end(), g.used.size(), data.rows[g.members[0]].family);
  out.unseen_trust = recipe.unseen_trust;
  out.space = TrainingSpace::fit(plain_inputs, families);
  set_thresholds(rows, data, plain_inputs, families, out.space);
  return out;
}

Result<std::vector<ScoredRow>> cross_predict(const XgboostApi& api, const Dataset& data,
                                             std::span<const Split> splits, const Recipe& recipe,
                                             unsigned workers, const std::string& target) {
  const auto groups = data.groups();
  const Inputs view(recipe.view, recipe.groups);  // what likeness is of
  std::vector<Result<std::vector<ScoredRow>>> parts(splits.size(), std::vector<ScoredRow>{});
  parallel_for(splits.size(), workers, [&](size_t s) {
    if (splits[s].test.empty()) return;
    std::optional<Dataset> widened;
    if (!data.extra.empty()) {
      auto with = data.with_extra(splits[s].name, splits[s].test);
      if (!with) {
        parts[s] = with.error();
        return;
      }
      widened = std::move(*with);
    }
    const Dataset& seen = widened ? *widened : data;
    const auto fitted = fit_stages(api, seen, splits[s], recipe, target);
    if (!fitted) {
      parts[s] = fitted.error();
      return;
    }
    const std::set<size_t> test(splits[s].test.begin(), splits[s].test.end());
    std::vector<float> own;
    for (const auto& members : groups) {
      if (std::none_of(members.begin(), members.end(), [&](size_t r) { return test.contains(r); }))
        continue;
      Rows rows;
      std::vector<Likeness> likeness;
      for (size_t r : members) {
        rows.push_back(seen.feature_row(r));
        own.clear();
        view.append(rows.back(), own);
        likeness.push_back(fitted->space.likeness(own));
      }
      const auto logs =
          stage_logs({&fitted->time, fitted->order ? &*fitted->order : nullptr, fitted->order_share,
                      fitted->corrects_analytic, is_unlike(likeness) ? fitted->unseen_trust : 1},
                     rows);
      for (size_t i = 0; i < members.size(); ++i) {
        if (!test.contains(members[i])) continue;
        parts[s]->push_back({members[i], static_cast<unsigned>(s), logs.time[i], logs.score[i],
                             std::move(likeness[i])});
      }
    }
  });
  std::vector<ScoredRow> out;
  for (auto& part : parts) {
    if (!part) return part.error();
    out.insert(out.end(), part->begin(), part->end());
  }
  return out;
}

}  // namespace pitot::predict
