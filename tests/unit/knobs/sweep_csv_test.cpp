#include "knobs/sweep_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knobs_tables.h"

namespace pitot::knobs {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

SweepResult read(const std::string& text, size_t errors = 0) {
  Diagnostics out;
  SweepResult sweep = read_sweep(SourceText("s.csv", text), out);
  EXPECT_EQ(out.errors(), errors) << (out.items().empty() ? "" : out.items()[0].message);
  return sweep;
}

std::string complaint(const std::string& text) {
  Diagnostics out;
  read_sweep(SourceText("s.csv", text), out);
  return out.items().empty() ? "" : out.items()[0].message;
}

constexpr const char* kHeader =
    "kernel,matrix_size,block_size,threads_per_block,reg_cap,est_regs,actual_regs,theor_occ,time_"
    "ms_"
    "mean,time_ms_std,time_ms_min,time_ms_max";

TEST(SweepCsv, HasThePublishedColumns) {
  const SweepResult sweep = test::small_sweep();
  EXPECT_THAT(sweep_csv(sweep), StartsWith(std::string(kHeader) +
                                           "\ngemm,256,64,64,0,30,32,0.5,256,0.25,255.5,256.5\n"));
  // A row that did not run keeps its place, without times.
  EXPECT_THAT(sweep_csv(sweep), HasSubstr("\nsum,256,64,64,32,30,32,0.5,,,,\n"));
}

TEST(SweepCsv, AchievedOccupancyIsAColumnWhereItIsKnown) {
  SweepResult sweep = test::small_sweep();
  sweep.rows[1].achieved_occupancy = 0.25;
  const std::string text = sweep_csv(sweep);
  EXPECT_THAT(text, StartsWith(std::string(kHeader) + ",achieved_occ\n"));
  EXPECT_THAT(text, HasSubstr(",0.25\n"));
}

TEST(SweepCsv, PhaseOneAddsCountersRawAndNormalised) {
  SweepResult sweep = test::small_sweep();
  sweep.rows[0].counters = SweepCounters{true, "", "ncu", {50.0, 99.5, 101.0, std::nullopt}};
  const std::string text = counters_csv(sweep);
  EXPECT_THAT(text, StartsWith(std::string(kHeader) +
                               ",ok,reason,achieved_occupancy_raw,achieved_occupancy_norm,l2_hit_"
                               "rate_raw,l2_hit_rate_norm,dram_bw_pct_raw,dram_bw_pct_norm,sm_"
                               "active_pct_raw,sm_active_pct_norm,source\n"));
  EXPECT_THAT(text, HasSubstr(",True,,50,0.5,99.5,0.995,101,1,,,ncu\n"));
  EXPECT_THAT(text, HasSubstr(",False,not asked for,,,,,,,,,\n"));
  EXPECT_THAT(text, HasSubstr(",False,no registers,,,,,,,,,\n"));
}

TEST(SweepCsv, WhatIsWrittenIsRead) {
  SweepResult sweep = test::small_sweep();
  sweep.knobs.push_back("unroll");
  for (SweepRow& r : sweep.rows) r.settings.push_back(8);
  sweep.rows[0].counters = SweepCounters{true, "", "ncu", {50.0, 99.5, 12.25, 3.0}};
  const SweepResult back = read(counters_csv(sweep));
  EXPECT_EQ(back.knobs, sweep.knobs);
  ASSERT_EQ(back.rows.size(), sweep.rows.size());
  for (size_t i = 0; i < back.rows.size(); ++i) {
    const SweepRow &a = sweep.rows[i], &b = back.rows[i];
    EXPECT_EQ(a.kernel, b.kernel);
    EXPECT_EQ(a.matrix_size, b.matrix_size);
    EXPECT_EQ(a.settings, b.settings);
    EXPECT_EQ(a.threads_per_block, b.threads_per_block);
    EXPECT_EQ(a.estimated_registers, b.estimated_registers);
    EXPECT_EQ(a.registers, b.registers);
    EXPECT_EQ(a.occupancy, b.occupancy);
    EXPECT_EQ(a.ok(), b.ok());
    if (!a.ok()) continue;
    EXPECT_EQ(a.mean_ms, b.mean_ms);
    EXPECT_EQ(a.deviation_ms, b.deviation_ms);
    EXPECT_EQ(a.least_ms, b.least_ms);
    EXPECT_EQ(a.most_ms, b.most_ms);
  }
  ASSERT_TRUE(back.rows[0].counters);
  EXPECT_EQ(back.rows[0].counters->percent, sweep.rows[0].counters->percent);
  EXPECT_EQ(back.rows[0].counters->source, "ncu");
  EXPECT_EQ(sweep_csv(read(sweep_csv(sweep))), sweep_csv(sweep));
}

TEST(SweepCsv, ComplainsOfWhatCannotBe) {
  const std::string head = std::string(kHeader) + "\n";
  const std::string row = "gemm,256,64,64,0,30,32,0.5,2,0.1,1,3\n";
  EXPECT_EQ(complaint(head + row), "");
  EXPECT_THAT(complaint(head + row + row), HasSubstr("twice"));
  EXPECT_THAT(complaint(head + "gemm,256,x,64,0,30,32,0.5,2,0.1,1,3\n"), HasSubstr("'x'"));
  EXPECT_THAT(complaint(head + "gemm,256,64.5,64,0,30,32,0.5,2,0.1,1,3\n"),
              HasSubstr("whole number"));
  EXPECT_THAT(complaint(head + "gemm,256,64,64,0,30,32,0.5,2,0.1,2.5,3\n"), HasSubstr("cannot be"));
  EXPECT_THAT(complaint(head + "gemm,256,64,64,0,30,32,0.5,0,0,0,0\n"), HasSubstr("cannot be"));
  EXPECT_THAT(complaint("kernel,matrix_size\n"), HasSubstr("block_size"));
}

}  // namespace
}  // namespace pitot::knobs
