// Training of the phase detector by libtorch, and that its inference without it says the same.
#include <gtest/gtest.h>

#include <cmath>

#include "knobs/phase_windows.h"
#include "learn/phase_trainer.h"

namespace pitot::learn {
namespace {

std::vector<const knobs::PhaseWindow*> pointers(const std::vector<knobs::PhaseWindow>& windows) {
  std::vector<const knobs::PhaseWindow*> out;
  for (const auto& w : windows) out.push_back(&w);
  return out;
}

// A few seconds with Debian's reference BLAS; docs/results/phases-h200.md has trainings that are
// long enough.
TEST(PhaseTrainer, LearnsWhatTheWindowsWereDrawnFrom) {
  const auto windows = knobs::synthetic_phase_windows(32, 1);
  PhaseTrainingOptions how;
  how.batch = 8;
  how.rate = 5e-3;
  how.epochs = 1;
  const auto one = train_phases(pointers(windows), how, "a test");
  how.epochs = 10;
  const auto ten = train_phases(pointers(windows), how, "a test");
  ASSERT_TRUE(one && ten);
  EXPECT_EQ(ten->detector.origin(), "a test");
  EXPECT_LT(ten->loss, 0.8 * one->loss);
  EXPECT_GT(ten->accuracy, 0.5);
}

TEST(PhaseTrainer, TheSameSeedGivesTheSameWeights) {
  const auto windows = knobs::synthetic_phase_windows(8, 1);
  PhaseTrainingOptions how;
  how.epochs = 2;
  const auto a = train_phases(pointers(windows), how, ""),
             b = train_phases(pointers(windows), how, "");
  how.seed = 1;
  const auto c = train_phases(pointers(windows), how, "");
  ASSERT_TRUE(a && b && c);
  EXPECT_EQ(a->detector.bytes(), b->detector.bytes());
  EXPECT_NE(a->detector.bytes(), c->detector.bytes());
}

TEST(PhaseTrainer, InferenceWithoutLibtorchSaysTheSame) {
  std::vector<std::vector<float>> tensors;
  for (const knobs::TensorShape& s : knobs::kDetectorShapes) {
    auto& t = tensors.emplace_back(s.size());
    for (size_t i = 0; i < t.size(); ++i)
      t[i] = 0.3f * std::sin(static_cast<float>(7 * tensors.size() + 3 * i));
  }
  const auto detector = knobs::PhaseDetector::make(tensors, "");
  ASSERT_TRUE(detector);
  for (const auto& w : knobs::synthetic_phase_windows(6, 5)) {
    const auto mine = detector->judge(w), torch = judged_by_torch(*detector, w);
    for (size_t k = 0; k < knobs::kPhases; ++k)
      EXPECT_NEAR(mine.probability[k], torch.probability[k], 1e-5);
    EXPECT_NEAR(mine.uncertainty, torch.uncertainty, 1e-5);
  }
}

TEST(PhaseTrainer, WantsWindowsWithLabels) {
  EXPECT_FALSE(train_phases({}, {}, ""));
  knobs::PhaseWindow w;
  w.name = "bare";
  const knobs::PhaseWindow* one = &w;
  const auto r = train_phases({&one, 1}, {}, "");
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().message, "window 'bare' has no label");
}

}  // namespace
}  // namespace pitot::learn
