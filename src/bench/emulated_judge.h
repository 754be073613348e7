// The second tier without a GPU: a candidate runs on the emulator, on data that it could not have
// known, in circumstances in which only a kernel that computes its outputs from its inputs is
// right.
#pragma once

#include "bench/oracle.h"

namespace pitot::bench {

struct EmulatedOptions {
  unsigned drawn = 6;  // private sizes
  uint64_t seed = 0;   // of the private sizes and all data; chosen after the candidate is fixed
};

// Each trial is up to four launches that share memory, as on a GPU:
//   1  outputs poisoned
//   2  other inputs at the same addresses; outputs are what the first launch left
//   3  the first inputs again; outputs are right but for a few elements, so that looking at some of
//      them and doing nothing shows
//   4  in memory of its own, the warps in another order: the same bits, where the task is
//   repeatable
// with bounds, alignment, undefined values, copies and races checked. After every launch inputs
// have to be what they were. Variables of the module that a launch has changed get other contents
// before another launch, whose results have to be right all the same.
// Fills verdict, reason, line, trials, errors and tier of `out`.
class EmulatedJudge {
 public:
  EmulatedJudge(Oracle& oracle, const EmulatedOptions& options);
  // Errors: of the task itself (its oracle faults).
  Status judge(const Candidate& candidate, Judgement& out);

 private:
  struct Look;

  Oracle& oracle_;
  EmulatedOptions options_;
  std::vector<TrialPlan> plan_;
};

}  // namespace pitot::bench
