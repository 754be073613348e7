// PPO's gradients against the formulas, its start, its checkpoints, and whether it learns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "../knobs/knobs_tables.h"
#include "learn/ppo_training.h"

namespace pitot::learn {
namespace {

using knobs::Space;
using knobs::TanhNetwork;

// Rows (or columns, where there are fewer) are orthogonal and as long as the gain.
void expect_orthogonal(const knobs::Layer& l, double gain) {
  const bool rows = l.outputs <= l.inputs;
  const size_t n = rows ? l.outputs : l.inputs, length = rows ? l.inputs : l.outputs;
  const auto at = [&](size_t a, size_t i) {
    return double{rows ? l.weight[a * l.inputs + i] : l.weight[i * l.inputs + a]};
  };
  for (size_t a = 0; a < n; ++a)
    for (size_t b = 0; b <= a; ++b) {
      double dot = 0;
      for (size_t i = 0; i < length; ++i) dot += at(a, i) * at(b, i);
      EXPECT_NEAR(dot, a == b ? gain * gain : 0, 1e-5);
    }
  for (const float v : l.bias) EXPECT_EQ(v, 0);
}

TEST(PpoTrainer, BeginsAsStableBaselines3Does) {
  PpoTrainer t(13, {3, 3}, 3e-4, 5);
  const TanhNetwork policy = t.policy(), value = t.value();
  ASSERT_EQ(policy.layers().size(), 3u);
  EXPECT_EQ(policy.inputs(), 13u);
  EXPECT_EQ(policy.outputs(), 6u);
  EXPECT_EQ(value.outputs(), 1u);
  for (const TanhNetwork& n : {policy, value})
    for (size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(n.layers()[k].outputs, 64u);
      expect_orthogonal(n.layers()[k], std::sqrt(2.0));
    }
  expect_orthogonal(policy.layers()[2], 0.01);
  expect_orthogonal(value.layers()[2], 1);
  EXPECT_EQ(PpoTrainer(13, {3, 3}, 3e-4, 5).policy().layers()[0].weight, policy.layers()[0].weight);
  EXPECT_NE(PpoTrainer(13, {3, 3}, 3e-4, 6).policy().layers()[0].weight, policy.layers()[0].weight);
}

PpoSamples some_steps(const TanhNetwork& policy, const Space& space, size_t count) {
  Draws draws(3);
  PpoSamples out;
  for (size_t n = 0; n < count; ++n) {
    std::vector<float> seen(policy.inputs());
    for (float& v : seen) v = static_cast<float>(draws.unit());
    const auto logs = knobs::log_probabilities(space, policy.evaluate(seen));
    double log = 0;
    size_t first = 0;
    for (const knobs::Knob& k : space.knobs) {
      const size_t v = draws.below(k.values.size());
      out.choices.push_back(static_cast<uint32_t>(v));
      log += logs[first + v];
      first += k.values.size();
    }
    out.observations.insert(out.observations.end(), seen.begin(), seen.end());
    out.old_log.push_back(static_cast<float>(log));
    out.advantages.push_back(static_cast<float>(2 * draws.unit() - 1));
    out.returns.push_back(static_cast<float>(draws.unit()));
  }
  return out;
}

// The losses, from what inference without libtorch gives.
TEST(PpoTrainer, LossesAreTheFormulas) {
  const Space space{{{"block_size", {64, 128, 256}}, {"reg_cap", {0, 32}}}};
  PpoTrainer trainer(4, {3, 2}, 0.01, 5);
  const PpoSamples s = some_steps(trainer.policy(), space, 40);
  std::vector<size_t> which(30);
  std::iota(which.begin(), which.end(), size_t{5});
  double mean = 0, square = 0;
  for (const size_t k : which) mean += s.advantages[k] / 30.0;
  for (const size_t k : which) square += std::pow(s.advantages[k] - mean, 2) / 29;
  for (int pass = 0; pass < 5; ++pass) {
    const TanhNetwork policy = trainer.policy(), value = trainer.value();
    double surrogate = 0, error = 0, entropy = 0, kl = 0;
    for (const size_t k : which) {
      const std::vector<float> seen(s.observations.begin() + static_cast<long>(4 * k),
                                    s.observations.begin() + static_cast<long>(4 * k + 4));
      const auto logs = knobs::log_probabilities(space, policy.evaluate(seen));
      const double log = logs[s.choices[2 * k]] + logs[3 + s.choices[2 * k + 1]];
      const double r = std::exp(log - double{s.old_log[k]});
      const double a = (s.advantages[k] - mean) / (std::sqrt(square) + 1e-8);
      surrogate += std::min(r * a, std::clamp(r, 0.8, 1.2) * a) / 30;
      kl += (r - 1 - std::log(r)) / 30;
      error += std::pow(value.evaluate(seen)[0] - s.returns[k], 2) / 30;
      for (const double l : logs) entropy -= std::exp(l) * l / 30;
    }
    const PpoLosses losses = trainer.improve(s, which, {});
    EXPECT_NEAR(losses.policy, -surrogate, 1e-5);
    EXPECT_NEAR(losses.value, error, 1e-5);
    EXPECT_NEAR(losses.entropy, entropy, 1e-5);
    EXPECT_NEAR(losses.kl, kl, 1e-5);
    EXPECT_TRUE(pass != 0 || losses.clipped == 0);
  }
}

// A step of Adam is as long as its rate whatever the gradient's length, so the clipping shows in
// the moments: the first is a tenth of the gradient.
TEST(PpoTrainer, ClipsTheGradientsNorm) {
  const Space space{{{"block_size", {64, 128}}, {"reg_cap", {0, 32}}}};
  const auto moved = [&](double norm) {
    PpoTrainer t(4, {2, 2}, 0.01, 5);
    const PpoSamples s = some_steps(t.policy(), space, 40);
    std::vector<size_t> all(40);
    std::iota(all.begin(), all.end(), size_t{0});
    PpoLossOptions o;
    o.max_norm = norm;
    t.improve(s, all, o);
    return t.state();
  };
  EXPECT_NE(moved(0.01), moved(0.02));
  EXPECT_EQ(moved(1e6), moved(1e7));
}

PpoOptions quick() {
  PpoOptions o;
  o.steps = 2048;
  o.rollout = 128;
  o.rate = 3e-3;
  o.max_steps = 7;  // does not divide the rollout: episodes go on from one to the next
  return o;
}

knobs::Table small_table() { return *knobs::Table::of(knobs::test::small_sweep()); }

TEST(PpoTraining, FindsTheBestConfiguration) {
  auto t = PpoTraining::begin(small_table(), "h", quick());
  ASSERT_TRUE(t.ok()) << t.error().message;
  EXPECT_EQ(t->total_updates(), 16u);
  while (!t->done()) ASSERT_TRUE(t->update(1).ok());
  const auto r = t->result();
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->steps, 2048u);
  ASSERT_EQ(r->cases.size(), 4u);
  for (const PpoCase& c : r->cases) {
    EXPECT_THAT(c.settings, testing::ElementsAre(256, 32));  // the fastest everywhere
    EXPECT_NEAR(c.regret(), 0, 1e-12);
    EXPECT_NEAR(c.speedup(), 1.2, 1e-12);
    EXPECT_EQ(c.measured, 6u);
  }
  EXPECT_NEAR(r->best_reward, 0.2, 1e-9);
  EXPECT_GT(r->updates.back().reward, r->updates.front().reward);
  EXPECT_EQ(r->policy_weights, (13u - 1 + 1) * 64 + 65 * 64 + 65 * 5);  // 2 kernels: 12 inputs
  // The order in which it met them begins with the default.
  for (const knobs::SeededOrder& o : t->measured()) {
    ASSERT_EQ(o.configurations.size(), 6u);
    EXPECT_EQ(o.configurations[0], 4u);
  }
}

TEST(PpoTraining, SameSeedSameBytesInterruptedOrNot) {
  auto straight = PpoTraining::begin(small_table(), "h", quick());
  ASSERT_TRUE(straight.ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(straight->update(1).ok());
  const std::string middle = straight->checkpoint();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(straight->update(1).ok());
  auto resumed = PpoTraining::resume(small_table(), "h", quick(), middle);
  ASSERT_TRUE(resumed.ok()) << resumed.error().message;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(resumed->update(1).ok());
  EXPECT_EQ(resumed->checkpoint(), straight->checkpoint());
  EXPECT_EQ(knobs::trained_policy_json(resumed->latest()),
            knobs::trained_policy_json(straight->latest()));

  EXPECT_FALSE(PpoTraining::resume(small_table(), "other", quick(), middle).ok());
  EXPECT_FALSE(PpoTraining::resume(small_table(), "h", quick(), middle.substr(0, 200)).ok());
  EXPECT_FALSE(PpoTraining::resume(small_table(), "h", quick(), "nonsense").ok());
  PpoOptions other = quick();
  other.seed = 2;
  EXPECT_FALSE(PpoTraining::resume(small_table(), "h", other, middle).ok());
}

TEST(PpoTraining, TrainsOnlyOnTheSizesAskedFor) {
  PpoOptions o = quick();
  o.only_sizes = {512};
  o.steps = 256;
  auto t = PpoTraining::begin(small_table(), "h", o);
  ASSERT_TRUE(t.ok());
  while (!t->done()) ASSERT_TRUE(t->update(1).ok());
  const PpoResult r = *t->result();
  for (const PpoCase& c : r.cases) {
    EXPECT_EQ(c.held_out, c.matrix_size != 512);
    EXPECT_EQ(c.measured == 0, c.held_out);
  }
  EXPECT_EQ(t->best().origin.trained_on.size(), 2u);
  o.only_sizes = {100};
  EXPECT_FALSE(PpoTraining::begin(small_table(), "h", o).ok());
}

// Two kernels that differ in their graphs alone.
PpoOptions with_graphs() {
  PpoOptions o = quick();
  o.graphs.resize(2);
  o.graphs[0].blocks = {{5, 1, 0, 2, 0, 0, 1, 0, 0, 1}, {2, 0, 1, 0, 1, 0, 0, 0, 0, 0}};
  o.graphs[0].edges = {{0, 1}, {0, 0}};
  o.graphs[1].blocks = {{9, 3, 1, 0, 4, 0, 0, 1, 0, 0}};
  o.graphs[1].kernel = {0.1F, 0.2F, 0.3F, 0.4F, 0.5F};
  return o;
}

// The encoder in libtorch and the one without it: the ratio of an unchanged policy is 1 only if
// both give the same embeddings.
TEST(PpoTraining, TheGraphIsEncodedTheSameWithoutLibtorch) {
  PpoOptions o = with_graphs();
  o.passes = 1;
  o.minibatch = o.rollout;  // one gradient step a rollout
  auto t = PpoTraining::begin(small_table(), "h", o);
  ASSERT_TRUE(t.ok()) << t.error().message;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(t->update(1).ok());
    EXPECT_EQ(t->updates().back().clipped, 0);
    EXPECT_NEAR(t->updates().back().kl, 0, 1e-9);
  }
}

TEST(PpoTraining, TheEncoderIsTrainedAlongAndKept) {
  auto t = PpoTraining::begin(small_table(), "h", with_graphs());
  ASSERT_TRUE(t.ok());
  const knobs::TrainedPolicy before = t->latest();
  ASSERT_TRUE(t->update(1).ok());
  for (size_t k = 0; k < knobs::kGraphLayers; ++k)
    EXPECT_NE(t->latest().encoder.layers()[k].weight, before.encoder.layers()[k].weight);
  EXPECT_EQ(t->latest().network.inputs(), 12u + 69);
  const PpoResult r = *t->result();
  EXPECT_EQ(r.encoder_weights, 18014u);
  auto resumed = PpoTraining::resume(small_table(), "h", with_graphs(), t->checkpoint());
  ASSERT_TRUE(resumed.ok()) << resumed.error().message;
  ASSERT_TRUE(t->update(1).ok());
  ASSERT_TRUE(resumed->update(1).ok());
  EXPECT_EQ(resumed->checkpoint(), t->checkpoint());
  EXPECT_FALSE(PpoTraining::resume(small_table(), "h", quick(), t->checkpoint()).ok());
  PpoOptions one = with_graphs();
  one.graphs.pop_back();
  EXPECT_FALSE(PpoTraining::begin(small_table(), "h", one).ok());
}

}  // namespace
}  // namespace pitot::learn
