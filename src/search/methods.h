// The ways to search. Each begins at the original, whose cost is known, and ends when it has
// nothing new or the budget is spent.
#pragma once

#include "search/judged.h"

namespace pitot::search {

Status search_random(const State& original, const SearchOptions& options, Space& space,
                     Judged& judged);
Status search_greedy(const State& original, const SearchOptions& options, Space& space,
                     Judged& judged);
Status search_beam(const State& original, const SearchOptions& options, Space& space,
                   Judged& judged);
Status search_exhaustive(const State& original, const SearchOptions& options, Space& space,
                         Judged& judged);

}  // namespace pitot::search
