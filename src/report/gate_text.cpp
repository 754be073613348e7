// The gate's result for a terminal.
#include <fmt/format.h>

#include <algorithm>

#include "report/escape.h"
#include "report/gate_report.h"
#include "report/gate_words.h"

namespace pitot::report {

namespace {

using gate::Finding;
using gate::FindingLevel;
using gate::GateResult;

// Breaks a text into lines of at most `width` columns (bytes, which is near enough).
std::vector<std::string> wrapped(std::string_view text, size_t width) {
  std::vector<std::string> out(1);
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(' ', at), text.size());
    std::string_view word = text.substr(at, end - at);
    if (!out.back().empty() && out.back().size() + 1 + word.size() > width) out.emplace_back();
    if (!out.back().empty()) out.back() += ' ';
    out.back() += word;
    at = end + 1;
  }
  return out;
}

void labelled(std::string& out, const TextStyle& style, std::string_view label,
              std::string_view text) {
  if (text.empty()) return;
  size_t width = std::max<size_t>(style.width, 40) - 12;
  bool first = true;
  for (const std::string& line : wrapped(text, width)) {
    out += fmt::format(
        "    {} {}\n",
        first ? ink(style, Ink::kNote, fmt::format("{:>5}", label)) : std::string("     "), line);
    first = false;
  }
}

void finding(std::string& out, const Finding& f, const TextStyle& style) {
  Ink colour = f.waived                            ? Ink::kFaint
               : f.level == FindingLevel::kError   ? Ink::kError
               : f.level == FindingLevel::kWarning ? Ink::kWarning
                                                   : Ink::kNote;
  std::string level = f.waived ? "waived" : level_name(f.level);
  std::string target = f.target.empty() ? "" : fmt::format(" ({})", f.target);
  out += fmt::format("{} {}{}: {}\n", ink(style, colour, fmt::format("{}[{}]", level, f.rule)),
                     ink(style, Ink::kBold, valid_utf8(f.demangled)), target, f.message);
  if (!f.path.empty())
    out += ink(style, Ink::kFaint,
               f.line != 0 ? fmt::format("  --> {}:{}", f.path, f.line)
                           : fmt::format("  --> {}", f.path)) +
           "\n";
  if (f.waived) {
    labelled(out, style, "why:", f.waiver);
    return;
  }
  for (const std::string& d : f.details)
    out += fmt::format("      {} {}\n", ink(style, Ink::kFaint, "|"), d);
  labelled(out, style, "why:", f.why);
  labelled(out, style, "do:", f.fix);
}

}  // namespace

std::string gate_text(const GateResult& r, const TextStyle& style) {
  std::string out;
  for (const Finding& f : r.findings) {
    finding(out, f, style);
    out += '\n';
  }
  size_t width = 10;
  for (const auto& k : r.kernels) width = std::max(width, std::min<size_t>(60, k.demangled.size()));
  if (!r.kernels.empty())
    out += ink(style, Ink::kBold,
               fmt::format("{:<{}}  {:<8} {:<11} {}\n", "kernel", width, "target", "change",
                           "after − before (compat counts)"));
  for (const auto& k : r.kernels) {
    Ink colour = k.findings != 0 ? Ink::kError : Ink::kGood;
    std::string name = valid_utf8(k.demangled);
    if (name.size() > 60) name = name.substr(0, 57) + "...";
    std::string delta = k.cls == "added" || k.cls == "removed" ? "" : delta_words(k.delta);
    if (!k.acknowledged.empty()) delta += fmt::format("; {}", acknowledgement_words(k));
    out += fmt::format("{:<{}}  {:<8} {} {}\n", name, width, k.target,
                       ink(style, colour, fmt::format("{:<11}", k.cls)), delta);
    if (!k.before_name.empty())
      out += fmt::format("{:<{}}  was {}\n", "", width, valid_utf8(k.before_name));
    for (const auto& [target, counts] : k.physical_delta)
      if (std::string words = delta_words(counts); words != "no count moved")
        out += fmt::format("{:<{}}  {:<8} {:<11} {}\n", "", width, target, "ptxas", words);
  }
  for (const std::string& n : r.notes)
    out += fmt::format("{} {}\n", ink(style, Ink::kNote, "note:"), n);
  out += fmt::format("\n{}\n", ink(style, r.pass ? Ink::kGood : Ink::kError, verdict_words(r)));
  return out;
}

}  // namespace pitot::report
