// Feature rows as CSV, JSON and JSON lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pitot::report {

struct FeatureColumn {
  std::string name, unit, doc;
};

struct FeatureLine {
  std::string path, kernel, producer;
  uint16_t version = 0;  // of PTX, major × 10 + minor
  std::string target;
  size_t errors = 0;  // of the parser: counts may be short
  std::vector<double> values;
};

struct FeatureTable {
  int schema = 0;
  std::vector<FeatureColumn> columns;
  std::vector<FeatureLine> rows;
};

// Columns path, kernel, producer, version, target, then the features.
std::string features_csv(const FeatureTable& table);
std::string features_jsonl(const FeatureTable& table);  // one object a line
std::string features_json(const FeatureTable& table);
std::string features_schema(const FeatureTable& table);  // text: name, unit, meaning

}  // namespace pitot::report
