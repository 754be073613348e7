// The configurations of knob templates, compiled: which spec has which settings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli.h"
#include "variants/manifest_result.h"

namespace pitot::cli {

struct KnobVariant {
  std::string spec;     // path; empty: it could not be made
  std::string failure;  // why not
  std::string kernel;   // its name: "gemm"
  std::vector<int64_t> settings;
  uint32_t registers = 0;  // a thread, as estimated; 0: not known
};

struct KnobVariants {
  std::vector<std::string> knobs;  // "block_size", "reg_cap", "unroll"
  std::vector<KnobVariant> list;
  std::vector<variants::ManifestResult> manifests;  // one a template
};

// Compiles each template into DIRECTORY/FAMILY (what is there already is kept) and lists its
// variants; in the place of a template the folder of variants that were made before, which wants no
// compiler. BLOCK and CAP are block_size and reg_cap; other parameters with more than one value
// are knobs of their own, in small letters, and must be the same in all templates. Errors are
// printed; nothing comes back then.
std::optional<KnobVariants> make_knob_variants(const std::vector<std::string>& templates,
                                               const std::string& directory, Options& options);

}  // namespace pitot::cli
