#include "report/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/json.h"
#include "support/csv.h"

namespace pitot::report {
namespace {

using bench::Interval;
using bench::Judgement;
using bench::Scores;

Json interval_json(const Interval& i) {
  return Json{{"value", i.value}, {"ci95", {i.low, i.high}}};
}

Json pass_json(const std::map<uint32_t, Interval>& pass) {
  Json out = Json::object();
  for (const auto& [k, p] : pass) out[fmt::format("{}", k)] = interval_json(p);
  return out;
}

std::string threshold(size_t i) { return fmt::format("{}", bench::kFastThresholds[i]); }

Json judgement_json(const Judgement& j) {
  Json timings = Json::array();
  for (const bench::Timing& t : j.timings)
    timings.push_back({{"size", t.size},
                       {"cache", t.cache},
                       {"candidate_us", t.candidate_us},
                       {"baseline_us", t.baseline_us},
                       {"start_us", t.start_us},
                       {"speedup", t.speedup},
                       {"ci95", {t.low, t.high}},
                       {"over_start", t.over_start},
                       {"over_start_ci95", {t.over_start_low, t.over_start_high}}});
  Json findings = Json::array();
  for (const bench::Finding& f : j.findings)
    findings.push_back({{"code", f.code}, {"message", f.message}, {"line", f.line}});
  return Json{{"task", j.task},
              {"kind", j.kind},
              {"candidate", j.candidate},
              {"program", j.program},
              {"generator", j.generator},
              {"round", j.round},
              {"sample", j.sample},
              {"tier", static_cast<int>(j.tier)},
              {"verdict", bench::name_of(j.verdict)},
              {"reason", j.reason},
              {"line", j.line},
              {"findings", findings},
              {"trials", j.trials},
              {"worst_error", j.worst_error},
              {"rms_error", j.rms_error},
              {"start_rms_error", j.start_rms_error},
              {"device", j.device},
              {"clock", j.clock},
              {"timings", timings},
              {"speedup", j.speedup > 0 ? Json(j.speedup) : Json(nullptr)},
              {"seed", j.seed},
              {"registers", j.registers},
              {"seconds", j.seconds}};
}

Json scores_json(const Scores& s) {
  Json tasks = Json::array();
  for (const bench::TaskScore& t : s.tasks) {
    Json pass = Json::object(), fast = Json::object();
    for (const auto& [k, p] : t.pass) pass[fmt::format("{}", k)] = p;
    for (size_t i = 0; i < t.fast.size(); ++i) fast[threshold(i)] = t.fast[i];
    tasks.push_back({{"task", t.task},
                     {"kind", t.kind},
                     {"samples", t.samples},
                     {"compiled", t.compiled},
                     {"right", t.right},
                     {"timed", t.timed},
                     {"pass", pass},
                     {"fast", fast},
                     {"median_speedup", t.median_speedup},
                     {"best_speedup", t.best_speedup}});
  }
  Json fast = Json::object();
  for (size_t i = 0; i < s.fast.size(); ++i) fast[threshold(i)] = interval_json(s.fast[i]);
  return Json{{"generator", s.generator},
              {"samples", s.samples},
              {"tasks", s.tasks.size()},
              {"verdicts", s.verdicts},
              {"pass", pass_json(s.pass)},
              {"fast", fast},
              {"speedup", interval_json(s.speedup)},
              {"speedup_of_right", s.right_tasks > 0 ? interval_json(s.speedup_of_right) : Json()},
              {"right_tasks", s.right_tasks},
              {"by_task", tasks}};
}

std::string interval_text(const Interval& i) {
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", i.value, i.low, i.high);
}

std::string percent_text(const Interval& i) {
  return fmt::format("{:.1f} % ({:.1f} to {:.1f})", 100 * i.value, 100 * i.low, 100 * i.high);
}

std::string candidate_line(const Judgement& j, const TextStyle& style) {
  const bool fine = j.right();
  std::string out = fmt::format("{:<24} {:<20} {}", j.task, j.candidate,
                                ink(style, fine ? Ink::kGood : Ink::kError,
                                    fmt::format("{:<13}", bench::name_of(j.verdict))));
  if (j.speedup > 0) out += fmt::format("  {:.3f}x", j.speedup);
  if (!j.reason.empty()) out += "  " + j.reason;
  out += "\n";
  for (const bench::Finding& f : j.findings)
    out += fmt::format("    note: {}{} [{}]\n",
                       f.line != 0 ? fmt::format("line {}: ", f.line) : std::string(), f.message,
                       f.code);
  return out;
}

std::string scores_text(const Scores& s, const TextStyle& style) {
  std::string out = ink(style, Ink::kBold, fmt::format("{}", s.generator)) +
                    fmt::format(": {} samples of {} tasks\n", s.samples, s.tasks.size());
  out += "  verdicts      ";
  bool first = true;
  for (const auto& [name, count] : s.verdicts) {
    out += fmt::format("{}{} {}", first ? "" : ", ", count, name);
    first = false;
  }
  out += "\n";
  for (const auto& [k, p] : s.pass)
    out += fmt::format("  {:<13} {}\n", fmt::format("pass@{}", k), percent_text(p));
  for (size_t i = 0; i < s.fast.size(); ++i)
    out +=
        fmt::format("  {:<13} {}\n", fmt::format("fast_{}", threshold(i)), percent_text(s.fast[i]));
  out += fmt::format("  {:<13} {}  geometric mean of tasks' medians; what failed counts as 1\n",
                     "speed-up", interval_text(s.speedup));
  if (s.right_tasks > 0)
    out += fmt::format("  {:<13} {}  right samples alone, {} tasks\n", "  of right",
                       interval_text(s.speedup_of_right), s.right_tasks);
  return out;
}

std::string times_text(const Interval& log) {
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", std::exp(log.value), std::exp(log.low),
                     std::exp(log.high));
}

std::string split_text(const bench::SplitScores& s, const TextStyle& style) {
  std::string out;
  for (const auto& [name, part] : {std::pair{"seen", &s.seen}, std::pair{"unseen", &s.unseen}}) {
    out += ink(style, Ink::kBold, fmt::format("{}, {}", s.generator, name)) +
           fmt::format(": {} samples of {} tasks", part->samples, part->tasks.size());
    if (!part->tasks.empty()) {
      if (auto p = part->pass.find(1); p != part->pass.end())
        out += fmt::format(", pass@1 {}", percent_text(p->second));
      out += fmt::format(", speed-up {}", interval_text(part->speedup));
    }
    out += "\n";
  }
  if (!s.seen.tasks.empty() && !s.unseen.tasks.empty())
    out += fmt::format(
        "  unseen beside seen: pass@1 {:+.1f} points ({:+.1f} to {:+.1f}), speed-up {} times\n",
        100 * s.pass_gap.value, 100 * s.pass_gap.low, 100 * s.pass_gap.high,
        times_text(s.log_speed_gap));
  return out;
}

}  // namespace

