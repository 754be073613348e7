// The counts of a kernel or of a change as JSON, by name.
#pragma once

#include "gate/diff_result.h"
#include "report/json.h"

namespace pitot::report {

inline Json counts_json(const gate::Counts& counts) {
  Json j = Json::object();
  for (const auto& [name, value] : counts.items) j[name] = number_json(value);
  return j;
}

}  // namespace pitot::report
