#include "report/import_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "report/json.h"
#include "support/csv.h"

namespace pitot::report {
namespace {

using variants::ImportResult;
using variants::ImportRow;

// Without its directories, which are of one machine.
std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string values_text(const ImportResult& r, const ImportRow& row) {
  std::string out;
  for (size_t i = 0; i < r.parameters.size(); ++i)
    out += fmt::format("{}{}={}", i == 0 ? "" : " ", r.parameters[i], row.tuned.values[i]);
  return out;
}

// How often what the tuner met is what launch limits say.
struct LaunchAgreement {
  size_t foreseen = 0, unforeseen = 0, wrongly = 0;  // of launches that failed; of those that ran
};

LaunchAgreement agreement(const ImportResult& r) {
  LaunchAgreement a;
  for (const ImportRow& row : r.rows) {
    if (row.launchable.empty()) continue;
    const bool failed = row.tuned.status == "launch_failed" || row.tuned.status == "refused";
    a.foreseen += failed && row.launchable == "no";
    a.unforeseen += failed && row.launchable != "no";
    a.wrongly += row.tuned.status == "ok" && row.launchable == "no";
  }
  return a;
}

std::string file_text(const ImportResult& r, size_t f, const TextStyle& style) {
  const variants::TunerResult& file = r.files[f];
  std::map<std::string, size_t> statuses;
  std::vector<const ImportRow*> measured;
  for (const ImportRow& row : r.rows) {
    if (row.file != f) continue;
    ++statuses[row.tuned.status];
    if (row.tuned.median_us) measured.push_back(&row);
  }
  std::string out = ink(style, Ink::kBold, file.path) + "\n";
  out += fmt::format("  {}, kernel {}, {}{}\n", file.format,
                     file.kernel.empty() ? "not named" : file.kernel,
                     file.device.empty() ? "no device named" : file.device,
                     r.targets[f].empty() ? "" : " (" + r.targets[f] + ")");
  std::string counts;
  for (const auto& [status, n] : statuses)
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", n, status);
  out += fmt::format("  {} configurations: {}\n",
                     std::count_if(r.rows.begin(), r.rows.end(),
                                   [&](const ImportRow& row) { return row.file == f; }),
                     counts.empty() ? "none" : counts);
  out += fmt::format("  objective {}, times in {}\n", file.objective, file.unit);
  for (const variants::Suspicion& s : file.suspicions) {
    const std::string place = s.line == 0 ? "" : fmt::format(" (line {})", s.line);
    const std::string rows = s.rows > 1 ? fmt::format("; {} rows", s.rows) : "";
    out += ink(style, Ink::kWarning,
               fmt::format("  suspicion [{}]: {}{}{}", s.code, s.message, place, rows)) +
           "\n";
  }
  std::stable_sort(measured.begin(), measured.end(), [](const ImportRow* a, const ImportRow* b) {
    return *a->tuned.median_us < *b->tuned.median_us;
  });
  for (size_t i = 0; i < std::min<size_t>(3, measured.size()); ++i)
    out += fmt::format("  {}  {:.6g} µs  {}\n", i + 1, *measured[i]->tuned.median_us,
                       values_text(r, *measured[i]));
  return out;
}

Json number_or_null(const std::optional<double>& v) { return v ? Json(*v) : Json(nullptr); }

}  // namespace

std::string import_text(const ImportResult& r, const TextStyle& style) {
  std::string out;
  for (size_t f = 0; f < r.files.size(); ++f) out += file_text(r, f, style);
  const LaunchAgreement a = agreement(r);
  if (a.foreseen + a.unforeseen + a.wrongly > 0)
    out += fmt::format(
        "launch limits: {} of {} that did not run were foreseen, {} that ran were not expected "
        "to\n",
        a.foreseen, a.foreseen + a.unforeseen, a.wrongly);
  return out;
}

std::string import_csv(const ImportResult& r) {
  std::string out = "family,variant,size";
  for (const std::string& p : r.parameters) out += ",p_" + p;
  out +=
      ",ptx_hash,target,compiler,grid_x,grid_y,grid_z,block_x,block_y,block_z,dynamic_shared,"
      "status,median_us,ci_lo_us,ci_hi_us,samples,noise,gpu,driver,sm_mhz,protocol,tool,power_w,"
      "source_file,"
      "objective,unit,timestamp,launchable,launch_problem,message,suspicions\n";
  auto number = [](const std::optional<double>& v) {
    return v ? fmt::format("{:.9g}", *v) : std::string();
  };
  auto extent = [](uint32_t v) { return v == 0 ? std::string() : std::to_string(v); };
  for (const ImportRow& row : r.rows) {
    const variants::TunerRow& t = row.tuned;
    const variants::TunerResult& file = r.files[row.file];
    std::optional<double> noise;
    if (t.median_us && t.lo_us && t.hi_us) noise = (*t.hi_us - *t.lo_us) / 2 / *t.median_us;
    std::vector<std::string> fields{r.family, t.variant, r.size};
    fields.insert(fields.end(), t.values.begin(), t.values.end());
    std::string codes;
    for (const std::string& code : t.suspicions) codes += (codes.empty() ? "" : " ") + code;
    fields.insert(fields.end(), {row.ptx_hash,
                                 r.targets[row.file],
                                 row.compiler,
                                 extent(row.grid[0]),
                                 extent(row.grid[1]),
                                 extent(row.grid[2]),
                                 extent(row.block[0]),
                                 extent(row.block[1]),
                                 extent(row.block[2]),
                                 row.grid[0] == 0 ? "" : std::to_string(row.dynamic_shared),
                                 t.status,
                                 number(t.median_us),
                                 number(t.lo_us),
                                 number(t.hi_us),
                                 std::to_string(t.samples),
                                 number(noise),
                                 file.device,
                                 "",
                                 "",
                                 "imported",
                                 file.format,
                                 number(t.power_w),
                                 file_name(file.path),
                                 file.objective,
                                 file.unit,
                                 t.timestamp,
                                 row.launchable,
                                 row.launch_problem,
                                 t.message,
                                 codes});
    for (size_t i = 0; i < fields.size(); ++i) out += (i == 0 ? "" : ",") + csv_field(fields[i]);
    out += '\n';
  }
  return out;
}

std::string import_json(const ImportResult& r) {
  Json files = Json::array(), rows = Json::array();
  for (size_t f = 0; f < r.files.size(); ++f) {
    const variants::TunerResult& file = r.files[f];
    Json suspicions = Json::array();
    for (const variants::Suspicion& s : file.suspicions)
      suspicions.push_back(
          {{"code", s.code}, {"message", s.message}, {"line", s.line}, {"rows", s.rows}});
    files.push_back({{"path", file.path},
                     {"format", file.format},
                     {"kernel", file.kernel},
                     {"device", file.device},
                     {"target", r.targets[f]},
                     {"problem_size", file.problem_size},
                     {"objective", file.objective},
                     {"unit", file.unit},
                     {"suspicions", std::move(suspicions)}});
  }
  for (const ImportRow& row : r.rows) {
    Json parameters = Json::object();
    for (size_t i = 0; i < r.parameters.size(); ++i)
      parameters[r.parameters[i]] = row.tuned.values[i];
    rows.push_back({{"variant", row.tuned.variant},
                    {"file", row.file},
                    {"line", row.tuned.line},
                    {"parameters", std::move(parameters)},
                    {"status", row.tuned.status},
                    {"message", row.tuned.message},
                    {"median_us", number_or_null(row.tuned.median_us)},
                    {"ci_lo_us", number_or_null(row.tuned.lo_us)},
                    {"ci_hi_us", number_or_null(row.tuned.hi_us)},
                    {"power_w", number_or_null(row.tuned.power_w)},
                    {"samples", row.tuned.samples},
                    {"suspicions", row.tuned.suspicions},
                    {"ptx_hash", row.ptx_hash},
                    {"launchable", row.launchable},
                    {"launch_problem", row.launch_problem}});
  }
  const LaunchAgreement a = agreement(r);
  return dump(
      Json{{"schema", "pitot.import/1"},
           {"family", r.family},
           {"template", r.template_path},
           {"files", std::move(files)},
           {"launches",
            {{"foreseen", a.foreseen}, {"unforeseen", a.unforeseen}, {"wrongly", a.wrongly}}},
           {"rows", std::move(rows)}});
}

}  // namespace pitot::report
