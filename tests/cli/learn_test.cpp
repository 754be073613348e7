// pitot learn: from searches' logs to a table, a policy, its judgement, and its use.
#include "cli_test_util.h"

namespace pitot::cli::test {
namespace {

namespace fs = std::filesystem;

class Learn : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    // Of one kernel loads are better as one; of the other there is nothing to gain.
    kernel("k",
           "ld.global.f32 %f0, [%rd2+512];\nld.global.f32 %f1, [%rd2+516];\n"
           "ld.global.f32 %f2, [%rd2+520];\nld.global.f32 %f3, [%rd2+524];\n"
           "add.f32 %f0, %f0, %f1;\nadd.f32 %f0, %f0, %f2;\nadd.f32 %f0, %f0, %f3;\n");
    kernel("other",
           "ld.global.f32 %f0, [%rd2+512];\nld.global.f32 %f1, [%rd2+516];\n"
           "fma.rn.f32 %f0, %f0, %f1, %f1;\n");
  }
  void kernel(const std::string& name, const std::string& body) {
    file("specs/" + name + ".ptx",
         kernel_text("mul.wide.u32 %rd2, %r1, 12;\nadd.u64 %rd2, %rd2, %rd1;\n" + body));
    std::string spec =
        spec_text("grid = 1\nblock = 32\n",
                  "count = \"128 + 4*n\"\nrole = \"inout\"\ninit = \"normal\"\nalign = 16\n");
    spec.replace(spec.find("k.ptx"), 5, name + ".ptx");
    file("specs/" + name + ".kernel.toml", spec);
    search(name);
  }
  void search(const std::string& name) {
    fs::create_directories(folder_ / "logs");
    const auto r = pitot({"optimize", "specs/" + name + ".kernel.toml", "--gpu", "A100", "--policy",
                          "exhaustive", "--steps", "2", "--budget", "100000", "--log",
                          "logs/" + name + ".jsonl"});
    EXPECT_EQ(r.exit_code, 0) << r.err;
  }
  toolchain::ProcessResult table(std::vector<std::string> more = {}) {
    std::vector<std::string> line{"learn", "table", "specs",   "--log", "logs",
                                  "-o",    "t",     "--steps", "2"};
    line.insert(line.end(), more.begin(), more.end());
    return pitot(line);
  }
  static bool can_train() {
    return fs::exists(fs::path(PITOT_PROGRAM).parent_path() / "pitot-learn");
  }
  // Cloning only: a few milliseconds.
  void train(std::vector<std::string> more = {}) {
    std::vector<std::string> line{"learn", "train",          "--table", "t",        "-o",
                                  "run",   "--clone-epochs", "60",      "--epochs", "3"};
    line.insert(line.end(), more.begin(), more.end());
    const auto r = pitot(line);
    EXPECT_EQ(r.exit_code, 0) << r.err;
  }
};

TEST_F(Learn, ATableHasEveryProgramOfTheLogs) {
  const auto r = table({"-f", "json"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const Json j = Json::parse(r.out);
  EXPECT_EQ(j["schema"], "pitot.learn-table/1");
  ASSERT_EQ(j["kernels"].size(), 2u);
  EXPECT_EQ(j["kernels"][0]["kernel"], "k");
  const std::string log = text_of("logs/k.jsonl");
  EXPECT_EQ(j["kernels"][0]["programs"],
            static_cast<size_t>(std::count(log.begin(), log.end(), '\n')) - 1);
  EXPECT_EQ(j["kernels"][0]["unmeasured"], 0);
  EXPECT_LT(j["kernels"][0]["best"].get<double>(), j["kernels"][0]["original"].get<double>());
  EXPECT_THAT(j["cost"].get<std::string>(), testing::StartsWith("emu A100"));
  const std::string bytes = text_of("t");
  EXPECT_EQ(table().exit_code, 0);
  EXPECT_EQ(text_of("t"), bytes);
}

TEST_F(Learn, LogsThatDoNotFitAreRefused) {
  file("logs/k.jsonl", text_of("logs/k.jsonl") + "{}\n");
  auto r = table();
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("k.jsonl: line "));
  fs::remove(folder_ / "logs/k.jsonl");
  search("k");
  EXPECT_EQ(table().exit_code, 0);
  // The kernel is another than when it was searched.
  std::string text = text_of("specs/k.ptx");
  text.replace(text.find("add.f32"), 7, "sub.f32");
  file("specs/k.ptx", text);
  r = table();
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("the log is of none of these kernels"));
  // Two costs in one table compare nothing.
  std::string log = text_of("logs/other.jsonl");
  log.replace(log.find("emu A100"), 8, "emu H200");
  file("logs/other.jsonl", log);
  fs::remove(folder_ / "logs/k.jsonl");
  search("k");
  r = table();
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("has values of 'emu "));
}

