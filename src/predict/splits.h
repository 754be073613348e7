// Which rows a model may learn from and which it is judged by. All of one variant (its sizes) stay
// on the same side where families are split, so that a size does not give away another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "predict/dataset.h"

namespace pitot::predict {

// Rows by number, of measured variants; `shots` are those of `train` that belong to the family that
// is judged.
struct Split {
  std::string name;  // "fold 1 of 5", "family gemm", "5 of gemm"
  std::vector<size_t> train, test, shots;
};

// k folds: the variants of every family are dealt out at random. k is at least 2.
std::vector<Split> folds_within_families(const Dataset& data, unsigned k, uint64_t seed);
// A split a family: none of its rows in `train`.
std::vector<Split> leave_one_family_out(const Dataset& data);
// The same with `shots` variants of the family drawn at random into `train`; they are not judged.
std::vector<Split> few_shot(const Dataset& data, unsigned shots, uint64_t seed);
// A split a target architecture ("sm_90"): none of its rows in `train`.
std::vector<Split> leave_one_target_out(const Dataset& data);
// One split: `families` are judged, the rest is learned from.
Split families_apart(const Dataset& data, const std::vector<std::string>& families);

}  // namespace pitot::predict
