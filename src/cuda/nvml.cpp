#include "cuda/nvml.h"

#include <cstdlib>
#include <utility>

#include "support/dynamic_library.h"

namespace pitot::cuda {

struct NvmlUtilisation {  // nvmlUtilization_t, percent
  unsigned gpu, memory;
};
struct NvmlMemory {  // nvmlMemory_t, bytes
  unsigned long long total, free, used;
};

namespace {

// nvmlClocksThrottleReason*
constexpr std::pair<unsigned long long, const char*> kReasons[] = {
    {0x1, "idle"},
    {0x2, "application clocks"},
    {0x4, "software power cap"},
    {0x8, "hardware slowdown"},
    {0x10, "sync boost"},
    {0x20, "software thermal slowdown"},
    {0x40, "hardware thermal slowdown"},
    {0x80, "hardware power brake"},
    {0x100, "display clocks"},
};
constexpr unsigned kSmClock = 1, kMemoryClock = 2;  // nvmlClockType_t

}  // namespace

struct Nvml::Functions {
  DynamicLibrary opened;
  int (*init)() = nullptr;
  int (*by_pci)(const char*, void**) = nullptr;
  int (*clock)(void*, unsigned, unsigned*) = nullptr;
  int (*temperature)(void*, unsigned, unsigned*) = nullptr;
  int (*power)(void*, unsigned*) = nullptr;
  int (*utilisation)(void*, NvmlUtilisation*) = nullptr;
  int (*memory)(void*, NvmlMemory*) = nullptr;
  int (*reasons)(void*, unsigned long long*) = nullptr;
};

Result<Nvml> Nvml::open(const std::string& pci) {
  const char* named = std::getenv("PITOT_NVML_LIBRARY");
  auto opened = named != nullptr ? DynamicLibrary::open({named})
                                 : DynamicLibrary::open({"libnvidia-ml.so.1", "libnvidia-ml.so"});
  if (!opened) return missing_error("no NVML here: " + opened.error().message);
  auto l = std::make_shared<Functions>(Functions{.opened = *opened});
  auto find = [&](auto& to, const char* symbol) {
    to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(l->opened.find(symbol));
  };
  find(l->init, "nvmlInit_v2");
  find(l->by_pci, "nvmlDeviceGetHandleByPciBusId_v2");
  find(l->clock, "nvmlDeviceGetClockInfo");
  find(l->temperature, "nvmlDeviceGetTemperature");
  find(l->power, "nvmlDeviceGetPowerUsage");
  find(l->utilisation, "nvmlDeviceGetUtilizationRates");
  find(l->memory, "nvmlDeviceGetMemoryInfo");
  find(l->reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  if (l->init == nullptr || l->by_pci == nullptr || l->init() != 0)
    return missing_error("NVML does not start");
  Nvml out;
  if (l->by_pci(pci.c_str(), &out.device_) != 0)
    return missing_error("NVML does not know the GPU at " + pci);
  out.functions_ = std::move(l);
  return out;
}

GpuState Nvml::read() const {
  const Functions& l = *functions_;
  GpuState s;
  unsigned v = 0;
  if (l.clock != nullptr && l.clock(device_, kSmClock, &v) == 0) s.sm_clock_mhz = v;
  if (l.clock != nullptr && l.clock(device_, kMemoryClock, &v) == 0) s.memory_clock_mhz = v;
  if (l.temperature != nullptr && l.temperature(device_, 0, &v) == 0) s.temperature_c = v;
  if (l.power != nullptr && l.power(device_, &v) == 0) s.power_w = v / 1000.0;
  NvmlUtilisation u{};
  if (l.utilisation != nullptr && l.utilisation(device_, &u) == 0) {
    s.utilisation_percent = u.gpu;
    s.memory_utilisation_percent = u.memory;
  }
  NvmlMemory m{};
  if (l.memory != nullptr && l.memory(device_, &m) == 0)
    s.memory_used_bytes = static_cast<double>(m.used);
  unsigned long long reasons = 0;
  if (l.reasons != nullptr && l.reasons(device_, &reasons) == 0)
    for (const auto& [bit, word] : kReasons)
      if ((reasons & bit) != 0) s.throttle_reasons.emplace_back(word);
  return s;
}

}  // namespace pitot::cuda
