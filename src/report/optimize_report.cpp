#include "report/optimize_report.h"

#include <fmt/format.h>

#include "report/json.h"
#include "report/optimize_words.h"

namespace pitot::report {

std::string optimize_text(const search::OptimizeResult& r, const TextStyle& style) {
  const search::SearchResult& s = r.search;
  std::string out = fmt::format("{}  {}  {}  {}, {}\n", ink(style, Ink::kBold, r.kernel), r.path,
                                r.size, r.gpu, r.protocol.empty() ? "modelled" : r.protocol);
  for (const std::string& w : r.warnings) out += ink(style, Ink::kWarning, "  note: ") + w + "\n";
  out += fmt::format("{}\n", s.improved ? ink(style, Ink::kGood, sequence_text(s.best.sequence))
                             : r.judged ? "stays as it is: nothing is better beyond noise"
                                        : "stays as it is: the policy stops at once");
  for (const search::PolicyStep& step : r.steps)
    out += fmt::format("  {:<14} {:.3f}{}\n", step.action, step.probability,
                       step.second.empty() ? ""
                                           : fmt::format("  before {} {:.3f}", step.second,
                                                         step.second_probability));
  if (s.improved && r.judged)
    out += fmt::format("  {:.4g} {} -> {:.4g} {}  {:+.1f} %\n", s.baseline.cost, r.unit,
                       s.best.cost, r.unit, 100 * change_of(s));
  if (s.improved && r.checked && r.verified) out += "  check: same\n";
  if (s.improved && !r.checked) out += "  no check was made\n";
  for (const auto& rejected : r.rejected)
    out += ink(style, Ink::kWarning,
               fmt::format("  {} is taken back: ", sequence_text(rejected.sequence))) +
           rejected.reason + "\n";
  if (r.judged)
    out += fmt::format("  {} programs by {}{}{}{}{}{}\n", s.evaluations, r.policy,
                       r.steps.empty() ? " search" : "",
                       s.images > 0 ? fmt::format(", {} images", s.images) : "",
                       r.measured > 0 ? fmt::format(", {} measured", r.measured) : "",
                       s.remembered > 0 ? fmt::format(", {} known from the log", s.remembered) : "",
                       s.stopped        ? "; the time is up"
                       : s.budget_spent ? "; the budget is spent"
                                        : "");
  for (const auto& [reason, count] : failures_of(s))
    out += fmt::format("  {} without a cost: {}\n", count, reason);
  if (r.drift > 0)
    out += fmt::format("  the original's own measurements differ by {:.1f} %\n", 100 * r.drift);
  for (const auto& f : s.faults)
    out += ink(style, Ink::kWarning, "  fault: ") + sequence_text(f.sequence) + ": " + f.message +
           "\n";
  if (!r.output.empty()) out += fmt::format("written to {}\n", r.output);
  return out;
}

std::string optimize_json(const search::OptimizeResult& r) {
  const search::SearchResult& s = r.search;
  Json out{{"schema", "pitot.optimize/1"}};
  out.update(optimize_facts(r));
  Json actions = Json::array(), programs = Json::array();
  for (const auto& a : s.actions)
    actions.push_back({{"action", a.action}, {"tried", a.tried}, {"differs", a.differs}});
  for (const auto& p : s.programs) {
    const bool ok = p.failure.empty();
    programs.push_back({{"sequence", p.sequence},
                        {"sequences", p.sequences},
                        {"hash", p.hash},
                        {"image", p.image.empty() ? Json(nullptr) : Json(p.image)},
                        {"cost", ok ? Json(p.cost) : Json(nullptr)},
                        {"noise", ok ? Json(p.noise) : Json(nullptr)},
                        {"failure", ok ? Json(nullptr) : Json(p.failure)}});
  }
  out["actions"] = std::move(actions);
  out["programs"] = std::move(programs);
  return dump(out);
}

}  // namespace pitot::report
