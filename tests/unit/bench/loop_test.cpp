// The loop ends in a verified kernel or the original, whatever the generator proposes.
#include "bench/loop.h"

#include <set>

#include "arch/gpu.h"
#include "bench/command_generator.h"
#include "bench/search_generator.h"
#include "judge_test_util.h"

namespace pitot::bench::test {
namespace {

using testing::HasSubstr;

// A clock by the text: what each instruction of the kernel takes, so that shorter is faster.
Result<double> by_length(const Candidate& c, const device::SizeSpec&) {
  return 1.0 + c.module->functions[c.kernel].instruction_count;
}

class LoopTest : public testing::Test {
 protected:
  LoopTest() {
    options_.emulated.drawn = 2;
    options_.emulated.seed = 5;
    options_.model = by_length;
    options_.model_name = "instructions";
    loop_.rounds = 3;
    loop_.candidates = 4;
    loop_.gpu = *arch::find_gpu("H200");
    auto judge = Judge::make(bench_.task(), options_);
    EXPECT_TRUE(judge.ok());
    judge_ = std::move(*judge);
  }
  LoopResult run(Generator& generator) {
    auto r = run_loop(bench_.task(), bench_.oracle(), generator, loop_, [&](const auto& batch) {
      std::vector<Judgement> out;
      for (const Submission& s : batch) {
        auto j = judge_->judge(s);
        EXPECT_TRUE(j.ok()) << j.error().message;
        out.push_back(std::move(*j));
      }
      return Result<std::vector<Judgement>>(std::move(out));
    });
    EXPECT_TRUE(r.ok());
    return *r;
  }
  // Whatever came out computes what the task asks for.
  void verify(const LoopResult& r) {
    const Judgement j = bench_.judge(r.best_text, 99);
    EXPECT_EQ(j.verdict, Verdict::kRight) << j.reason;
  }

  Bench bench_{"row_sum", 2};
  JudgeOptions options_;
  LoopOptions loop_;
  std::unique_ptr<Judge> judge_;
};

TEST_F(LoopTest, FaultyGeneratorEndsInTheOriginal) {
  auto generator = faulty_generator();
  const LoopResult r = run(*generator);
  ASSERT_EQ(r.judged.size(), 12u);
  std::set<Verdict> seen;
  for (const Judgement& j : r.judged) {
    seen.insert(j.verdict);
    if (!j.candidate.starts_with("start-kernel") && !j.candidate.starts_with("slow"))
      EXPECT_NE(j.verdict, Verdict::kRight) << j.candidate;
    else
      EXPECT_EQ(j.verdict, Verdict::kRight) << j.candidate << ": " << j.reason;
  }
  EXPECT_GE(seen.size(), 5u);
  EXPECT_FALSE(r.improved);
  EXPECT_EQ(r.best_text, bench_.start());
  EXPECT_EQ(r.best_name, "start");
  verify(r);
}

// Says what it is given; better only in its second round.
class Scripted final : public Generator {
 public:
  std::string name() const override { return "scripted"; }
  bool reads() const override { return true; }
  Result<std::vector<Proposal>> propose(const Request& r) override {
    prompts.push_back(r.prompt);
    if (r.round == 0) return std::vector<Proposal>{{"bad", "rubbish"}};
    if (r.round == 1) return std::vector<Proposal>{{"better", better}, {"worse", r.start}};
    return failed_error("gone");
  }
  std::string better;
  std::vector<std::string> prompts;
};

TEST_F(LoopTest, BetterIsKeptAndFailuresAreFedBack) {
  Scripted generator;
  generator.better = text_of(data("honest/row_sum/01.ptx"));
  const LoopResult r = run(generator);
  EXPECT_EQ(r.error, "gone");  // what was found until then stands
  EXPECT_TRUE(r.improved);
  EXPECT_EQ(r.best_name, "better");
  EXPECT_EQ(r.best_text, generator.better);
  EXPECT_GT(r.best_speedup, 1);
  verify(r);
  ASSERT_EQ(generator.prompts.size(), 3u);
  EXPECT_THAT(generator.prompts[0], HasSubstr("row_sum"));
  EXPECT_THAT(generator.prompts[0], HasSubstr("ld.global"));
  EXPECT_THAT(generator.prompts[0], HasSubstr("tightest bound"));
  EXPECT_THAT(generator.prompts[1], HasSubstr("### bad: no-compile"));
  EXPECT_THAT(generator.prompts[1], HasSubstr("rubbish"));
  EXPECT_THAT(generator.prompts[2], HasSubstr("### better: right"));
}

TEST_F(LoopTest, CommandsPropose) {
  CommandSettings how;
  how.command =
      "test \"$PITOT_TASK\" = row_sum && cat";  // the prompt, whose PTX is the start kernel
  auto generator = command_generator(how);
  const LoopResult r = run(*generator);
  ASSERT_EQ(r.judged.size(), 12u);
  for (const Judgement& j : r.judged) EXPECT_EQ(j.verdict, Verdict::kRight) << j.reason;
  EXPECT_FALSE(r.improved);
  how.command = "sleep 30";
  how.seconds = 0.2;
  loop_.rounds = loop_.candidates = 1;
  EXPECT_EQ(run(*command_generator(how)).judged.at(0).verdict, Verdict::kNoCompile);
  how.command = "no-such-command-anywhere";
  EXPECT_THAT(run(*command_generator(how)).error, HasSubstr("cannot be run"));
}

TEST_F(LoopTest, BuiltInGeneratorsAreRight) {
  for (auto& g : {std::shared_ptr<Generator>(identity_generator()),
                  std::shared_ptr<Generator>(random_generator()),
                  std::shared_ptr<Generator>(each_generator()),
                  std::shared_ptr<Generator>(search_generator(by_length, {}))}) {
    const LoopResult r = run(*g);
    EXPECT_EQ(r.error, "");
    for (const Judgement& j : r.judged)
      EXPECT_EQ(j.verdict, Verdict::kRight) << g->name() << " " << j.candidate << ": " << j.reason;
    verify(r);
  }
}

// The process that runs a candidate is the judge's to lose.
TEST_F(LoopTest, EndlessCandidatesCostTheirProcessOnly) {
  options_.seconds = 0.05;
  auto judge = Judge::make(bench_.task(), options_);
  ASSERT_TRUE(judge.ok());
  Submission s;
  s.text = text_of(data("cheats/row_sum/21.ptx"));
  auto j = (*judge)->judge(s);
  ASSERT_TRUE(j.ok());
  EXPECT_EQ(j->verdict, Verdict::kHang);
}

}  // namespace
}  // namespace pitot::bench::test
