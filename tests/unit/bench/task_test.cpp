// Task files: what they say, and located complaints about what they should not.
#include "bench/task.h"

#include <set>

#include "bench/trials.h"
#include "judge_test_util.h"

namespace pitot::bench::test {
namespace {

using testing::HasSubstr;

TEST(Tasks, ReadsWhatIsThere) {
  const auto task = task_of(data("tasks/row_sum"));
  EXPECT_EQ(task->name, "row_sum");
  EXPECT_EQ(task->kind, "reduction");
  EXPECT_EQ(task->spec.ptx, "start.sm80.ptx");
  EXPECT_EQ(task->start_for(75), "");
  EXPECT_EQ(task->timed.size(), 1u);
  EXPECT_EQ(task->accuracy.arithmetic, ptx::Type::kF32);
  ASSERT_EQ(task->oracle.arguments.size(), 5u);
  EXPECT_EQ(task->oracle.arguments[1].type, ptx::Type::kF64);
  EXPECT_EQ(task->oracle.arguments[4].name, "y_scale");
  EXPECT_EQ(task->oracle.grid[0], "ceil_div(rows, 128)");
  EXPECT_FALSE(task->baseline);
}

std::string first_error(const std::string& text) {
  const SourceText source("t/task.toml", text);
  Diagnostics found;
  read_task(source, found);
  for (const Diagnostic& d : found.items())
    if (d.severity == Severity::kError)
      return std::to_string(source.position(d.range.begin).line) + ": " + d.message;
  return {};
}

TEST(Tasks, ComplainsInPlace) {
  const std::string good = text_of(data("tasks/row_sum/task.toml"));
  const auto with = [&](const std::string& from, const std::string& to) {
    return first_error(replaced(good, from, to));
  };
  EXPECT_EQ(first_error(good), "");
  EXPECT_THAT(with("pitot.task/1", "pitot.task/9"), HasSubstr("unknown schema"));
  EXPECT_THAT(with("kind = \"reduction\"\n", ""), HasSubstr("`kind` is missing"));
  EXPECT_THAT(with("[[timed]]\nrows = 4096\ncols = 1024\n", ""), HasSubstr("[[timed]]"));
  EXPECT_THAT(with("arithmetic = \"f32\"", "arithmetic = \"f31\""), HasSubstr("f31"));
  EXPECT_THAT(with("arithmetic = \"f32\"", ""), HasSubstr("float output"));
  EXPECT_THAT(with("length = \"cols\"", "length = \"colz\""), HasSubstr("colz"));
  EXPECT_THAT(with("rows = { from = 1, to = 9 }", "rows = { from = 10, to = 9 }"),
              HasSubstr("no multiple"));
  EXPECT_THAT(with("rows = { from = 1, to = 9 }", "rowz = { from = 1, to = 9 }"), HasSubstr("row"));
  EXPECT_THAT(with("[oracle]", "[orakel]"), HasSubstr("ora"));
  EXPECT_THAT(with("[accuracy]", "[tolerance]\nrtol = 1.0\n[accuracy]"), HasSubstr("[tolerance]"));
  EXPECT_THAT(with("role = \"out\"", "role = \"in\""), HasSubstr("output"));
  EXPECT_THAT(with("flops = \"rows * cols\"", "flops = \"rows * \""),
              HasSubstr("value is missing"));
  EXPECT_THAT(with("difficulty = 1", "difficulty = 6"), HasSubstr("difficulty"));
  EXPECT_THAT(with("kind = \"reduction\"", "kind = \"Row sums\""), HasSubstr("small letters"));
  EXPECT_THAT(with("[private]", "[private]\nvolume = \"rows * cols\""),
              HasSubstr("compares nothing"));
  EXPECT_EQ(with("[private]", "[private]\nvolume = \"rows * cols < 9\""), "");
  EXPECT_THAT(with("[accuracy]", "[tuned]\nfile = \"none.cu\"\n[accuracy]"),
              HasSubstr("no `source`"));
  EXPECT_NE(first_error("x = ["), "");
  EXPECT_NE(first_error(""), "");
}

TEST(Tasks, SizesAreDrawnWithinTheirRanges) {
  auto task = *task_of(data("tasks/row_sum"));
  task.ranges["cols"] = {8, 64, 8, 0};
  task.volume = "rows * cols <= 200";
  bool least = false;
  const auto sizes = draw_sizes(task, 7, 500);
  ASSERT_EQ(sizes.size(), 500u);
  for (const device::SizeSpec& s : sizes) {
    const int64_t rows = s.values.at("rows"), cols = s.values.at("cols");
    EXPECT_GE(rows, 1);
    EXPECT_LE(rows, 9);
    EXPECT_EQ(cols % 8, 0);
    EXPECT_GE(cols, 8);
    EXPECT_LE(cols, 64);
    EXPECT_LE(rows * cols, 200);
    least |= rows == 1 && cols == 8;
  }
  EXPECT_TRUE(least);
  EXPECT_NE(draw_sizes(task, 8, 500)[0].values, draw_sizes(task, 9, 500)[0].values);
}

TEST(Tasks, PlansAreTheSeedsAndHaveEveryKindOfData) {
  const auto task = task_of(data("tasks/row_sum"));
  std::set<Data> kinds;
  size_t secret = 0;
  for (const TrialPlan& p : plan_trials(*task, 3, 6)) {
    kinds.insert(p.data);
    secret += p.secret;
  }
  EXPECT_EQ(secret, 8u);  // two of them beside the first published size
  for (Data d : {Data::kGiven, Data::kPositive, Data::kWide, Data::kNan, Data::kInfinite,
                 Data::kTiny, Data::kEqual, Data::kNegative, Data::kLarge, Data::kHuge})
    EXPECT_TRUE(kinds.contains(d)) << name_of(d);
  EXPECT_EQ(plan_trials(*task, 3, 6)[4].size.values, plan_trials(*task, 3, 6)[4].size.values);
  EXPECT_NE(plan_trials(*task, 3, 6)[0].seed, plan_trials(*task, 4, 6)[0].seed);
}

TEST(Tasks, FoldersThatAreNone) {
  EXPECT_FALSE(task_folders(data("nothing")).ok());
  EXPECT_FALSE(task_folders(data("cheats")).ok());
  EXPECT_EQ(task_folders(data("tasks"))->size(), 2u);
  EXPECT_EQ(task_folders(data("tasks/row_sum"))->size(), 1u);
}

}  // namespace
}  // namespace pitot::bench::test
