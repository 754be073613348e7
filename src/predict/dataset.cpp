#include "predict/dataset.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

namespace pitot::predict {

std::span<const OtherTarget> other_targets() {
  static constexpr OtherTarget kTargets[] = {
      {"achieved_occupancy", "share of the SM's warps, 0 to 1"},
      {"bandwidth_gb_per_s", "10^9 bytes a second to and from DRAM"},
      {"throughput_ginst_per_s", "10^9 warp instructions a second"},
      {"power_w", "watts"},
  };
  return kTargets;
}

std::optional<size_t> Dataset::column(std::string_view name) const {
  const auto at = std::find(columns.begin(), columns.end(), name);
  if (at == columns.end()) return std::nullopt;
  return static_cast<size_t>(at - columns.begin());
}

std::vector<std::vector<size_t>> Dataset::groups() const {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::vector<size_t>>
      by_name;
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].measured()) by_name[{rows[i].family, rows[i].size, rows[i].gpu}].push_back(i);
  std::vector<std::vector<size_t>> out;
  for (auto& [name, members] : by_name) out.push_back(std::move(members));
  return out;
}

std::vector<std::string> Dataset::families() const {
  std::set<std::string> names;
  for (const DataRow& r : rows) names.insert(r.family);
  return {names.begin(), names.end()};
}

Dataset Dataset::subset(std::span<const size_t> wanted) const {
  Dataset out;
  out.columns = columns;
  out.content = content;
  out.files = files;
  for (size_t r : wanted) {
    out.rows.push_back(rows[r]);
    const auto f = feature_row(r);
    out.features.insert(out.features.end(), f.begin(), f.end());
  }
  return out;
}

}  // namespace pitot::predict
