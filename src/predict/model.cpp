#include "predict/model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "predict/analytic.h"
#include "predict/numbers.h"

namespace pitot::predict {
namespace {

double analytic_us(std::span<const double> row) {
  const auto score = analytic_score(row);
  return score && score->us > 0 ? score->us : kUnknownValue;
}

std::vector<double> margins(const Stage& stage, std::span<const std::span<const double>> rows) {
  const Matrix m = Inputs(stage.view, stage.groups, stage.extra).group(rows);
  std::vector<double> out;
  for (size_t r = 0; r < m.rows(); ++r)
    out.push_back(static_cast<double>(stage.forest.margin(m.row(r))));
  return out;
}

}  // namespace

bool is_unlike(std::span<const Likeness> group) {
  const auto unlike =
      std::count_if(group.begin(), group.end(), [](const Likeness& l) { return l.ood; });
  return 2 * static_cast<size_t>(unlike) > group.size();
}

StageLogs stage_logs(const StageMix& stages, std::span<const std::span<const double>> rows) {
  StageLogs out;
  out.time = margins(*stages.time, rows);
  std::vector<double> analytic;
  for (size_t i = 0; i < rows.size(); ++i) {
    analytic.push_back(std::log(analytic_us(rows[i])));
    if (stages.corrects_analytic) out.time[i] += analytic[i];
  }
  out.score = out.time;
  if (rows.size() < 2) return out;
  const double mean_time = mean_known(out.time), mean_analytic = mean_known(analytic);
  std::vector<double> relative(rows.size(), 0.0);
  if (stages.order != nullptr) relative = margins(*stages.order, rows);
  const double share = stages.order != nullptr ? stages.order_share : 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const double learned = share * (mean_time + relative[i]) + (1 - share) * out.time[i];
    const double untrained = mean_time + analytic[i] - mean_analytic;
    out.score[i] =
        stages.trust == 1 ? learned : stages.trust * learned + (1 - stages.trust) * untrained;
  }
  return out;
}

std::vector<Prediction> predict_group(const Model& model,
                                      std::span<const std::span<const double>> rows) {
  const Inputs inputs(model.time.view, model.time.groups);
  std::vector<Likeness> likeness;
  std::vector<float> own;
  for (const auto& row : rows) {
    own.clear();
    inputs.append(row, own);
    likeness.push_back(model.space.likeness(own));
  }
  const StageLogs logs =
      stage_logs({&model.time, model.order ? &*model.order : nullptr, model.order_share,
                  model.corrects_analytic, is_unlike(likeness) ? model.unseen_trust : 1},
                 rows);
  std::vector<Prediction> out;
  for (size_t i = 0; i < rows.size(); ++i) {
    Prediction p;
    p.us = std::exp(logs.time[i]);
    p.score = std::exp(logs.score[i]);
    p.analytic_us = analytic_us(rows[i]);
    p.likeness = std::move(likeness[i]);
    const double half = half_width(model.calibration, p.likeness);
    p.lo_us = p.us * std::exp(-half);
    p.hi_us = p.us * std::exp(half);
    out.push_back(std::move(p));
  }
  return out;
}

std::vector<Prediction> analytic_group(std::span<const std::span<const double>> rows) {
  std::vector<Prediction> out;
  for (const auto& row : rows) {
    Prediction p;
    p.us = p.score = p.analytic_us = analytic_us(row);
    p.lo_us = 0;
    p.hi_us = kInfinite;
    out.push_back(std::move(p));
  }
  return out;
}

}  // namespace pitot::predict
