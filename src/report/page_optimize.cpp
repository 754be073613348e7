// The sections of `pitot optimize`, of one kernel and of many.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page_sections.h"
#include "report/page_words.h"

namespace pitot::report::page {
namespace {

std::string sequence_words(const Node& sequence) {
  const std::string out = sequence.shown(" → ");
  return out.empty() ? "as it is" : out;
}

std::string unit_words(const Node& n) {
  const std::string unit = n.text("unit");
  return unit == "us" ? "µs" : unit;
}

Cell verified_cell(const Node& verified) {
  if (!verified.known()) return badge("unchecked", Tone::kWarning);
  return verified.flag() ? badge("same", Tone::kGood) : badge("not the same", Tone::kBad);
}

void add_programs(const Node& root, Section& out) {
  const std::string unit = unit_words(root);
  const std::vector<Node> programs = root.list("programs");
  std::vector<double> costs;
  for (const Node& p : programs) costs.push_back(p.number("cost"));
  const int decimals = decimals_for(costs);
  Table table;
  table.title = fmt::format("Programs ({})", programs.size());
  table.folded = programs.size() > 30;
  table.columns = {number_column("tried"),
                   code_column("sequence"),
                   number_column(unit.empty() ? "cost" : "cost, " + unit),
                   number_column("noise"),
                   number_column("change"),
                   text_column("without a cost because")};
  Chart line;
  line.kind = Chart::Kind::kLines;
  line.title = "Costs in the order of the search";
  line.x = "programs tried";
  line.y = unit;
  Series cost, best;
  cost.name = "program";
  best.name = "least so far";
  best.tone = Tone::kGood;
  const double baseline = root.number("baseline");
  double least = kUnknown;
  for (size_t i = 0; i < programs.size(); ++i) {
    const Node& p = programs[i];
    const double noise = p.number("noise");
    Row row;
    row.cells = {count_cell(static_cast<double>(i + 1)), text_cell(sequence_words(p["sequence"])),
                 fixed_cell(costs[i], decimals),         number_cell(noise, figure(noise, 3)),
                 change_cell(costs[i] / baseline - 1),   text_cell(p.text("failure"))};
    table.rows.push_back(std::move(row));
    if (!(costs[i] >= least)) least = std::isfinite(costs[i]) ? costs[i] : least;
    line.at.push_back(static_cast<double>(i + 1));
    cost.values.push_back(costs[i]);
    best.values.push_back(least);
  }
  line.series = {std::move(cost), std::move(best)};
  if (programs.size() > 1) out.blocks.emplace_back(std::move(line));
  out.blocks.emplace_back(std::move(table));
}

void add_steps(const Node& root, Section& out) {
  const std::vector<Node> steps = root.list("steps");
  if (steps.empty()) return;
  Table table;
  table.title = "What the policy chose";
  table.columns = {code_column("action"), number_column("probability"), code_column("next likely"),
                   number_column("probability")};
  for (const Node& s : steps) {
    Row row;
    row.cells = {text_cell(s.text("action")), percent_cell(s.number("probability")),
                 text_cell(s.text("second")),
                 percent_cell(s.has("second") ? s.number("second_probability") : kUnknown)};
    table.rows.push_back(std::move(row));
  }
  out.blocks.emplace_back(std::move(table));
}

void add_actions(const Node& root, Section& out) {
  Table table;
  table.title = "Actions";
  table.folded = true;
  table.columns = {code_column("action"), number_column("tried"),
                   number_column("changed the program")};
  for (const Node& a : root.list("actions")) {
    Row row;
    row.cells = {text_cell(a.text("action")), count_cell(a.number("tried")),
                 count_cell(a.number("differs"))};
    table.rows.push_back(std::move(row));
  }
  if (!table.rows.empty()) out.blocks.emplace_back(std::move(table));
}

void add_taken_back(const Node& root, Section& out) {
  Notes notes;
  notes.title = "Taken back";
  notes.tone = Tone::kWarning;
  for (const Node& r : root.list("rejections"))
    notes.lines.push_back(sequence_words(r["sequence"]) + ": " + r.text("reason"));
  for (const Node& f : root.list("faults"))
    notes.lines.push_back(sequence_words(f["sequence"]) + ": " + f.text("message"));
  if (!notes.lines.empty()) out.blocks.emplace_back(std::move(notes));
}

}  // namespace

void read_optimize(const Node& root, Section& out) {
  const std::string unit = unit_words(root);
  const double change = root.need("change").known() ? root.number("change") : kUnknown;
  const bool better = change < 0;
  out.verdict = better ? signed_percent(change) : "stays as it is";
  out.tone = better ? Tone::kGood : Tone::kNote;
  const auto cost = [&](const char* key) {
    const double v = root.number(key);
    return std::isfinite(v) ? figure(v, 5) + " " + unit : std::string();
  };
  Facts facts;
  facts.add("kernel", root.text("kernel"));
  facts.add("file", root.text("path"));
  facts.add("size", root.text("size"));
  facts.add("GPU", root.text("gpu"));
  facts.add("policy", root.text("policy"));
  facts.add("cost", root.text("cost"));
  facts.add("before", cost("baseline"));
  facts.add("after", cost("best"));
  facts.add("sequence", sequence_words(root["sequence"]));
  facts.add("checked against the original", !root.has("verified")   ? "no"
                                            : root.flag("verified") ? "the same"
                                                                    : "not the same");
  facts.add("programs tried", root.shown("evaluations", " "));
  if (root.number("drift") > 0)
    facts.add("the original's own times differ by", percent(root.number("drift")));
  facts.add("written to", root.text("output"));
  out.blocks.emplace_back(std::move(facts));
  add_taken_back(root, out);
  add_steps(root, out);
  add_programs(root, out);
  add_actions(root, out);
}

void read_optimize_table(const Node& root, Section& out) {
  const std::vector<Node> kernels = root.need("kernels").list();
  Table table;
  table.title = "Kernels";
  table.note = "Changes below 0 are faster.";
  table.columns = {code_column("kernel"),   text_column("class"),     number_column("before"),
                   number_column("after"),  text_column("unit"),      number_column("change"),
                   code_column("sequence"), text_column("checked"),   number_column("taken back"),
                   number_column("tried"),  number_column("seconds"), text_column("error")};
  Chart bars;
  bars.kind = Chart::Kind::kBars;
  bars.title = "Change by kernel";
  bars.sideways = true;
  bars.scale = Chart::Scale::kPercent;
  Series s;
  s.name = "change";
  size_t better = 0;
  for (const Node& k : kernels) {
    const bool failed = k.has("error");
    const double change = k.number("change");
    better += change < 0;
    const auto cost = [&](const char* key) {
      return number_cell(k.number(key), figure(k.number(key), 5));
    };
    Row row;
    row.cells = {text_cell(k.text("name")),
                 text_cell(k.text("class")),
                 cost("baseline"),
                 cost("best"),
                 text_cell(unit_words(k)),
                 change_cell(change),
                 text_cell(failed ? "" : sequence_words(k["sequence"])),
                 failed ? Cell{} : verified_cell(k["verified"]),
                 count_cell(failed ? kUnknown : static_cast<double>(k.list("rejections").size())),
                 count_cell(k.number("evaluations")),
                 fixed_cell(k.number("seconds"), 1),
                 text_cell(k.text("error"))};
    if (failed) row.mark = Tone::kBad;
    table.rows.push_back(std::move(row));
    if (!std::isfinite(change)) continue;
    bars.labels.push_back(k.text("name"));
    s.values.push_back(change);
  }
  Facts facts;
  facts.add("kernels", figure(static_cast<double>(kernels.size())));
  facts.add("faster", figure(static_cast<double>(better)));
  if (!kernels.empty()) {
    facts.add("policy", kernels[0].text("policy"));
    facts.add("cost", kernels[0].text("cost"));
    facts.add("GPU", kernels[0].text("gpu"));
  }
  bars.series.push_back(std::move(s));
  out.blocks.emplace_back(std::move(facts));
  out.blocks.emplace_back(std::move(table));
  out.blocks.emplace_back(std::move(bars));
}

}  // namespace pitot::report::page
