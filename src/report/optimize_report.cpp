#include "report/optimize_report.h"

#include <fmt/format.h>

#include "report/json.h"

namespace pitot::report {
namespace {

double change_of(const search::SearchResult& s) { return s.best.cost / s.baseline.cost - 1; }

std::string sequence_text(const std::vector<std::string>& sequence) {
  return sequence.empty() ? "nothing" : fmt::format("{}", fmt::join(sequence, ","));
}

}  // namespace

std::string optimize_text(const search::OptimizeResult& r, const TextStyle& style) {
  const search::SearchResult& s = r.search;
  std::string out = fmt::format("{}  {}  {}  {}, modelled\n", ink(style, Ink::kBold, r.kernel),
                                r.path, r.size, r.gpu);
  out += fmt::format("{}\n", s.improved ? ink(style, Ink::kGood, sequence_text(s.best.sequence))
                                        : "stays as it is: nothing is better beyond noise");
  if (s.improved)
    out += fmt::format("  {:.4g} {} -> {:.4g} {}  {:+.1f} %\n", s.baseline.cost, r.unit,
                       s.best.cost, r.unit, 100 * change_of(s));
  if (s.improved && r.verified) out += "  check: same\n";
  if (!r.rejected.empty())
    out +=
        ink(style, Ink::kWarning, fmt::format("  {} is taken back: ", sequence_text(r.rejected))) +
        r.reason + "\n";
  size_t failed = 0;
  for (const auto& p : s.programs) failed += !p.failure.empty();
  out += fmt::format("  {} programs by {} search{}{}{}\n", s.evaluations, r.policy,
                     s.remembered > 0 ? fmt::format(", {} known from the log", s.remembered) : "",
                     failed > 0 ? fmt::format(", {} without a cost", failed) : "",
                     s.budget_spent ? "; the budget is spent" : "");
  for (const auto& f : s.faults)
    out += ink(style, Ink::kWarning, "  fault: ") + sequence_text(f.sequence) + ": " + f.message +
           "\n";
  if (!r.output.empty()) out += fmt::format("written to {}\n", r.output);
  return out;
}

std::string optimize_json(const search::OptimizeResult& r) {
  const search::SearchResult& s = r.search;
  Json actions = Json::array(), programs = Json::array(), faults = Json::array();
  for (const auto& a : s.actions)
    actions.push_back({{"action", a.action}, {"tried", a.tried}, {"differs", a.differs}});
  for (const auto& p : s.programs) {
    const bool ok = p.failure.empty();
    programs.push_back({{"sequence", p.sequence},
                        {"sequences", p.sequences},
                        {"hash", p.hash},
                        {"cost", ok ? Json(p.cost) : Json(nullptr)},
                        {"noise", ok ? Json(p.noise) : Json(nullptr)},
                        {"failure", ok ? Json(nullptr) : Json(p.failure)}});
  }
  for (const auto& f : s.faults)
    faults.push_back({{"sequence", f.sequence}, {"message", f.message}});
  return dump(Json{{"schema", "pitot.optimize/1"},
                   {"path", r.path},
                   {"kernel", r.kernel},
                   {"policy", r.policy},
                   {"cost", r.cost},
                   {"unit", r.unit},
                   {"gpu", r.gpu},
                   {"size", r.size},
                   {"baseline", s.baseline.cost},
                   {"best", s.best.cost},
                   {"change", change_of(s)},
                   {"sequence", s.best.sequence},
                   {"verified", r.verified},
                   {"rejected", r.rejected.empty() ? Json(nullptr) : Json(r.rejected)},
                   {"reason", r.reason.empty() ? Json(nullptr) : Json(r.reason)},
                   {"evaluations", s.evaluations},
                   {"remembered", s.remembered},
                   {"budget_spent", s.budget_spent},
                   {"output", r.output.empty() ? Json(nullptr) : Json(r.output)},
                   {"actions", std::move(actions)},
                   {"programs", std::move(programs)},
                   {"faults", std::move(faults)}});
}

}  // namespace pitot::report
