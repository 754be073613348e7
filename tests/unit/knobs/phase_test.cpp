// The phase detector without libtorch, windows of counters, folds and scores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "knobs/phase_detector.h"
#include "knobs/phase_evaluation.h"
#include "knobs/phase_windows.h"

namespace pitot::knobs {
namespace {

using testing::HasSubstr;

constexpr const char* kHead =
    "window,kernels,label,achieved_occupancy,l2_hit_rate,dram_bw_pct,sm_active_pct,issue_pct\n";

std::string window_rows(const std::string& name, const std::string& label, const char* counters,
                        size_t rows = kPhaseSteps) {
  std::string out;
  for (size_t k = 0; k < rows; ++k) out += name + ",copy," + label + "," + counters + "\n";
  return out;
}

std::vector<PhaseWindow> windows_of(const std::string& text, Diagnostics& found) {
  return read_phase_windows(SourceText("w.csv", text), found);
}

std::string complaint_on(const std::string& text) {
  Diagnostics found;
  windows_of(text, found);
  return found.errors() == 0 ? "" : found.items()[0].message;
}

std::vector<std::vector<float>> tensors_of(float value) {
  std::vector<std::vector<float>> out;
  for (const TensorShape& s : kDetectorShapes) out.emplace_back(s.size(), value);
  return out;
}

TEST(PhaseWindows, AreReadInPercent) {
  Diagnostics found;
  const auto w = windows_of(
      kHead + window_rows("a", "memory", "50,25,100.4,0,12.5") + window_rows("b", "", "1,2,3,4,5"),
      found);
  ASSERT_EQ(found.errors(), 0u) << found.items()[0].message;
  ASSERT_EQ(w.size(), 2u);
  EXPECT_EQ(w[0].name, "a");
  EXPECT_EQ(w[0].kernels, "copy");
  EXPECT_EQ(w[0].label, Phase::kMemory);
  EXPECT_FALSE(w[1].label.has_value());
  for (size_t t = 0; t < kPhaseSteps; ++t) {
    EXPECT_FLOAT_EQ(w[0].seen[t * 5], 0.5f);
    EXPECT_FLOAT_EQ(w[0].seen[t * 5 + 2], 1.0f);
    EXPECT_FLOAT_EQ(w[0].seen[t * 5 + 4], 0.125f);
  }
}

TEST(PhaseWindows, ThatAreNoneAreRefused) {
  const std::string good = window_rows("a", "memory", "1,2,3,4,5");
  EXPECT_THAT(complaint_on(kHead + window_rows("a", "memory", "1,2,3,4,5", 19)),
              HasSubstr("window 'a' has 19 rows, not 20"));
  EXPECT_THAT(complaint_on(kHead + window_rows("a", "memory", "1,2,3,4,5", 21)),
              HasSubstr("21 rows"));
  EXPECT_THAT(complaint_on(kHead + good + window_rows("b", "", "1,2,3,4,5") + good),
              HasSubstr("window 'a' was above already"));
  EXPECT_THAT(complaint_on(kHead + window_rows("a", "bound", "1,2,3,4,5")),
              HasSubstr("there is no phase 'bound'"));
  for (const char* bad : {"1,2,x,4,5", "1,2,-1,4,5", "1,2,nan,4,5", "1,2,,4,5", "1,2,1e9,4,5"})
    EXPECT_THAT(complaint_on(kHead + window_rows("a", "memory", bad)), HasSubstr("percentage"))
        << bad;
  EXPECT_THAT(complaint_on("window,dram_bw_pct\n"), HasSubstr("there is no column"));
  EXPECT_THAT(complaint_on(kHead), HasSubstr("there are no windows"));
  EXPECT_NE(complaint_on(""), "");
}

TEST(PhaseWindows, DrawnOnesAreWhatTheRuleSays) {
  const auto w = synthetic_phase_windows(4000, 3);
  for (const PhaseWindow& each : w) {
    EXPECT_EQ(published_rule(each), *each.label) << each.name;
    for (const float v : each.seen) EXPECT_TRUE(v >= 0 && v <= 1);
  }
  EXPECT_EQ(synthetic_phase_windows(8, 3)[7].seen, w[7].seen);
  EXPECT_NE(synthetic_phase_windows(8, 4)[7].seen, w[7].seen);
}

TEST(PhaseDetector, HasThePublishedNumberOfWeights) {
  EXPECT_EQ(PhaseDetector::weights(), 142021u);
}

TEST(PhaseDetector, ByHandWithOneWeightForAll) {
  // All weights alike: cells of a layer are alike, and one recurrence says what they are.
  const float w = 0.01f;
  const auto detector = PhaseDetector::make(tensors_of(w), "by hand");
  ASSERT_TRUE(detector);
  PhaseWindow window;
  for (size_t i = 0; i < window.seen.size(); ++i) window.seen[i] = static_cast<float>(i % 7) / 7;
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  const auto layer = [&](const std::vector<double>& sums) {  // of a step's inputs
    double h = 0, c = 0;
    std::vector<double> out;
    for (const double sum : sums) {
      const double gate = w * sum + w + w * 64 * h + w;
      c = sigmoid(gate) * c + sigmoid(gate) * std::tanh(gate);
      h = sigmoid(gate) * std::tanh(c);
      out.push_back(h);
    }
    return out;
  };
  const auto reversed = [](std::vector<double> v) {
    std::reverse(v.begin(), v.end());
    return v;
  };
  std::vector<double> sums;
  for (size_t t = 0; t < kPhaseSteps; ++t) {
    double sum = 0;
    for (size_t k = 0; k < kPhaseCounters; ++k) sum += window.seen[t * kPhaseCounters + k];
    sums.push_back(sum);
  }
  const auto forwards = layer(sums), backwards = reversed(layer(reversed(sums)));
  std::vector<double> both;
  for (size_t t = 0; t < kPhaseSteps; ++t) both.push_back(64 * (forwards[t] + backwards[t]));
  const double last = layer(both).back(), first = layer(reversed(both)).back();
  const double hidden = w * 64 * (last + first) + w, doubt = w * 16 * hidden + w;
  const PhaseVerdict verdict = detector->judge(window);
  for (const float p : verdict.probability) EXPECT_NEAR(p, 0.25, 1e-6);
  EXPECT_NEAR(verdict.uncertainty, sigmoid(doubt), 1e-6);
  EXPECT_EQ(verdict.likeliest(), Phase::kCompute);
}

TEST(PhaseDetector, ComesBackFromItsFileAndOthersDoNot) {
  auto tensors = tensors_of(0);
  for (size_t k = 0; k < tensors.size(); ++k)
    for (size_t i = 0; i < tensors[k].size(); ++i)
      tensors[k][i] = std::sin(static_cast<float>(k + i)) / 3;
  const auto detector = PhaseDetector::make(tensors, "pitot-learn of a test");
  ASSERT_TRUE(detector);
  const std::string bytes = detector->bytes();
  const auto again = PhaseDetector::read(bytes, "d");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->tensors(), tensors);
  EXPECT_EQ(again->origin(), "pitot-learn of a test");
  for (const size_t cut : {size_t{0}, size_t{20}, bytes.size() / 2, bytes.size() - 1})
    EXPECT_FALSE(PhaseDetector::read(bytes.substr(0, cut), "d")) << cut;
  std::string changed = bytes;
  changed[changed.size() / 2] ^= 1;
  EXPECT_THAT(PhaseDetector::read(changed, "d").error().message,
              HasSubstr("d: the detector is cut"));
  EXPECT_THAT(PhaseDetector::read("{}\n", "d").error().message, HasSubstr("not a phase detector"));
  tensors[3][2] = std::nanf("");
  EXPECT_THAT(PhaseDetector::make(tensors, "").error().message, HasSubstr("tensor 4"));
  tensors.pop_back();
  EXPECT_FALSE(PhaseDetector::make(tensors, ""));
}

TEST(KernelFoldsTest, EveryKernelIsHeldOutOnceAndPairsOnlyTogether) {
  std::vector<PhaseWindow> windows;
  for (const char* kernels : {"a", "b", "c", "d", "e", "a+b", "c+d"}) {
    PhaseWindow w;
    w.kernels = kernels;
    windows.push_back(w);
  }
  const KernelFolds folds(windows, 2, 7);
  EXPECT_EQ(folds.kernels(), 5u);
  std::array<int, 2> in{};
  for (const char* k : {"a", "b", "c", "d", "e"}) {
    ASSERT_TRUE(folds.fold_of(k).has_value());
    ++in[*folds.fold_of(k)];
    EXPECT_TRUE(folds.touches(k, *folds.fold_of(k)));
    EXPECT_FALSE(folds.touches(k, 1 - *folds.fold_of(k)));
  }
  EXPECT_THAT(in, testing::UnorderedElementsAre(2, 3));
  for (const auto& [a, b] : {std::pair{"a", "b"}, std::pair{"c", "d"}}) {
    const std::string both = std::string(a) + "+" + b;
    const bool together = folds.fold_of(a) == folds.fold_of(b);
    EXPECT_EQ(folds.fold_of(both).has_value(), together);
    EXPECT_TRUE(folds.touches(both, *folds.fold_of(a)));
    EXPECT_TRUE(folds.touches(both, *folds.fold_of(b)));
  }
  EXPECT_FALSE(folds.fold_of("z").has_value());
}

JudgedWindow judged_as(Phase label, Phase said, Phase rule, float probability, float uncertainty,
                       const std::string& kernels) {
  JudgedWindow w;
  w.set = "held out";
  w.name = "n";
  w.kernels = kernels;
  w.label = label;
  w.by_rule = rule;
  w.verdict.probability.fill((1 - probability) / 3);
  w.verdict.probability[static_cast<size_t>(said)] = probability;
  w.verdict.uncertainty = uncertainty;
  return w;
}

TEST(PhaseScores, ByHand) {
  const std::vector<JudgedWindow> windows = {
      judged_as(Phase::kMemory, Phase::kMemory, Phase::kMemory, 0.9f, 0.1f, "a"),
      judged_as(Phase::kMemory, Phase::kMemory, Phase::kMixed, 0.8f, 0.3f, "a"),
      judged_as(Phase::kMemory, Phase::kMixed, Phase::kMemory, 0.7f, 0.2f, "b"),
      judged_as(Phase::kCompute, Phase::kCompute, Phase::kMixed, 0.6f, 0.1f, "b"),
  };
  const auto scores = score_phases(windows, 1);
  ASSERT_EQ(scores.size(), 1u);
  const PhaseScore& s = scores[0];
  EXPECT_EQ(s.windows, 4u);
  EXPECT_EQ(s.kernels, 2u);
  EXPECT_DOUBLE_EQ(s.accuracy, 0.75);
  EXPECT_DOUBLE_EQ(s.rule_accuracy, 0.5);
  EXPECT_DOUBLE_EQ(s.majority, 0.75);
  EXPECT_DOUBLE_EQ(s.balanced, (2.0 / 3 + 1) / 2);
  EXPECT_DOUBLE_EQ(s.rule_balanced, (2.0 / 3 + 0) / 2);
  // The wrong one has 0.2 where the right ones have 0.1, 0.3, 0.1.
  EXPECT_DOUBLE_EQ(*s.uncertainty_area, 2.0 / 3);
  EXPECT_DOUBLE_EQ(*s.probability_area, 2.0 / 3);
  EXPECT_EQ(s.confusion[1][1], 2u);
  EXPECT_EQ(s.confusion[1][3], 1u);
  EXPECT_DOUBLE_EQ(s.lo, 0.5);
  EXPECT_DOUBLE_EQ(s.hi, 1.0);
  EXPECT_THAT(phases_csv(windows),
              HasSubstr("held out,0,n,b,memory,mixed,0.1000,0.1000,0.1000,0.7000,0.2000,memory\n"));
}

}  // namespace
}  // namespace pitot::knobs
