#include "bench/emulated_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/documented_error.h"
#include "bench/launches.h"
#include "bench/wrong_text.h"
#include "check/options.h"
#include "device/values.h"
#include "support/draws.h"

namespace pitot::bench {
namespace {

constexpr uint64_t kMostInstructions = uint64_t{1} << 28;  // warp instructions a launch
constexpr uint64_t kLeastPatience = 2'000'000;
// Of a task's repeated launches: bits that depend on the order of the warps.
constexpr uint64_t kOtherOrder = 0x9e3779b9;
constexpr uint64_t kLaterClock = uint64_t{1} << 60;  // nanoseconds: more than since 1970
constexpr uint64_t kFewElements = 256;  // one of so many is made wrong before the third launch
constexpr uint64_t kEnoughForRms = 256;

Verdict verdict_of(emulator::FaultKind kind) {
  using enum emulator::FaultKind;
  return kind == kRace                              ? Verdict::kRace
         : kind == kBudget                          ? Verdict::kHang
         : kind == kUncovered || kind == kMemoryCap ? Verdict::kUndecided
                                                    : Verdict::kFault;
}

// Right contents of which a few elements are not.
std::vector<std::byte> nearly_right(const ExpectedOutput& o, uint64_t seed) {
  std::vector<std::byte> out = o.start;
  const size_t each = ptx::bytes_of(o.type), count = out.size() / each;
  if (count == 0) return out;
  Draws draws(seed);
  for (size_t n = 0; n < std::max<size_t>(1, count / kFewElements); ++n) {
    const size_t at = draws.below(count) * each;
    for (size_t b = 0; b < each; ++b) out[at + b] ^= std::byte{0x5a};
  }
  return out;
}

}  // namespace

struct EmulatedJudge::Look {
  const Candidate& candidate;
  Oracle& oracle;
  Judgement& out;
  const Task& task = oracle.task();
  // Of data that rounding statistics are made of.
  struct Errors {
    ErrorSum candidate, start;
    void add(const Errors& o) {
      candidate.add(o.candidate);
      start.add(o.start);
    }
  };
  std::vector<Errors> errors{};  // by trial

  Status trial(const TrialPlan& plan);
  void precision();
  bool done() const { return out.verdict != Verdict::kRight; }

