// From another tuner's configurations to variants: a template for its kernel, and its list of
// configurations in place of a grid.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "support/result.h"
#include "variants/grid.h"
#include "variants/import_result.h"
#include "variants/manifest_result.h"

namespace pitot::variants {

struct TunedKernel {
  std::string source;  // as the template is to name it
  std::string entry;   // empty: the file's kernel name
  std::string target;  // "sm_86"; empty: the template names none
  std::vector<std::string> options;
  // What the problem size is divided by, rounding up, as expressions of the parameters; empty:
  // block_size_x (y, z), or 1 where that is no parameter.
  std::array<std::string, 3> grid_divisors;
};

// A template as Kernel Tuner would compile the kernel: parameters, grid_size_…, block_size_… and
// kernel_tuner as macros; a block of block_size_x (else 256), block_size_y, block_size_z (else 1)
// threads. It has no arguments, which the file does not have either. `from` names the file in its
// first line.
std::string tuned_template(const TunerResult& tuned, const std::string& family,
                           const TunedKernel& kernel);

// The configurations of the file, its parameters replacing the template's. Errors: a parameter of
// the template with several values that the file does not have, names that are no identifiers.
Result<std::vector<Configuration>> tuned_configurations(const TunerResult& tuned, Template& t,
                                                        Diagnostics& out);

// Files of one kernel together, with a target each: the device's, where the GPU table has it.
// Errors: parameters that differ between files.
Result<ImportResult> join(std::vector<TunerResult> files, const std::string& family);

// The first file with the configurations of all of them, each once: what there is to compile.
TunerResult together(const ImportResult& joined);

// Fills in what was compiled, by the parameters' values and the target of the row's file.
void add_compiled(const ManifestResult& manifest, ImportResult& result);

}  // namespace pitot::variants
