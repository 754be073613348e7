#include "predict/feature_set.h"

#include <array>
#include <map>

namespace pitot::predict {
namespace {

std::array<FeatureColumn, kColumnCount> make_columns() {
  std::array<FeatureColumn, kColumnCount> out;
  size_t n = 0;
  for (const analysis::FeatureInfo& f : analysis::feature_table())
    out[n++] = {f.name, f.unit, f.doc, FeatureGroup::kStatic};
#define PITOT_COLUMN(id, name, group, unit, doc) out[n++] = {name, unit, doc, FeatureGroup::group};
#include "predict/column_list.inc"
#undef PITOT_COLUMN
  return out;
}

}  // namespace

std::string_view name_of(FeatureGroup group) {
  constexpr std::array<std::string_view, kFeatureGroups> kNames = {"static", "launch", "gpu",
                                                                   "ptxas", "emulated"};
  return kNames[static_cast<size_t>(group)];
}

std::span<const FeatureColumn> feature_columns() {
  static const std::array<FeatureColumn, kColumnCount> kColumns = make_columns();
  return kColumns;
}

std::optional<size_t> find_column(std::string_view name) {
  static const std::map<std::string_view, size_t> kByName = [] {
    std::map<std::string_view, size_t> out;
    for (size_t i = 0; i < kColumnCount; ++i) out.emplace(feature_columns()[i].name, i);
    return out;
  }();
  const auto found = kByName.find(name);
  if (found == kByName.end()) return std::nullopt;
  return found->second;
}

}  // namespace pitot::predict
