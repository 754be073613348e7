#include "knobs/readings.h"

namespace pitot::knobs {

Result<Reading> TableReadings::read(size_t number, size_t configuration) {
  const SweepRow* row = table_.row(number, configuration);
  Reading out;
  if (row == nullptr) {
    out.failure = "the table does not have it";
    return out;
  }
  out.ms = row->mean_ms;
  out.failure = row->failure;
  out.counters = row->counters.value_or(SweepCounters{false, "the table has no counters", "", {}});
  return out;
}

bool TableReadings::may_run(size_t number, size_t configuration) const {
  const SweepRow* row = table_.row(number, configuration);
  return row != nullptr && row->ok();
}

}  // namespace pitot::knobs
