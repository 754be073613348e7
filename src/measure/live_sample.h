// One quick timing of a kernel that stays loaded, in plain data.
#pragma once

#include <optional>
#include <string>

#include "measure/measure_result.h"

namespace pitot::measure {

struct LiveSample {
  double ms = 0;        // of a launch, the mean of one batch
  std::string failure;  // why there is no time; ms means nothing then
  bool lost = false;    // the GPU's context went with the failure
  bool ok() const { return failure.empty(); }
  // By NVML, at most LiveKernels::kStateSeconds old; nothing where there is no NVML.
  std::optional<Telemetry> state;
};

}  // namespace pitot::measure
