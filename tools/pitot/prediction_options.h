// The options that predict and rank share: the GPU, launches, how features are made.
#pragma once

#include <string>

#include "candidates.h"
#include "cli.h"

namespace pitot::cli {

struct PredictionOptions {
  std::string gpu;
  bool force = false, no_emulation = false;
  uint64_t blocks = predict::RowOptions{}.blocks, budget = predict::RowOptions{}.budget;
  CandidateOptions candidates;

  void add_to(CLI::App& verb);
  // Null where none is named: a chip of each PTX's target.
  Result<const arch::Gpu*> chip() const;
  predict::RowOptions rows(const Options& options) const;
};

}  // namespace pitot::cli
