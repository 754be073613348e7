// Rows of features: columns, their values beside the profile's, reasons for what is missing.
#include "predict/row_features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "device/prepare.h"
#include "predict/analytic.h"
#include "predict_kernels.h"
#include "profile/profile.h"

namespace pitot::predict {
namespace {

TEST(FeatureSet, NamesAreUniqueAndTheClassicColumnsComeFirst) {
  const auto columns = feature_columns();
  ASSERT_EQ(columns.size(), kColumnCount);
  std::set<std::string_view> names;
  for (const FeatureColumn& c : columns) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    EXPECT_FALSE(c.unit.empty()) << c.name;
  }
  const char* classic[] = {"total_instructions", "memory_ops",        "shared_memory_ops",
                           "sync_points",        "warp_shuffle",      "arithmetic_intensity",
                           "branch_density",     "register_pressure", "predicate_ratio"};
  for (size_t i = 0; i < std::size(classic); ++i) EXPECT_EQ(columns[i].name, classic[i]);
  EXPECT_EQ(find_column("grid_x"), index_of(Column::kGridX));
  EXPECT_EQ(columns[index_of(Column::kEmuEstimate)].name, "emu_estimate");
  EXPECT_EQ(find_column("no_such"), std::nullopt);
}

TEST(RowFeatures, EmulatedColumnsAreTheProfiles) {
  const SpecKernel k("cuda/saxpy/saxpy", "saxpy.sm90.ptx");
  const device::SizeSpec size{"full", {{"n", 100000}}};
  RowOptions alike;  // to a plain profile
  alike.blocks = alike.most_blocks = 8;
  alike.sample_loops = alike.warm = false;
  RowExtractor extractor(alike);
  auto row = extractor.row(k.request(size));
  ASSERT_TRUE(row.ok()) << row.error().message;
  auto ready = device::prepare(k.program, k.kernel, k.spec, size, 1, true);
  ASSERT_TRUE(ready.ok());
  profile::ProfileOptions options;
  options.gpu = *arch::find_gpu("H200");
  auto p = profile::profile(k.program, k.kernel, ready->launch, *ready->memory, options);
  ASSERT_TRUE(p.ok());
  using enum Column;
  EXPECT_EQ((*row)[kEmuWarpInstructions], p->totals.warp_instructions);
  EXPECT_EQ((*row)[kEmuGlobalSectors], p->totals.global_sectors);
  EXPECT_EQ((*row)[kEmuDramReads], p->totals.dram_reads);
  EXPECT_EQ((*row)[kEmuEstimate], *p->estimate);
  EXPECT_EQ((*row)[kEmuCycles], p->cycles);
  EXPECT_EQ((*row)[kLaunchRegisters], p->registers);
  EXPECT_EQ((*row)[kBlocksPerSm], p->blocks_per_sm);
  EXPECT_DOUBLE_EQ((*row)[kWaves], p->waves);
  EXPECT_DOUBLE_EQ((*row)[kOccupancy], p->occupancy);
  EXPECT_EQ((*row)[kEmuInferred], 0);
  double units = 0;
  for (const auto& [name, work] : p->units) units += name == "fma" ? work : 0;
  EXPECT_EQ((*row)[kEmuUnitFma], units);
  EXPECT_GT(units, 0);
}

// One block in sixteen, at places without a pattern, works a hundred times as long as the others.
TEST(RowFeatures, ManyBlocksRunWhereTheyAreUnlike) {
  auto module = std::make_shared<ptx::Module>(ptx::parse("unlike.ptx", R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry unlike(.param .u64 out)
{
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  mul.lo.u32 %r2, %r1, -1640531535;
  shr.u32 %r3, %r2, 28;
  setp.eq.u32 %p1, %r3, 0;
  selp.u32 %r4, 3000, 30, %p1;
  mov.u32 %r5, 1;
again:
  mad.lo.u32 %r5, %r5, %r5, %r4;
  sub.u32 %r4, %r4, 1;
  setp.ne.u32 %p2, %r4, 0;
  @%p2 bra again;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r5;
  ret;
}
)"));
  ASSERT_EQ(module->diagnostics.errors(), 0u);
  const BareLaunch launch{.grid = {8192, 1, 1}, .block = {32, 1, 1}};
  RowRequest request;
  request.module = module;
  request.gpu = *arch::find_gpu("H200");
  request.bare = &launch;
  auto executed = [&](RowOptions options) {
    options.sample_loops = false;
    auto row = RowExtractor(options).row(request);
    EXPECT_TRUE(row.ok());
    return (*row)[Column::kEmuWarpInstructions];
  };
  RowOptions everything{.budget = 1'000'000'000};
  everything.blocks = 8192;
  const double all = executed(everything);
  EXPECT_GT(all, 8192 * 4 * 30);
  EXPECT_NEAR(executed({}) / all, 1, 0.15);
}

TEST(RowFeatures, WhatIsMissingSaysWhy) {
  const SpecKernel k("cuda/saxpy/saxpy", "saxpy.sm90.ptx");
  RowExtractor extractor({.emulate = false});
  const device::SizeSpec size{"full", {{"n", 100000}}};
  auto row = extractor.row(k.request(size));
  ASSERT_TRUE(row.ok());
  EXPECT_TRUE(std::isnan((*row)[Column::kEmuCycles]));
  EXPECT_EQ(row->reason(index_of(Column::kEmuCycles)), "not asked for");
  EXPECT_EQ(row->reason(index_of(Column::kPtxasRegisters)), "ptxas was not asked");
  EXPECT_EQ(row->reason(index_of(Column::kGridX)), "");
  for (size_t i = 0; i < kColumnCount; ++i)
    EXPECT_EQ(std::isnan(row->values[i]), !row->reason(i).empty()) << feature_columns()[i].name;
}

TEST(RowFeatures, ALaunchThatTheGpuCannotTakeIsARowWithoutOccupancy) {
  const SpecKernel k("cuda/saxpy/saxpy", "saxpy.sm90.ptx");
  BareLaunch launch{.grid = {10, 1, 1}, .block = {128, 1, 1}, .dynamic_shared = 1u << 20};
  const device::SizeSpec none;
  RowRequest request = k.request(none);
  request.spec = nullptr;
  request.bare = &launch;
  RowExtractor extractor;
  auto row = extractor.row(request);
  ASSERT_TRUE(row.ok());
  EXPECT_EQ((*row)[Column::kRuns], 0);
  EXPECT_TRUE(std::isnan((*row)[Column::kOccupancy]));
  EXPECT_EQ(row->reason(index_of(Column::kEmuCycles)), "the GPU cannot run this launch");
}

TEST(RowFeatures, KnownSizesGiveTripCounts) {
  const SpecKernel k("cuda/gemm_tiled/gemm_tiled", "gemm_tiled.sm90.ptx");
  RowExtractor extractor({.emulate = false});
  const device::SizeSpec few{"", {{"m", 256}, {"n", 256}, {"k", 64}}};
  const device::SizeSpec many{"", {{"m", 256}, {"n", 256}, {"k", 640}}};
  auto short_row = extractor.row(k.request(few)), long_row = extractor.row(k.request(many));
  ASSERT_TRUE(short_row.ok() && long_row.ok());
  const auto w = analysis::Feature::kWeightedFp32Ops;
  EXPECT_DOUBLE_EQ((*short_row)[w] * 10, (*long_row)[w]);
}

TEST(RowFeatures, CsvHasAFieldAColumn) {
  FeatureRow row;
  row.set(Column::kGridX, 7);
  const std::vector<std::string> leading{"a,b"};
  const std::string header = feature_csv_header(leading), line = feature_csv_line(leading, row);
  EXPECT_TRUE(header.starts_with("\"a,b\",total_instructions,"));
  EXPECT_EQ(std::count(header.begin(), header.end(), ','),
            std::count(line.begin(), line.end(), ','));
  EXPECT_NE(line.find(",7,"), std::string::npos);
  EXPECT_TRUE(line.ends_with(",nan\n"));
}

}  // namespace
}  // namespace pitot::predict
