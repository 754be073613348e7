// Loops of which some trips stand for the others: the same counts as when all run.
#include <gmock/gmock.h>

#include "profile_test_util.h"

namespace pitot::profile {
namespace {

using test::kernel_of;
using test::profile_text;

// Both profiles of a kernel: all trips, and sampled ones.
std::pair<ProfileResult, ProfileResult> both(const std::string& body,
                                             const std::string& shared = {},
                                             const test::Shape& shape = {}) {
  ProfileOptions sampled;
  sampled.sample_loops = true;
  const std::string text = kernel_of(body, shared);
  return {profile_text(text, shape), profile_text(text, shape, sampled)};
}

void expect_same_counts(const ProfileResult& all, const ProfileResult& sampled) {
  ASSERT_EQ(all.lines.size(), sampled.lines.size());
  for (size_t i = 0; i < all.lines.size(); ++i) {
    const ProfileCounts &a = all.lines[i].counts, &s = sampled.lines[i].counts;
    EXPECT_EQ(a.warp_instructions, s.warp_instructions) << all.lines[i].text;
    EXPECT_EQ(a.thread_instructions, s.thread_instructions) << all.lines[i].text;
    EXPECT_EQ(a.branches_taken, s.branches_taken) << all.lines[i].text;
    EXPECT_EQ(a.global_sectors, s.global_sectors) << all.lines[i].text;
    EXPECT_EQ(a.shared_passes, s.shared_passes) << all.lines[i].text;
    EXPECT_EQ(a.wavefronts, s.wavefronts) << all.lines[i].text;
    EXPECT_EQ(a.l2_reads, s.l2_reads) << all.lines[i].text;
    EXPECT_EQ(a.dram_reads, s.dram_reads) << all.lines[i].text;
  }
}

constexpr const char* kStream =
    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd2, %rd1;\nmov.u32 %r2, 0;\nmov.f32 %f1, "
    "0f00000000;\nL:\nld.global.f32 %f2, [%rd2];\nadd.f32 %f1, %f1, %f2;\nadd.s64 %rd2, %rd2, "
    "128;\nadd.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, 1000;\n@%p1 bra L;\nst.global.f32 [%rd1], "
    "%f1;\n";

TEST(SteadyLoops, AStreamCountsAsIfAllOfItHadRun) {
  const auto [all, sampled] = both(kStream);
  expect_same_counts(all, sampled);
  EXPECT_NEAR(*sampled.block_cycles / *all.block_cycles, 1, 0.02);
  EXPECT_NEAR(*sampled.estimate / *all.estimate, 1, 0.02);
}

TEST(SteadyLoops, AStreamRunsAFractionOfItsTrips) {
  ProfileOptions sampled;
  sampled.sample_loops = true;
  sampled.emulator.instruction_budget = 500;  // of 6,000
  EXPECT_TRUE(profile_text(kernel_of(kStream), {}, sampled).ok());
}

// The header behind the rest: trips come back to it by falling through.
constexpr const char* kHeaderLast =
    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd2, %rd1;\nmov.u32 %r2, 0;\nbra H;\nL:\nld.global"
    ".u32 %r3, [%rd3];\nadd.s64 %rd2, %rd2, 128;\nadd.s32 %r2, %r2, 1;\nH:\nadd.s64 %rd3, %rd2, "
    "64;\nsetp.lt.s32 %p1, %r2, 1000;\n@%p1 bra L;\nst.global.u32 [%rd1], %r3;\n";

TEST(SteadyLoops, AHeaderBehindTheRest) {
  const auto [all, sampled] = both(kHeaderLast);
  expect_same_counts(all, sampled);
  ProfileOptions few;
  few.sample_loops = true;
  few.emulator.instruction_budget = 500;  // of 6,000
  EXPECT_TRUE(profile_text(kernel_of(kHeaderLast), {}, few).ok());
}

// A loop within it is left for the header forwards and come into again.
TEST(SteadyLoops, AHeaderBehindALoop) {
  const auto [all, sampled] = both(
      "mov.u32 %r2, 0;\nbra H;\nO:\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd2, %rd1;\nmov.u32 "
      "%r3, 0;\nI:\nld.global.u32 %r4, [%rd2];\nadd.s64 %rd2, %rd2, 128;\nadd.s32 %r3, %r3, "
      "1;\nsetp"
      ".ne.s32 %p1, %r3, 40;\n@%p1 bra I;\nadd.s32 %r2, %r2, 1;\nH:\nsetp.lt.u32 %p2, %r2, "
      "50;\n@%p2 "
      "bra O;\nst.global.u32 [%rd1], %r4;\n");
  expect_same_counts(all, sampled);
}

TEST(SteadyLoops, ALoopInALoop) {
  const auto [all, sampled] = both(
      "mov.u32 %r2, 0;\nO:\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd2, %rd1;\nmov.u32 %r3, "
      "0;\nI:\nld.global.u32 %r4, [%rd2];\nadd.s64 %rd2, %rd2, 128;\nadd.s32 %r3, %r3, 1;\nsetp.ne"
      ".s32 %p1, %r3, 40;\n@%p1 bra I;\nadd.s32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 50;\n@%p2 bra "
      "O;\nst.global.u32 [%rd1], %r4;\n");
  expect_same_counts(all, sampled);
}

TEST(SteadyLoops, BarriersKeepWarpsTogether) {
  const auto [all, sampled] = both(
      "mov.u32 %r5, s;\nshl.b32 %r6, %r1, 2;\nadd.s32 %r5, %r5, %r6;\nmov.u32 %r2, "
      "0;\nL:\nst.shared"
      ".u32 [%r5], %r2;\nbar.sync 0;\nld.shared.u32 %r7, [%r5];\nbar.sync 0;\nadd.s32 %r2, %r2, "
      "2;\nsetp.lt.s32 %p1, %r2, 300;\n@%p1 bra L;\nst.global.u32 [%rd1], %r7;\n",
      ".shared .align 4 .b8 s[1024];\n", {.block = 128});
  expect_same_counts(all, sampled);
}

// Four stages of shared memory: a trip moves on by one, the fifth is the first again. Taken for a
// plain counter it would leave the array.
TEST(SteadyLoops, ARingOfStagesIsAPeriod) {
  const auto [all, sampled] = both(
      "mov.u32 %r5, s;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\nL:\nshl.b32 %r6, %r3, 7;\nadd.s32 %r6, "
      "%r6, %r5;\nst.shared.u32 [%r6], %r2;\nadd.s32 %r3, %r3, 1;\nsetp.eq.s32 %p2, %r3, 4;\nselp"
      ".b32 %r3, 0, %r3, %p2;\nadd.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, 203;\n@%p1 bra L;\nst"
      ".global.u32 [%rd1], %r3;\n",
      ".shared .align 4 .b8 s[512];\n");
  expect_same_counts(all, sampled);
}

// What a guard in the middle of a loop lets through changes half way.
TEST(SteadyLoops, AGuardThatTurnsIsSeen) {
  const auto [all, sampled] = both(
      "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd2, %rd1;\nmov.u32 %r2, 0;\nL:\nsetp.ge.s32 "
      "%p2, "
      "%r2, 500;\n@%p2 bra S;\nld.global.u32 %r4, [%rd2];\nS:\nadd.s64 %rd2, %rd2, 128;\nadd.s32 "
      "%r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, 1000;\n@%p1 bra L;\nst.global.u32 [%rd1], %r4;\n");
  expect_same_counts(all, sampled);
}

// Masks of accesses, not branches: a predicate of its own, and the size of an asynchronous copy.
// The loop goes 500 trips beyond what they let through, which is all that the buffer has.
TEST(SteadyLoops, AMaskThatTurnsIsSeen) {
  const std::string head =
      "mul.wide.u32 %rd2, %r1, 16;\nadd.s64 %rd2, %rd2, %rd1;\nmov.u32 %r2, 0;\nmov.u32 %r5, s;\n"
      "shl.b32 %r6, %r1, 4;\nadd.s32 %r5, %r5, %r6;\nL:\n";
  const std::string tail =
      "add.s64 %rd2, %rd2, 512;\nadd.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, 1000;\n@%p1 bra L;\n"
      "st.global.u32 [%rd1], %r2;\n";
  test::Shape shape;
  shape.bytes = 500 * 512;
  for (const char* body :
       {"setp.lt.s32 %p2, %r2, 500;\n@%p2 ld.global.u32 %r4, [%rd2];\n",
        "sub.s32 %r3, 500, %r2;\nsetp.gt.s32 %p2, %r3, 0;\nsetp.lt.u32 %p3, %r1, 1000;\n"
        "and.pred %p2, %p2, %p3;\nselp.b32 %r4, 16, 0, %p2;\n"
        "cp.async.cg.shared.global [%r5], [%rd2], 16, %r4;\ncp.async.wait_all;\n"}) {
    const auto [all, sampled] = both(head + body + tail, ".shared .align 16 .b8 s[4096];\n", shape);
    EXPECT_TRUE(sampled.ok()) << sampled.faults.front().message;
    expect_same_counts(all, sampled);
  }
}

// A chain of pointers is followed link by link, and a counter that doubles to its end.
TEST(SteadyLoops, WhatIsNotSteadyRuns) {
  const auto [all, sampled] = both(
      "mov.u64 %rd2, %rd1;\nmov.u32 %r2, 0;\nL:\nld.global.u32 %r4, [%rd2];\ncvt.u64.u32 %rd3, "
      "%r4;\nmad.lo.u64 %rd4, %rd3, 4, %rd1;\nadd.s64 %rd2, %rd4, 64;\nadd.s32 %r2, %r2, 1;\nsetp"
      ".lt.s32 %p1, %r2, 100;\n@%p1 bra L;\nmov.u32 %r3, 1;\nD:\nadd.s32 %r3, %r3, "
      "%r3;\nsetp.lt.u32 "
      "%p3, %r3, 100000;\n@%p3 bra D;\nst.global.u32 [%rd1], %r4;\n");
  expect_same_counts(all, sampled);
}

}  // namespace
}  // namespace pitot::profile
