#include "knobs/sweep_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "support/csv.h"
#include "support/csv_table.h"

namespace pitot::knobs {
namespace {

constexpr double kNotTimed = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kTimes[] = {"time_ms_mean", "time_ms_std", "time_ms_min", "time_ms_max"};

std::string number_text(double v) { return std::isnan(v) ? "" : fmt::format("{}", v); }
template <class T>
std::string number_text(const std::optional<T>& v) {
  return v ? fmt::format("{}", *v) : "";
}

bool any_achieved(const SweepResult& sweep) {
  return std::any_of(sweep.rows.begin(), sweep.rows.end(),
                     [](const SweepRow& r) { return r.achieved_occupancy.has_value(); });
}

std::string join(const std::vector<std::string>& fields) {
  return fmt::format("{}", fmt::join(fields, ","));
}

std::vector<std::string> sweep_header(const SweepResult& sweep) {
  std::vector<std::string> out = {"kernel",  "matrix_size", "block_size",  "threads_per_block",
                                  "reg_cap", "est_regs",    "actual_regs", "theor_occ"};
  out.insert(out.end(), std::begin(kTimes), std::end(kTimes));
  if (any_achieved(sweep)) out.emplace_back("achieved_occ");
  for (size_t k = 2; k < sweep.knobs.size(); ++k) out.push_back(csv_field(sweep.knobs[k]));
  return out;
}

std::vector<std::string> sweep_fields(const SweepResult& sweep, const SweepRow& r) {
  std::vector<std::string> out = {csv_field(r.kernel),
                                  fmt::format("{}", r.matrix_size),
                                  fmt::format("{}", r.settings[0]),
                                  fmt::format("{}", r.threads_per_block),
                                  fmt::format("{}", r.settings[1]),
                                  number_text(r.estimated_registers),
                                  fmt::format("{}", r.registers),
                                  number_text(r.occupancy)};
  for (const double t : {r.mean_ms, r.deviation_ms, r.least_ms, r.most_ms})
    out.push_back(r.ok() ? number_text(t) : "");
  if (any_achieved(sweep)) out.push_back(number_text(r.achieved_occupancy));
  for (size_t k = 2; k < sweep.knobs.size(); ++k) out.push_back(fmt::format("{}", r.settings[k]));
  return out;
}

// Reads rows of a table whose columns are known to be there.
class SweepReader {
 public:
  SweepReader(const CsvTable& table, Diagnostics& out) : table_(table), out_(out) {}

  SweepResult read() {
    SweepResult sweep;
    for (const std::string_view name :
         {"kernel", "matrix_size", "block_size", "threads_per_block", "reg_cap", "actual_regs",
          "time_ms_mean", "time_ms_std", "time_ms_min", "time_ms_max"})
      if (!table_.column(name))
        out_.error("sweep-column", table_.header.empty() ? SourceRange{} : table_.header[0].range,
                   fmt::format("there is no column '{}'", name),
                   "`pitot knobs sweep` writes what is read here");
    if (out_.errors() > 0) return sweep;
    for (const CsvField& f : table_.header)
      if (!known(f.text)) sweep.knobs.push_back(f.text);
    std::set<std::pair<std::string, std::vector<int64_t>>> seen;
    for (const auto& fields : table_.rows) {
      SweepRow row = read_row(sweep, fields);
      std::vector<int64_t> key = row.settings;
      key.push_back(row.matrix_size);
      if (!seen.emplace(row.kernel, std::move(key)).second)
        out_.error(
            "sweep-twice", fields[0].range,
            fmt::format("'{}' at {} has this configuration twice", row.kernel, row.matrix_size));
      sweep.rows.push_back(std::move(row));
    }
    return sweep;
  }

 private:
  static bool known(std::string_view name) {
    static constexpr std::string_view kNames[] = {
        "kernel",       "matrix_size", "block_size",  "threads_per_block",
        "reg_cap",      "est_regs",    "actual_regs", "theor_occ",
        "achieved_occ", "ok",          "reason",      "source"};
    if (std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames)) return true;
    if (std::find(std::begin(kTimes), std::end(kTimes), name) != std::end(kTimes)) return true;
    return std::any_of(kCounterNames.begin(), kCounterNames.end(), [&](std::string_view c) {
      return name.starts_with(c) &&
             (name.substr(c.size()) == "_raw" || name.substr(c.size()) == "_norm");
    });
  }

