#include "gpu.h"

#include <fmt/format.h>

#include <cstring>

#include "cuda/gpu.h"
#include "cuda/stream.h"
#include "support/child.h"

namespace pitot::conformance {
namespace {

Result<cuda::GpuRef> first_gpu() {
  auto api = cuda::load_api();
  if (!api) return api.error();
  return cuda::Gpu::open(*api, 0);
}

std::span<const std::byte> as_bytes(const std::vector<uint8_t>& v) {
  return std::as_bytes(std::span(v));
}

class DriverGpu : public Gpu {
 public:
  explicit DriverGpu(cuda::GpuRef gpu) : gpu_(std::move(gpu)) {}

  Result<std::vector<uint8_t>> run(const Case& c) override {
    auto kernel = cuda::Kernel::load(gpu_, c.text, "k");
    if (!kernel) return kernel.error();
    auto in = cuda::Memory::allocate(gpu_, c.input.size());
    if (!in) return in.error();
    auto out = cuda::Memory::allocate(gpu_, c.output_bytes);
    if (!out) return out.error();
    if (Status s = in->write(0, as_bytes(c.input)); !s) return s.error();
    if (Status s = out->fill(0, c.output_bytes, std::byte{0}); !s) return s.error();
    const cuda::Launch launch{c.grid, c.block, c.cluster};
    if (Status s = kernel->prepare(launch); !s) return s.error();
    uint64_t pointers[2] = {out->address(), in->address()};
    std::vector<uint8_t> more = c.parameters;
    std::vector<void*> parameters{&pointers[0], &pointers[1]};
    if (!more.empty()) parameters.push_back(more.data());
    cuda::Status32 status = kernel->launch(launch, parameters, nullptr);
    if (status == cuda::kSuccess) status = gpu_->synchronize();
    if (Status s = gpu_->api().check(status, "running the kernel"); !s) return s.error();
    std::vector<uint8_t> bytes(c.output_bytes);
    if (Status s = out->read(0, std::as_writable_bytes(std::span(bytes))); !s) return s.error();
    return bytes;
  }

 private:
  cuda::GpuRef gpu_;
};

}  // namespace

Result<std::unique_ptr<Gpu>> open_gpu() {
  auto gpu = first_gpu();
  if (!gpu) return gpu.error();
  return std::unique_ptr<Gpu>(std::make_unique<DriverGpu>(*gpu));
}

Result<std::string> probe_gpu() {
  ChildProcess child([](std::string_view) -> std::string {
    auto gpu = first_gpu();
    if (!gpu) return "-" + gpu.error().message;
    const cuda::GpuFacts& f = (*gpu)->facts();
    return fmt::format("+{} (sm_{}, CUDA {})", f.name, f.capability, f.driver);
  });
  auto answer = child.call("", 60);
  if (!answer) return answer.error();
  if (answer->starts_with('-')) return missing_error(answer->substr(1));
  return answer->substr(1);
}

}  // namespace pitot::conformance
