// A row a kernel of a command that searches for many.
#include <fmt/format.h>

#include <algorithm>

#include "report/optimize_report.h"
#include "report/optimize_words.h"
#include "support/csv.h"

namespace pitot::report {
namespace {

std::string failures_text(const search::SearchResult& s) {
  std::string out;
  for (const auto& [reason, count] : failures_of(s))
    out += fmt::format("{}{} {}", out.empty() ? "" : "; ", count, reason);
  return out;
}

}  // namespace

std::string optimize_table_text(std::span<const search::OptimizeResult> rows,
                                const TextStyle& style) {
  size_t wide = 6;
  for (const auto& r : rows) wide = std::max(wide, r.name.size());
  std::string out = fmt::format("{:<{}}  {:>10}  {:>10}  {:>7}  {:>8}  {:>6}  {}\n", "kernel", wide,
                                "before", "after", "change", "programs", "images", "sequence");
  size_t better = 0, searched = 0;
  double sum = 0;
  for (const auto& r : rows) {
    if (!r.error.empty()) {
      out += fmt::format("{:<{}}  {}\n", r.name, wide, ink(style, Ink::kWarning, r.error));
      continue;
    }
    const search::SearchResult& s = r.search;
    ++searched;
    better += s.improved;
    if (r.judged) sum += change_of(s);
    std::string marks;
    if (!r.rejected.empty()) marks += fmt::format("  ({} taken back)", r.rejected.size());
    if (s.stopped) marks += "  (time is up)";
    if (const std::string failed = failures_text(s); !failed.empty())
      marks += "  (without a cost: " + failed + ")";
    if (!r.judged) {
      out += fmt::format("{:<{}}  {:>10}  {:>10}  {:>7}  {:>8}  {:>6}  {}{}\n", r.name, wide, "–",
                         "–", "–", 0, "–", sequence_text(s.best.sequence), marks);
      continue;
    }
    out += fmt::format("{:<{}}  {:>10.4g}  {:>10.4g}  {:>5.1f} %  {:>8}  {:>6}  {}{}\n", r.name,
                       wide, s.baseline.cost, s.best.cost, 100 * change_of(s), s.evaluations,
                       s.images, sequence_text(s.best.sequence), marks);
  }
  // A policy that was followed has nothing to say of times.
  const bool judged = rows.empty() || rows[0].judged || !rows[0].error.empty();
  if (searched > 0 && judged)
    out += fmt::format("{} of {} kernels are better; {:+.1f} % on average\n", better, rows.size(),
                       100 * sum / static_cast<double>(searched));
  return out;
}

std::string optimize_table_json(std::span<const search::OptimizeResult> rows,
                                std::span<const std::string> errors) {
  Json kernels = Json::array();
  for (const auto& r : rows) {
    Json row{{"name", r.name}, {"class", r.group.empty() ? Json(nullptr) : Json(r.group)}};
    if (r.error.empty()) {
      row.update(optimize_facts(r));
      row["seconds"] = r.seconds;
      row["error"] = nullptr;
    } else {
      row["path"] = r.path;
      row["error"] = r.error;
    }
    kernels.push_back(std::move(row));
  }
  return dump(Json{{"schema", "pitot.optimize-table/1"},
                   {"kernels", std::move(kernels)},
                   {"errors", std::vector<std::string>(errors.begin(), errors.end())}});
}

std::string optimize_table_csv(std::span<const search::OptimizeResult> rows) {
  std::string out =
      "name,class,path,kernel,size,gpu,policy,cost,unit,before,after,change_percent,sequence,"
      "verified,rejected,programs,images,measured,failures,stopped,drift_percent,seconds,error\n";
  for (const auto& r : rows) {
    const search::SearchResult& s = r.search;
    const bool ok = r.error.empty();
    auto number = [&](double v) { return ok ? fmt::format("{:.6g}", v) : std::string(); };
    auto count = [&](uint64_t v) { return ok ? std::to_string(v) : std::string(); };
    const std::string cells[] = {r.name,
                                 r.group,
                                 r.path,
                                 r.kernel,
                                 r.size,
                                 r.gpu,
                                 r.policy,
                                 r.cost,
                                 r.unit,
                                 r.judged ? number(s.baseline.cost) : "",
                                 r.judged ? number(s.best.cost) : "",
                                 r.judged ? number(ok ? 100 * change_of(s) : 0) : "",
                                 ok ? sequence_text(s.best.sequence) : "",
                                 !ok          ? ""
                                 : !r.checked ? "unchecked"
                                 : r.verified ? "yes"
                                              : "no",
                                 count(r.rejected.size()),
                                 count(s.evaluations),
                                 count(s.images),
                                 count(r.measured),
                                 failures_text(s),
                                 !ok         ? ""
                                 : s.stopped ? "yes"
                                             : "no",
                                 number(100 * r.drift),
                                 number(r.seconds),
                                 r.error};
    for (size_t i = 0; i < std::size(cells); ++i) out += (i == 0 ? "" : ",") + csv_field(cells[i]);
    out += "\n";
  }
  return out;
}

}  // namespace pitot::report
