// Measuring and comparing over the driver that tests/fake makes of the emulator; its clock says how
// long a kernel takes.
#include "measure/meter.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "device/spec.h"
#include "ptx/parser.h"
#include "support/file.h"
#include "support/hash.h"

namespace pitot::measure {
namespace {

class MeterTest : public testing::Test {
 protected:
  void SetUp() override {
    // The fake driver is part of this program.
    setenv("PITOT_CUDA_LIBRARY", "", 1);
    setenv("PITOT_NVML_LIBRARY", "", 1);
    options_.protocol.seconds = 0.2;
    options_.protocol.warmup_seconds = 0.01;
    options_.seed = 3;
  }

  // spin.ptx with this many iterations; `text` replaces parts of it.
  Subject spin(const std::string& n, const std::string& from = "", const std::string& to = "") {
    const std::string folder = std::string(PITOT_SOURCE_DIR) + "/tools/gpu/timing/";
    std::string ptx = *read_file(folder + "spin.ptx");
    if (!from.empty()) ptx.replace(ptx.find(from), from.size(), to);
    std::string spec = *read_file(folder + "spin.kernel.toml");
    spec.replace(spec.find("n = 2700"), 8, "n = " + n);
    spec.replace(spec.find("grid = 132"), 10, "grid = 4  ");
    Subject s;
    s.module = std::make_shared<const ptx::Module>(ptx::parse("spin.ptx", ptx));
    EXPECT_EQ(s.module->diagnostics.errors(), 0u);
    Diagnostics problems;
    s.spec = std::make_shared<const device::KernelSpec>(
        device::read_spec(SourceText("spin.kernel.toml", spec), problems));
    EXPECT_EQ(problems.errors(), 0u);
    s.spec_hash = hash_bytes(spec).hex();
    return s;
  }

