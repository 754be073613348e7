// `.loc … inlined_at F L C` wants a `.loc F L C` in front of it in the text. Which marks others
// rest on.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace pitot::transform {

struct InlinedPlaces {
  std::vector<uint32_t> rests_on;  // mark of the function → the latest one that it names, or kNoId
  std::vector<uint8_t> named;      // mark → some mark of the module names its place

  void build(const ptx::Module& m, const ptx::Function& f);
};

}  // namespace pitot::transform
