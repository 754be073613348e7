// Needs that are not met: finds the smallest change that helps and words it.
#include "ptx/verify_requirements.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ptx/target_table.h"

namespace pitot::ptx {
namespace {

constexpr uint16_t kAnyVersion = 999;

// The lowest version with which `target` meets one group; nothing if it never does.
std::optional<uint16_t> version_for(Needs group, Target target) {
  std::optional<uint16_t> lowest;
  for (const Need& need : group)
    if (satisfies(need, kAnyVersion, target))
      lowest = std::min(lowest.value_or(need.ptx), need.ptx);
  return group.empty() ? std::optional<uint16_t>(0) : lowest;
}

std::optional<uint16_t> version_for(std::span<const Needs> groups, Target target) {
  uint16_t version = 0;
  for (Needs group : groups) {
    auto one = version_for(group, target);
    if (!one) return std::nullopt;
    version = std::max(version, *one);
  }
  return version;
}

std::string list(const std::vector<Target>& targets) {
  std::string text;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (i > 0) text += i + 1 == targets.size() ? " or " : ", ";
    text += name_of(targets[i]);
  }
  return text;
}

}  // namespace

std::string version_text(uint16_t version) {
  return fmt::format("{}.{}", version / 10, version % 10);
}

Remedy remedy_for(std::span<const Needs> groups, uint16_t ptx, Target target) {
  Remedy remedy;
  if (auto version = version_for(groups, target)) {
    remedy.version = *version;
    if (*version > ptx) remedy.kind = Remedy::Kind::kVersion;
    return remedy;
  }
  for (const TargetRow& row : known_targets()) {
    auto version = version_for(groups, row.target);
    if (!version) continue;
    uint16_t needed = std::max(*version, row.version);
    if (row.target.suffix == 0) {
      if (row.target.sm < target.sm) continue;  // it could only be removed again, not added
      remedy.kind = Remedy::Kind::kTarget;
      remedy.target = row.target;
      remedy.version = needed;
      remedy.exact.clear();
      return remedy;
    }
    if (remedy.exact.empty() || needed < remedy.version) remedy.version = needed;
    remedy.exact.push_back(row.target);
  }
  remedy.kind = remedy.exact.empty() ? Remedy::Kind::kNever : Remedy::Kind::kExact;
  return remedy;
}

std::string describe(Needs needs) {
  std::string text;
  for (const Need& need : needs) {
    if (!text.empty()) text += " or ";
    std::string target;
    if (need.sm != 0) {
      char suffix = need.suffix == Need::Suffix::kArchSpecific ? 'a'
                    : need.suffix == Need::Suffix::kFamily     ? 'f'
                                                               : '\0';
      target = name_of(Target{need.sm, suffix});
    }
    if (need.ptx == 0)
      text += target;
    else if (target.empty())
      text += "PTX " + version_text(need.ptx);
    else
      text += fmt::format("({}, PTX {})", target, version_text(need.ptx));
  }
  return text;
}

uint32_t RequirementLog::add(Finding finding, const std::string& key) {
  auto [it, inserted] = by_key_.try_emplace(key, static_cast<uint32_t>(findings_.size()));
  if (inserted) {
    findings_.push_back(std::move(finding));
  } else {
    // The first place in the text stands for all; functions may be visited in any order.
    Finding& known = findings_[it->second];
    if (finding.where.begin < known.where.begin) {
      known.where = finding.where;
      known.what = finding.what;
      known.needs = finding.needs;
    }
    known.remedy.version = std::max(known.remedy.version, finding.remedy.version);
    known.names.insert(finding.names.begin(), finding.names.end());
  }
  ++findings_[it->second].count;
  return it->second;
}

uint32_t RequirementLog::unmet(std::string_view what, SourceRange where,
                               std::span<const Needs> groups) {
  Finding finding;
  finding.remedy = remedy_for(groups, ptx_, target_);
  for (Needs group : groups)
    if (!satisfies(group, ptx_, target_)) {
      finding.needs = group;
      break;
    }
  finding.what = what;
  finding.where = where;
  finding.names.insert(std::string(what));
  const Remedy& r = finding.remedy;
  std::string key;
  switch (r.kind) {
    case Remedy::Kind::kVersion:
      key = "version " + version_text(r.version);
      break;
    case Remedy::Kind::kTarget:
      key = "target " + name_of(r.target);
      break;
    default:
      key = "exact " + list(r.exact);
  }
  return add(std::move(finding), key);
}

