// Windows of counters with the regime of what ran, and what a detector made of them, in plain data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pitot::knobs {

inline constexpr size_t kPhaseSteps = 20;    // of a window
inline constexpr size_t kPhaseCounters = 5;  // of a step
// In percent, as the columns of a CSV: the four of a sweep and the issue slots that were used.
inline constexpr std::array<const char*, kPhaseCounters> kPhaseCounterNames = {
    "achieved_occupancy", "l2_hit_rate", "dram_bw_pct", "sm_active_pct", "issue_pct"};

enum class Phase : uint8_t { kCompute, kMemory, kLatency, kMixed };
inline constexpr size_t kPhases = 4;
inline constexpr std::array<const char*, kPhases> kPhaseNames = {"compute", "memory", "latency",
                                                                 "mixed"};

struct PhaseWindow {
  std::string name;     // within its file
  std::string kernels;  // that ran: "copy", or several, "copy+nbody"
  std::optional<Phase> label;
  std::array<float, kPhaseSteps * kPhaseCounters> seen{};  // step after step, each within 0…1
};

struct PhaseVerdict {
  std::array<float, kPhases> probability{};
  float uncertainty = 0;  // 0…1
  Phase likeliest() const {
    size_t best = 0;
    for (size_t k = 1; k < kPhases; ++k)
      if (probability[k] > probability[best]) best = k;
    return static_cast<Phase>(best);
  }
};

// A window that was judged, and what rules on its means say (published_rule()).
struct JudgedWindow {
  std::string set;  // which windows: "held out", "synthetic"
  unsigned fold = 0;
  std::string name, kernels;
  Phase label = Phase::kMixed, by_rule = Phase::kMixed;
  PhaseVerdict verdict;
};

// Figures of one set.
struct PhaseScore {
  std::string set;
  size_t windows = 0, kernels = 0;      // kernels: distinct `kernels`
  double accuracy = 0, lo = 0, hi = 0;  // 95 %, by bootstrap over what ran
  double balanced = 0;                  // mean over the labels of the share that was found
  double rule_accuracy = 0, rule_lo = 0, rule_hi = 0, rule_balanced = 0;
  double majority = 0;  // share of the most frequent label
  // How well wrong verdicts are told from right ones: area under the curve; nothing without both.
  std::optional<double> uncertainty_area, probability_area;  // by uncertainty; by 1 - probability
  std::array<std::array<size_t, kPhases>, kPhases> confusion{};  // label × verdict
};

struct PhaseTrainingResult {
  std::string tool;
  uint64_t seed = 0, epochs = 0;
  size_t weights = 0, windows = 0;
  double loss = 0, trained_accuracy = 0;  // of the last epoch, on the windows trained on
  std::vector<PhaseScore> scores;
};

}  // namespace pitot::knobs