std::string transfer_json(const std::vector<bench::Transfer>& transfers, const std::string& first,
                          const std::string& second) {
  Json list = Json::array();
  for (const bench::Transfer& t : transfers)
    list.push_back({{"generator", t.generator},
                    {"judged", t.judged},
                    {"programs", t.programs},
                    {"tasks", t.tasks},
                    {"log_speedup_first", interval_json(t.log_first)},
                    {"log_speedup_second", interval_json(t.log_second)},
                    {"log_kept", interval_json(t.log_kept)},
                    {"faster", t.faster},
                    {"still_faster", t.still_faster},
                    {"now_slower", t.now_slower}});
  return dump(Json{{"schema", "pitot.bench-transfer/1"},
                   {"first", first},
                   {"second", second},
                   {"generators", list}});
}

std::string transfer_text(const std::vector<bench::Transfer>& transfers, const std::string& first,
                          const std::string& second, const TextStyle& style) {
  std::string out = "first:  " + first + "\nsecond: " + second + "\n";
  for (const bench::Transfer& t : transfers) {
    out += ink(style, Ink::kBold, t.generator) +
           fmt::format(": {} of {} programs are right and timed in both, of {} tasks\n", t.programs,
                       t.judged, t.tasks);
    if (t.programs == 0) continue;
    out += fmt::format("  speed-up      {} first, {} second; second beside first {}\n",
                       times_text(t.log_first), times_text(t.log_second), times_text(t.log_kept));
    out += fmt::format(
        "  of {} that are faster by more than 1 % first, {} are second and {} are slower by more "
        "than 1 %\n",
        t.faster, t.still_faster, t.now_slower);
  }
  return out;
}

std::string tasks_text(const std::vector<bench::TaskSummary>& tasks) {
  std::string out = fmt::format("{:<26} {:<14} {:>4} {:<6} {:>5} {:>5}  {:<26} {}\n", "task",
                                "kind", "diff", "arith", "sizes", "timed", "baseline", "title");
  for (const bench::TaskSummary& t : tasks)
    out += fmt::format("{:<26} {:<14} {:>4} {:<6} {:>5} {:>5}  {:<26} {}\n", t.name, t.kind,
                       t.difficulty, t.arithmetic, t.sizes, t.timed,
                       t.baseline.empty() ? "the start kernel" : t.baseline, t.title);
  out += fmt::format("{} tasks\n", tasks.size());
  return out;
}

static Json task_json(const bench::TaskSummary& t) {
  return Json{{"name", t.name},
              {"title", t.title},
              {"kind", t.kind},
              {"arithmetic", t.arithmetic},
              {"difficulty", t.difficulty},
              {"sizes", t.sizes},
              {"timed", t.timed},
              {"private", t.has_private},
              {"baseline", t.baseline.empty() ? Json(nullptr) : Json(t.baseline)}};
}