uint32_t RequirementLog::removed(std::string_view what, SourceRange where, Needs unless) {
  Finding finding;
  finding.kind = Kind::kRemoved;
  finding.needs = unless;
  finding.what = what;
  finding.where = where;
  finding.names.insert(std::string(what));
  return add(std::move(finding), "removed " + describe(unless));
}

uint32_t RequirementLog::deprecated(std::string_view what, SourceRange where, Needs since) {
  Finding finding;
  finding.kind = Kind::kDeprecated;
  finding.needs = since;
  finding.what = what;
  finding.where = where;
  finding.names.insert(std::string(what));
  return add(std::move(finding), "deprecated " + describe(since));
}

Diagnostic RequirementLog::diagnostic(const Finding& f) const {
  Diagnostic d;
  d.range = f.where;
  d.count = f.count;
  std::string subject = "'" + f.what + "'";
  const size_t others = f.names.size() - 1;
  if (others > 0)
    subject += fmt::format(" and {} other instruction{}", others, others > 1 ? "s" : "");
  const char* verb = others > 0 ? "need" : "needs";
  const std::string target = target_.sm != 0 ? name_of(target_) : std::string("not given");
  const std::string current = version_text(ptx_);
  const Remedy& r = f.remedy;
  if (f.kind != Kind::kUnmet) {
    bool removed = f.kind == Kind::kRemoved;
    d.severity = removed ? Severity::kError : Severity::kWarning;
    d.code = removed ? "removed-instruction" : "deprecated-instruction";
    std::string since;
    for (const Need& need : f.needs) {
      if (!since.empty()) since += " or ";
      if (need.sm != 0) since += name_of(Target{need.sm, 0}) + " and higher";
      if (need.ptx != 0) since += (need.sm != 0 ? " from PTX " : "PTX ") + version_text(need.ptx);
      if (need.ptx != 0 && need.sm == 0) since += " and later";
    }
    d.message = fmt::format("{} {} {} on {}", subject, others > 0 ? "are" : "is",
                            removed ? "not supported" : "deprecated", since);
    std::string_view name = std::string_view(f.what).substr(0, f.what.find('.'));
    if (name == "shfl" || name == "vote")
      d.hint = fmt::format(
          "write {}.sync with the mask of the lanes that execute it together (in divergent code "
          "that "
          "is not 0xffffffff)",
          name);
    return d;
  }
  d.severity = Severity::kError;
  switch (r.kind) {
    case Remedy::Kind::kVersion:
      d.code = "version-too-low";
      d.message = fmt::format("{} {} {}; the module says {}, PTX {}", subject, verb,
                              describe(f.needs), target, current);
      d.hint = fmt::format("raise .version to {}", version_text(r.version));
      break;
    case Remedy::Kind::kTarget:
      d.code = "target-too-low";
      d.message = fmt::format("{} {} {} or higher; the module's target is {}", subject, verb,
                              name_of(r.target), target);
      d.hint = fmt::format(
          "compile for {0} or higher (.target {0}, .version {1} or later); "
          "no .version change alone helps",
          name_of(r.target), version_text(std::max(r.version, ptx_)));
      break;
    case Remedy::Kind::kExact:
      d.code = "target-not-exact";
      d.message = fmt::format("{} {} exactly {}; the module's target is {}", subject, verb,
                              list(r.exact), target);
      d.hint = fmt::format(
          "set .target {} (.version {} or later); a higher target without it does "
          "not have the instruction",
          list(r.exact), version_text(r.version));
      break;
    default:
      d.code = "target-not-exact";
      d.message = fmt::format("no known target has {}", subject);
  }
  return d;
}

void RequirementLog::flush(Diagnostics& out) const {
  for (const Finding& finding : findings_) out.add(diagnostic(finding));
}

}  // namespace pitot::ptx
