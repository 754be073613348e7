// Memory that a kernel declares: shared, local and parameter bytes.
#pragma once

#include <cstdint>

#include "ptx/module.h"

namespace pitot::analysis {

struct MemoryUse {
  uint64_t static_shared =
      0;  // bytes, of variables with a size that the kernel or its callees name
  bool dynamic_shared = false;  // names an `.extern .shared` array without a size
  uint64_t local = 0;           // bytes declared in the function itself
  uint64_t parameters = 0;      // bytes of the parameter space, with alignment
};

// Variables at module scope count where the function, or one it calls by name, refers to them.
MemoryUse memory_use(const ptx::Module& module, const ptx::Function& function);

}  // namespace pitot::analysis
