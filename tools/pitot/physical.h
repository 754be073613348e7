// ptxas' answers as the counts that diff and gate compare.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gate/gate.h"
#include "inspect_kernel.h"
#include "toolchain/ptxas_report.h"

namespace pitot::cli {

// registers, spills (stores and loads, bytes), spill_stores, spill_loads, stack, local, shared,
// barriers; those that ptxas printed.
gate::Counts physical_counts(const toolchain::PtxasFunction& f);

// Assembles for each target and gives every kernel its resources and advisories; a target that
// rejects the module leaves a note in `problems`.
void fill_states(const ptx::Module& m, const std::vector<ptx::Target>& targets, Ptxas& ptxas,
                 std::vector<gate::KernelState>& states, std::vector<std::string>& problems);
void fill_diff(const ptx::Module& a, const ptx::Module& b, const std::vector<ptx::Target>& targets,
               Ptxas& ptxas, gate::DiffResult& diff, std::vector<std::string>& problems);

// The targets named, else the module's own; an error names the one that is none.
Result<std::vector<ptx::Target>> parse_targets(const std::vector<std::string>& names);

}  // namespace pitot::cli
