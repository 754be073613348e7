// One kernel's programs on a GPU, in the process that may be lost: what the original computes is
// kept, every other program is compared with it and timed on the same buffers.
#pragma once

#include "measure/kept_outputs.h"
#include "measure/meter.h"
#include "measure/program_protocol.h"

namespace pitot::measure {

class ProgramBench {
 public:
  // Errors: the original is not loaded or faults.
  static Result<ProgramBench> make(BenchRef bench, const Subject& original, const ProgramCode& code,
                                   const ProgramProtocol& protocol, uint64_t seed);
  // A program that faults or computes something else has a reason. After a fault the GPU's context
  // is of no use any more.
  ProgramTime measure(const ProgramCode& code, const OutputJudge& judge, bool judge_all);

 private:
  ProgramBench(BenchRef bench, const ProgramProtocol& protocol)
      : bench_(std::move(bench)), protocol_(protocol) {}
  Result<std::vector<double>> by_events(const cuda::Kernel& kernel);
  Result<std::vector<double>> by_sm_clock(const std::string& timed);

  BenchRef bench_;
  ProgramProtocol protocol_;
  std::string entry_;
  std::unique_ptr<device::ResolvedLaunch> launch_;
  std::optional<TimedKernel> original_;  // of events: its buffers and batch are everybody's
  std::optional<device::CudaLaunch> buffers_;
  std::optional<KeptOutputs> outputs_;
  cuda::Memory records_;
};

}  // namespace pitot::measure
