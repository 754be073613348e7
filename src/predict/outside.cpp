#include "predict/outside.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace pitot::predict {
namespace {

struct Moments {
  double n = 0, sum = 0, squares = 0;
  void add(double v) {
    n += 1;
    sum += v;
    squares += v * v;
  }
  double mean() const { return n > 0 ? sum / n : 0; }
  double deviation() const {
    return n > 0 ? std::sqrt(std::max(0.0, squares / n - mean() * mean())) : 0;
  }
};

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::numeric_limits<double>::infinity();
  std::sort(values.begin(), values.end());
  const double at = std::ceil(share * static_cast<double>(values.size())) - 1;
  return values[static_cast<size_t>(std::clamp(at, 0.0, static_cast<double>(values.size() - 1)))];
}

}  // namespace

TrainingSpace TrainingSpace::fit(const Matrix& rows, std::span<const std::string> names,
                                 double floor) {
  TrainingSpace s;
  const size_t columns = rows.columns;
  s.least.assign(columns, std::numeric_limits<float>::max());
  s.most.assign(columns, std::numeric_limits<float>::lowest());
  std::vector<Moments> all(columns);
  std::map<std::string, std::vector<Moments>> by_family;
  for (size_t r = 0; r < rows.rows(); ++r) {
    auto& own = by_family.try_emplace(names[r], columns).first->second;
    for (size_t c = 0; c < columns; ++c) {
      const float v = rows.row(r)[c];
      if (std::isnan(v)) continue;
      s.least[c] = std::min(s.least[c], v);
      s.most[c] = std::max(s.most[c], v);
      all[c].add(v);
      own[c].add(v);
    }
  }
  for (size_t c = 0; c < columns; ++c) s.scale.push_back(static_cast<float>(all[c].deviation()));
  for (const auto& [name, moments] : by_family) {
    FamilyShape f{name, {}, {}};
    for (size_t c = 0; c < columns; ++c) {
      f.mean.push_back(static_cast<float>(moments[c].mean()));
      f.deviation.push_back(static_cast<float>(
          std::max(moments[c].deviation(), floor * static_cast<double>(s.scale[c]))));
    }
    s.families.push_back(std::move(f));
  }
  return s;
}

Likeness TrainingSpace::likeness(std::span<const float> row) const {
  Likeness out;
  double beyond = 0, used = 0;
  for (size_t c = 0; c < row.size(); ++c) {
    if (std::isnan(row[c]) || least[c] > most[c]) continue;
    ++used;
    // A rounding error is not another range.
    const float slack = 1e-4f * std::max({std::fabs(least[c]), std::fabs(most[c]), 1e-3f});
    beyond += row[c] < least[c] - slack || row[c] > most[c] + slack;
  }
  out.outside = used > 0 ? beyond / used : 1;
  out.distance = std::numeric_limits<double>::infinity();
  for (const FamilyShape& f : families) {
    double sum = 0, n = 0;
    for (size_t c = 0; c < row.size(); ++c) {
      if (std::isnan(row[c]) || !(f.deviation[c] > 0)) continue;
      const double z = (static_cast<double>(row[c]) - static_cast<double>(f.mean[c])) /
                       static_cast<double>(f.deviation[c]);
      sum += std::min(z * z, 1e6);
      ++n;
    }
    const double distance = n > 0 ? std::sqrt(sum / n) : std::numeric_limits<double>::infinity();
    if (distance < out.distance) {
      out.distance = distance;
      out.nearest = f.family;
    }
  }
  out.ood = out.distance > most_distance || out.outside > most_outside;
  return out;
}

void TrainingSpace::set_thresholds(std::span<const Likeness> like, double share) {
  std::vector<double> distances, beyond;
  for (const Likeness& l : like) {
    distances.push_back(l.distance);
    beyond.push_back(l.outside);
  }
  most_distance = quantile(std::move(distances), share);
  most_outside = like.empty() ? 1 : quantile(std::move(beyond), share);
}

}  // namespace pitot::predict
