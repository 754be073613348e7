// The gate's result as a pull-request comment and as GitHub annotations.
#include <fmt/format.h>

#include "report/escape.h"
#include "report/gate_report.h"
#include "report/gate_words.h"

namespace pitot::report {

namespace {

using gate::Finding;
using gate::FindingLevel;

std::string value_pair(const Finding& f) {
  if (f.baseline.empty()) return markdown_escape(f.value);
  return fmt::format("{} → {}", markdown_escape(f.baseline), markdown_escape(f.value));
}

// A blank line would end the HTML block and a backtick open a code span after it.
std::string summary_text(std::string_view text) {
  std::string out;
  for (char c : xml_escape(text)) {
    if (c == '`') {
      out += "&#96;";
    } else {
      out += c == '\n' || c == '\r' ? ' ' : c;
    }
  }
  return out;
}

void details(std::string& out, const Finding& f) {
  out +=
      fmt::format("<details><summary><b>{}</b> {} ({})</summary>\n\n{}\n\n", summary_text(f.rule),
                  summary_text(f.demangled), summary_text(f.target), markdown_escape(f.message));
  if (!f.path.empty())
    out += fmt::format("{}\n\n",
                       markdown_code(f.line != 0 ? fmt::format("{}:{}", f.path, f.line) : f.path));
  for (const std::string& d : f.details) out += fmt::format("- {}\n", markdown_escape(d));
  if (!f.details.empty()) out += '\n';
  if (!f.why.empty()) out += fmt::format("**Why it matters.** {}\n\n", markdown_escape(f.why));
  if (!f.fix.empty()) out += fmt::format("**What to do.** {}\n\n", markdown_escape(f.fix));
  out += "</details>\n\n";
}

}  // namespace

std::string gate_markdown(const gate::GateResult& r) {
  if (!r.moved()) return {};
  std::string out = fmt::format("### {} pitot gate\n\n{}\n\n", r.pass ? "✅" : "❌",
                                markdown_escape(verdict_words(r)));
  bool any = false;
  for (const Finding& f : r.findings) any |= !f.waived;
  if (any) {
    out += "| | rule | kernel | target | before → after | what |\n|---|---|---|---|---|---|\n";
    for (const Finding& f : r.findings) {
      if (f.waived) continue;
      const char* sign = f.level == FindingLevel::kError     ? "❌"
                         : f.level == FindingLevel::kWarning ? "⚠️"
                                                             : "ℹ️";
      out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", sign, markdown_code(f.rule),
                         markdown_code(f.demangled), markdown_escape(f.target), value_pair(f),
                         markdown_escape(f.message));
    }
    out += '\n';
    for (const Finding& f : r.findings)
      if (!f.waived) details(out, f);
  }
  std::string rows;
  for (const auto& k : r.kernels) {
    if (k.cls == "identical") continue;
    std::string delta = k.cls == "added" || k.cls == "removed" ? "–" : delta_words(k.delta);
    for (const auto& [target, counts] : k.physical_delta)
      if (std::string words = delta_words(counts); words != "no count moved")
        delta += fmt::format("; ptxas {}: {}", target, words);
    rows += fmt::format("| {} | {} | {} | {} |\n", markdown_code(k.demangled),
                        markdown_escape(k.target), k.cls, markdown_escape(delta));
  }
  if (!rows.empty())
    out += "| kernel | target | change | after − before |\n|---|---|---|---|\n" + rows + "\n";
  size_t waived = 0;
  for (const Finding& f : r.findings) waived += f.waived;
  if (waived != 0) out += fmt::format("{} waived.\n\n", waived);
  for (const std::string& n : r.notes) out += fmt::format("> {}\n\n", markdown_escape(n));
  return out;
}

std::string gate_github(const gate::GateResult& r) {
  std::string out;
  for (const Finding& f : r.findings) {
    if (f.waived) continue;
    const char* command = f.level == FindingLevel::kError     ? "error"
                          : f.level == FindingLevel::kWarning ? "warning"
                                                              : "notice";
    std::string place;
    if (!f.path.empty()) {
      place = fmt::format("file={},", github_property(f.path));
      if (f.line != 0) place += fmt::format("line={},", f.line);
    }
    std::string text = fmt::format("{} ({}): {}", f.demangled, f.target, f.message);
    for (const std::string& d : f.details) text += "\n" + d;
    if (!f.fix.empty()) text += "\n" + f.fix;
    out += fmt::format("::{} {}title={}::{}\n", command, place, github_property("pitot: " + f.rule),
                       github_message(text));
  }
  return out;
}

}  // namespace pitot::report
