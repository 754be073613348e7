// Statistics over judged candidates, in plain data.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pitot::bench {

inline constexpr std::array<double, 4> kFastThresholds{1, 1.2, 1.5, 2};

struct Interval {
  double value = 0, low = 0, high = 0;
};

struct TaskScore {
  std::string task, kind;
  uint32_t samples = 0, compiled = 0, right = 0, timed = 0;
  std::map<uint32_t, double> pass;                    // pass@k by k
  std::array<double, kFastThresholds.size()> fast{};  // share of the samples right and faster
  double median_speedup = 0;  // over the samples, those that failed at 1 (the original is kept)
  double best_speedup = 0;    // of a verified one; 1 where none is faster
};

struct Scores {
  std::string generator;
  std::vector<TaskScore> tasks;  // by name
  uint32_t samples = 0;
  std::map<std::string, uint32_t> verdicts;  // how many samples have which
  std::map<uint32_t, Interval> pass;         // means over tasks
  std::array<Interval, kFastThresholds.size()> fast{};
  // Geometric means over tasks of the median speed-up. A task or sample that failed counts as 1,
  // since the original is kept; never as 0.
  Interval speedup;
  Interval speedup_of_right;  // over right samples alone; `right_tasks` have any
  uint32_t right_tasks = 0;
};

// A generator on tasks that its maker knew, and on those that he did not.
struct SplitScores {
  std::string generator;
  Scores seen, unseen;
  Interval pass_gap;       // mean pass@1 of the unseen tasks less that of the seen ones
  Interval log_speed_gap;  // the same of ln(median speed-up)
};

// What becomes of speed-ups elsewhere: programs that are right and timed in two settings.
struct Transfer {
  std::string generator;
  uint32_t programs = 0, tasks = 0;
  uint32_t judged = 0;             // right and timed in the first; the others are not in the second
  Interval log_first, log_second;  // mean over tasks of the mean ln(speed-up)
  Interval log_kept;               // second less first
  uint32_t faster = 0;             // by more than 1 % in the first
  uint32_t still_faster = 0;       // of these, in the second too
  uint32_t now_slower = 0;         // of these, slower by more than 1 % in the second
};

// Of two generators on the tasks that both were judged on.
struct Comparison {
  std::string a, b;
  uint32_t tasks = 0;
  Interval pass;       // pass@1 of b less that of a
  Interval log_ratio;  // mean of ln(median speed-up of b / of a)
  double p_value = 1;  // two-sided, of the speed-ups, by sign flips over tasks
};

}  // namespace pitot::bench
