// Environments of compile knobs over one recorded sweep, reset and stepped together.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "knobs/environment.h"

namespace pitot::python {

// A sweep (phase0_baseline.csv, phase1_result.csv) as readings. Errors (kInput): with the place of
// the first complaint.
Result<std::shared_ptr<knobs::TableReadings>> read_sweep_file(const std::string& path);

// How environments of a batch go on after an episode's last step, in Gymnasium's terms.
enum class Autoreset : uint8_t {
  kNextStep,  // the next step resets: its action is ignored, its reward 0
  kSameStep,  // the last step resets; what was seen before that is in `last`
  kDisabled,  // they are reset from outside
};

class KnobBatch {
 public:
  // Where a step's results are written, a row an environment.
  struct Out {
    std::span<float> seen, last;  // count × observation_size(); last: of kSameStep
    std::span<double> reward, ms, baseline_ms, speedup;  // ms is NaN where it does not run
    std::span<bool> truncated;
  };

  // Errors (kInput): options that the readings do not fit.
  static Result<std::shared_ptr<KnobBatch>> make(std::shared_ptr<knobs::TableReadings> readings,
                                                 size_t count, knobs::EnvironmentOptions options,
                                                 Autoreset autoreset);

  size_t count() const { return environments_.size(); }
  size_t observation_size() const { return environments_.front().observation_size(); }
  const knobs::Space& space() const { return readings_->space(); }
  const std::vector<knobs::Case>& cases() const { return readings_->cases(); }
  size_t number(size_t k) const { return environments_[k].number(); }  // of the case
  // For each value of each knob whether any configuration with it ran in the case.
  const std::vector<bool>& mask(size_t k) const { return masks_[environments_[k].number()]; }

  // The environments `which` begin an episode: with a seed a stream of episodes anew, without one
  // its next; `cases`: a number each, or empty. Errors (kInput): no such case; a baseline that does
  // not run.
  Status reset(std::span<const size_t> which, std::span<const std::optional<uint64_t>> seeds,
               std::span<const std::optional<size_t>> cases, std::span<float> seen);
  // `choices`: count × knobs. All are looked at before any environment moves. Errors (kInput): a
  // choice out of range, an episode that is over (kDisabled) or was not begun.
  Status step(std::span<const int64_t> choices, const Out& out);

 private:
  KnobBatch(std::shared_ptr<knobs::TableReadings> readings, Autoreset autoreset)
      : readings_(std::move(readings)), autoreset_(autoreset) {}

  std::shared_ptr<knobs::TableReadings> readings_;
  Autoreset autoreset_;
  std::vector<knobs::Environment> environments_;
  std::vector<std::vector<bool>> masks_;  // by case
  enum class Phase : uint8_t { kNotBegun, kRunning, kOver };
  std::vector<Phase> phases_;
  std::mutex busy_;  // Python's own lock is not held while a batch works
};

}  // namespace pitot::python
