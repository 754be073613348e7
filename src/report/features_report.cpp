// Feature tables.
#include "report/features_report.h"

#include <fmt/format.h>

#include "report/inspect_report.h"
#include "report/json.h"
#include "support/csv.h"

namespace pitot::report {
namespace {

std::string version_text(uint16_t v) { return fmt::format("{}.{}", v / 10, v % 10); }

Json row_json(const FeatureTable& t, const FeatureLine& r) {
  Json row{{"path", r.path},
           {"kernel", r.kernel},
           {"producer", r.producer},
           {"version", version_text(r.version)},
           {"target", r.target}};
  for (size_t i = 0; i < t.columns.size(); ++i) row[t.columns[i].name] = number_json(r.values[i]);
  return row;
}

}  // namespace

std::string features_csv(const FeatureTable& t) {
  std::string out = "path,kernel,producer,version,target";
  for (const auto& c : t.columns) out += "," + c.name;
  out += "\n";
  for (const auto& r : t.rows) {
    out += csv_field(r.path) + "," + csv_field(r.kernel) + "," + csv_field(r.producer) + "," +
           version_text(r.version) + "," + r.target;
    for (double v : r.values) out += "," + number(v);
    out += "\n";
  }
  return out;
}

std::string features_jsonl(const FeatureTable& t) {
  std::string out;
  for (const auto& r : t.rows)
    out += row_json(t, r).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return out;
}

std::string features_json(const FeatureTable& t) {
  Json rows = Json::array();
  for (const auto& r : t.rows) rows.push_back(row_json(t, r));
  return dump(Json{
      {"schema", "pitot.features/1"}, {"feature_schema", t.schema}, {"rows", std::move(rows)}});
}

std::string features_schema(const FeatureTable& t) {
  std::string out =
      fmt::format("feature schema {}: {} columns after path, kernel, producer, version, target\n",
                  t.schema, t.columns.size());
  for (const auto& c : t.columns) out += fmt::format("{:<22} {:<26} {}\n", c.name, c.unit, c.doc);
  return out;
}

}  // namespace pitot::report