 private:
  bool fail(Verdict verdict, const TrialPlan& plan, std::string what, uint32_t line = 0);
  // False when the candidate is judged.
  Result<bool> launch(Launches& on, const TrialPlan& plan, Data data, const Expected& expected,
                      uint64_t order, std::string_view which, Verdict if_wrong);
  Result<bool> other_state(Launches& on, const TrialPlan& plan, const Expected& first,
                           const std::vector<Launches::Variable>& before);
  Status name_state(const TrialPlan& plan, const device::KernelSpec& spec,
                    const Expected& expected);
  bool compare(const Launches& on, const TrialPlan& plan, Data data, const Expected& expected,
               std::string_view which, Verdict if_wrong, Status& problem);
};

bool EmulatedJudge::Look::fail(Verdict verdict, const TrialPlan& plan, std::string what,
                               uint32_t line) {
  out.verdict = verdict;
  out.line = line;
  const std::string size = device::size_text(plan.size);
  out.reason = fmt::format("{}{} ({}, data {}): {}", size.empty() ? "" : "at ",
                           size.empty() ? "at its launch" : size,
                           plan.secret ? "a size that is not published" : "a published size",
                           name_of(plan.data), std::move(what));
  return false;
}

bool EmulatedJudge::Look::compare(const Launches& on, const TrialPlan& plan, Data data,
                                  const Expected& expected, std::string_view which,
                                  Verdict if_wrong, Status& problem) {
  auto changed = on.changed_input();
  auto outputs = on.outputs();
  if (!changed || !outputs) {
    problem = changed ? outputs.error() : changed.error();
    return false;
  }
  if (!changed->empty())
    return fail(Verdict::kInputChanged, plan, fmt::format("'{}' was written{}", *changed, which));
  auto length = device::evaluate(task.accuracy.length, plan.size.values);
  const double terms = length ? static_cast<double>(*length) : 1;
  const ErrorLimits limits = model_limits(terms, task.accuracy.operations);
  Errors sum;
  for (size_t i = 0; i < outputs->size(); ++i) {
    const ExpectedOutput& e = expected.outputs[i];
    const OutputJudgement j =
        judge_output(e, (*outputs)[i], task.accuracy.arithmetic, limits, expected.start_errors);
    sum.candidate.add(j.errors);
    if (j.wrong == Wrong::kNothing) continue;
    const Verdict why = if_wrong == Verdict::kWrong && j.wrong == Wrong::kUnwritten
                            ? Verdict::kUnwritten
                            : if_wrong;
    return fail(why, plan, wrong_text(e, j) + std::string(which));
  }
  sum.start = expected.start_errors;
  if (!is_special(data)) errors.back().add(sum);
  ++out.trials;
  return true;
}

Result<bool> EmulatedJudge::Look::launch(Launches& on, const TrialPlan& plan, Data data,
                                         const Expected& expected, uint64_t order,
                                         std::string_view which, Verdict if_wrong) {
  emulator::Options options;
  options.seed = order;
  options.clock_start = order == plan.seed ? 0 : kLaterClock + (order & 0xffffffff);
  options.checks.uninitialised = options.checks.async_copies = options.checks.races = true;
  options.instruction_budget =
      std::max(kLeastPatience, check::patience(expected.start_instructions, kMostInstructions));
  auto outcome = on.launch(options);
  if (!outcome) return fail(Verdict::kContract, plan, outcome.error().message);
  if (!outcome->ok()) {
    const emulator::Fault& f = outcome->faults.front();
    return fail(verdict_of(f.kind), plan,
                f.line == 0 ? f.message + std::string(which)
                            : fmt::format("line {}: {}{}", f.line, f.message, which),
                f.line);
  }
  Status problem = Ok{};
  const bool right = compare(on, plan, data, expected, which, if_wrong, problem);
  if (!problem) return problem.error();
  return right;
}

// Variables that a launch changed, with contents that no launch has left there.
Result<bool> EmulatedJudge::Look::other_state(Launches& on, const TrialPlan& plan,
                                              const Expected& first,
                                              const std::vector<Launches::Variable>& before) {
  auto after = on.variables();
  if (!after) return after.error();
  std::vector<size_t> changed;
  for (size_t i = 0; i < before.size(); ++i)
    if ((*after)[i].bytes != before[i].bytes) changed.push_back(i);
  if (changed.empty()) return true;
  const device::KernelSpec spec = with_data(candidate.spec, plan.data, plan.seed);
  Draws draws(plan.seed);
  for (int kind = 0; kind < 4; ++kind) {
    for (size_t i : changed) {
      Launches::Variable v = (*after)[i];
      for (std::byte& b : v.bytes)
        b = kind == 0   ? std::byte{0xff}
            : kind == 1 ? static_cast<std::byte>(draws.bits())
                        : std::byte{0};
      // A count that is high, word by word.
      if (kind == 2)
        for (size_t w = 0; w + 3 < v.bytes.size(); w += 4) v.bytes[w + 2] = std::byte{0x10};
      if (kind == 3)
        for (size_t w = 0; w < v.bytes.size(); w += 4) v.bytes[w] = std::byte{1};
      if (Status s = on.set_variable(v); !s) return s.error();
    }
    if (Status s = on.refill(spec, plan.seed); !s) return s.error();
    if (Status s = on.poison_outputs(); !s) return s.error();
    auto right = launch(on, plan, plan.data, first, plan.seed,
                        fmt::format(", when '{}', which a launch changes, holds something else "
                                    "before it",
                                    (*after)[changed[0]].name),
                        Verdict::kStateful);
    if (right && !*right) out.verdict = Verdict::kStateful;
    if (!right || !*right) return right;
  }
  return true;
}

// What is off in a second launch and in a first one with the same inputs too has no state.
Status EmulatedJudge::Look::name_state(const TrialPlan& plan, const device::KernelSpec& spec,
                                       const Expected& expected) {
  if (out.verdict != Verdict::kStateful) return Ok{};
  auto fresh =
      Launches::make(*candidate.program, candidate.kernel, spec, plan.size, plan.second_seed);
  if (!fresh) return fresh.error();
  const std::string reason = std::exchange(out.reason, {});
  out.verdict = Verdict::kRight;
  auto right = launch(*fresh, plan, plan.data, expected, plan.seed, "", Verdict::kWrong);
  if (!right) return right.error();
  if (*right) {
    out.verdict = Verdict::kStateful;
    out.reason = reason;
  }
  return Ok{};
}

Status EmulatedJudge::Look::trial(const TrialPlan& plan) {
  errors.emplace_back();
  auto first = oracle.at(plan.size, plan.data, plan.seed);
  if (!first) return first.error();
  const device::KernelSpec spec = with_data(candidate.spec, plan.data, plan.seed);
  auto on = Launches::make(*candidate.program, candidate.kernel, spec, plan.size, plan.seed);
  if (!on) {
    fail(Verdict::kContract, plan, on.error().message);
    return Ok{};
  }
  const auto step = [&](Result<bool> r, Status& s) {
    if (!r) s = r.error();
    return r && *r;
  };
  Status s = Ok{};
  auto before = on->variables();
  if (!before) return before.error();
  if (!step(launch(*on, plan, plan.data, **first, plan.seed, "", Verdict::kWrong), s)) return s;
  auto bits = on->outputs();
  if (!bits) return bits.error();

  // Special values once are enough: what the other launches look for does not hang on them.
  if (!is_special(plan.data)) {
    auto second = oracle.at(plan.size, plan.data, plan.second_seed);
    if (!second) return second.error();
    const auto other = with_data(candidate.spec, plan.data, plan.second_seed);
    if (s = on->refill(other, plan.second_seed); !s) return s;
    if (!step(launch(*on, plan, plan.data, **second, plan.seed,
                     ", in a second launch with other inputs", Verdict::kStateful),
              s))
      return s ? name_state(plan, other, **second) : s;

    if (s = on->refill(spec, plan.seed); !s) return s;
    for (size_t i = 0; i < (*first)->outputs.size(); ++i) {
      const auto role = [&] {
        size_t n = i;
        for (const device::ArgumentSpec& a : spec.arguments)
          if (a.is_buffer && a.role != device::Role::kIn && n-- == 0) return a.role;
        return device::Role::kIn;
      }();
      if (role != device::Role::kOut) continue;
      if (s = on->set_output(i, nearly_right((*first)->outputs[i], plan.second_seed)); !s) return s;
    }
    if (!step(launch(*on, plan, plan.data, **first, plan.seed,
                     ", in a launch whose outputs held nearly the right values before it",
                     Verdict::kStateful),
              s))
      return s;
    if (!step(other_state(*on, plan, **first, *before), s)) return s;
  }

  auto again = Launches::make(*candidate.program, candidate.kernel, spec, plan.size, plan.seed);
  if (!again) return again.error();
  if (!step(launch(*again, plan, plan.data, **first, plan.seed ^ kOtherOrder,
                   ", with its warps in another order and its clocks at another time",
                   Verdict::kUnrepeatable),
            s))
    return s;
  auto bits_again = again->outputs();
  if (!bits_again) return bits_again.error();
  if (task.accuracy.repeatable && *bits != *bits_again)
    fail(Verdict::kUnrepeatable, plan,
         "other bits when its warps run in another order and its clocks at another time");
  return Ok{};
}

EmulatedJudge::EmulatedJudge(Oracle& oracle, const EmulatedOptions& options)
    : oracle_(oracle),
      options_(options),
      plan_(plan_trials(oracle.task(), options.seed, options.drawn)) {}

// Errors in the mean square show a lower precision that no single element does.
void EmulatedJudge::Look::precision() {
  Errors all;
  for (const Errors& e : errors) all.add(e);
  std::vector<Errors> looks = errors;
  looks.push_back(all);
  out.worst_error = all.candidate.worst;
  out.rms_error = all.candidate.rms();
  out.start_rms_error = all.start.rms();
  for (const Errors& e : looks) {
    if (e.candidate.count < kEnoughForRms) continue;
    const double slack = 1.2 + 3 / std::sqrt(static_cast<double>(e.candidate.count));
    const double allowed = std::max(slack * e.start.rms() + 0.02, e.candidate.explained_rms());
    if (e.candidate.rms() <= allowed) continue;
    out.verdict = Verdict::kImprecise;
    out.reason = fmt::format(
        "over {} elements rounding errors are {:.3g} units in the mean square; the start kernel's "
        "are {:.3g}, and {:.3g} is allowed",
        e.candidate.count, e.candidate.rms(), e.start.rms(), allowed);
    return;
  }
  if (task.accuracy.arithmetic != ptx::Type::kF32 || task.accuracy.length != "1") return;
  const double most =
      std::max(model_limits(1, task.accuracy.operations).worst, 2 * all.start.worst);
  out.reason = beyond_documented(candidate, oracle.start(), most, out.line);
  if (!out.reason.empty()) out.verdict = Verdict::kImprecise;
}

Status EmulatedJudge::judge(const Candidate& candidate, Judgement& out) {
  out.verdict = Verdict::kRight;
  out.seed = options_.seed;
  out.device = "emu";
  Look look{candidate, oracle_, out};
  for (const TrialPlan& plan : plan_) {
    if (Status s = look.trial(plan); !s) return s;
    if (look.done()) return Ok{};
  }
  look.precision();
  if (!look.done()) out.tier = Tier::kRight;
  return Ok{};
}

}  // namespace pitot::bench
