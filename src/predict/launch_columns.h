// The columns of the launch, the GPU and ptxas.
#pragma once

#include "arch/gpu.h"
#include "predict/row_features.h"

namespace pitot::predict {

struct LaunchFacts {
  emulator::Dim3 grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  uint32_t dynamic_shared = 0;  // bytes a block
  uint64_t shared = 0;          // static and dynamic
  uint32_t registers = 0;       // a thread; 0: not known
  double spill_bytes = 0;
};

// Needs the SMs of the GPU; figures that the table lacks are missing.
void set_launch_columns(const LaunchFacts& launch, const arch::Gpu& gpu, FeatureRow& row);
void set_gpu_columns(const arch::Gpu& gpu, FeatureRow& row);
void set_ptxas_columns(const toolchain::PtxasFunction& said, uint64_t code_bytes, FeatureRow& row);

}  // namespace pitot::predict
