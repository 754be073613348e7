#include "emulated_cost.h"

#include <fmt/format.h>

#include "measure/relative_cost.h"
#include "predict/analytic.h"

namespace pitot::cli {

Result<std::vector<search::CostValue>> EmulatedCost::evaluate(
    std::span<const std::string_view> texts) {
  std::vector<search::CostValue> out(texts.size());
  const ProgramCandidates programs = program_candidates(original_, texts, out);
  predict::RowOptions how;
  how.seed = options_.seed;
  if (!spills_) spills_ = spills_of(rows_of({original_}, &gpu_, how, options_)[0]);
  const auto rows = rows_of(programs.candidates, &gpu_, how, options_);
  for (size_t k = 0; k < rows.size(); ++k) {
    search::CostValue& value = out[programs.places[k]];
    value.failure = why_no_model(programs.candidates[k], rows[k], gpu_, *spills_);
    if (!value.ok()) continue;
    const auto score = predict::analytic_score(rows[k].row->values);
    if (!score || !score->emulated) {
      const auto why = rows[k].row->reason(predict::index_of(predict::Column::kEmuCycles));
      value.failure = fmt::format("it cannot be emulated: {}", why.empty() ? "no score" : why);
      continue;
    }
    value.cost = score->us;
    value.noise = score->us * measure::kHalfDeadZone;
  }
  return out;
}

}  // namespace pitot::cli
