// Features of the configurations of a sweep as a CSV, so that they are ranked without compilers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "candidates.h"
#include "knob_variants.h"
#include "knobs/table.h"

namespace pitot::cli {

// kernel, matrix_size, a column a knob, gpu, target, compiler, then the columns of the feature
// schema.
std::string knob_features_header(const std::vector<std::string>& knobs);
std::string knob_features_line(const Candidate& candidate, const predict::FeatureRow& row,
                               const KnobVariant& variant, const arch::Gpu& gpu);

struct KnobFeatureRow {
  std::string gpu, target, compiler;
  std::vector<double> values;  // kColumnCount
};
// By case and configuration of the table; what the table has not is passed over.
using KnobFeatures = std::map<std::pair<size_t, size_t>, KnobFeatureRow>;
// Nothing after errors, which are printed; exit code 2.
std::optional<KnobFeatures> read_knob_features(const std::string& path, const knobs::Table& table,
                                               Options& options);

}  // namespace pitot::cli
