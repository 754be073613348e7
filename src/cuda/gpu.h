// A GPU in use: its facts, its context, and what lives in it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cuda/api.h"

namespace pitot::cuda {

struct GpuFacts {
  int number = 0;
  std::string name;
  unsigned capability = 0;  // 90 for 9.0
  uint32_t multiprocessors = 0;
  uint64_t memory_bytes = 0, l2_bytes = 0;
  uint32_t shared_per_block = 0, shared_per_block_optin = 0;
  std::string pci;     // "0000:3b:00.0"
  std::string driver;  // "13.0": the newest CUDA it supports
};

// All GPUs that the driver sees; starts the driver, so not in a process that will fork.
Result<std::vector<GpuFacts>> list_gpus(const Api& api);

// The primary context of a device, current in the thread that made it, for as long as it lives.
class Gpu {
 public:
  // Errors: no such device, or one that cannot be used now.
  static Result<std::shared_ptr<const Gpu>> open(std::shared_ptr<const Api> api, int number);
  Gpu(std::shared_ptr<const Api> api, GpuFacts facts, DeviceNumber device)
      : api_(std::move(api)), facts_(std::move(facts)), device_(device) {}
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const Api& api() const { return *api_; }
  const GpuFacts& facts() const { return facts_; }
  Status32 synchronize() const { return api_->context_synchronize(); }
  // Lines that a kernel asked L2 to keep (evict_last) are as others again.
  Status32 reset_persisting() const {
    return api_->reset_persisting != nullptr ? api_->reset_persisting() : kSuccess;
  }

 private:
  std::shared_ptr<const Api> api_;
  GpuFacts facts_;
  DeviceNumber device_;
};
using GpuRef = std::shared_ptr<const Gpu>;

// Device memory.
class Memory {
 public:
  static Result<Memory> allocate(GpuRef gpu, size_t bytes);
  Memory() = default;
  Memory(Memory&& o) noexcept { *this = std::move(o); }
  Memory& operator=(Memory&& o) noexcept;
  ~Memory();

  DevicePointer address() const { return address_; }
  size_t size() const { return size_; }
  Status write(size_t offset, std::span<const std::byte> from);  // done when the call returns
  Status read(size_t offset, std::span<std::byte> to) const;
  Status fill(size_t offset, size_t bytes, std::byte value);  // done when the call returns

 private:
  GpuRef gpu_;
  DevicePointer address_ = 0;
  size_t size_ = 0;
};

struct KernelFacts {
  uint32_t registers = 0, local_bytes = 0, static_shared = 0, constant_bytes = 0, max_threads = 0;
};

struct Launch {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  uint32_t dynamic_shared = 0;
  bool cooperative = false;
};

// A kernel of a module that the driver compiled for this GPU.
class Kernel {
 public:
  // `image`: PTX text or a cubin. The error holds the compiler's log.
  static Result<Kernel> load(GpuRef gpu, const std::string& image, const std::string& entry);
  const KernelFacts& facts() const { return facts_; }
  // Errors: more threads or shared memory than a block of this kernel may have on this GPU.
  Status check_threads(const Launch& launch) const;
  Status check_shared(const Launch& launch) const;
  // Allows what the launch needs beyond the defaults: shared memory over 48 KiB, clusters of more
  // than 8 blocks.
  Status prepare(const Launch& launch) const;
  // Asynchronous. `parameters`: a pointer to each parameter's bytes.
  Status32 launch(const Launch& launch, std::span<void*> parameters, StreamHandle stream) const;
  // Resident blocks on one multiprocessor, as the driver computes it.
  Result<int> blocks_per_multiprocessor(const Launch& launch) const;

 private:
  Kernel(GpuRef gpu, std::shared_ptr<ModuleTag> module, FunctionHandle function)
      : gpu_(std::move(gpu)), module_(std::move(module)), function_(function) {}

  GpuRef gpu_;
  std::shared_ptr<ModuleTag> module_;
  FunctionHandle function_ = nullptr;
  KernelFacts facts_;
};

// What a status after a launch means, in the words of the emulator's faults ("out-of-bounds"); null
// if it is no fault of the kernel.
const char* fault_word(Status32 status);

}  // namespace pitot::cuda
