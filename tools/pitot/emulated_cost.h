// A search's cost without a GPU: the modelled time of a kernel's launch, from sampled blocks on the
// emulator.
#pragma once

#include <optional>

#include "program_candidates.h"

namespace pitot::cli {

class EmulatedCost : public search::Cost {
 public:
  // `original` is the kernel in its launch; texts take the place of its module.
  EmulatedCost(Candidate original, const arch::Gpu& gpu, const Options& options)
      : original_(std::move(original)), gpu_(gpu), options_(options) {}

  // Microseconds. A text that does not parse, cannot be launched or emulated is a failure; so is
  // one that would spill registers which the original keeps: the model does not count what that
  // costs, and would see the occupancy that is gained only.
  Result<std::vector<search::CostValue>> evaluate(std::span<const std::string_view> texts) override;

 private:
  Candidate original_;
  const arch::Gpu& gpu_;
  const Options& options_;
  std::optional<double> spills_;  // bytes a thread, of the original
};

}  // namespace pitot::cli
