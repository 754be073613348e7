// Launches of PTX without a kernel spec: a table of them, or what Triton writes beside its PTX.
#pragma once

#include <string>
#include <vector>

#include "predict/row_features.h"
#include "support/diagnostic.h"
#include "support/result.h"
#include "support/source.h"

namespace pitot::predict {

struct ListedLaunch {
  std::string kernel;  // path of the PTX, as written
  std::string entry;   // kernel in it; empty: the only one
  BareLaunch launch;
};

// CSV with the columns kernel, grid_x, grid_y, block_x, block_y, size, and if one likes grid_z,
// block_z, dynamic_shared, entry; an empty extent is 1. Complaints are located; a line with one is
// left out.
std::vector<ListedLaunch> read_launches(const SourceText& source, Diagnostics& out);

// Block and shared memory from Triton's JSON: num_warps, shared, and the clusters' dimensions where
// they are given. The grid is not in it. Errors (kInput): no JSON, no num_warps.
Result<BareLaunch> read_triton_launch(std::string_view json);

}  // namespace pitot::predict
