// Reports of Nsight Compute: a real one's shape, and what it says when it cannot count.
#include "measure/counters.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace pitot::measure {
namespace {

constexpr const char* kReport =
    "==PROF== Connected to process 411 (/usr/bin/pitot)\n"
    "out = 3\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\","
    "\"dram__bytes_read.sum\",\"smsp__inst_executed.sum\",\"x__missing.sum\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"byte\",\"inst\",\"\"\n"
    "\"0\",\"411\",\"gelu\",\"(256, 1, 1)\",\"(8, 1, 1)\",\"8,067,020\",\"16080896.5\",\"n/a\"\n"
    "\"1\",\"411\",\"odd \"\"name\"\", <int>(float *)\",\"(32, 1, 1)\",\"(1, 1, "
    "1)\",\"0\",\"7\",\"\"\n"
    "==PROF== Disconnected from process 411\n";

TEST(Counters, AReportByNameOfItsMetrics) {
  auto launches = parse_ncu_csv(kReport);
  ASSERT_TRUE(launches);
  ASSERT_EQ(launches->size(), 2u);
  const KernelCounters& k = launches->front();
  EXPECT_EQ(k.kernel, "gelu");
  EXPECT_EQ(k.grid, "(8, 1, 1)");
  EXPECT_EQ(k.block, "(256, 1, 1)");
  EXPECT_EQ(k.find("dram__bytes_read.sum"), 8067020.0);
  EXPECT_EQ(k.find("smsp__inst_executed.sum"), 16080896.5);
  EXPECT_FALSE(k.find("x__missing.sum"));
  EXPECT_FALSE(k.find("nothing"));
  EXPECT_EQ(launches->at(1).kernel, "odd \"name\", <int>(float *)");
}

TEST(Counters, WhyThereIsNoReport) {
  auto none = parse_ncu_csv(
      "==PROF== Connected to process 5\n"
      "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access counters.\n");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "ncu reports no launch: ERR_NVGPUCTRPERM - The user does not have permission to access "
            "counters.");
  EXPECT_FALSE(parse_ncu_csv(""));
}

// A program in ncu's place.
class FakeNcu : public testing::Test {
 protected:
  void write(const std::string& script) {
    path_ = (std::filesystem::temp_directory_path() /
             ("pitot-ncu-" + std::to_string(::getpid()) + "-" +
              testing::UnitTest::GetInstance()->current_test_info()->name()))
                .string();
    std::ofstream(path_) << "#!/bin/sh\n" << script;
    chmod(path_.c_str(), 0755);
    options_.ncu = path_;
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path_;
  CounterOptions options_;
};

TEST_F(FakeNcu, CountsTheFirstLaunchOfTheKernel) {
  write("cat <<'X'\n" + std::string(kReport) + "X\necho \"$@\" >&2\n");
  options_.metrics = {"smsp__inst_executed.sum", "dram__bytes_read.sum", "no__such.sum"};
  auto k = count({"pitot", "run"}, "gelu", options_);
  ASSERT_TRUE(k) << k.error().message;
  EXPECT_EQ(k->find("dram__bytes_read.sum"), 8067020.0);
  ASSERT_EQ(k->values.size(), 3u);
  EXPECT_EQ(k->values[0].first, "smsp__inst_executed.sum");
  EXPECT_FALSE(k->values[2].second);
  auto other = count({"pitot", "run"}, "softmax", options_);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "ncu saw no launch of 'softmax'");
}

TEST_F(FakeNcu, ATimeLimitAndAMissingProgramAreSaid) {
  write("sleep 60\n");
  options_.seconds = 0.3;
  auto k = count({"pitot"}, "gelu", options_);
  ASSERT_FALSE(k);
  EXPECT_EQ(k.error().message, "ncu did not end within 0.3 s; it was stopped");
  options_.ncu = "/nonexistent/ncu";
  k = count({"pitot"}, "gelu", options_);
  ASSERT_FALSE(k);
  EXPECT_EQ(k.error().kind, ErrorKind::kMissing);
}

}  // namespace
}  // namespace pitot::measure
