// An estimate of the physical registers that ptxas will give a kernel, without ptxas.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/flow_facts.h"
#include "analysis/register_inputs.h"
#include "ptx/isa.h"

namespace pitot::analysis {

struct RegisterEstimate {
  uint32_t registers = 0;  // a thread, within the cap
  double wanted = 0;       // what the kernel would take if the cap were higher
  uint32_t cap = 255;      // by .maxnreg, .maxntid/.reqntid and .minnctapersm
  // Expected bytes of spill stores a thread. Smooth: it grows as `wanted` nears the cap, since the
  // estimate has an error of its own; exactly 0 only well below it.
  double spill_bytes = 0;
};

// The most registers a thread may have under the kernel's bounds, as ptxas applies them: .maxnreg;
// else 65536 registers over the threads of a block (times .minnctapersm), in warps and units of 8.
// A kernel that states no block size is not capped below 255.
uint32_t register_cap(const ptx::Function& f);

// Boosted trees over register_inputs(), fitted to ptxas 13.0's answers for template kernels
// and the kernels of public packages (tools/registers). Accuracy:
// docs/results/register-estimate.md. sm_75 to sm_120 are answered as the nearer of sm_80 and sm_90,
// which is all that was fitted.
RegisterEstimate estimate_registers(const FlowFacts& flow, const Uniformity& uniformity,
                                    ptx::Target target, Workspace& ws);
// The registers alone, all that they rest on built for the occasion; 0 for a function too complex.
uint32_t estimated_registers(const ptx::Module& m, const ptx::Function& f, ptx::Target target);

}  // namespace pitot::analysis
