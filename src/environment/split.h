// Which kernels a policy learns from and which it is judged by.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "environment/recorded_table.h"
#include "support/result.h"

namespace pitot::environment {

// The table's kernels without those that are held out, by number. Errors (kInput): a name that the
// table has not; nothing left.
Result<std::vector<size_t>> kernels_without(const RecordedTable& table,
                                            const std::vector<std::string>& held_out);

// Names of the kernels that each of k folds holds out: dealt out in the order of a seeded shuffle
// of the sorted names, so each is held out once. 2 ≤ k ≤ kernels, else an error.
Result<std::vector<std::vector<std::string>>> folds_of(const RecordedTable& table, unsigned k,
                                                       uint64_t seed);

}  // namespace pitot::environment
