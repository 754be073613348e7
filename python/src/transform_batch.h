// Environments of choosing transforms over one recorded table, reset and stepped together.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "environment/table_environment.h"
#include "knob_batch.h"

namespace pitot::python {

// Errors (kInput): no table in the file.
Result<std::shared_ptr<environment::RecordedTable>> read_table_file(const std::string& path);

class TransformBatch {
 public:
  struct Out {
    std::span<float> seen, last;  // count × inputs; last: of Autoreset::kSameStep
    std::span<double> reward;
    std::span<bool> terminated, truncated, closed;  // closed: the action was not open
  };

  // With `strict` a closed action is an error; else nothing happens, and an episode of
  // kMostCalls × max_steps calls is truncated. Errors (kInput): rules that the table does not fit.
  static Result<std::shared_ptr<TransformBatch>> make(
      std::shared_ptr<environment::RecordedTable> table, size_t count,
      const environment::EpisodeRules& rules, bool strict, Autoreset autoreset);
  static constexpr uint32_t kMostCalls = 4;

  size_t count() const { return environments_.size(); }
  size_t inputs() const { return search::inputs_of(rules_.kind); }
  size_t outputs() const { return search::outputs_of(rules_.kind); }
  const environment::RecordedTable& table() const { return *table_; }
  size_t kernel(size_t k) const { return slots_[k].kernel; }
  search::ActionSet mask(size_t k) const { return slots_[k].mask; }  // bits by output

  // As of KnobBatch; an environment without a seed goes on with its own draws. `kernels`: a number
  // each, or empty.
  Status reset(std::span<const size_t> which, std::span<const std::optional<uint64_t>> seeds,
               std::span<const std::optional<size_t>> kernels, std::span<float> seen);
  // All actions are looked at before any environment moves. Errors (kInput): an action out of
  // range, with `strict` one that is closed; an episode that is over or was not begun.
  Status step(std::span<const int64_t> actions, const Out& out);

 private:
  TransformBatch(std::shared_ptr<environment::RecordedTable> table,
                 const environment::EpisodeRules& rules, bool strict, Autoreset autoreset)
      : table_(std::move(table)), rules_(rules), strict_(strict), autoreset_(autoreset) {}
  Status begin(size_t k, std::optional<size_t> kernel, std::span<float> seen);

  std::shared_ptr<environment::RecordedTable> table_;
  environment::EpisodeRules rules_;
  bool strict_;
  Autoreset autoreset_;
  std::vector<std::unique_ptr<environment::TableEnvironment>> environments_;
  enum class Phase : uint8_t { kNotBegun, kRunning, kOver };
  struct Slot {
    Phase phase = Phase::kNotBegun;
    uint64_t draws = 0;  // SplitMix64's state
    size_t kernel = 0;
    search::ActionSet mask = 0;
    uint32_t calls = 0;  // of the episode
    std::vector<float> seen;
  };
  std::vector<Slot> slots_;
  std::mutex busy_;
};

}  // namespace pitot::python
