// The kernel spec of one variant: what its template says, with the parameters' values put in.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device/spec.h"
#include "variants/grid.h"

namespace pitot::variants {

// What a compiler said of the launch (Triton does), for templates that leave it out.
struct LaunchFacts {
  std::optional<uint32_t> threads;  // of a block
  std::optional<uint64_t> shared;   // dynamic, bytes
  // Parameters of the compiled kernel. Those beyond the template's arguments are pointers to
  // scratch memory that a launch without any leaves null.
  std::optional<size_t> parameters;
};

struct VariantSpec {
  device::KernelSpec spec;  // its path and lines are the template's; without ptx and entry
  std::string text;         // of the spec's file, but for schema, ptx and entry
};

// Complaints are located in the template and name the values; the spec is meaningless when there
// were errors. Values are put into every expression, and for ${NAME} into every other string. A
// size may be an expression of the parameters. An oracle's file is named as seen from `directory`,
// where the spec will be.
VariantSpec spec_of(const Template& t, const Configuration& c, const LaunchFacts& facts,
                    const std::string& directory, Diagnostics& out);

// What a CUDA source is compiled with: the parameters, then the template's [defines], computed at
// the spec's first size. Complaints are located in the template.
using Macros = std::vector<std::pair<std::string, std::string>>;
Macros macros_of(const Template& t, const Configuration& c, const device::KernelSpec& spec,
                 Diagnostics& out);

// The whole file.
std::string spec_text(const VariantSpec& spec, const std::string& title, const std::string& ptx,
                      const std::string& entry);

}  // namespace pitot::variants
