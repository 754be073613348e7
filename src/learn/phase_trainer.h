// Training of the phase detector: gradients and Adam by libtorch, which stays in phase_trainer.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "knobs/phase_detector.h"

namespace pitot::learn {

struct PhaseTrainingOptions {
  unsigned epochs = 60, batch = 32;
  double rate = 1e-3;
  uint64_t seed = 0;
};

struct PhaseTrained {
  knobs::PhaseDetector detector;
  double loss = 0, accuracy = 0;  // of the last epoch, while it went on
};

// Cross-entropy of the phase, each label weighted so that all weigh the same; and of the
// uncertainty against 1 less the probability that the right phase has, without a gradient into what
// both heads share. One thread; the same windows, options and seed give the same weights. Errors
// (kInput): no windows, one without a label.
Result<PhaseTrained> train_phases(std::span<const knobs::PhaseWindow* const> windows,
                                  const PhaseTrainingOptions& options, const std::string& origin);

// What libtorch gives for the window, for tests.
knobs::PhaseVerdict judged_by_torch(const knobs::PhaseDetector& detector,
                                    const knobs::PhaseWindow& window);

}  // namespace pitot::learn
