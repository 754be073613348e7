// A search's cost by the trained model of predict.
#pragma once

#include <memory>
#include <optional>

#include "chosen_model.h"
#include "program_candidates.h"

namespace pitot::cli {

class PredictedCost : public search::Cost {
 public:
  PredictedCost(Candidate original, const arch::Gpu& gpu, std::shared_ptr<const ChosenModel> model,
                const Options& options)
      : original_(std::move(original)), gpu_(gpu), model_(std::move(model)), options_(options) {}

  // The predicted time in microseconds (or what the model predicts). The noise is the dead zone's
  // half, not the prediction's interval: that says how far the time of a kernel may be off, and
  // programs of one kernel have most of that in common. Programs without a modelled cost
  // (why_no_model) are failures. Errors (kInput): a model that was not made for this.
  Result<std::vector<search::CostValue>> evaluate(std::span<const std::string_view> texts) override;
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  Candidate original_;
  const arch::Gpu& gpu_;
  std::shared_ptr<const ChosenModel> model_;
  const Options& options_;
  std::optional<double> spills_;
  std::vector<std::string> warnings_;
};

}  // namespace pitot::cli
