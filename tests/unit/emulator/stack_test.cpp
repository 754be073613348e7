// alloca and the stack pointer; fns, policies and other hints.
#include <fmt/format.h>

#include "async_test_util.h"

namespace pitot::emulator::test::stack_test {
namespace {

TEST(Stack, EveryLaneHasItsOwnMemory) {
  // Each lane takes another size, writes its last word and reads it back.
  const std::string body =
      "mov.u32 %r2, %tid.x;\nadd.u32 %r3, %r2, 1;\nmul.wide.u32 %rd1, %r3, 4;\n"
      "stacksave.u64 %rd9;\nalloca.u64 %rd2, %rd1, 64;\nand.b64 %rd3, %rd2, 63;\n"
      "add.s64 %rd4, %rd2, %rd1;\nst.local.u32 [%rd4-4], %r3;\nalloca.u64 %rd5, 32;\n"
      "st.local.u32 [%rd5], 0;\nld.local.u32 %r4, [%rd4-4];\ncvt.u32.u64 %r5, %rd3;\n"
      "add.u32 %r4, %r4, %r5;\nstackrestore.u64 %rd9;\nadd.s64 %rd6, %rd0, %rd1;\n"
      "st.global.u32 [%rd6-4], %r4;\n";
  auto r = run_text(hopper_text(body), 64, threads(32), {0});
  EXPECT_EQ(r.faults(), "");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(r.out[i], i + 1);
}

TEST(Stack, ALoopThatRestoresDoesNotGrow) {
  const std::string loop =
      "mov.u32 %r2, 0;\nL: {}alloca.u64 %rd2, 4096;\nst.local.u32 [%rd2], %r2;\n{}"
      "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 1000;\n@%p1 bra L;\n";
  const std::string with =
      fmt::format(fmt::runtime(loop), "stacksave.u64 %rd1;\n", "stackrestore.u64 %rd1;\n");
  EXPECT_EQ(run_text(hopper_text(with), 64, threads(32), {0}).faults(), "");
  expect_fault(hopper_text(fmt::format(fmt::runtime(loop), "", "")), "alloca",
               FaultKind::kOutOfBounds, 64, threads(32), {});
}

TEST(Stack, MemoryThatWasGivenBackIsOutOfBounds) {
  expect_fault(hopper_text("stacksave.u64 %rd1;\nalloca.u64 %rd2, 16;\nstackrestore.u64 %rd1;\n"
                           "st.local.u32 [%rd2], 1;\n"),
               "st.local", FaultKind::kOutOfBounds, 64, threads(32), {});
}

TEST(Fns, FindsTheNthSetBit) {
  struct Case {
    uint32_t mask, base;
    int32_t offset;
    uint32_t want;
  };
  const uint32_t none = UINT32_MAX;
  for (const Case& c : std::vector<Case>{{0xaaaaaaaa, 3, 1, 3},
                                         {0xaaaaaaaa, 3, 2, 5},
                                         {0xaaaaaaaa, 2, 1, 3},
                                         {0xaaaaaaaa, 3, -1, 3},
                                         {0xaaaaaaaa, 4, -2, 1},
                                         {0xaaaaaaaa, 0, 0, none},
                                         {0xaaaaaaaa, 1, 0, 1},
                                         {0xaaaaaaaa, 31, 2, none},
                                         {0x00000001, 31, -1, 0},
                                         {0, 0, 1, none}}) {
    auto r = run_text(hopper_text(fmt::format("mov.u32 %r2, {};\nfns.b32 %r1, %r2, {}, {};\n"
                                              "st.global.u32 [%rd0], %r1;\n",
                                              c.mask, c.base, c.offset)),
                      64, threads(1), {0});
    EXPECT_EQ(r.faults(), "");
    EXPECT_EQ(r.out[0], c.want) << c.mask << " " << c.base << " " << c.offset;
  }
}

TEST(Hints, ChangeNothing) {
  auto r = run_text(
      hopper_text("createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;\n"
                  "st.global.u32 [%rd0], 5;\napplypriority.global.L2::evict_normal [%rd0], 128;\n"
                  "red.global.add.L2::cache_hint.u32 [%rd0], 2, %rd1;\nnanosleep.u32 20;\n"
                  "griddepcontrol.wait;\ngriddepcontrol.launch_dependents;\n"
                  "discard.global.L2 [%rd0+128], 128;\n"),
      64, threads(1), {0});
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(r.out[0], 7u);
}

}  // namespace
}  // namespace pitot::emulator::test::stack_test