std::string tasks_json(const std::vector<bench::TaskSummary>& tasks) {
  Json list = Json::array();
  for (const auto& t : tasks) list.push_back(task_json(t));
  return dump(Json{{"schema", "pitot.bench-list/1"}, {"tasks", list}});
}

std::string health_text(const std::vector<bench::TaskHealth>& tasks, const TextStyle& style) {
  std::string out;
  size_t sound = 0;
  for (const bench::TaskHealth& h : tasks) {
    const bool fine = h.problems.empty();
    sound += fine;
    out += fmt::format(
        "{:<26} {}  {} launches, errors at most {:.3g} roundings, rms {:.3g}, {:.1f} s\n",
        h.task.name, ink(style, fine ? Ink::kGood : Ink::kError, fine ? "sound" : "BAD  "),
        h.launches, h.worst_error, h.rms_error, h.seconds);
    for (const std::string& p : h.problems) out += "    " + p + "\n";
    for (const std::string& n : h.notes) out += "    note: " + n + "\n";
  }
  out += fmt::format("{} of {} tasks are sound\n", sound, tasks.size());
  return out;
}

std::string health_json(const std::vector<bench::TaskHealth>& tasks) {
  Json list = Json::array();
  for (const bench::TaskHealth& h : tasks) {
    Json j = task_json(h.task);
    j["ok"] = h.problems.empty();
    j["problems"] = h.problems;
    j["notes"] = h.notes;
    j["launches"] = h.launches;
    j["worst_error"] = h.worst_error;
    j["rms_error"] = h.rms_error;
    j["seconds"] = h.seconds;
    list.push_back(std::move(j));
  }
  return dump(Json{{"schema", "pitot.bench-validate/1"}, {"tasks", list}});
}

std::string bench_text(const BenchRun& run, bool each, const TextStyle& style) {
  std::string out;
  if (each) {
    for (const Judgement& j : run.judged) out += candidate_line(j, style);
    out += "\n";
  }
  for (const Scores& s : run.scores) out += scores_text(s, style);
  for (const bench::Comparison& c : run.comparisons)
    out += fmt::format(
        "{} beside {} on {} tasks: pass@1 {:+.1f} points ({:+.1f} to {:+.1f}), {:.3f} times as "
        "fast "
        "({:.3f} to {:.3f}), p = {:.3g}\n",
        c.b, c.a, c.tasks, 100 * c.pass.value, 100 * c.pass.low, 100 * c.pass.high,
        std::exp(c.log_ratio.value), std::exp(c.log_ratio.low), std::exp(c.log_ratio.high),
        c.p_value);
  for (const bench::SplitScores& s : run.splits) out += split_text(s, style);
  if (!run.settings.empty()) out += "judged: " + run.settings + "\n";
  return out;
}

std::string bench_json(const BenchRun& run) {
  Json judged = Json::array(), scores = Json::array(), comparisons = Json::array();
  for (const Judgement& j : run.judged) judged.push_back(judgement_json(j));
  for (const Scores& s : run.scores) scores.push_back(scores_json(s));
  for (const bench::Comparison& c : run.comparisons)
    comparisons.push_back({{"a", c.a},
                           {"b", c.b},
                           {"tasks", c.tasks},
                           {"pass_difference", interval_json(c.pass)},
                           {"log_speedup_ratio", interval_json(c.log_ratio)},
                           {"p_value", c.p_value}});
  Json out{{"schema", "pitot.bench/1"},
           {"settings", run.settings},
           {"generators", scores},
           {"comparisons", comparisons},
           {"candidates", judged}};
  if (!run.splits.empty()) {
    Json splits = Json::array();
    for (const bench::SplitScores& s : run.splits)
      splits.push_back({{"generator", s.generator},
                        {"seen", scores_json(s.seen)},
                        {"unseen", scores_json(s.unseen)},
                        {"pass_gap", interval_json(s.pass_gap)},
                        {"log_speedup_gap", interval_json(s.log_speed_gap)}});
    out["splits"] = std::move(splits);
  }
  return dump(out);
}

std::string bench_csv(const BenchRun& run) {
  std::string out =
      "task,kind,generator,round,sample,candidate,program,tier,verdict,reason,line,trials,"
      "worst_error,rms_error,start_rms_error,device,clock,speedup,registers,seconds,seed\n";
  for (const Judgement& j : run.judged)
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                       csv_field(j.task), csv_field(j.kind), csv_field(j.generator), j.round,
                       j.sample, csv_field(j.candidate), j.program, static_cast<int>(j.tier),
                       bench::name_of(j.verdict), csv_field(j.reason), j.line, j.trials,
                       j.worst_error, j.rms_error, j.start_rms_error, csv_field(j.device),
                       csv_field(j.clock), j.speedup > 0 ? fmt::format("{}", j.speedup) : "",
                       j.registers, j.seconds, j.seed);
  return out;
}

}  // namespace pitot::report
