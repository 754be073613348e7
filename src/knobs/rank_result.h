// Where an order by the ranker of kernels comes from: what is written beside its CSV.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pitot::knobs {

struct RankProvenance {
  std::string sweep, sweep_hash, features, features_hash;  // files by name
  std::string model, recipe;
  std::string model_data_hash, data_hash;  // what the model was made from; what it learned again
  std::vector<std::string> families;       // of both
  bool distinct = false;
  uint64_t measured = 0, draws = 0, seed = 0;
  std::string xgboost, tool;  // versions
};

}  // namespace pitot::knobs