  MeterOptions options_;
};

TEST_F(MeterTest, ARecordHasTheTimeItsIntervalAndWhereItComesFrom) {
  for (const CacheState cache : {CacheState::kWarm, CacheState::kCold}) {
    options_.protocol.cache = cache;
    Meter meter({spin("1000")}, options_);
    auto gpu = meter.gpu();
    ASSERT_TRUE(gpu) << gpu.error().message;
    const MeasureRecord r = meter.measure(0, *gpu);
    ASSERT_TRUE(r.ok) << r.reason;
    // 4 blocks of 4 warps, 19 instructions a round and 13 besides, 2e-7 ms each, 0.002 ms start.
    const double expected = 0.002 + 2e-7 * 16 * (19 * 1000 + 16);
    EXPECT_NEAR(r.median.value / expected, 1, 0.01);
    EXPECT_LE(r.median.lo, r.median.value);
    EXPECT_GE(r.median.hi, r.median.value);
    EXPECT_LT(r.median.hi - r.median.lo, 0.01 * r.median.value);
    EXPECT_TRUE(r.narrow);
    EXPECT_GE(r.samples.size(), 20u);
    EXPECT_NEAR(r.batch, 1 / expected, 1.5);
    EXPECT_EQ(r.gpu, "NVIDIA Fake");
    EXPECT_EQ(r.driver, "13.0");
    EXPECT_EQ(r.capability, 90u);
    EXPECT_EQ(r.cache, cache);
    EXPECT_EQ(r.registers, 32u);
    EXPECT_EQ(r.ptx_hash.size(), 32u);
    EXPECT_EQ(r.size_text, "n=1000");
    EXPECT_EQ(r.after.sm_clock_mhz, 1980.0);
    EXPECT_EQ(r.after.throttle_reasons, std::vector<std::string>{"software power cap"});
    EXPECT_TRUE(r.cycles.has_value());
    EXPECT_TRUE(r.protocol.find(cache == CacheState::kCold ? "cold" : "warm") != std::string::npos);
  }
}

TEST_F(MeterTest, WithoutCyclesItIsAnotherProtocol) {
  Meter with({spin("1000")}, options_);
  options_.protocol.cycles = false;
  Meter without({spin("1000")}, options_);
  auto gpu = without.gpu();
  ASSERT_TRUE(gpu) << gpu.error().message;
  const MeasureRecord r = without.measure(0, *gpu);
  ASSERT_TRUE(r.ok) << r.reason;
  EXPECT_FALSE(r.cycles.has_value());
  EXPECT_GT(r.median.value, 0);
  EXPECT_EQ(r.protocol, with.describe(0, *gpu).protocol + " no-cycles");
}

TEST_F(MeterTest, WhatFailsIsARecordAndTheNextIsMeasured) {
  options_.time_limit = 3;
  Meter meter({spin("10", "  st.global.f32 [%a0], %f0;", "  trap;"),
               spin("10", "  mul.wide.u32 %a1",
                    "  mul.wide.u32 %a2, %r0, 0x70000000;\n"
                    "  add.u64 %a0, %a0, %a2;\n  mul.wide.u32 %a1"),
               spin("10", "  @%p bra again;", "  bra again;"),
               spin("10", "  st.global.f32 [%a0]",
                    "  st.global.f32 [%a0+-128], %f0;\n  st.global.f32 [%a0]"),
               spin("10")},
              options_);
  auto gpu = meter.gpu();
  ASSERT_TRUE(gpu);
  const char* illegal =
      "out-of-bounds: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)";
  const char* words[] = {"trap: CUDA_ERROR_LAUNCH_FAILED", illegal, "timeout: no answer within 3 s",
                         "out-of-bounds: written before the start of 'out': bytes -128 to -1"};
  for (size_t i = 0; i < 4; ++i) {
    const MeasureRecord r = meter.measure(i, *gpu);
    EXPECT_FALSE(r.ok);
    EXPECT_EQ(r.reason, words[i]);
    EXPECT_EQ(r.kernel, "spin");
  }
  EXPECT_TRUE(meter.measure(4, *gpu).ok);
}

TEST_F(MeterTest, AgainstItselfItIsTheSameAndTwoPercentAreFound) {
  const Subject a = spin("1000"), slower = spin("1020"), faster = spin("980");
  Meter meter({a, slower, faster}, options_);
  auto gpu = meter.gpu();
  ASSERT_TRUE(gpu);
  const CompareRecord same = meter.compare(0, 0, *gpu, 1);
  EXPECT_EQ(same.verdict, Verdict::kSame);
  EXPECT_NE(same.reason.find("could not have been seen"), std::string::npos);
  EXPECT_GT(same.least_detectable, 0);
  EXPECT_LT(same.least_detectable, 0.01);
  const CompareRecord up = meter.compare(0, 1, *gpu, 1);
  EXPECT_EQ(up.verdict, Verdict::kSlower);
  EXPECT_NEAR(up.change.value, 0.02, 0.005);
  EXPECT_EQ(up.placements, 8u);
  const CompareRecord down = meter.compare(0, 2, *gpu, 1);
  EXPECT_EQ(down.verdict, Verdict::kFaster);
  EXPECT_NEAR(down.change.value, -0.02, 0.005);
}

TEST_F(MeterTest, WhatAKernelMakesL2KeepDoesNotSlowTheOther) {
  const Subject plain = spin("1000");
  const Subject keeper = spin("1000", "  mul.wide.u32 %a1",
                              "  createpolicy.fractional.L2::evict_last.b64 %a2, 1.0;\n"
                              "  mul.wide.u32 %a1");
  for (const CacheState cache : {CacheState::kWarm, CacheState::kCold}) {
    options_.protocol.cache = cache;
    Meter meter({plain, keeper}, options_);
    auto gpu = meter.gpu();
    ASSERT_TRUE(gpu);
    const CompareRecord c = meter.compare(0, 1, *gpu, 1);
    ASSERT_NE(c.verdict, Verdict::kFault) << c.reason;
    EXPECT_NEAR(c.change.value, 0, 0.005);
  }
}

TEST_F(MeterTest, AFaultOfOneSideNamesIt) {
  Meter meter({spin("10"), spin("10", "  st.global.f32 [%a0], %f0;", "  trap;")}, options_);
  auto gpu = meter.gpu();
  ASSERT_TRUE(gpu);
  const CompareRecord c = meter.compare(0, 1, *gpu, 1);
  EXPECT_EQ(c.verdict, Verdict::kFault);
  EXPECT_EQ(c.reason, "B: trap: CUDA_ERROR_LAUNCH_FAILED");
}

}  // namespace
}  // namespace pitot::measure
