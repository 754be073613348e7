// The frame of a report page: head, contents, sections, scripts.
#include <fmt/format.h>

#include <algorithm>

#include "report/escape.h"
#include "report/page_assets.h"
#include "report/page_blocks.h"
#include "report/page_report.h"

namespace pitot::report {
namespace page {
namespace {

// Nothing is fetched from anywhere, and the browser is told to see to that.
constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

// Script as it may stand in a page: without an end tag, and without the name of a map to fetch.
std::string inline_script(std::string_view script) {
  constexpr std::string_view kEnd = "</script";
  std::string out(script);
  const auto same = [](char a, char b) {
    return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b);
  };
  for (auto at = out.begin();
       (at = std::search(at, out.end(), kEnd.begin(), kEnd.end(), same)) != out.end(); ++at)
    at = out.insert(at + 1, '\\');
  if (const size_t at = out.rfind("//# sourceMappingURL="); at != out.npos)
    out.erase(at, std::min(out.find('\n', at), out.size()) - at);
  return out;
}

std::string verdict_tag(const Section& s) {
  if (s.verdict.empty()) return {};
  return fmt::format(" <span class=\"tag {}\">{}</span>", tone_name(s.tone), xml_escape(s.verdict));
}

std::string section_html(const Section& s, size_t number, bool charts) {
  std::string out = fmt::format(
      "<section id=\"s{}\" aria-labelledby=\"h{}\">\n<header><h2 id=\"h{}\">{}</h2>{}<p><code>{}"
      "</code> <span class=\"soft\">{}</span></p></header>\n",
      number, number, number, xml_escape(s.title), verdict_tag(s), xml_escape(s.path),
      xml_escape(s.schema));
  // Charts stand side by side where the first of them is.
  std::string drawn;
  for (const Block& b : s.blocks)
    if (const auto* chart = std::get_if<Chart>(&b); chart != nullptr && charts)
      drawn += chart_html(*chart);
  for (const Block& b : s.blocks) {
    if (const auto* facts = std::get_if<Facts>(&b)) out += facts_html(*facts);
    if (const auto* table = std::get_if<Table>(&b)) out += table_html(*table);
    if (const auto* notes = std::get_if<Notes>(&b)) out += notes_html(*notes);
    if (!std::holds_alternative<Chart>(b) || drawn.empty()) continue;
    out += "<div class=\"charts\">\n" + drawn + "</div>\n";
    drawn.clear();
  }
  return out + "</section>\n";
}

std::string contents_html(const std::vector<Section>& sections) {
  std::string out = "<nav aria-label=\"Contents\"><ol>\n";
  for (size_t i = 0; i < sections.size(); ++i) {
    const Section& s = sections[i];
    const std::string file = s.path.substr(s.path.rfind('/') + 1);
    out += fmt::format("<li><a href=\"#s{}\">{}</a>{}<small>{}</small></li>\n", i + 1,
                       xml_escape(s.title), verdict_tag(s), xml_escape(file));
  }
  return out + "</ol></nav>\n";
}

std::string footer_html(const PageHead& head, bool charts) {
  std::string out =
      fmt::format("<footer><p>Written by {}; it needs no network.</p>\n", xml_escape(head.maker));
  if (charts)
    out += fmt::format(
        "<details><summary>Charts are drawn by Chart.js; its licence</summary><pre>{}</pre>"
        "</details>\n",
        xml_escape(chart_licence()));
  return out + "</footer>\n";
}

}  // namespace
}  // namespace page

std::string page_html(const PageHead& head, const std::vector<page::Section>& sections,
                      std::string_view chart_library) {
  using namespace page;
  const bool charts = !chart_library.empty();
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#results\">Skip to the results</a>\n"
      "<header class=\"top\"><h1>{}</h1><div id=\"tools\"></div></header>\n"
      "<div class=\"frame\">\n{}<main id=\"results\" tabindex=\"-1\">\n",
      kPolicy, xml_escape(head.title), page_style(), xml_escape(head.title),
      contents_html(sections));
  if (!charts)
    out +=
        "<p class=\"notes note\">This page has tables only: pitot was built without Chart.js "
        "(package libjs-chart.js).</p>\n";
  for (size_t i = 0; i < sections.size(); ++i) out += section_html(sections[i], i + 1, charts);
  out += "</main>\n</div>\n" + footer_html(head, charts);
  if (charts) out += "<script>\n" + inline_script(chart_library) + "\n</script>\n";
  out += "<script>\n" + inline_script(page_script()) + "</script>\n</body>\n</html>\n";
  return out;
}

}  // namespace pitot::report
