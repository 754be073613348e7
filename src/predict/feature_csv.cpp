// Rows of features as CSV; declared in row_features.h.
#include <fmt/format.h>

#include <cmath>

#include "predict/row_features.h"
#include "support/csv.h"

namespace pitot::predict {
namespace {

std::string line_of(std::span<const std::string> leading) {
  std::string out;
  for (const std::string& field : leading) {
    if (!out.empty() || &field != leading.data()) out += ',';
    out += csv_field(field);
  }
  return out;
}

}  // namespace

std::string feature_csv_header(std::span<const std::string> leading) {
  std::string out = line_of(leading);
  for (const FeatureColumn& c : feature_columns()) {
    if (!out.empty()) out += ',';
    out += c.name;
  }
  return out + '\n';
}

std::string feature_csv_line(std::span<const std::string> leading, const FeatureRow& row) {
  std::string out = line_of(leading);
  for (double v : row.values) {
    if (&v != row.values.data() || !leading.empty()) out += ',';
    out += std::isnan(v) ? "nan" : fmt::format("{}", v);
  }
  return out + '\n';
}

}  // namespace pitot::predict
