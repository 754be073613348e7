// Readings by measuring: every step of an environment times its configuration anew on a GPU.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "knobs/readings.h"
#include "measure/meter.h"

namespace pitot::knobs {

// What is timed: a configuration in a case, and which of the meter's subjects it is.
struct LivePlace {
  Case at;
  std::vector<int64_t> settings;
  size_t subject = 0;
};

class LiveReadings : public Readings {
 public:
  // `knobs`: their names. The space has every value that a knob takes in any place; cases are in
  // the order of the places. `memory_bytes`: of the GPU, 0: not known. Errors (kInput): no places.
  static Result<LiveReadings> make(std::unique_ptr<measure::Meter> meter,
                                   const std::vector<std::string>& knobs,
                                   const std::vector<LivePlace>& places, uint64_t memory_bytes);

  const Space& space() const override { return space_; }
  const std::vector<Case>& cases() const override { return cases_; }
  // One batch. What did not run once is not tried again. Errors: the GPU was lost `kMostLost` times
  // in a row.
  Result<Reading> read(size_t number, size_t configuration) override;
  bool may_run(size_t number, size_t configuration) const override;
  static constexpr int kMostLost = 5;

  // Configurations that were read at least once.
  size_t loaded() const { return seen_.size(); }
  // Loads everything: what does not run is known from then on. `step` is called after each.
  Status load_all(const std::function<void()>& step = [] {});
  size_t places() const { return subjects_.size(); }

 private:
  LiveReadings() = default;

  std::unique_ptr<measure::Meter> meter_;
  uint64_t memory_bytes_ = 0;
  Space space_;
  std::vector<Case> cases_;
  std::map<std::pair<size_t, size_t>, size_t> subjects_;  // by case and configuration
  std::map<std::pair<size_t, size_t>, std::string> failures_;
  std::set<std::pair<size_t, size_t>> seen_;
  int lost_ = 0;
};

}  // namespace pitot::knobs
