// Gathers what inspect reports from the library: features, registers, occupancy, roofline.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "arch/gpu.h"
#include "ptx/module.h"
#include "report/inspect_report.h"
#include "support/result.h"
#include "toolchain/ptxas.h"

namespace pitot::cli {

struct InspectOptions {
  std::vector<ptx::Target> targets;              // empty: the module's own
  std::vector<const arch::Gpu*> gpus;            // empty: no occupancy
  std::optional<std::array<uint32_t, 3>> block;  // else what the kernel states
  uint32_t dynamic_shared = 0;                   // bytes
};

// ptxas with its cache; the cache is absent where no directory can be written.
struct Ptxas {
  toolchain::Toolkit toolkit;
  std::unique_ptr<toolchain::Cache> cache;
};
Result<Ptxas> open_ptxas();

report::InspectedFile inspect_module(const ptx::Module& m, const InspectOptions& options);

// Assembles the module for each target and fills in the kernels' physical resources. A rejection is
// a result; what could not be run at all comes back as errors.
std::vector<Error> add_ptxas(const ptx::Module& m, const std::vector<ptx::Target>& targets,
                             Ptxas& ptxas, report::InspectedFile& file);

// Occupancy and roofline for each GPU, by ptxas' registers where they are known, else by the
// estimate.
void add_launch_facts(const ptx::Module& m, const InspectOptions& options,
                      report::InspectedFile& file);

}  // namespace pitot::cli
