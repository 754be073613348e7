// What the graph encoder says of measured variants, for each way of splitting them by an encoder
// that has learned from the split's training rows only: extra columns of the ranker.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "learn/graph_trainer.h"
#include "predict/dataset.h"

namespace pitot::learn {

// By family and variant.
using VariantGraphs = std::map<std::pair<std::string, std::string>, knobs::ControlGraph>;

struct GraphColumnsOptions {
  GraphTrainingOptions training;
  unsigned folds = 5;  // 0: none
  bool by_family = true;
  uint64_t split_seed = 1;                        // of the folds, as `pitot train` has it
  std::function<void(const std::string&)> begun;  // told of each part before it is made
};

// A CSV as predict::add_extra() reads it: a part for each fold, for each family left out, and for
// "all rows" (the encoder of a finished model); in each every measured variant with 69 numbers.
// The label is log(time / analytic score), which a row needs. Errors (kInput): a measured variant
// without a graph, nothing to learn from.
Result<std::string> graph_columns(const predict::Dataset& data, const VariantGraphs& graphs,
                                  const GraphColumnsOptions& options);
// How many parts there will be.
size_t graph_parts(const predict::Dataset& data, const GraphColumnsOptions& options);

}  // namespace pitot::learn
