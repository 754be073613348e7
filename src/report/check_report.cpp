#include "report/check_report.h"

#include <fmt/format.h>

#include <cmath>

#include "report/json.h"

namespace pitot::report {
namespace {

using check::CheckResult;
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

std::string lines(const std::vector<uint32_t>& v) {
  std::string out;
  for (size_t i = 0; i < v.size() && i < 6; ++i)
    out += fmt::format("{}{}", out.empty() ? "" : ", ", v[i]);
  return v.size() > 6 ? out + ", …" : out;
}

Json to_json(const CheckResult& r) {
  Json counterexample = nullptr;
  if (!r.counterexamples.empty()) {
    const auto& c = r.counterexamples[0];
    Json first{{"buffer", c.first.buffer}, {"index", c.first.index}, {"before", c.first.before},
               {"type", c.first.type},     {"a", c.first.a},         {"b", c.first.b}};
    first["ulp"] = std::isfinite(c.first.ulp) ? Json(c.first.ulp) : Json(nullptr);
    counterexample = Json{{"size", c.size},
                          {"seed", c.seed},
                          {"args", c.args},
                          {"first", std::move(first)},
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
              {"coverage", r.instructions_seen},
              {"unreached", {{"a", r.unreached_a}, {"b", r.unreached_b}}},
              {"bits_equal", r.bits_equal},
              {"counterexample", std::move(counterexample)},
              {"faults", std::move(faults)},
              {"notes", r.notes}};
}

}  // namespace

std::string check_text(const CheckResult& r, const TextStyle&) {
  std::string out = fmt::format("{}: {} against {}\n", name(r.verdict),
                                r.kernel_a == r.kernel_b ? r.path_a : r.kernel_a,
                                r.kernel_a == r.kernel_b ? r.path_b : r.kernel_b);
  if (r.evidence != Evidence::kTested) out += fmt::format("  the texts are {}\n", name(r.evidence));
  if (r.evidence == Evidence::kTested && r.trials > 0)
    out += fmt::format("  {} trial{}, {:.0f} % of the instructions ran{}\n", r.trials,
                       r.trials == 1 ? "" : "s", 100 * r.instructions_seen,
                       r.skipped != 0 ? fmt::format("; {} skipped", r.skipped) : "");
  for (const auto& c : r.counterexamples) {
    out += fmt::format("  with {}:\n", c.size);
    for (const auto& a : c.args) out += fmt::format("    {}\n", a);
    out += fmt::format("  first difference at {} ({}):\n    a  {}\n    b  {}{}\n", place(c.first),
                       c.first.type, c.first.a, c.first.b,
                       std::isfinite(c.first.ulp) && c.first.ulp > 0
                           ? fmt::format("   {:.4g} steps apart", c.first.ulp)
                           : "");
    if (c.differing > 1) out += fmt::format("  {} elements differ\n", c.differing);
  }
  for (const auto& f : r.faults)
    out += fmt::format("  fault[{}] in {}: {}\n    --> {}:{}  with {}\n", f.kind, f.side, f.message,
                       f.path, f.line, f.size);
  if (r.verdict == Verdict::kUndecided) {
    if (!r.unreached_a.empty())
      out += fmt::format("  a never ran from line {}\n", lines(r.unreached_a));
    if (!r.unreached_b.empty())
      out += fmt::format("  b never ran from line {}\n", lines(r.unreached_b));
  }
  for (const auto& n : r.notes) out += fmt::format("  note: {}\n", n);
  return out;
}

std::string check_json(const std::vector<CheckResult>& results) {
  if (results.size() == 1) {
    Json j = to_json(results[0]);
    j["schema"] = "pitot.check/1";
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
