#include "knobs/rollout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knobs_tables.h"

namespace pitot::knobs {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class KnobRollout : public testing::Test {
 protected:
  KnobRollout() : readings_(*Table::of(test::small_sweep())) {}
  Rollout played(const Policy& policy, RolloutOptions options = {}, uint32_t steps = 2) {
    EnvironmentOptions how;
    how.max_steps = steps;
    auto env = Environment::make(readings_, how);
    EXPECT_TRUE(env.ok());
    auto r = play(*env, readings_.cases(), steps, policy, options);
    EXPECT_TRUE(r.ok());
    return r ? *r : Rollout{};
  }
  TableReadings readings_;
};

// (256, 32), the best, then (64, 32), which does not run for "sum".
Policy two_choices() {
  return [n = 0](std::span<const float>) mutable {
    return Result<Choice>(++n % 2 == 1 ? Choice{2, 1} : Choice{0, 1});
  };
}

TEST_F(KnobRollout, PlaysEveryCase) {
  RolloutOptions how;
  how.episodes = 3;
  how.seed = 10;
  const Rollout r = played(two_choices(), how);
  ASSERT_EQ(r.steps.size(), 4u * 3 * 2);
  EXPECT_EQ(r.steps[0].seed, 10u);
  EXPECT_EQ(r.steps.back().episode, 11u);
  EXPECT_EQ(r.steps.back().at, (Case{"sum", 512}));
  EXPECT_NEAR(r.steps[0].reward, 0.2, 1e-12);
  EXPECT_EQ(r.steps.back().reward, -1);
}

TEST_F(KnobRollout, HasThePublishedColumns) {
  RolloutOptions how;
  how.episodes = 1;
  const Rollout r = played(two_choices(), how);
  const std::string csv = rollout_csv(r);
  EXPECT_THAT(csv,
              StartsWith("episode_id,episode_seed,step,kernel,matrix_size,block_size,reg_cap,time_"
                         "ms,baseline_ms,speedup,reward,cupti_ok,cupti_reason,cupti_achieved_"
                         "occupancy_norm,cupti_l2_hit_rate_norm,cupti_dram_bw_pct_norm,cupti_sm_"
                         "active_pct_norm,nvml_gpu_util_norm,nvml_mem_util_norm,nvml_mem_used_norm,"
                         "nvml_temp_norm\n0,1,0,gemm,256,256,32,42.666666666666664,51.2,1.2"));
  EXPECT_THAT(csv, HasSubstr("\n3,4,1,sum,512,64,32,,102.4,0,-1,False,no registers,,,,,,,,\n"));
  EXPECT_THAT(episodes_csv(r),
              StartsWith("episode_id,episode_seed,kernel,matrix_size,max_steps,use_cupti,use_nvml,"
                         "baseline_ms,mean_time_ms,mean_reward,best_speedup,best_reward,steps\n"));
  // 1/6 of 256 and 1/2 of it on average; of "sum" only the first ran.
  EXPECT_THAT(episodes_csv(r), HasSubstr("\n0,1,gemm,256,2,False,False,51.2,85.33333333333333,"));
  EXPECT_THAT(episodes_csv(r),
              HasSubstr("\n2,3,sum,256,2,False,False,51.2,42.666666666666664,-0.39999"));
}

TEST_F(KnobRollout, RandomChoicesAreOfTheirSeed) {
  RolloutOptions how;
  how.every_case = false;
  how.episodes = 8;
  const auto settings = [&](uint64_t seed) {
    std::vector<std::vector<int64_t>> out;
    for (const RolloutStep& s : played(random_policy(readings_.space(), seed), how, 20).steps)
      out.push_back(s.settings);
    return out;
  };
  EXPECT_EQ(settings(1), settings(1));
  EXPECT_NE(settings(1), settings(2));
}

TEST_F(KnobRollout, AnEpisodeInWhichNothingRunsHasNoTime) {
  RolloutOptions how;
  how.episodes = 1;
  const Policy bad = [](std::span<const float>) { return Result<Choice>(Choice{0, 1}); };
  const std::string csv = episodes_csv(played(bad, how));
  EXPECT_THAT(csv, HasSubstr("\n2,3,sum,256,2,False,False,51.2,,-1,0,-1,2\n"));
}

}  // namespace
}  // namespace pitot::knobs
