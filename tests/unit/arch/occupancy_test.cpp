// Occupancy: published examples, refused launches, next better resource counts, the recorded grid.
#include "arch/occupancy.h"

#include <gtest/gtest.h>

#include <sstream>

#include "support/file.h"

namespace pitot::arch {
namespace {

const Capability& sm(unsigned number) { return *find_capability(number); }

TEST(Occupancy, RegistersOnSm86) {
  auto at = [](uint32_t registers) {
    return occupancy(sm(86), {.threads = 256, .registers_per_thread = registers});
  };
  EXPECT_NEAR(at(48).occupancy, 0.83, 0.005);
  EXPECT_NEAR(at(64).occupancy, 0.67, 0.005);
  EXPECT_NEAR(at(36).occupancy, 1.00, 0.005);
  EXPECT_EQ(at(48).blocks, 5u);
  EXPECT_EQ(at(48).warps, 40u);
  EXPECT_EQ(at(48).max_warps, 48u);
  EXPECT_EQ(at(48).limits, kLimitRegisters);
  EXPECT_EQ(at(36).limits, kLimitWarps | kLimitRegisters);
  EXPECT_EQ(limit_names(at(36).limits), "warps, registers");
}

TEST(Occupancy, NextRegisterCount) {
  auto step = fewer_registers(sm(86), {.threads = 256, .registers_per_thread = 42});
  ASSERT_TRUE(step);
  EXPECT_EQ(step->value, 40u);
  EXPECT_DOUBLE_EQ(step->result.occupancy, 1.0);
  // 40 registers already fill the SM, and up to 40 cost nothing.
  EXPECT_FALSE(fewer_registers(sm(86), {.threads = 256, .registers_per_thread = 36}));
  EXPECT_EQ(free_registers(sm(86), {.threads = 256, .registers_per_thread = 36}), 40u);
  // From a launch that is refused, the step leads to one that runs.
  auto runs = fewer_registers(sm(80), {.threads = 1024, .registers_per_thread = 128});
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->value, 64u);
  EXPECT_TRUE(runs->result.runs());
  EXPECT_FALSE(free_registers(sm(80), {.threads = 1024, .registers_per_thread = 128}));
}

TEST(Occupancy, NextSharedAmount) {
  LaunchResources launch{.threads = 128, .registers_per_thread = 32, .dynamic_shared = 60000};
  EXPECT_EQ(occupancy(sm(80), launch).blocks, 2u);
  auto step = less_shared(sm(80), launch);
  ASSERT_TRUE(step);
  // A third of 164 KiB rounded down to 128 bytes, less the reserved 1 KiB.
  EXPECT_EQ(step->value, 54912u);
  EXPECT_EQ(step->result.blocks, 3u);
  launch.dynamic_shared = step->value + 1;
  EXPECT_EQ(occupancy(sm(80), launch).blocks, 2u);
  EXPECT_FALSE(less_shared(sm(80), {.threads = 1024, .registers_per_thread = 32}));
}

TEST(Occupancy, RefusedLaunchesSayWhy) {
  auto problem = [](const LaunchResources& launch, unsigned number = 80) {
    Occupancy result = occupancy(sm(number), launch);
    EXPECT_EQ(result.blocks, 0u);
    EXPECT_EQ(result.occupancy, 0);
    EXPECT_FALSE(result.message.empty());
    return result.problem;
  };
  EXPECT_EQ(problem({.threads = 0}), LaunchProblem::kNoThreads);
  EXPECT_EQ(problem({.threads = 1025}), LaunchProblem::kThreadsPerBlock);
  EXPECT_EQ(problem({.threads = 32, .registers_per_thread = 256}),
            LaunchProblem::kRegistersPerThread);
  EXPECT_EQ(problem({.threads = 1024, .registers_per_thread = 65}),
            LaunchProblem::kRegistersPerBlock);
  EXPECT_EQ(problem({.threads = 32, .static_shared = 49153}), LaunchProblem::kStaticShared);
  EXPECT_EQ(problem({.threads = 32, .dynamic_shared = 163 * 1024 + 1}),
            LaunchProblem::kSharedPerBlock);
  EXPECT_EQ(problem({.threads = 32, .dynamic_shared = 50000, .shared_optin = false}),
            LaunchProblem::kSharedPerBlock);
  EXPECT_EQ(problem({.threads = 32, .dynamic_shared = 0xffffffff}), LaunchProblem::kSharedPerBlock);
  EXPECT_EQ(problem({.threads = 32, .barriers = 17}), LaunchProblem::kBarriers);
  EXPECT_EQ(problem({.threads = 32, .cluster_blocks = 2}), LaunchProblem::kClusterUnsupported);
  EXPECT_EQ(problem({.threads = 32, .cluster_blocks = 17}, 90), LaunchProblem::kClusterSize);
  EXPECT_TRUE(occupancy(sm(90), {.threads = 32, .cluster_blocks = 8}).note.empty());
  Occupancy large = occupancy(sm(90), {.threads = 32, .cluster_blocks = 16});
  EXPECT_TRUE(large.runs());
  EXPECT_EQ(large.note, "16 blocks a cluster need the non-portable opt-in");
  Occupancy unknown = occupancy(sm(120), {.threads = 32, .cluster_blocks = 16});
  EXPECT_TRUE(unknown.runs());
  EXPECT_NE(unknown.note.find("not known"), std::string::npos);
  // The message carries the figures: 1024 x 65 registers rounds to 72 a thread.
  EXPECT_EQ(occupancy(sm(80), {.threads = 1024, .registers_per_thread = 65}).message,
            "65 registers x 1024 threads need 73728 registers a block, limit 65536");
}

TEST(Occupancy, BarriersLimitOnlyFromHopperOn) {
  LaunchResources launch{.threads = 32, .registers_per_thread = 16, .barriers = 16};
  EXPECT_EQ(occupancy(sm(80), launch).blocks, 32u);
  Occupancy hopper = occupancy(sm(90), launch);
  EXPECT_EQ(hopper.blocks, 4u);
  EXPECT_EQ(hopper.limits, kLimitBarriers);
}

TEST(Occupancy, PascalFamilyRule) {
  // Ten warps of 200 registers fit GP100's two partitions (10 x 6400), but GP104's four are assumed
  // to hold twelve; what the family cannot run, GP100 refuses too.
  LaunchResources launch{.threads = 320, .registers_per_thread = 200};
  EXPECT_EQ(occupancy(sm(61), launch).problem, LaunchProblem::kRegistersPerBlock);
  EXPECT_EQ(occupancy(sm(60), launch).problem, LaunchProblem::kRegistersPerBlock);
  launch.threads = 256;
  EXPECT_EQ(occupancy(sm(60), launch).blocks, 1u);
}

TEST(Waves, PartialLastWave) {
  const Gpu& a100 = **find_gpu("A100");
  Occupancy full = occupancy(a100, {.threads = 256, .registers_per_thread = 32});
  ASSERT_EQ(full.blocks, 8u);
  auto result = waves(a100, full, 8 * 108 + 108);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->blocks_per_wave, 864u);
  EXPECT_EQ(result->full, 1u);
  EXPECT_DOUBLE_EQ(result->last, 0.125);
  EXPECT_DOUBLE_EQ(result->efficiency, 972.0 / 1728.0);
  EXPECT_FALSE(waves(a100, full, 0));
  EXPECT_FALSE(waves(a100, occupancy(a100, {.threads = 2000}), 10));
}

