// May a model be asked about a kernel? It knows one schema of features, the architectures, GPUs and
// compilers that it learned from, and no others.
#pragma once

#include <string>
#include <vector>

#include "predict/model.h"

namespace pitot::predict {

// What is to be predicted.
struct Subject {
  std::string compiler;  // producer with its version; empty: not known
  std::string target;    // "sm_90a"
  std::string gpu;       // as the GPU table names it
};

enum class Fitness : uint8_t { kFits, kDoubtful, kRefused };

struct FitnessAnswer {
  Fitness fitness = Fitness::kFits;
  std::vector<std::string> reasons;  // a sentence each
};

// Refused: another architecture, another compiler or another major version of it. Doubtful: another
// minor version, another chip of the architecture, a compiler that is not known. An untrained model
// (no trees) fits everything.
FitnessAnswer fitness_of(const ModelOrigin& origin, const Subject& subject);

// "NVIDIA NVVM Compiler" 13.0 of "NVIDIA NVVM Compiler 13.0, V13.0.88"; nvcc and NVRTC are the
// same compiler, for which their producers' comments have one name.
struct CompilerVersion {
  std::string name;
  unsigned major = 0, minor = 0;  // 0.0: not said
};
CompilerVersion compiler_version(std::string_view text);

}  // namespace pitot::predict
