#include "knobs/trained_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knobs/orders_csv.h"
#include "knobs_tables.h"

namespace pitot::knobs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Sees 2 kernels, 2 knobs and 4 counters; of a block and a cap it likes the values whose biases are
// largest: block 128, then 256, then 64; cap 32, then 0. What is seen does not matter.
TrainedPolicy biased() {
  TrainedPolicy p;
  p.kernels = {"gemm", "sum"};
  p.knobs = Table::of(test::small_sweep())->space().knobs;
  p.states = false;
  p.network = *TanhNetwork::make(
      {{8, 2, std::vector<float>(16, 0.1F), {0.5F, -0.25F}},
       {2, 5, std::vector<float>(10, 0.0F), {0.1F, 2.0F, 1.0F / 3, -1.0F, 0.5F}}});
  p.origin = {"t", "h", 7, 100, 0.5, {{"gemm", 256}}};
  return p;
}

TEST(TanhNetwork, IsTheFormula) {
  const auto n = TanhNetwork::make({{2, 2, {1, 2, 3, 4}, {0.5F, -0.5F}}, {2, 1, {1, -2}, {10}}});
  ASSERT_TRUE(n.ok());
  const double a = std::tanh(0.1 * 1 + 0.2 * 2 + 0.5), b = std::tanh(0.1 * 3 + 0.2 * 4 - 0.5);
  const std::vector<float> in{0.1F, 0.2F};
  EXPECT_NEAR(n->evaluate(in)[0], 10 + a - 2 * b, 1e-6);
}

TEST(TanhNetwork, UnsoundLayersAreRefused) {
  EXPECT_FALSE(TanhNetwork::make({}).ok());
  EXPECT_FALSE(TanhNetwork::make({{2, 1, {1}, {1}}}).ok());
  EXPECT_FALSE(TanhNetwork::make({{1, 1, {1}, {1}}, {2, 1, {1, 1}, {1}}}).ok());
  EXPECT_FALSE(TanhNetwork::make({{1, 1, {std::nanf("")}, {1}}}).ok());
  // 2^63 × 2 is 0 in 64 bits.
  EXPECT_FALSE(TanhNetwork::make({{size_t{1} << 63, 2, {}, {1, 1}}}).ok());
}

TEST(TrainedPolicy, IsReadBackBitForBit) {
  const TrainedPolicy p = biased();
  const std::string text = trained_policy_json(p);
  const auto back = read_trained_policy(text, "p");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(trained_policy_json(*back), text);
  EXPECT_EQ(back->network.layers()[1].bias, p.network.layers()[1].bias);
  EXPECT_EQ(back->origin.trained_on, p.origin.trained_on);
}

TEST(TrainedPolicy, OtherFilesAreRefused) {
  const std::string text = trained_policy_json(biased());
  const auto refused = [](std::string t, const std::string& from, const std::string& to) {
    const size_t at = t.find(from);
    EXPECT_NE(at, t.npos);
    const auto r = read_trained_policy(t.replace(at, from.size(), to), "p.json");
    EXPECT_FALSE(r.ok());
    return r ? "" : r.error().message;
  };
  EXPECT_THAT(refused(text, "{", "["), HasSubstr("p.json: no JSON"));
  EXPECT_THAT(refused(text, "knob-policy/1", "policy/1"), HasSubstr("not a policy of knobs"));
  EXPECT_THAT(refused(text, "\"states\":false", "\"states\":true"), HasSubstr("not 12 to 5"));
  EXPECT_THAT(refused(text, "\"sizes\"", "\"size\""), HasSubstr("not a whole policy"));
  EXPECT_THAT(refused(text, "\"outputs\":5", "\"outputs\":-5"), HasSubstr("layer 2"));
}

TEST(TrainedPolicy, ChoosesByFallingProbability) {
  const TrainedPolicy p = biased();
  const Space space{p.knobs};
  const std::vector<float> logits = p.network.evaluate(std::vector<float>(8, 0.5F));
  EXPECT_EQ(likeliest_choice(space, logits), (Choice{1, 1}));
  // Sums of logits: 128/32 2.5, 128/0 1.0, 256/32 0.83, 64/32 0.6, 256/0 -0.67, 64/0 -0.9.
  EXPECT_THAT(by_probability(space, logits), ElementsAre(3, 2, 5, 1, 4, 0));
  const std::vector<double> logs = log_probabilities(space, logits);
  EXPECT_NEAR(std::exp(logs[0]) + std::exp(logs[1]) + std::exp(logs[2]), 1, 1e-12);
  EXPECT_NEAR(logs[4] - logs[3], 1.5, 1e-6);
}

TEST(TrainedPolicy, OrdersHaveEveryConfigurationOfTheTable) {
  const Table table = *Table::of(test::small_sweep());
  const auto orders = orders_of(biased(), table);
  ASSERT_TRUE(orders.ok()) << orders.error().message;
  ASSERT_EQ(orders->size(), 4u);
  EXPECT_EQ((*orders)[3].at, (Case{"sum", 512}));
  EXPECT_THAT(orders_csv(table.space(), *orders),
              testing::StartsWith("kernel,matrix_size,seed,rank,block_size,reg_cap\n"
                                  "gemm,256,7,0,128,32\ngemm,256,7,1,128,0\n"
                                  "gemm,256,7,2,256,32\n"));
}

TEST(TrainedPolicy, FitsOnlyItsOwnKernelsAndKnobs) {
  TrainedPolicy p = biased();
  p.kernels = {"sum", "gemm"};
  const Table table = *Table::of(test::small_sweep());
  EXPECT_THAT(orders_of(p, table).error().message, HasSubstr("the policy knows the kernels"));
  p = biased();
  p.knobs[0].values[0] = 32;
  EXPECT_THAT(orders_of(p, table).error().message, HasSubstr("other knobs or values"));
}

TEST(TrainedPolicy, IsFollowed) {
  const TrainedPolicy p = biased();
  TableReadings readings(*Table::of(test::small_sweep()));
  EnvironmentOptions how = options_for(p);
  how.max_steps = 3;
  auto env = Environment::make(readings, how);
  ASSERT_TRUE(env.ok());
  ASSERT_TRUE(fits(p, *env, readings.cases()).ok());
  const auto r = play(*env, readings.cases(), 3, follow(p), {});
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->steps.size(), 60u);
  for (const RolloutStep& s : r->steps) EXPECT_THAT(s.settings, ElementsAre(128, 32));
}

}  // namespace
}  // namespace pitot::knobs
