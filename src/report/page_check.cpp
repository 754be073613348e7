// The section of `pitot check`.
#include <fmt/format.h>

#include "report/page_sections.h"
#include "report/page_words.h"

namespace pitot::report::page {
namespace {

Tone tone_of_check(const std::string& verdict) {
  return verdict == "same" ? Tone::kGood : verdict == "undecided" ? Tone::kWarning : Tone::kBad;
}

// Of both sides together; NaN where there is nothing to run.
double ran_share(const Node& coverage, const char* part, const char* whole) {
  double ran = 0, all = 0;
  for (const char* side : {"a", "b"}) {
    ran += coverage[side].number(part);
    all += coverage[side].number(whole);
  }
  return all > 0 ? ran / all : kUnknown;
}

std::string difference_words(const Node& example) {
  if (!example.known()) return {};
  std::string out = "with " + example.text("size");
  const Node first = example["first"];
  if (first.known()) {
    out += fmt::format(": {}[{}{}] is {} and {}", first.text("buffer"),
                       first.flag("before") ? "-" : "", first.shown("index", " "),
                       first.shown("a", " "), first.shown("b", " "));
    if (first.has("exact")) out += ", exactly " + first.shown("exact", " ");
    out += fmt::format("; {} differ", example.shown("differing", " "));
  }
  return out;
}

void add_counterexample(const Node& pair, Section& out) {
  const Node example = pair["counterexample"];
  if (!example.known()) return;
  Notes notes;
  notes.title =
      fmt::format("Input on which {} and {} differ", pair.text("kernel_a"), pair.text("kernel_b"));
  notes.tone = Tone::kBad;
  notes.lines.push_back(difference_words(example));
  for (const std::string& arg : example.texts("args")) notes.lines.push_back(arg);
  for (const Node& i : example.list("inputs"))
    notes.lines.push_back(
        fmt::format("{}[{}] = {}", i.text("buffer"), i.shown("index", " "), i.shown("value", " ")));
  out.blocks.emplace_back(std::move(notes));
}

std::string reasons_of(const Node& pair) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
  for (const Node& f : pair.list("faults"))
    add(fmt::format("{}: {}: {} at {}:{}", f.text("side"), f.text("kind"), f.text("message"),
                    f.text("path"), f.shown("line", " ")));
  for (const std::string& r : pair.texts("reasons")) add(r);
  for (const std::string& n : pair.texts("notes")) add(n);
  return out;
}

}  // namespace

void read_check(const Node& root, Section& out) {
  out.verdict = root.need("verdict").text();
  out.tone = tone_of_check(out.verdict);
  const std::vector<Node> pairs = root.list("pairs");
  Table table;
  table.title = "Pairs";
  table.columns = {text_column("verdict"),
                   text_column("evidence"),
                   code_column("a"),
                   code_column("b"),
                   number_column("trials"),
                   number_column("ran", "share of the instructions that ran"),
                   number_column("branches", "share of the sides of branches that were taken"),
                   text_column("bits"),
                   text_column("first difference"),
                   text_column("why")};
  for (const Node& p : pairs) {
    const std::string verdict = p.text("verdict");
    const Node coverage = p["coverage"];
    Row row;
    row.cells = {badge(verdict, tone_of_check(verdict)),
                 text_cell(p.text("evidence")),
                 text_cell(p.text("kernel_a"), p.text("path_a")),
                 text_cell(p.text("kernel_b"), p.text("path_b")),
                 count_cell(p.number("trials")),
                 percent_cell(ran_share(coverage, "ran", "instructions"), 0),
                 percent_cell(ran_share(coverage, "taken", "branch_sides"), 0),
                 text_cell(p.flag("bits_equal") ? "equal" : ""),
                 text_cell(difference_words(p["counterexample"])),
                 text_cell(reasons_of(p))};
    table.rows.push_back(std::move(row));
  }
  out.blocks.emplace_back(std::move(table));
  for (const Node& p : pairs) add_counterexample(p, out);
}

}  // namespace pitot::report::page
