// What a change is predicted to do to a kernel's time: for the gate's rules.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "chosen_model.h"
#include "cli.h"
#include "gate/gate.h"

namespace pitot::cli {

// Both builds' modules by the path that states name.
class ImpactModules {
 public:
  ImpactModules(ChosenModel model, Options& options)
      : model_(std::move(model)), options_(options) {}

  void add(std::shared_ptr<const ptx::Module> module);

  // Errors: a side's program is not at hand, no such GPU, a launch that gives no prediction.
  Result<gate::PredictedImpact> predict(const gate::GateCase& c, const gate::PredictedLimit& limit);

 private:
  Result<Candidate> side(const gate::KernelState& state, const gate::PredictedLimit& limit) const;

  ChosenModel model_;
  Options& options_;
  std::map<std::string, std::vector<std::shared_ptr<const ptx::Module>>> modules_;
};

}  // namespace pitot::cli
