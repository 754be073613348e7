// The sections of `pitot learn`: tables, training, folds, evaluation and PPO.
#include <fmt/format.h>

#include "report/page_sections.h"
#include "report/page_words.h"

namespace pitot::report::page {
namespace {

std::string learned_sequence(const Node& n) {
  const std::string out = n.shown(" → ");
  return out.empty() ? "as it is" : out;
}

Column set_column() { return text_column("set", "learned from, or held out"); }
Cell set_cell(const Node& n) {
  return n.flag("held_out") ? badge("held out", Tone::kNote) : text_cell("training");
}

void add_training(const Node& r, const std::string& name, Section& out) {
  Facts facts;
  facts.add("actions", r.text("kind"));
  facts.add("weights", r.shown("weights", " "));
  facts.add("seed", r.shown("seed", " "));
  facts.add("cost", r.text("cost"));
  facts.add("table", r.text("table"));
  facts.add("epochs", r.shown("epochs", " "));
  if (r.number("best_cloning_accuracy") > 0)
    facts.add("imitated at best", percent(r.number("best_cloning_accuracy")));
  const Node best = r["best"];
  if (best.known())
    facts.add("best", fmt::format("{} epoch {}, reward {}", best.text("phase"),
                                  best.shown("epoch", " "), figure(best.number("reward"))));
  out.blocks.emplace_back(std::move(facts));
  Table table;
  table.title = name;
  table.note = "Reward: of the most probable program; the oracle's is the best there is.";
  table.columns = {code_column("kernel"),
                   set_column(),
                   number_column("reward"),
                   number_column("oracle"),
                   number_column("of the oracle"),
                   code_column("sequence"),
                   text_column("state")};
  Chart bars;
  bars.kind = Chart::Kind::kBars;
  bars.title = name + ": reward beside the oracle's";
  Series reward{"policy", {}, {}, {}, Tone::kPlain}, oracle{"oracle", {}, {}, {}, Tone::kSoft};
  for (const Node& k : r.need("kernels").list()) {
    const double got = k.number("reward"), most = k.number("oracle");
    Row row;
    row.cells = {text_cell(k.text("kernel")),
                 set_cell(k),
                 fixed_cell(got, 4),
                 fixed_cell(most, 4),
                 percent_cell(most > 0 ? got / most : kUnknown),
                 text_cell(learned_sequence(k["sequence"])),
                 k.flag("failed") ? badge("failed", Tone::kBad) : Cell{}};
    table.rows.push_back(std::move(row));
    bars.labels.push_back(k.text("kernel"));
    reward.values.push_back(got);
    oracle.values.push_back(most);
  }
  bars.series = {std::move(reward), std::move(oracle)};
  out.blocks.emplace_back(std::move(bars));
  out.blocks.emplace_back(std::move(table));
}

std::string budget_words(const Node& method) {
  return method.has("budget") ? method.shown("budget", " ") : "all";
}

void add_methods(const std::vector<Node>& methods, const char* group, const std::string& title,
                 Section& out) {
  Table table;
  table.title = title;
  table.note = "Changes of the time, below 0 is faster; ratio: gain over the oracle's.";
  table.columns = {
      text_column("method"),      number_column("budget"), number_column("mean change"),
      number_column("best"),      number_column("worst"),  number_column("ratio"),
      number_column("improved"),  number_column("worse"),  number_column("measured"),
      number_column("sequences"), number_column("entropy")};
  Chart bars;
  bars.kind = Chart::Kind::kBars;
  bars.title = title + ": mean change of the time";
  bars.sideways = true;
  bars.scale = Chart::Scale::kPercent;
  Series s{"mean change", {}, {}, {}, Tone::kPlain};
  for (const Node& m : methods) {
    const Node g = m[group];
    if (!g.known()) continue;
    const double budget = m.number("budget");
    Row row;
    row.cells = {text_cell(m.text("method")),
                 number_cell(budget, figure(budget)),
                 change_cell(g.number("mean_change")),
                 change_cell(g.number("best_change")),
                 change_cell(g.number("worst_change")),
                 fixed_cell(g.number("ratio_to_oracle"), 3),
                 count_cell(g.number("improved")),
                 count_cell(g.number("worse")),
                 number_cell(g.number("mean_measured"), figure(g.number("mean_measured"))),
                 count_cell(g.number("distinct_sequences")),
                 fixed_cell(g.number("sequence_entropy"), 2)};
    if (!m.has("budget")) row.cells[1].text = "all";
    table.rows.push_back(std::move(row));
    bars.labels.push_back(m.text("method") + ", " + budget_words(m));
    s.values.push_back(g.number("mean_change"));
  }
  if (table.rows.empty()) return;
  bars.series.push_back(std::move(s));
  out.blocks.emplace_back(std::move(table));
  out.blocks.emplace_back(std::move(bars));
}

void add_outcomes(const std::vector<Node>& methods, Section& out) {
  Table table;
  table.title = "Kernels";
  table.folded = true;
  table.columns = {code_column("kernel"),     set_column(),
                   text_column("method"),     number_column("budget"),
                   number_column("gain"),     number_column("change"),
                   number_column("measured"), code_column("sequence"),
                   text_column("state")};
  for (const Node& m : methods)
    for (const Node& k : m.list("kernels")) {
      const double budget = m.number("budget");
      Row row;
      row.cells = {text_cell(k.text("kernel")),
                   set_cell(k),
                   text_cell(m.text("method")),
                   number_cell(budget, figure(budget)),
                   fixed_cell(k.number("gain"), 4),
                   change_cell(k.number("change")),
                   count_cell(k.number("measured")),
                   text_cell(k.has("sequence") ? learned_sequence(k["sequence"]) : ""),
                   k.flag("failed") ? badge("failed", Tone::kBad) : Cell{}};
      if (!m.has("budget")) row.cells[3].text = "all";
      table.rows.push_back(std::move(row));
    }
  out.blocks.emplace_back(std::move(table));
}

std::string regret_words(const Node& n) {
  if (!n.known()) return {};
  std::string out = fmt::format("{} cases", n.shown("cases", " "));
  if (n.has("mean_regret"))
    out += fmt::format(", mean {}, worst {} ({})", percent(n.number("mean_regret"), 2),
                       percent(n.number("worst_regret"), 2), n.text("worst_case"));
  if (n.number("not_running") > 0)
    out += fmt::format(", {} do not run", n.shown("not_running", ""));
  return out;
}

}  // namespace

void read_learn_training(const Node& root, Section& out) { add_training(root, "Kernels", out); }

void read_learn_folds(const Node& root, Section& out) {
  double fold = 0;
  for (const Node& r : root.need("folds").list())
    add_training(r, fmt::format("Fold {}", figure(++fold)), out);
}

void read_learn_eval(const Node& root, Section& out) {
  Facts facts;
  facts.add("table", root.text("table"));
  facts.add("cost", root.text("cost"));
  facts.add("policies", root.shown("policies", ", "));
  facts.add("actions", root.text("kind"));
  facts.add("steps at most", root.shown("max_steps", " "));
  facts.add("kernels", root.shown("kernels", " "));
  facts.add("programs", root.shown("programs", " "));
  facts.add("seed", root.shown("seed", " "));
  out.blocks.emplace_back(std::move(facts));
  const std::vector<Node> methods = root.need("methods").list();
  add_methods(methods, "all", "All kernels", out);
  // One of the groups may be all there is.
  if (!methods.empty() && methods[0]["training"].known() && methods[0]["held_out"].known()) {
    add_methods(methods, "training", "Kernels learned from", out);
    add_methods(methods, "held_out", "Kernels held out", out);
  }
  add_outcomes(methods, out);
}

void read_learn_table(const Node& root, Section& out) {
  Facts facts;
  facts.add("table", root.text("table"));
  facts.add("cost", root.text("cost"));
  facts.add("actions", root.text("kind"));
  facts.add("steps at most", root.shown("max_steps", " "));
  facts.add("hash", root.shown("hash", " "));
  out.blocks.emplace_back(std::move(facts));
  Table table;
  table.title = "Kernels";
  table.columns = {
      code_column("kernel"),     number_column("programs"), number_column("failed"),
      number_column("images"),   number_column("levels"),   number_column("unmeasured"),
      number_column("original"), number_column("best"),     number_column("change")};
  for (const Node& k : root.need("kernels").list()) {
    const double original = k.number("original"), best = k.number("best");
    Row row;
    row.cells = {text_cell(k.text("kernel"))};
    for (const char* key : {"programs", "failed", "images", "levels", "unmeasured"})
      row.cells.push_back(count_cell(k.number(key)));
    row.cells.push_back(number_cell(original, figure(original, 6)));
    row.cells.push_back(number_cell(best, figure(best, 6)));
    row.cells.push_back(change_cell(best / original - 1));
    table.rows.push_back(std::move(row));
  }
  out.blocks.emplace_back(std::move(table));
}

void read_learn_ppo(const Node& root, Section& out) {
  Facts facts;
  facts.add("table", root.text("table"));
  facts.add("steps", root.shown("steps", " "));
  facts.add("seed", root.shown("seed", " "));
  facts.add("weights", root.shown("policy_weights", " "));
  facts.add("best after", root.shown("best_steps", " ") + " steps");
  facts.add("reward a step", figure(root.number("best_mean_reward")));
  facts.add("regret, trained on", regret_words(root["trained_on"]));
  facts.add("regret, held out", regret_words(root["held_out"]));
  out.blocks.emplace_back(std::move(facts));
  Table table;
  table.title = "Choices";
  table.note = "Regret: time above the least in the table. Times in microseconds.";
  table.columns = {code_column("kernel"),
                   number_column("size"),
                   set_column(),
                   number_column("chosen"),
                   number_column("default"),
                   number_column("least"),
                   number_column("speed-up", "over the default"),
                   number_column("regret"),
                   number_column("measured"),
                   code_column("choice")};
  Chart bars;
  bars.kind = Chart::Kind::kBars;
  bars.title = "Regret by case";
  bars.sideways = true;
  bars.scale = Chart::Scale::kPercent;
  Series s{"regret", {}, {}, {}, Tone::kPlain};
  for (const Node& c : root.need("cases").list()) {
    std::string choice;
    for (const auto& [knob, value] : c.members("choice"))
      choice += fmt::format("{}{}={}", choice.empty() ? "" : " ", knob, value.shown());
    const auto time = [&](const char* key) { return fixed_cell(c.number(key) * 1e3, 2); };
    Row row;
    row.cells = {text_cell(c.text("kernel")),
                 count_cell(c.number("matrix_size")),
                 set_cell(c),
                 time("time_ms"),
                 time("default_ms"),
                 time("least_ms"),
                 fixed_cell(c.number("speedup"), 3),
                 percent_cell(c.number("regret"), 2),
                 count_cell(c.number("measured")),
                 text_cell(choice)};
    table.rows.push_back(std::move(row));
    bars.labels.push_back(fmt::format("{} {}", c.text("kernel"), c.shown("matrix_size", " ")));
    s.values.push_back(c.number("regret"));
  }
  bars.series.push_back(std::move(s));
  out.blocks.emplace_back(std::move(table));
  out.blocks.emplace_back(std::move(bars));
}

}  // namespace pitot::report::page
