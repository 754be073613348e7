#include "bench/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "bench/emulated_judge.h"
#include "device/prepare.h"
#include "support/file.h"

namespace pitot::bench {
namespace {

constexpr double kLeastError = 1e-3;  // units; of a start kernel that rounds at all

// A kernel of the task's own has to pass as a candidate.
Status pass_as_candidate(const Task& task, Oracle& oracle, const device::KernelSpec& spec,
                         const char* what, const ValidateOptions& options, TaskHealth& out) {
  Candidate c;
  if (spec.ptx == task.spec.ptx) {
    auto text = read_file(task.beside(spec.ptx));
    if (!text) return text.error();
    Admission a = admit(task, oracle.start(), std::move(*text));
    if (a.verdict != Verdict::kRight) {
      out.problems.push_back(fmt::format("the {} is no candidate: {}", what, a.reason));
      return Ok{};
    }
    c = std::move(a.candidate);
  } else {
    auto loaded = load_kernel(spec);
    if (!loaded) return loaded.error();
    c = std::move(*loaded);
  }
  Judgement j;
  EmulatedOptions how;
  how.seed = options.seed;
  how.drawn = options.drawn;
  if (Status s = EmulatedJudge(oracle, how).judge(c, j); !s) {
    out.problems.push_back(s.error().message);
    return Ok{};
  }
  out.launches += j.trials;
  if (!j.right())
    out.problems.push_back(
        fmt::format("the {} is judged '{}': {}", what, name_of(j.verdict), j.reason));
  return Ok{};
}

// What an oracle must not do: units hang on its scales, and with wrong ones everything is exact.
std::string oracle_problem(const ExpectedOutput& e) {
  const auto is_unwritten = [](double v) {
    return is_poison(std::bit_cast<uint64_t>(v), sizeof v);
  };
  for (size_t i = 0; i < e.exact.size(); ++i) {
    if (is_unwritten(e.exact[i])) return fmt::format("the oracle does not write {}[{}]", e.name, i);
    if (is_unwritten(e.scale[i]))
      return fmt::format("the oracle does not write {}_scale[{}]", e.name, i);
    if (!std::isfinite(e.exact[i])) continue;
    if (e.scale[i] < 0 || std::isnan(e.scale[i]) || (e.scale[i] == 0 && e.exact[i] != 0))
      return fmt::format(
          "the oracle's {}_scale[{}] is {:.3g} where {} is {:.3g}: what its rounding "
          "errors are relative to is at least what is rounded",
          e.name, i, e.scale[i], e.name, e.exact[i]);
  }
  return {};
}

}  // namespace

TaskSummary summary_of(const Task& task) {
  TaskSummary out;
  out.name = task.name;
  out.title = task.title;
  out.kind = task.kind;
  out.arithmetic = task.accuracy.arithmetic == ptx::Type::kNone
                       ? "exact"
                       : std::string(ptx::name_of(task.accuracy.arithmetic));
  out.difficulty = task.difficulty;
  out.sizes = static_cast<uint32_t>(task.spec.sizes.size());
  out.timed = static_cast<uint32_t>(task.timed.size());
  out.has_private = !task.ranges.empty();
  if (task.baseline)
    out.baseline = fmt::format("{}, best of {}", task.baseline->gpu, task.baseline->among);
  return out;
}

Result<TaskHealth> validate(const Task& task, const ValidateOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  TaskHealth out;
  out.task = summary_of(task);
  auto oracle = Oracle::make(task);
  if (!oracle) return oracle.error();
  std::error_code none;
  if (!task.tuned_source.empty() && !std::filesystem::exists(task.beside(task.tuned_source), none))
    out.problems.push_back(
        fmt::format("[tuned] names '{}', which is not there", task.tuned_source));
  ErrorSum errors;
  for (const TrialPlan& plan : plan_trials(task, options.seed, options.drawn)) {
    auto e = oracle->at(plan.size, plan.data, plan.seed);
    const std::string where =
        fmt::format("{} (data {})", device::size_text(plan.size), name_of(plan.data));
    if (!e) {
      out.problems.push_back(fmt::format("at {}: {}", where, e.error().message));
      break;
    }
    ++out.launches;
    for (const ExpectedOutput& o : (*e)->outputs)
      if (std::string why = oracle_problem(o); !why.empty() && !is_special(plan.data))
        out.problems.push_back(fmt::format("at {}: {}", where, why));
    if (!(*e)->start_exact)
      (is_special(plan.data) ? out.notes : out.problems)
          .push_back(fmt::format("at {}: {}", where, (*e)->start_difference));
    if (is_special(plan.data)) continue;
    errors.add((*e)->start_errors);
    auto length = device::evaluate(task.accuracy.length, plan.size.values);
    const ErrorLimits limits =
        model_limits(length ? static_cast<double>(*length) : 1, task.accuracy.operations);
    if ((*e)->start_errors.worst > limits.worst)
      out.problems.push_back(fmt::format(
          "at {}: the start kernel is off by {:.3g} roundings; [accuracy] allows {:.3g}", where,
          (*e)->start_errors.worst, limits.worst));
  }
  out.worst_error = errors.worst;
  out.rms_error = errors.rms();
  if (out.problems.empty()) {
    if (Status s = pass_as_candidate(task, *oracle, task.spec, "start kernel", options, out); !s)
      return s.error();
    if (task.baseline)
      if (Status s =
              pass_as_candidate(task, *oracle, task.baseline->spec, "baseline", options, out);
          !s)
        return s.error();
  }
  if (out.worst_error > 0 && out.worst_error < kLeastError)
    out.problems.push_back(
        fmt::format("the start kernel's errors are {:.3g} units at most, and one rounding is off "
                    "by about a half: "
                    "the oracle's scales are too large",
                    out.worst_error));
  if (task.roofline.flops.empty() && task.roofline.bytes.empty())
    out.notes.push_back("it has no [roofline]");
  if (!task.baseline)
    out.notes.push_back("it has no baseline: speed-ups are over the start kernel");
  if (task.ranges.empty())
    out.notes.push_back("it has no [private] sizes: candidates are judged on published ones only");
  constexpr size_t kMost = 10;
  for (auto* list : {&out.problems, &out.notes})
    if (list->size() > kMost) {
      const size_t more = list->size() - kMost;
      list->resize(kMost);
      list->push_back(fmt::format("and {} more of the kind", more));
    }
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return out;
}

}  // namespace pitot::bench
