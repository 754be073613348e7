// PTXBench on a real GPU: kernels run and timed there, each in a child process. Processes of one
// user take turns on a GPU, so that several may judge at once and none disturbs what another times.
#pragma once

#include "bench/device_judge.h"
#include "cli.h"

namespace pitot::cli {

struct GpuArguments {
  int number = 0;           // of the GPU
  double time_limit = 60;   // seconds for a run or a comparison, once it is its turn
  double seconds = 0.1;     // of sampling, of each kernel in a comparison
  uint32_t placements = 6;  // modules are loaded anew
};

// Each has processes of its own that hold the GPU from the first call on; copies share them. Made
// before a process is forked, every fork has its own.
bench::Runner gpu_runner(const GpuArguments& args);
bench::DeviceTimer gpu_timer(const GpuArguments& args);
// Its name. Errors (kMissing): no driver, no such GPU.
Result<std::string> gpu_name(const GpuArguments& args);

}  // namespace pitot::cli
