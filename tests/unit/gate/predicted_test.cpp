// Rules on predicted times: what they say, and what becomes of a prediction, or of none.
#include <gmock/gmock.h>

#include "gate_helpers.h"

namespace pitot::gate::predicted_test {
namespace {

using test::kernel;
using test::with;

const std::string kBody =
    "\tld.param.u64 %rd1, [p];\n\tld.global.nc.f32 %f1, [%rd1];\n\tmul.f32 %f2, %f1, 0f3F000000;\n"
    "\tst.global.f32 [%rd1+64], %f2;\n";
const std::string kRule =
    "[[rule]]\nname = \"time\"\npredicted = { slower-at-most = \"5%\", grid = [64, 2], block = "
    "256, "
    "size = 4096, gpu = \"H200\" }\n";

std::vector<Diagnostic> complaints(const std::string& text) {
  Diagnostics out;
  read_rules(SourceText("pitot.toml", text), out);
  return out.items();
}

GateResult judged(const std::string& after, const ImpactPredictor& impact) {
  const ptx::Module a = ptx::parse("before.ptx", kernel(kBody)), b = ptx::parse("after.ptx", after);
  GateOptions options;
  options.impact = impact;
  return judge(compare_builds(a, b), test::rules(kRule), options);
}

const std::string kChanged = with(kernel(kBody), "0f3F000000", "0f3F800000");

TEST(PredictedRule, IsRead) {
  const RuleSet r = test::rules(kRule);
  ASSERT_TRUE(r.rules.at(0).predicted.has_value());
  const PredictedLimit& l = *r.rules[0].predicted;
  EXPECT_NEAR(l.most_slower, 0.05, 1e-12);
  EXPECT_THAT(l.grid, testing::ElementsAre(64, 2, 1));
  EXPECT_THAT(l.block, testing::ElementsAre(256, 1, 1));
  EXPECT_EQ(l.size, 4096u);
  EXPECT_EQ(l.gpu, "H200");
  const std::string begin = "[[rule]]\npredicted = { ";
  EXPECT_EQ(complaints(begin + "grid = 1, block = 1 }\n").at(0).code, "missing-key");
  EXPECT_EQ(complaints(begin + "slower-at-most = \"5%\", grid = 1 }\n").at(0).code, "missing-key");
  EXPECT_EQ(complaints(begin + "slower-at-most = \"5\", grid = 1, block = 1 }\n").at(0).code,
            "bad-movement");
  EXPECT_EQ(complaints(begin + "slower-at-most = 5, grid = 1, block = 1 }\n").at(0).code,
            "wrong-type");
  EXPECT_EQ(complaints(begin + "slower-at-most = \"5%\", grid = [1, 0], block = 1 }\n").at(0).code,
            "wrong-type");
  EXPECT_EQ(
      complaints(begin + "slower-at-most = \"5%\", grid = 1, block = 1, bloc = 2 }\n").at(0).code,
      "unknown-key");
}

TEST(PredictedRule, SlowerThanAllowed) {
  const auto says = [](double after, bool uncertain) {
    return [=](const GateCase&, const PredictedLimit&) -> Result<PredictedImpact> {
      return PredictedImpact{10, after, uncertain, "a model"};
    };
  };
  EXPECT_EQ(test::find(judged(kChanged, says(10.4, false)), "predicted-slower"), nullptr);
  const GateResult slower = judged(kChanged, says(11, false));
  const Finding* f = test::find(slower, "predicted-slower");
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f->level, FindingLevel::kError);
  EXPECT_EQ(f->baseline, "10 µs");
  EXPECT_EQ(f->value, "11 µs");
  EXPECT_THAT(f->message, testing::HasSubstr("10.0 % slower by a model, at most 5.0 %"));
  // What the model is not sure of does not fail a build.
  const GateResult doubted = judged(kChanged, says(11, true));
  ASSERT_NE(test::find(doubted, "predicted-slower"), nullptr);
  EXPECT_EQ(test::find(doubted, "predicted-slower")->level, FindingLevel::kWarning);
  // An unchanged kernel is not asked about.
  EXPECT_EQ(test::find(judged(kernel(kBody), says(99, false)), "predicted-slower"), nullptr);
}

TEST(PredictedRule, WithoutAPredictionItSaysSo) {
  EXPECT_THAT(judged(kChanged, {}).notes,
              testing::Contains(testing::HasSubstr("rule \"time\" was not checked")));
  const auto fails = [](const GateCase&, const PredictedLimit&) -> Result<PredictedImpact> {
    return input_error("no such GPU");
  };
  EXPECT_THAT(judged(kChanged, fails).notes, testing::Contains(testing::HasSubstr("no such GPU")));
}

}  // namespace
}  // namespace pitot::gate::predicted_test
