#include "check/by_inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "check/endless.h"
#include "check/judge.h"
#include "check/reproduce.h"
#include "check/shrink.h"
#include "support/parallel.h"

namespace pitot::check {
namespace {

// When something has not run after the trials that were asked for, so many times as many are tried.
constexpr unsigned kMoreTrials = 2;
// Long kernels of which everything has run get fewer trials than were asked for.
constexpr unsigned kEnough = 12;
constexpr uint64_t kWork = 300'000;     // warp instructions of both, over all trials
constexpr unsigned kSmaller = 5;        // times that a trial that ran out is made smaller
constexpr uint64_t kSmallerBudget = 4;  // of the budget then: one part in so many
constexpr unsigned kEndless = 2;        // trials that run out, none having ended, before giving up
constexpr unsigned kMostRanOut = 6;     // the same when others have ended
constexpr unsigned kWave = 16;          // trials that run beside each other at most

// A trial with what came of it, and what was known when it began and after it.
struct Attempt {
  Trial trial;
  Judged judged;
  bool both = false;  // it ran out on the second kernel too
  // It had no end before it was made smaller: where, as a sentence.
  std::string too_long;
  JudgeState before, after;
};

class InferenceCheck {
 public:
  InferenceCheck(const Side& a, const Side& b, const Plan& plan, const Options& o, CheckResult& out)
      : a_(a), b_(b), plan_(plan), o_(o), out_(out) {}

  // Trials run several at a time and are then looked at in their order, each as if those before it
  // had been done by then: where one has changed what later ones check, they run again. So the
  // outcome does not depend on the number of workers.
  Status run(Reached& reached_a, Reached& reached_b) {
    const unsigned all = kMoreTrials * o_.trials;
    const unsigned workers = std::min(worker_count(o_.workers), kWave);
    std::vector<std::optional<Result<Attempt>>> wave;
    unsigned first = 0;  // the wave's first trial
    for (unsigned n = 0; n < all; ++n) {
      const bool complete = reached_a.complete() && reached_b.complete();
      if (complete && (n >= o_.trials || (out_.trials >= kEnough && spent_ >= kWork))) break;
      if (gave_up()) break;
      if (n >= first + wave.size()) {
        first = n;
        // The first alone: where kernels differ it mostly shows at once.
        wave.assign(std::min(n == 0 ? 1 : workers, all - n), std::nullopt);
        parallel_for(wave.size(), workers,
                     [&](size_t i) { wave[i] = attempt(n + static_cast<unsigned>(i), state_); });
      }
      Result<Attempt> made = std::move(*wave[n - first]);
      if (made && !made->before.same_checks(state_)) made = attempt(n, state_);
      if (!made) return made.error();
      state_.learn(made->after);
      spent_ += made->judged.instructions;
      reached_a.add(made->judged.executed_a);
      reached_b.add(made->judged.executed_b);
      if (look_at(*made)) return found(made->trial, std::move(made->judged));
    }
    // Only numbers that vectors of 16 bytes may not be meant for show a difference.
    if (promised_ && !plan_.promises_a) {
      Status s = found(promised_->trial, std::move(promised_->judged));
      if (rounds_ != 0)
        out_.notes.push_back(
            fmt::format("b loads 16 bytes at a time where a does not; with multiples of 16 "
                        "they agree in {} trial{} (if such numbers are promised: --multiple-of 16)",
                        rounds_, rounds_ == 1 ? "" : "s"));
      return s;
    }
    conclude();
    return Ok{};
  }

 private:
  Result<Attempt> attempt(unsigned n, const JudgeState& before) const {
    Attempt out;
    out.before = before;
    out.trial = make_trial(plan_, n, o_.seed, n >= o_.trials);
    JudgeState state = before;
    state.notes.clear();
    TrialJudge judge(a_, b_, plan_, o_, std::move(state));
    auto judged = judge.run(out.trial);
    if (!judged) return judged.error();
    if (judged->end == TrialEnd::kRanOut && judged->fault.kind == emulator::FaultKind::kBudget)
      out.too_long =
          fmt::format("with {} {} has no end within {} warp instructions ({})",
                      describe(plan_, out.trial), judged->side, grouped(o_.most_instructions()),
                      loop_text(judged->side == 'a' ? a_ : b_, judged->fault.line));
    const uint64_t less = std::max<uint64_t>(1, o_.most_instructions() / kSmallerBudget);
    for (unsigned k = 0;
         k < kSmaller && judged->end == TrialEnd::kRanOut && make_smaller(plan_, out.trial); ++k) {
      judged = judge.run(out.trial, less);
      if (!judged) return judged.error();
    }
    if (judged->end == TrialEnd::kRanOut && judged->side == 'a') {
      auto ends = judge.second_ends(out.trial, less);
      if (!ends) return ends.error();
      out.both = !*ends;
    }
    out.judged = std::move(*judged);
    out.after = judge.state();
    return out;
  }

