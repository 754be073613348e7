// The result of diff as Markdown.
#include <fmt/format.h>

#include <algorithm>

#include "report/diff_report.h"
#include "report/escape.h"
#include "report/gate_words.h"

namespace pitot::report {

namespace {

std::string change_words(const gate::KernelDiff& k) {
  std::vector<std::string> parts;
  constexpr size_t kShown = 3;
  for (size_t i = 0; i < std::min(kShown, k.constants.size()); ++i)
    parts.push_back(fmt::format("{} → {}", k.constants[i].from_value, k.constants[i].to_value));
  for (size_t i = 0; i < std::min(kShown, k.modifiers.size()); ++i)
    parts.push_back(k.modifiers[i].what);
  for (size_t i = 0; i < std::min(kShown, k.removed.size()); ++i)
    parts.push_back(fmt::format("−{} {}", k.removed[i].count(), k.removed[i].opcode));
  for (size_t i = 0; i < std::min(kShown, k.added.size()); ++i)
    parts.push_back(fmt::format("+{} {}", k.added[i].count(), k.added[i].opcode));
  for (const auto& d : k.declarations)
    parts.push_back(fmt::format("{}: {} → {}", d.what, d.from, d.to));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

std::string diff_markdown(const gate::DiffResult& r) {
  std::string out = fmt::format("### {} → {}: {}\n\n", markdown_escape(r.path_a),
                                markdown_escape(r.path_b), to_string(r.cls));
  if (!r.verdict.empty()) out += markdown_escape(r.verdict) + "\n\n";
  out += "| kernel | change | after − before | what |\n|---|---|---|---|\n";
  for (const auto& k : r.kernels) {
    gate::Counts delta;
    if (!k.name_a.empty() && !k.name_b.empty())
      for (const auto& [name, value] : k.compat_b.items)
        delta.set(name, value - k.compat_a.get(name));
    out += fmt::format("| {} | {} | {} | {} |\n", markdown_code(k.demangled()), to_string(k.cls),
                       markdown_escape(delta_words(delta)), markdown_escape(change_words(k)));
  }
  return out + "\n";
}

}  // namespace pitot::report
