// Arguments for a kernel without a spec: its grid and block are given, and what its integers must
// be for that grid to make sense is read from the code.
#pragma once

#include <string>
#include <vector>

#include "analysis/scalar_range.h"
#include "check/infer.h"
#include "device/prepare.h"
#include "predict/row_features.h"

namespace pitot::predict {

struct GuessedArgument {
  check::Parameter parameter;
  uint64_t bits = 0;  // of a scalar
  std::string from;   // "covers the grid in x", "the size", …; empty for what has no value
  bool offsets =
      false;  // of a pointer: what it points to bounds loops, like rows of a sparse matrix
};

struct GuessedArguments {
  std::vector<GuessedArgument> arguments;  // by parameter, references last
  analysis::KnownValues known;             // the integers, block and grid
};

// An integer that the code compares with a thread's place in the grid gets the extent of the grid
// there, or the size where that ends in the last block; others get the size, or the largest such
// extent where the size fits none. Floats are 1.
GuessedArguments guess_arguments(const ptx::Module& module, uint32_t kernel,
                                 const BareLaunch& launch);

// What data that is used as an index holds.
enum class IndexData : uint8_t {
  kSized,  // anything below the size
  kSmall,  // below 32
};

// Every pointer gets a region of its own whose pages come to be when they are touched, as `check`
// does. Errors: a launch that no GPU of the target takes.
Result<device::PreparedRun> prepare_bare(const emulator::Program& program, uint32_t kernel,
                                         const BareLaunch& launch,
                                         const GuessedArguments& arguments, IndexData indices,
                                         uint64_t seed);

}  // namespace pitot::predict
