// Compares two modules kernel by kernel.
#pragma once

#include <functional>

#include "gate/diff_result.h"
#include "ptx/module.h"

namespace pitot::gate {

struct DiffOptions {
  unsigned workers = 1;  // kernels compared at once; 0: every core
};

// Both modules should parse without errors; what did not parse is compared as it stands, and
// unknown instructions order everything. Deterministic for any number of workers.
DiffResult diff_modules(const ptx::Module& a, const ptx::Module& b,
                        const DiffOptions& options = {});

// Counts of one kernel: mode pitot (every static feature by its column name) and mode compat.
Counts pitot_counts(const ptx::Module& m, const ptx::Function& f);
Counts compat_counts(const ptx::Module& m, const ptx::Function& f);

}  // namespace pitot::gate
