// The search for transforms as a generator: what a model has to beat.
#pragma once

#include "bench/generator.h"
#include "bench/judge.h"
#include "search/policy_file.h"
#include "search/search.h"

namespace pitot::bench {

struct SearchSettings {
  search::Method method = search::Method::kGreedy;
  uint64_t budget = 60;  // programs that the clock is asked about, a round
  uint32_t max_steps = 6;
};

// Proposes the best programs by the clock, the best first. With `clock` of the judge, it is judged
// by what it was chosen by: on a model, of how well it searches; on a GPU by measurements.
std::unique_ptr<Generator> search_generator(Clock clock, const SearchSettings& settings);
// The most probable programs of a trained policy, without a clock.
std::unique_ptr<Generator> policy_generator(search::Policy policy, const std::string& name);

}  // namespace pitot::bench
