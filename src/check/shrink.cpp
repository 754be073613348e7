#include "check/shrink.h"

#include <algorithm>
#include <set>

namespace pitot::check {
namespace {

constexpr unsigned kAttempts = 160;
constexpr uint64_t kInstructions = 20'000'000;  // warp instructions of all attempts

class TrialShrinker {
 public:
  TrialShrinker(TrialJudge& judge, const Plan& plan, Trial& trial, Judged& judged)
      : judge_(judge),
        plan_(plan),
        trial_(trial),
        judged_(judged),
        keep_round_(plan.promises && all_round(plan, trial)) {}

  Status run() {
    grid();
    block();
    values();
    // Smaller numbers may let others become smaller.
    for (unsigned round = 0; round < 4 && numbers(); ++round) {
    }
    return std::move(status_);
  }

 private:
  // Keeps the candidate when it comes to the same end.
  bool attempt(const Trial& candidate) {
    if (!status_ || attempts_ >= kAttempts || spent_ >= kInstructions) return false;
    if (keep_round_ && !all_round(plan_, candidate)) return false;
    ++attempts_;
    auto r = judge_.run(candidate);
    if (!r) return false;  // a launch that is none
    spent_ += r->instructions;
    if (r->end != judged_.end || r->hang != judged_.hang ||
        (r->end == TrialEnd::kFault && r->fault.kind != judged_.fault.kind))
      return false;
    trial_ = candidate;
    judged_ = std::move(*r);
    return true;
  }

  void grid() {
    Trial t = trial_;
    t.grid = {1, 1, 1};
    if (t.grid != trial_.grid && attempt(t)) return;
    if (t.grid == trial_.grid) return;
    for (size_t d = 3; d-- > 0;)
      for (uint32_t n = 1; n < trial_.grid[d]; ++n) {
        t = trial_;
        t.grid[d] = n;
        if (attempt(t)) break;
      }
  }

  void block() {
    if (plan_.block[0] != 0 || trial_.block[1] > 1) return;
    Trial t = trial_;
    t.block = {32, 1, 1};
    if (t.block != trial_.block) attempt(t);
  }

  void values() {
    Trial t = trial_;
    t.special = 0;
    if (trial_.special != 0 && !attempt(t)) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        t = trial_;
        t.special &= ~(1u << bit);
        if (t.special != trial_.special && t.special != 0) attempt(t);
      }
    }
    t = trial_;
    t.pattern = device::SamplePattern::kMixed;
    if (trial_.pattern != t.pattern) attempt(t);
  }

  bool numbers() {
    bool changed = false;
    // All that are equal together first: strides and widths belong together.
    std::set<uint64_t> distinct;
    for (size_t i = 0; i < plan_.parameters.size(); ++i)
      if (plan_.parameters[i].kind == ParameterKind::kInteger) distinct.insert(trial_.scalars[i]);
    for (uint64_t v : distinct)
      changed |= smaller(v, [&](Trial& t, uint64_t to) {
        for (size_t i = 0; i < plan_.parameters.size(); ++i)
          if (plan_.parameters[i].kind == ParameterKind::kInteger && trial_.scalars[i] == v)
            t.scalars[i] = to;
      });
    if (distinct.size() != plan_.parameters.size())
      for (size_t i = 0; i < plan_.parameters.size(); ++i)
        if (plan_.parameters[i].kind == ParameterKind::kInteger)
          changed |= smaller(trial_.scalars[i], [&](Trial& t, uint64_t to) { t.scalars[i] = to; });
    return changed;
  }

  // The least of a few smaller numbers that still shows it, then down one by one from there.
  template <class Set>
  bool smaller(uint64_t v, Set&& set) {
    std::set<uint64_t> candidates{0, 1, 2, 3, 4, 7, 8, 16, 17, 32, 33, 64, 65, 128, 129};
    for (uint64_t part = v / 2; part > 0; part /= 2) candidates.insert({part, v - part});
    for (uint64_t c : candidates) {
      if (c >= v) break;
      if (c % plan_.multiple_of != 0) continue;
      Trial t = trial_;
      set(t, c);
      if (attempt(t)) return true;
    }
    return false;
  }

  TrialJudge& judge_;
  const Plan& plan_;
  Trial& trial_;
  Judged& judged_;
  const bool keep_round_;  // numbers stay multiples of 16
  Status status_ = Ok{};
  unsigned attempts_ = 0;
  uint64_t spent_ = 0;
};

}  // namespace

Status shrink(TrialJudge& judge, const Plan& plan, Trial& trial, Judged& judged) {
  return TrialShrinker(judge, plan, trial, judged).run();
}

}  // namespace pitot::check
