// Seen and unseen tasks, and what becomes of speed-ups in another setting.
#include <gtest/gtest.h>

#include <cmath>

#include "bench/scores.h"

namespace pitot::bench::generalisation_test {
namespace {

Judgement made(const std::string& task, const std::string& kind, const std::string& program,
               double speedup) {
  Judgement j;
  j.task = task;
  j.kind = kind;
  j.program = program;
  j.generator = "g";
  j.verdict = speedup > 0 ? Verdict::kRight : Verdict::kWrong;
  j.tier = speedup > 0 ? Tier::kTimed : Tier::kCompiles;
  j.speedup = speedup;
  return j;
}

TEST(Generalisation, TasksAreUnseenByNameKindOrPattern) {
  const std::vector<Judgement> judged{made("gemm_a", "gemm", "1", 2),
                                      made("gemm_b", "gemm", "2", 2), made("scan", "scan", "3", 1),
                                      made("sort", "sort", "4", 0)};
  const uint32_t ks[] = {1};
  for (const std::vector<std::string>& unseen :
       {std::vector<std::string>{"s*"}, {"scan", "sort"}, {"sc?n", "sort"}}) {
    const SplitScores s = score_split(judged, unseen, ks, 1);
    EXPECT_EQ(s.generator, "g");
    EXPECT_EQ(s.seen.tasks.size(), 2u);
    EXPECT_EQ(s.unseen.tasks.size(), 2u);
    EXPECT_DOUBLE_EQ(s.seen.speedup.value, 2);
    EXPECT_DOUBLE_EQ(s.unseen.speedup.value, 1);
    EXPECT_DOUBLE_EQ(s.pass_gap.value, -0.5);
    EXPECT_LE(s.pass_gap.low, -0.9);
    EXPECT_DOUBLE_EQ(s.pass_gap.high, 0);
    EXPECT_DOUBLE_EQ(s.log_speed_gap.value, -std::log(2));
  }
  // By kind: all tasks of it.
  EXPECT_EQ(score_split(judged, std::vector<std::string>{"gemm"}, ks, 1).unseen.tasks.size(), 2u);
}

TEST(Generalisation, ASideWithoutTasksHasNoGap) {
  const std::vector<Judgement> judged{made("a", "k", "1", 2)};
  const SplitScores s = score_split(judged, std::vector<std::string>{"other"}, {}, 1);
  EXPECT_EQ(s.unseen.tasks.size(), 0u);
  EXPECT_EQ(s.pass_gap.value, 0);
  EXPECT_EQ(s.log_speed_gap.value, 0);
}

std::vector<Judgement> numbered(std::vector<Judgement> list, const std::vector<uint32_t>& samples) {
  for (size_t i = 0; i < list.size(); ++i) list[i].sample = samples[i];
  return list;
}

TEST(Generalisation, SpeedUpsArePairedBySampleAndAProgramCountsOnce) {
  const std::vector<Judgement> first =
      numbered({made("a", "k", "1", 2), made("a", "k", "1", 2), made("a", "k", "2", 1.5),
                made("b", "k", "1", 1.2), made("b", "k", "9", 1.005), made("b", "k", "8", 3)},
               {0, 1, 2, 0, 1, 2});
  // Written for another target: other programs.
  const std::vector<Judgement> second =
      numbered({made("a", "k", "1'", 1.8), made("a", "k", "1'", 1.8), made("a", "k", "2'", 0.9),
                made("b", "k", "1'", 1.005), made("b", "k", "9'", 1.4), made("b", "k", "8'", 0),
                made("c", "k", "1", 5)},
               {0, 1, 2, 0, 1, 2, 0});
  const Transfer t = score_transfer(first, second, 1);
  EXPECT_EQ(t.judged, 5u);
  EXPECT_EQ(t.programs, 4u);  // one is wrong in the second, one was not in the first
  EXPECT_EQ(t.tasks, 2u);
  EXPECT_EQ(t.faster, 3u);
  EXPECT_EQ(t.still_faster, 1u);
  EXPECT_EQ(t.now_slower, 1u);
  const double a1 = (std::log(2) + std::log(1.5)) / 2, a2 = (std::log(1.8) + std::log(0.9)) / 2;
  const double b1 = (std::log(1.2) + std::log(1.005)) / 2;
  const double b2 = (std::log(1.005) + std::log(1.4)) / 2;
  EXPECT_NEAR(t.log_first.value, (a1 + b1) / 2, 1e-12);
  EXPECT_NEAR(t.log_second.value, (a2 + b2) / 2, 1e-12);
  EXPECT_NEAR(t.log_kept.value, (a2 - a1 + b2 - b1) / 2, 1e-12);
  EXPECT_LE(t.log_kept.low, t.log_kept.value);
  EXPECT_GE(t.log_kept.high, t.log_kept.value);
}

}  // namespace
}  // namespace pitot::bench::generalisation_test
