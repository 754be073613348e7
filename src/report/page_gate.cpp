// The section of `pitot gate`.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/page_sections.h"
#include "report/page_words.h"

namespace pitot::report::page {
namespace {

Tone tone_of_level(const std::string& level, bool waived) {
  if (waived) return Tone::kSoft;
  return level == "error" ? Tone::kBad : level == "warning" ? Tone::kWarning : Tone::kNote;
}

Tone tone_of_class(const std::string& cls) {
  if (cls == "identical" || cls == "renamed" || cls == "reordered") return Tone::kGood;
  return cls == "constants" || cls == "modifiers" ? Tone::kWarning : Tone::kBad;
}

std::string place_of(const Node& n) {
  const std::string path = n.text("path");
  const double line = n.number("line");
  return line > 0 ? fmt::format("{}:{}", path, figure(line)) : path;
}

// "registers +4, instructions -1"
std::string delta_words_of(const Node& counts) {
  std::string out;
  for (const auto& [name, n] : counts.members()) {
    const double v = n.number();
    if (v == 0) continue;
    out += fmt::format("{}{} {}{}", out.empty() ? "" : ", ", name, v > 0 ? "+" : "", figure(v));
  }
  return out;
}

void add_findings(const std::vector<Node>& findings, Section& out) {
  Table table;
  table.title = "Findings";
  table.columns = {text_column("level"),  code_column("rule"),           code_column("kernel"),
                   text_column("target"), text_column("before → after"), text_column("what"),
                   code_column("where")};
  std::map<std::string, double> by_rule;
  for (const Node& f : findings) {
    const bool waived = f.flag("waived");
    const std::string level = f.text("level"), before = f.text("baseline"), after = f.text("value");
    Cell what = text_cell(f.text("message"));
    const auto add = [&](const std::string& text) {
      if (!text.empty()) what.note += (what.note.empty() ? "" : "\n") + text;
    };
    for (const std::string& detail : f.texts("details")) add(detail);
    add(f.text("why"));
    add(f.text("fix"));
    if (waived) what.note = "waived: " + f.text("waiver");
    const std::string kernel = f.text("demangled");
    if (!waived) ++by_rule[f.text("rule")];
    Row row;
    row.cells = {
        badge(waived ? "waived" : level, tone_of_level(level, waived)),
        text_cell(f.text("rule")),
        text_cell(kernel.empty() ? f.text("kernel") : kernel),
        text_cell(f.text("target")),
        text_cell(before.empty() || after.empty() ? before + after : before + " → " + after),
        std::move(what),
        text_cell(place_of(f))};
    table.rows.push_back(std::move(row));
  }
  out.blocks.emplace_back(std::move(table));
  if (by_rule.size() < 2) return;
  Chart bars;
  bars.kind = Chart::Kind::kBars;
  bars.title = "Findings by rule";
  bars.sideways = true;
  bars.x = "findings";
  Series s;
  s.name = "findings";
  for (const auto& [rule, n] : by_rule) {
    bars.labels.push_back(rule);
    s.values.push_back(n);
  }
  bars.series.push_back(std::move(s));
  out.blocks.emplace_back(std::move(bars));
}

void add_kernels(const std::vector<Node>& kernels, Section& out) {
  Table table;
  table.title = "Kernels";
  table.columns = {code_column("kernel"),     text_column("target"),         text_column("change"),
                   number_column("findings"), text_column("after − before"), code_column("where")};
  for (const Node& k : kernels) {
    const std::string cls = k.text("class"), demangled = k.text("demangled");
    std::string delta = delta_words_of(k["compat"]);
    for (const auto& [target, counts] : k.members("ptxas")) {
      const std::string words = delta_words_of(counts);
      if (!words.empty())
        delta += fmt::format("{}ptxas {}: {}", delta.empty() ? "" : "; ", target, words);
    }
    Row row;
    row.cells = {text_cell(demangled.empty() ? k.text("kernel") : demangled),
                 text_cell(k.text("target")),
                 badge(cls, tone_of_class(cls)),
                 count_cell(k.number("findings")),
                 text_cell(delta.empty() ? kNothing : delta, k.shown("acknowledged", ", ")),
                 text_cell(place_of(k))};
    table.rows.push_back(std::move(row));
  }
  out.blocks.emplace_back(std::move(table));
}

}  // namespace

void read_gate(const Node& root, Section& out) {
  out.verdict = root.need("verdict").text();
  out.tone = out.verdict == "pass" ? Tone::kGood : Tone::kBad;
  const std::vector<Node> findings = root.need("findings").list(), kernels = root.list("kernels");
  const auto waived = std::count_if(findings.begin(), findings.end(),
                                    [](const Node& f) { return f.flag("waived"); });
  Facts facts;
  facts.add("before", root.text("before"));
  facts.add("after", root.text("after"));
  facts.add("kernels", figure(static_cast<double>(kernels.size())));
  facts.add("findings", figure(static_cast<double>(findings.size()) - static_cast<double>(waived)));
  if (waived > 0) facts.add("waived", figure(static_cast<double>(waived)));
  out.blocks.emplace_back(std::move(facts));
  add_findings(findings, out);
  add_kernels(kernels, out);
  add_notes(root, out);
}

}  // namespace pitot::report::page
