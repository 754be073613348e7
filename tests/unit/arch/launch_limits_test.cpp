// What a launch may be at most, by target.
#include "arch/launch_limits.h"

#include <gtest/gtest.h>

namespace pitot::arch {
namespace {

std::string problem(const LaunchShape& l, unsigned sm = 80) {
  const auto p = launch_problem(l, sm);
  return p ? p->message : "";
}

TEST(LaunchLimits, GridAndBlockAreTheSameEverywhere) {
  for (unsigned sm : {50u, 80u, 90u, 120u}) {
    EXPECT_EQ(problem({{2147483647, 65535, 65535}, {1024, 1, 1}, {1, 1, 1}, 0}, sm), "");
    EXPECT_EQ(problem({{1, 1, 1}, {4, 4, 64}, {1, 1, 1}, 0}, sm), "");
    EXPECT_EQ(problem({{1, 65536, 1}, {1, 1, 1}, {1, 1, 1}, 0}, sm),
              "a grid of 65536 blocks in y: 1 to 65535 on every GPU");
    EXPECT_EQ(problem({{1, 1, 65536}, {1, 1, 1}, {1, 1, 1}, 0}, sm),
              "a grid of 65536 blocks in z: 1 to 65535 on every GPU");
    EXPECT_EQ(problem({{1, 1, 1}, {4, 4, 65}, {1, 1, 1}, 0}, sm).substr(0, 22),
              "a block of 1040 thread");
    EXPECT_EQ(problem({{1, 1, 1}, {1, 1, 65}, {1, 1, 1}, 0}, sm),
              "a block of 65 threads in z: 1 to 64 on every GPU");
    EXPECT_EQ(problem({{1, 1, 1}, {0, 1, 1}, {1, 1, 1}, 0}, sm),
              "a block of 0 threads in x: 1 to 1024 on every GPU");
  }
}

TEST(LaunchLimits, SharedMemoryIsTheTargets) {
  const std::pair<unsigned, uint32_t> most[] = {
      {75, 64}, {80, 163}, {86, 99}, {90, 227}, {120, 99}};
  for (auto [sm, kib] : most) {
    EXPECT_EQ(most_shared(sm), kib << 10) << sm;
    LaunchShape l;
    l.shared = kib << 10;
    EXPECT_EQ(problem(l, sm), "") << sm;
    ++l.shared;
    EXPECT_EQ(launch_problem(l, sm)->part, LaunchPart::kShared) << sm;
  }
  EXPECT_EQ(most_shared(20), 48u << 10) << "a capability that the table lacks";
}

TEST(LaunchLimits, ClustersBeginWithHopper) {
  EXPECT_EQ(problem({{2, 1, 1}, {32, 1, 1}, {2, 1, 1}, 0}, 80),
            "sm_80 has no clusters, they begin with sm_90");
  EXPECT_EQ(problem({{16, 1, 1}, {32, 1, 1}, {16, 1, 1}, 0}, 90), "");
  EXPECT_EQ(problem({{34, 1, 1}, {32, 1, 1}, {17, 1, 1}, 0}, 90),
            "a cluster of 17 blocks: sm_90 takes at most 16");
  EXPECT_EQ(problem({{5, 1, 1}, {32, 1, 1}, {2, 1, 1}, 0}, 90),
            "5 blocks in x are no multiple of the cluster's 2");
}

}  // namespace
}  // namespace pitot::arch