std::vector<std::vector<long long>> csv(const std::string& name) {
  auto file = read_file(PITOT_SOURCE_DIR "/tests/data/arch/" + name);
  EXPECT_TRUE(file.ok()) << name;
  std::vector<std::vector<long long>> rows;
  if (!file.ok()) return rows;
  std::istringstream lines(*file);
  std::string line;
  std::getline(lines, line);  // the heading
  while (std::getline(lines, line)) {
    rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');)
      rows.back().push_back(std::stoll(field));
  }
  return rows;
}

// What the driver of an H200 answers to cuOccupancyMaxActiveBlocksPerMultiprocessor (driver 580).
TEST(Occupancy, AgreesWithTheDriverOfAnH200) {
  size_t running = 0;
  auto rows = csv("h200_driver.csv");
  for (const auto& v : rows) {
    ASSERT_EQ(v.size(), 7u);
    LaunchResources launch{.threads = static_cast<uint32_t>(v[0]),
                           .registers_per_thread = static_cast<uint32_t>(v[1]),
                           .static_shared = static_cast<uint32_t>(v[2]),
                           .dynamic_shared = static_cast<uint32_t>(v[3]),
                           .barriers = static_cast<uint32_t>(v[5])};
    if (v[4] >= 0) launch.carveout_percent = static_cast<uint32_t>(v[4]);
    Occupancy result = occupancy(**find_gpu("H200"), launch);
    running += result.runs();
    EXPECT_EQ(result.blocks, std::max(v[6], 0ll))
        << v[0] << " threads, " << v[1] << " registers, " << v[2] << "+" << v[3]
        << " shared, carveout " << v[4];
  }
  EXPECT_GT(running, 1500u);
}

TEST(Occupancy, RecordedGrid) {
  size_t rows = 0, running = 0;
  for (const auto& v : csv("occupancy.csv")) {
    ASSERT_EQ(v.size(), 15u);
    std::string line = "row " + std::to_string(rows + 2);
    LaunchResources launch{.threads = static_cast<uint32_t>(v[1]),
                           .registers_per_thread = static_cast<uint32_t>(v[2]),
                           .static_shared = static_cast<uint32_t>(v[3]),
                           .dynamic_shared = static_cast<uint32_t>(v[4]),
                           .barriers = static_cast<uint32_t>(v[7]),
                           .shared_optin = v[5] != 0};
    if (v[6] >= 0) launch.carveout_percent = static_cast<uint32_t>(v[6]);
    Occupancy result = occupancy(sm(static_cast<unsigned>(v[0])), launch);
    ++rows;
    EXPECT_EQ(result.blocks, v[8]) << line;
    EXPECT_EQ(result.runs(), v[8] > 0) << line;
    if (!result.runs()) continue;
    ++running;
    EXPECT_EQ(result.by_warps, v[9]) << line;
    EXPECT_EQ(result.by_registers, v[10]) << line;
    EXPECT_EQ(result.by_shared, v[11]) << line;
    EXPECT_EQ(result.by_barriers, v[12]) << line;
    EXPECT_EQ(result.registers_per_block, v[13]) << line;
    EXPECT_EQ(result.shared_per_block, v[14]) << line;
  }
  EXPECT_GT(rows, 3000u);
  EXPECT_GT(running, 1000u);
}

}  // namespace
}  // namespace pitot::arch
