// libtorch's network against the one without it, its gradients against the formulas, its state.
#include "learn/trainer.h"

#include <cmath>
#include <limits>

#include "../environment/environment_helpers.h"
#include "../search/policy_helpers.h"

namespace pitot::learn {
namespace {

using search::PolicyKind;
using search::PolicyNetwork;

Samples some_samples(PolicyKind kind, size_t count, uint64_t seed) {
  Draws draws(seed);
  Samples out;
  out.kind = kind;
  for (size_t n = 0; n < count; ++n) {
    search::ActionSet mask = 0;
    while (mask == 0) mask = draws.bits() & ((search::ActionSet{1} << outputs_of(kind)) - 1);
    std::vector<float> input(inputs_of(kind));
    for (float& v : input) v = draws.below(3) == 0 ? 0 : static_cast<float>(draws.unit());
    size_t output;
    do output = draws.below(outputs_of(kind));
    while ((mask >> output & 1) == 0);
    out.add(input, mask, output);
  }
  return out;
}

std::vector<double> probabilities(const PolicyNetwork& n, const Samples& s, size_t k,
                                  double temperature = 1) {
  const size_t width = inputs_of(s.kind);
  std::vector<float> logits(outputs_of(s.kind));
  std::vector<double> p(logits.size());
  n.logits(std::span(s.inputs).subspan(k * width, width), logits);
  search::masked_softmax(logits, s.masks[k], temperature, p);
  return p;
}

TEST(PolicyTrainer, InferenceWithoutItIsTheSame) {
  for (PolicyKind kind : {PolicyKind::kPublished, PolicyKind::kWide}) {
    PolicyTrainer trainer(kind, 1e-3, 5);
    const Samples samples = some_samples(kind, 200, 1);
    for (int step = 0; step < 30; ++step) trainer.imitate(samples, 7);
    const PolicyNetwork n = trainer.network();
    const std::vector<float> by_torch = trainer.logits(samples);
    const size_t outputs = outputs_of(kind), width = inputs_of(kind);
    std::vector<float> logits(outputs);
    std::vector<double> a(outputs), b(outputs);
    for (size_t k = 0; k < samples.size(); ++k) {
      n.logits(std::span(samples.inputs).subspan(k * width, width), logits);
      search::masked_softmax(logits, samples.masks[k], 1, a);
      search::masked_softmax(std::span(by_torch).subspan(k * outputs, outputs), samples.masks[k], 1,
                             b);
      for (size_t o = 0; o < outputs; ++o) {
        EXPECT_NEAR(logits[o], by_torch[k * outputs + o], 1e-6 * (1 + std::fabs(logits[o])));
        EXPECT_NEAR(a[o], b[o], 1e-6);
      }
    }
  }
}

TEST(PolicyTrainer, HasTheShapeAndIsDrawnByTheSeed) {
  const PolicyNetwork a = PolicyTrainer(PolicyKind::kPublished, 1e-3, 5).network();
  size_t weights = 0;
  for (const auto& l : a.layers()) weights += l.weight.size() + l.bias.size();
  EXPECT_EQ(weights, 27925u);
  const float bound = 1 / std::sqrt(67.0f);
  for (float w : a.layers()[0].weight) EXPECT_LE(std::fabs(w), bound);
  EXPECT_EQ(PolicyTrainer(PolicyKind::kPublished, 1e-3, 5).network().layers()[1].weight,
            a.layers()[1].weight);
  EXPECT_NE(PolicyTrainer(PolicyKind::kPublished, 1e-3, 6).network().layers()[1].weight,
            a.layers()[1].weight);
}

TEST(PolicyTrainer, ImitationLearnsWhatItIsShown) {
  PolicyTrainer trainer(PolicyKind::kPublished, 1e-3, 5);
  const Samples samples = some_samples(PolicyKind::kPublished, 40, 2);
  const double first = trainer.imitate(samples, 1);
  double last = first;
  for (uint64_t step = 0; step < 300; ++step) last = trainer.imitate(samples, step);
  EXPECT_LT(last, first / 4);
}

RolloutSamples rollouts(const PolicyNetwork& acting, const PolicyNetwork& reference,
                        double temperature) {
  RolloutSamples out;
  static_cast<Samples&>(out) = some_samples(acting.kind(), 50, 3);
  Draws draws(4);
  for (size_t k = 0; k < out.size(); ++k) {
    out.old_log.push_back(
        static_cast<float>(std::log(probabilities(acting, out, k, temperature)[out.outputs[k]])));
    for (double p : probabilities(reference, out, k, temperature))
      out.reference.push_back(p > 0 ? static_cast<float>(std::log(p)) : kNever);
    out.advantages.push_back(static_cast<float>(2 * draws.unit() - 1));
  }
  return out;
}

// The losses from probabilities that inference without libtorch gives.
TEST(PolicyTrainer, LossesAreTheFormulas) {
  PolicyTrainer trainer(PolicyKind::kPublished, 0.01, 5);
  const PolicyNetwork reference = search::random_network(PolicyKind::kPublished, 9);
  const ImproveOptions options{0.7, 0.2, 0.3, 0.05};
  const RolloutSamples batch = rollouts(trainer.network(), reference, options.temperature);
  double clipped_before = -1;
  for (int pass = 0; pass < 4; ++pass) {
    const PolicyNetwork now = trainer.network();
    double surrogate = 0, kl = 0, h = 0, clipped = 0;
    for (size_t k = 0; k < batch.size(); ++k) {
      const auto p = probabilities(now, batch, k, options.temperature);
      const auto q = probabilities(reference, batch, k, options.temperature);
      const double ratio = std::exp(std::log(p[batch.outputs[k]]) - double{batch.old_log[k]});
      const double within = std::clamp(ratio, 0.8, 1.2), a = batch.advantages[k];
      surrogate += std::max(std::min(ratio * a, within * a), a < 0 ? 3 * a : -1e9) / 50;
      clipped += (std::fabs(ratio - within) > 1e-6) / 50.0;
      for (size_t o = 0; o < p.size(); ++o)
        if (p[o] > 0) kl += p[o] * std::log(p[o] / q[o]) / 50;
      h += search::entropy(p) / 50;
    }
    const ImproveLosses losses = trainer.improve(batch, options);
    EXPECT_NEAR(losses.surrogate, surrogate, 1e-5);
    EXPECT_NEAR(losses.kl, kl, 1e-5);
    EXPECT_NEAR(losses.entropy, h, 1e-5);
    EXPECT_NEAR(losses.loss, -surrogate + 0.3 * kl - 0.05 * h, 1e-5);
    EXPECT_NEAR(losses.clipped, clipped, 0.021);
    EXPECT_TRUE(pass != 0 || losses.clipped == 0);
    clipped_before = losses.clipped;
  }
  EXPECT_GT(clipped_before, 0);
}

// A forced action that had next to no probability, and whose episode went badly: its ratio may
// become anything.
TEST(PolicyTrainer, RatiosWithoutBoundLeaveTheWeightsFinite) {
  PolicyTrainer trainer(PolicyKind::kPublished, 0.01, 5);
  const PolicyNetwork start = trainer.network();
  RolloutSamples batch = rollouts(start, start, 1);
  batch.old_log.assign(batch.size(), -120);
  batch.advantages.assign(batch.size(), -1);
  batch.old_log[0] = -std::numeric_limits<float>::infinity();
  const ImproveLosses losses = trainer.improve(batch, {1, 0.2, 0, 0});
  EXPECT_NEAR(losses.surrogate, -3, 1e-6);
  EXPECT_EQ(losses.clipped, 1);
  EXPECT_TRUE(trainer.sound());
  // Nothing is learned from what is that far off.
  EXPECT_EQ(trainer.network().layers()[0].weight, start.layers()[0].weight);
}

TEST(PolicyTrainer, GoesOnFromItsState) {
  const Samples samples = some_samples(PolicyKind::kPublished, 40, 2);
  PolicyTrainer straight(PolicyKind::kPublished, 1e-3, 5);
  for (uint64_t step = 0; step < 10; ++step) straight.imitate(samples, step);
  const std::string state = straight.state();
  for (uint64_t step = 10; step < 20; ++step) straight.imitate(samples, step);

  PolicyTrainer resumed(PolicyKind::kPublished, 1e-3, 99);
  ASSERT_TRUE(resumed.restore(state).ok());
  for (uint64_t step = 10; step < 20; ++step) resumed.imitate(samples, step);
  for (size_t k = 0; k < 3; ++k)
    EXPECT_EQ(resumed.network().layers()[k].weight, straight.network().layers()[k].weight);

  EXPECT_FALSE(resumed.restore("nonsense").ok());
  EXPECT_FALSE(resumed.restore(state.substr(0, state.size() / 2)).ok());
  EXPECT_FALSE(PolicyTrainer(PolicyKind::kWide, 1e-3, 1).restore(state).ok());
}

}  // namespace
}  // namespace pitot::learn
