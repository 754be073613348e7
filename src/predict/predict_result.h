// Predictions and rankings in plain data: for reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pitot::predict {

// One kernel in one launch. Times in microseconds; NaN where nothing can be said.
struct PredictedKernel {
  std::string path;    // of the spec or the PTX
  std::string kernel;  // its name in the PTX
  std::string size;    // of the launch: "n=4096 k=64"
  std::string target, compiler, gpu;
  double value = 0, lo = 0, hi = 0;  // with its interval; of a target other than time, its unit
  double score = 0;                  // lower is faster
  double analytic_us = 0;            // untrained
  bool emulated = false;             // executed counts went in
  bool ood = false;                  // unlike what the model learned from
  std::string nearest;               // family that it is most like
  double distance = 0;               // from it, in its deviations
  std::string launchable;            // yes, no, unsure
  std::string launch_problem;
  std::vector<std::string> notes;
  std::optional<bool> uncertain;  // in a ranking: its order with the last of the top is doubted;
                                  // none: nobody can say
};

// What was asked, and of which model.
struct PredictionSource {
  std::string model;   // path, "default" or "none"
  std::string recipe;  // "untrained" without a model
  std::string target = "time";
  std::string unit = "µs";
  double coverage = 0;                // of the intervals; 0: there are none
  std::vector<std::string> warnings;  // why it may not fit
};

struct PredictResult {
  PredictionSource source;
  std::vector<PredictedKernel> kernels;
  std::vector<std::string> errors;  // kernels of which nothing can be said, with the reason
};

struct RankResult {
  PredictionSource source;
  size_t top = 0;
  std::vector<PredictedKernel> order;  // fastest first; those that cannot run last
  std::vector<std::string> measure;    // specs or PTX of the top
  std::vector<std::string> errors;
};

}  // namespace pitot::predict
