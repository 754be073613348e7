// Applies transforms to a kernel of a module: text in, verified text out.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"
#include "transform/action.h"
#include "transform/edit.h"

namespace pitot::transform {

struct Step {
  Action action = Action::kVecLd;
  uint32_t changes = 0;  // places; 0: the text is as before
  std::vector<Declined> declined;
  bool applied() const { return changes != 0; }
};

// Why a transform that saw no place that it might have changed declines the kernel.
inline constexpr std::string_view kNothingThere = "the kernel has nothing that it applies to";

struct Applied {
  std::string text;
  Step step;
  std::shared_ptr<const ptx::Module> module;  // of the text, where it was changed
};

// One transform on the function at this index of the module. Errors are bugs of a transform (its
// output does not parse or verify, named as such) and modules that have errors themselves.
Result<Applied> apply(const ptx::Module& module, uint32_t function, Action action,
                      const Assumptions& assumptions);

struct Sequence {
  std::string text;
  std::vector<Step> steps;  // as many as actions
};

// One after the other, each on the text of the one before. A conflict (can_follow) is an error.
Result<Sequence> apply_sequence(std::string path, std::string text, std::string_view kernel,
                                std::span<const Action> actions, const Assumptions& assumptions);

}  // namespace pitot::transform
