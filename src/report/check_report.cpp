#include "report/check_report.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "report/json.h"
#include "report/problem_report.h"

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

namespace {

std::string plural(uint64_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

// "no difference in 24 trials": the verdict in words.
std::string headline(const CheckResult& r) {
  const bool alone = r.path_a.empty() || r.path_b.empty();
  const bool in_a = !r.path_a.empty();
  if (alone) {
    const std::string& kernel = in_a ? r.kernel_a : r.kernel_b;
    return fmt::format("{} is in {} only",
                       !kernel.empty() ? kernel
                       : in_a          ? r.path_a
                                       : r.path_b,
                       in_a ? "a" : "b");
  }
  switch (r.verdict) {
    case Verdict::kSame:
      if (r.evidence == Evidence::kIdentical) return "the texts are identical";
      if (r.evidence == Evidence::kRenamed) return "the texts differ in names only";
      return fmt::format("no difference in {}", plural(r.trials, "trial"));
    case Verdict::kDifferent:
      return r.counterexamples.empty() ? "b cannot do what a does"
                                       : "b computes something else than a";
    case Verdict::kFault:
      for (const auto& f : r.faults)
        if (f.side == 'a') return "a does something illegal on the spec's input";
      for (const auto& f : r.faults)
        if (f.kind == "hang") return "b does not come to an end where a does";
      return "b does something illegal where a does not";
    case Verdict::kUndecided:
      if (r.may_be_meant) return "results differ, but perhaps only where they may";
      break;
  }
  return r.trials == 0
             ? "nothing could be compared"
             : fmt::format("no difference in {}, but that is not enough to call them the same",
                           plural(r.trials, "trial"));
}

std::string ran_text(const CheckResult& r) {
  const Coverage &a = r.coverage_a, &b = r.coverage_b;
  if (a.ran == a.instructions && b.ran == b.instructions && a.taken == a.branch_sides &&
      b.taken == b.branch_sides)
    return "every instruction and both sides of every branch ran";
  return fmt::format("{:.0f} % of the instructions ran, {:.0f} % of the sides of branches",
                     std::floor(percent(a.ran + b.ran, a.instructions + b.instructions)),
                     std::floor(percent(a.taken + b.taken, a.branch_sides + b.branch_sides)));
}

std::string input_text(const check::Counterexample& c) {
  // Without a spec it has been made small.
  std::string out =
      fmt::format("  {} {}\n", c.args.empty() ? "with" : "smallest input found:", c.size);
  std::string unused;
  for (const auto& arg : c.args) {
    if (const size_t at = arg.find(": not used"); at != arg.npos)
      unused += (unused.empty() ? "" : ", ") + arg.substr(0, at);
    else
      out += fmt::format("    {}\n", arg);
  }
  if (!unused.empty()) out += fmt::format("    {}: not used\n", unused);
  return out;
}

std::string difference_text(const check::Counterexample& c) {
  // Beyond that the number of floats in between says nothing.
  constexpr double kFewSteps = 10000;
  const check::Difference& d = c.first;
  std::string out = fmt::format("  first difference: {} ({}), one of {} that differ\n", place(d),
                                d.type, plural(c.differing, "element"));
  if (c.differing == 1) out = fmt::format("  the difference: {} ({})\n", place(d), d.type);
  out += fmt::format("    a gives  {}\n    b gives  {}", d.a, d.b);
  const double a = std::strtod(d.a.c_str(), nullptr), b = std::strtod(d.b.c_str(), nullptr);
  if (d.ulp > 0 && d.ulp <= kFewSteps) {
    out += fmt::format("   ({:.0f} {} numbers further)", d.ulp, d.type);
  } else if (d.ulp > 0 && std::isfinite(a) && std::isfinite(b) && a != 0) {
    out += fmt::format("   (off by {:.3g} %)", 100 * std::fabs((b - a) / a));
  }
  out += "\n";
  if (!d.exact.empty()) out += fmt::format("    exactly  {}   (a without rounding)\n", d.exact);
  if (c.feeds.empty()) return out;
  out += fmt::format("  in a it depends on {}:\n", plural(c.fed_by, "input"));
  for (const auto& f : c.feeds) out += fmt::format("    {}[{}] = {}\n", f.buffer, f.index, f.value);
  if (c.fed_by > c.feeds.size())
    out += fmt::format("    … and {} more\n", c.fed_by - c.feeds.size());
  return out;
}

}  // namespace

std::string check_text(const CheckResult& r, const TextStyle& style) {
  const Ink colour = r.verdict == Verdict::kSame        ? Ink::kGood
                     : r.verdict == Verdict::kUndecided ? Ink::kWarning
                                                        : Ink::kError;
  std::string out = ink(style, colour, name(r.verdict)) + ": " + headline(r) + "\n";
  for (const char side : {'a', 'b'}) {
    const std::string& path = side == 'a' ? r.path_a : r.path_b;
    const std::string& kernel = side == 'a' ? r.kernel_a : r.kernel_b;
    if (!path.empty())
      out += fmt::format("  {}  {}{}{}\n", side, kernel, kernel.empty() ? "" : " in ", path);
  }
  for (const auto& f : r.faults) {
    out += fmt::format("  {} {}: {}\n    --> {}:{}\n", f.side, f.kind, f.message, f.path, f.line);
    if (r.counterexamples.empty()) out += fmt::format("    with {}\n", f.size);
  }
  for (const auto& c : r.counterexamples) {
    out += input_text(c);
    if (c.differing != 0) out += difference_text(c);
  }
  const bool decided = r.verdict != Verdict::kUndecided;
  if (r.evidence == Evidence::kTested && r.trials > 0) {
    out += fmt::format("  {}{}",
                       decided && r.verdict != Verdict::kSame
                           ? "found in trial " + std::to_string(r.trials) + "; by then "
                           : "",
                       ran_text(r));
    if (r.skipped != 0) out += fmt::format("; {} left out", plural(r.skipped, "more trial"));
    out += "\n";
  }
  for (const auto& reason : r.reasons) out += fmt::format("  why: {}\n", reason);
  for (const auto& n : r.notes) out += fmt::format("  note: {}\n", n);
  return out;
}

std::string check_hint(const std::vector<CheckResult>& results, bool with_spec) {
  bool undecided = false, shown = false;
  for (const auto& r : results) {
    undecided |= r.verdict == Verdict::kUndecided && !r.kernel_a.empty() && !r.kernel_b.empty();
    for (const auto& c : r.counterexamples) shown |= !c.spec.empty();
  }
  std::string out;
  if (shown)
    out += "run it again: add --save FILE.kernel.toml, then pitot check --spec FILE.kernel.toml\n";
  if (undecided && !with_spec)
    out +=
        "what helps: launches and arguments that the kernel is made for, as a kernel spec (--spec "
        "FILE.kernel.toml), or more of the inferred ones (--trials N)\n";
  return out;
}

std::string check_summary(const std::vector<CheckResult>& results) {
  size_t n[4] = {};
  for (const auto& r : results) ++n[static_cast<size_t>(r.verdict)];
  std::string out = fmt::format("{} of kernels:", plural(results.size(), "pair"));
  for (Verdict v : {Verdict::kSame, Verdict::kDifferent, Verdict::kFault, Verdict::kUndecided})
    if (n[static_cast<size_t>(v)] != 0)
      out += fmt::format("{} {} {}", out.ends_with(':') ? "" : ",", n[static_cast<size_t>(v)],
                         name(v));
  return out + "\n";
}

std::string check_line(const CheckResult& r, const TextStyle& style) {
  if (r.verdict != Verdict::kSame) return check_text(r, style);
  return fmt::format("{}: {} in {} and {}: {}\n", ink(style, Ink::kGood, name(r.verdict)),
                     r.kernel_a, r.path_a, r.path_b, headline(r));
}

std::string check_json(const std::vector<CheckResult>& results,
                       const std::vector<VerifiedFile>& problems,
                       const std::vector<std::string>& errors) {
  auto rank = [](Verdict v) {
    return v == Verdict::kSame        ? 0
           : v == Verdict::kUndecided ? 1
           : v == Verdict::kDifferent ? 2
                                      : 3;
  };
  Json j{{"schema", "pitot.check/1"}}, pairs = Json::array();
  const CheckResult* worst = nullptr;
  for (const auto& r : results) {
    if (worst == nullptr || rank(r.verdict) > rank(worst->verdict)) worst = &r;
    pairs.push_back(to_json(r));
  }
  if (worst != nullptr) j.update(to_json(*worst));
  j["pairs"] = std::move(pairs);
  j["diagnostics"] = diagnostics_json(problems);
  j["errors"] = errors;
  return dump(j);
}

}  // namespace pitot::report
