#include "bench/judge.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>

#include "device/prepare.h"
#include "ptx/parser.h"
#include "support/archive.h"
#include "toolchain/ptxas.h"

namespace pitot::bench {

template <class A>
void fields(A& a, Submission& s) {
  a(s.name, s.generator, s.round, s.sample, s.text);
}

namespace {

// What the child says: a judgement, or why the task itself is at fault.
struct Answer {
  Judgement judgement;
  std::string error;
};
template <class A>
void fields(A& a, Answer& x) {
  a(x.judgement, x.error);
}

// What a child may not do: leave core files behind, write large files.
void limit_child() {
  const rlimit none{0, 0}, small{1 << 26, 1 << 26};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_FSIZE, &small);
}

double geometric_mean(const std::vector<Timing>& timings) {
  double sum = 0;
  for (const Timing& t : timings) sum += std::log(t.speedup);
  return timings.empty() ? 0 : std::exp(sum / static_cast<double>(timings.size()));
}

}  // namespace

Result<std::unique_ptr<Judge>> Judge::make(const Task& task, const JudgeOptions& options) {
  auto oracle = Oracle::make(task);
  if (!oracle) return oracle.error();
  std::unique_ptr<Judge> out(new Judge(task, options, std::move(*oracle)));
  if (task.baseline) {
    auto baseline = load_kernel(task.baseline->spec);
    if (!baseline) return baseline.error();
    out->baseline_ = std::move(*baseline);
  }
  return out;
}

Judge::Judge(const Task& task, const JudgeOptions& options, Oracle oracle)
    : task_(task),
      options_(options),
      oracle_(std::move(oracle)),
      child_([this](std::string_view request) { return work(request); }) {}

// False: it is judged.
bool Judge::assembles(const Submission& submission, Judgement& out) {
  if (options_.toolkit == nullptr) return true;
  const ptx::Module module = ptx::parse(submission.name, submission.text);
  if (module.target.sm == 0) return true;  // the verifier says what is missing
  auto made =
      toolchain::assemble(*options_.toolkit, submission.text, module.target, {}, options_.cache);
  if (!made) {
    out.findings.push_back({"not-assembled", made.error().message, 0});
    return true;
  }
  for (const auto& f : made->report.functions)
    out.registers = std::max(out.registers, static_cast<uint32_t>(f.registers.value_or(0)));
  if (made->accepted) return true;
  out.verdict = Verdict::kNoCompile;
  out.reason = "ptxas refuses it";
  if (!made->report.messages.empty()) {
    const auto& m = made->report.messages.front();
    out.line = m.line;
    out.reason +=
        fmt::format(": {}{}", m.line != 0 ? fmt::format("line {}: ", m.line) : "", m.text);
  }
  return false;
}

Result<Judgement> Judge::judge(const Submission& s) {
  const auto began = std::chrono::steady_clock::now();
  Judgement out;
  out.task = task_.name;
  out.kind = task_.kind;
  out.candidate = s.name;
  out.generator = s.generator;
  out.round = s.round;
  out.sample = s.sample;
  out.seed = options_.emulated.seed;
  const auto finish = [&] {
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return out;
  };
  if (!assembles(s, out)) {
    out.program = program_hash(s.text);
    return finish();
  }
  Submission request = s;
  auto answer = child_.call(to_bytes(request), options_.seconds);
  Answer a;
  if (answer && from_bytes(*answer, a)) {
    if (!a.error.empty()) return input_error(task_.name + ": " + a.error);
    const uint32_t registers = out.registers;
    std::vector<Finding> before = std::move(out.findings);
    out = std::move(a.judgement);
    out.registers = registers;
    out.findings.insert(out.findings.begin(), before.begin(), before.end());
    if (options_.device && out.right())
      if (Status done = judge_on_device(s, out); !done) return done.error();
    return finish();
  }
  out.program = program_hash(s.text);
  out.tier = Tier::kCompiles;
  out.verdict = child_.timed_out() ? Verdict::kHang : Verdict::kCrashed;
  out.reason = child_.timed_out() ? fmt::format("no end within {:.3g} s", options_.seconds)
                                  : (answer ? "the process that ran it answered nonsense"
                                            : answer.error().message);
  return finish();
}

// Here and not in the child: what runs on the GPU has children of its own.
Status Judge::judge_on_device(const Submission& s, Judgement& out) {
  if (!device_) {
    auto made = DeviceJudge::make(task_, baseline_ ? &*baseline_ : nullptr, *options_.device);
    if (!made) return made.error();
    device_.emplace(std::move(*made));
  }
  const Admission a = admit(task_, oracle_.start(), s.text);
  if (a.verdict != Verdict::kRight) return failed_error(a.reason);
  return device_->judge(a.candidate, out);
}

std::string Judge::work(std::string_view request) {
  limit_child();
  Submission s;
  Answer a;
  if (!from_bytes(request, s)) return {};
  Judgement& j = a.judgement;
  j.task = task_.name;
  j.kind = task_.kind;
  j.candidate = s.name;
  j.generator = s.generator;
  j.round = s.round;
  j.sample = s.sample;
  j.seed = options_.emulated.seed;
  if (Status done = judge_here(s, j); !done) a.error = done.error().message;
  return to_bytes(a);
}

Status Judge::judge_here(const Submission& s, Judgement& out) {
  Admission a = admit(task_, oracle_.start(), s.text);
  out.program = a.candidate.hash;
  out.findings = std::move(a.findings);
  out.verdict = a.verdict;
  out.reason = std::move(a.reason);
  out.line = a.line;
  if (a.verdict == Verdict::kNoCompile) return Ok{};
  out.tier = Tier::kCompiles;
  if (a.verdict != Verdict::kRight) return Ok{};
  if (Status done = EmulatedJudge(oracle_, options_.emulated).judge(a.candidate, out); !done)
    return done;
  return out.right() && options_.model ? time(a.candidate, out) : Ok{};
}

// Over the start kernel where there is no baseline, or where it is the faster one by this clock:
// a speed-up is over the best that is known.
Status Judge::time(const Candidate& candidate, Judgement& out) {
  const auto not_timed = [&](const char* what, const Error& why) {
    out.findings.push_back({"not-timed", fmt::format("{}: {}", what, why.message), 0});
    out.timings.clear();
    return Status(Ok{});
  };
  for (const device::SizeSpec& size : task_.timed) {
    Timing t;
    t.size = device::size_text(size);
    t.cache = "model";
    auto known = known_us_.find(t.size);
    if (known == known_us_.end()) {
      auto start = options_.model(oracle_.start(), size);
      if (!start) return not_timed("the start kernel", start.error());
      double best = *start;
      if (baseline_) {
        auto b = options_.model(*baseline_, size);
        if (!b) return not_timed("the baseline", b.error());
        best = std::min(best, *b);
      }
      known = known_us_.emplace(t.size, std::pair{best, *start}).first;
    }
    auto us = options_.model(candidate, size);
    if (!us || !(*us > 0)) {
      return not_timed("the candidate",
                       us ? failed_error("its modelled time is no number") : us.error());
    }
    t.candidate_us = *us;
    t.baseline_us = known->second.first;
    t.start_us = known->second.second;
    t.speedup = t.low = t.high = t.baseline_us / t.candidate_us;
    t.over_start = t.over_start_low = t.over_start_high = t.start_us / t.candidate_us;
    out.timings.push_back(std::move(t));
  }
  out.speedup = geometric_mean(out.timings);
  out.clock = options_.model_name;
  out.tier = Tier::kTimed;
  return Ok{};
}

}  // namespace pitot::bench
