#include "predict/dataset.h"

#include <fmt/format.h>

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
  out.extra.group = extra.group;
  out.extra.names = extra.names;
  for (const auto& [split, part] : extra.parts) {
    ExtraColumns::Part& own = out.extra.parts[split];
    for (size_t r : wanted) {
      const auto first = part.values.begin() + static_cast<ptrdiff_t>(r * extra.names.size());
      own.values.insert(own.values.end(), first,
                        first + static_cast<ptrdiff_t>(extra.names.size()));
      own.learned.push_back(part.learned[r]);
    }
  }
  return out;
}

Result<Dataset> Dataset::with_extra(const std::string& split,
                                    std::span<const size_t> tested) const {
  const auto at = extra.parts.find(split);
  if (at == extra.parts.end()) {
    std::string there;
    for (const auto& [name, part] : extra.parts) there += (there.empty() ? "" : ", ") + name;
    return input_error(fmt::format("the column group '{}' has no part for '{}'; there are {}",
                                   extra.group, split, there));
  }
  const ExtraColumns::Part& part = at->second;
  for (const size_t r : tested)
    if (part.learned[r])
      return input_error(fmt::format(
          "the column group '{}' has learned from {} {}, which '{}' tests: it was made with "
          "another seed, other folds or other rows",
          extra.group, rows[r].family, rows[r].variant, split));
  Dataset out = without_extra();
  out.columns.insert(out.columns.end(), extra.names.begin(), extra.names.end());
  out.features.clear();
  const size_t width = extra.names.size();
  for (size_t r = 0; r < rows.size(); ++r) {
    const auto f = feature_row(r);
    out.features.insert(out.features.end(), f.begin(), f.end());
    const auto first = part.values.begin() + static_cast<ptrdiff_t>(r * width);
    out.features.insert(out.features.end(), first, first + static_cast<ptrdiff_t>(width));
  }
  return out;
}

Dataset Dataset::without_extra() const {
  Dataset out;
  out.columns = columns;
  out.rows = rows;
  out.features = features;
  out.content = content;
  out.files = files;
  out.notes = notes;
  return out;
}

}  // namespace pitot::predict
