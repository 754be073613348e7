// Archives as training data.
#include "bench/export.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace pitot::bench {
namespace {

using Json = nlohmann::json;

Judgement made(const std::string& program, Verdict verdict, double speedup) {
  Judgement j;
  j.task = "t";
  j.program = program;
  j.verdict = verdict;
  j.tier = verdict == Verdict::kRight       ? Tier::kTimed
           : verdict == Verdict::kNoCompile ? Tier::kNothing
                                            : Tier::kCompiles;
  j.speedup = speedup;
  j.reason = verdict == Verdict::kRight ? "" : "because";
  return j;
}

const std::vector<Judgement> kJudged{
    made("best", Verdict::kRight, 2),  made("best", Verdict::kRight, 2),
    made("same", Verdict::kRight, 1),  made("slow", Verdict::kRight, 0.5),
    made("wrong", Verdict::kWrong, 0), made("none", Verdict::kNoCompile, 0)};

Result<std::string> text(const std::string& program) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry " + program +
         "()\n{\n.reg .f32 %f<2>;\nadd.f32 %f1, %f0, %f0; // sum\nadd.f32 %f1, %f0, "
         "%f0;\nret;\n}\n";
}
std::string prompt(const std::string& task) { return "do " + task; }

TEST(Export, TuningHasWhatIsRightAndFaster) {
  auto lines = tuning_lines(kJudged, text, prompt);
  ASSERT_TRUE(lines.ok());
  ASSERT_EQ(lines->size(), 1u);
  const Json j = Json::parse((*lines)[0]);
  EXPECT_EQ(j["prompt"], "do t");
  EXPECT_EQ(j["completion"], *text("best"));
  EXPECT_EQ(j["speedup"], 2);
}

TEST(Export, PreferencesPairTheBestWithTheRest) {
  auto lines = preference_lines(kJudged, text, prompt);
  ASSERT_TRUE(lines.ok());
  ASSERT_EQ(lines->size(), 4u);  // same, slow, wrong, none
  for (const std::string& l : *lines) {
    const Json j = Json::parse(l);
    EXPECT_EQ(j["chosen"], *text("best"));
    EXPECT_NE(j["rejected"], j["chosen"]);
  }
}

TEST(Export, RewardsAreNormalisedByKernel) {
  auto lines = reward_lines(kJudged, text);
  ASSERT_TRUE(lines.ok());
  std::map<std::string, double> reward;
  for (const std::string& l : *lines) {
    const Json j = Json::parse(l);
    reward[j["program"]] = j["reward"];
  }
  EXPECT_EQ(reward, (std::map<std::string, double>{
                        {"best", 1}, {"same", 0.1}, {"slow", 0.1}, {"wrong", 0}, {"none", 0}}));
}

TEST(Export, CorpusCountsTokensAndProposesAVocabulary) {
  auto made = corpus(kJudged, text, 1);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->lines.size(), 4u);  // "none" does not compile
  const Json s = Json::parse(made->statistics);
  EXPECT_EQ(s["programs"], 4);
  EXPECT_EQ(s["instructions"], 12);
  ASSERT_EQ(s["vocabulary"].size(), 1u);
  EXPECT_EQ(s["vocabulary"][0]["token"], "add.f32");
  EXPECT_EQ(s["vocabulary"][0]["count"], 8);
  EXPECT_NEAR(s["vocabulary"][0]["covered"], 8.0 / 12, 1e-12);
  // .version 8.0 .target sm_80 .address_size 64 .visible .entry best ( ) { .reg .f32 %f < 2 > ;
  // add.f32 %f1 , %f0 , %f0 ; (twice) ret ; }
  EXPECT_EQ(Json::parse(made->lines[0])["tokens"], 6 + 5 + 1 + 7 + 14 + 3);
}

}  // namespace
}  // namespace pitot::bench
