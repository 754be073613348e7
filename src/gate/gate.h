// The gate: what changed against a baseline or another build, judged by the project's rules.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gate/diff_result.h"
#include "gate/gate_result.h"
#include "gate/rules.h"
#include "gate/state.h"
#include "ptx/module.h"
#include "support/result.h"

namespace pitot::gate {

// One kernel before and now; either may be missing, not both.
struct GateCase {
  std::optional<KernelState> before, after;
  std::optional<KernelDiff> diff;  // when both programs are at hand
  ChangeClass cls = ChangeClass::kIdentical;
  std::string matched_by;
  // Widths of accesses moved and nothing else did: the same program once vectors are taken apart.
  bool only_vector_widths = false;
  // Findings of the lints that the change brought: code, line, message.
  struct Lint {
    std::string code, message;
    uint32_t line = 0;
    bool unproved_alignment = false;
  };
  std::vector<Lint> new_lints;
};

// A semantic check that the command may provide: are the two kernels' results the same on tested
// inputs? Answers in one sentence, or nothing when it could not be tested. Never decides alone.
using SemanticCheck = std::function<std::optional<std::string>(const GateCase&)>;

// What a change is predicted to do to the time of one launch.
struct PredictedImpact {
  double before_us = 0, after_us = 0;
  bool uncertain = false;  // the model doubts which of the two is faster
  std::string by;          // which model said so
};
// A prediction that the command may provide. Errors say why there is none.
using ImpactPredictor =
    std::function<Result<PredictedImpact>(const GateCase&, const PredictedLimit&)>;

struct GateOptions {
  std::string today;    // "2026-01-31", for waivers; from the caller so that runs can be repeated
  SemanticCheck check;  // may be empty
  ImpactPredictor impact;  // may be empty: rules on predicted times are then not checked
};

// Cases of two builds. `physical` fills KernelState::ptxas and may be empty.
using PhysicalFiller = std::function<void(const ptx::Module&, std::vector<KernelState>&)>;
std::vector<GateCase> compare_builds(const ptx::Module& before, const ptx::Module& after,
                                     const PhysicalFiller& physical = {}, unsigned workers = 1);

// Cases of a baseline and the states of the build at hand. Kernels are found again by source, name
// and target, then by normalised name, then by equal shape (a renamed kernel).
std::vector<GateCase> compare_with_baseline(const std::vector<KernelState>& baseline,
                                            std::vector<KernelState> now);

// Judges. Cases must be in the order in which findings are to be reported.
GateResult judge(const std::vector<GateCase>& cases, const RuleSet& rules,
                 const GateOptions& options);

}  // namespace pitot::gate
