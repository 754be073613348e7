#include "cuda/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pitot::cuda {
namespace {

GpuFacts facts_of(const Api& api, int number, DeviceNumber device) {
  auto attribute = [&](DeviceAttribute a) {
    int v = 0;
    api.device_attribute(&v, a, device);
    return v;
  };
  GpuFacts f;
  f.number = number;
  char name[256] = {};
  api.device_name(name, sizeof name - 1, device);
  f.name = name;
  f.capability = static_cast<unsigned>(attribute(DeviceAttribute::kMajor) * 10 +
                                       attribute(DeviceAttribute::kMinor));
  f.multiprocessors = static_cast<uint32_t>(attribute(DeviceAttribute::kMultiprocessors));
  f.l2_bytes = static_cast<uint64_t>(attribute(DeviceAttribute::kL2Bytes));
  f.shared_per_block = static_cast<uint32_t>(attribute(DeviceAttribute::kSharedPerBlock));
  f.shared_per_block_optin =
      static_cast<uint32_t>(attribute(DeviceAttribute::kSharedPerBlockOptin));
  size_t bytes = 0;
  api.device_memory(&bytes, device);
  f.memory_bytes = bytes;
  f.pci = fmt::format("{:04x}:{:02x}:{:02x}.0", attribute(DeviceAttribute::kPciDomain),
                      attribute(DeviceAttribute::kPciBus), attribute(DeviceAttribute::kPciDevice));
  int version = 0;
  api.driver_version(&version);
  f.driver = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  return f;
}

}  // namespace

Result<std::vector<GpuFacts>> list_gpus(const Api& api) {
  int count = 0;
  if (Status s = api.check(api.device_count(&count), "counting GPUs"); !s) return s.error();
  std::vector<GpuFacts> out;
  for (int i = 0; i < count; ++i) {
    DeviceNumber device = 0;
    if (Status s = api.check(api.device_get(&device, i), "asking for a GPU"); !s) return s.error();
    out.push_back(facts_of(api, i, device));
  }
  return out;
}

Result<GpuRef> Gpu::open(std::shared_ptr<const Api> api, int number) {
  int count = 0;
  if (Status s = api->check(api->device_count(&count), "counting GPUs"); !s) return s.error();
  if (number < 0 || number >= count)
    return missing_error(fmt::format("no device cuda:{}; the driver sees {}", number,
                                     count == 1 ? "one, cuda:0" : fmt::format("{}", count)));
  DeviceNumber device = 0;
  if (Status s = api->check(api->device_get(&device, number), "asking for the GPU"); !s)
    return s.error();
  ContextHandle context = nullptr;
  if (Status s = api->check(api->primary_retain(&context, device), "opening the GPU"); !s)
    return s.error();
  GpuFacts facts = facts_of(*api, number, device);
  auto gpu = std::make_shared<const Gpu>(api, std::move(facts), device);
  if (Status s = api->check(api->context_set(context), "entering the GPU's context"); !s)
    return s.error();
  return gpu;
}

Gpu::~Gpu() { api_->primary_release(device_); }

Result<Memory> Memory::allocate(GpuRef gpu, size_t bytes) {
  Memory m;
  const Status32 s = gpu->api().allocate(&m.address_, std::max<size_t>(bytes, 1));
  if (s == kOutOfMemory)
    return failed_error(fmt::format("{} has no {:.1f} MB of memory left", gpu->facts().name,
                                    static_cast<double>(bytes) / 1e6));
  if (Status checked = gpu->api().check(s, "allocating device memory"); !checked)
    return checked.error();
  m.gpu_ = std::move(gpu);
  m.size_ = bytes;
  return m;
}

Memory& Memory::operator=(Memory&& o) noexcept {
  std::swap(gpu_, o.gpu_);
  std::swap(address_, o.address_);
  std::swap(size_, o.size_);
  return *this;
}

Memory::~Memory() {
  if (gpu_) gpu_->api().free(address_);
}

Status Memory::write(size_t offset, std::span<const std::byte> from) {
  if (from.empty()) return Ok{};
  if (Status s = gpu_->api().check(gpu_->api().copy_in(address_ + offset, from.data(), from.size()),
                                   "copying to the GPU");
      !s)
    return s;
  // The call returns before the bytes are there, and streams of our own do not wait for them.
  return gpu_->api().check(gpu_->synchronize(), "copying to the GPU");
}

Status Memory::read(size_t offset, std::span<std::byte> to) const {
  if (to.empty()) return Ok{};
  return gpu_->api().check(gpu_->api().copy_out(to.data(), address_ + offset, to.size()),
                           "copying from the GPU");
}

Status Memory::fill(size_t offset, size_t bytes, std::byte value) {
  if (bytes == 0) return Ok{};
  if (Status s = gpu_->api().check(
          gpu_->api().fill(address_ + offset, static_cast<unsigned char>(value), bytes, nullptr),
          "filling device memory");
      !s)
    return s;
  return gpu_->api().check(gpu_->synchronize(), "filling device memory");
}

const char* fault_word(Status32 status) {
  switch (status) {
    case kIllegalAddress:
    case kInvalidAddressSpace:
      return "out-of-bounds";
    case kMisalignedAddress:
      return "misaligned";
    case kAssert:
    case kLaunchFailed:
    case kIllegalInstruction:
      return "trap";
    case kHardwareStackError:
    case kInvalidPc:
      return "stack";
    case kLaunchTimeout:
      return "timeout";
    default:
      return nullptr;
  }
}

}  // namespace pitot::cuda
