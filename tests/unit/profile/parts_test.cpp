// The parts of a profile: sampling, the cache, footprints, costs, the latency model.
#include <gmock/gmock.h>

#include <set>

#include "profile/costs.h"
#include "profile/footprint.h"
#include "profile/sample.h"
#include "profile/sector_cache.h"
#include "profile_test_util.h"

namespace pitot::profile {
namespace {

emulator::Launch grid(uint32_t x, uint32_t y = 1) {
  emulator::Launch l;
  l.grid = {x, y, 1};
  return l;
}

TEST(Sample, SpreadDistinctAscendingAndWithSuccessors) {
  for (uint32_t n : {9u, 50u, 133u, 700u, 5000u, 1000000u}) {
    const Sample s = choose_blocks(grid(n), 8, 132);
    ASSERT_EQ(s.blocks.size(), 8u) << n;
    EXPECT_EQ(s.gangs, 8u);
    EXPECT_EQ(s.all_gangs, n);
    EXPECT_TRUE(std::is_sorted(s.blocks.begin(), s.blocks.end()));
    EXPECT_EQ(std::set<uint64_t>(s.blocks.begin(), s.blocks.end()).size(), 8u) << n;
    EXPECT_LT(s.blocks.back(), n);
    for (const auto& [a, b] : s.successors) EXPECT_EQ(s.blocks[b] - s.blocks[a], 132u);
  }
  EXPECT_EQ(choose_blocks(grid(5000), 8, 132).successors.size(), 4u);
  EXPECT_TRUE(choose_blocks(grid(50), 8, 132).successors.empty());
}

TEST(Sample, DoesNotFallIntoStepWithTheGrid) {
  std::set<uint64_t> columns;
  for (uint64_t b : choose_blocks(grid(64, 64), 16, 132).blocks) columns.insert(b % 64);
  EXPECT_GT(columns.size(), 6u);
}

TEST(Sample, AllWhenTheGridIsSmallOrAllAreWanted) {
  EXPECT_TRUE(choose_blocks(grid(8), 8, 132).blocks.empty());
  EXPECT_TRUE(choose_blocks(grid(100), 0, 132).blocks.empty());
  EXPECT_EQ(choose_blocks(grid(1000), 0, 132).successors.size(), 4u);
}

TEST(Sample, ClustersComeWhole) {
  emulator::Launch l = grid(4000);
  l.cluster = {4, 1, 1};
  const Sample s = choose_blocks(l, 8, 132);
  EXPECT_EQ(s.gangs, 2u);
  for (uint64_t b : s.blocks) EXPECT_EQ(b % 4, 0u);
  EXPECT_EQ(emulator::gangs_of(l, s.blocks).size(), 2u);
  EXPECT_EQ(emulator::gangs_of(l, s.blocks)[0].size(), 4u);
}

TEST(SectorCache, HitsBySectorAndEvictsTheOldest) {
  SectorCache c(16 * 128);  // one set of 16 lines
  EXPECT_FALSE(c.load(0));
  EXPECT_TRUE(c.load(0));
  EXPECT_FALSE(c.load(1));  // the same line, another sector
  EXPECT_TRUE(c.load(0));
  for (uint64_t line = 1; line < 16; ++line) EXPECT_FALSE(c.load(4 * line));
  EXPECT_TRUE(c.load(0));
  EXPECT_FALSE(c.load(4 * 16));  // evicts line 1
  EXPECT_TRUE(c.load(0));
  EXPECT_FALSE(c.load(4));
}

TEST(SectorCache, OfNoBytesHoldsNothing) {
  SectorCache c(100);
  EXPECT_FALSE(c.load(7));
  EXPECT_FALSE(c.load(7));
}

TEST(Footprint, TheLowestGangTouchedFirstWhateverTheOrder) {
  Footprint a, b, ab, ba;
  EXPECT_TRUE(a.read(5, toucher(1, 30)));
  EXPECT_FALSE(a.read(5, toucher(1, 31)));
  EXPECT_TRUE(b.read(5, toucher(0, 40)));
  EXPECT_TRUE(b.write(900, toucher(0, 41)));
  EXPECT_FALSE(b.read(900, toucher(0, 42)));  // written by the kernel itself
  ab.merge(a);
  ab.merge(b);
  ba.merge(b);
  ba.merge(a);
  for (const Footprint* f : {&ab, &ba}) {
    size_t n = 0;
    f->each([&](uint64_t sector, Toucher read, Toucher written, uint64_t) {
      ++n;
      if (sector == 5) {
        EXPECT_EQ(op_of(read), 40u);
      } else {
        EXPECT_EQ(read, kNobody);
        EXPECT_EQ(op_of(written), 41u);
      }
    });
    EXPECT_EQ(n, 2u);
  }
}

double slot(const std::string& text, Unit unit, unsigned sm = 90) {
  return cost_of(ptx::decode(text), sm).slots[static_cast<size_t>(unit)];
}

TEST(Costs, RowsOfTheTable) {
  EXPECT_EQ(slot("fma.rn.f32", Unit::kFma), 1);
  EXPECT_EQ(slot("add.f32", Unit::kFma), 1);
  EXPECT_EQ(slot("add.s32", Unit::kAlu), 1);
  EXPECT_EQ(slot("add.s64", Unit::kAlu), 2);
  EXPECT_EQ(slot("mad.lo.s32", Unit::kImad), 1);
  EXPECT_EQ(slot("mad.lo.s64", Unit::kImad), 2);
  EXPECT_EQ(slot("ex2.approx.ftz.f32", Unit::kSfu), 1);
  EXPECT_EQ(slot("popc.b32", Unit::kSfu), 1);
  EXPECT_EQ(slot("fma.rn.f64", Unit::kFp64), 1);
  EXPECT_EQ(slot("fma.rn.f16x2", Unit::kHalf), 1);
  EXPECT_EQ(slot("shfl.sync.bfly.b32", Unit::kShuffle), 1);
  EXPECT_EQ(cost_of(ptx::decode("mov.u32"), 90).issue, 0);
  EXPECT_EQ(cost_of(ptx::decode("cvta.to.global.u64"), 90).issue, 0);
  EXPECT_EQ(cost_of(ptx::decode("ld.param.u64"), 90).issue, 0);
  EXPECT_EQ(cost_of(ptx::decode("ld.global.f32"), 90).issue, 1);
}

TEST(Costs, ConversionsFollowTheirTypesAndTheTarget) {
  // int → float is an ALU instruction from 9.0 on, a special one before; the way back always is.
  EXPECT_EQ(slot("cvt.rn.f32.s32", Unit::kAlu), 1);
  EXPECT_EQ(slot("cvt.rn.f32.s32", Unit::kSfu, 80), 1);
  EXPECT_EQ(slot("cvt.rzi.s32.f32", Unit::kSfu), 1);
  EXPECT_EQ(slot("cvt.rn.f16x2.f32", Unit::kAlu), 1);
  EXPECT_EQ(slot("cvt.f32.f16", Unit::kHalf), 2);
  EXPECT_EQ(slot("cvt.f32.bf16", Unit::kAlu), 1);
  EXPECT_EQ(cost_of(ptx::decode("cvt.u64.u32"), 90).issue, 0);
}

TEST(Costs, TensorWorkIsInDenseFp16MultiplyAdds) {
  EXPECT_EQ(slot("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", Unit::kTensor), 2048);
  EXPECT_EQ(slot("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", Unit::kTensor), 2048);
  EXPECT_EQ(slot("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", Unit::kTensor), 2048);
}

TEST(Costs, RatesOfTheGpuTable) {
  const arch::Capability& hopper = *arch::find_capability(90);
  EXPECT_EQ(rate_of(hopper, Unit::kFma), 128);
  EXPECT_EQ(rate_of(hopper, Unit::kImad), 64);
  EXPECT_EQ(rate_of(hopper, Unit::kHalf), 128);
  EXPECT_EQ(rate_of(hopper, Unit::kBarrier), 16);
  EXPECT_EQ(rate_of(*arch::find_capability(61), Unit::kImad), std::nullopt);
}

using test::kernel_of;
using test::line_with;
using test::profile_text;

double alone(const std::string& body, const std::string& shared = {}, uint32_t block = 32) {
  return profile_text(kernel_of(body, shared), {block, 1}).block_cycles.value_or(0);
}

TEST(Timeline, ChainsWaitAndIndependentOnesDoNot) {
  std::string chain, free;
  for (int i = 0; i < 16; ++i) {
    chain += "add.f32 %f1, %f1, %f1;\n";
    free += "add.f32 %f" + std::to_string(i + 1) + ", %f0, %f0;\n";
  }
  EXPECT_EQ(alone(chain), 15 * 4 + 2);  // the last result is not waited for; ret
  EXPECT_EQ(alone(free), 17);
}

TEST(Timeline, IndependentLoadsOverlapAndChasesDoNot) {
  const std::string two =
      "ld.global.u32 %r2, [%rd1];\nld.global.u32 %r3, [%rd1+4096];\nadd.u32 %r4, %r2, "
      "%r3;\nst.global.u32 [%rd1], %r4;\n";
  const std::string chase =
      "ld.global.u32 %r2, [%rd1];\ncvt.u64.u32 %rd3, %r2;\nadd.s64 %rd4, %rd1, "
      "%rd3;\nld.global.u32 %r3, [%rd4+4096];\nst.global.u32 [%rd1], %r3;\n";
  EXPECT_NEAR(alone(two), 690, 20);
  EXPECT_NEAR(alone(chase), 2 * 690, 30);
}

TEST(Timeline, ALoadMovesAboveAStoreOfAnotherSpaceOnly) {
  // What follows the first use may start early: not behind the wait for the first load.
  const std::string apart =
      "ld.global.nc.u32 %r2, [%rd1];\nst.shared.u32 [s], %r2;\nld.global.nc.u32 %r3, "
      "[%rd1+4096];\nst.shared.u32 [s+4], %r3;\n";
  const std::string behind =
      "ld.global.u32 %r2, [%rd1];\nst.global.u32 [%rd1+64], %r2;\nld.global.u32 %r3, "
      "[%rd1+4096];\nst.global.u32 [%rd1+128], %r3;\n";
  EXPECT_NEAR(alone(apart, ".shared .align 4 .b8 s[8];\n"), 690, 20);
  EXPECT_NEAR(alone(behind), 2 * 690, 30);
}

TEST(Timeline, BarriersWaitForTheSlowest) {
  // One warp loads before the barrier; all go on after it.
  const std::string body =
      "setp.lt.u32 %p1, %r1, 32;\n@!%p1 bra S;\nld.global.u32 %r2, [%rd1];\nst.global.u32 "
      "[%rd1+64], %r2;\nS:\nbar.sync 0;\nadd.u32 %r3, %r1, 1;\n";
  const auto r = profile_text(kernel_of(body), {64, 1});
  EXPECT_NEAR(r.block_cycles.value_or(0), 690 + 16, 30);
  EXPECT_GT(line_with(r, "%r1, 1;").wait_cycles, 690);
}

}  // namespace
}  // namespace pitot::profile
