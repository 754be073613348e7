// The ways to search. Each begins at the original, whose cost is known, and ends when it has
// nothing new or the budget is spent.
#pragma once

#include "search/judged.h"

namespace pitot::search {

Status search_random(const State& original, const SearchOptions& options, ProgramGraph& graph,
                     Judged& judged);
Status search_greedy(const State& original, const SearchOptions& options, ProgramGraph& graph,
                     Judged& judged);
Status search_beam(const State& original, const SearchOptions& options, ProgramGraph& graph,
                   Judged& judged);
Status search_exhaustive(const State& original, const SearchOptions& options, ProgramGraph& graph,
                         Judged& judged);
// The one that the options name.
Status run_method(const State& original, const SearchOptions& options, ProgramGraph& graph,
                  Judged& judged);

}  // namespace pitot::search
