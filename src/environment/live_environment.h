// Episodes on the kernels themselves: transforms are applied step by step, and what comes out is
// judged by a cost.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "environment/environment.h"
#include "search/space.h"

namespace pitot::environment {

class LiveEnvironment final : public TransformEnvironment {
 public:
  // The cost must outlive it. A program is asked for once.
  LiveEnvironment(std::vector<search::Kernel> kernels, search::Cost& cost, search::PolicyKind kind,
                  uint32_t max_steps);

  search::PolicyKind kind() const override { return kind_; }
  size_t kernels() const override { return kernels_.size(); }
  std::string kernel_name(size_t k) const override { return kernels_[k].path; }
  Result<Observation> reset(std::optional<size_t> kernel, uint64_t seed) override;
  Result<StepResult> step(size_t output) override;

 private:
  Result<Observation> observe();
  Result<search::CostValue> cost_of(const search::Text& text);

  std::vector<search::Kernel> kernels_;
  search::Cost& cost_;
  search::PolicyKind kind_;
  uint32_t max_steps_;
  std::vector<std::unique_ptr<search::Space>> spaces_;  // by kernel, made when first met
  std::map<Hash128, search::CostValue> known_;
  search::Space* space_ = nullptr;  // null: no episode
  std::optional<search::State> original_, state_;
  std::vector<search::State> next_;
  search::ActionSet mask_ = 0;
  std::vector<float> input_;
};

}  // namespace pitot::environment
