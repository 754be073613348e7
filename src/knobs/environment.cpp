#include "knobs/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pitot::knobs {
Result<Choice> baseline_of(const Space& space, std::vector<int64_t> settings) {
  if (settings.empty())
    for (const Knob& k : space.knobs)
      settings.push_back(k.name == "block_size" ? 256 : k.name == "reg_cap" ? 0 : k.values.front());
  const auto choice = space.choice_with(settings);
  if (!choice)
    return input_error(
        fmt::format("the space does not have the baseline ({})", fmt::join(settings, ", ")));
  return *choice;
}

Result<Environment> Environment::make(Readings& readings, EnvironmentOptions options) {
  if (options.max_steps == 0) return input_error("an episode has at least one step");
  const auto& cases = readings.cases();
  if (options.cases.empty()) {
    options.cases.resize(cases.size());
    std::iota(options.cases.begin(), options.cases.end(), size_t{0});
  }
  for (const size_t c : options.cases)
    if (c >= cases.size())
      return input_error(fmt::format("there is no case {}: there are {}", c, cases.size()));
  auto baseline = baseline_of(readings.space(), options.baseline);
  if (!baseline) return baseline.error();
  Environment out(readings, std::move(options));
  out.baseline_ = std::move(*baseline);
  for (const Case& c : cases)
    if (std::find(out.kernels_.begin(), out.kernels_.end(), c.kernel) == out.kernels_.end())
      out.kernels_.push_back(c.kernel);
  return out;
}

size_t Environment::observation_size() const {
  return kernels_.size() + space().knobs.size() + kCounters + (options_.states ? kStates : 0) +
         (options_.sizes ? 1 : 0);
}

std::vector<float> Environment::observation(const Reading& last) const {
  const Case& at = readings_->cases()[number_];
  std::vector<float> out;
  out.reserve(observation_size());
  for (const std::string& k : kernels_) out.push_back(k == at.kernel ? 1 : 0);
  for (size_t i = 0; i < previous_.size(); ++i) {
    const size_t values = space().knobs[i].values.size();
    out.push_back(values < 2 ? 0
                             : static_cast<float>(previous_[i]) / static_cast<float>(values - 1));
  }
  for (const auto& percent : last.counters.percent)
    out.push_back(static_cast<float>(std::clamp(percent.value_or(0) / 100, 0.0, 1.0)));
  if (options_.states)
    for (const double v : last.states.value_or(std::array<double, kStates>{}))
      out.push_back(static_cast<float>(std::clamp(v, 0.0, 1.0)));
  if (options_.sizes)
    out.push_back(static_cast<float>(
        std::clamp(std::log2(static_cast<double>(at.matrix_size)) / 16, 0.0, 1.0)));
  return out;
}

Result<std::vector<float>> Environment::begin(size_t number) {
  if (number >= readings_->cases().size())
    return input_error(fmt::format("there is no case {}", number));
  number_ = number;
  steps_ = 0;
  previous_ = baseline_;
  auto read = readings_->read(number_, space().index_of(baseline_));
  if (!read) return read.error();
  if (!read->ok()) {
    const Case& c = readings_->cases()[number_];
    return failed_error(fmt::format("the baseline of '{}' at {} does not run: {}", c.kernel,
                                    c.matrix_size, read->failure));
  }
  baseline_ms_ = read->ms;
  return observation(*read);
}

Result<std::vector<float>> Environment::reset(uint64_t seed, std::optional<size_t> number) {
  draws_ = measure::RandomDraws(seed);
  return number ? begin(*number) : reset();
}

Result<std::vector<float>> Environment::reset() {
  return begin(options_.cases[draws_.below(static_cast<uint32_t>(options_.cases.size()))]);
}

Result<Step> Environment::step(std::span<const uint32_t> choice) {
  const auto& knobs = space().knobs;
  if (choice.size() != knobs.size())
    return input_error(fmt::format("a choice has {} indices, not {}", knobs.size(), choice.size()));
  for (size_t i = 0; i < knobs.size(); ++i)
    if (choice[i] >= knobs[i].values.size())
      return input_error(fmt::format("{} has no value {}: it has {}", knobs[i].name, choice[i],
                                     knobs[i].values.size()));
  if (previous_.empty()) return input_error("step before reset");
  auto read = readings_->read(number_, space().index_of(choice));
  if (!read) return read.error();
  Step out;
  out.reading = std::move(*read);
  previous_.assign(choice.begin(), choice.end());
  out.truncated = ++steps_ >= options_.max_steps;
  out.baseline_ms = baseline_ms_;
  if (out.reading.ok()) out.speedup = baseline_ms_ / out.reading.ms;
  out.reward = out.speedup - 1;
  out.observation = observation(out.reading);
  return out;
}

std::vector<bool> Environment::mask() const {
  const Space& s = space();
  std::vector<size_t> first;  // of each knob in the mask
  size_t total = 0;
  for (const Knob& k : s.knobs) {
    first.push_back(total);
    total += k.values.size();
  }
  std::vector<bool> out(total, false);
  for (size_t i = 0; i < s.size(); ++i) {
    if (!readings_->may_run(number_, i)) continue;
    const Choice c = s.choice_of(i);
    for (size_t k = 0; k < c.size(); ++k) out[first[k] + c[k]] = true;
  }
  return out;
}

}  // namespace pitot::knobs
