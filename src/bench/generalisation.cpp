// How much of a generator's scores is left on tasks it did not know, and in another setting
// (another GPU, a measurement in the place of a model).
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "bench/scores.h"
#include "bench/task_bootstrap.h"
#include "support/text.h"

namespace pitot::bench {
namespace {

constexpr double kTold = 0.01;  // of a speed-up that counts as one

struct TaskValues {
  std::vector<double> pass, log_speedup;
};

TaskValues values_of(const Scores& s) {
  TaskValues out;
  for (const TaskScore& t : s.tasks) {
    out.pass.push_back(pass_at_k(t.samples, t.right, 1));
    out.log_speedup.push_back(std::log(t.median_speedup));
  }
  return out;
}

bool is_timed(const Judgement& j) { return j.right() && j.speedup > 0; }

}  // namespace

SplitScores score_split(std::span<const Judgement> judged, std::span<const std::string> unseen,
                        std::span<const uint32_t> ks, uint64_t seed) {
  std::vector<Judgement> of_seen, of_unseen;
  for (const Judgement& j : judged) {
    const bool held_out = std::any_of(unseen.begin(), unseen.end(), [&](const std::string& p) {
      return glob_match(p, j.task) || glob_match(p, j.kind);
    });
    (held_out ? of_unseen : of_seen).push_back(j);
  }
  SplitScores out;
  if (!judged.empty()) out.generator = judged[0].generator;
  out.seen = score(of_seen, ks, seed);
  out.unseen = score(of_unseen, ks, seed);
  out.seen.generator = out.unseen.generator = out.generator;
  const TaskValues a = values_of(out.seen), b = values_of(out.unseen);
  out.pass_gap = bootstrap_gap(a.pass, b.pass, seed);
  out.log_speed_gap = bootstrap_gap(a.log_speedup, b.log_speedup, seed);
  return out;
}

Transfer score_transfer(std::span<const Judgement> first, std::span<const Judgement> second,
                        uint64_t seed) {
  Transfer out;
  if (!first.empty()) out.generator = first[0].generator;
  std::map<std::pair<std::string, std::string>, std::pair<double, double>> pairs;  // by program
  std::map<std::tuple<std::string, uint32_t, uint32_t>, std::string> program_of;
  for (const Judgement& j : first) {
    if (!is_timed(j)) continue;
    pairs[{j.task, j.program}].first = j.speedup;
    program_of[{j.task, j.round, j.sample}] = j.program;
  }
  out.judged = static_cast<uint32_t>(pairs.size());
  for (const Judgement& j : second) {
    auto found = program_of.find({j.task, j.round, j.sample});
    if (found != program_of.end() && is_timed(j)) pairs[{j.task, found->second}].second = j.speedup;
  }
  std::map<std::string, std::array<std::vector<double>, 2>> by_task;
  for (const auto& [key, both] : pairs) {
    if (both.second <= 0) continue;
    ++out.programs;
    by_task[key.first][0].push_back(std::log(both.first));
    by_task[key.first][1].push_back(std::log(both.second));
    if (both.first <= 1 + kTold) continue;
    ++out.faster;
    out.still_faster += both.second > 1 + kTold;
    out.now_slower += both.second < 1 - kTold;
  }
  out.tasks = static_cast<uint32_t>(by_task.size());
  std::vector<double> a, b, kept;
  for (const auto& [task, logs] : by_task) {
    a.push_back(mean(logs[0]));
    b.push_back(mean(logs[1]));
    kept.push_back(b.back() - a.back());
  }
  out.log_first = bootstrap(a, seed);
  out.log_second = bootstrap(b, seed);
  out.log_kept = bootstrap(kept, seed);
  return out;
}

}  // namespace pitot::bench
