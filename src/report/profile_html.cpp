// Profiles as one self-contained page: what binds, and the annotated source.
#include <fmt/format.h>

#include <algorithm>

#include "report/escape.h"
#include "report/html_page.h"
#include "report/profile_report.h"

namespace pitot::report {
namespace {

using profile::ProfileCounts;
using profile::ProfileResult;

std::string bar(double part) {
  return fmt::format(
      "<div "
      "style=\"background:var(--note);height:.55rem;border-radius:.2rem;width:{:.1f}%\"></div>",
      std::clamp(100 * part, 0.0, 100.0));
}

std::string bounds_table(const ProfileResult& r) {
  std::string out =
      "<div class=\"scroll\"><table><tr><th>Resource</th><th>Cycles</th><th "
      "style=\"width:30%\"></th><th>What</th></tr>\n";
  for (const auto& b : r.bounds)
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"soft\">{}</td></tr>\n",
                       xml_escape(b.resource),
                       b.cycles ? fmt::format("{:.0f}", *b.cycles) : "not known",
                       b.cycles && r.complete() && r.cycles > 0 ? bar(*b.cycles / r.cycles) : "",
                       xml_escape(b.what));
  return out + "</table></div>\n";
}

std::string lines_table(const ProfileResult& r) {
  std::string out =
      "<div class=\"scroll\"><table "
      "class=\"diff\"><tr><th>Line</th><th>Share</th><th></th><th>Warp "
      "instr.</th><th>Lanes</th><th>Sectors</th><th>Conflicts</th><th>L1</th><th>L2</th>"
      "<th>Divergent</th><th>Wait</th><th>Source</th></tr>\n";
  auto rate = [](double part, double whole) {
    return whole > 0 ? fmt::format("{:.0f}%", 100 * part / whole) : std::string();
  };
  auto count = [](double n) { return n > 0 ? short_number(n) : std::string(); };
  for (const auto& l : r.lines) {
    const ProfileCounts& c = l.counts;
    const char* mark = l.share >= 0.1 ? "d" : l.share >= 0.03 ? "m" : "";
    out += fmt::format(
        "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td style=\"min-width:5rem\">{}</td><td "
        "class=\"n\">{}</td><td class=\"n\">{:.1f}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"{}\">{}</td></tr>\n",
        l.line, l.share >= 0.0005 ? fmt::format("{:.1f}%", 100 * l.share) : "", bar(l.share),
        short_number(c.warp_instructions), c.active_lanes(),
        c.global_requests + c.local_requests > 0 ? fmt::format("{:.3g}", c.sectors_per_request())
                                                 : "",
        count(c.bank_conflicts()), rate(c.l1_hits, c.l1_sectors),
        rate(c.l2_reads + c.l2_atomics - c.dram_reads, c.l2_reads + c.l2_atomics),
        count(c.divergent_branches), r.block_cycles ? count(c.wait_cycles) : "-", mark,
        xml_escape(l.text));
  }
  return out + "</table></div>\n";
}

}  // namespace

std::string profile_html(const std::vector<ProfileResult>& results) {
  std::string body = "<h1>pitot profile</h1>\n";
  for (const ProfileResult& r : results) {
    body += fmt::format("<h2><code>{}</code> <span class=\"soft\">{}</span></h2>\n",
                        xml_escape(r.kernel), xml_escape(r.size_text));
    std::string head = profile_headline(r);
    body += fmt::format("<pre class=\"soft\">{}</pre>\n", xml_escape(head));
    if (!r.ok()) {
      body +=
          fmt::format("<div class=\"card\"><pre>{}</pre></div>\n", xml_escape(profile_faults(r)));
      continue;
    }
    if (r.complete())
      body += fmt::format(
          "<p>Bound by <span class=\"tag bad\">{}</span>: at least {:.0f} cycles; estimate "
          "{:.0f}{}</p>\n",
          xml_escape(r.bounds[0].resource), r.cycles, r.estimate.value_or(0),
          r.seconds ? fmt::format(", {:.3g} µs at the boost clock", *r.seconds * 1e6) : "");
    body += bounds_table(r);
    if (!r.notes.empty()) {
      body += "<ul>\n";
      for (const std::string& n : r.notes) body += fmt::format("<li>{}</li>\n", xml_escape(n));
      body += "</ul>\n";
    }
    body += lines_table(r);
  }
  return html_page("pitot profile", body);
}

}  // namespace pitot::report
