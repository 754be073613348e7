// Making the variants of a template: compile each, verify it, find its kernel, write PTX and spec.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "arch/gpu.h"
#include "support/diagnostic.h"
#include "support/result.h"
#include "toolchain/cache.h"
#include "toolchain/toolkit.h"
#include "variants/grid.h"
#include "variants/manifest_result.h"

namespace pitot::variants {

struct BuildOptions {
  std::string directory;                           // where files go; it must exist
  std::vector<std::string> targets;                // empty: the template's, else sm_90
  std::string compiled_by = "compiled elsewhere";  // what the manifest says of it
  std::string compiled;            // directory of NAME.ptx (and NAME.json) made elsewhere
  const arch::Gpu* gpu = nullptr;  // whose launch limits count; null: the targets'
  unsigned workers = 0;            // 0: every core
  double time_limit = 600;         // seconds a compilation
  const toolchain::Toolkit* toolkit = nullptr;  // null: no nvcc, and registers are estimated
  toolchain::Cache* cache = nullptr;
  std::function<void()> step{};  // called after each variant, from several threads
};

std::vector<std::string> targets_of(const Template& t, const BuildOptions& options);

// "BM32_BN64", and with the target where there are several.
std::string file_stem(const Configuration& c, const std::string& target, bool several_targets);

// The manifest of all configurations and targets, with nothing made yet: refused, or listed.
ManifestResult list(const Template& t, const std::vector<Configuration>& configurations,
                    const BuildOptions& options);

// Makes those that are chosen and not refused; one that fails does not stop the others. Complaints
// about what the template says of the launch are located in it. Errors: kMissing without the
// compiler that is needed, kFailed when files cannot be written.
Result<ManifestResult> build(const Template& t, const std::vector<Configuration>& configurations,
                             const std::vector<bool>& chosen, const BuildOptions& options,
                             Diagnostics& out);

}  // namespace pitot::variants
