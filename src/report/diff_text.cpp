// The result of diff for a terminal.
#include <fmt/format.h>

#include <algorithm>

#include "report/diff_report.h"
#include "report/escape.h"
#include "report/gate_words.h"

namespace pitot::report {

namespace {

using gate::AlignedLine;
using gate::ChangeClass;
using gate::KernelDiff;

// What a newcomer reads first: the class in words.
std::string_view meaning(ChangeClass c) {
  switch (c) {
    case ChangeClass::kIdentical:
      return "the same bytes";
    case ChangeClass::kRenamed:
      return "the same program under other names";
    case ChangeClass::kReordered:
      return "the same program, independent instructions or blocks in another order";
    case ChangeClass::kConstants:
      return "the same instructions with other numbers: results may differ";
    case ChangeClass::kModifiers:
      return "the same instructions with other types, modifiers or directives: results may differ";
    case ChangeClass::kStructural:
      return "another program";
    case ChangeClass::kAdded:
      return "only the second has it";
    case ChangeClass::kRemoved:
      return "only the first has it";
  }
  return "";
}

Ink ink_of(ChangeClass c) {
  if (c <= ChangeClass::kReordered) return Ink::kGood;
  return c == ChangeClass::kConstants || c == ChangeClass::kModifiers ? Ink::kWarning : Ink::kError;
}

std::string lines_text(const std::vector<uint32_t>& lines) {
  constexpr size_t kShown = 6;
  std::string out = lines.size() == 1 ? "line " : "lines ";
  for (size_t k = 0; k < std::min(kShown, lines.size()); ++k)
    out += fmt::format("{}{}", k == 0 ? "" : ", ", lines[k]);
  if (lines.size() > kShown) out += ", …";
  return out;
}

void opcodes(std::string& out, const std::vector<gate::OpcodeChange>& list, const TextStyle& style,
             bool added) {
  constexpr size_t kShown = 20;
  for (size_t k = 0; k < std::min(kShown, list.size()); ++k) {
    const auto& o = list[k];
    std::string values = o.values.empty() ? "" : fmt::format(" with {}", fmt::join(o.values, ", "));
    std::string head = fmt::format("{}{} {}{}", added ? "+" : "−", o.count(), o.opcode, values);
    out +=
        fmt::format("  {}  {}\n", ink(style, added ? Ink::kGood : Ink::kError, head),
                    ink(style, Ink::kFaint, fmt::format("[{}] {}", o.kind, lines_text(o.lines))));
  }
  if (list.size() > kShown) out += fmt::format("  … {} further kinds\n", list.size() - kShown);
}

std::string movement(const gate::Counts& a, const gate::Counts& b, bool all) {
  std::string out;
  for (const auto& [name, after] : b.items) {
    double before = a.get(name);
    if (before == after && !all) continue;
    if (!out.empty()) out += ", ";
    out += fmt::format("{} {:.6g} → {:.6g}", name, before, after);
    if (before != after) out += fmt::format(" ({})", signed_number(after - before));
  }
  return out;
}

std::string cut(std::string text, size_t width) {
  text = valid_utf8(text);
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  if (text.size() <= width) return text;
  size_t end = width - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

void excerpt(std::string& out, const KernelDiff& k, const TextStyle& style) {
  // Two columns when there is room for both, else one line below the other.
  const size_t width = style.width < 100 ? 0 : (style.width - 24) / 2;
  for (const AlignedLine& l : k.excerpt) {
    if (l.kind == AlignedLine::Kind::kGap) {
      out += ink(style, Ink::kFaint, "      ⋮") + "\n";
      continue;
    }
    const bool changed = l.kind != AlignedLine::Kind::kSame;
    auto number = [](uint32_t n) { return n == 0 ? std::string(6, ' ') : fmt::format("{:>6}", n); };
    char sign = l.kind == AlignedLine::Kind::kSame      ? ' '
                : l.kind == AlignedLine::Kind::kChanged ? '~'
                : l.kind == AlignedLine::Kind::kMoved   ? '>'
                : l.text_a.empty()                      ? '+'
                                                        : '-';
    Ink ink_a = !changed ? Ink::kPlain : sign == '>' ? Ink::kNote : Ink::kError;
    Ink ink_b = !changed ? Ink::kPlain : sign == '>' ? Ink::kNote : Ink::kGood;
    if (width != 0) {
      std::string left = cut(l.text_a, width), right = cut(l.text_b, width);
      out += fmt::format("{} {} {}{} │ {} {}\n", number(l.line_a), sign, ink(style, ink_a, left),
                         std::string(width - std::min(width, left.size()), ' '), number(l.line_b),
                         ink(style, ink_b, right));
    } else if (!changed) {
      out += fmt::format("{}   {}\n", number(l.line_b), cut(l.text_b, style.width));
    } else {
      if (!l.text_a.empty())
        out += fmt::format("{} - {}\n", number(l.line_a),
                           ink(style, ink_a, cut(l.text_a, style.width)));
      if (!l.text_b.empty())
        out += fmt::format("{} + {}\n", number(l.line_b),
                           ink(style, ink_b, cut(l.text_b, style.width)));
    }
  }
}

void kernel(std::string& out, const KernelDiff& k, const TextStyle& style,
            const DiffTextOptions& options) {
  std::string name = valid_utf8(k.demangled());
  if (!k.demangled_a.empty() && !k.demangled_b.empty() && k.demangled_a != k.demangled_b)
    name = fmt::format("{} → {}", valid_utf8(k.demangled_a), valid_utf8(k.demangled_b));
  out += fmt::format("{} {}: {}\n", ink(style, ink_of(k.cls), to_string(k.cls)),
                     ink(style, Ink::kBold, name), meaning(k.cls));
  if (k.matched_by == "structure" || k.matched_by == "normalised name" ||
      k.matched_by == "only kernel")
    out += fmt::format("  {} matched by {}\n", ink(style, Ink::kNote, "note:"), k.matched_by);
  for (const auto& d : k.declarations) out += fmt::format("  {}: {} → {}\n", d.what, d.from, d.to);
  constexpr size_t kShown = 30;
  for (size_t i = 0; i < std::min(kShown, k.constants.size()); ++i) {
    const auto& c = k.constants[i];
    std::string from =
        c.from == c.from_value ? c.from : fmt::format("{} ({})", c.from_value, c.from);
    std::string to = c.to == c.to_value ? c.to : fmt::format("{} ({})", c.to_value, c.to);
    out += fmt::format("  line {} → {}: {}: {} → {}\n", c.line_a, c.line_b, c.where,
                       ink(style, Ink::kError, from), ink(style, Ink::kGood, to));
  }
  if (k.constants.size() > kShown)
    out += fmt::format("  … {} further constants\n", k.constants.size() - kShown);
  for (size_t i = 0; i < std::min(kShown, k.modifiers.size()); ++i) {
    const auto& m = k.modifiers[i];
    out += fmt::format("  line {} → {}: {} → {}: {}\n", m.line_a, m.line_b, m.from, m.to, m.what);
    if (!m.witness.empty())
      out += fmt::format("      {} {}\n", ink(style, Ink::kNote, "for example"), m.witness);
  }
  if (k.modifiers.size() > kShown)
    out += fmt::format("  … {} further instructions\n", k.modifiers.size() - kShown);
  opcodes(out, k.removed, style, false);
  opcodes(out, k.added, style, true);
  for (size_t i = 0; i < std::min<size_t>(3, k.rewired.size()); ++i)
    out += fmt::format("  line {} → {} reads another value: {} → {}\n", k.rewired[i].line_a,
                       k.rewired[i].line_b, cut(k.rewired[i].from, 60), cut(k.rewired[i].to, 60));
  if (k.rewired.size() > 3)
    out += fmt::format("  … {} further instructions read other values\n", k.rewired.size() - 3);
  if (k.moved != 0) out += fmt::format("  {} instructions moved\n", k.moved);
  if (k.blocks_moved) out += "  blocks stand in another order\n";
  for (const std::string& n : k.notes)
    out += fmt::format("  {} {}\n", ink(style, Ink::kNote, "note:"), n);
  if (!k.name_a.empty() && !k.name_b.empty()) {
    std::string compat = movement(k.compat_a, k.compat_b, options.all_counts);
    // A Δ of zero is not "no change": it says only that the counts did not move.
    out += fmt::format("  counts (compat): {}\n", compat.empty() ? "none moved" : compat);
    if (options.all_counts) {
      std::string all = movement(k.counts_a, k.counts_b, false);
      out += fmt::format("  counts (pitot): {}\n", all.empty() ? "none moved" : all);
    }
    for (const auto& [target, pair] : k.ptxas) {
      std::string moved = movement(pair.first, pair.second, options.all_counts);
      out += fmt::format("  ptxas {}: {}\n", target, moved.empty() ? "nothing moved" : moved);
    }
  }
  if (options.excerpt && !k.excerpt.empty()) {
    out += '\n';
    excerpt(out, k, style);
  }
}

}  // namespace

std::string diff_text(const gate::DiffResult& r, const TextStyle& style,
                      const DiffTextOptions& options) {
  std::string out =
      fmt::format("{} → {}: {}\n", r.path_a, r.path_b, ink(style, ink_of(r.cls), to_string(r.cls)));
  if (!r.verdict.empty()) out += r.verdict + "\n";
  size_t same = 0;
  for (const KernelDiff& k : r.kernels) {
    if (k.cls == ChangeClass::kIdentical && r.kernels.size() > 3) {
      ++same;
      continue;
    }
    out += '\n';
    kernel(out, k, style, options);
  }
  if (same != 0) out += fmt::format("\n{} identical kernels\n", same);
  return out;
}

}  // namespace pitot::report
