// The columns of a row for prediction: a kernel in one launch on one GPU, as numbers in a fixed,
// versioned order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "analysis/features.h"

namespace pitot::predict {

// Where a column comes from, and so what has to be there for it.
enum class FeatureGroup : uint8_t {
  kStatic,    // the PTX; loop-weighted columns use the launch's values where they are known
  kLaunch,    // grid, block and what of them fits an SM
  kGpu,       // the GPU table
  kPtxas,     // ptxas -v
  kEmulated,  // a profile of sampled blocks
};
inline constexpr size_t kFeatureGroups = 5;
std::string_view name_of(FeatureGroup group);  // "static"

// Columns besides the static ones, which are analysis::Feature and come first.
enum class Column : uint16_t {
  kBeforeFirst = static_cast<uint16_t>(analysis::kFeatureCount) - 1,
#define PITOT_COLUMN(id, name, group, unit, doc) id,
#include "predict/column_list.inc"
#undef PITOT_COLUMN
  kCount,
};
inline constexpr size_t kColumnCount = static_cast<size_t>(Column::kCount);
// Raised by one whenever the list changes, that of the static columns included.
inline constexpr int kFeatureSetSchema = 2;

struct FeatureColumn {
  std::string_view name, unit, doc;
  FeatureGroup group = FeatureGroup::kStatic;
};
std::span<const FeatureColumn> feature_columns();  // kColumnCount rows; names are unique
std::optional<size_t> find_column(std::string_view name);

inline size_t index_of(Column c) { return static_cast<size_t>(c); }
inline size_t index_of(analysis::Feature f) { return static_cast<size_t>(f); }

}  // namespace pitot::predict
