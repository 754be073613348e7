// The section of `pitot train`.
#include <fmt/format.h>

#include <algorithm>

#include "report/page_sections.h"
#include "report/page_words.h"

namespace pitot::report::page {
namespace {

constexpr size_t kMostInputs = 25;  // of the importance, in the chart

struct TrainedMean {
  double value = kUnknown, low = kUnknown, high = kUnknown;
};

TrainedMean trained_mean(const Node& n) {
  TrainedMean out{n.number("mean"), kUnknown, kUnknown};
  if (const auto ends = n.list("ci95"); ends.size() == 2) {
    out.low = ends[0].number();
    out.high = ends[1].number();
  }
  return out;
}

Cell trained_cell(const Node& n, const NumberWords& words) {
  const TrainedMean m = trained_mean(n);
  return interval_cell(m.value, m.low, m.high, words);
}

void add_lines(const std::vector<Node>& lines, Section& out) {
  Table table, groups;
  table.title = "How well it ranks";
  table.note =
      "Means over groups (a family, a size, a GPU) with 95 % intervals; slowdown of the best of "
      "the first 1 and 5 over the best of all.";
  table.columns = {text_column("split"),
                   text_column("score"),
                   number_column("pairs", "share of the pairs that are ordered right"),
                   number_column("Spearman"),
                   number_column("Kendall"),
                   number_column("top 1 slowdown"),
                   number_column("top 5 slowdown"),
                   number_column("best in top 5"),
                   number_column("covered", "share of the times inside the intervals"),
                   code_column("worst family")};
  groups.title = "Groups";
  groups.folded = true;
  groups.columns = {text_column("split"),   text_column("score"),   code_column("family"),
                    text_column("size"),    text_column("GPU"),     number_column("variants"),
                    number_column("pairs"), number_column("right"), number_column("Spearman"),
                    number_column("top 1"), number_column("top 5")};
  Chart dots;
  dots.kind = Chart::Kind::kDots;
  dots.title = "Share of pairs ordered right, 95 % intervals";
  dots.sideways = true;
  dots.scale = Chart::Scale::kPercent;
  dots.reference = 0.5;
  Series s;
  s.name = "pairs ordered right";
  const auto shares = [](double v) { return percent(v, 1); };
  const auto ranks = [](double v) { return fixed(v, 3); };
  for (const Node& l : lines) {
    const std::string split = l.text("split"), score = l.text("score");
    Row row;
    row.cells = {
        text_cell(split),
        text_cell(score),
        trained_cell(l["pairwise"], shares),
        trained_cell(l["spearman"], ranks),
        trained_cell(l["kendall"], ranks),
        trained_cell(l["top1_slowdown"], shares),
        trained_cell(l["top5_slowdown"], shares),
        trained_cell(l["best_in_top5"], shares),
        trained_cell(l["interval_coverage"], shares),
        text_cell(l.text("worst_family"),
                  l.has("worst_pairwise") ? percent(l.number("worst_pairwise")) : std::string())};
    table.rows.push_back(std::move(row));
    const TrainedMean pairs = trained_mean(l["pairwise"]);
    dots.labels.push_back(split + ", " + score);
    s.values.push_back(pairs.value);
    s.low.push_back(pairs.low);
    s.high.push_back(pairs.high);
    for (const Node& g : l.list("groups")) {
      Row one;
      one.cells = {text_cell(split),
                   text_cell(score),
                   text_cell(g.text("family")),
                   text_cell(g.shown("size", " ")),
                   text_cell(g.shown("gpu", " ")),
                   count_cell(g.number("variants")),
                   count_cell(g.number("pairs")),
                   percent_cell(g.number("pairwise")),
                   fixed_cell(g.number("spearman"), 3),
                   percent_cell(g.number("top1_slowdown")),
                   percent_cell(g.number("top5_slowdown"))};
      groups.rows.push_back(std::move(one));
    }
  }
  dots.series.push_back(std::move(s));
  out.blocks.emplace_back(std::move(table));
  out.blocks.emplace_back(std::move(dots));
  if (!groups.rows.empty()) out.blocks.emplace_back(std::move(groups));
}

void add_second_stage(const Node& stage, Section& out) {
  if (!stage.known()) return;
  Table table;
  table.title = "Second stage";
  table.note = fmt::format("{} of the pairs are kept, of which {} are ordered right.",
                           percent(stage.number("coverage")), percent(stage.number("accuracy")));
  table.folded = true;
  table.columns = {number_column("kept"), number_column("ordered right")};
  Chart line;
  line.kind = Chart::Kind::kLines;
  line.title = "Pairs ordered right by how many are kept";
  line.x = "share of the pairs kept";
  line.scale = Chart::Scale::kPercent;
  Series s;
  s.name = "ordered right";
  for (const Node& p : stage.list("curve")) {
    const double kept = p.number("coverage"), right = p.number("accuracy");
    Row row;
    row.cells = {percent_cell(kept), percent_cell(right)};
    table.rows.push_back(std::move(row));
    line.at.push_back(kept);
    s.values.push_back(right);
  }
  line.series.push_back(std::move(s));
  out.blocks.emplace_back(std::move(line));
  out.blocks.emplace_back(std::move(table));
}

void add_importance(const std::vector<Node>& importance, Section& out) {
  if (importance.empty()) return;
  Table table;
  table.title = "What the trees look at";
  table.folded = true;
  table.columns = {code_column("input"), number_column("gain")};
  Chart bars;
  bars.kind = Chart::Kind::kBars;
  bars.title = "What the trees look at: share of the gain";
  bars.sideways = true;
  bars.scale = Chart::Scale::kPercent;
  Series s;
  s.name = "gain";
  for (const Node& i : importance) {
    const double gain = i.number("gain");
    Row row;
    row.cells = {text_cell(i.text("input")), percent_cell(gain, 2)};
    table.rows.push_back(std::move(row));
    if (bars.labels.size() >= kMostInputs) continue;
    bars.labels.push_back(i.text("input"));
    s.values.push_back(gain);
  }
  bars.series.push_back(std::move(s));
  out.blocks.emplace_back(std::move(bars));
  out.blocks.emplace_back(std::move(table));
}

}  // namespace

void read_train(const Node& root, Section& out) {
  Facts facts;
  facts.add("recipe", root.text("recipe"));
  facts.add("target", root.text("target"));
  facts.add("rows", root.shown("rows", " "));
  facts.add("groups", root.shown("groups", " "));
  facts.add("families", figure(static_cast<double>(root.list("families").size())));
  facts.add("held out", root.shown("held_out", ", "));
  facts.add("not measured", root.shown("not_measured", " "));
  facts.add("seed", root.shown("seed", " "));
  facts.add("XGBoost", root.shown("xgboost", " "));
  facts.add("data", root.shown("data_hash", " "));
  facts.add("model", root.text("model"));
  if (root.has("ood_seen")) facts.add("flagged of families seen", percent(root.number("ood_seen")));
  if (root.has("ood_unseen"))
    facts.add("flagged of families left out", percent(root.number("ood_unseen")));
  out.blocks.emplace_back(std::move(facts));
  add_lines(root.need("lines").list(), out);
  add_second_stage(root["second_stage"], out);
  add_importance(root.list("importance"), out);
  add_notes(root, out);
}

}  // namespace pitot::report::page
