// The untrained score: how long a launch takes by the GPU table and what the kernel does, in
// microseconds. docs/predict-features.md has the formulae and where their figures come from.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "predict/feature_set.h"

namespace pitot::predict {

// What one resource needs for the launch.
struct ScoreTerm {
  std::string_view resource;  // "issue", "dram", …
  double cycles = 0;
};

struct AnalyticScore {
  double us = 0;                 // modelled time; more is slower
  bool emulated = false;         // of executed counts; else of the PTX alone
  std::vector<ScoreTerm> terms;  // longest first
};

// `row`: kColumnCount values by feature_columns(); the GPU's figures are in it. From the emulated
// columns where they are, else static_score(). Nothing when the row lacks what even that needs.
std::optional<AnalyticScore> analytic_score(std::span<const double> row);

// From the PTX and the launch alone: loop-weighted instructions × threads over the GPU's rates.
std::optional<AnalyticScore> static_score(std::span<const double> row);

}  // namespace pitot::predict
