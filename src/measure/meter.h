// Measures and compares kernels on a GPU, each in a child process with a time limit: what one of
// them does to the GPU's context does not reach the others.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuda/gpu.h"
#include "device/spec.h"
#include "measure/live_sample.h"
#include "measure/measure_result.h"
#include "measure/protocol.h"
#include "ptx/module.h"
#include "support/child.h"

namespace pitot::measure {

struct Subject {
  std::shared_ptr<const ptx::Module> module;
  uint32_t kernel = 0;  // index in it
  std::shared_ptr<const device::KernelSpec> spec;
  std::string spec_hash;  // of the spec's text
  size_t size = 0;        // index in the spec
};

struct MeterOptions {
  int number = 0;           // of the GPU
  uint64_t seed = 0;        // of buffers, and of the order and resampling of comparisons
  double time_limit = 120;  // seconds for one subject, with starting the GPU and compiling
  std::string tool;         // version of the program, for the records
  Protocol protocol;
};

class Meter {
 public:
  // In the process that makes it no driver may have been started.
  Meter(std::vector<Subject> subjects, MeterOptions options);

  // One more subject; its number. The process that holds the GPU, if there is one, goes on.
  size_t add(Subject subject);
  // Errors: no driver, no such GPU (kMissing).
  Result<cuda::GpuFacts> gpu();
  // Everything of a record that is known before it is measured: what it is stored under.
  MeasureRecord describe(size_t subject, const cuda::GpuFacts& gpu) const;
  // Faults, time limits and launches that the GPU does not take are records with ok = false and the
  // reason.
  MeasureRecord measure(size_t subject, const cuda::GpuFacts& gpu);
  // One batch of a subject that stays loaded from its first sample on: a start of a graph and an
  // answer from the process that holds the GPU. What does not run has its reason.
  LiveSample sample(size_t subject);
  // B against A. The two run on the same buffers where their specs and sizes are the same.
  // `seed`: of the order and the resampling; `data`: of the buffers, the meter's if it is not
  // given.
  CompareRecord compare(size_t a, size_t b, const cuda::GpuFacts& gpu, uint64_t seed,
                        std::optional<uint64_t> data = {});

 private:
  struct Session;
  std::string work(std::string_view request);

  std::vector<Subject> subjects_;
  MeterOptions options_;
  std::shared_ptr<Session> session_;
  ChildProcess child_;
};

}  // namespace pitot::measure
