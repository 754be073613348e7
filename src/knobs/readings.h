// Where an environment's times come from: a recorded table, a GPU or a model, behind one interface.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "knobs/table.h"

namespace pitot::knobs {

// GPU and memory utilisation, memory used, temperature over 100 °C; each within 0…1.
inline constexpr size_t kStates = 4;
inline constexpr std::array<const char*, kStates> kStateNames = {"gpu_util", "mem_util", "mem_used",
                                                                 "temp"};

struct Reading {
  double ms = 0;        // of a launch
  std::string failure;  // why it does not run; ms means nothing then
  SweepCounters counters;
  std::optional<std::array<double, kStates>> states;  // by NVML; nothing where there is none
  bool ok() const { return failure.empty(); }
};

class Readings {
 public:
  virtual ~Readings() = default;
  virtual const Space& space() const = 0;
  virtual const std::vector<Case>& cases() const = 0;
  // What the configuration takes in case `number`. A configuration that does not run is a reading
  // with its reason; an error says that nothing can be read any more.
  virtual Result<Reading> read(size_t number, size_t configuration) = 0;
  // Whether anybody could tell before trying that it runs. `true` where that is not known.
  virtual bool may_run(size_t number, size_t configuration) const = 0;
};

// Replays a table: the mean time of each row and its counters.
class TableReadings : public Readings {
 public:
  explicit TableReadings(Table table) : table_(std::move(table)) {}
  const Space& space() const override { return table_.space(); }
  const std::vector<Case>& cases() const override { return table_.cases(); }
  Result<Reading> read(size_t number, size_t configuration) override;
  bool may_run(size_t number, size_t configuration) const override;
  const Table& table() const { return table_; }

 private:
  Table table_;
};

}  // namespace pitot::knobs
