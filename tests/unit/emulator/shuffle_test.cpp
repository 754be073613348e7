// shfl in every mode and width, with CUDA's description of __shfl_*_sync as the oracle; member
// masks that do not fit the lanes.
#include <fmt/format.h>

#include "emulator_test_util.h"
#include "support/file.h"

namespace pitot::emulator::test {
namespace {

// out[tid] = %r1, out[32 + tid] = %r9 (0 or 1).
const std::string kStore =
    "mov.u32 %r10, %tid.x;\nmul.wide.u32 %rd1, %r10, 4;\nadd.s64 %rd2, %rd0, %rd1;\n"
    "st.global.u32 [%rd2], %r1;\nselp.u32 %r9, 1, 0, %p2;\nst.global.u32 [%rd2+128], %r9;\n";

struct Expected {
  uint32_t source;
  bool inside;
};

Expected cuda_shuffle(const std::string& mode, uint32_t lane, uint32_t by, uint32_t width) {
  const uint32_t start = lane / width * width, end = start + width;
  if (mode == "up") return lane >= start + by ? Expected{lane - by, true} : Expected{lane, false};
  if (mode == "down") return lane + by < end ? Expected{lane + by, true} : Expected{lane, false};
  if (mode == "bfly") return (lane ^ by) < end ? Expected{lane ^ by, true} : Expected{lane, false};
  return {start + by % width, true};
}

TEST(Shuffle, EveryModeAndWidth) {
  for (const std::string mode : {"up", "down", "bfly", "idx"})
    for (uint32_t width : {32u, 16u, 8u, 4u, 2u, 1u})
      for (uint32_t by : {0u, 1u, 2u, 3u, 7u, 16u, 31u}) {
        const uint32_t clamp = ((32 - width) << 8) | (mode == "up" ? 0 : 31);
        auto r =
            run_text(kernel_text(fmt::format("mov.u32 %r2, %tid.x;\nmad.lo.u32 %r3, %r2, 7, 100;\n"
                                             "shfl.sync.{}.b32 %r1|%p2, %r3, {}, {}, 0xffffffff;\n",
                                             mode, by, clamp) +
                                 kStore),
                     64, threads(32), {0});
        ASSERT_EQ(r.faults(), "");
        for (uint32_t lane = 0; lane < 32; ++lane) {
          const Expected e = cuda_shuffle(mode, lane, by, width);
          ASSERT_EQ(r.out[lane], e.source * 7 + 100) << mode << by << "/" << width << " " << lane;
          ASSERT_EQ(r.out[32 + lane], e.inside ? 1u : 0u) << mode << by << "/" << width;
        }
      }
}

TEST(Shuffle, SourceLaneDiffersByLaneAndDestinationMayBeTheSource) {
  // Reverses the warp in place.
  auto r = run_text(kernel_text("mov.u32 %r1, %laneid;\nsub.u32 %r4, 31, %r1;\n"
                                "shfl.sync.idx.b32 %r1|%p2, %r1, %r4, 31, -1;\n" +
                                kStore),
                    64, threads(32), {0});
  EXPECT_EQ(r.faults(), "");
  for (uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(r.out[lane], 31 - lane);
}

TEST(Shuffle, WithoutSyncTheActiveLanesTakePart) {
  std::string text =
      kernel_text("mov.u32 %r1, %laneid;\nshfl.bfly.b32 %r1|%p2, %r1, 5, 31;\n" + kStore);
  text.replace(text.find("8.0"), 3, "6.3");
  auto r = run_text(text, 64, threads(32), {0});
  EXPECT_EQ(r.faults(), "");
  for (uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(r.out[lane], lane ^ 5);
}

TEST(Shuffle, AButterflySumReachesEveryLane) {
  std::string body = "mov.u32 %r1, %laneid;\nadd.u32 %r1, %r1, 1;\nsetp.eq.u32 %p2, 0, 0;\n";
  for (int d : {16, 8, 4, 2, 1})
    body += fmt::format("shfl.sync.bfly.b32 %r5, %r1, {}, 31, -1;\nadd.u32 %r1, %r1, %r5;\n", d);
  Options o;
  o.checks.uninitialised = true;
  auto r = run_text(kernel_text(body + kStore), 64, threads(32), {0}, o);
  EXPECT_EQ(r.faults(), "");
  for (uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(r.out[lane], 32u * 33 / 2);
}

TEST(Shuffle, LanesThatPartedMeetAtTheMask) {
  // Both halves come from different branches to one shuffle.
  auto r = run_text(kernel_text("mov.u32 %r2, %laneid;\nsetp.lt.u32 %p1, %r2, 16;\n@%p1 bra A;\n"
                                "add.u32 %r3, %r2, 1000;\nbra J;\nA:\nadd.u32 %r3, %r2, 2000;\nJ:\n"
                                "shfl.sync.bfly.b32 %r1|%p2, %r3, 16, 31, -1;\n" +
                                kStore),
                    64, threads(32), {0});
  EXPECT_EQ(r.faults(), "");
  for (uint32_t l = 0; l < 32; ++l) EXPECT_EQ(r.out[l], (l ^ 16) + (l >= 16 ? 2000 : 1000));
}

TEST(Shuffle, TilesWithTheirOwnMasks) {
  // Four tiles of eight lanes execute one instruction, each with its own mask.
  auto r = run_text(kernel_text("mov.u32 %r2, %laneid;\nand.b32 %r3, %r2, 24;\n"
                                "mov.u32 %r4, 255;\nshl.b32 %r4, %r4, %r3;\n"
                                "shfl.sync.idx.b32 %r1|%p2, %r2, 3, 6175, %r4;\n" +
                                kStore),
                    64, threads(32), {0});
  EXPECT_EQ(r.faults(), "");
  for (uint32_t l = 0; l < 32; ++l) EXPECT_EQ(r.out[l], l / 8 * 8 + 3);
}

TEST(Shuffle, ALaneOutsideOfItsOwnMaskIsReported) {
  auto r = run_text(kernel_text("mov.u32 %r2, %laneid;\n"
                                "shfl.sync.down.b32 %r1|%p2, %r2, 8, 4127, 0xffff;\n" +
                                kStore),
                    64, threads(32), {0});
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kMemberMask);
  EXPECT_EQ(r.outcome.faults[0].line, 16u);
  EXPECT_EQ(r.outcome.faults[0].lanes, 0xffff0000u);
  Options o;
  o.checks.member_masks = false;
  EXPECT_EQ(run_text(kernel_text("shfl.sync.down.b32 %r1|%p2, %r0, 8, 4127, 0xffff;\n" + kStore),
                     64, threads(32), {0}, o)
                .faults(),
            "");
}

TEST(Shuffle, TheWrongMaskOfTheCases) {
  const auto text = read_file(std::string(PITOT_SOURCE_DIR) +
                              "/tests/data/cases/20-shfl-sync-wrong-membermask.ptx");
  ASSERT_TRUE(text.ok());
  auto r = run_text(*text, 32, threads(32));
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kMemberMask);
  EXPECT_EQ(r.outcome.faults[0].line, 12u);
  EXPECT_EQ(r.outcome.faults[0].lanes, 0xffff0000u);
}

TEST(Shuffle, MasksThatDisagreeAreReported) {
  auto r = run_text(kernel_text("mov.u32 %r2, %laneid;\nsetp.eq.u32 %p1, %r2, 5;\n"
                                "selp.b32 %r4, 0xffff, 0xffffffff, %p1;\n"
                                "shfl.sync.bfly.b32 %r1|%p2, %r2, 1, 31, %r4;\n" +
                                kStore),
                    64, threads(32), {0});
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kMemberMask);
  EXPECT_EQ(r.outcome.faults[0].line, 18u);
}

TEST(Shuffle, ANamedLaneThatNeverComesIsReported) {
  auto r = run_text(kernel_text("mov.u32 %r2, %laneid;\nsetp.ge.u32 %p1, %r2, 16;\n"
                                "@%p1 bra WAIT;\nshfl.sync.bfly.b32 %r1|%p2, %r2, 1, 31, -1;\n"
                                "bra END;\nWAIT:\nbar.warp.sync -1;\nEND:\n" +
                                kStore),
                    64, threads(32), {0});
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kMemberMask);
}

TEST(Shuffle, AValueFromALaneThatTakesNoPartIsUndefined) {
  const std::string body =
      "mov.u32 %r2, %laneid;\nsetp.ge.u32 %p1, %r2, 8;\n@%p1 bra END;\n"
      "shfl.sync.down.b32 %r1|%p2, %r2, 1, 31, 0xff;\n";
  Options o;
  o.checks.uninitialised = true;
  // Lane 7 reads lane 8: fine as long as nobody looks.
  EXPECT_EQ(run_text(kernel_text(body + "END:\n"), 64, threads(32), {0}, o).faults(), "");
  auto r = run_text(kernel_text(body + "setp.eq.u32 %p3, %r1, 77;\n@%p3 bra END;\n"
                                       "st.global.u32 [%rd0], %r2;\nEND:\n"),
                    64, threads(32), {0}, o);
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kUninitialised);
  EXPECT_EQ(r.outcome.faults[0].line, 20u);
  EXPECT_EQ(r.outcome.faults[0].lanes, 0x80u);
}

}  // namespace
}  // namespace pitot::emulator::test
