// Configurations of knobs measured live on a GPU, for `knobs rollout`.
#pragma once

#include <optional>

#include "knobs/live_readings.h"
#include "knobs_rollout.h"

namespace pitot::cli {

// The templates' configurations at the wanted sizes; with `preload` all of them loaded. Errors are
// printed; nothing comes back then.
std::optional<knobs::LiveReadings> live_readings(const RolloutArguments& args, Options& options);

}  // namespace pitot::cli
