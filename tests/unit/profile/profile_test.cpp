// Counts of instructions and branches, properties of whole profiles, and the model's bounds.
#include "profile/profile.h"

#include <gmock/gmock.h>

#include <cmath>

#include "profile_test_util.h"

namespace pitot::profile {
namespace {

using test::kernel_of;
using test::line_with;
using test::profile_text;
using test::Shape;

TEST(Profile, ALoopCountsItsTrips) {
  const auto r = profile_text(
      kernel_of("mov.u32 %r2, 0;\nL:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 10;\n@%p1 bra "
                "L;\n"),
      {64, 3});
  EXPECT_EQ(line_with(r, "add.u32").warp_instructions, 60);  // 3 blocks of 2 warps
  EXPECT_EQ(line_with(r, "add.u32").thread_instructions, 1920);
  EXPECT_EQ(line_with(r, "bra").warp_instructions, 60);
  EXPECT_EQ(line_with(r, "bra").branches_taken, 54);
  EXPECT_EQ(line_with(r, "bra").divergent_branches, 0);
  EXPECT_EQ(line_with(r, "mov.u32 %r2").warp_instructions, 6);
}

TEST(Profile, ADivergentBranchRunsBothSides) {
  const auto r = profile_text(
      kernel_of("setp.lt.u32 %p1, %r1, 8;\n@%p1 bra A;\nadd.u32 %r3, %r1, 1;\nbra.uni B;\nA:\n"
                "add.u32 %r3, %r1, 2;\nB:\nadd.u32 %r4, %r3, 3;\n"));
  EXPECT_EQ(line_with(r, "@%p1 bra").divergent_branches, 1);
  EXPECT_EQ(line_with(r, "%r1, 1;").active_lanes(), 24);
  EXPECT_EQ(line_with(r, "%r1, 2;").active_lanes(), 8);
  EXPECT_EQ(line_with(r, "%r3, 3;").active_lanes(), 32);
  EXPECT_EQ(r.totals.divergent_branches, 1);
}

TEST(Profile, WarpsOfOperationsThatGatherCountOnce) {
  // Two halves arrive at the shuffle apart and execute it together.
  const auto r = profile_text(
      kernel_of("setp.lt.u32 %p1, %r1, 16;\n@%p1 bra A;\nadd.u32 %r3, %r1, 1;\nA:\nshfl.sync.bfly."
                "b32 %r4, %r1, 16, 31, -1;\n"));
  EXPECT_EQ(line_with(r, "shfl").warp_instructions, 1);
  EXPECT_EQ(line_with(r, "shfl").thread_instructions, 32);
}

const char* const kMixed =
    "mov.u32 %r9, %ctaid.x;\nmov.u32 %r8, %ntid.x;\nmad.lo.u32 %r2, %r9, %r8, %r1;\nand.b32 %r10, "
    "%r2, 7;\nmul.wide.u32 %rd2, %r2, 8;\nadd.s64 %rd2, %rd2, %rd1;\nL:\nld.global.u32 %r3, "
    "[%rd2];\nadd.u32 %r4, %r3, 1;\nst.global.u32 [%rd2], %r4;\nsub.u32 %r10, %r10, 1;\nsetp.gt."
    "s32 %p1, %r10, 0;\n@%p1 bra L;\n";

constexpr double ProfileCounts::*kSums[] = {
    &ProfileCounts::warp_instructions,  &ProfileCounts::thread_instructions,
    &ProfileCounts::divergent_branches, &ProfileCounts::global_requests,
    &ProfileCounts::global_sectors,     &ProfileCounts::l1_hits,
    &ProfileCounts::l2_reads,           &ProfileCounts::l2_writes,
    &ProfileCounts::dram_reads,         &ProfileCounts::machine_instructions,
    &ProfileCounts::wait_cycles};

TEST(Profile, LinesSumToTotals) {
  ProfileOptions some;
  some.blocks = 7;  // 50 blocks are no multiple of it
  const auto r = profile_text(kernel_of(kMixed), {64, 50}, some);
  for (auto m : kSums) {
    double sum = 0;
    for (const ProfileLine& l : r.lines) sum += l.counts.*m;
    EXPECT_EQ(sum, r.totals.*m);
  }
  double share = 0;
  for (const ProfileLine& l : r.lines) share += l.share;
  EXPECT_NEAR(share, 1, 1e-9);
}

TEST(Profile, AllBlocksAreExactAndASampleComesClose) {
  ProfileOptions all, some;
  all.blocks = 0;
  const auto exact = profile_text(kernel_of(kMixed), {64, 600}, all);
  const auto near = profile_text(kernel_of(kMixed), {64, 600}, some);
  EXPECT_EQ(exact.sampled_blocks, 600u);
  EXPECT_EQ(near.sampled_blocks, 8u);
  EXPECT_EQ(line_with(exact, "mov.u32 %r1").warp_instructions, 1200);
  // 64 threads of 8 bytes: 16 sectors a block and load.
  EXPECT_EQ(exact.totals.dram_reads, 600 * 16);
  for (auto m : kSums) EXPECT_NEAR(near.totals.*m, exact.totals.*m, 0.02 * exact.totals.*m);
}

TEST(Profile, TheSameForAnyNumberOfWorkers) {
  ProfileOptions one, many;
  one.blocks = many.blocks = 0;
  many.emulator.workers = 4;
  const auto a = profile_text(kernel_of(kMixed), {64, 300}, one);
  const auto b = profile_text(kernel_of(kMixed), {64, 300}, many);
  ASSERT_EQ(a.lines.size(), b.lines.size());
  for (size_t i = 0; i < a.lines.size(); ++i)
    for (auto m : kSums) EXPECT_EQ(a.lines[i].counts.*m, b.lines[i].counts.*m);
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.estimate, b.estimate);
}

double cycles_of(const ProfileResult& r, const std::string& resource) {
  for (const ProfileBound& b : r.bounds)
    if (b.resource == resource) return b.cycles.value_or(-1);
  return -2;
}

TEST(ProfileModel, BoundsByHand) {
  // 132 SMs with 4 blocks each, 4 warps a block, 64 dependent multiply-adds.
  std::string body = "mov.f32 %f1, 0f3F800000;\n";
  for (int i = 0; i < 64; ++i) body += "fma.rn.f32 %f1, %f1, %f1, %f1;\n";
  const auto r = profile_text(kernel_of(body), {128, 528});
  // 16 warps of an SM: 64 × 16 × 32 lanes at 128 a cycle.
  EXPECT_EQ(cycles_of(r, "fma"), 64 * 16 * 32 / 128);
  // The multiply-adds and ret; the parameter and the moves cost nothing.
  EXPECT_EQ(cycles_of(r, "issue"), 65 * 16 / 4);
  EXPECT_EQ(cycles_of(r, "latency"), 63 * 4 + 2);
  EXPECT_NEAR(cycles_of(r, "blocks"), 528 * 1.19, 1e-6);
  EXPECT_EQ(r.bounds[0].resource, "blocks");
  EXPECT_EQ(r.cycles, *r.bounds[0].cycles);
  EXPECT_GT(r.estimate.value_or(0), r.cycles);
}

// The table has no latencies of an A100's memory: what binds and the time are not said.
TEST(ProfileModel, NoTimeWhereALatencyIsNotKnown) {
  ProfileOptions a100;
  a100.gpu = *arch::find_gpu("A100");
  ASSERT_FALSE(a100.gpu->capability->latency_dram.known());
  const auto r = profile_text(kernel_of(test::strided_load(4), "", "sm_80"), {256, 108}, a100);
  EXPECT_FALSE(r.complete());
  EXPECT_FALSE(r.estimate.has_value());
  EXPECT_FALSE(r.seconds.has_value());
  EXPECT_FALSE(r.block_cycles.has_value());
  EXPECT_GT(r.cycles, 0) << "the known bounds stay";
  for (const auto& [name, value] : r.ncu)
    EXPECT_EQ(value.has_value(), name.find("throughput") == name.npos) << name;
  ASSERT_EQ(r.notes.size(), 2u);
  EXPECT_EQ(r.notes[0], "latency: the latencies of this GPU's memory are not known");
}

// What binds is not at 100 % of the time: the other bounds take some of it.
TEST(ProfileModel, ThroughputsAreOfTheTime) {
  std::string body = "mov.f32 %f1, 0f3F800000;\n";
  for (int i = 0; i < 64; ++i) body += "fma.rn.f32 %f1, %f1, %f1, %f1;\n";
  const auto r = profile_text(kernel_of(body), {1024, 132 * 20});
  ASSERT_TRUE(r.complete());
  EXPECT_EQ(r.bounds[0].resource, "issue");
  for (const auto& [name, value] : r.ncu) {
    if (name != "sm__throughput.avg.pct_of_peak_sustained_active") continue;
    ASSERT_TRUE(value.has_value());
    EXPECT_LT(*value, 100);
    EXPECT_GT(*value, 50);
    EXPECT_NEAR(*value, 100 * r.cycles / (*r.estimate - 2700), 0.01);
  }
}

TEST(ProfileModel, TwiceTheBlocksOfAWaveTakeTwiceAsLong) {
  std::string body = "mov.f32 %f1, 0f3F800000;\n";
  for (int i = 0; i < 64; ++i) body += "fma.rn.f32 %f1, %f1, %f1, %f1;\n";
  const double one = cycles_of(profile_text(kernel_of(body), {1024, 264}), "latency");
  const double two = cycles_of(profile_text(kernel_of(body), {1024, 265}), "latency");
  EXPECT_EQ(two, 2 * one);
}

TEST(ProfileModel, WhatIsWorseCostsMore) {
  auto estimate = [](const std::string& body, const std::string& shared = {}) {
    return profile_text(kernel_of(body, shared), {256, 4096, 1 << 24}).estimate.value_or(0);
  };
  auto strided = [&](unsigned stride) {
    std::string body;
    for (int i = 0; i < 8; ++i)
      body += "mul.wide.u32 %rd2, %r1, " + std::to_string(stride) +
              ";\nadd.s64 %rd2, %rd2, %rd1;\nld.global.cg.u32 %r2, [%rd2+" +
              std::to_string(i * 65536) + "];\nst.global.u32 [%rd2+" + std::to_string(i * 65536) +
              "], %r2;\n";
    return estimate(body);
  };
  EXPECT_LT(strided(4), strided(32));
  EXPECT_LT(strided(32), strided(128));
  auto transposed = [&](unsigned pitch) {
    std::string body =
        "and.b32 %r2, %r1, 31;\nshr.u32 %r3, %r1, 5;\nmov.u32 %r4, s;\nmad.lo.u32 %r5, %r2, " +
        std::to_string(pitch) + ", %r4;\nshl.b32 %r6, %r3, 2;\nadd.u32 %r5, %r5, %r6;\n";
    for (int i = 0; i < 24; ++i) body += "st.volatile.shared.u32 [%r5], %r1;\n";
    return estimate(body, ".shared .align 4 .b8 s[4352];\n");
  };
  EXPECT_LT(transposed(132), transposed(128));
}

TEST(ProfileModel, FiguresThatAreNotKnownAreSaidNotGuessed) {
  ProfileOptions a100;
  a100.gpu = *arch::find_gpu("A100");
  const auto r = profile_text(kernel_of(test::strided_load(4)), {256, 1024}, a100);
  EXPECT_EQ(cycles_of(r, "latency"), -1);
  EXPECT_EQ(cycles_of(r, "blocks"), -2);
  EXPECT_THAT(r.notes, testing::Contains(testing::HasSubstr("latencies")));
  EXPECT_GT(r.cycles, 0);  // the rest holds
}

TEST(ProfileModel, ALaunchThatDoesNotFitIsRefused) {
  auto module = std::make_shared<ptx::Module>(
      ptx::parse("t.ptx", kernel_of("", ".shared .align 4 .b8 s[49152];\n")));
  auto program = emulator::load(module);
  ASSERT_TRUE(program);
  emulator::GlobalMemory memory;
  emulator::Launch launch;
  launch.block = {32, 1, 1};
  launch.dynamic_shared = 300000;
  launch.parameters.resize(8);
  ProfileOptions options;
  options.gpu = *arch::find_gpu("H200");
  const auto r = profile(*program, *program->find_kernel(""), launch, memory, options);
  ASSERT_FALSE(r);
  EXPECT_THAT(r.error().message, testing::HasSubstr("cannot run"));
}

TEST(ProfileModel, BlocksOfAnSmShareWhatTheyAllLoad) {
  // Every block loads the same 128 bytes, and 128 bytes of its own.
  const std::string body =
      "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd2, %rd1;\nld.global.u32 %r2, [%rd3];\nmov.u32 "
      "%r3, %ctaid.x;\nmul.wide.u32 %rd4, %r3, 128;\nadd.s64 %rd5, %rd3, %rd4;\nld.global.u32 %r4, "
      "[%rd5+128];\n";
  const auto r = profile_text(kernel_of(body), {32, 13200, 1 << 22});
  EXPECT_NEAR(line_with(r, "[%rd3]").l1_hit_rate(), 0.99, 1e-4);  // 100 blocks an SM
  EXPECT_EQ(line_with(r, "[%rd5+128]").l1_hit_rate(), 0);
  EXPECT_NEAR(line_with(r, "[%rd3]").dram_reads, 4, 4);
}

TEST(Profile, DefaultGpuIsOfTheTarget) {
  EXPECT_EQ((*default_gpu(ptx::target_from_name("sm_90a")))->capability->sm(), 90u);
  EXPECT_EQ((*default_gpu(ptx::target_from_name("sm_80")))->name, "A100 SXM4 40GB");
  EXPECT_FALSE(default_gpu({10, 0}));
}

}  // namespace
}  // namespace pitot::profile