  bool gave_up() const {
    return ran_out_ >= kMostRanOut || (ran_out_ >= kEndless && out_.trials == 0);
  }

  // True for a trial that settles it.
  bool look_at(Attempt& t) {
    if (!t.too_long.empty() && t.judged.end != TrialEnd::kRanOut && shortened_++ == 0)
      too_long_ = t.too_long;
    switch (t.judged.end) {
      case TrialEnd::kInvalid:
        ++out_.skipped;
        invalid_ = t.judged.fault;
        invalid_at_ = describe(plan_, t.trial);
        return false;
      case TrialEnd::kRanOut:
        ++out_.skipped;
        if (ran_out_++ == 0) first_out_ = t.judged;
        out_a_ += t.judged.side == 'a' && !t.both;
        out_b_ += t.judged.side == 'b';
        out_both_ += t.both;
        return false;
      case TrialEnd::kOrder:
        ++out_.skipped;
        ++unordered_;
        return false;
      case TrialEnd::kRace:
        ++out_.skipped;
        ++raced_;
        return false;
      case TrialEnd::kDifferent:
        if (plan_.clock_line != 0) {
          ++out_.trials;
          clock_shows_ = true;
          return false;
        }
        [[fallthrough]];
      case TrialEnd::kFault:
        ++out_.trials;
        if (!plan_.promises || all_round(plan_, t.trial)) return true;
        if (!promised_) promised_ = std::move(t);
        return false;
      case TrialEnd::kEqual:
        ++out_.trials;
        rounds_ += all_round(plan_, t.trial);
        out_.bits_equal &= t.judged.compared.bits_equal;
        by_tolerance_ |= t.judged.compared.by_tolerance;
    }
    return false;
  }

  void conclude() {
    notes();
    if (out_.trials == 0 && !invalid_at_.empty())
      out_.faults.push_back({'a', std::string(emulator::name_of(invalid_.kind)), invalid_.message,
                             out_.path_a, invalid_.line, invalid_at_});
    out_.may_be_meant = clock_shows_ || promised_.has_value();
    if (clock_shows_)
      out_.reasons.push_back(fmt::format("results differ, but the kernels read the clock (line {})",
                                         plan_.clock_line));
    if (promised_)
      out_.reasons.push_back(fmt::format(
          "results differ with {}, but a loads 16 bytes at a time, as Triton does when it is "
          "promised multiples of 16, and such numbers show no difference; --multiple-of 16 tries "
          "no others",
          describe(plan_, promised_->trial)));
    if (ran_out_ != 0) out_.reasons.push_back(ran_out_text());
    if (out_.trials == 0 && unordered_ + raced_ != 0)
      out_.reasons.push_back("no trial was left that could be compared");
    if (!out_.bits_equal && !by_tolerance_) out_.reassociated = true;
    if (by_tolerance_)
      out_.notes.push_back(
          !state_.not_followed.empty()
              ? fmt::format("some floats were compared within a tolerance only: no exact value is "
                            "kept through '{}'",
                            state_.not_followed)
          : state_.too_long_for_shadow
              ? "some floats were compared within a tolerance only: the run is too long for an "
                "exact one beside it"
              : "some floats were compared within a tolerance only: their exact values are not "
                "known");
  }

  // Whose runs did not end, and where the first of them was.
  std::string ran_out_text() const {
    std::vector<std::string> who;
    auto add = [&](unsigned n, const char* side) {
      if (n != 0) who.push_back(fmt::format("{} in {}", side, n));
    };
    add(out_a_, "a");
    add(out_b_, "b");
    add(out_both_, "a and b");
    const Side& side = first_out_.side == 'a' ? a_ : b_;
    const bool memory = first_out_.fault.kind == emulator::FaultKind::kMemoryCap;
    return fmt::format(
        "no end within {} ({} trial{}, however small its numbers): {} was {}{}",
        memory ? "the emulator's memory"
               : fmt::format("{} warp instructions", grouped(o_.most_instructions())),
        fmt::join(who, ", "), ran_out_ == 1 ? "" : "s", first_out_.side,
        loop_text(side, first_out_.fault.line), memory ? "" : "; --budget allows more");
  }

