// Hardware counters as text, JSON and CSV; what was not counted is not a number.
#include "report/counters_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace pitot::report {
namespace {

measure::KernelCounters counters() {
  measure::KernelCounters c;
  c.device = "cuda:0";
  c.kernel = "gelu";
  c.size_text = "n=8192";
  c.grid = "(8, 1, 1)";
  c.block = "(256, 1, 1)";
  c.values = {{"dram__bytes_read.sum", 8067020.0}, {"x.pct", 51.25}, {"not.there", std::nullopt}};
  return c;
}

TEST(CountersReport, Text) {
  EXPECT_EQ(counters_text(counters()),
            "gelu, n=8192 on cuda:0, counted by Nsight Compute\n"
            "grid (8, 1, 1), block (256, 1, 1)\n"
            "  dram__bytes_read.sum         8067020\n"
            "  x.pct                          51.25\n"
            "  not.there                          -\n");
}

TEST(CountersReport, Json) {
  const auto one = nlohmann::json::parse(counters_json({counters()}));
  EXPECT_EQ(one["schema"], "pitot.profile/1");
  EXPECT_EQ(one["device"], "cuda:0");
  EXPECT_EQ(one["counters"]["x.pct"], 51.25);
  EXPECT_TRUE(one["counters"]["not.there"].is_null());
  EXPECT_EQ(one["runs"].size(), 1u);
  const auto two = nlohmann::json::parse(counters_json({counters(), counters()}));
  EXPECT_EQ(two["runs"].size(), 2u);
  EXPECT_EQ(two["counters"], one["counters"]);
  EXPECT_EQ(two["runs"][0], one["runs"][0]);
}

TEST(CountersReport, Csv) {
  EXPECT_EQ(counters_csv({counters()}),
            "kernel,size,device,grid,block,dram__bytes_read.sum,x.pct,not.there\n"
            "gelu,n=8192,cuda:0,\"(8, 1, 1)\",\"(256, 1, 1)\",8067020,51.25,\n");
}

}  // namespace
}  // namespace pitot::report
