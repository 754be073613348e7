#include "impact.h"

#include <cmath>

#include "arch/gpu.h"

namespace pitot::cli {

void ImpactModules::add(std::shared_ptr<const ptx::Module> module) {
  if (module->source) modules_[module->source->path()].push_back(std::move(module));
}

Result<Candidate> ImpactModules::side(const gate::KernelState& state,
                                      const gate::PredictedLimit& limit) const {
  const auto at = modules_.find(state.source);
  if (at != modules_.end())
    for (const auto& module : at->second) {
      if (ptx::name_of(module->target) != state.target || module->diagnostics.errors() > 0)
        continue;
      const auto kernel = ptx::find_kernel(*module, state.name);
      if (!kernel) continue;
      Candidate c;
      c.path = state.source;
      c.module = module;
      c.kernel = *kernel;
      c.launch.grid = limit.grid;
      c.launch.block = limit.block;
      c.launch.dynamic_shared = limit.dynamic_shared;
      c.launch.size = limit.size;
      return c;
    }
  return input_error(state.source + ": the program of " + state.name + " is not at hand");
}

Result<gate::PredictedImpact> ImpactModules::predict(const gate::GateCase& c,
                                                     const gate::PredictedLimit& limit) {
  const arch::Gpu* gpu = nullptr;
  if (!limit.gpu.empty()) {
    const auto found = arch::find_gpu(limit.gpu);
    if (!found) return found.error();
    gpu = *found;
  }
  std::vector<Candidate> sides;
  for (const auto* state : {&*c.before, &*c.after}) {
    auto candidate = side(*state, limit);
    if (!candidate) return candidate.error();
    sides.push_back(std::move(*candidate));
  }
  const auto rows = rows_of(sides, gpu, {}, options_);
  const auto answers = ask_model(model_, sides, rows, gpu, false, 1);
  if (!answers) return answers.error();
  if (!answers->errors.empty()) return input_error(answers->errors.front());
  gate::PredictedImpact impact;
  impact.before_us = answers->kernels[0].score;
  impact.after_us = answers->kernels[1].score;
  if (std::isnan(impact.before_us) || std::isnan(impact.after_us))
    return input_error("their features say too little");
  impact.uncertain = answers->kernels[1].uncertain.value_or(false);
  impact.by = answers->source.recipe == "untrained" ? "the analytic score"
                                                    : "the " + answers->source.model + " model";
  return impact;
}

}  // namespace pitot::cli
