// One trial of both kernels: what came of it.
#pragma once

#include "check/check_result.h"
#include "check/kernel_run.h"
#include "check/rounding.h"

namespace pitot::check {

enum class TrialEnd : uint8_t {
  kEqual,
  kDifferent,
  kFault,    // the second kernel faults where the first does not
  kInvalid,  // the first faults: inputs that it does not stand
  kOrder,    // the first's own results depend on the order of its threads
  kRanOut,   // of instructions or memory
};

struct Judged {
  TrialEnd end = TrialEnd::kInvalid;
  Compared compared;
  emulator::Fault fault;  // of kFault, kInvalid and kRanOut
  std::vector<uint8_t> executed_a, executed_b;
  uint64_t instructions = 0;  // warp instructions, of both
};

class TrialJudge {
 public:
  TrialJudge(const Side& a, const Side& b, const Plan& plan, const Options& options);

  Result<Judged> run(const Trial& trial);

  // Checks that the first kernel itself fails are off from then on, and noted here.
  const std::vector<std::string>& notes() const { return notes_; }
  // The floating-point operation that no shadow follows, once one was needed; else empty.
  const std::string& not_followed() const { return not_followed_; }
  bool too_long_for_shadow() const { return too_long_; }

 private:
  Result<Run> run_side(const Side& side, const Trial& trial, const emulator::Checks& checks,
                       uint64_t order = 0, emulator::Follower* follower = nullptr) const;
  Result<Run> run_first(const Trial& trial, emulator::Checks& checks);
  Result<bool> depends_on_order(const Trial& trial, const Run& a);
  bool drop_check(const emulator::Fault& fault);
  Result<Compared> compare_runs(const Trial& trial, const Run& a, const Run& b);

  const Side& a_;
  const Side& b_;
  const Plan& plan_;
  const Options& options_;
  double narrow_;
  emulator::Checks checks_;
  std::vector<std::string> notes_;
  std::string not_followed_;
  bool too_long_ = false;
  bool races_ = false;  // noted already
};

}  // namespace pitot::check
