// See live_readings.h.
#include "knobs/live_readings.h"

#include <fmt/format.h>

#include <algorithm>

namespace pitot::knobs {
namespace {

// Each within 0…1; what NVML does not tell is 0.
std::array<double, kStates> states_of(const measure::Telemetry& t, uint64_t memory_bytes) {
  const auto share = [](double v) { return std::clamp(v, 0.0, 1.0); };
  const double memory =
      memory_bytes == 0 ? 0 : t.memory_used_bytes.value_or(0) / static_cast<double>(memory_bytes);
  return {share(t.utilisation_percent.value_or(0) / 100),
          share(t.memory_utilisation_percent.value_or(0) / 100), share(memory),
          share(t.temperature_c.value_or(0) / 100)};
}

}  // namespace

Result<LiveReadings> LiveReadings::make(std::unique_ptr<measure::Meter> meter,
                                        const std::vector<std::string>& knobs,
                                        const std::vector<LivePlace>& places,
                                        uint64_t memory_bytes) {
  if (places.empty()) return input_error("there is nothing to measure");
  LiveReadings out;
  out.meter_ = std::move(meter);
  out.memory_bytes_ = memory_bytes;
  for (size_t k = 0; k < knobs.size(); ++k) {
    std::set<int64_t> values;
    for (const LivePlace& p : places) values.insert(p.settings[k]);
    out.space_.knobs.push_back({knobs[k], {values.begin(), values.end()}});
  }
  for (const LivePlace& p : places) {
    auto found = std::find(out.cases_.begin(), out.cases_.end(), p.at);
    if (found == out.cases_.end()) found = out.cases_.insert(found, p.at);
    const auto number = static_cast<size_t>(found - out.cases_.begin());
    const auto choice = out.space_.choice_with(p.settings);
    out.subjects_.try_emplace({number, out.space_.index_of(*choice)}, p.subject);
  }
  return out;
}

Result<Reading> LiveReadings::read(size_t number, size_t configuration) {
  const std::pair key(number, configuration);
  Reading out;
  out.counters.reason = "counters are not collected while measuring live";
  const auto subject = subjects_.find(key);
  if (subject == subjects_.end()) {
    out.failure = "there is no such configuration";
    return out;
  }
  if (const auto known = failures_.find(key); known != failures_.end()) {
    out.failure = known->second;
    return out;
  }
  const measure::LiveSample sample = meter_->sample(subject->second);
  seen_.insert(key);
  lost_ = sample.lost ? lost_ + 1 : 0;
  if (lost_ >= kMostLost)
    return failed_error(
        fmt::format("the GPU was lost {} times in a row: {}", lost_, sample.failure));
  out.ms = sample.ms;
  out.failure = sample.failure;
  if (!sample.ok()) failures_.emplace(key, sample.failure);
  if (sample.state) out.states = states_of(*sample.state, memory_bytes_);
  return out;
}

bool LiveReadings::may_run(size_t number, size_t configuration) const {
  const std::pair key(number, configuration);
  return subjects_.contains(key) && !failures_.contains(key);
}

Status LiveReadings::load_all(const std::function<void()>& step) {
  for (const auto& [key, subject] : subjects_) {
    const auto read = this->read(key.first, key.second);
    if (!read) return read.error();
    step();
  }
  return Ok{};
}

}  // namespace pitot::knobs
