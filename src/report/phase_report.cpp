#include "report/phase_report.h"

#include <fmt/format.h>

#include "report/json.h"

namespace pitot::report {
namespace {

using knobs::kPhaseNames;
using knobs::kPhases;
using knobs::PhaseScore;

std::string area_text(const std::optional<double>& area) {
  return area ? fmt::format("{:.3f}", *area) : "-";
}

Json area_json(const std::optional<double>& area) { return area ? Json(*area) : Json(nullptr); }

Json score_json(const PhaseScore& s) {
  Json confusion;
  for (size_t k = 0; k < kPhases; ++k) {
    Json row;
    for (size_t i = 0; i < kPhases; ++i) row[kPhaseNames[i]] = s.confusion[k][i];
    confusion[kPhaseNames[k]] = std::move(row);
  }
  return {{"set", s.set},
          {"windows", s.windows},
          {"groups", s.kernels},
          {"accuracy", s.accuracy},
          {"accuracy_lo", s.lo},
          {"accuracy_hi", s.hi},
          {"balanced_accuracy", s.balanced},
          {"rule_accuracy", s.rule_accuracy},
          {"rule_accuracy_lo", s.rule_lo},
          {"rule_accuracy_hi", s.rule_hi},
          {"rule_balanced_accuracy", s.rule_balanced},
          {"majority", s.majority},
          {"uncertainty_auc", area_json(s.uncertainty_area)},
          {"probability_auc", area_json(s.probability_area)},
          {"confusion", std::move(confusion)}};
}

}  // namespace

std::string phase_scores_text(const std::vector<PhaseScore>& scores, const TextStyle& style) {
  std::string out;
  for (const PhaseScore& s : scores) {
    out += fmt::format(
        "{}: {} windows of {} kernels or pairs\n"
        "  detector  {:5.1f} % right ({:.1f} ... {:.1f}), labels alike {:.1f} %\n"
        "  rule      {:5.1f} % right ({:.1f} ... {:.1f}), labels alike {:.1f} %\n"
        "  most frequent label {:.1f} %; wrong told from right: by uncertainty {}, by probability "
        "{}\n",
        ink(style, Ink::kBold, s.set), s.windows, s.kernels, 100 * s.accuracy, 100 * s.lo,
        100 * s.hi, 100 * s.balanced, 100 * s.rule_accuracy, 100 * s.rule_lo, 100 * s.rule_hi,
        100 * s.rule_balanced, 100 * s.majority, area_text(s.uncertainty_area),
        area_text(s.probability_area));
    out += fmt::format("  {:<10}", "");
    for (const char* name : kPhaseNames) out += fmt::format("{:>9}", name);
    out += "   verdict\n";
    for (size_t k = 0; k < kPhases; ++k) {
      out += fmt::format("  {:<10}", kPhaseNames[k]);
      for (const size_t n : s.confusion[k]) out += fmt::format("{:>9}", n);
      out += "\n";
    }
  }
  return out;
}

std::string phase_text(const knobs::PhaseTrainingResult& r, const TextStyle& style) {
  return fmt::format(
             "{}: {} weights, {} windows, {} epochs, seed {}; {:.1f} % right of those "
             "trained on\n",
             ink(style, Ink::kBold, "phase detector"), r.weights, r.windows, r.epochs, r.seed,
             100 * r.trained_accuracy) +
         phase_scores_text(r.scores, style);
}

std::string phase_json(const knobs::PhaseTrainingResult& r) {
  Json scores = Json::array();
  for (const PhaseScore& s : r.scores) scores.push_back(score_json(s));
  return dump(Json{{"schema", "pitot.learn-phase/1"},
                   {"seed", r.seed},
                   {"epochs", r.epochs},
                   {"weights", r.weights},
                   {"windows", r.windows},
                   {"loss", r.loss},
                   {"trained_accuracy", r.trained_accuracy},
                   {"sets", std::move(scores)}});
}

}  // namespace pitot::report
