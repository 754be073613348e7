#include "knob_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernel_files.h"
#include "knobs/measured_row.h"
#include "ptx/module.h"
#include "support/csv_table.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

constexpr size_t kOrigins = 3;  // gpu, target, compiler
constexpr const char* kOriginNames[kOrigins] = {"gpu", "target", "compiler"};

// Where a file has what, by name.
class FeatureFile {
 public:
  FeatureFile(const CsvTable& csv, const knobs::Table& table, Diagnostics& out)
      : csv_(csv), table_(table), out_(out) {
    at_ = column("kernel");
    keys_.push_back(column("matrix_size"));
    for (const knobs::Knob& k : table.space().knobs) keys_.push_back(column(k.name));
    for (const char* name : kOriginNames) origins_.push_back(column(name));
    for (const auto& c : predict::feature_columns()) values_.push_back(column(c.name));
  }

  void add(const std::vector<CsvField>& fields, KnobFeatures& to) const {
    std::vector<int64_t> keys;
    for (const size_t k : keys_) {
      const double v = number(fields[k]);
      if (out_.errors() > 0) return;
      keys.push_back(static_cast<int64_t>(v));
    }
    const knobs::Case of{fields[at_].text, keys[0]};
    const auto number_of = std::find(table_.cases().begin(), table_.cases().end(), of);
    const auto choice = table_.space().choice_with(std::span(keys).subspan(1));
    if (number_of == table_.cases().end() || !choice) return;
    KnobFeatureRow row{
        fields[origins_[0]].text, fields[origins_[1]].text, fields[origins_[2]].text, {}};
    for (const size_t v : values_) row.values.push_back(number(fields[v]));
    const std::pair key(static_cast<size_t>(number_of - table_.cases().begin()),
                        table_.space().index_of(*choice));
    if (!to.emplace(key, std::move(row)).second)
      out_.error("features-twice", fields[at_].range, "this configuration was there before");
  }

 private:
  size_t column(std::string_view name) const {
    if (const auto c = csv_.column(name)) return *c;
    out_.error("features-column", csv_.header.empty() ? SourceRange{} : csv_.header[0].range,
               fmt::format("there is no column '{}'", name));
    return 0;
  }
  double number(const CsvField& field) const {
    if (const auto v = csv_number(field.text)) return *v;
    out_.error("features-number", field.range, fmt::format("'{}' is no number", field.text));
    return std::nan("");
  }

  const CsvTable& csv_;
  const knobs::Table& table_;
  Diagnostics& out_;
  size_t at_ = 0;
  std::vector<size_t> keys_, origins_, values_;
};

}  // namespace

std::string knob_features_header(const std::vector<std::string>& knobs) {
  std::vector<std::string> leading = {"kernel", "matrix_size"};
  leading.insert(leading.end(), knobs.begin(), knobs.end());
  leading.insert(leading.end(), std::begin(kOriginNames), std::end(kOriginNames));
  return predict::feature_csv_header(leading);
}

std::string knob_features_line(const Candidate& candidate, const predict::FeatureRow& row,
                               const KnobVariant& variant, const arch::Gpu& gpu) {
  std::vector<std::string> leading = {
      variant.kernel, fmt::format("{}", knobs::matrix_size(candidate.size_text).value_or(0))};
  for (const int64_t v : variant.settings) leading.push_back(fmt::format("{}", v));
  const ptx::Producer producer = ptx::producer_of(*candidate.module);
  leading.insert(
      leading.end(),
      {std::string(gpu.name), ptx::name_of(candidate.module->target),
       producer.version.empty() ? producer.name : producer.name + " " + producer.version});
  return predict::feature_csv_line(leading, row);
}

std::optional<KnobFeatures> read_knob_features(const std::string& path, const knobs::Table& table,
                                               Options& options) {
  auto text = read_file(path);
  if (!text) {
    fail(options, text.error());
    return std::nullopt;
  }
  Diagnostics found(20);
  const SourceText source(path, std::move(*text));
  const CsvTable csv = read_csv(source, found);
  const FeatureFile file(csv, table, found);
  KnobFeatures out;
  for (const auto& fields : csv.rows) {
    if (found.errors() > 0) break;
    file.add(fields, out);
  }
  if (found.errors() > 0) {
    complain(source, found, options);
    options.exit_code = kUsage;
    return std::nullopt;
  }
  if (!out.empty()) return out;
  fail(options, input_error(path + ": none of it belongs to the sweep"));
  return std::nullopt;
}

}  // namespace pitot::cli
