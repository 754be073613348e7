// A directory of compiled variants with its manifest, for the verbs that make one.
#pragma once

#include <vector>

#include "cli.h"
#include "variants/build.h"

namespace pitot::cli {

struct ChosenGrid {
  variants::Template from;
  std::vector<variants::Configuration> list;
  std::vector<bool> chosen;
};

// Compiles what is chosen into how.directory (made if need be), with progress, and joins the
// manifest there with what is new; complaints about the template are printed. `ptxas`: registers
// are asked of it where there is one. Errors: as build's; a directory with the variants of another
// family.
Result<variants::ManifestResult> make_variants(const ChosenGrid& grid, variants::BuildOptions how,
                                               bool ptxas, Options& options);

}  // namespace pitot::cli
