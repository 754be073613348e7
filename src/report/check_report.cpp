#include "report/check_report.h"

#include <fmt/format.h>

#include <cmath>

#include "report/json.h"

namespace pitot::report {
namespace {

using check::CheckResult;
using check::Coverage;
using check::Evidence;
using check::Verdict;

const char* name(Verdict v) {
  switch (v) {
    case Verdict::kSame:
      return "same";
    case Verdict::kDifferent:
      return "different";
    case Verdict::kFault:
      return "fault";
    case Verdict::kUndecided:
      return "undecided";
  }
  return "undecided";
}

const char* name(Evidence e) {
  return e == Evidence::kIdentical ? "identical" : e == Evidence::kRenamed ? "renamed" : "tested";
}

std::string place(const check::Difference& d) {
  return fmt::format("{}[{}{}]", d.buffer, d.before ? "-" : "", d.index);
}

Json to_json(const Coverage& c) {
  return Json{{"instructions", c.instructions}, {"ran", c.ran},
              {"branch_sides", c.branch_sides}, {"taken", c.taken},
              {"unreached", c.unreached},       {"one_sided", c.one_sided}};
}

double percent(uint64_t part, uint64_t all) {
  return all == 0 ? 100 : 100 * static_cast<double>(part) / static_cast<double>(all);
}

Json to_json(const CheckResult& r) {
  Json counterexample = nullptr;
  if (!r.counterexamples.empty()) {
    const auto& c = r.counterexamples[0];
    Json first{{"buffer", c.first.buffer}, {"index", c.first.index}, {"before", c.first.before},
               {"type", c.first.type},     {"a", c.first.a},         {"b", c.first.b}};
    first["ulp"] = std::isfinite(c.first.ulp) ? Json(c.first.ulp) : Json(nullptr);
    first["exact"] = c.first.exact.empty() ? Json(nullptr) : Json(c.first.exact);
    Json inputs = Json::array();
    for (const auto& f : c.feeds)
      inputs.push_back(Json{{"buffer", f.buffer}, {"index", f.index}, {"value", f.value}});
    counterexample = Json{{"size", c.size},
                          {"seed", c.seed},
                          {"args", c.args},
                          {"first", c.differing != 0 ? std::move(first) : Json(nullptr)},
                          {"inputs", std::move(inputs)},
                          {"fed_by", c.fed_by},
                          {"differing", c.differing}};
  }
  Json faults = Json::array();
  for (const auto& f : r.faults)
    faults.push_back(Json{{"side", std::string(1, f.side)},
                          {"kind", f.kind},
                          {"message", f.message},
                          {"path", f.path},
                          {"line", f.line},
                          {"size", f.size}});
  return Json{{"verdict", name(r.verdict)},
              {"evidence", name(r.evidence)},
              {"kernel_a", r.kernel_a},
              {"kernel_b", r.kernel_b},
              {"path_a", r.path_a},
              {"path_b", r.path_b},
              {"trials", r.trials},
              {"skipped", r.skipped},
              {"coverage", {{"a", to_json(r.coverage_a)}, {"b", to_json(r.coverage_b)}}},
              {"bits_equal", r.bits_equal},
              {"reassociated", r.reassociated},
              {"reasons", r.reasons},
              {"counterexample", std::move(counterexample)},
              {"faults", std::move(faults)},
              {"notes", r.notes}};
}

}  // namespace

std::string check_text(const CheckResult& r, const TextStyle&) {
  std::string out;
  if (r.kernel_a.empty() || r.kernel_b.empty()) {
    out = fmt::format("{}: {}, in one of the files only\n", name(r.verdict),
                      r.kernel_a.empty() ? r.kernel_b : r.kernel_a);
  } else if (r.kernel_a == r.kernel_b) {
    out = fmt::format("{}: {} in {} against {}\n", name(r.verdict), r.kernel_a, r.path_a, r.path_b);
  } else {
    out = fmt::format("{}: {} against {}\n", name(r.verdict), r.kernel_a, r.kernel_b);
  }
  if (r.evidence != Evidence::kTested) out += fmt::format("  the texts are {}\n", name(r.evidence));
  if (r.evidence == Evidence::kTested && r.trials > 0) {
    const Coverage &a = r.coverage_a, &b = r.coverage_b;
    out += fmt::format(
        "  {} trial{}, {:.0f} % of the instructions ran, {:.0f} % of the sides of branches{}\n",
        r.trials, r.trials == 1 ? "" : "s",
        std::floor(percent(a.ran + b.ran, a.instructions + b.instructions)),
        std::floor(percent(a.taken + b.taken, a.branch_sides + b.branch_sides)),
        r.skipped != 0 ? fmt::format("; {} skipped", r.skipped) : "");
  }
  for (const auto& c : r.counterexamples) {
    out += fmt::format("  with {}:\n", c.size);
    for (const auto& a : c.args) out += fmt::format("    {}\n", a);
    if (c.differing == 0) continue;
    out += fmt::format("  first difference at {} ({}):\n    a  {}\n    b  {}{}\n", place(c.first),
                       c.first.type, c.first.a, c.first.b,
                       std::isfinite(c.first.ulp) && c.first.ulp > 0
                           ? fmt::format("   {:.4g} steps apart", c.first.ulp)
                           : "");
    if (!c.first.exact.empty()) out += fmt::format("    a without rounding  {}\n", c.first.exact);
    if (c.differing > 1) out += fmt::format("  {} elements differ\n", c.differing);
    if (!c.feeds.empty()) {
      out += fmt::format("  {} comes from {} input{}:\n", place(c.first), c.fed_by,
                         c.fed_by == 1 ? "" : "s");
      for (const auto& f : c.feeds)
        out += fmt::format("    {}[{}] = {}\n", f.buffer, f.index, f.value);
      if (c.fed_by > c.feeds.size()) out += "    …\n";
    }
  }
  for (const auto& f : r.faults)
    out += fmt::format("  fault[{}] in {}: {}\n    --> {}:{}  with {}\n", f.kind, f.side, f.message,
                       f.path, f.line, f.size);
  for (const auto& reason : r.reasons) out += fmt::format("  undecided: {}\n", reason);
  for (const auto& n : r.notes) out += fmt::format("  note: {}\n", n);
  return out;
}

std::string check_json(const std::vector<CheckResult>& results) {
  if (results.size() == 1) {
    Json j{{"schema", "pitot.check/1"}};
    j.update(to_json(results[0]));
    return dump(j);
  }
  Json pairs = Json::array();
  Verdict worst = Verdict::kSame;
  auto rank = [](Verdict v) {
    return v == Verdict::kSame        ? 0
           : v == Verdict::kUndecided ? 1
           : v == Verdict::kDifferent ? 2
                                      : 3;
  };
  for (const auto& r : results) {
    if (rank(r.verdict) > rank(worst)) worst = r.verdict;
    pairs.push_back(to_json(r));
  }
  return dump(
      Json{{"schema", "pitot.check/1"}, {"verdict", name(worst)}, {"pairs", std::move(pairs)}});
}

}  // namespace pitot::report
