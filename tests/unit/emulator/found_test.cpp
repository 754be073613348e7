// Faults that random programs on the emulator and the reference interpreter brought to light.
#include "emulator_test_util.h"

namespace pitot::emulator::test {
namespace {

Options every_check() {
  Options o;
  o.checks.uninitialised = o.checks.async_copies = o.checks.races = true;
  return o;
}

TEST(Found, VectorAtomicReadsAllElementsBeforeItWritesAny) {
  // %f2 is the first destination and the second element of the source.
  std::string text = kernel_text(
      "mov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f40000000;\n"
      "atom.global.add.v2.f32 {%f2, %f3}, [%rd0], {%f1, %f2};\nst.global.f32 [%rd0+8], %f2;");
  text.replace(0, text.find(".address_size"), ".version 8.1\n.target sm_90\n");
  auto r = run_text(text, 3, threads(1), {0});
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(r.out, (std::vector<uint32_t>{0x3f800000, 0x40000000, 0}));
}

// Found by fuzzing: a budget was looked at once in four million instructions.
TEST(Found, ASmallBudgetEndsALaunchSoon) {
  Options o;
  o.instruction_budget = 1000;
  for (uint32_t blocks : {1u, 3u}) {
    auto r = run_text(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry spin(.param .u64 p) {
  .reg .b32 %r<2>;
  mov.u32 %r1, 0;
L:
  add.u32 %r1, %r1, 1;
  bra L;
})",
                      1, threads(64, blocks), {}, o);
    ASSERT_EQ(r.outcome.faults.size(), 1u);
    EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kBudget);
    EXPECT_GT(r.outcome.counters.warp_instructions, 1000u);
    EXPECT_LT(r.outcome.counters.warp_instructions, 2000u);
  }
}

// Found by fuzzing: the end of an empty body looked at an instruction that is not there.
TEST(Found, AKernelWithoutInstructionsRuns) {
  auto r = run_text(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) { }", 1,
      threads(64, 2), {}, every_check());
  EXPECT_TRUE(r.outcome.ok());
  EXPECT_EQ(r.out, std::vector<uint32_t>{0});
}

// Found by fuzzing: any size was copied, and its bytes were counted in a word.
TEST(Found, CpAsyncOfAnOddSizeIsIllegal) {
  for (const char* bytes : {"66", "0", "32"}) {
    std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
        ".shared .align 16 .b8 s[256];\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n"
        "ld.param.u64 %rd1, [p];\nmov.u32 %r1, s;\n"
        "cp.async.ca.shared.global [%r1], [%rd1], ";
    auto r = run_text(text + bytes + ";\n}", 64, threads(1), {}, every_check());
    ASSERT_EQ(r.outcome.faults.size(), 1u) << bytes;
    EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kIllegal);
    EXPECT_EQ(r.outcome.faults[0].line, 10u);
  }
}

TEST(Found, ABulkStoreZeroesSharedMemory) {
  auto r = run_text(R"(.version 8.6
.target sm_100
.address_size 64
.visible .entry k(.param .u64 p) {
  .shared .align 16 .b8 s[64];
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  mov.u64 %rd2, s;
  mov.b32 %r1, 7;
  st.shared.v4.b32 [%rd2], {%r1, %r1, %r1, %r1};
  st.bulk.weak.shared::cta [%rd2], 8, 0;
  ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%rd2];
  st.global.v4.b32 [%rd1], {%r0, %r1, %r2, %r3};
})",
                    4, threads(1), {}, every_check());
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(r.out, (std::vector<uint32_t>{0, 0, 7, 7}));
}

TEST(Found, TheLargestBudgetIsNoSmallOne) {
  Options o;
  o.instruction_budget = UINT64_MAX;
  auto r = run_text(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
      ".reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\nst.global.u32 [%rd1], 5;\n}",
      1, threads(64, 2), {}, o);
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(r.out, std::vector<uint32_t>{5});
}

}  // namespace
}  // namespace pitot::emulator::test
