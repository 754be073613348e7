#include "bench/device_judge.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "bench/wrong_text.h"
#include "device/prepare.h"

namespace pitot::bench {
namespace {

Verdict verdict_of_fault(const std::string& kind) {
  return kind == "timeout" ? Verdict::kHang : Verdict::kFault;
}

// The timed sizes, then private ones and special data, of each kind of data one.
std::vector<TrialPlan> plan_of(const Task& task, const DeviceOptions& options) {
  std::vector<TrialPlan> out;
  for (const device::SizeSpec& size : task.timed)
    out.push_back({size, false, Data::kGiven, options.seed, options.seed});
  std::set<Data> had;
  for (TrialPlan& plan : plan_trials(task, options.seed, options.drawn)) {
    if (had.size() == options.trials) break;
    if ((plan.secret || is_special(plan.data)) && had.insert(plan.data).second)
      out.push_back(std::move(plan));
  }
  return out;
}

double mean_speedup(const std::vector<Timing>& timings) {
  double sum = 0, n = 0;
  for (const Timing& t : timings)
    if (t.cache == "warm") {
      sum += std::log(t.speedup);
      ++n;
    }
  return n > 0 ? std::exp(sum / n) : 0;
}

}  // namespace

Result<DeviceJudge> DeviceJudge::make(const Task& task, const Candidate* baseline,
                                      const DeviceOptions& options) {
  auto oracle = Oracle::make(task, options.run);
  if (!oracle) return oracle.error();
  return DeviceJudge(task, baseline, options, std::move(*oracle));
}

DeviceJudge::DeviceJudge(const Task& task, const Candidate* baseline, const DeviceOptions& options,
                         Oracle oracle)
    : task_(&task),
      plan_(plan_of(task, options)),
      baseline_(baseline),
      options_(options),
      oracle_(std::move(oracle)) {}

Result<bool> DeviceJudge::right(const Candidate& candidate, const TrialPlan& plan, Judgement& out) {
  auto expected = oracle_.at(plan.size, plan.data, plan.seed);
  if (!expected) return expected.error();
  auto run = options_.run(candidate, with_data(candidate.spec, plan.data, plan.seed), plan.size,
                          plan.seed);
  if (!run) return run.error();
  const auto fail = [&](Verdict verdict, const std::string& why) {
    out.verdict = verdict;
    out.reason = fmt::format(
        "on {} at {}{}: {}", options_.name, device::size_text(plan.size),
        plan.data == Data::kGiven ? std::string() : fmt::format(", data {}", name_of(plan.data)),
        why);
    return false;
  };
  if (!run->ok()) return fail(verdict_of_fault(run->faults[0].kind), run->faults[0].message);
  auto length = device::evaluate(task_->accuracy.length, plan.size.values);
  const ErrorLimits limits =
      model_limits(length ? static_cast<double>(*length) : 1, task_->accuracy.operations);
  for (size_t i = 0; i < run->outputs.size(); ++i) {
    const ExpectedOutput& e = (*expected)->outputs[i];
    const OutputJudgement j = judge_output(e, run->outputs[i].bytes, task_->accuracy.arithmetic,
                                           limits, (*expected)->start_errors);
    out.worst_error = std::max(out.worst_error, j.errors.worst);
    if (j.wrong != Wrong::kNothing)
      return fail(j.wrong == Wrong::kUnwritten ? Verdict::kUnwritten : Verdict::kWrong,
                  wrong_text(e, j));
  }
  ++out.trials;
  return true;
}

Status DeviceJudge::judge(const Candidate& candidate, Judgement& out) {
  out.device = options_.name;
  out.timings.clear();
  out.speedup = 0;
  out.tier = Tier::kCompiles;
  for (const TrialPlan& plan : plan_) {
    auto goes_on = right(candidate, plan, out);
    if (!goes_on) return goes_on.error();
    if (!*goes_on) return Ok{};
  }
  out.tier = Tier::kRight;
  return options_.time ? time(candidate, out) : Ok{};
}

// Over the faster of baseline and start kernel, each measured here: a baseline that was the best on
// another GPU may not be it on this one.
Status DeviceJudge::time(const Candidate& candidate, Judgement& out) {
  const Candidate& start = oracle_.start();
  for (const device::SizeSpec& size : task_->timed)
    for (bool cold : {false, true}) {
      if (cold && !options_.cold) continue;
      Timing t;
      t.size = device::size_text(size);
      t.cache = cold ? "cold" : "warm";
      const auto [known, is_new] = best_known_.try_emplace(t.size + t.cache);
      Best& best = known->second;
      if (is_new) {
        best.kernel = &start;
        if (baseline_ != nullptr) {
          auto both = options_.time(*baseline_, start, size, cold, options_.seed);
          if (!both) return both.error();
          if (both->candidate_us < both->other_us)
            best = {baseline_, both->other_us, both->speedup, both->low, both->high};
        }
      }
      auto timed = options_.time(candidate, *best.kernel, size, cold, options_.seed);
      if (!timed) {
        out.findings.push_back({"not-timed", timed.error().message, 0});
        out.timings.clear();
        return Ok{};
      }
      t.candidate_us = timed->candidate_us;
      t.baseline_us = timed->other_us;
      t.start_us = best.kernel == &start ? timed->other_us : best.start_us;
      t.speedup = timed->speedup;
      t.low = timed->low;
      t.high = timed->high;
      t.over_start = timed->speedup * best.over_start;
      // Two comparisons that know nothing of each other.
      const auto both = [&](double of_this, double of_best) {
        return std::hypot(std::log(of_this / timed->speedup), std::log(of_best / best.over_start));
      };
      t.over_start_low = t.over_start * std::exp(-both(timed->low, best.low));
      t.over_start_high = t.over_start * std::exp(both(timed->high, best.high));
      out.timings.push_back(std::move(t));
    }
  out.speedup = mean_speedup(out.timings);
  out.clock = options_.name;
  out.tier = Tier::kTimed;
  return Ok{};
}

}  // namespace pitot::bench
