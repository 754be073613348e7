#include "predict/data_append.h"

#include <fmt/format.h>

#include <set>

#include "support/csv.h"
#include "support/csv_table.h"

namespace pitot::predict {
namespace {

const std::vector<std::string>& standard_columns() {
  static const std::vector<std::string> kColumns{
      "ptx_hash", "target",   "compiler", "grid_x",         "grid_y", "grid_z",
      "block_x",  "block_y",  "block_z",  "dynamic_shared", "status", "median_us",
      "ci_lo_us", "ci_hi_us", "samples",  "noise",          "gpu",    "driver",
      "sm_mhz",   "protocol", "tool"};
  return kColumns;
}

// family, variant, size, the parameters in order of name, the rest.
std::vector<std::string> columns_for(const NewRow& row) {
  std::vector<std::string> out{"family", "variant", "size"};
  for (const auto& [name, value] : row.fields)
    if (name.starts_with("p_")) out.push_back(name);
  out.insert(out.end(), standard_columns().begin(), standard_columns().end());
  return out;
}

std::string joined(const std::vector<std::string>& fields) {
  std::string out;
  for (size_t i = 0; i < fields.size(); ++i) out += (i > 0 ? "," : "") + csv_field(fields[i]);
  return out + "\n";
}

std::string field_of(const NewRow& row, const std::string& name) {
  const auto at = row.fields.find(name);
  return at == row.fields.end() ? "" : at->second;
}

// Which rows are there; a file without a column has it empty.
std::set<std::vector<std::string>> keys_of(const CsvTable& table,
                                           const std::vector<std::string>& key) {
  std::set<std::vector<std::string>> out;
  for (const auto& row : table.rows) {
    std::vector<std::string> fields;
    for (const std::string& name : key) {
      const auto c = table.column(name);
      fields.push_back(c ? row[*c].text : "");
    }
    out.insert(std::move(fields));
  }
  return out;
}

std::string ended(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out.back() != '\n') out += '\n';
  return out;
}

}  // namespace

AppendedText append_rows(const SourceText& rows, const SourceText& features,
                         const std::vector<NewRow>& added, Diagnostics& row_problems,
                         Diagnostics& feature_problems) {
  AppendedText out{ended(rows.text()), ended(features.text())};
  if (added.empty()) return out;
  const std::vector<std::string> leading{"family", "variant", "size"};
  CsvTable table, feature_table;
  std::vector<std::string> columns;
  if (out.rows.empty()) {
    columns = columns_for(added.front());
    out.rows = joined(columns);
  } else {
    table = read_csv(rows, row_problems);
    for (const CsvField& f : table.header) columns.push_back(f.text);
  }
  const std::string header = feature_csv_header(leading);
  if (out.features.empty()) {
    out.features = header;
  } else {
    feature_table = read_csv(features, feature_problems);
    if (!out.features.starts_with(header))
      feature_problems.error(
          "data-schema", {},
          fmt::format("the columns are not family, variant, size and those of feature schema {}",
                      kFeatureSetSchema));
  }
  if (row_problems.errors() > 0 || feature_problems.errors() > 0) return out;
  const std::vector<std::string> key{"family", "variant", "size", "gpu"};
  auto known = keys_of(table, key);
  auto known_features = keys_of(feature_table, leading);
  for (const NewRow& row : added) {
    std::vector<std::string> own, own_leading, fields;
    for (const std::string& name : key) own.push_back(field_of(row, name));
    for (const std::string& name : leading) own_leading.push_back(field_of(row, name));
    if (!known.insert(own).second) {
      ++out.known;
      continue;
    }
    for (const std::string& name : columns) fields.push_back(field_of(row, name));
    out.rows += joined(fields);
    if (known_features.insert(own_leading).second)
      out.features += feature_csv_line(own_leading, row.features);
    ++out.added;
  }
  return out;
}

}  // namespace pitot::predict
