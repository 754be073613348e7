// The network's shape and arithmetic, and its file.
#include <cmath>

#include "policy_helpers.h"

namespace pitot::search {
namespace {

using testing::HasSubstr;

TEST(PolicyNetwork, ThePublishedOneHas27925Weights) {
  // 67·128+128 + 128·128+128 + 128·21+21.
  EXPECT_EQ(PolicyNetwork::weights_of(PolicyKind::kPublished), 27925u);
  size_t count = 0;
  const PolicyNetwork n = random_network(PolicyKind::kPublished, 1);
  for (const DenseLayer& l : n.layers()) count += l.weight.size() + l.bias.size();
  EXPECT_EQ(count, 27925u);
}

// One path through the network: in 3 → hidden 7 → hidden 5 → out 20.
TEST(PolicyNetwork, LogitsAreSumsThroughReLU) {
  auto layers = layers_of(PolicyKind::kPublished, 0);
  layers[0].weight[7 * 67 + 3] = 2;
  layers[0].bias[7] = -1;
  layers[1].weight[5 * 128 + 7] = 3;
  layers[2].weight[20 * 128 + 5] = -4;
  layers[2].bias[20] = 0.5f;
  const PolicyNetwork n = *PolicyNetwork::make(PolicyKind::kPublished, layers);
  std::vector<float> in(67), out(21);
  in[3] = 1.5f;  // 2·1.5-1 = 2; 3·2 = 6; -4·6+0.5
  n.logits(in, out);
  EXPECT_EQ(out[20], -23.5f);
  EXPECT_EQ(out[0], 0);
  in[3] = 0.25f;  // below 0 before the ReLU
  n.logits(in, out);
  EXPECT_EQ(out[20], 0.5f);
}

TEST(PolicyNetwork, ShapesAndNumbersAreChecked) {
  EXPECT_FALSE(PolicyNetwork::make(PolicyKind::kWide, layers_of(PolicyKind::kPublished, 0)).ok());
  auto layers = layers_of(PolicyKind::kPublished, 0);
  layers[1].bias.pop_back();
  EXPECT_THAT(PolicyNetwork::make(PolicyKind::kPublished, layers).error().message,
              HasSubstr("layer 2"));
  layers = layers_of(PolicyKind::kPublished, 0);
  layers[2].weight[9] = std::nanf("");
  EXPECT_THAT(PolicyNetwork::make(PolicyKind::kPublished, layers).error().message,
              HasSubstr("layer 3 has a weight that is no finite number"));
}

TEST(MaskedSoftmax, ClosedOutputsHaveNothing) {
  const std::vector<float> logits{1, 100, 1, 1 + std::log(2.0f)};
  std::vector<double> p(4);
  masked_softmax(logits, 0b1101, 1, p);
  EXPECT_NEAR(p[0], 0.25, 1e-7);
  EXPECT_EQ(p[1], 0);
  EXPECT_NEAR(p[2], 0.25, 1e-7);
  EXPECT_NEAR(p[3], 0.5, 1e-7);
  EXPECT_NEAR(entropy(p), 1.5 * std::log(2), 1e-7);
  EXPECT_EQ(likeliest(logits, 0b1101), 3u);
  EXPECT_EQ(likeliest(logits, 0b0101), 0u);
  // At half the temperature odds are squared: 1 : 1 : 4.
  masked_softmax(logits, 0b1101, 0.5, p);
  EXPECT_NEAR(p[3], 4.0 / 6, 1e-7);
  masked_softmax(logits, 0b0010, 1, p);
  EXPECT_EQ(p[1], 1);
  EXPECT_EQ(entropy(p), 0);
}

Policy some_policy(PolicyKind kind) {
  Policy p{random_network(kind, 3), {}};
  p.origin.tool = "pitot-learn 0";
  p.origin.phase = "grpo";
  p.origin.data = "abc";
  p.origin.cost = "emu";
  p.origin.seed = 7;
  p.origin.reward = 0.1 + 0.2;
  p.origin.trained_on = {"a", "b"};
  p.origin.distinct_images = true;
  return p;
}

TEST(PolicyFile, IsReadBackBitForBit) {
  for (PolicyKind kind : {PolicyKind::kPublished, PolicyKind::kWide}) {
    const Policy p = some_policy(kind);
    const std::string text = policy_json(p);
    const auto back = read_policy(text, "p.json");
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(back->kind(), kind);
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(back->network.layers()[k].weight, p.network.layers()[k].weight);
      EXPECT_EQ(back->network.layers()[k].bias, p.network.layers()[k].bias);
    }
    EXPECT_EQ(back->origin.reward, p.origin.reward);
    EXPECT_EQ(back->origin.trained_on, p.origin.trained_on);
    EXPECT_TRUE(back->origin.distinct_images);
    EXPECT_EQ(policy_json(*back), text);
  }
}

TEST(PolicyFile, WhatThisProgramCannotFollowIsRefused) {
  const std::string text = policy_json(some_policy(PolicyKind::kPublished));
  auto refused = [&](std::string from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    const auto r = read_policy(changed, "p.json");
    EXPECT_FALSE(r.ok()) << from;
    return r ? std::string() : r.error().message;
  };
  EXPECT_THAT(refused("pitot.policy/1", "pitot.policy/2"), HasSubstr("p.json: not a policy"));
  EXPECT_THAT(refused("\"observation_schema\":1", "\"observation_schema\":9"),
              HasSubstr("other features"));
  EXPECT_THAT(refused("\"mul\"", "\"mull\""), HasSubstr("other features"));
  EXPECT_THAT(refused("\"vec_st\"", "\"vec_ts\""), HasSubstr("other actions"));
  EXPECT_THAT(refused("\"published\"", "\"odd\""), HasSubstr("no policies of kind 'odd'"));
  EXPECT_THAT(refused("\"inputs\":67", "\"inputs\":66"), HasSubstr("layer 1"));
  EXPECT_THAT(refused("\"seed\":7", "\"seed\":[]"), HasSubstr("not a whole policy"));
  EXPECT_THAT(read_policy(text.substr(0, text.size() / 2), "p.json").error().message,
              HasSubstr("no JSON"));
  EXPECT_FALSE(read_policy("[]", "p.json").ok());
  EXPECT_FALSE(read_policy("", "p.json").ok());
}

}  // namespace
}  // namespace pitot::search
