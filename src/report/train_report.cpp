#include "report/train_report.h"

#include <fmt/format.h>

#include <cmath>

#include "report/json.h"

namespace pitot::report {
namespace {

using predict::MeanWithInterval;
using predict::TrainingLine;
using predict::TrainingResult;

Json known(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }

Json mean_json(const MeanWithInterval& m) {
  return Json{{"mean", known(m.value)}, {"ci95", {known(m.lo), known(m.hi)}}};
}

Json line_json(const TrainingLine& l) {
  Json groups = Json::array();
  for (const auto& g : l.metrics.groups)
    groups.push_back(Json{{"family", g.family},
                          {"size", g.size},
                          {"gpu", g.gpu},
                          {"variants", g.variants},
                          {"pairs", g.pairs},
                          {"pairwise", known(g.pairwise)},
                          {"spearman", known(g.spearman)},
                          {"kendall", known(g.kendall)},
                          {"best_in_top5", g.best_in_top5 != 0},
                          {"top1_slowdown", known(g.top1)},
                          {"top5_slowdown", known(g.top5)}});
  Json j{{"split", l.split},
         {"score", l.score},
         {"rows", l.rows},
         {"pairwise", mean_json(l.metrics.pairwise)},
         {"spearman", mean_json(l.metrics.spearman)},
         {"kendall", mean_json(l.metrics.kendall)},
         {"best_in_top5", mean_json(l.metrics.best_in_top5)},
         {"top1_slowdown", mean_json(l.metrics.top1)},
         {"top5_slowdown", mean_json(l.metrics.top5)},
         {"pooled_spearman", l.pooled ? mean_json(*l.pooled) : Json(nullptr)},
         {"worst_family", l.metrics.worst_family},
         {"worst_pairwise", known(l.metrics.worst_pairwise)},
         {"slowest_family", l.metrics.slowest_family},
         {"slowest_top5", known(l.metrics.slowest_top5)},
         {"interval_coverage", nullptr},
         {"interval_half_width", nullptr},
         {"groups", std::move(groups)}};
  if (l.pairwise_gain) j["pairwise_gain"] = mean_json(*l.pairwise_gain);
  if (l.top5_gain) j["top5_gain"] = mean_json(*l.top5_gain);
  if (l.coverage) {
    j["interval_coverage"] = mean_json(*l.coverage);
    j["interval_half_width"] = known(l.half_width);
  }
  return j;
}

std::string percent(double v) { return std::isnan(v) ? "–" : fmt::format("{:.1f} %", 100 * v); }
std::string share(double v) { return std::isnan(v) ? "–" : fmt::format("{:.3f}", v); }

std::string text_line(const TrainingLine& l) {
  const auto& m = l.metrics;
  std::string out = fmt::format("{:<26}{:<24}{} {}…{}   {}  {}  {:>7} {:>7}", l.split, l.score,
                                share(m.pairwise.value), share(m.pairwise.lo), share(m.pairwise.hi),
                                share(m.spearman.value), share(m.kendall.value),
                                percent(m.top1.value), percent(m.top5.value));
  if (!m.worst_family.empty())
    out += fmt::format("  {} {}", m.worst_family, share(m.worst_pairwise));
  if (l.coverage) out += fmt::format("  ({} covered)", percent(l.coverage->value));
  return out + "\n";
}

}  // namespace

std::string train_text(const TrainingResult& r, const TextStyle& style) {
  std::string out = fmt::format("{}: {} rows of {} families in {} groups, {} not measured",
                                r.recipe, r.rows, r.families.size(), r.groups, r.failed);
  if (!r.held_out.empty()) out += fmt::format("; held out: {}", fmt::join(r.held_out, ", "));
  out += fmt::format(
      "\ndata {}, target {}, XGBoost {}, seed {}; pairs that differ by more than their intervals "
      "and {:g} % count\n\n",
      r.data_hash, r.target, r.xgboost, r.seed, 100 * r.least_difference);
  out += ink(style, Ink::kBold,
             fmt::format("{:<26}{:<24}{:<19}   {:<5}  {:<5}  {:>7} {:>7}  {}", "split", "score",
                         "pairs ordered right", "rho", "tau", "top 1", "top 5", "worst family")) +
         "\n";
  for (const TrainingLine& l : r.lines) out += text_line(l);
  for (const TrainingLine& l : r.lines)
    if (l.pairwise_gain && l.top5_gain)
      out += fmt::format(
          "\n{}, more than without the extra columns: pairs {:+.4f} ({:+.4f}…{:+.4f}), top 5 "
          "{:+.2f} % ({:+.2f}…{:+.2f})\n",
          l.split, l.pairwise_gain->value, l.pairwise_gain->lo, l.pairwise_gain->hi,
          100 * l.top5_gain->value, 100 * l.top5_gain->lo, 100 * l.top5_gain->hi);
  std::string pooled;
  for (const TrainingLine& l : r.lines)
    if (l.pooled)
      pooled += fmt::format("  {:<26}{:<24}{} ({}…{})\n", l.split, l.score, share(l.pooled->value),
                            share(l.pooled->lo), share(l.pooled->hi));
  if (!pooled.empty())
    out += "\nrank correlation of predicted and measured times, all rows together:\n" + pooled;
  if (r.at_threshold)
    out += fmt::format(
        "\nsecond stage: of the pairs within a family {} are kept, of which {} are ordered right\n",
        percent(r.at_threshold->coverage), share(r.at_threshold->accuracy));
  for (size_t i = 0; i < r.curve.size(); i += 2)
    out += fmt::format("  {:>7} kept  {} right\n", percent(r.curve[i].coverage),
                       share(r.curve[i].accuracy));
  if (r.ood_seen)
    out += fmt::format("\nflagged as unlike: {} of rows of families learned from{}\n",
                       percent(*r.ood_seen),
                       r.ood_unseen ? ", " + percent(*r.ood_unseen) + " of families left out" : "");
  if (!r.importance.empty()) {
    out += "\nwhat the trees look at:\n";
    for (size_t i = 0; i < r.importance.size() && i < 12; ++i)
      out += fmt::format("  {:>6}  {}\n", percent(r.importance[i].second), r.importance[i].first);
  }
  for (const std::string& note : r.notes) out += "note: " + note + "\n";
  if (!r.model.empty()) out += "\nmodel: " + r.model + "\n";
  return out;
}

std::string train_json(const TrainingResult& r) {
  Json lines = Json::array(), curve = Json::array(), importance = Json::array();
  for (const TrainingLine& l : r.lines) lines.push_back(line_json(l));
  for (const auto& p : r.curve)
    curve.push_back(Json{{"coverage", p.coverage}, {"accuracy", p.accuracy}});
  for (const auto& [input, gain] : r.importance)
    importance.push_back(Json{{"input", input}, {"gain", gain}});
  Json second = nullptr;
  if (r.at_threshold)
    second = Json{{"wanted_accuracy", r.wanted_accuracy},
                  {"accuracy", r.at_threshold->accuracy},
                  {"coverage", r.at_threshold->coverage},
                  {"curve", std::move(curve)}};
  return dump(Json{{"schema", "pitot.train/1"},
                   {"recipe", r.recipe},
                   {"target", r.target},
                   {"data_hash", r.data_hash},
                   {"files", r.files},
                   {"families", r.families},
                   {"held_out", r.held_out},
                   {"rows", r.rows},
                   {"groups", r.groups},
                   {"not_measured", r.failed},
                   {"least_difference", r.least_difference},
                   {"wanted_coverage", r.wanted_coverage},
                   {"seed", r.seed},
                   {"xgboost", r.xgboost},
                   {"lines", std::move(lines)},
                   {"second_stage", std::move(second)},
                   {"ood_seen", r.ood_seen ? Json(*r.ood_seen) : Json(nullptr)},
                   {"ood_unseen", r.ood_unseen ? Json(*r.ood_unseen) : Json(nullptr)},
                   {"importance", std::move(importance)},
                   {"notes", r.notes},
                   {"model", r.model.empty() ? Json(nullptr) : Json(r.model)}});
}

}  // namespace pitot::report
