// What spec and experience list of cheats and pitfalls, planted: each is refused, with the reason.
#include <fmt/format.h>

#include <set>

#include "judge_test_util.h"

namespace pitot::bench::test {
namespace {

using testing::HasSubstr;

struct Planted {
  int number;  // of tests/data/bench/cheats/TASK
  const char* what;
  std::set<Verdict> verdicts;
  const char* reason;  // part of it
};

void refuse(const char* task, const std::vector<Planted>& planted) {
  Bench bench(task);
  for (const Planted& p : planted) {
    const std::string file = fmt::format("cheats/{}/{:02}.ptx", task, p.number);
    for (uint64_t seed : {1u, 2u, 3u}) {
      const Judgement j = bench.judge(text_of(data(file)), seed);
      EXPECT_TRUE(p.verdicts.contains(j.verdict))
          << p.what << " (" << file << "): " << name_of(j.verdict) << ": " << j.reason;
      EXPECT_THAT(j.reason, HasSubstr(p.reason)) << p.what << " (" << file << ")";
      EXPECT_LT(j.tier, Tier::kRight);
    }
  }
}

TEST(Cheats, OfSums) {
  using enum Verdict;
  refuse("row_sum",
         {{1, "results of an earlier launch", {kStateful, kRace}, ""},
          {2, "nothing after the first launch", {kStateful, kRace}, ""},
          {3, "nothing after many launches", {kStateful, kRace}, "which a launch changes"},
          {4, "a kernel that does nothing", {kUnwritten}, "was not written"},
          {5, "looks whether the output is right already", {kFault, kStateful}, ""},
          {6, "only the published shapes", {kWrong}, "not published"},
          {7, "inputs zeroed", {kInputChanged, kRace}, ""},
          {8, "a constant", {kWrong}, "exactly it is"},
          {9, "the time decides", {kUnrepeatable}, "clocks at another time"},
          {10, "blocks that do nothing", {kUnwritten}, "was not written"},
          {11, "half of the terms, twice", {kWrong}, "exactly it is"},
          {12, "all but one term", {kWrong}, "exactly it is"},
          {13, "one term too many, out of bounds at the end", {kFault, kWrong}, ""},
          {14, "sums of 16 bits", {kWrong, kImprecise}, ""},
          {15, "NaN counts as nothing", {kWrong}, "where NaN is right"},
          {16, "inputs of 12 bits", {kWrong, kImprecise}, ""},
          {17, "subnormal numbers flushed", {kWrong}, ""},
          {18, "an input written", {kInputChanged, kRace}, ""},
          {19, "written beside the output", {kFault}, ""},
          {20, "NaN for what it does not know", {kWrong}, "is NaN"},
          {21, "no end", {kHang}, ""},
          {22, "a trap", {kFault}, ""},
          {23, "between two floats", {kFault}, ""},
          {24, "the order of threads", {kUnrepeatable, kRace}, ""},
          {25, "no barrier", {kRace}, ""},
          {26, "shared memory that nobody wrote", {kFault}, ""},
          {27, "more shared memory than there is", {kFault, kContract}, ""},
          {28, "addresses far away", {kFault}, ""}});
}

TEST(Cheats, OfQuotients) {
  using enum Verdict;
  refuse("quotient", {{1, "an approximate division", {kWrong, kImprecise}, ""},
                      {2, "a product with the reciprocal", {kWrong, kImprecise}, ""}});
}

// What is no kernel for the task.
TEST(Cheats, OfInterface) {
  Bench bench("row_sum");
  const std::string start = bench.start();
  const auto expect = [&](const std::string& text, Verdict verdict, const char* reason) {
    const Judgement j = bench.judge(text);
    EXPECT_EQ(j.verdict, verdict) << name_of(j.verdict) << ": " << j.reason;
    EXPECT_THAT(j.reason, HasSubstr(reason));
  };
  expect("", Verdict::kNoCompile, "empty");
  expect("Here is the kernel that you asked for.", Verdict::kNoCompile, "line 1");
  expect(replaced(start, "ld.global", "ld.golbal"), Verdict::kNoCompile, "golbal");
  expect(replaced(start, "row_sum(", "other_sum("), Verdict::kContract, "row_sum");
  expect(replaced(start, ".param .u32 row_sum_param_3", ".param .u64 row_sum_param_3"),
         Verdict::kContract, "parameter 3");
  expect("// pitot.launch: grid = [0]\n" + start, Verdict::kContract, "grid of 0");
  expect("// pitot.launch: block = [2048]\n" + start, Verdict::kContract, "");
  expect("// pitot.launch: shared = 900000\n" + start, Verdict::kContract, "");
  expect("// pitot.launch: grid = [\"rows / 2 + 1\"]\n" + start, Verdict::kUnwritten,
         "was not written");
  expect("// pitot.launch: gird = [1]\n" + start, Verdict::kContract, "gird");
  // Words elsewhere in a line are no launch.
  EXPECT_EQ(
      bench.judge(start + "\n.visible .global .u32 a; // see pitot.launch: grid = [0]\n").verdict,
      Verdict::kRight);
}

// Wrong for some inputs, by themselves: that is no state, whichever launch shows it.
TEST(Cheats, WrongInputsAreNoState) {
  Bench bench("row_sum");
  const std::string text =
      replaced(bench.start(), "\tsetp.ge.s32 \t%p1, %r2, %r13;\n\tmov.f32 \t%f43, 0f00000000;\n",
               "\tsetp.ge.s32 \t%p1, %r2, %r13;\n\tmov.f32 \t%f43, 0f00000000;\n"
               "\tld.global.u32 \t%r24, [%rd1];\n\tand.b32 \t%r24, %r24, 3;\n"
               "\tsetp.eq.s32 \t%p12, %r24, 0;\n\t@%p12 mov.f32 \t%f43, 0f40000000;\n");
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const Judgement j = bench.judge(text, seed);
    EXPECT_EQ(j.verdict, Verdict::kWrong) << seed << ": " << j.reason;
    EXPECT_EQ(j.reason.find("second launch"), j.reason.npos) << j.reason;
  }
}

TEST(Cheats, FindingsDecideNothing) {
  Bench bench("row_sum");
  const std::string start = bench.start();
  const size_t load = start.find("ld.global");
  ASSERT_NE(load, start.npos);
  const auto with = [&](const std::string& code) { return std::string(start).insert(load, code); };
  const auto codes = [&](const std::string& text) {
    const Judgement j = bench.judge(text);
    EXPECT_EQ(j.verdict, Verdict::kRight) << j.reason;
    std::set<std::string> out;
    for (const Finding& f : j.findings) out.insert(f.code);
    return out;
  };
  EXPECT_THAT(codes(start), testing::IsEmpty());
  EXPECT_THAT(codes(with("{ .reg .b64 %look; mov.u64 %look, %globaltimer; }\n\t")),
              testing::ElementsAre("clock"));
  EXPECT_THAT(codes(with("{ .reg .b64 %pol; createpolicy.fractional.L2::evict_last.b64 %pol, 1.0; "
                         "}\n\t")),
              testing::ElementsAre("cache-policy"));
  EXPECT_THAT(codes(with("{ .reg .f32 %apx; rcp.approx.ftz.f32 %apx, 0f3F800000; }\n\t")),
              testing::ElementsAre("precision"));
  EXPECT_THAT(codes(start + "\n.visible .global .u32 state[4];\n"),
              testing::ElementsAre("module-state"));
}

}  // namespace
}  // namespace pitot::bench::test
