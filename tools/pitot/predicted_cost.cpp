#include "predicted_cost.h"

#include <cmath>

#include "measure/relative_cost.h"

namespace pitot::cli {

Result<std::vector<search::CostValue>> PredictedCost::evaluate(
    std::span<const std::string_view> texts) {
  std::vector<search::CostValue> out(texts.size());
  const ProgramCandidates programs = program_candidates(original_, texts, out);
  predict::RowOptions how;
  how.seed = options_.seed;
  if (!spills_) spills_ = spills_of(rows_of({original_}, &gpu_, how, options_)[0]);
  const auto rows = rows_of(programs.candidates, &gpu_, how, options_);
  const auto answers = ask_model(*model_, programs.candidates, rows, &gpu_, false);
  if (!answers) return answers.error();
  warnings_ = answers->source.warnings;
  size_t next = 0;  // of the answers: rows that there are, in order
  for (size_t k = 0; k < rows.size(); ++k) {
    search::CostValue& value = out[programs.places[k]];
    value.failure = why_no_model(programs.candidates[k], rows[k], gpu_, *spills_);
    if (!rows[k].row) continue;
    const predict::PredictedKernel& answer = answers->kernels[next++];
    if (!value.ok()) continue;
    if (!std::isfinite(answer.value)) {
      value.failure = "the model says nothing of it";
      continue;
    }
    value.cost = answer.value;
    value.noise = answer.value * measure::kHalfDeadZone;
  }
  return out;
}

}  // namespace pitot::cli
