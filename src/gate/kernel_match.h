// Pairs the kernels of two modules: by name, by normalised name, by structure.
#pragma once

#include <string>
#include <vector>

#include "ptx/module.h"

namespace pitot::gate {

struct KernelPair {
  const ptx::Function* a = nullptr;  // null: only B has it
  const ptx::Function* b = nullptr;  // null: only A has it
  std::string matched_by;            // "name", "normalised name", "structure", "only kernel", ""
};

// The functions that stand for themselves: entries, and functions that no entry of the module
// calls.
std::vector<const ptx::Function*> kernels_of(const ptx::Module& m);

// In the order of B, then what only A has. A last pair left on both sides of modules with one
// kernel each is matched whatever it looks like, since the caller set the two against each other.
std::vector<KernelPair> match_kernels(const ptx::Module& a, const ptx::Module& b);

}  // namespace pitot::gate
