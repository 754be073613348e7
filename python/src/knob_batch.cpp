// See knob_batch.h.
#include "knob_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "knobs/sweep_csv.h"
#include "support/file.h"

namespace pitot::python {

Result<std::shared_ptr<knobs::TableReadings>> read_sweep_file(const std::string& path) {
  auto text = read_file(path);
  if (!text) return text.error();
  Diagnostics found;
  const SourceText source(path, std::move(*text));
  knobs::SweepResult sweep = knobs::read_sweep(source, found);
  for (const Diagnostic& d : found.items()) {
    if (d.severity != Severity::kError) continue;
    const auto at = source.position(d.range.begin);
    return input_error(fmt::format("{}:{}:{}: {}", path, at.line, at.column, d.message));
  }
  auto table = knobs::Table::of(std::move(sweep));
  if (!table) return input_error(path + ": " + table.error().message);
  return std::make_shared<knobs::TableReadings>(std::move(*table));
}

Result<std::shared_ptr<KnobBatch>> KnobBatch::make(std::shared_ptr<knobs::TableReadings> readings,
                                                   size_t count, knobs::EnvironmentOptions options,
                                                   Autoreset autoreset) {
  if (count == 0) return input_error("a batch has at least one environment");
  std::shared_ptr<KnobBatch> out(new KnobBatch(std::move(readings), autoreset));
  for (size_t k = 0; k < count; ++k) {
    auto made = knobs::Environment::make(*out->readings_, options);
    if (!made) return made.error();
    out->environments_.push_back(std::move(*made));
  }
  out->phases_.assign(count, Phase::kNotBegun);
  const knobs::Space& space = out->space();
  for (size_t c = 0; c < out->cases().size(); ++c) {
    std::vector<bool>& mask = out->masks_.emplace_back();
    for (const knobs::Knob& k : space.knobs) mask.resize(mask.size() + k.values.size(), false);
    for (size_t i = 0; i < space.size(); ++i) {
      if (!out->readings_->may_run(c, i)) continue;
      size_t first = 0;
      const knobs::Choice choice = space.choice_of(i);
      for (size_t k = 0; k < choice.size(); ++k) {
        mask[first + choice[k]] = true;
        first += space.knobs[k].values.size();
      }
    }
  }
  return out;
}

Status KnobBatch::reset(std::span<const size_t> which,
                        std::span<const std::optional<uint64_t>> seeds,
                        std::span<const std::optional<size_t>> cases, std::span<float> seen) {
  const std::scoped_lock lock(busy_);
  const size_t width = observation_size();
  for (size_t i = 0; i < which.size(); ++i) {
    const size_t k = which[i];
    const std::optional<size_t> at = cases.empty() ? std::nullopt : cases[i];
    auto observed = seeds[i] ? environments_[k].reset(*seeds[i], at)
                    : at     ? environments_[k].begin(*at)
                             : environments_[k].reset();
    if (!observed) return observed.error();
    phases_[k] = Phase::kRunning;
    std::copy_n(observed->begin(), width, seen.begin() + static_cast<ptrdiff_t>(i * width));
  }
  return Ok{};
}

Status KnobBatch::step(std::span<const int64_t> choices, const Out& out) {
  const std::scoped_lock lock(busy_);
  const auto& knobs = space().knobs;
  const size_t width = observation_size();
  for (size_t k = 0; k < count(); ++k) {
    if (phases_[k] == Phase::kNotBegun ||
        (phases_[k] == Phase::kOver && autoreset_ != Autoreset::kNextStep))
      return input_error(fmt::format("environment {}: step before reset", k));
    if (phases_[k] == Phase::kOver) continue;
    for (size_t i = 0; i < knobs.size(); ++i)
      if (const int64_t c = choices[k * knobs.size() + i];
          c < 0 || c >= static_cast<int64_t>(knobs[i].values.size()))
        return input_error(fmt::format("environment {}: {} has no value {}: it has {}", k,
                                       knobs[i].name, c, knobs[i].values.size()));
  }
  knobs::Choice choice(knobs.size());
  for (size_t k = 0; k < count(); ++k) {
    const auto row = static_cast<ptrdiff_t>(k * width);
    knobs::Environment& environment = environments_[k];
    const auto again = [&]() -> Status {
      auto observed = environment.reset();
      if (!observed) return observed.error();
      std::copy_n(observed->begin(), width, out.seen.begin() + row);
      phases_[k] = Phase::kRunning;
      return Ok{};
    };
    out.ms[k] = std::numeric_limits<double>::quiet_NaN();
    if (phases_[k] == Phase::kOver) {
      if (Status s = again(); !s) return s;
      out.reward[k] = out.speedup[k] = 0;
      out.truncated[k] = false;
      out.baseline_ms[k] = environment.baseline_ms();
      continue;
    }
    for (size_t i = 0; i < knobs.size(); ++i)
      choice[i] = static_cast<uint32_t>(choices[k * knobs.size() + i]);
    auto made = environment.step(choice);
    if (!made) return made.error();
    std::copy_n(made->observation.begin(), width, out.seen.begin() + row);
    out.reward[k] = made->reward;
    if (made->reading.ok()) out.ms[k] = made->reading.ms;
    out.baseline_ms[k] = made->baseline_ms;
    out.speedup[k] = made->speedup;
    out.truncated[k] = made->truncated;
    if (!made->truncated) continue;
    phases_[k] = Phase::kOver;
    if (autoreset_ != Autoreset::kSameStep) continue;
    std::copy_n(made->observation.begin(), width, out.last.begin() + row);
    if (Status s = again(); !s) return s;
  }
  return Ok{};
}

}  // namespace pitot::python
