// The GPU table: complete, sourced, self-consistent, and found by the names people use.
#include "arch/gpu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "arch/roofline.h"

namespace pitot::arch {
namespace {

TEST(GpuTable, CoversMaxwellToBlackwell) {
  EXPECT_GE(gpus().size(), 25u);
  std::set<std::string_view> architectures;
  for (const Gpu& gpu : gpus()) architectures.insert(gpu.architecture);
  for (const char* name :
       {"Maxwell", "Pascal", "Volta", "Turing", "Ampere", "Ada", "Hopper", "Blackwell"})
    EXPECT_TRUE(architectures.count(name)) << name;
}

TEST(GpuTable, EveryFigureNamesItsSource) {
  size_t figures = 0;
  auto check = [&](auto figure, std::string_view where) {
    if (!figure) return;
    ++figures;
    EXPECT_FALSE(source_title(figure.source).empty()) << where;
  };
  for (const Gpu& gpu : gpus()) {
    EXPECT_TRUE(gpu.sms) << gpu.name;
    check(gpu.sms, gpu.name);
    check(gpu.boost_mhz, gpu.name);
    check(gpu.memory_mhz, gpu.name);
    check(gpu.dram_bytes, gpu.name);
    check(gpu.dram_gb_per_s, gpu.name);
    check(gpu.l2_bytes, gpu.name);
  }
  EXPECT_GT(figures, gpus().size() * 4);
  EXPECT_EQ(source_title(0), "");
  EXPECT_EQ(source_title(60000), "");
}

TEST(GpuTable, BandwidthClockAndCapacityFitTogether) {
  for (const Gpu& gpu : gpus()) {
    if (!gpu.memory_mhz || !gpu.dram_gb_per_s) continue;
    // Two transfers a clock: the bus width this implies is a multiple of 32 bits, within rounding
    // of the published bandwidth.
    double bits = *gpu.dram_gb_per_s * 8e9 / (2e6 * *gpu.memory_mhz);
    double nearest = std::round(bits / 32) * 32;
    EXPECT_NEAR(bits / nearest, 1.0, 0.025) << gpu.name << ": " << bits;
  }
}

TEST(GpuTable, CapabilitiesAreConsistent) {
  unsigned before = 0;
  for (const Capability& c : capabilities()) {
    SCOPED_TRACE(c.sm());
    EXPECT_GT(c.sm(), before);
    before = c.sm();
    EXPECT_EQ(*c.threads_per_sm % 32, 0u);
    EXPECT_EQ(*c.registers_per_sm % *c.sub_partitions, 0u);
    EXPECT_LE(*c.shared_per_block, *c.shared_per_block_optin);
    EXPECT_LE(*c.shared_per_block_optin + *c.shared_reserved_per_block, *c.shared_per_sm);
    if (!c.shared_configs.empty()) {
      EXPECT_EQ(c.shared_configs.back(), *c.shared_per_sm);
    }
    if (c.l1_bytes) {
      EXPECT_GT(*c.l1_bytes, *c.shared_per_sm);
    }
    if (c.cluster_max) {
      EXPECT_GE(*c.cluster_max, *c.cluster_portable);
    }
    EXPECT_EQ(find_capability(c.sm()), &c);
  }
  EXPECT_EQ(find_capability(30), nullptr);
}

TEST(GpuTable, KnownChips) {
  const Gpu& a100 = **find_gpu("A100");
  EXPECT_EQ(a100.capability->sm(), 80u);
  EXPECT_EQ(*a100.sms, 108u);
  EXPECT_EQ(*a100.l2_bytes, 40u << 20);
  EXPECT_EQ(a100.capability->warps_per_sm(), 64u);
  EXPECT_EQ(*a100.capability->shared_per_block_optin, 163u * 1024);
  const Gpu& laptop = **find_gpu("NVIDIA GeForce RTX 3050 Ti Laptop GPU");
  EXPECT_EQ(*laptop.sms, 20u);
  EXPECT_EQ(laptop.capability->warps_per_sm(), 48u);
  EXPECT_EQ(*(*find_gpu("TX2"))->capability->registers_per_block, 32768u);
  // What no source states is absent, not 0.
  EXPECT_FALSE((*find_gpu("Xavier"))->capability->fp64_lanes);
}

// Published peaks (datasheets, TFLOPS) come out of lanes, SMs and clock.
TEST(GpuTable, PublishedPeaks) {
  struct {
    const char* gpu;
    Rate rate;
    double teraflops;
  } published[] = {
      {"A100", Rate::kFp32, 19.5},      {"A100", Rate::kFp64, 9.7},
      {"A100", Rate::kTensorFp16, 312}, {"A100", Rate::kFp16, 78},
      {"V100", Rate::kFp32, 15.7},      {"V100", Rate::kTensorFp16, 125},
      {"T4", Rate::kFp32, 8.1},         {"T4", Rate::kTensorFp16, 65},
      {"A10", Rate::kFp32, 31.2},       {"A10", Rate::kTensorFp16, 125},
      {"A30", Rate::kFp32, 10.3},       {"A30", Rate::kFp64, 5.2},
      {"A40", Rate::kFp32, 37.4},       {"L4", Rate::kFp32, 30.3},
      {"L4", Rate::kTensorFp16, 121},   {"L40S", Rate::kFp32, 91.6},
      {"RTX 4090", Rate::kFp32, 82.6},  {"RTX 3090", Rate::kFp32, 35.6},
      {"H100 SXM", Rate::kFp32, 66.9},  {"H100 SXM", Rate::kFp64, 33.5},
      {"H100 PCIe", Rate::kFp32, 51.2}, {"P100", Rate::kFp64, 5.3},
      {"GTX 1080", Rate::kFp32, 8.9},   {"B200", Rate::kFp32, 75},
      {"B200", Rate::kFp64, 37},        {"RTX 5090", Rate::kFp32, 104.8},
  };
  for (const auto& p : published) {
    auto peak = peak_rate(**find_gpu(p.gpu), p.rate);
    ASSERT_TRUE(peak) << p.gpu;
    EXPECT_NEAR(*peak / 1e12 / p.teraflops, 1.0, 0.02) << p.gpu << " " << name_of(p.rate);
  }
}

TEST(FindGpu, NamesAliasesAndTargets) {
  EXPECT_EQ((*find_gpu("h100-sxm"))->name, "H100 SXM5 80GB");
  EXPECT_EQ((*find_gpu("Tesla V100-SXM2-32GB"))->name, "V100 SXM2 32GB");
  EXPECT_EQ((*find_gpu("rtx4090"))->name, "RTX 4090");
  EXPECT_EQ((*find_gpu("sm_90a"))->capability->sm(), 90u);
  EXPECT_EQ((*find_gpu("compute_75"))->capability->sm(), 75u);
}

TEST(FindGpu, UnknownNamesSuggest) {
  auto wrong = find_gpu("RTX 4091");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().kind, ErrorKind::kInput);
  EXPECT_NE(wrong.error().message.find("RTX 4090"), std::string::npos) << wrong.error().message;
  EXPECT_FALSE(find_gpu("").ok());
  EXPECT_FALSE(find_gpu("sm_30").ok());
  EXPECT_FALSE(find_gpu("sm_99999999999999999999").ok());
  EXPECT_FALSE(find_gpu("sm_86x").ok());
}

TEST(Roofline, RidgeAndBothSides) {
  auto roof = roofline(**find_gpu("A100"), Rate::kFp32);
  ASSERT_TRUE(roof);
  EXPECT_NEAR(roof->ridge(), 19.49e12 / 1555e9, 0.05);
  // Vector addition: 1 flop for 12 bytes.
  Attainable add = attainable(*roof, 1e9, 12e9);
  EXPECT_TRUE(add.memory_bound);
  EXPECT_NEAR(add.rate, 1555e9 / 12, 1e6);
  EXPECT_NEAR(add.seconds, 12e9 / 1555e9, 1e-9);
  Attainable dense = attainable(*roof, 1e12, 1e9);
  EXPECT_FALSE(dense.memory_bound);
  EXPECT_DOUBLE_EQ(dense.rate, roof->peak);
  Attainable no_bytes = attainable(*roof, 1e9, 0);
  EXPECT_FALSE(no_bytes.memory_bound);
  EXPECT_TRUE(std::isinf(no_bytes.intensity));
  Attainable nothing = attainable(*roof, 0, 0);
  EXPECT_EQ(nothing.seconds, 0);
}

TEST(Roofline, UnknownFiguresGiveNone) {
  EXPECT_FALSE(roofline(**find_gpu("Xavier"), Rate::kFp64));
  EXPECT_TRUE(roofline(**find_gpu("Xavier"), Rate::kFp32));
}

}  // namespace
}  // namespace pitot::arch
