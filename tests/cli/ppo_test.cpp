// pitot learn ppo, knobs rollout --policy FILE, knobs orders: from a recorded sweep to a
// comparison.
#include "cli_test_util.h"

namespace pitot::cli::test {
namespace {

namespace fs = std::filesystem;

class Ppo : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (!fs::exists(fs::path(PITOT_PROGRAM).parent_path() / "pitot-learn"))
      GTEST_SKIP() << "built without libtorch";
  }
  std::string sweep_ = PITOT_SOURCE_DIR "/data/h200/knobs/phase1_result.csv";
  toolchain::ProcessResult train(std::vector<std::string> more) {
    std::vector<std::string> line{
        "learn", "ppo", sweep_, "-o", "run", "--rollout", "128", "--checkpoint-every", "1"};
    line.insert(line.end(), more.begin(), more.end());
    return pitot(line);
  }
};

TEST_F(Ppo, FromASweepToAComparison) {
  auto r = train({"--steps", "256", "--seed", "4", "-f", "json"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const Json j = Json::parse(r.out);
  EXPECT_EQ(j["schema"], "pitot.learn-ppo/1");
  EXPECT_EQ(j["steps"], 256);
  EXPECT_EQ(j["cases"].size(), 9u);
  EXPECT_EQ(j["policy_weights"], (13 + 1) * 64 + 65 * 64 + 65 * 6);
  EXPECT_EQ(text_of("run/summary.json"), r.out);
  EXPECT_THAT(text_of("run/updates.csv"), HasSubstr("\n256,"));
  EXPECT_THAT(text_of("run/events.out.tfevents.pitot"), HasSubstr("rollout/ep_rew_mean"));

  r = pitot({"knobs", "rollout", sweep_, "--policy", "run/best.policy.json", "--summary", "-"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(std::count(r.out.begin(), r.out.end(), '\n'), 46);

  r = pitot({"knobs", "orders", sweep_, "--policy", "run/best.policy.json", "-o", "orders.csv"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  r = pitot({"knobs", "compare", sweep_, "--orders", "ppo=orders.csv", "--orders",
             "training=run/measured.csv", "--budgets", "1,9", "-f", "json"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const Json compared = Json::parse(r.out);
  // After all nine everybody has the best, and the first of the policy is what training says.
  bool first = false, last = false;
  for (const Json& s : compared["summaries"]) {
    if (s["method"] != "ppo") continue;
    if (s["budget"] == 1) {
      first = true;
      EXPECT_NEAR(s["regret"].get<double>(), j["trained_on"]["mean_regret"].get<double>(), 1e-9);
    } else {
      last = true;
      EXPECT_EQ(s["regret"], 0);
    }
  }
  EXPECT_TRUE(first && last);
}

TEST_F(Ppo, GoesOnWhereItWas) {
  ASSERT_EQ(train({"--steps", "384"}).exit_code, 0);
  const std::string policy = text_of("run/latest.policy.json");
  fs::remove_all(folder_ / "run");
  // Another number of steps is another training.
  ASSERT_EQ(train({"--steps", "256"}).exit_code, 0);
  auto r = train({"--steps", "384", "--resume"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("of another training"));
  ASSERT_EQ(train({"--steps", "384"}).exit_code, 0);
  EXPECT_EQ(text_of("run/latest.policy.json"), policy);
  ASSERT_EQ(train({"--steps", "384", "--resume"}).exit_code, 0);
  EXPECT_EQ(text_of("run/latest.policy.json"), policy);
}

TEST_F(Ppo, WrongInputIsRefused) {
  EXPECT_EQ(train({"--only-sizes", "77"}).exit_code, 2);
  EXPECT_EQ(pitot({"learn", "ppo", "none.csv", "-o", "run"}).exit_code, 2);
  EXPECT_EQ(train({"--steps", "0"}).exit_code, 2);
  const std::string bad = file("bad.json", "{}");
  auto r = pitot({"knobs", "rollout", sweep_, "--policy", "bad.json"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("bad.json: not a policy of knobs"));
  r = pitot({"knobs", "rollout", sweep_, "--policy", "greedy"});
  EXPECT_EQ(r.exit_code, 2);
  ASSERT_EQ(train({"--steps", "128"}).exit_code, 0);
  r = pitot({"knobs", "orders", PITOT_SOURCE_DIR "/data/h200/knobs/gemm_large.csv", "--policy",
             "run/best.policy.json"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("the policy knows the kernels"));
  r = pitot(
      {"knobs", "orders", sweep_, "--policy", "run/best.policy.json", "run/latest.policy.json"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("same seed"));
}

TEST_F(Ppo, AGraphJoinsTheObservation) {
  file("k.ptx", kernel_text("mov.f32 %f0, 0f00000000;\n"));
  const std::vector<std::string> graphs{"--graph",         "gemm=k.ptx", "--graph",
                                        "reduction=k.ptx", "--graph",    "softmax=k.ptx"};
  std::vector<std::string> line{"--steps", "128", "-f", "json"};
  line.insert(line.end(), graphs.begin(), graphs.end());
  auto r = train(line);
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(Json::parse(r.out)["encoder_weights"], 18014);
  r = pitot({"knobs", "rollout", sweep_, "--policy", "run/best.policy.json", "--summary", "-"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  r = pitot({"learn", "embed", "k.ptx", "--policy", "run/best.policy.json"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  // The guarded ret ends a block: two blocks, an edge.
  EXPECT_THAT(r.out, HasSubstr("\nk.ptx,k,2,1,"));
  EXPECT_EQ(std::count(r.out.begin(), r.out.end(), ','), 2 * (4 + 69 - 1));

  r = train({"--graph", "gemm=k.ptx"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("--graph reduction=PTX is missing"));
  ASSERT_EQ(train({"--steps", "128"}).exit_code, 0);
  r = pitot({"learn", "embed", "k.ptx", "--policy", "run/best.policy.json"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("trained without --graph"));
}

}  // namespace
}  // namespace pitot::cli::test
