// Runs the checks over all cases, applies waivers, decides.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gate/judge_context.h"
#include "gate/rule_texts.h"
#include "support/text.h"

namespace pitot::gate {

Finding* Judgement::add(std::string_view rule, FindingLevel level, std::string message,
                        std::string baseline, std::string value) {
  for (const std::string& id : rules.disabled)
    if (id == rule) return nullptr;
  Finding f;
  f.rule = rule;
  f.kernel = now().name;
  f.demangled = now().demangled;
  f.target = now().target;
  f.baseline = std::move(baseline);
  f.value = std::move(value);
  f.message = std::move(message);
  f.level = level;
  f.path = now().source;
  f.line = now().line;
  if (const RuleText* text = find_rule_text(rule)) {
    f.why = text->why;
    f.fix = text->fix;
  }
  result_.findings.push_back(std::move(f));
  return &result_.findings.back();
}

void Judgement::note(std::string text) {
  if (std::find(result_.notes.begin(), result_.notes.end(), text) == result_.notes.end())
    result_.notes.push_back(std::move(text));
}

uint32_t Judgement::line_of(std::string_view pattern) const {
  for (const auto& [opcode, lines] : now().lines)
    if (glob_match(pattern, opcode) && !lines.empty()) return lines.front();
  return now().line;
}

uint32_t count_matching(const KernelState& k, std::string_view pattern) {
  uint32_t n = 0;
  for (const auto& [opcode, count] : k.opcodes)
    if (glob_match(pattern, opcode)) n += count;
  return n;
}

std::string number_text(double x) {
  return x == static_cast<double>(static_cast<int64_t>(x))
             ? fmt::format("{}", static_cast<int64_t>(x))
             : fmt::format("{:.3g}", x);
}

std::string moved_text(std::string_view name, double before, double after) {
  return fmt::format("{} {} → {} ({}{})", name, number_text(before), number_text(after),
                     after > before ? "+" : "", number_text(after - before));
}

namespace {

// Marks findings that a waiver covers. Waivers past their day cover nothing and are findings.
void apply_waivers(const RuleSet& rules, const std::string& today, size_t from, GateResult& result,
                   std::set<const Waiver*>& used) {
  for (size_t k = from; k < result.findings.size(); ++k) {
    Finding& f = result.findings[k];
    for (const Waiver& w : rules.waivers) {
      if (!glob_match(w.rule, f.rule) || !w.where.matches(f.kernel, f.demangled, f.target))
        continue;
      used.insert(&w);
      // Dates of this form compare as text.
      if (!today.empty() && today > w.expires) continue;
      f.waived = true;
      f.waiver = fmt::format("{} (until {})", w.reason, w.expires);
      break;
    }
  }
}

void report_expired(const RuleSet& rules, const std::string& today,
                    const std::set<const Waiver*>& used, GateResult& result) {
  for (const Waiver& w : rules.waivers) {
    if (today.empty() || today <= w.expires || !used.contains(&w)) continue;
    Finding f;
    f.rule = "waiver-expired";
    f.kernel = w.where.kernel.empty() ? w.where.regex : w.where.kernel;
    f.demangled = f.kernel;
    f.baseline = w.expires;
    f.value = today;
    f.message = fmt::format("the waiver of `{}` ended on {}: {}", w.rule, w.expires, w.reason);
    f.level = FindingLevel::kWarning;
    if (const RuleText* text = find_rule_text(f.rule)) {
      f.why = text->why;
      f.fix = text->fix;
    }
    result.findings.push_back(std::move(f));
  }
}

Counts delta_of(const Counts& before, const Counts& after) {
  Counts d;
  for (const auto& [name, value] : after.items) d.set(name, value - before.get(name));
  return d;
}

KernelSummary summary_of(const GateCase& c) {
  const KernelState& k = c.after ? *c.after : *c.before;
  KernelSummary s;
  s.kernel = k.name;
  s.demangled = k.demangled;
  s.target = k.target;
  s.path = k.source;
  s.line = k.line;
  s.cls = to_string(c.cls);
  if (c.before && c.after) {
    if (c.before->name != c.after->name) s.before_name = c.before->name;
    s.delta = delta_of(c.before->compat, c.after->compat);
    for (const auto& [target, p] : c.after->ptxas)
      if (auto it = c.before->ptxas.find(target); it != c.before->ptxas.end())
        s.physical_delta.emplace_back(target, delta_of(it->second.counts, p.counts));
  }
  return s;
}

std::string acknowledged(const GateCase& c, const RuleSet& rules) {
  if (!c.after) return {};
  for (const Acknowledgement& a : rules.acknowledgements)
    if (a.where.matches(c.after->name, c.after->demangled, c.after->target) &&
        c.after->hash.program.starts_with(a.program))
      return a.reason;
  return {};
}

}  // namespace

GateResult judge(const std::vector<GateCase>& cases, const RuleSet& rules,
                 const GateOptions& options) {
  GateResult result;
  std::set<const Waiver*> used;
  for (const GateCase& c : cases) {
    if (!c.before && !c.after) continue;
    size_t from = result.findings.size();
    KernelSummary summary = summary_of(c);
    summary.acknowledged = acknowledged(c, rules);
    Judgement j(c, rules, options, result);
    if (summary.acknowledged.empty()) {
      check_class(j);
      check_regressions(j);
      check_physical(j);
    }
    check_rules(j);
    if (summary.acknowledged.empty() && c.only_vector_widths && result.findings.size() == from)
      summary.acknowledged = "explained: only the widths of aligned accesses moved";
    const bool differs = c.cls > ChangeClass::kReordered && c.before && c.after;
    if (options.check && differs && result.findings.size() > from)
      if (auto answer = options.check(c)) result.findings[from].details.push_back(*answer);
    apply_waivers(rules, options.today, from, result, used);
    for (size_t k = from; k < result.findings.size(); ++k)
      summary.findings += !result.findings[k].waived;
    result.kernels.push_back(std::move(summary));
  }
  report_expired(rules, options.today, used, result);
  result.pass = result.failed() == 0;
  return result;
}

}  // namespace pitot::gate