  const CsvField* field(const std::vector<CsvField>& fields, std::string_view name) const {
    const auto c = table_.column(name);
    return c && !fields[*c].text.empty() ? &fields[*c] : nullptr;
  }
  std::optional<double> number(const std::vector<CsvField>& fields, std::string_view name) {
    const CsvField* f = field(fields, name);
    if (f == nullptr) return std::nullopt;
    const auto v = csv_number(f->text);
    if (!v) out_.error("sweep-number", f->range, fmt::format("'{}' is no number", f->text));
    return v && !std::isnan(*v) ? v : std::nullopt;
  }
  int64_t whole(const std::vector<CsvField>& fields, std::string_view name) {
    const auto v = number(fields, name);
    if (v && *v == std::floor(*v) && std::abs(*v) < 0x1p53) return static_cast<int64_t>(*v);
    const CsvField* f = field(fields, name);
    if (v || f == nullptr)
      out_.error("sweep-number", f == nullptr ? fields[0].range : f->range,
                 fmt::format("{} must be a whole number", name));
    return 0;
  }

  SweepRow read_row(const SweepResult& sweep, const std::vector<CsvField>& fields) {
    SweepRow r;
    r.kernel = fields[*table_.column("kernel")].text;
    r.matrix_size = whole(fields, "matrix_size");
    for (const std::string& knob : sweep.knobs) r.settings.push_back(whole(fields, knob));
    r.threads_per_block = static_cast<uint32_t>(whole(fields, "threads_per_block"));
    if (const auto v = number(fields, "est_regs"))
      r.estimated_registers = static_cast<uint32_t>(*v);
    r.registers = static_cast<uint32_t>(whole(fields, "actual_regs"));
    r.occupancy = number(fields, "theor_occ");
    r.achieved_occupancy = number(fields, "achieved_occ");
    double* const times[] = {&r.mean_ms, &r.deviation_ms, &r.least_ms, &r.most_ms};
    for (size_t i = 0; i < 4; ++i) *times[i] = number(fields, kTimes[i]).value_or(kNotTimed);
    if (std::isnan(r.mean_ms)) {
      r.failure = "it did not run";
    } else if (!(r.mean_ms > 0) || r.deviation_ms < 0 || r.least_ms > r.mean_ms ||
               r.most_ms < r.mean_ms) {
      out_.error("sweep-time", field(fields, kTimes[0])->range,
                 "these times cannot be: the mean is above 0 and between the least and the most");
    }
    if (const auto ok = table_.column("ok")) r.counters = read_counters(fields, fields[*ok].text);
    return r;
  }

  SweepCounters read_counters(const std::vector<CsvField>& fields, const std::string& ok) {
    SweepCounters c;
    // As Python and pandas write truth.
    c.ok = ok == "True" || ok == "true" || ok == "1";
    if (const CsvField* f = field(fields, "reason")) c.reason = f->text;
    if (const CsvField* f = field(fields, "source")) c.source = f->text;
    for (size_t i = 0; i < kCounters; ++i)
      c.percent[i] = number(fields, std::string(kCounterNames[i]) + "_raw");
    return c;
  }

  const CsvTable& table_;
  Diagnostics& out_;
};

}  // namespace

std::string sweep_csv(const SweepResult& sweep) {
  std::string out = join(sweep_header(sweep)) + "\n";
  for (const SweepRow& r : sweep.rows) out += join(sweep_fields(sweep, r)) + "\n";
  return out;
}

std::string counters_csv(const SweepResult& sweep) {
  std::vector<std::string> header = sweep_header(sweep);
  header.insert(header.end(), {"ok", "reason"});
  for (const char* name : kCounterNames) {
    header.push_back(std::string(name) + "_raw");
    header.push_back(std::string(name) + "_norm");
  }
  header.emplace_back("source");
  std::string out = join(header) + "\n";
  for (const SweepRow& r : sweep.rows) {
    const SweepCounters c =
        r.counters.value_or(SweepCounters{false, r.ok() ? "not asked for" : r.failure, "", {}});
    std::vector<std::string> fields = sweep_fields(sweep, r);
    // As pandas writes truth, so that the column is one of booleans.
    fields.emplace_back(c.ok ? "True" : "False");
    fields.push_back(csv_field(c.reason));
    for (const auto& v : c.percent) {
      fields.push_back(number_text(v));
      fields.push_back(v ? number_text(std::clamp(*v / 100, 0.0, 1.0)) : "");
    }
    fields.push_back(c.source);
    out += join(fields) + "\n";
  }
  return out;
}

SweepResult read_sweep(const SourceText& source, Diagnostics& out) {
  const CsvTable table = read_csv(source, out);
  if (out.errors() > 0) return {};
  return SweepReader(table, out).read();
}

}  // namespace pitot::knobs
