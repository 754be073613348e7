// The CUDA backend: runs a spec's kernel on a GPU, in a child process with a time limit, so that a
// kernel that faults or never ends costs the child and not the tool.
#pragma once

#include <memory>
#include <string>

#include "device/run_result.h"
#include "device/spec.h"
#include "ptx/module.h"
#include "support/child.h"

namespace pitot::device {

struct CudaOptions {
  int number = 0;       // of the GPU, as the driver counts
  uint64_t seed = 0;    // of the buffers' values
  double seconds = 30;  // a run, with starting the driver and compiling
};

// Number N of "cuda:N" or "cuda"; none if it is no name of a CUDA device.
std::optional<int> cuda_number(std::string_view device);

// A child that holds the GPU and runs whatever it is sent: the driver, whose start takes a second,
// is started once, and again after a fault. In the process that uses it no driver may have been
// started.
class CudaProcess {
 public:
  // `seconds`: a run, with starting the driver and compiling.
  CudaProcess(int number, double seconds);
  // Faults of the kernel, a launch that the GPU does not take and a run over its time are faults
  // of the result, without a line. Errors: expressions that do not evaluate; no driver or GPU
  // (kMissing).
  Result<RunResult> run(const ptx::Module& module, uint32_t kernel, const KernelSpec& spec,
                        const SizeSpec& size, uint64_t seed);

 private:
  struct Session;  // of the child: the GPU, and the module that it has read
  std::string work(std::string_view request);

  int number_;
  double seconds_;
  std::shared_ptr<Session> session_;
  ChildProcess child_;
};

// Runs sizes of one spec one after the other. All but the options must outlive it.
class CudaRunner {
 public:
  CudaRunner(const ptx::Module& module, uint32_t kernel, const KernelSpec& spec,
             const CudaOptions& options)
      : module_(module),
        kernel_(kernel),
        spec_(spec),
        seed_(options.seed),
        process_(options.number, options.seconds) {}
  // As CudaProcess::run.
  Result<RunResult> run(const SizeSpec& size) {
    return process_.run(module_, kernel_, spec_, size, seed_);
  }

 private:
  const ptx::Module& module_;
  uint32_t kernel_;
  const KernelSpec& spec_;
  uint64_t seed_;
  CudaProcess process_;
};

}  // namespace pitot::device
