// Rows and features from CSV, with every complaint at its place.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "predict/dataset.h"
#include "predict/numbers.h"
#include "support/csv_table.h"
#include "support/hash.h"
#include "support/text.h"

namespace pitot::predict {
namespace {

// Which columns of a features file are no features.
bool is_key(std::string_view name) {
  return name == "family" || name == "variant" || name == "size" || name == "gpu";
}

std::string row_key(const std::string& family, const std::string& variant, const std::string& size,
                    const std::string& gpu) {
  return family + '\n' + variant + '\n' + size + '\n' + gpu;
}

// Access to one row's fields by name.
class FieldReader {
 public:
  FieldReader(const CsvTable& table, Diagnostics& out) : table_(table), out_(out) {}

  bool require(std::initializer_list<std::string_view> names) {
    bool all = true;
    for (std::string_view name : names) {
      if (table_.column(name)) continue;
      all = false;
      std::vector<std::string_view> there;
      for (const CsvField& f : table_.header) there.push_back(f.text);
      const std::string_view near = nearest(name, there);
      out_.error("data-column", table_.header.empty() ? SourceRange{} : table_.header[0].range,
                 fmt::format("there is no column '{}'", name),
                 near.empty() ? "" : fmt::format("did you mean it by '{}'?", near));
    }
    return all;
  }

  const CsvField* field(const std::vector<CsvField>& row, std::string_view name) const {
    const auto c = table_.column(name);
    return c ? &row[*c] : nullptr;
  }
  std::string text(const std::vector<CsvField>& row, std::string_view name) const {
    const CsvField* f = field(row, name);
    return f == nullptr ? "" : f->text;
  }
  // NaN for an empty field, and after a complaint.
  double number(const std::vector<CsvField>& row, std::string_view name) {
    const CsvField* f = field(row, name);
    if (f == nullptr || f->text.empty()) return kUnknownValue;
    if (const auto v = csv_number(f->text)) return *v;
    out_.error("data-number", f->range, fmt::format("{}: '{}' is no number", name, f->text));
    return kUnknownValue;
  }
  uint32_t count(const std::vector<CsvField>& row, std::string_view name) {
    const double v = number(row, name);
    if (std::isnan(v)) return 0;
    if (v >= 0 && v <= 4294967295.0 && v == std::floor(v)) return static_cast<uint32_t>(v);
    out_.error("data-number", field(row, name)->range,
               fmt::format("{}: {} is no whole number from 0 to 2^32 − 1", name, v));
    return 0;
  }

 private:
  const CsvTable& table_;
  Diagnostics& out_;
};

// The times of a row must be possible.
void check_times(const DataRow& row, const std::vector<CsvField>& fields, FieldReader& reader,
                 Diagnostics& out) {
  const CsvField* at = reader.field(fields, "median_us");
  if (row.status != "ok") {
    if (!std::isnan(row.median_us))
      out.error("data-time", at->range,
                fmt::format("a time, though the status is '{}'", row.status));
    return;
  }
  if (!(row.median_us > 0) || std::isinf(row.median_us)) {
    out.error("data-time", at->range, "median_us of a variant that is ok must be above 0");
    return;
  }
  if (row.median_us > 1e8)
    out.error("data-time", at->range,
              fmt::format("{} µs is more than 100 s: is that the unit?", row.median_us));
  if (row.lo_us > row.median_us || row.hi_us < row.median_us)
    out.error("data-interval", at->range,
              fmt::format("the median {} is outside its interval {} … {}", row.median_us, row.lo_us,
                          row.hi_us));
}

DataRow read_row(const std::vector<CsvField>& fields, const CsvTable& table, FieldReader& reader) {
  DataRow r;
  r.family = reader.text(fields, "family");
  r.variant = reader.text(fields, "variant");
  r.size = reader.text(fields, "size");
  r.ptx_hash = reader.text(fields, "ptx_hash");
  r.target = reader.text(fields, "target");
  r.compiler = reader.text(fields, "compiler");
  r.gpu = reader.text(fields, "gpu");
  r.driver = reader.text(fields, "driver");
  r.protocol = reader.text(fields, "protocol");
  r.tool = reader.text(fields, "tool");
  r.status = reader.text(fields, "status");
  r.grid = {reader.count(fields, "grid_x"), reader.count(fields, "grid_y"),
            reader.count(fields, "grid_z")};
  r.block = {reader.count(fields, "block_x"), reader.count(fields, "block_y"),
             reader.count(fields, "block_z")};
  r.dynamic_shared = reader.count(fields, "dynamic_shared");
  r.median_us = reader.number(fields, "median_us");
  r.lo_us = reader.number(fields, "ci_lo_us");
  r.hi_us = reader.number(fields, "ci_hi_us");
  r.noise = reader.number(fields, "noise");
  for (size_t c = 0; c < table.header.size(); ++c) {
    const std::string& name = table.header[c].text;
    if (name.starts_with("p_") && !fields[c].text.empty())
      r.parameters[name.substr(2)] = fields[c].text;
  }
  for (const OtherTarget& t : other_targets())
    if (const double v = reader.number(fields, t.name); !std::isnan(v))
      r.others[std::string(t.name)] = v;
  return r;
}

// Features by row. A file without a column `gpu` is for any.
class FeatureTable {
 public:
  FeatureTable(const CsvTable& table, Diagnostics& out)
      : table_(table), out_(out), has_gpu_(table.column("gpu").has_value()) {
    for (size_t c = 0; c < table.header.size(); ++c)
      if (!is_key(table.header[c].text)) {
        columns_.push_back(table.header[c].text);
        places_.push_back(c);
      }
    const FieldReader reader(table, out);
    for (size_t r = 0; r < table.rows.size(); ++r) {
      const auto& row = table.rows[r];
      const std::string family = reader.text(row, "family"), variant = reader.text(row, "variant"),
                        size = reader.text(row, "size");
      if (!by_key_.emplace(row_key(family, variant, size, reader.text(row, "gpu")), r).second)
        out.error(
            "data-twice", row[0].range,
            fmt::format("the features of {} {} at size {} are there twice", family, variant, size));
    }
  }

