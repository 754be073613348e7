#include "check/by_inference.h"

#include <fmt/format.h>

#include "check/judge.h"
#include "check/reproduce.h"
#include "check/shrink.h"

namespace pitot::check {
namespace {

// When something has not run after the trials that were asked for, so many times as many are tried.
constexpr unsigned kMoreTrials = 2;
// Long kernels of which everything has run get fewer trials than were asked for.
constexpr unsigned kEnough = 12;
constexpr uint64_t kWork = 300'000;  // warp instructions of both, over all trials
constexpr unsigned kSmaller = 5;     // halvings of a trial that ran out of instructions

class InferenceCheck {
 public:
  InferenceCheck(const Side& a, const Side& b, const Plan& plan, const Options& o, CheckResult& out)
      : a_(a), b_(b), plan_(plan), o_(o), out_(out), judge_(a_, b_, plan_, o) {}

  Status run(Reached& reached_a, Reached& reached_b) {
    emulator::Fault invalid;
    std::string invalid_at;
    unsigned ran_out = 0, unordered = 0;
    uint64_t spent = 0;
    for (unsigned n = 0; n < kMoreTrials * o_.trials; ++n) {
      const bool complete = reached_a.complete() && reached_b.complete();
      if (complete && (n >= o_.trials || (out_.trials >= kEnough && spent >= kWork))) break;
      Trial trial = make_trial(plan_, n, o_.seed, n >= o_.trials);
      auto judged = judge_.run(trial);
      if (!judged) return judged.error();
      for (unsigned k = 0;
           k < kSmaller && judged->end == TrialEnd::kRanOut && make_smaller(plan_, trial); ++k) {
        judged = judge_.run(trial);
        if (!judged) return judged.error();
      }
      spent += judged->instructions;
      reached_a.add(judged->executed_a);
      reached_b.add(judged->executed_b);
      switch (judged->end) {
        case TrialEnd::kInvalid:
          ++out_.skipped;
          invalid = judged->fault;
          invalid_at = describe(plan_, trial);
          continue;
        case TrialEnd::kRanOut:
          ++out_.skipped;
          ++ran_out;
          continue;
        case TrialEnd::kOrder:
          ++out_.skipped;
          ++unordered;
          continue;
        case TrialEnd::kDifferent:
          if (plan_.clock_line != 0) {
            ++out_.trials;
            clock_shows_ = true;
            continue;
          }
          [[fallthrough]];
        case TrialEnd::kFault:
          if (plan_.promises && !all_round(plan_, trial)) {
            ++out_.trials;
            if (promised_.empty()) promised_ = describe(plan_, trial);
            continue;
          }
          ++out_.trials;
          return found(trial, *judged);
        case TrialEnd::kEqual:
          ++out_.trials;
          out_.bits_equal &= judged->compared.bits_equal;
          by_tolerance_ |= judged->compared.by_tolerance;
      }
    }
    out_.notes = judge_.notes();
    if (unordered != 0)
      out_.notes.push_back(fmt::format(
          "{} trial{} left out: a's own results depend on the order of its threads there",
          unordered, unordered == 1 ? " is" : "s are"));
    if (out_.trials == 0 && !invalid_at.empty())
      out_.faults.push_back({'a', std::string(emulator::name_of(invalid.kind)), invalid.message,
                             out_.path_a, invalid.line, invalid_at});
    if (clock_shows_)
      out_.reasons.push_back(fmt::format("results differ, but the kernels read the clock (line {})",
                                         plan_.clock_line));
    if (!promised_.empty())
      out_.reasons.push_back(
          fmt::format("they differ with {}, but load vectors as Triton does when it is promised "
                      "multiples of 16 (--spec decides)",
                      promised_));
    if (ran_out != 0)
      out_.reasons.push_back(
          fmt::format("{} trials ran out of instructions (--budget {})", ran_out, o_.budget));
    if (!out_.bits_equal && !by_tolerance_) out_.reassociated = true;
    if (by_tolerance_)
      out_.notes.push_back(
          !judge_.not_followed().empty()
              ? fmt::format("some floats were compared within a tolerance only: no exact value is "
                            "kept through '{}'",
                            judge_.not_followed())
          : judge_.too_long_for_shadow()
              ? "some floats were compared within a tolerance only: the run is too long for an "
                "exact one beside it"
              : "some floats were compared within a tolerance only: their exact values are not "
                "known");
    return Ok{};
  }

 private:
  Status found(Trial trial, Judged judged) {
    if (Status s = shrink(judge_, plan_, trial, judged); !s) return s;
    out_.notes = judge_.notes();
    const std::string size = describe(plan_, trial);
    Reproduction again = reproduce(a_, b_, plan_, trial, judged, o_);
    Counterexample c;
    c.size = size;
    c.seed = o_.seed;
    c.no_spec = again.none;
    if (again.none.empty()) c.spec = spec_text(again.spec);
    for (size_t i = 0; i < plan_.parameters.size(); ++i) {
      const Parameter& p = plan_.parameters[i];
      if (p.kind != ParameterKind::kPointer) continue;
      const auto type = ptx::name_of(element_of(p));
      c.args.push_back(again.none.empty()
                           ? fmt::format("{}: {} {}", p.name, again.spec.arguments[i].count, type)
                           : fmt::format("{}: pointer to {}", p.name, type));
    }
    if (judged.end == TrialEnd::kFault) {
      out_.verdict = Verdict::kFault;
      out_.faults.push_back({'b', std::string(emulator::name_of(judged.fault.kind)),
                             judged.fault.message, out_.path_b, judged.fault.line, size});
      out_.counterexamples.push_back(std::move(c));
      return Ok{};
    }
    out_.verdict = Verdict::kDifferent;
    out_.bits_equal = false;
    c.first = judged.compared.first;
    c.differing = judged.compared.differing;
    if (again.none.empty())
      if (Status s = find_feeds(a_, plan_, trial, judged, again.spec, o_, c); !s) return s;
    out_.counterexamples.push_back(std::move(c));
    return Ok{};
  }

  const Side& a_;
  const Side& b_;
  const Plan& plan_;
  const Options& o_;
  CheckResult& out_;
  TrialJudge judge_;
  bool by_tolerance_ = false;
  bool clock_shows_ = false;
  std::string promised_;  // the first trial that may have broken a promise
};

}  // namespace

Status check_by_inference(const Side& a, const Side& b, const Options& options, CheckResult& out,
                          Reached& reached_a, Reached& reached_b) {
  const auto pa = infer_parameters(*a.module, a.function());
  const auto pb = infer_parameters(*b.module, b.function());
  if (pa.size() != pb.size()) {
    out.notes.push_back(fmt::format("the kernels take {} and {} parameters", pa.size(), pb.size()));
    out.verdict = Verdict::kDifferent;
    return Ok{};
  }
  const Plan plan = make_plan(a, pa, b, pb);
  return InferenceCheck(a, b, plan, options, out).run(reached_a, reached_b);
}

}  // namespace pitot::check
