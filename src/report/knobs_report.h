// Sweeps over knobs: a table for people, and the provenance that lies beside their CSV.
#pragma once

#include <string>

#include "knobs/sweep_result.h"
#include "report/diagnostic_text.h"

namespace pitot::report {

// For each kernel and size: how many configurations ran, the default, the fastest, the slowest.
std::string sweep_text(const knobs::SweepResult& sweep, const TextStyle& style);

// pitot.knobs-sweep/1: where the rows come from, and why rows without times did not run.
std::string sweep_provenance_json(const knobs::SweepResult& sweep,
                                  const knobs::SweepProvenance& provenance);

}  // namespace pitot::report
