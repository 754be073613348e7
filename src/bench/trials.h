// The launches that a candidate is judged by: sizes that are published and sizes that are drawn,
// each with data of one kind.
#pragma once

#include <string>
#include <vector>

#include "bench/task.h"

namespace pitot::bench {

enum class Data : uint8_t {
  kGiven,  // as the task's arguments say
  kMixed,  // the others only where the task takes any values
  kPositive,
  kNegative,
  kEqual,
  kWide,  // very different magnitudes
  kLarge,
  kNan,       // among them NaN and −0; where the task takes special values
  kInfinite,  // infinities
  kTiny,      // subnormal and very small numbers, −0
  kHuge,      // near the largest of f16
};
std::string_view name_of(Data data);
inline bool is_special(Data data) { return data >= Data::kNan; }

struct TrialPlan {
  device::SizeSpec size;
  bool secret = false;  // drawn, not published
  Data data = Data::kGiven;
  uint64_t seed = 0, second_seed = 0;  // of the values of the first and the second launch
};

// The public sizes and `drawn` private ones, with data of all kinds that the task admits. The same
// for the same seed.
std::vector<TrialPlan> plan_trials(const Task& task, uint64_t seed, unsigned drawn);

// Sizes that fulfil the task's `volume`; the public sizes again where it has no ranges.
std::vector<device::SizeSpec> draw_sizes(const Task& task, uint64_t seed, unsigned count);

// A spec of the task (start, candidate or oracle) whose inputs hold such data.
device::KernelSpec with_data(const device::KernelSpec& spec, Data data, uint64_t seed);

}  // namespace pitot::bench
