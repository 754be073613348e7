// Alignment of two sequences of keys: patience anchors, then Myers' difference algorithm between
// them, in near-linear time for sequences that are mostly alike.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace pitot::gate {

using IndexPair = std::pair<uint32_t, uint32_t>;

// Pairs (i, j) with a[i] == b[j], rising in both. Longest where the sequences are alike; stretches
// with more than about `budget` differences get a cheaper alignment. Without anchors it is a
// longest common subsequence within the budget, slower and blind to which of two like elements is
// meant.
std::vector<IndexPair> align(std::span<const uint64_t> a, std::span<const uint64_t> b,
                             uint32_t budget = 2000, bool anchors = true);

// Aligns with the first level's keys, then what lies between the pairs with the next, weaker ones.
// All levels of a side have one key an element.
std::vector<IndexPair> align_levels(std::span<const std::vector<uint64_t>> a,
                                    std::span<const std::vector<uint64_t>> b);

}  // namespace pitot::gate
