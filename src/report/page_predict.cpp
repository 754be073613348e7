// The sections of `pitot rank` and `pitot predict`.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/page_sections.h"
#include "report/page_words.h"

namespace pitot::report::page {
namespace {

constexpr size_t kMostDots = 60;  // that fit into a chart and can still be told apart

void add_source(const Node& root, Section& out) {
  Facts facts;
  facts.add("model", root.shown("model", ", "));
  facts.add("recipe", root.text("recipe"));
  facts.add("target", root.text("target"));
  facts.add("unit", root.text("unit"));
  if (root.has("coverage")) facts.add("intervals of", percent(root.number("coverage"), 0));
  if (root.has("top")) facts.add("to measure", figure(root.number("top")));
  out.blocks.emplace_back(std::move(facts));
}

std::string doubts_of(const Node& k) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
  const std::string launchable = k.text("launchable");
  if (launchable == "no") add("cannot launch: " + k.text("launch_problem"));
  if (launchable == "unsure") add("may not launch: " + k.text("launch_problem"));
  if (k.has("ood") && k.flag("ood")) add("unlike what the model learned from");
  if (k.has("uncertain") && k.flag("uncertain")) add("uncertain");
  for (const std::string& note : k.texts("notes")) add(note);
  return out;
}

struct PredictedTime {
  double value = kUnknown, low = kUnknown, high = kUnknown;
};

PredictedTime predicted(const Node& k) {
  PredictedTime out{k.number("value"), kUnknown, kUnknown};
  if (const auto ends = k.list("interval"); ends.size() == 2) {
    out.low = ends[0].number();
    out.high = ends[1].number();
  }
  return out;
}

// `ranked`: in order, with the file as "kernel" and the entry beside it.
void add_predictions(const Node& root, const std::vector<Node>& kernels, bool ranked,
                     Section& out) {
  std::vector<double> values;
  for (const Node& k : kernels) values.push_back(k.number("value"));
  const int decimals = decimals_for(values);
  const auto words = [decimals](double v) { return fixed(v, decimals); };
  std::set<std::string> measure;
  if (ranked)
    for (const std::string& path : root.texts("measure")) measure.insert(path);
  const std::string unit = root.text("unit");
  Table table;
  table.title = ranked ? "Order" : "Kernels";
  if (ranked) table.columns.push_back(number_column("rank"));
  table.columns.insert(
      table.columns.end(),
      {code_column("file"), code_column("kernel"), text_column("size"), text_column("target"),
       text_column("GPU"), number_column(unit.empty() ? "predicted" : "predicted, " + unit),
       number_column("analytic, µs", "the analytic model's time")});
  if (ranked) table.columns.push_back(text_column("measure"));
  table.columns.push_back(text_column("doubts"));
  Chart dots;
  dots.kind = Chart::Kind::kDots;
  dots.title = kernels.size() > kMostDots
                   ? fmt::format("Predicted, the first {} of {}", kMostDots, kernels.size())
                   : "Predicted, with intervals";
  dots.sideways = true;
  dots.x = unit;
  Series s;
  s.name = "predicted";
  double position = 0;
  for (const Node& k : kernels) {
    const PredictedTime t = predicted(k);
    const std::string file = ranked ? k.text("kernel") : k.text("path");
    Row row;
    if (ranked) row.cells.push_back(count_cell(++position));
    const bool chosen = measure.contains(file);
    if (chosen) row.mark = Tone::kNote;
    row.cells.insert(row.cells.end(),
                     {text_cell(file), text_cell(ranked ? k.text("entry") : k.text("kernel")),
                      text_cell(k.text("size")), text_cell(k.text("target")),
                      text_cell(k.text("gpu")), interval_cell(t.value, t.low, t.high, words),
                      number_cell(k.number("analytic_us"), figure(k.number("analytic_us")))});
    if (ranked) row.cells.push_back(chosen ? badge("measure", Tone::kNote) : Cell{});
    row.cells.push_back(text_cell(doubts_of(k)));
    table.rows.push_back(std::move(row));
    if (dots.labels.size() >= kMostDots) continue;
    const std::string size = k.text("size");
    dots.labels.push_back(size.empty() ? file : file + ", " + size);
    s.values.push_back(t.value);
    s.low.push_back(t.low);
    s.high.push_back(t.high);
  }
  dots.series.push_back(std::move(s));
  out.blocks.emplace_back(std::move(table));
  out.blocks.emplace_back(std::move(dots));
}

}  // namespace

void read_rank(const Node& root, Section& out) {
  add_source(root, out);
  add_predictions(root, root.need("order").list(), true, out);
}

void read_predict(const Node& root, Section& out) {
  add_source(root, out);
  add_predictions(root, root.need("kernels").list(), false, out);
}

}  // namespace pitot::report::page
