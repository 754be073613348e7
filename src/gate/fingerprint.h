// States of a module's kernels: fingerprints that survive renaming, counts, opcodes.
#pragma once

#include <vector>

#include "gate/kernel_diff.h"
#include "gate/state.h"

namespace pitot::gate {

Fingerprint fingerprint(ModuleSides& sides, const ptx::Function& kernel);

// One state a kernel, in the order of the module; `ptxas` is left empty.
std::vector<KernelState> states_of(const ptx::Module& module);

// The class that two fingerprints allow to state; they cannot show less than the truth but for a
// collision of 128-bit hashes. Legality of a reordering is in the hash: memory and barrier epochs
// are part of it.
ChangeClass class_by_hash(const Fingerprint& before, const Fingerprint& after);

}  // namespace pitot::gate
