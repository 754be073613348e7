// The change class against what the rules let pass, with what changed in words.
#include <fmt/format.h>

#include <algorithm>

#include "gate/judge_context.h"

namespace pitot::gate {

namespace {

std::string compat_movement(const GateCase& c) {
  std::vector<std::string> parts;
  for (const auto& [name, after] : c.after->compat.items) {
    double before = c.before->compat.get(name);
    if (before != after) parts.push_back(moved_text(name, before, after));
  }
  return parts.empty() ? "no count moved" : fmt::format("{}", fmt::join(parts, ", "));
}

bool any_count_rose(const GateCase& c) {
  for (const auto& [name, after] : c.after->compat.items)
    if (after > c.before->compat.get(name)) return true;
  return false;
}

void add_constants(const KernelDiff& d, Finding& f) {
  constexpr size_t kShown = 6;
  for (size_t k = 0; k < std::min(kShown, d.constants.size()); ++k) {
    const ConstantChange& c = d.constants[k];
    std::string from =
        c.from == c.from_value ? c.from : fmt::format("{} ({})", c.from_value, c.from);
    std::string to = c.to == c.to_value ? c.to : fmt::format("{} ({})", c.to_value, c.to);
    f.details.push_back(
        fmt::format("line {} → {}: {}: {} → {}", c.line_a, c.line_b, c.where, from, to));
  }
  if (d.constants.size() > kShown)
    f.details.push_back(fmt::format("and {} more", d.constants.size() - kShown));
}

void add_modifiers(const KernelDiff& d, Finding& f) {
  constexpr size_t kShown = 6;
  for (size_t k = 0; k < std::min(kShown, d.modifiers.size()); ++k) {
    const ModifierChange& m = d.modifiers[k];
    f.details.push_back(fmt::format("line {} → {}: {} → {}: {}{}", m.line_a, m.line_b, m.from, m.to,
                                    m.what, m.witness.empty() ? "" : "; with " + m.witness));
  }
  if (d.modifiers.size() > kShown)
    f.details.push_back(fmt::format("and {} more", d.modifiers.size() - kShown));
}

std::string opcode_list(const std::vector<OpcodeChange>& list) {
  constexpr size_t kShown = 5;
  std::vector<std::string> parts;
  for (size_t k = 0; k < std::min(kShown, list.size()); ++k) {
    std::string values;
    if (!list[k].values.empty()) values = fmt::format(" with {}", fmt::join(list[k].values, ", "));
    parts.push_back(fmt::format("{} {}{}", list[k].count(), list[k].opcode, values));
  }
  if (list.size() > kShown) parts.push_back(fmt::format("{} other kinds", list.size() - kShown));
  return fmt::format("{}", fmt::join(parts, "; "));
}

void add_structure(const KernelDiff& d, Finding& f) {
  if (!d.removed.empty()) f.details.push_back("removed: " + opcode_list(d.removed));
  if (!d.added.empty()) f.details.push_back("added: " + opcode_list(d.added));
  if (!d.rewired.empty())
    f.details.push_back(fmt::format("{} instructions read other values, first at line {}: {}",
                                    d.rewired.size(), d.rewired[0].line_b, d.rewired[0].to));
  if (d.moved != 0) f.details.push_back(fmt::format("{} instructions moved", d.moved));
}

// Lists what opcode counts tell when only a baseline is at hand.
void add_histogram(const KernelState& before, const KernelState& after, Finding& f) {
  std::vector<OpcodeChange> removed, added;
  auto compare = [](const KernelState& x, const KernelState& y, std::vector<OpcodeChange>& out) {
    for (const auto& [opcode, n] : x.opcodes) {
      auto it = y.opcodes.find(opcode);
      uint32_t other = it == y.opcodes.end() ? 0 : it->second;
      if (n <= other) continue;
      OpcodeChange c;
      c.opcode = opcode;
      c.lines.assign(n - other, 0);
      out.push_back(std::move(c));
    }
    std::stable_sort(out.begin(), out.end(), [](const OpcodeChange& p, const OpcodeChange& q) {
      return p.lines.size() > q.lines.size();
    });
  };
  compare(before, after, removed);
  compare(after, before, added);
  if (!removed.empty()) f.details.push_back("fewer: " + opcode_list(removed));
  if (!added.empty()) f.details.push_back("more: " + opcode_list(added));
}

std::string class_summary(const GateCase& c) {
  if (c.diff) {
    const KernelDiff& d = *c.diff;
    if (c.cls == ChangeClass::kConstants && d.constants.empty()) return "a declared size changed";
    if (c.cls == ChangeClass::kConstants) {
      const ConstantChange& x = d.constants[0];
      return fmt::format("{} constant{} changed, {} → {}{}", d.constants.size(),
                         d.constants.size() == 1 ? "" : "s", x.from_value, x.to_value,
                         d.constants.size() == 1 ? "" : " and others");
    }
    if (c.cls == ChangeClass::kModifiers) {
      if (!d.modifiers.empty())
        return fmt::format("{} instruction{} changed type or modifiers: {}", d.modifiers.size(),
                           d.modifiers.size() == 1 ? "" : "s", d.modifiers[0].what);
      if (!d.declarations.empty())
        return fmt::format("{}: {} → {}", d.declarations[0].what, d.declarations[0].from,
                           d.declarations[0].to);
    }
  }
  switch (c.cls) {
    case ChangeClass::kConstants:
      return "constants changed (compare the two PTX files with `pitot diff` to see which)";
    case ChangeClass::kModifiers:
      return "types, modifiers or launch bounds changed";
    case ChangeClass::kStructural:
      return fmt::format("the program changed: {}", compat_movement(c));
    default:
      return fmt::format("{} change", to_string(c.cls));
  }
}

void add_details(const GateCase& c, Finding& f) {
  if (c.diff) {
    for (const DeclarationChange& d : c.diff->declarations)
      f.details.push_back(fmt::format("{}: {} → {}", d.what, d.from, d.to));
    add_constants(*c.diff, f);
    add_modifiers(*c.diff, f);
    if (c.cls == ChangeClass::kStructural) add_structure(*c.diff, f);
    const auto& d = *c.diff;
    if (!d.constants.empty() && c.cls == ChangeClass::kConstants) f.line = d.constants[0].line_b;
    if (!d.modifiers.empty() && c.cls == ChangeClass::kModifiers) f.line = d.modifiers[0].line_b;
    if (!d.added.empty() && !d.added[0].lines.empty()) f.line = d.added[0].lines[0];
  } else {
    add_histogram(*c.before, *c.after, f);
  }
  f.details.push_back(fmt::format("to accept it: [[acknowledge]] program = \"{}\"",
                                  c.after->hash.program.substr(0, 16)));
}

}  // namespace

void check_class(Judgement& j) {
  const GateCase& c = j.c;
  if (!c.before) {
    if (!j.rules.allow_added)
      j.add("kernel-added", FindingLevel::kError, "this kernel is new", "", "added");
    return;
  }
  if (!c.after) {
    if (!j.rules.allow_removed)
      j.add("kernel-removed", FindingLevel::kError, "this kernel is gone", "there", "removed");
    return;
  }
  if (c.before->version != c.after->version || c.before->target != c.after->target) {
    Finding* f = j.add("header", FindingLevel::kNote, "the header moved",
                       fmt::format("{} {}", c.before->version, c.before->target),
                       fmt::format("{} {}", c.after->version, c.after->target));
    if (f != nullptr && c.cls <= ChangeClass::kReordered)
      f->message =
          "only .version or .target differs: the PTX is exonerated, look at ptxas or the driver";
  }
  if (j.rules.allows(c.cls)) return;
  if (c.only_vector_widths && c.cls == ChangeClass::kStructural) {
    // Explained: the accesses are the same bytes in other portions. Whether the wider ones are
    // aligned is a check of its own; narrower ones are a regression with its own name.
    return;
  }
  if (j.rules.ratchet == RuleSet::Ratchet::kOff) return;
  if (j.rules.ratchet == RuleSet::Ratchet::kUp && !any_count_rose(c)) {
    j.note(
        "the one-way ratchet lets changes pass that lower every count; a dropped scale or mask "
        "does that too");
    return;
  }
  Finding* f = j.add(to_string(c.cls), FindingLevel::kError, class_summary(c), "",
                     c.diff && !c.diff->constants.empty() && c.cls == ChangeClass::kConstants
                         ? c.diff->constants[0].to_value
                         : compat_movement(c));
  if (f == nullptr) return;
  if (c.diff && !c.diff->constants.empty() && c.cls == ChangeClass::kConstants)
    f->baseline = c.diff->constants[0].from_value;
  add_details(c, *f);
}

}  // namespace pitot::gate
