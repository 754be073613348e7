// Searches over a recorded table, each as the order in which it would measure configurations.
#pragma once

#include <cstdint>
#include <vector>

#include "knobs/table.h"

namespace pitot::knobs {

// Every configuration that the table has in a case, once, in random order; those that do not run
// among them, as nobody knows before.
std::vector<size_t> random_order(const Table& table, size_t number, uint64_t seed);

// Coordinate descent: from `start` all values of one knob, the best of them kept, knob after knob
// in random order, until a round changes nothing; then again from a random configuration, until all
// have been measured.
std::vector<size_t> greedy_order(const Table& table, size_t number, size_t start, uint64_t seed);

// By the times of another table (a model's), fastest first; what that one does not have or does not
// run comes last. Configurations are matched by kernel, size and settings.
std::vector<size_t> predicted_order(const Table& table, size_t number, const Table& predicted);

}  // namespace pitot::knobs
