// The texts of a search as candidates of features and models.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "candidates.h"
#include "search/cost.h"

namespace pitot::cli {

// Bytes of estimated spill stores a thread that are within the estimate's error.
inline constexpr double kSpillsForgiven = 16;

struct ProgramCandidates {
  std::vector<Candidate> candidates;
  std::vector<size_t> places;  // of each, among the texts
};
// `original` with each text in place of its module. A text that does not parse gets its failure in
// `values`.
ProgramCandidates program_candidates(const Candidate& original,
                                     std::span<const std::string_view> texts,
                                     std::vector<search::CostValue>& values);

// Bytes of estimated spills a thread.
double spills_of(const CandidateRow& row);
// Why a program has no modelled cost: no row, no launch, more spills than the original's `spills`,
// which a model does not count. Empty: it may have one.
std::string why_no_model(const Candidate& candidate, const CandidateRow& row, const arch::Gpu& gpu,
                         double spills);

}  // namespace pitot::cli
