// Measures the programs of a search on a GPU in a child process: what one of them does to the GPU's
// context costs the child, and the next one gets another.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/kept_outputs.h"
#include "measure/meter.h"
#include "measure/program_protocol.h"

namespace pitot::measure {

// A kernel whose programs are measured, and how.
struct ProgramSubject {
  Subject original;
  ProgramProtocol protocol;
  // Of outputs that differ; asked where the original itself differs between two runs, or, with
  // `judge_all`, always. Null: what differs is different.
  OutputJudge judge = {};
  bool judge_all = false;
};

struct ProgramMeterOptions {
  int number = 0;          // of the GPU
  uint64_t seed = 0;       // of buffers
  double time_limit = 10;  // seconds for one program
};

class ProgramMeter {
 public:
  // In the process that makes it no driver may have been started.
  ProgramMeter(std::vector<ProgramSubject> subjects, ProgramMeterOptions options);

  // Errors: no driver, no such GPU (kMissing).
  Result<cuda::GpuFacts> gpu();
  const ProgramSubject& subject(size_t number) const { return subjects_[number]; }
  // From now on programs of this kernel are measured, and compared with this code of it.
  void select(size_t subject, ProgramCode original);
  const ProgramCode& original() const { return code_; }
  // Starts the process and runs the original, where that is still to be done. Errors as of
  // measure().
  Status prepare();
  // Called before a process is started in the place of a lost one: it is a fork, and wants no other
  // threads.
  void before_restart(std::function<void()> quiet) { quiet_ = std::move(quiet); }
  // What is the program's fault is a reason. Errors: the original cannot be run, the GPU is gone.
  Result<ProgramTime> measure(const ProgramCode& code);
  // Processes that were started, after faults among others.
  unsigned processes() const { return processes_; }

 private:
  struct State;
  std::string work(std::string_view request);
  void drop();

  std::vector<ProgramSubject> subjects_;
  ProgramMeterOptions options_;
  size_t selected_ = 0;
  ProgramCode code_;
  bool prepared_ = false;
  std::function<void()> quiet_;
  unsigned processes_ = 0;
  std::shared_ptr<State> state_;  // of the child
  ChildProcess child_;
};

}  // namespace pitot::measure