  const std::vector<std::string>& columns() const { return columns_; }

  // Whether there are any; appends a value a column.
  bool append(const DataRow& row, std::vector<double>& values) {
    const auto at =
        by_key_.find(row_key(row.family, row.variant, row.size, has_gpu_ ? row.gpu : ""));
    if (at == by_key_.end()) {
      values.insert(values.end(), columns_.size(), kUnknownValue);
      return false;
    }
    for (size_t c : places_) {
      const CsvField& f = table_.rows[at->second][c];
      const auto v = f.text.empty() ? std::optional<double>(kUnknownValue) : csv_number(f.text);
      if (!v)
        out_.error("data-number", f.range,
                   fmt::format("{}: '{}' is no number", table_.header[c].text, f.text));
      values.push_back(v.value_or(kUnknownValue));
    }
    return true;
  }

 private:
  const CsvTable& table_;
  Diagnostics& out_;
  bool has_gpu_;
  std::vector<std::string> columns_;
  std::vector<size_t> places_;
  std::map<std::string, size_t> by_key_;
};

// Columns of further files must be those of the first.
bool agree(const std::vector<std::string>& there, const std::vector<std::string>& now,
           Diagnostics& out) {
  if (there == now) return true;
  for (size_t i = 0; i < std::max(there.size(), now.size()); ++i) {
    const std::string a = i < there.size() ? there[i] : "nothing";
    const std::string b = i < now.size() ? now[i] : "nothing";
    if (a == b) continue;
    out.error("data-schema", {},
              fmt::format("feature column {} is '{}', in the files before it is '{}': features of "
                          "one version cannot be mixed with those of another",
                          i + 1, b, a));
    break;
  }
  return false;
}

// A family's times at one size that differ by 500 and more look like two units.
void suspect_units(const Dataset& data, const std::string& path, std::vector<std::string>& notes) {
  size_t no_width = 0, measured = 0;
  for (const DataRow& r : data.rows) {
    if (!r.measured()) continue;
    ++measured;
    no_width += r.lo_us == r.hi_us;
  }
  if (measured > 0 && no_width == measured)
    notes.push_back(path + ": every interval is of no width; is it one sample a variant?");
  for (const auto& group : data.groups()) {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (size_t i : group) {
      least = std::min(least, data.rows[i].median_us);
      most = std::max(most, data.rows[i].median_us);
    }
    if (most > 500 * least)
      notes.push_back(fmt::format("{}: {} at size {} takes {:.4g} to {:.4g} µs: one unit?", path,
                                  data.rows[group[0]].family, data.rows[group[0]].size, least,
                                  most));
  }
}

}  // namespace

void add_source(const SourceText& rows, const SourceText& features, Dataset& data,
                DataProblems& problems) {
  const CsvTable table = read_csv(rows, problems.rows);
  FieldReader reader(table, problems.rows);
  const CsvTable features_table = read_csv(features, problems.features);
  if (!reader.require({"family", "variant", "size", "status", "median_us", "target", "gpu"}) ||
      !FieldReader(features_table, problems.features).require({"family", "variant", "size"}))
    return;
  FeatureTable feature_rows(features_table, problems.features);
  if (data.columns.empty()) data.columns = feature_rows.columns();
  if (!agree(data.columns, feature_rows.columns(), problems.features)) return;

  std::set<std::string> seen;
  for (const DataRow& r : data.rows) seen.insert(row_key(r.family, r.variant, r.size, r.gpu));
  Dataset added;
  added.columns = data.columns;
  for (const auto& fields : table.rows) {
    DataRow row = read_row(fields, table, reader);
    check_times(row, fields, reader, problems.rows);
    if (!seen.insert(row_key(row.family, row.variant, row.size, row.gpu)).second) {
      problems.rows.error("data-twice", fields[0].range,
                          fmt::format("{} {} at size {} on {} is there twice", row.family,
                                      row.variant, row.size, row.gpu));
      continue;
    }
    if (!feature_rows.append(row, added.features) && row.measured())
      problems.rows.error("data-features", fields[0].range,
                          fmt::format("{} {} at size {} was measured but has no features",
                                      row.family, row.variant, row.size));
    added.rows.push_back(std::move(row));
  }
  suspect_units(added, rows.path(), data.notes);
  data.features.insert(data.features.end(), added.features.begin(), added.features.end());
  for (DataRow& r : added.rows) data.rows.push_back(std::move(r));
  data.files.push_back(rows.path());
  const Hash128 h = combine(hash_bytes(rows.text()), hash_bytes(features.text()));
  data.content.high += h.high;  // sums do not depend on the order of the files
  data.content.low += h.low;
}

}  // namespace pitot::predict
