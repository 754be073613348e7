// The section of `pitot profile`: what binds, and the kernel's lines with the hottest marked; of
// counters by Nsight Compute, their values.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page_sections.h"
#include "report/page_words.h"

namespace pitot::report::page {
namespace {

std::string run_name(const Node& run) {
  const std::string kernel = run.text("kernel"), size = run.text("size");
  return size.empty() ? kernel : kernel + ", " + size;
}

void add_bounds(const Node& run, Section& out) {
  const double cycles = run.number("cycles");
  Table table;
  table.title = "What binds " + run_name(run);
  table.columns = {text_column("resource"), number_column("cycles", "at least"),
                   text_column("of the bound"), text_column("what")};
  for (const Node& b : run.list("bounds")) {
    const double c = b.number("cycles");
    Cell bar;
    if (c > 0 && cycles > 0) bar.parts.push_back({c / cycles, percent(c / cycles, 0), Tone::kNote});
    Row row;
    row.cells = {text_cell(b.text("resource")), number_cell(c, fixed(c, 0)), std::move(bar),
                 text_cell(b.text("what"))};
    table.rows.push_back(std::move(row));
  }
  if (!table.rows.empty()) out.blocks.emplace_back(std::move(table));
}

void add_listing(const Node& run, Section& out) {
  const std::vector<Node> lines = run.list("lines");
  Table table;
  table.title = "Lines of " + run_name(run);
  table.note =
      "Share of the modelled time; lanes active; sectors a request; what waits, in cycles.";
  table.columns = {number_column("line"),
                   number_column("share"),
                   text_column(""),
                   number_column("warp instr."),
                   number_column("lanes"),
                   number_column("sectors"),
                   number_column("conflicts"),
                   number_column("L1 hits"),
                   number_column("divergent"),
                   number_column("wait"),
                   {"source", Column::Kind::kSource, {}}};
  double most = 0;
  for (const Node& l : lines)
    most = std::max(most, std::isnan(l.number("share")) ? 0 : l.number("share"));
  bool marked = false;
  const auto some = [](double v) { return v > 0 ? count_cell(v) : number_cell(kUnknown, ""); };
  const auto blank = [](Cell c) {
    if (std::isnan(c.key)) c.text.clear();
    return c;
  };
  for (const Node& l : lines) {
    const double share = l.number("share");
    Row row;
    Cell bar;
    if (share >= 0.0005) bar.parts.push_back({share / most, "", Tone::kNote});
    // A share too small to be shown is not worth a mark.
    if (!marked && !bar.parts.empty() && share == most) {
      marked = row.hottest = true;
      bar.parts[0].tone = Tone::kBad;
    } else if (share >= 0.1) {
      row.mark = Tone::kBad;
    } else if (share >= 0.03) {
      row.mark = Tone::kWarning;
    }
    const bool requests = l.number("global_requests") > 0 || l.number("local_requests") > 0;
    row.cells = {count_cell(l.number("line")),
                 blank(share >= 0.0005 ? percent_cell(share) : number_cell(kUnknown, "")),
                 std::move(bar),
                 blank(some(l.number("warp_instructions"))),
                 blank(l.number("warp_instructions") > 0 ? fixed_cell(l.number("active_lanes"), 1)
                                                         : number_cell(kUnknown, "")),
                 blank(requests ? fixed_cell(l.number("sectors_per_request"), 2)
                                : number_cell(kUnknown, "")),
                 blank(some(l.number("bank_conflicts"))),
                 blank(l.number("l1_sectors") > 0 ? percent_cell(l.number("l1_hit_rate"), 0)
                                                  : number_cell(kUnknown, "")),
                 blank(some(l.number("divergent_branches"))),
                 blank(some(std::round(l.number("wait_cycles")))),
                 text_cell(l.text("text"))};
    table.rows.push_back(std::move(row));
  }
  out.blocks.emplace_back(std::move(table));
}

void add_values(const std::string& title, const Node& values, Section& out) {
  Table table;
  table.title = title;
  table.folded = true;
  table.columns = {code_column("counter"), number_column("value")};
  for (const auto& [name, value] : values.members()) {
    Row row;
    row.cells = {text_cell(name), number_cell(value.number(), figure(value.number(), 8))};
    table.rows.push_back(std::move(row));
  }
  if (!table.rows.empty()) out.blocks.emplace_back(std::move(table));
}

void add_faults(const Node& run, Section& out) {
  Notes notes;
  notes.title = "Faults of " + run_name(run);
  notes.tone = Tone::kBad;
  for (const Node& f : run.list("faults"))
    notes.lines.push_back(fmt::format("line {}: {}: {} (thread {} of block {})",
                                      f.shown("line", " "), f.text("kind"), f.text("message"),
                                      f.shown("thread", ","), f.shown("block", ",")));
  if (!notes.lines.empty()) out.blocks.emplace_back(std::move(notes));
}

void add_run(const Node& run, Section& out) {
  Facts facts;
  facts.add("kernel", run.text("kernel"));
  facts.add("size", run.text("size"));
  facts.add("file", run.text("ptx"));
  facts.add("GPU", run.text("gpu"));
  facts.add("device", run.text("device"));
  facts.add("grid", run.shown("grid", "×"));
  facts.add("block", run.shown("block", "×"));
  if (run.has("counters")) {
    out.blocks.emplace_back(std::move(facts));
    add_values("Counters of " + run_name(run), run["counters"], out);
    return;
  }
  facts.add("bound by", run.text("bound"));
  if (run.has("cycles")) facts.add("cycles at least", fixed(run.number("cycles"), 0));
  if (run.has("estimated_cycles"))
    facts.add("cycles estimated", fixed(run.number("estimated_cycles"), 0));
  if (run.has("seconds")) facts.add("time estimated", figure(run.number("seconds") * 1e6) + " µs");
  if (run.has("occupancy"))
    facts.add("occupancy", fmt::format("{}, limited by {}", percent(run.number("occupancy"), 0),
                                       run.text("limited_by")));
  if (run.has("registers"))
    facts.add("registers", fmt::format("{} ({})", run.shown("registers", " "),
                                       run.shown("registers_from", " ")));
  facts.add("blocks run", run.has("blocks")
                              ? fmt::format("{} of {}", run.shown("sampled_blocks", " "),
                                            run.shown("blocks", " "))
                              : std::string());
  out.blocks.emplace_back(std::move(facts));
  add_faults(run, out);
  if (!run.has("lines")) return;
  add_bounds(run, out);
  add_listing(run, out);
  add_values("Totals of " + run_name(run), run["totals"], out);
  add_values("As Nsight Compute names them", run["ncu"], out);
  Notes notes;
  notes.lines = run.texts("notes");
  if (!notes.lines.empty()) out.blocks.emplace_back(std::move(notes));
}

}  // namespace

void read_profile(const Node& root, Section& out) {
  const std::vector<Node> runs = root.list("runs");
  if (!root.has("runs")) root.need("ok");
  if (root.has("ok") && !root.flag("ok")) {
    out.verdict = "faults";
    out.tone = Tone::kBad;
  }
  for (const Node& run : runs) add_run(run, out);
}

}  // namespace pitot::report::page
