// Whole trainings on tables whose best is known.
#include "learn/training.h"

#include "../environment/environment_helpers.h"
#include "../search/policy_helpers.h"
#include "environment/evaluate.h"
#include "environment/table_file.h"
#include "learn/rollout.h"

namespace pitot::learn {
namespace {

using environment::RecordedTable;
using environment::toy_table;
using search::ActionSet;
using search::PolicyKind;
using testing::HasSubstr;
using transform::Action;

const environment::EpisodeRules kRules{PolicyKind::kPublished, 6, false};

RecordedTable hashed_toy(size_t kernels = 2) {
  RecordedTable out = toy_table(kernels);
  table_bytes(out);  // sets the hash
  return out;
}

TrainingOptions short_options() {
  TrainingOptions out;
  out.rules = kRules;
  out.clone_epochs = 6;
  out.epochs = 8;
  out.tool = "test";
  return out;
}

Training made(const RecordedTable& table, const TrainingOptions& options,
              const search::Policy* start = nullptr) {
  auto out = Training::begin(table, options, start);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().message);
  return std::move(*out);
}

Training trained(const RecordedTable& table, const TrainingOptions& options) {
  Training out = made(table, options);
  while (!out.done()) EXPECT_TRUE(out.epoch(1).ok());
  return out;
}

TEST(GreedySamples, AreTheGreedySearchsChoicesWithTheStop) {
  const RecordedTable table = toy_table(2);
  const Samples s = greedy_samples(table, {1}, kRules);
  // vec_ld, then stop.
  ASSERT_EQ(s.size(), 2u);
  EXPECT_EQ(s.outputs[0], static_cast<uint32_t>(Action::kVecLd));
  EXPECT_EQ(s.outputs[1], 20u);
  EXPECT_FLOAT_EQ(s.inputs[24], 0.1f);
  EXPECT_EQ(s.inputs[67 + 46], 1);  // the history has vec_ld
}

TEST(PlayGroups, FirstActionsDifferAndTheAnchorIsTheReferences) {
  const RecordedTable table = toy_table(3);
  const auto network = search::random_network(PolicyKind::kPublished, 1);
  // The reference stops at once.
  const auto reference = search::fixed_policy(PolicyKind::kPublished, {{20, 60}}).network;
  Draws draws(5);
  const Rollouts r = play_groups(table, {0, 2}, network, reference, {kRules, 6, 1.5}, draws);
  ASSERT_EQ(r.rewards.size(), 12u);
  EXPECT_EQ(r.rewards[0], 0);
  EXPECT_EQ(r.rewards[6], 0);
  for (size_t group : {0u, 1u}) {
    std::set<uint32_t> first;
    std::set<size_t> met;
    for (size_t k = 0; k < r.samples.size(); ++k)
      if (r.episodes[k] / 6 == group && met.insert(r.episodes[k]).second) {
        EXPECT_TRUE(first.insert(r.samples.outputs[k]).second);
      }
    // Five actions and the stop: each begins one.
    EXPECT_EQ(first.size(), 6u);
  }
  // What was taken was open, by the acting network's probabilities at the temperature.
  std::vector<float> logits(21);
  std::vector<double> p(21);
  for (size_t k = 0; k < r.samples.size(); ++k) {
    EXPECT_NE(r.samples.masks[k] >> r.samples.outputs[k] & 1, 0u);
    network.logits(std::span(r.samples.inputs).subspan(k * 67, 67), logits);
    search::masked_softmax(logits, r.samples.masks[k], 1.5, p);
    EXPECT_NEAR(std::exp(r.samples.old_log[k]), p[r.samples.outputs[k]], 1e-6);
  }
  EXPECT_GT(r.normalised_entropy, 0.5);
  EXPECT_LE(r.normalised_entropy, 1);
}

TEST(PlayGroups, MoreEpisodesThanFirstActions) {
  const RecordedTable table = toy_table(1);
  const auto network = search::random_network(PolicyKind::kPublished, 1);
  Draws draws(5);
  const Rollouts r = play_groups(table, {0}, network, network, {kRules, 20, 1}, draws);
  EXPECT_EQ(r.rewards.size(), 20u);
}

// Greedy search, which is imitated, stops before the valley; what lies behind it is found.
TEST(Training, FindsWhatGreedySearchDoesNot) {
  const RecordedTable table = hashed_toy(3);
  TrainingOptions options = short_options();
  options.clone_epochs = 40;
  options.epochs = 60;
  const Training t = trained(table, options);
  const TrainingResult r = t.result();
  EXPECT_EQ(r.weights, 27925u);
  EXPECT_EQ(r.best_accuracy, 1);
  EXPECT_NEAR(r.epochs[39].likeliest_reward, -std::log(0.9), 1e-9);
  EXPECT_EQ(r.best_phase, "grpo");
  EXPECT_NEAR(r.best_reward, -std::log(0.54), 1e-9);
  for (const TrainedKernel& k : r.kernels) {
    EXPECT_NEAR(k.reward, k.oracle, 1e-9);
    EXPECT_EQ(std::set<std::string>(k.sequence.begin(), k.sequence.end()),
              (std::set<std::string>{"vec_ld", "vec_st", "maxnreg_64"}));
  }
}

// The best is another for each kernel, and only the features say which it is.
TEST(Training, TellsKernelsApart) {
  RecordedTable table;
  table.kind = PolicyKind::kPublished;
  table.kernels.push_back(environment::toy_kernel(
      "a", environment::kToyActions,
      [](ActionSet s) {
        return search::CostValue{environment::in(s, Action::kVecLd) ? 50.0 : 100, 0, ""};
      },
      0));
  table.kernels.push_back(environment::toy_kernel(
      "b", environment::kToyActions,
      [](ActionSet s) {
        return search::CostValue{environment::in(s, Action::kVecLd)   ? 200.0
                                 : environment::in(s, Action::kVecSt) ? 50
                                                                      : 100,
                                 0, ""};
      },
      1));
  TrainingOptions options = short_options();
  options.clone_epochs = 5;
  options.epochs = 80;
  EXPECT_NEAR(trained(table, options).result().best_reward, std::log(2), 1e-9);
}

void expect_same(const Training& a, const Training& b) {
  EXPECT_TRUE(policy_json(a.best()) == policy_json(b.best()));
  EXPECT_TRUE(policy_json(a.latest()) == policy_json(b.latest()));
  EXPECT_TRUE(a.checkpoint() == b.checkpoint());
}

TEST(Training, ResumedIsTheSameAsUninterrupted) {
  const RecordedTable table = hashed_toy();
  const TrainingOptions options = short_options();
  const Training straight = trained(table, options);
  for (size_t cut : {1u, 5u, 6u, 7u, 13u, 14u}) {
    Training first = made(table, options);
    while (first.epochs().size() < cut) EXPECT_TRUE(first.epoch(1).ok());
    auto resumed = Training::resume(table, options, nullptr, first.checkpoint());
    ASSERT_TRUE(resumed.ok()) << resumed.error().message;
    EXPECT_EQ(resumed->epochs().size(), cut);
    while (!resumed->done()) EXPECT_TRUE(resumed->epoch(1).ok());
    expect_same(*resumed, straight);
  }
}

TEST(Training, TheSeedDecides) {
  const RecordedTable table = hashed_toy();
  TrainingOptions options = short_options();
  const Training a = trained(table, options);
  expect_same(trained(table, options), a);
  options.seed = 2;
  EXPECT_TRUE(policy_json(trained(table, options).latest()) != policy_json(a.latest()));
}

TEST(Training, CheckpointsOfAnotherTrainingAreRefused) {
  const RecordedTable table = hashed_toy();
  const TrainingOptions options = short_options();
  Training t = made(table, options);
  EXPECT_TRUE(t.epoch(1).ok());
  const std::string checkpoint = t.checkpoint();
  auto why = [&](const RecordedTable& with, const TrainingOptions& o, const std::string& bytes) {
    const auto r = Training::resume(with, o, nullptr, bytes);
    return r ? std::string() : r.error().message;
  };
  EXPECT_EQ(why(table, options, checkpoint), "");
  TrainingOptions other = options;
  other.clip = 0.3;
  EXPECT_THAT(why(table, other, checkpoint), HasSubstr("of another training"));
  EXPECT_THAT(why(hashed_toy(3), options, checkpoint), HasSubstr("of another training"));
  std::string changed = checkpoint;
  changed[changed.size() / 2] ^= 1;
  EXPECT_THAT(why(table, options, changed), HasSubstr("cut off or was changed"));
  EXPECT_THAT(why(table, options, "x\n"), HasSubstr("not a checkpoint"));
}

TEST(Training, HeldOutKernelsAreNotLearnedFrom) {
  const RecordedTable table = hashed_toy(3);
  TrainingOptions options = short_options();
  options.held_out = {"k1"};
  const Training t = trained(table, options);
  EXPECT_THAT(t.best().origin.trained_on, testing::ElementsAre("k0", "k2"));
  EXPECT_TRUE(t.result().kernels[1].held_out);
  // What is held out makes no difference, whatever it costs.
  RecordedTable other = table;
  for (auto& p : other.kernels[1].programs) p.level *= p.level;
  EXPECT_TRUE(policy_json(trained(other, options).best()) == policy_json(t.best()));
  options.held_out = {"nope"};
  EXPECT_THAT(Training::begin(table, options, nullptr).error().message,
              HasSubstr("no such kernel"));
}

TEST(Training, GrpoAloneStartsFromAPolicy) {
  const RecordedTable table = hashed_toy();
  TrainingOptions options = short_options();
  search::Policy start = search::fixed_policy(PolicyKind::kPublished, {{20, 1}});
  start.origin.trained_on = {"k0"};
  Training t = made(table, options, &start);
  EXPECT_EQ(t.total_epochs(), 8u);
  const std::string fresh = t.checkpoint();
  while (!t.done()) EXPECT_TRUE(t.epoch(1).ok());
  EXPECT_EQ(t.result().epochs[0].phase, "grpo");
  auto resumed = Training::resume(table, options, &start, fresh);
  ASSERT_TRUE(resumed.ok());
  while (!resumed->done()) EXPECT_TRUE(resumed->epoch(1).ok());
  expect_same(*resumed, t);
  // A start that has seen what is held out is none.
  options.held_out = {"k0"};
  EXPECT_THAT(Training::begin(table, options, &start).error().message,
              HasSubstr("the policy to start from has learned from it"));
  options.held_out.clear();
  options.group = 1;
  EXPECT_FALSE(Training::begin(table, options, nullptr).ok());
}

}  // namespace
}  // namespace pitot::learn
