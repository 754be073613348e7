// The columns that come from a profile of sampled blocks.
#pragma once

#include "predict/row_features.h"
#include "profile/profile_result.h"

namespace pitot::predict {

// `inferred`: the arguments were guessed. A profile with faults sets nothing.
void set_emulated_columns(const profile::ProfileResult& profile, bool inferred, FeatureRow& row);

}  // namespace pitot::predict
