// A timing as a row of a sweep.
#pragma once

#include "knobs/sweep_result.h"
#include "measure/measure_result.h"

namespace pitot::knobs {

// The size called `n`; nothing where a launch has none.
std::optional<int64_t> matrix_size(std::string_view size_text);

// `settings` by the sweep's knobs. A record that is not ok is a row that did not run.
SweepRow measured_row(const measure::MeasureRecord& record, std::string kernel,
                      std::vector<int64_t> settings);

}  // namespace pitot::knobs
