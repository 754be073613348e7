// Timings as a GPU gives them, for tests of the statistics: correlated noise, drift, clocks that
// switch, interruptions, effects of where a module lies, and a coarse timer.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <random>
#include <vector>

#include "measure/statistics.h"

namespace pitot::measure {

// Shares of the time, but for `correlation` (of neighbours), `switching` and `interrupted` (odds a
// sample) and `tick` (milliseconds).
struct TimingWorld {
  const char* name;
  double noise = 0, correlation = 0, drift = 0, second_clock = 0, switching = 0, interrupted = 0,
         placement = 0, tick = 0;
};

inline void PrintTo(const TimingWorld& world, std::ostream* out) { *out << world.name; }

inline std::vector<TimingWorld> timing_worlds() {
  return {{.name = "white_0_3", .noise = 0.003},
          {.name = "white_1", .noise = 0.01},
          {.name = "correlated_drifting", .noise = 0.01, .correlation = 0.95, .drift = 0.05},
          {.name = "two_clocks",
           .noise = 0.003,
           .second_clock = 0.08,
           .switching = 0.03,
           .placement = 0.001},
          {.name = "interrupted",
           .noise = 0.005,
           .correlation = 0.3,
           .interrupted = 0.05,
           .placement = 0.001},
          {.name = "placement", .noise = 0.002, .placement = 0.003},
          {.name = "everything",
           .noise = 0.006,
           .correlation = 0.7,
           .drift = 0.03,
           .second_clock = 0.03,
           .switching = 0.02,
           .interrupted = 0.02,
           .placement = 0.002,
           .tick = 1e-5}};
}

class TimingSource {
 public:
  TimingSource(const TimingWorld& world, uint64_t seed) : world_(world), random_(seed) {}

  // One time in milliseconds; `progress` in 0…1 is how much of the run is over.
  double next(double expected, double progress) {
    const double r = world_.correlation;
    noise_ = r * noise_ + std::sqrt(1 - r * r) * normal_(random_);
    if (uniform_(random_) < world_.switching) slow_ = !slow_;
    double t = expected * (1 + world_.noise * noise_) * (1 + world_.drift * progress);
    if (slow_) t *= 1 + world_.second_clock;
    if (uniform_(random_) < world_.interrupted) t *= 1 - 0.3 * std::log(1 - uniform_(random_));
    return world_.tick > 0 ? std::round(t / world_.tick) * world_.tick : t;
  }

  // A kernel of 100 µs and one that takes `change` longer, in random order within a round.
  Pairs pairs(double change, size_t placements, size_t rounds) {
    Pairs result;
    const double total = static_cast<double>(2 * placements * rounds);
    double done = 0;
    for (size_t p = 0; p < placements; ++p) {
      result.placements.emplace_back();
      const double a = 0.1 * (1 + world_.placement * normal_(random_));
      const double b = 0.1 * (1 + change) * (1 + world_.placement * normal_(random_));
      for (size_t r = 0; r < rounds; ++r) {
        std::array<double, 2> pair;
        const size_t first = random_() % 2;
        pair[first] = next(first == 0 ? a : b, ++done / total);
        pair[1 - first] = next(first == 0 ? b : a, ++done / total);
        result.placements.back().push_back(pair);
      }
    }
    return result;
  }

 private:
  TimingWorld world_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  double noise_ = 0;
  bool slow_ = false;
};

}  // namespace pitot::measure
