// `learn phase` and `knobs phase`: a detector trained on drawn windows, and what it says of others.
#include "cli_test_util.h"

namespace pitot::cli::test {
namespace {

class Phases : public Cli {
 protected:
  static bool can_train() {
    return std::filesystem::exists(std::filesystem::path(PITOT_PROGRAM).parent_path() /
                                   "pitot-learn");
  }
  // Two windows; `label` of both.
  static std::string windows(const std::string& label) {
    std::string out =
        "window,step,kernels,label,achieved_occupancy,l2_hit_rate,dram_bw_pct,sm_active_pct,"
        "issue_pct,n\n";
    for (const char* name : {"0", "1"})
      for (int k = 0; k < 20; ++k)
        out += std::string(name) + "," + std::to_string(k) + ",copy," + label +
               (name[0] == '0' ? ",50,20,90,20,10,7\n" : ",90,80,10,90,80,7\n");
    return out;
  }
};

TEST_F(Phases, ADetectorIsTrainedJudgedAndUsed) {
  if (!can_train()) GTEST_SKIP() << "built without libtorch";
  file("w.csv", windows("memory"));
  file("bare.csv", windows(""));
  const auto r = pitot({"learn", "phase", "--synthetic", "16", "--folds", "2", "--epochs", "2",
                        "--batch", "8", "--test", "others=w.csv", "-o", "p", "-f", "json"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const Json j = Json::parse(r.out);
  EXPECT_EQ(j["schema"], "pitot.learn-phase/1");
  EXPECT_EQ(j["weights"], 142021);
  ASSERT_EQ(j["sets"].size(), 2u);
  EXPECT_EQ(j["sets"][0]["set"], "held out");
  EXPECT_EQ(j["sets"][0]["windows"], 16);
  EXPECT_EQ(j["sets"][0]["rule_accuracy"], 1);
  EXPECT_EQ(j["sets"][1]["set"], "others");
  EXPECT_EQ(j["sets"][1]["windows"], 2);
  EXPECT_EQ(Json::parse(text_of("p/summary.json")), j);
  EXPECT_THAT(text_of("p/phase5_eval.csv"),
              testing::StartsWith("set,fold,window,kernels,label,predicted,p_compute,p_memory,"
                                  "p_latency,p_mixed,uncertainty,rule\nheld out,"));

  const auto labelled = pitot({"knobs", "phase", "w.csv", "--detector", "p/phase.detector"});
  EXPECT_EQ(labelled.exit_code, 0) << labelled.err;
  // What training's judgement said.
  std::string expected = labelled.out;
  for (size_t at = 0; (at = expected.find("w.csv,0,", at)) != std::string::npos;)
    expected.replace(at, 5, "others");
  const std::string eval = text_of("p/phase5_eval.csv");
  EXPECT_THAT(eval, testing::EndsWith(expected.substr(expected.find('\n') + 1)));
  EXPECT_THAT(labelled.out, HasSubstr("w.csv,0,1,copy,memory,"));
  const auto bare = pitot({"knobs", "phase", "bare.csv", "--detector", "p/phase.detector"});
  EXPECT_THAT(bare.out, testing::StartsWith("window,kernels,phase,p_compute,"));
  EXPECT_THAT(bare.out, HasSubstr("\n1,copy,"));
  const auto scored =
      pitot({"knobs", "phase", "w.csv", "--detector", "p/phase.detector", "-o", "v.csv"});
  EXPECT_THAT(scored.out, HasSubstr("2 windows of 1 kernels or pairs"));
  EXPECT_EQ(text_of("v.csv"), labelled.out);
}

TEST_F(Phases, WhatCannotBeUsedIsRefused) {
  file("w.csv", windows("memory"));
  file("d", "pitot.phase-detector/1 0\n");
  auto r = pitot({"knobs", "phase", "w.csv", "--detector", "d"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("d: the detector is cut off or was changed"));
  EXPECT_EQ(pitot({"knobs", "phase", "w.csv", "--detector", "none"}).exit_code, 2);
  if (!can_train()) GTEST_SKIP() << "built without libtorch";
  file("bare.csv", windows(""));
  file("bad.csv", windows("bound"));
  for (const auto& [words, said] :
       {std::pair{std::vector<std::string>{}, "files of windows are wanted"},
        {{"bare.csv"}, "bare.csv: window '0' has no label"},
        {{"bad.csv"}, "bad.csv:2:"},
        {{"w.csv"}, "5 folds of 1 kernels"},
        {{"w.csv", "--folds", "0", "--test", "w.csv"}, "NAME=FILE is wanted"}}) {
    std::vector<std::string> line{"learn", "phase", "-o", "p"};
    line.insert(line.end(), words.begin(), words.end());
    r = pitot(line);
    EXPECT_EQ(r.exit_code, 2) << said;
    EXPECT_THAT(r.err, HasSubstr(said));
  }
}

}  // namespace
}  // namespace pitot::cli::test
