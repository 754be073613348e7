// Kernels that compute what the task asks for in other ways are right, whatever the seed.
#include <fmt/format.h>

#include "judge_test_util.h"

namespace pitot::bench::test {
namespace {

TEST(Honest, SumsInOtherOrders) {
  Bench bench("row_sum");
  for (int n = 1; n <= 5; ++n)
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      const Judgement j =
          bench.judge(text_of(data(fmt::format("honest/row_sum/{:02}.ptx", n))), seed);
      EXPECT_EQ(j.verdict, Verdict::kRight) << n << ", seed " << seed << ": " << j.reason;
    }
}

TEST(Honest, StartKernelsForManySeeds) {
  for (const char* task : {"row_sum", "quotient"}) {
    Bench bench(task);
    for (uint64_t seed = 1; seed <= 25; ++seed) {
      const Judgement j = bench.judge(bench.start(), seed);
      EXPECT_EQ(j.verdict, Verdict::kRight) << task << ", seed " << seed << ": " << j.reason;
      EXPECT_GT(j.trials, 20u);
      EXPECT_EQ(j.rms_error, j.start_rms_error);
    }
  }
}

TEST(Honest, LaunchOfItsOwn) {
  Bench bench("row_sum");
  // The kernel reads no %nctaid: more blocks than rows would go out of bounds, so many do not.
  const Judgement j =
      bench.judge("// pitot.launch: grid = [\"max(rows, 1)\"], block = [64]\n" + bench.start());
  EXPECT_EQ(j.verdict, Verdict::kRight) << j.reason;
}

}  // namespace
}  // namespace pitot::bench::test
