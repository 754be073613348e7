// Loading and launching kernels through the driver.
#include <fmt/format.h>

#include <cstring>

#include "cuda/gpu.h"

namespace pitot::cuda {
namespace {

constexpr size_t kLogBytes = 16384;

// The driver says that it takes an option's value as a pointer.
void* as_pointer(size_t v) { return reinterpret_cast<void*>(v); }

}  // namespace

Result<Kernel> Kernel::load(GpuRef gpu, const std::string& image, const std::string& entry) {
  std::string log(kLogBytes, '\0');
  JitOption options[] = {JitOption::kErrorLog, JitOption::kErrorLogBytes};
  void* values[] = {log.data(), as_pointer(log.size())};
  ModuleHandle handle = nullptr;
  const Api& api = gpu->api();
  const Status32 s = api.module_load(&handle, image.c_str(), 2, options, values);
  if (s != kSuccess) {
    log.resize(std::strlen(log.c_str()));
    while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
    return failed_error(fmt::format("the driver does not load the module for {}: {}{}{}",
                                    gpu->facts().name, api.describe(s), log.empty() ? "" : "\n",
                                    log));
  }
  auto unload = [gpu](ModuleHandle m) { gpu->api().module_unload(m); };
  std::shared_ptr<ModuleTag> module(handle, unload);
  FunctionHandle function = nullptr;
  if (Status found = api.check(api.module_function(&function, handle, entry.c_str()),
                               "finding the kernel in the module");
      !found)
    return found.error();
  Kernel k(std::move(gpu), std::move(module), function);
  auto fact = [&](FunctionAttribute a) {
    int v = 0;
    api.function_get(&v, a, function);
    return static_cast<uint32_t>(v);
  };
  k.facts_ = {fact(FunctionAttribute::kRegisters), fact(FunctionAttribute::kLocalBytes),
              fact(FunctionAttribute::kSharedBytes), fact(FunctionAttribute::kConstantBytes),
              fact(FunctionAttribute::kMaxThreads)};
  return k;
}

Status Kernel::check_threads(const Launch& launch) const {
  const uint64_t threads = uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads <= facts_.max_threads) return Ok{};
  return failed_error(fmt::format(
      "a block of {} threads: this kernel takes at most {} on {} ({} registers a thread)", threads,
      facts_.max_threads, gpu_->facts().name, facts_.registers));
}

Status Kernel::check_shared(const Launch& launch) const {
  const GpuFacts& gpu = gpu_->facts();
  const uint64_t shared = uint64_t{launch.dynamic_shared} + facts_.static_shared;
  if (shared <= gpu.shared_per_block_optin) return Ok{};
  return failed_error(fmt::format(
      "{} bytes of shared memory a block ({} static, {} dynamic): {} has at most {}", shared,
      facts_.static_shared, launch.dynamic_shared, gpu.name, gpu.shared_per_block_optin));
}

Status Kernel::prepare(const Launch& launch) const {
  const Api& api = gpu_->api();
  if (launch.dynamic_shared + facts_.static_shared > gpu_->facts().shared_per_block)
    if (Status s = api.check(api.function_set(function_, FunctionAttribute::kMaxDynamicShared,
                                              static_cast<int>(launch.dynamic_shared)),
                             "raising the limit of dynamic shared memory");
        !s)
      return s;
  if (launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 8)
    return api.check(api.function_set(function_, FunctionAttribute::kNonPortableCluster, 1),
                     "allowing a cluster of more than 8 blocks");
  return Ok{};
}

Status32 Kernel::launch(const Launch& l, std::span<void*> parameters, StreamHandle stream) const {
  LaunchAttribute attributes[2] = {};
  unsigned n = 0;
  if (l.cooperative) {
    attributes[n].id = kAttributeCooperative;
    attributes[n++].value.cooperative = 1;
  }
  if (l.cluster != std::array<uint32_t, 3>{1, 1, 1}) {
    attributes[n].id = kAttributeCluster;
    attributes[n++].value.cluster = {l.cluster[0], l.cluster[1], l.cluster[2]};
  }
  const LaunchConfig config{l.grid[0],  l.grid[1],        l.grid[2], l.block[0], l.block[1],
                            l.block[2], l.dynamic_shared, stream,    attributes, n};
  return gpu_->api().launch(&config, function_, parameters.data(), nullptr);
}

Result<int> Kernel::blocks_per_multiprocessor(const Launch& l) const {
  int blocks = 0;
  const Api& api = gpu_->api();
  const auto threads = static_cast<int>(l.block[0] * l.block[1] * l.block[2]);
  if (Status s = api.check(api.max_blocks(&blocks, function_, threads, l.dynamic_shared),
                           "asking for the occupancy");
      !s)
    return s.error();
  return blocks;
}

}  // namespace pitot::cuda