  void notes() {
    out_.notes = state_.notes;
    if (state_.race_line != 0)
      out_.notes.push_back(
          fmt::format("a itself has a race at line {} on some of the arguments", state_.race_line));
    if (shortened_ != 0)
      out_.notes.push_back(fmt::format("{} trial{} made smaller: {}", shortened_,
                                       shortened_ == 1 ? " was" : "s were", too_long_));
    auto left_out = [&](unsigned n, const char* why) {
      if (n != 0)
        out_.notes.push_back(
            fmt::format("{} trial{} left out: {}", n, n == 1 ? " is" : "s are", why));
    };
    left_out(unordered_, "a's own results depend on the order of its threads there");
    left_out(raced_, "results differ, but a itself has a race there");
  }

  Status found(Trial trial, Judged judged) {
    TrialJudge judge(a_, b_, plan_, o_, state_);
    if (Status s = shrink(judge, plan_, trial, judged); !s) return s;
    state_ = judge.state();
    notes();
    const std::string size = describe(plan_, trial);
    Reproduction again;
    if (judged.end == TrialEnd::kDifferent && judged.compared.buffer == kVariable) {
      again.none = "the difference is in a variable of the module, which a spec does not have";
    } else {
      again = reproduce(a_, b_, plan_, trial, judged, o_);
    }
    Counterexample c;
    c.size = size;
    c.seed = o_.seed;
    c.no_spec = again.none;
    if (again.none.empty()) c.spec = spec_text(again.spec);
    for (size_t i = 0; i < plan_.parameters.size(); ++i) {
      const Parameter& p = plan_.parameters[i];
      if (p.kind == ParameterKind::kImage) c.args.push_back(image_text(trial, p, i));
      if (p.kind != ParameterKind::kPointer) continue;
      const auto type = ptx::name_of(element_of(p));
      c.args.push_back(again.none.empty() && again.spec.arguments[i].count == "0"
                           ? fmt::format("{}: not used", p.name)
                       : again.none.empty()
                           ? fmt::format("{}: {} {}", p.name, again.spec.arguments[i].count, type)
                           : fmt::format("{}: pointer to {}", p.name, type));
    }
    if (judged.end == TrialEnd::kFault) {
      out_.verdict = Verdict::kFault;
      CheckFault f{'b',
                   std::string(emulator::name_of(judged.fault.kind)),
                   judged.fault.message,
                   out_.path_b,
                   judged.fault.line,
                   size};
      if (judged.hang) {
        f.kind = "hang";
        f.message = hang_text(b_, judged.fault.line, judged.instructions - judged.instructions_a,
                              judged.instructions_a);
      }
      out_.faults.push_back(std::move(f));
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

  // "image: texture 2d f32x4, 1024 × 256, linear, normalized"
  static std::string image_text(const Trial& trial, const Parameter& p, size_t i) {
    const device::ImageSpec s = image_spec(trial, p, i);
    std::string out = fmt::format("{}: {}", p.name, emulator::name_of(s.kind));
    if (s.has_texels()) {
      out += fmt::format(" {} {}, {}", emulator::name_of(s.shape), emulator::name_of(s.format),
                         s.width);
      if (s.height != "1") out += fmt::format(" × {}", s.height);
      if (s.depth != "1") out += fmt::format(" × {}", s.depth);
      if (s.layers != "1") out += fmt::format(", {} layers", s.layers);
    }
    if (s.filter) out += ", linear";
    if (s.normalized && *s.normalized) out += ", normalized";
    if (s.address) out += ", wrapped";
    return out;
  }

  const Side& a_;
  const Side& b_;
  const Plan& plan_;
  const Options& o_;
  CheckResult& out_;
  JudgeState state_ = JudgeState::fresh();
  uint64_t spent_ = 0;
  emulator::Fault invalid_;
  std::string invalid_at_;
  unsigned ran_out_ = 0, out_a_ = 0, out_b_ = 0, out_both_ = 0, unordered_ = 0, raced_ = 0;
  unsigned shortened_ = 0;  // trials that ended when they were made smaller
  std::string too_long_;    // the first of them
  unsigned rounds_ = 0;     // trials with multiples of 16 only that are the same
  Judged first_out_;        // the first that ran out
  bool by_tolerance_ = false;
  bool clock_shows_ = false;
  std::optional<Attempt> promised_;  // the first trial that may have broken a promise
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
  Plan plan = make_plan(a, pa, b, pb);
  plan.multiple_of = std::max(1u, options.multiple_of);
  for (const Side* side : {&a, &b})
    for (Parameter& p : infer_references(*side->module)) {
      const bool known =
          std::any_of(plan.parameters.begin(), plan.parameters.end(),
                      [&](const Parameter& q) { return q.reference && q.name == p.name; });
      if (!known) plan.parameters.push_back(std::move(p));
    }
  return InferenceCheck(a, b, plan, options, out).run(reached_a, reached_b);
}

}  // namespace pitot::check
