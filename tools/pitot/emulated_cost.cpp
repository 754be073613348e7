#include "emulated_cost.h"

#include <fmt/format.h>

#include <cmath>

#include "predict/analytic.h"
#include "ptx/parser.h"

namespace pitot::cli {
namespace {

double spills_of(const CandidateRow& made) {
  const double bytes = made.row ? (*made.row)[predict::Column::kSpillBytes] : 0;
  return std::isnan(bytes) ? 0 : bytes;
}

// `spills`: of the original.
search::CostValue value_of(const Candidate& candidate, const CandidateRow& made,
                           const arch::Gpu& gpu, double spills) {
  search::CostValue out;
  if (!made.row) {
    out.failure = made.error;
    return out;
  }
  const auto launch = launch_answer(candidate, *made.row, gpu);
  if (launch.answer == variants::CanLaunch::kNo) {
    out.failure = "it cannot be launched: " + launch.reason;
    return out;
  }
  const auto score = predict::analytic_score(made.row->values);
  if (!score || !score->emulated) {
    const auto why = made.row->reason(predict::index_of(predict::Column::kEmuCycles));
    out.failure = fmt::format("it cannot be emulated: {}", why.empty() ? "no score" : why);
    return out;
  }
  if (spills_of(made) > spills + kSpillsForgiven) {
    out.failure =
        fmt::format("it would spill about {:.0f} bytes a thread, which the model does not count",
                    spills_of(made));
    return out;
  }
  out.cost = score->us;
  out.noise = score->us * kModelledNoise;
  return out;
}

}  // namespace

Result<std::vector<search::CostValue>> EmulatedCost::evaluate(
    std::span<const std::string_view> texts) {
  std::vector<search::CostValue> out(texts.size());
  std::vector<Candidate> candidates;
  std::vector<size_t> places;
  const std::string_view name = original_.module->functions[original_.kernel].name;
  for (size_t i = 0; i < texts.size(); ++i) {
    auto module = std::make_shared<ptx::Module>(
        ptx::parse(original_.module->source->path(), std::string(texts[i])));
    const auto kernel = ptx::find_kernel(*module, name);
    if (module->diagnostics.errors() != 0 || !kernel) {
      out[i].failure = kernel ? "PTX with errors" : kernel.error().message;
      continue;
    }
    Candidate& c = candidates.emplace_back(original_);
    c.module = std::move(module);
    c.kernel = *kernel;
    places.push_back(i);
  }
  predict::RowOptions how;
  how.seed = options_.seed;
  if (!spills_) spills_ = spills_of(rows_of({original_}, &gpu_, how, options_)[0]);
  const auto rows = rows_of(candidates, &gpu_, how, options_);
  for (size_t k = 0; k < places.size(); ++k)
    out[places[k]] = value_of(candidates[k], rows[k], gpu_, *spills_);
  return out;
}

}  // namespace pitot::cli
