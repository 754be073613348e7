// How well windows were judged: scores, held against rules and the most frequent label, and the
// table phase5_eval.csv.
#pragma once

#include <string>
#include <vector>

#include "knobs/phase_result.h"

namespace pitot::knobs {

// Which of `folds` a window of these kernels is held out in, by the kernels' folds ("a+b": a and
// b): its number, or nothing where they are in different ones. Kernels are dealt out in the order
// of a seeded shuffle of their sorted names.
class KernelFolds {
 public:
  KernelFolds(const std::vector<PhaseWindow>& windows, unsigned folds, uint64_t seed);
  std::optional<unsigned> fold_of(const std::string& kernels) const;
  // Whether any of the kernels is of this fold: then nothing may be learned from the window.
  bool touches(const std::string& kernels, unsigned fold) const;
  size_t kernels() const { return folds_.size(); }

 private:
  std::vector<std::pair<std::string, unsigned>> folds_;  // by name
};

// A score a set, in the order of the windows. Intervals: 2,000 resamples of what ran (`kernels`).
std::vector<PhaseScore> score_phases(const std::vector<JudgedWindow>& windows, uint64_t seed);

// set, fold, window, kernels, label, predicted, probabilities, uncertainty, rule.
std::string phases_csv(const std::vector<JudgedWindow>& windows);

}  // namespace pitot::knobs
