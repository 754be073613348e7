// HTML frame and kernel comparison.
#include "report/html_page.h"

#include <fmt/format.h>

#include "report/escape.h"
#include "report/gate_words.h"

namespace pitot::report {

namespace {

constexpr std::string_view kStyle = R"(
:root{--bg:#fff;--fg:#1c2024;--soft:#60646c;--line:#d9d9e0;--card:#f6f7f9;--bad:#c62a2f;--badbg:#ffecee;
--good:#18794e;--goodbg:#e6f6ec;--warn:#8f5f00;--warnbg:#fff4d6;--note:#0b68cb;--notebg:#eaf3fe}
@media(prefers-color-scheme:dark){:root{--bg:#111214;--fg:#edeef0;--soft:#a0a4ab;--line:#34363b;
--card:#1b1d20;--bad:#ff8589;--badbg:#3b1719;--good:#63c174;--goodbg:#13301f;--warn:#ffca16;--warnbg:#332500;
--note:#70b8ff;--notebg:#0d2847}}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--fg);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:72rem;margin:0 auto;padding:2rem 1.25rem 4rem}h1{font-size:1.6rem;margin:0 0 .25rem}
h2{font-size:1.15rem;margin:2.25rem 0 .75rem}h3{font-size:1rem;margin:0}.soft{color:var(--soft)}
.verdict{display:inline-block;padding:.15rem .7rem;border-radius:999px;font-weight:600}
.pass,.good{color:var(--good);background:var(--goodbg)}.fail,.bad{color:var(--bad);background:var(--badbg)}
.warn{color:var(--warn);background:var(--warnbg)}.note{color:var(--note);background:var(--notebg)}
.tag{display:inline-block;padding:0 .5rem;border-radius:.4rem;font-size:.85rem;font-weight:600}
.card{background:var(--card);border:1px solid var(--line);border-radius:.7rem;padding:1rem 1.15rem;margin:.8rem 0}
.card p{margin:.45rem 0}code,pre,.code{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
ul{margin:.4rem 0;padding-left:1.3rem}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.4rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--soft);font-weight:600;font-size:.85rem}.scroll{overflow-x:auto}
.diff td{padding:0 .6rem;border:0;white-space:pre;font:12.5px/1.55 ui-monospace,SFMono-Regular,Menlo,monospace}
.diff .n{color:var(--soft);text-align:right;width:1%;user-select:none}.diff td.d{background:var(--badbg)}
.diff td.a{background:var(--goodbg)}.diff td.m{background:var(--notebg)}.waived{opacity:.65}
summary{cursor:pointer}dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem .9rem;margin:.5rem 0}
dt{color:var(--soft)}dd{margin:0}
)";

using gate::AlignedLine;
using gate::ChangeClass;

std::string_view style_of(ChangeClass c) {
  if (c <= ChangeClass::kReordered) return "good";
  return c == ChangeClass::kConstants || c == ChangeClass::kModifiers ? "warn" : "bad";
}

std::string lines_table(const gate::KernelDiff& k) {
  std::string out = "<div class=\"scroll\"><table class=\"diff\">\n";
  for (const AlignedLine& l : k.excerpt) {
    if (l.kind == AlignedLine::Kind::kGap) {
      out += "<tr><td class=\"n\">⋮</td><td></td><td class=\"n\">⋮</td><td></td></tr>\n";
      continue;
    }
    const bool moved = l.kind == AlignedLine::Kind::kMoved;
    const bool changed = l.kind != AlignedLine::Kind::kSame;
    std::string_view a = l.text_a.empty() || !changed ? "" : moved ? "m" : "d";
    std::string_view b = l.text_b.empty() || !changed ? "" : moved ? "m" : "a";
    auto number = [](uint32_t n) { return n == 0 ? std::string() : fmt::format("{}", n); };
    out += fmt::format(
        "<tr><td class=\"n\">{}</td><td class=\"{}\">{}</td><td class=\"n\">{}</td><td "
        "class=\"{}\">{}</td></tr>\n",
        number(l.line_a), a, xml_escape(l.text_a), number(l.line_b), b, xml_escape(l.text_b));
  }
  return out + "</table></div>\n";
}

}  // namespace

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n"
      "<style>{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
      xml_escape(title), kStyle, body);
}

std::string html_kernel(const gate::KernelDiff& k) {
  std::string out =
      fmt::format("<div class=\"card\"><h3><span class=\"tag {}\">{}</span> <code>{}</code></h3>\n",
                  style_of(k.cls), to_string(k.cls), xml_escape(k.demangled()));
  if (!k.demangled_a.empty() && !k.demangled_b.empty() && k.demangled_a != k.demangled_b)
    out += fmt::format("<p class=\"soft\">was <code>{}</code>, matched by {}</p>\n",
                       xml_escape(k.demangled_a), k.matched_by);
  if (!k.name_a.empty() && !k.name_b.empty()) {
    gate::Counts delta;
    for (const auto& [name, value] : k.compat_b.items)
      delta.set(name, value - k.compat_a.get(name));
    out +=
        fmt::format("<p class=\"soft\">counts (compat): {}</p>\n", xml_escape(delta_words(delta)));
  }
  std::string items;
  auto item = [&](const std::string& text) { items += fmt::format("<li>{}</li>\n", text); };
  constexpr size_t kShown = 40;
  for (const auto& d : k.declarations)
    item(fmt::format("{}: {} → {}", xml_escape(d.what), xml_escape(d.from), xml_escape(d.to)));
  for (size_t i = 0; i < std::min(kShown, k.constants.size()); ++i) {
    const auto& c = k.constants[i];
    item(
        fmt::format("line {} → {}: {}: <b>{}</b> → <b>{}</b> <span class=\"soft\">({} → {})</span>",
                    c.line_a, c.line_b, xml_escape(c.where), xml_escape(c.from_value),
                    xml_escape(c.to_value), xml_escape(c.from), xml_escape(c.to)));
  }
  for (size_t i = 0; i < std::min(kShown, k.modifiers.size()); ++i) {
    const auto& m = k.modifiers[i];
    item(fmt::format("line {} → {}: <code>{}</code> → <code>{}</code>: {}{}", m.line_a, m.line_b,
                     xml_escape(m.from), xml_escape(m.to), xml_escape(m.what),
                     m.witness.empty() ? "" : "; for example " + xml_escape(m.witness)));
  }
  auto opcodes = [&](const std::vector<gate::OpcodeChange>& list, const char* sign) {
    for (const auto& o : list) {
      std::string values;
      for (const std::string& v : o.values) values += (values.empty() ? " with " : ", ") + v;
      item(fmt::format("{}{} <code>{}</code>{} <span class=\"soft\">{}</span>", sign, o.count(),
                       xml_escape(o.opcode), xml_escape(values), xml_escape(o.kind)));
    }
  };
  opcodes(k.removed, "−");
  opcodes(k.added, "+");
  if (!k.rewired.empty()) item(fmt::format("{} instructions read other values", k.rewired.size()));
  if (k.moved != 0) item(fmt::format("{} instructions moved", k.moved));
  for (const std::string& n : k.notes) item(xml_escape(n));
  if (!items.empty()) out += "<ul>\n" + items + "</ul>\n";
  if (!k.excerpt.empty()) out += lines_table(k);
  return out + "</div>\n";
}

}  // namespace pitot::report
