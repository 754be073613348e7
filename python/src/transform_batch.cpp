// See transform_batch.h.
#include "transform_batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "environment/table_file.h"
#include "support/draws.h"
#include "support/file.h"

namespace pitot::python {

Result<std::shared_ptr<environment::RecordedTable>> read_table_file(const std::string& path) {
  const auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  auto table = environment::read_table(*bytes, path);
  if (!table) return table.error();
  return std::make_shared<environment::RecordedTable>(std::move(*table));
}

Result<std::shared_ptr<TransformBatch>> TransformBatch::make(
    std::shared_ptr<environment::RecordedTable> table, size_t count,
    const environment::EpisodeRules& rules, bool strict, Autoreset autoreset) {
  if (count == 0) return input_error("a batch has at least one environment");
  if (rules.max_steps == 0) return input_error("an episode has at least one step");
  if (Status s = environment::fits(*table, rules); !s) return s.error();
  std::shared_ptr<TransformBatch> out(
      new TransformBatch(std::move(table), rules, strict, autoreset));
  out->slots_.resize(count);
  for (size_t k = 0; k < count; ++k) {
    out->environments_.push_back(
        std::make_unique<environment::TableEnvironment>(*out->table_, rules));
    out->slots_[k].draws = k;
    out->slots_[k].seen.resize(out->inputs());
  }
  return out;
}

Status TransformBatch::begin(size_t k, std::optional<size_t> kernel, std::span<float> seen) {
  Slot& slot = slots_[k];
  if (!kernel) {
    Draws draws(slot.draws);
    slot.draws = draws.bits();
    kernel = draws.below(table_->kernels.size());
  }
  const auto observed = environments_[k]->reset(kernel, 0);
  if (!observed) return observed.error();
  std::copy(observed->input.begin(), observed->input.end(), slot.seen.begin());
  std::copy(slot.seen.begin(), slot.seen.end(), seen.begin());
  slot.kernel = *kernel;
  slot.mask = observed->mask;
  slot.calls = 0;
  slot.phase = Phase::kRunning;
  return Ok{};
}

Status TransformBatch::reset(std::span<const size_t> which,
                             std::span<const std::optional<uint64_t>> seeds,
                             std::span<const std::optional<size_t>> kernels,
                             std::span<float> seen) {
  const std::scoped_lock lock(busy_);
  for (size_t i = 0; i < which.size(); ++i) {
    if (seeds[i]) slots_[which[i]].draws = *seeds[i];
    if (Status s = begin(which[i], kernels.empty() ? std::nullopt : kernels[i],
                         seen.subspan(i * inputs(), inputs()));
        !s)
      return s;
  }
  return Ok{};
}

Status TransformBatch::step(std::span<const int64_t> actions, const Out& out) {
  const std::scoped_lock lock(busy_);
  for (size_t k = 0; k < count(); ++k) {
    const Slot& slot = slots_[k];
    if (slot.phase == Phase::kNotBegun ||
        (slot.phase == Phase::kOver && autoreset_ != Autoreset::kNextStep))
      return input_error(fmt::format("environment {}: step before reset", k));
    if (slot.phase == Phase::kOver) continue;
    if (actions[k] < 0 || actions[k] >= static_cast<int64_t>(outputs()))
      return input_error(fmt::format("environment {}: there is no action {}: there are {}", k,
                                     actions[k], outputs()));
    if (strict_ && (slot.mask >> actions[k] & 1) == 0)
      return input_error(fmt::format("environment {}: action {} is closed here", k, actions[k]));
  }
  const size_t width = inputs();
  for (size_t k = 0; k < count(); ++k) {
    Slot& slot = slots_[k];
    const std::span<float> seen = out.seen.subspan(k * width, width);
    out.reward[k] = 0;
    out.terminated[k] = out.truncated[k] = out.closed[k] = false;
    if (slot.phase == Phase::kOver) {
      if (Status s = begin(k, std::nullopt, seen); !s) return s;
      continue;
    }
    ++slot.calls;
    out.closed[k] = (slot.mask >> actions[k] & 1) == 0;
    if (out.closed[k]) {
      out.truncated[k] = slot.calls >= kMostCalls * rules_.max_steps;
    } else {
      const auto made = environments_[k]->step(static_cast<size_t>(actions[k]));
      if (!made) return made.error();
      std::copy(made->observation.input.begin(), made->observation.input.end(), slot.seen.begin());
      slot.mask = made->observation.mask;
      out.reward[k] = made->reward;
      out.terminated[k] = made->done;
    }
    std::copy(slot.seen.begin(), slot.seen.end(), seen.begin());
    if (!out.terminated[k] && !out.truncated[k]) continue;
    slot.phase = Phase::kOver;
    if (autoreset_ != Autoreset::kSameStep) continue;
    std::copy(slot.seen.begin(), slot.seen.end(),
              out.last.begin() + static_cast<ptrdiff_t>(k * width));
    if (Status s = begin(k, std::nullopt, seen); !s) return s;
  }
  return Ok{};
}

}  // namespace pitot::python
