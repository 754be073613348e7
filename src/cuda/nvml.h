// Clocks, temperature, power and the reasons for low clocks, as NVIDIA's management library (NVML,
// loaded at run time) tells them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/result.h"

namespace pitot::cuda {

struct GpuState {
  std::optional<double> sm_clock_mhz, memory_clock_mhz, temperature_c, power_w;
  std::optional<double> utilisation_percent, memory_utilisation_percent, memory_used_bytes;
  std::vector<std::string> throttle_reasons;
};

class Nvml {
 public:
  // Of the GPU at a PCI address ("0000:3b:00.0"). Errors (kMissing): no library, or it does not
  // know the GPU.
  static Result<Nvml> open(const std::string& pci);
  // What it does not tell is absent.
  GpuState read() const;

 private:
  struct Functions;
  std::shared_ptr<const Functions> functions_;
  void* device_ = nullptr;
};

}  // namespace pitot::cuda
