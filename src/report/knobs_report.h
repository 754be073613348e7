// Sweeps over knobs: a table for people, and the provenance that lies beside their CSV.
#pragma once

#include <string>

#include "knobs/comparison_result.h"
#include "knobs/rank_result.h"
#include "knobs/sweep_result.h"
#include "report/diagnostic_text.h"

namespace pitot::report {

// For each kernel and size: how many configurations ran, the default, the fastest, the slowest.
std::string sweep_text(const knobs::SweepResult& sweep, const TextStyle& style);

// pitot.knobs-sweep/1: where the rows come from, and why rows without times did not run.
std::string sweep_provenance_json(const knobs::SweepResult& sweep,
                                  const knobs::SweepProvenance& provenance);

// pitot.knobs-rank/1
std::string rank_provenance_json(const knobs::RankProvenance& provenance);

// A row a budget and method: regret with its interval, speedup, the worst case, the difference from
// random search.
std::string comparison_text(const knobs::ComparisonResult& result, const TextStyle& style);
// pitot.knobs-compare/1
std::string comparison_json(const knobs::ComparisonResult& result);

}  // namespace pitot::report
