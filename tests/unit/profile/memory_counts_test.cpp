// What the memory system is asked for, against counts made by hand.
#include <gmock/gmock.h>

#include "profile_test_util.h"

namespace pitot::profile {
namespace {

using test::kernel_of;
using test::line_with;
using test::profile_text;
using test::strided_load;

ProfileCounts load_of(const std::string& body, const std::string& part = "ld.global") {
  return line_with(profile_text(kernel_of(body)), part);
}

struct StrideCase {
  unsigned stride, shift;
  double sectors, bytes, wavefronts;
};

TEST(ProfileMemory, SectorsOfOneWordALane) {
  // 32 words in a row: 128 bytes, 4 sectors. Shifted by a word: one sector more. Every other word:
  // 8 sectors, all banks twice. From 32 bytes on each lane has a sector of its own.
  for (const StrideCase& c :
       {StrideCase{4, 0, 4, 128, 1}, StrideCase{4, 4, 5, 128, 1}, StrideCase{0, 0, 1, 4, 1},
        StrideCase{8, 0, 8, 128, 2}, StrideCase{16, 0, 16, 128, 4}, StrideCase{32, 0, 32, 128, 8},
        StrideCase{128, 0, 32, 128, 32}}) {
    const ProfileCounts l = load_of(strided_load(c.stride, c.shift));
    EXPECT_EQ(l.global_requests, 1) << c.stride;
    EXPECT_EQ(l.global_sectors, c.sectors) << c.stride;
    EXPECT_EQ(l.sectors_per_request(), c.sectors) << c.stride;
    EXPECT_EQ(l.global_bytes, c.bytes) << c.stride;
    EXPECT_EQ(l.wavefronts, c.wavefronts) << c.stride;
    EXPECT_EQ(l.l1_sectors, c.sectors) << c.stride;
    EXPECT_EQ(l.l1_hits, 0) << c.stride;
    EXPECT_EQ(l.l2_reads, c.sectors) << c.stride;
    EXPECT_EQ(l.dram_reads, c.sectors) << c.stride;
  }
}

TEST(ProfileMemory, VectorsAreOneRequest) {
  const ProfileCounts two = load_of(
      "mul.wide.u32 %rd2, %r1, 8;\nadd.s64 %rd2, %rd2, %rd1;\nld.global.v2.u32 {%r2, %r3}, "
      "[%rd2];\n");
  EXPECT_EQ(two.global_requests, 1);
  EXPECT_EQ(two.global_sectors, 8);
  EXPECT_EQ(two.wavefronts, 2);
  const ProfileCounts four = load_of(
      "mul.wide.u32 %rd2, %r1, 16;\nadd.s64 %rd2, %rd2, %rd1;\nld.global.v4.u32 {%r2, %r3, %r4, "
      "%r5}, [%rd2];\n");
  EXPECT_EQ(four.global_requests, 1);
  EXPECT_EQ(four.global_sectors, 16);
  EXPECT_EQ(four.wavefronts, 4);
  EXPECT_EQ(four.global_bytes, 512);
}

TEST(ProfileMemory, OnlyLanesThatTakePartCount) {
  const ProfileCounts l = load_of(
      "setp.lt.u32 %p1, %r1, 8;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd2, %rd1;\n@%p1 "
      "ld.global.u32 %r2, [%rd2];\n");
  EXPECT_EQ(l.global_sectors, 1);
  EXPECT_EQ(l.thread_instructions, 8);
  EXPECT_EQ(l.lane_slots, 32);
  EXPECT_EQ(l.active_lanes(), 8);
}

TEST(ProfileMemory, L1KeepsWhatWasLoadedUnlessToldNotTo) {
  const std::string again =
      "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd2, %rd1;\nld.global.u32 %r2, [%rd2];\n";
  const ProfileCounts cached = load_of(again + "ld.global.u32 %r3, [%rd2+0];\n", "%r3, [");
  EXPECT_EQ(cached.l1_hits, 4);
  EXPECT_EQ(cached.l2_reads, 0);
  const ProfileCounts past = load_of(again + "ld.global.cg.u32 %r3, [%rd2+0];\n", "%r3, [");
  EXPECT_EQ(past.l1_sectors, 0);
  EXPECT_EQ(past.l2_reads, 4);
  EXPECT_EQ(past.dram_reads, 0);
  EXPECT_EQ(past.l2_hit_rate(), 1);
  const ProfileCounts fresh = load_of(again + "ld.volatile.global.u32 %r3, [%rd2+0];\n", "%r3, [");
  EXPECT_EQ(fresh.l2_reads, 4);
}

TEST(ProfileMemory, StoresGoThroughAndMergeWithinAWarp) {
  const std::string at =
      "mul.wide.u32 %rd2, %r1, 16;\nadd.s64 %rd2, %rd2, %rd1;\nst.global.u32 [%rd2], %r1;\n"
      "st.global.u32 [%rd2+4], %r1;\n";
  const auto r = profile_text(kernel_of(at));
  EXPECT_EQ(line_with(r, "[%rd2],").global_sectors, 16);
  EXPECT_EQ(line_with(r, "[%rd2],").l2_writes, 16);
  EXPECT_EQ(line_with(r, "[%rd2+4],").global_sectors, 16);
  EXPECT_EQ(line_with(r, "[%rd2+4],").l2_writes, 0);
  EXPECT_EQ(r.totals.dram_reads, 0);
  EXPECT_EQ(r.totals.dram_writes, 0);  // 512 bytes stay in L2
}

TEST(ProfileMemory, AtomicsGoToL2AndCountWhoMeets) {
  const auto r = profile_text(kernel_of(
      "red.global.add.u32 [%rd1], 1;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd2, %rd1;\n"
      "atom.global.add.u32 %r2, [%rd2], 1;\n"));
  EXPECT_EQ(line_with(r, "red.").atomic_conflicts, 31);
  EXPECT_EQ(line_with(r, "red.").l2_atomics, 1);
  EXPECT_EQ(line_with(r, "atom.").atomic_conflicts, 0);
  EXPECT_EQ(line_with(r, "atom.").l2_atomics, 4);
  EXPECT_EQ(line_with(r, "atom.").l1_sectors, 0);
}

TEST(ProfileMemory, LocalMemoryIsInterleaved) {
  const auto r = profile_text(
      kernel_of("mov.u64 %rd3, a;\nst.local.u32 [%rd3], %r1;\nst.local.u32 [%rd3+4], %r1;\n"
                "ld.local.u32 %r2, [%rd3];\nld.local.v2.u32 {%r3, %r4}, [%rd3];\n",
                ".local .align 8 .b8 a[16];\n"));
  EXPECT_EQ(line_with(r, "[%rd3],").local_sectors, 4);
  EXPECT_EQ(line_with(r, "ld.local.u32").local_sectors, 4);
  EXPECT_EQ(line_with(r, "ld.local.v2").local_sectors, 8);
  EXPECT_EQ(line_with(r, "ld.local.v2").l1_hits, 4);
  EXPECT_EQ(r.totals.dram_reads, 0);
}

TEST(ProfileMemory, GenericAddressesCountWhereTheyLie) {
  const auto r = profile_text(kernel_of(
      "mov.u32 %r5, s;\ncvt.u64.u32 %rd3, %r5;\ncvta.shared.u64 %rd4, %rd3;\nmul.wide.u32 %rd5, "
      "%r1, 4;\nadd.s64 %rd4, %rd4, %rd5;\nst.u32 [%rd4], %r1;\nadd.s64 %rd6, %rd1, "
      "%rd5;\nst.u32 [%rd6], %r1;\n",
      ".shared .align 4 .b8 s[128];\n"));
  EXPECT_EQ(line_with(r, "st.u32 [%rd4]").shared_requests, 1);
  EXPECT_EQ(line_with(r, "st.u32 [%rd4]").global_requests, 0);
  EXPECT_EQ(line_with(r, "st.u32 [%rd6]").global_sectors, 4);
}

TEST(ProfileMemory, ConstantMemoryCountsDifferentAddresses) {
  const std::string head =
      ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 4 .b8 c[256];\n.visible .entry "
      "k(.param .u64 out)\n{\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\nmov.u32 %r1, %tid.x;\nshl.b32 "
      "%r2, %r1, 2;\ncvt.u64.u32 %rd1, %r2;\nmov.u64 %rd2, c;\nadd.s64 %rd3, %rd2, "
      "%rd1;\nld.const.u32 %r3, [%rd2];\nld.const.u32 %r4, [%rd3];\nret;\n}\n";
  const auto r = profile_text(head);
  EXPECT_EQ(line_with(r, "[%rd2]").constant_words, 1);
  EXPECT_EQ(line_with(r, "[%rd3]").constant_words, 32);
}

// Conflicts of a word a lane at a distance of `stride` bytes.
ProfileCounts shared_load(unsigned stride) {
  return line_with(
      profile_text(kernel_of("mov.u32 %r5, s;\nmad.lo.u32 %r6, %r1, " + std::to_string(stride) +
                                 ", %r5;\nld.shared.u32 %r7, [%r6];\nst.global.u32 [%rd1], %r7;\n",
                             ".shared .align 4 .b8 s[8192];\n")),
      "ld.shared");
}

TEST(ProfileMemory, BankConflicts) {
  EXPECT_EQ(shared_load(4).shared_passes, 1);
  EXPECT_EQ(shared_load(4).bank_conflicts(), 0);
  EXPECT_EQ(shared_load(0).shared_passes, 1);  // one word for all
  EXPECT_EQ(shared_load(8).shared_passes, 2);
  EXPECT_EQ(shared_load(16).shared_passes, 4);
  EXPECT_EQ(shared_load(32).shared_passes, 8);
  EXPECT_EQ(shared_load(128).shared_passes, 32);
  EXPECT_EQ(shared_load(128).bank_conflicts(), 31);
  EXPECT_EQ(shared_load(132).shared_passes, 1);  // padded
}

TEST(ProfileMemory, AtomicsOfSharedMemoryTakeOneLaneAfterTheOther) {
  const auto r =
      profile_text(kernel_of("red.shared.add.u32 [s], 1;\n", ".shared .align 4 .b8 s[128];\n"));
  EXPECT_EQ(line_with(r, "red.shared").shared_passes, 32);
  EXPECT_EQ(line_with(r, "red.shared").atomic_conflicts, 31);
}

TEST(ProfileMemory, NeighbouringSharedLoadsMergeWhereAligned) {
  auto row = [](const std::string& start) {
    std::string body = "mov.u32 %r5, s;\nshl.b32 %r6, %r1, 4;\nadd.s32 %r6, %r6, %r5;\n";
    for (int i = 0; i < 4; ++i)
      body += "ld.shared.u32 %r1" + std::to_string(i) + ", [%r6+" +
              std::to_string(std::stoi(start) + 4 * i) + "];\n";
    return profile_text(kernel_of(body, ".shared .align 4 .b8 s[1024];\n")).totals;
  };
  // 512 bytes as vectors: four passes. As single words: four times four.
  EXPECT_EQ(row("0").shared_passes, 4);
  EXPECT_EQ(row("4").shared_passes, 16);
  EXPECT_EQ(row("0").shared_requests, 4);
}

TEST(ProfileMemory, CopiesPastTheRegisters) {
  const auto r = profile_text(
      kernel_of("mov.u32 %r5, s;\nshl.b32 %r6, %r1, 4;\nadd.s32 %r7, %r5, %r6;\nmul.wide.u32 %rd2, "
                "%r1, 16;\nadd.s64 %rd2, %rd2, %rd1;\ncp.async.cg.shared.global [%r7], [%rd2], "
                "16;\ncp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\nld.shared.u32 "
                "%r8, [%r7];\n",
                ".shared .align 16 .b8 s[512];\n"));
  const ProfileCounts copy = line_with(r, "cp.async.cg");
  EXPECT_EQ(copy.global_sectors, 16);
  EXPECT_EQ(copy.l1_sectors, 0);  // .cg
  EXPECT_EQ(copy.l2_reads, 16);
  EXPECT_EQ(copy.shared_passes, 4);
  // The wait is where the warp stands.
  EXPECT_GT(line_with(r, "wait_group").wait_cycles, 500);
}

}  // namespace
}  // namespace pitot::profile
