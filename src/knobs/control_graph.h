// A kernel as a graph for learning: its basic blocks with counts of their instructions, the control
// flow between them, and what is known of the kernel as a whole.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "ptx/module.h"
#include "support/result.h"

namespace pitot::knobs {

inline constexpr size_t kBlockFeatures = 10, kKernelFeatures = 5;
inline constexpr std::array<const char*, kBlockFeatures> kBlockFeatureNames = {
    "n_instructions", "n_loads",    "n_stores", "n_fma", "n_add",
    "n_mul",          "n_branches", "n_sync",   "n_cvt", "n_mov"};

struct ControlGraph {
  // A block a row, in text order. Loads and stores are of every state space but parameters; fma
  // has mad, add has sub; of floats and integers alike.
  std::vector<std::array<float, kBlockFeatures>> blocks;
  std::vector<std::pair<uint32_t, uint32_t>> edges;  // from, to
  // Estimated registers / 255; shared memory with a size / 228 KiB; x / (1 + x) of the arithmetic
  // intensity (other instructions over memory operations); log(1 + n) / 8 of barriers and fences,
  // and of instructions. Each within 0…1.
  std::array<float, kKernelFeatures> kernel{};
};

// The graph of analysis::Cfg, whose blocks end at every branch: a guarded one has two successors.
// Errors (kInput): a function without instructions or one that is too complex.
Result<ControlGraph> control_graph(const ptx::Module& module, const ptx::Function& function);

}  // namespace pitot::knobs
