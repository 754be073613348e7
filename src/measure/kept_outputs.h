// What a kernel leaves in memory, kept on the GPU, and whether another kernel leaves the same.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "device/cuda_launch.h"
#include "measure/timed_kernel.h"

namespace pitot::measure {

// Why two contents of an output are not alike, where their bytes differ; empty: they are, within a
// tolerance.
using OutputJudge =
    std::function<std::string(const device::ArgumentSpec& output,
                              std::span<const std::byte> expected, std::span<const std::byte> got)>;

class KeptOutputs {
 public:
  // Runs the launch twice from the contents that its buffers have now, which are kept too. Outputs
  // that differ between the two runs (atomics in floating point) are compared by the judge later,
  // all others by their bytes. Errors: faults of the kernel, writes beside its buffers.
  static Result<KeptOutputs> make(BenchRef bench, const device::CudaLaunch& launch);

  // Runs another kernel on the same buffers, from the same contents. Empty: everything is as it
  // should be, inputs and the zones beside the buffers too; else what is not. With a judge, outputs
  // whose bytes differ are left to it. Errors: faults, named with fault_word first.
  Result<std::string> differences(const device::CudaLaunch& launch, const OutputJudge& judge,
                                  bool judge_all);
  // Puts back what the kernel reads and writes, in the order of the stream.
  Status restore_inout() const;
  bool has_inout() const { return has_inout_; }

 private:
  struct Kept {
    std::shared_ptr<device::GuardedBuffer> buffer;
    cuda::Memory before, after;  // with the guard zones; `after` not of inputs
    bool varies = false;         // between two runs of the same kernel
    uint64_t start() const { return buffer->base() - device::GuardedBuffer::kGuardBytes; }
    uint64_t bytes() const {  // whole words of the comparing kernel
      return (buffer->bytes() + 2 * device::GuardedBuffer::kGuardBytes) / 16 * 16;
    }
    bool input() const { return buffer->argument().spec->role == device::Role::kIn; }
  };
  struct KeptImage {
    std::shared_ptr<device::DeviceImage> image;
    std::vector<std::byte> after;
    bool varies = false;
  };

  explicit KeptOutputs(BenchRef bench) : bench_(std::move(bench)) {}
  Status copy(uint64_t to, uint64_t from, uint64_t bytes) const;
  Status run(const device::CudaLaunch& launch) const;
  Status put_back(bool inputs_too) const;
  // The first word of each buffer that differs from what is expected, in bytes from its start;
  // UINT64_MAX: none.
  Result<std::vector<uint64_t>> compare();
  // In words; empty: it may differ there.
  Result<std::string> difference_at(const Kept& k, uint64_t word, const OutputJudge& judge) const;

  BenchRef bench_;
  std::optional<cuda::Kernel> comparer_;
  cuda::Memory firsts_;  // a number a buffer
  std::vector<Kept> buffers_;
  std::vector<KeptImage> images_;
  std::vector<device::DeviceImage> images_before_;  // of the surfaces that are written
  bool has_inout_ = false, damaged_ = false;
};

}  // namespace pitot::measure
