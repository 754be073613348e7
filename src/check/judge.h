// One trial of both kernels: what came of it.
#pragma once

#include "check/check_result.h"
#include "check/kernel_run.h"
#include "check/rounding.h"

namespace pitot::check {

enum class TrialEnd : uint8_t {
  kEqual,
  kDifferent,
  kFault,    // the second kernel faults, or hangs, where the first does not
  kInvalid,  // the first faults: inputs that it does not stand
  kOrder,    // the first's own results depend on the order of its threads
  kRace,     // results differ, and the first itself has a race
  kRanOut,   // of instructions or memory
};

struct Judged {
  TrialEnd end = TrialEnd::kInvalid;
  Compared compared;
  emulator::Fault fault;  // of kFault, kInvalid and kRanOut
  char side = 'a';        // kRanOut: whose run
  bool hang = false;      // kFault: no end in sight
  std::vector<uint8_t> executed_a, executed_b;
  uint64_t instructions = 0, instructions_a = 0;  // warp instructions, of both and of the first
};

// What earlier trials have taught, and all that a later one may depend on.
struct JudgeState {
  emulator::Checks checks;
  // Checks that the first kernel itself fails are off from then on, and noted here.
  std::vector<std::string> notes;
  // The floating-point operation that no shadow follows, once one was needed; else empty.
  std::string not_followed;
  bool too_long_for_shadow = false;
  uint32_t race_line = 0;  // where the first kernel has a race on some arguments

  static JudgeState fresh();
  bool same_checks(const JudgeState& o) const {
    return checks.uninitialised == o.checks.uninitialised &&
           checks.async_copies == o.checks.async_copies;
  }
  // Adds what a trial that began with the same checks has learned.
  void learn(const JudgeState& trial);
};

class TrialJudge {
 public:
  TrialJudge(const Side& a, const Side& b, const Plan& plan, const Options& options,
             JudgeState state = JudgeState::fresh());

  // `budget`: warp instructions of each kernel; 0: the options'.
  Result<Judged> run(const Trial& trial, uint64_t budget = 0);
  // Whether the second kernel alone ends within the budget.
  Result<bool> second_ends(const Trial& trial, uint64_t budget);

  const JudgeState& state() const { return state_; }

 private:
  Result<Run> run_side(const Side& side, const Trial& trial, const emulator::Checks& checks,
                       uint64_t budget, uint64_t order = 0,
                       emulator::Follower* follower = nullptr) const;
  Result<Run> run_first(const Trial& trial, uint64_t budget, emulator::Checks& checks);
  Result<bool> depends_on_order(const Trial& trial, const Run& a, uint64_t budget);
  bool drop_check(const emulator::Fault& fault);
  Result<Compared> compare_runs(const Trial& trial, const Run& a, const Run& b, uint64_t budget);

  const Side& a_;
  const Side& b_;
  const Plan& plan_;
  const Options& options_;
  double narrow_;
  JudgeState state_;
};

}  // namespace pitot::check
