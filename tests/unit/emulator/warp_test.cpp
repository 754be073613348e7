// Divergence, reconvergence and forward progress of a warp's lanes.
#include <gmock/gmock.h>

#include "emulator_test_util.h"

namespace pitot::emulator::test {
namespace {

using testing::MatchesRegex;

const std::string kStoreR1 =
    "mov.u32 %r10, %tid.x;\nmul.wide.u32 %rd1, %r10, 4;\nadd.s64 %rd2, %rd0, %rd1;\n"
    "st.global.u32 [%rd2], %r1;\n";

TEST(Warp, ThreadsKnowTheirNumbers) {
  auto r = run_text(kernel_text("mov.u32 %r1, %tid.x;\nmad.lo.s32 %r1, %r1, 3, 7;\n" + kStoreR1),
                    64, threads(64), {0});
  EXPECT_EQ(r.faults(), "");
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(r.out[i], i * 3 + 7);
}

TEST(Warp, LoopsOfDifferentLengthMeetAgain) {
  auto r = run_text(kernel_text("mov.u32 %r2, %tid.x;\nmov.u32 %r1, 0;\n"
                                "LOOP: setp.ge.u32 %p1, %r1, %r2;\n@%p1 bra DONE;\n"
                                "add.u32 %r1, %r1, 1;\nbra LOOP;\nDONE:\n" +
                                kStoreR1),
                    32, threads(32), {0});
  EXPECT_EQ(r.faults(), "");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(r.out[i], i);
  // 31 trips of 4 operations with a shrinking warp, and the end once for all lanes together.
  EXPECT_EQ(r.outcome.counters.warp_instructions, 3 + 2 + 31 * 4 + 2 + 4 + 1u);
}

TEST(Warp, BarriersOrderWarps) {
  const std::string text = kernel_text(
      "mov.u32 %r2, %tid.x;\nshl.b32 %r3, %r2, 2;\nmov.u32 %r4, s;\nadd.u32 %r5, %r4, %r3;\n"
      "st.shared.u32 [%r5], %r2;\nbar.sync 0;\nxor.b32 %r6, %r3, 252;\nadd.u32 %r6, %r4, %r6;\n"
      "ld.shared.u32 %r1, [%r6];\n" +
          kStoreR1,
      ".shared .align 4 .b8 s[256];\n");
  for (uint64_t seed = 0; seed < 3; ++seed) {
    Options o;
    o.seed = seed;
    auto r = run_text(text, 64, threads(64), {0}, o);
    EXPECT_EQ(r.faults(), "");
    for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(r.out[i], 63 - i);
  }
}

TEST(Warp, ABarrierThatPartOfTheBlockSkipsIsReported) {
  auto r = run_text(kernel_text("mov.u32 %r2, %tid.x;\nand.b32 %r3, %r2, 1;\nsetp.eq.u32 %p1, %r3, "
                                "0;\n@%p1 bra SKIP;\nbar.sync 0;\nSKIP:\n"),
                    32, threads(32), {0});
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kBarrierDivergence);
  EXPECT_EQ(r.outcome.faults[0].message, "barrier 0 waited by 16 of 32, others exited");
}

TEST(Warp, CallsAndRecursion) {
  const std::string before =
      ".func (.param .b32 r) fact(.param .b32 x)\n{\n.reg .pred %p1;\n.reg .b32 %a<8>;\n"
      "ld.param.b32 %a1, [x];\nsetp.le.u32 %p1, %a1, 1;\n@%p1 bra BASE;\nsub.u32 %a2, %a1, 1;\n{\n"
      ".param .b32 in;\n.param .b32 back;\nst.param.b32 [in], %a2;\n"
      "call (back), fact, (in);\nld.param.b32 %a3, [back];\n}\nmul.lo.u32 %a4, %a3, %a1;\n"
      "st.param.b32 [r], %a4;\nret;\nBASE:\nst.param.b32 [r], 1;\nret;\n}\n";
  auto r = run_text(kernel_text("mov.u32 %r2, %tid.x;\nand.b32 %r2, %r2, 7;\n{\n.param .b32 i;\n"
                                ".param .b32 o;\nst.param.b32 [i], %r2;\ncall (o), fact, (i);\n"
                                "ld.param.b32 %r1, [o];\n}\n" +
                                    kStoreR1,
                                "", before),
                    32, threads(32), {0});
  EXPECT_EQ(r.faults(), "");
  const uint32_t want[] = {1, 1, 2, 6, 24, 120, 720, 5040};
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(r.out[i], want[i & 7]);
}

TEST(Warp, OutOfBoundsNamesTheBuffer) {
  auto message = [](const std::string& body) {
    auto r = run_text(kernel_text(body), 32, threads(1), {0});
    EXPECT_EQ(r.outcome.faults.size(), 1u);
    if (r.outcome.faults.empty()) return std::string();
    EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kOutOfBounds);
    return r.outcome.faults[0].message;
  };
  const std::string five = "mov.u32 %r1, 5;\n";
  EXPECT_THAT(message(five + "st.global.u32 [%rd0+128], %r1;\n"),
              MatchesRegex("write of 4 bytes at out\\+128 \\(0x[0-9a-f]+\\), right behind 'out', "
                           "which has 128 bytes"));
  EXPECT_THAT(
      message(five + "st.global.u32 [%rd0+140], %r1;\n"),
      MatchesRegex("write of 4 bytes at out\\+140 \\(0x[0-9a-f]+\\), 12 bytes behind 'out', "
                   "which has 128 bytes"));
  EXPECT_THAT(message(five + "st.global.u32 [%rd0+-4], %r1;\n"),
              MatchesRegex("write of 4 bytes at out-4 \\(0x[0-9a-f]+\\), 4 bytes before 'out', "
                           "which has 128 bytes"));
  EXPECT_EQ(message("mov.u64 %rd1, 16;\nld.global.u32 %r1, [%rd1];\n"),
            "read of 4 bytes at 0x10: a null pointer and an offset");
  EXPECT_EQ(message("mov.u64 %rd1, 0x7000000000000;\nld.global.u32 %r1, [%rd1];\n"),
            "read of 4 bytes at 0x7000000000000, where nothing is, nor near it");
}

}  // namespace
}  // namespace pitot::emulator::test
