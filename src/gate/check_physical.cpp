// What ptxas makes of it, for every target that was assembled: movement, spills, occupancy,
// launches that cannot run, new advisories.
#include <fmt/format.h>

#include <algorithm>

#include "arch/occupancy.h"
#include "gate/judge_context.h"

namespace pitot::gate {

namespace {

std::optional<arch::Occupancy> occupancy_of(const KernelState& k, const Physical& p,
                                            const std::string& target) {
  if (k.threads == 0 || k.threads > 1024) return std::nullopt;
  const arch::Capability* capability = arch::find_capability(ptx::target_from_name(target).sm);
  if (capability == nullptr || !p.counts.has("registers")) return std::nullopt;
  arch::LaunchResources launch;
  launch.threads = static_cast<uint32_t>(k.threads);
  launch.registers_per_thread = static_cast<uint32_t>(p.counts.get("registers"));
  launch.static_shared = static_cast<uint32_t>(p.counts.get("shared"));
  launch.barriers = static_cast<uint32_t>(p.counts.get("barriers"));
  return arch::occupancy(*capability, launch);
}

void check_launch(Judgement& j, const std::string& target, const Physical& p) {
  auto now = occupancy_of(*j.c.after, p, target);
  if (!now) return;
  if (now->problem == arch::LaunchProblem::kRegistersPerBlock) {
    std::string before;
    if (j.c.before)
      if (auto it = j.c.before->ptxas.find(target); it != j.c.before->ptxas.end())
        before = number_text(it->second.counts.get("registers"));
    if (Finding* f = j.add("threads-registers", FindingLevel::kError,
                           fmt::format("{} threads × {} registers: {}", j.c.after->threads,
                                       number_text(p.counts.get("registers")), now->message),
                           before, number_text(p.counts.get("registers"))))
      f->target = target;
    return;
  }
  if (!j.both() || !now->runs()) return;
  auto it = j.c.before->ptxas.find(target);
  if (it == j.c.before->ptxas.end()) return;
  auto then = occupancy_of(*j.c.before, it->second, target);
  if (!then || !then->runs() || now->blocks >= then->blocks) return;
  if (Finding* f = j.add(
          "occupancy-lost", FindingLevel::kError,
          fmt::format("{} blocks of {} threads on an SM instead of {}, limited by {}{}",
                      now->blocks, j.c.after->threads, then->blocks, arch::limit_names(now->limits),
                      j.c.after->dynamic_shared ? " (dynamic shared memory not counted)" : ""),
          fmt::format("{:.0f} %", then->occupancy * 100),
          fmt::format("{:.0f} %", now->occupancy * 100)))
    f->target = target;
}

// Only counts whose growth costs something by itself.
void check_spills(Judgement& j, const std::string& target, const Counts& a, const Counts& b) {
  double before = a.get("spills"), after = b.get("spills");
  if (after <= before) return;
  if (Finding* f =
          j.add("spill-growth", FindingLevel::kError,
                fmt::format(
                    "{}, {}", moved_text("spill loads", a.get("spill_loads"), b.get("spill_loads")),
                    moved_text("spill stores", a.get("spill_stores"), b.get("spill_stores"))),
                fmt::format("{} bytes", number_text(before)),
                fmt::format("{} bytes", number_text(after))))
    f->target = target;
}

void check_movement(Judgement& j, const std::string& target, const Counts& a, const Counts& b) {
  // A changed program is reported as such; here it is the assembler that moved.
  if (j.c.cls > ChangeClass::kReordered || j.rules.ratchet == RuleSet::Ratchet::kOff) return;
  std::vector<std::string> parts;
  bool rose = false;
  for (const auto& [name, after] : b.items) {
    double before = a.get(name);
    if (before == after || name == "spills") continue;
    rose |= after > before;
    parts.push_back(moved_text(name, before, after));
  }
  if (parts.empty() || (j.rules.ratchet == RuleSet::Ratchet::kUp && !rose)) return;
  if (Finding* f =
          j.add("movement", FindingLevel::kError, fmt::format("{}", fmt::join(parts, ", ")),
                number_text(a.get("registers")), number_text(b.get("registers"))))
    f->target = target;
}

void check_advisories(Judgement& j, const std::string& target, const Physical* before,
                      const Physical& now) {
  for (const std::string& text : now.advisories) {
    const std::string code = text.substr(0, text.find(':'));
    auto same = [&](const std::string& other) { return other.substr(0, other.find(':')) == code; };
    if (before != nullptr &&
        std::any_of(before->advisories.begin(), before->advisories.end(), same))
      continue;
    if (Finding* f = j.add("ptxas-advisory", FindingLevel::kError, text, "", code))
      f->target = target;
  }
}

}  // namespace

void check_physical(Judgement& j) {
  if (!j.c.after) return;
  for (const auto& [target, now] : j.c.after->ptxas) {
    check_launch(j, target, now);
    const Physical* before = nullptr;
    if (j.c.before)
      if (auto it = j.c.before->ptxas.find(target); it != j.c.before->ptxas.end())
        before = &it->second;
    // Advisories of a kernel that nobody compares are not news.
    if (j.c.before) check_advisories(j, target, before, now);
    if (before == nullptr) continue;
    check_spills(j, target, before->counts, now.counts);
    check_movement(j, target, before->counts, now.counts);
  }
}

}  // namespace pitot::gate
