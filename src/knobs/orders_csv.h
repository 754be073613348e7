// Orders of measuring as a CSV that `knobs compare --orders` reads.
#pragma once

#include <string>
#include <vector>

#include "knobs/trained_policy.h"

namespace pitot::knobs {

struct SeededOrder {
  Case at;
  uint64_t seed = 0;
  std::vector<size_t> configurations;
};

// kernel, matrix_size, seed, rank (from 0), a column a knob.
std::string orders_csv(const Space& space, const std::vector<SeededOrder>& orders);

// Every configuration that the table has, in each case, by falling probability after the default
// was observed; which is the policy's first choice, then the next likeliest. Errors: fits(), the
// environment's.
Result<std::vector<SeededOrder>> orders_of(const TrainedPolicy& policy, const Table& table);

}  // namespace pitot::knobs
