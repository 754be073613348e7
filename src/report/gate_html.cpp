// The gate's and diff's results as one HTML page.
#include <fmt/format.h>

#include "report/diff_report.h"
#include "report/escape.h"
#include "report/gate_report.h"
#include "report/gate_words.h"
#include "report/html_page.h"

namespace pitot::report {

namespace {

using gate::Finding;
using gate::FindingLevel;

std::string finding_card(const Finding& f) {
  std::string_view style = f.waived                            ? "note"
                           : f.level == FindingLevel::kError   ? "bad"
                           : f.level == FindingLevel::kWarning ? "warn"
                                                               : "note";
  std::string out = fmt::format(
      "<div class=\"card{}\"><h3><span class=\"tag {}\">{}</span> <code>{}</code> <span "
      "class=\"soft\">{}</span></h3>\n<p>{}</p>\n",
      f.waived ? " waived" : "", style, xml_escape(f.rule), xml_escape(f.demangled),
      xml_escape(f.target), xml_escape(f.message));
  if (f.waived)
    return out + fmt::format("<p class=\"soft\">waived: {}</p></div>\n", xml_escape(f.waiver));
  if (!f.details.empty()) {
    out += "<ul>\n";
    for (const std::string& d : f.details) out += fmt::format("<li>{}</li>\n", xml_escape(d));
    out += "</ul>\n";
  }
  out += "<dl>\n";
  auto row = [&](const char* label, const std::string& text) {
    if (!text.empty()) out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", label, xml_escape(text));
  };
  if (!f.baseline.empty() || !f.value.empty())
    row("Before → after", f.baseline.empty() ? f.value : f.baseline + " → " + f.value);
  row("Where", f.path.empty() ? "" : f.line != 0 ? fmt::format("{}:{}", f.path, f.line) : f.path);
  row("Why it matters", f.why);
  row("What to do", f.fix);
  return out + "</dl></div>\n";
}

std::string kernel_rows(const gate::GateResult& r) {
  std::string out =
      "<div class=\"scroll\"><table><tr><th>Kernel</th><th>Target</th><th>Change</th><th>After − "
      "before</th></tr>\n";
  for (const auto& k : r.kernels) {
    std::string delta = k.cls == "added" || k.cls == "removed" ? "–" : delta_words(k.delta);
    for (const auto& [target, counts] : k.physical_delta)
      delta += fmt::format("; ptxas {}: {}", target, delta_words(counts));
    if (!k.acknowledged.empty()) delta += "; " + acknowledgement_words(k);
    out += fmt::format(
        "<tr><td><code>{}</code></td><td>{}</td><td><span class=\"tag "
        "{}\">{}</span></td><td>{}</td>"
        "</tr>\n",
        xml_escape(k.demangled), xml_escape(k.target), k.findings == 0 ? "good" : "bad", k.cls,
        xml_escape(delta));
  }
  return out + "</table></div>\n";
}

}  // namespace

std::string gate_html(const gate::GateResult& r, const std::vector<gate::DiffResult>& diffs) {
  std::string body = fmt::format(
      "<h1>pitot gate</h1>\n<p><span class=\"verdict {}\">{}</span> <span "
      "class=\"soft\">{}</span></p>"
      "\n",
      r.pass ? "pass" : "fail", r.pass ? "pass" : "fail", xml_escape(verdict_words(r)));
  if (!r.findings.empty()) body += "<h2>Findings</h2>\n";
  for (const Finding& f : r.findings) body += finding_card(f);
  if (!r.kernels.empty()) body += "<h2>Kernels</h2>\n" + kernel_rows(r);
  bool heading = false;
  for (const gate::DiffResult& d : diffs)
    for (const gate::KernelDiff& k : d.kernels) {
      if (k.cls <= gate::ChangeClass::kRenamed) continue;
      if (!heading) body += "<h2>Changed programs</h2>\n";
      heading = true;
      body += html_kernel(k);
    }
  if (!r.notes.empty()) body += "<h2>Notes</h2>\n<ul>\n";
  for (const std::string& n : r.notes) body += fmt::format("<li>{}</li>\n", xml_escape(n));
  if (!r.notes.empty()) body += "</ul>\n";
  return html_page(r.pass ? "pitot gate: pass" : "pitot gate: fail", body);
}

std::string diff_html(const std::vector<gate::DiffResult>& results) {
  std::string body = "<h1>pitot diff</h1>\n";
  for (const gate::DiffResult& r : results) {
    body += fmt::format("<h2>{} → {}: {}</h2>\n", xml_escape(r.path_a), xml_escape(r.path_b),
                        to_string(r.cls));
    if (!r.verdict.empty()) body += fmt::format("<p>{}</p>\n", xml_escape(r.verdict));
    for (const gate::KernelDiff& k : r.kernels) body += html_kernel(k);
  }
  return html_page("pitot diff", body);
}

}  // namespace pitot::report