TEST_F(Learn, EvalComparesSearchesOnTheTable) {
  ASSERT_EQ(table().exit_code, 0);
  const auto r = pitot({"learn", "eval", "--table", "t", "--budgets", "5,1000", "-f", "json"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const Json j = Json::parse(r.out);
  EXPECT_EQ(j["schema"], "pitot.learn-eval/1");
  EXPECT_EQ(j["methods"][0]["method"], "oracle");
  EXPECT_EQ(j["methods"][0]["all"]["ratio_to_oracle"], 1);
  for (const Json& m : j["methods"])
    EXPECT_GE(m["all"]["best_change"].get<double>(),
              j["methods"][0]["all"]["best_change"].get<double>() - 1e-9);
  const auto csv = pitot({"learn", "eval", "--table", "t", "--budgets", "5", "-f", "csv"});
  EXPECT_THAT(csv.out, testing::StartsWith("kernel,held_out,method,budget,measured,gain,"));
  EXPECT_THAT(pitot({"learn", "eval", "--table", "t", "--recipe", "vec"}).err,
              HasSubstr("no transform 'vec'"));
  file("t", text_of("t").substr(0, 500));
  const auto cut = pitot({"learn", "eval", "--table", "t"});
  EXPECT_EQ(cut.exit_code, 2);
  EXPECT_THAT(cut.err, HasSubstr("t: the table is cut off or was changed"));
}

TEST_F(Learn, APolicyIsTrainedJudgedAndFollowed) {
  if (!can_train()) GTEST_SKIP() << "built without libtorch";
  ASSERT_EQ(table().exit_code, 0);
  train();
  for (const char* f : {"cloned.policy.json", "best.policy.json", "latest.policy.json",
                        "latest.checkpoint", "best.checkpoint", "cloning.csv", "grpo.csv",
                        "kernels.csv", "summary.json", "events.out.tfevents.pitot"})
    EXPECT_NE(text_of(std::string("run/") + f), "") << f;
  EXPECT_EQ(Json::parse(text_of("run/summary.json"))["weights"], 27925);
  const auto judged = pitot({"learn", "eval", "--table", "t", "--policy", "run/best.policy.json",
                             "--budgets", "5", "-f", "json"});
  ASSERT_EQ(judged.exit_code, 0) << judged.err;
  const Json methods = Json::parse(judged.out)["methods"];
  const Json blind = methods[methods.size() - 2];
  EXPECT_EQ(blind["method"], "policy");
  EXPECT_EQ(blind["budget"], 0);

  // Nothing is judged, what comes out is verified, and is what the table has.
  const auto followed = pitot({"optimize", "specs/k.kernel.toml", "--gpu", "A100", "--policy",
                               "run/best.policy.json", "--steps", "2", "-f", "json"});
  ASSERT_EQ(followed.exit_code, 0) << followed.err;
  const Json j = Json::parse(followed.out);
  EXPECT_EQ(j["best"], nullptr);
  EXPECT_EQ(j["evaluations"], 0);
  EXPECT_EQ(j["verified"], true);
  EXPECT_EQ(j["sequence"], blind["kernels"][0]["sequence"]);
  ASSERT_GE(j["steps"].size(), 1u);
  EXPECT_EQ(j["steps"][0]["action"], "vec_ld");
  EXPECT_GT(j["steps"][0]["probability"].get<double>(), 0.2);
  const auto text = pitot(
      {"optimize", "specs/k.kernel.toml", "--gpu", "A100", "--policy", "run/best.policy.json"});
  EXPECT_THAT(text.out, HasSubstr("nothing measured or modelled"));

  const auto searched =
      pitot({"optimize", "specs/k.kernel.toml", "--gpu", "A100", "--policy", "run/best.policy.json",
             "--budget", "6", "--steps", "2", "-f", "json"});
  const Json s = Json::parse(searched.out);
  EXPECT_EQ(s["evaluations"], 6);
  EXPECT_LT(s["change"].get<double>(), -0.01);
}

TEST_F(Learn, ResumedAndUninterruptedAreTheSame) {
  if (!can_train()) GTEST_SKIP() << "built without libtorch";
  ASSERT_EQ(table().exit_code, 0);
  train();
  const std::string best = text_of("run/best.policy.json"), grpo = text_of("run/grpo.csv");
  // As if it had been ended when the policy was best, before the last epoch.
  const std::string earlier = text_of("run/best.checkpoint");
  EXPECT_TRUE(earlier != text_of("run/latest.checkpoint"));
  fs::remove_all(folder_ / "run");
  file("run/latest.checkpoint", earlier);
  const auto again = pitot({"--seed", "1", "learn", "train", "--table", "t", "-o", "run",
                            "--clone-epochs", "60", "--epochs", "3", "--resume"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(text_of("run/best.policy.json") == best);
  EXPECT_EQ(text_of("run/grpo.csv"), grpo);
  const auto other = pitot({"learn", "train", "--table", "t", "-o", "run", "--clone-epochs", "60",
                            "--epochs", "4", "--resume"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("run/latest.checkpoint: the checkpoint is of another training"));
}

TEST_F(Learn, SplitsAndFoldsHoldKernelsOut) {
  if (!can_train()) GTEST_SKIP() << "built without libtorch";
  ASSERT_EQ(table().exit_code, 0);
  file("split.txt", "# held out\nother\n");
  train({"--split", "split.txt"});
  auto r = pitot({"learn", "eval", "--table", "t", "--policy", "run/best.policy.json", "--split",
                  "split.txt", "--budgets", "5", "-f", "json"});
  EXPECT_EQ(Json::parse(r.out)["methods"][0]["held_out"]["kernels"], 1);
  file("split.txt", "k\n");
  r = pitot({"learn", "eval", "--table", "t", "--policy", "run/best.policy.json", "--split",
             "split.txt"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("k is held out, and the policy has learned from it"));
  train({"--folds", "2", "-f", "json"});
  r = pitot({"learn", "eval", "--table", "t", "--policy", "run/fold-1/best.policy.json",
             "run/fold-2/best.policy.json", "--budgets", "5", "-f", "json"});
  EXPECT_EQ(Json::parse(r.out)["methods"][0]["held_out"]["kernels"], 2) << r.err;
  file("split.txt", "nope\n");
  r = pitot({"learn", "clone", "--table", "t", "-o", "run", "--split", "split.txt"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("nope is to be held out, and the table has no such kernel"));
}

TEST_F(Learn, CloningAndGrpoAlone) {
  if (!can_train()) GTEST_SKIP() << "built without libtorch";
  ASSERT_EQ(table().exit_code, 0);
  EXPECT_EQ(pitot({"learn", "clone", "--table", "t", "-o", "a", "--kind", "wide"}).exit_code, 0);
  EXPECT_EQ(text_of("a/grpo.csv").find('\n'), text_of("a/grpo.csv").size() - 1);
  const auto r = pitot({"learn", "grpo", "--table", "t", "-o", "b", "--kind", "wide", "--from",
                        "a/best.policy.json", "--epochs", "2"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(
      pitot({"learn", "grpo", "--table", "t", "-o", "b", "--from", "a/best.policy.json"}).err,
      HasSubstr("training of a published policy cannot start from a wide one"));
}

// The same program where pitot-learn does not lie beside it.
TEST_F(Learn, WithoutTheTrainerItSaysWhatIsMissing) {
  const fs::path alone = fs::path(PITOT_PROGRAM).parent_path() / folder_.filename();
  fs::create_directories(alone);
  fs::create_hard_link(PITOT_PROGRAM, alone / "pitot");
  toolchain::ProcessOptions options;
  options.directory = folder_.string();
  const auto r = toolchain::run_process(
      {(alone / "pitot").string(), "learn", "train", "--table", "t"}, options);
  fs::remove_all(alone);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->exit_code, 3);
  EXPECT_THAT(r->err, HasSubstr("libtorch-dev"));
}

TEST_F(Learn, NoPolicyAtAll) {
  auto r = pitot({"optimize", "specs/k.kernel.toml", "--gpu", "A100", "--policy", "gredy"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("neither greedy, beam, random or exhaustive nor a policy's file"));
  file("p.json", "{}");
  r = pitot({"optimize", "specs/k.kernel.toml", "--gpu", "A100", "--policy", "p.json"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("p.json: not a policy"));
  EXPECT_EQ(pitot({"optimize", "specs/k.kernel.toml", "--gpu", "A100", "--budget", "0"}).exit_code,
            2);
  EXPECT_EQ(pitot({"learn"}).exit_code, 2);
}

}  // namespace
}  // namespace pitot::cli::test
