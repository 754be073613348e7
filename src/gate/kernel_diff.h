// Compares two kernels with the functions and variables that they use, and classifies the change.
#pragma once

#include <memory>
#include <unordered_map>

#include "gate/diff_result.h"
#include "gate/side.h"

namespace pitot::gate {

// A module with the sides of its functions, made when first asked for. Not for several threads.
class ModuleSides {
 public:
  explicit ModuleSides(const ptx::Module& module) : module_(module), operations_(module) {}
  const ptx::Module& module() const { return module_; }
  const Side& side(const ptx::Function& f);

 private:
  const ptx::Module& module_;
  Operations operations_;
  std::unordered_map<const ptx::Function*, std::unique_ptr<Side>> sides_;
};

// Fills class, changes, notes and excerpt; names and counts are the caller's.
void diff_kernels(ModuleSides& a, const ptx::Function& fa, ModuleSides& b, const ptx::Function& fb,
                  KernelDiff& out);

}  // namespace pitot::gate
