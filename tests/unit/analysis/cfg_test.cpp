// Blocks and edges of small kernels.
#include "analysis/cfg.h"

#include <gtest/gtest.h>

#include "flow_helpers.h"
#include "support/file.h"

namespace pitot::analysis {
namespace {

using Blocks = std::vector<BlockId>;

TEST(Cfg, StraightLineIsOneBlock) {
  auto a = analyse("mov.u32 %r1, 1;\nadd.u32 %r1, %r1, 2;\nret;");
  ASSERT_EQ(a.facts.cfg.size(), 1u);
  EXPECT_EQ(a.facts.cfg.blocks[0].size(), 3u);
  EXPECT_EQ(a.facts.cfg.blocks[0].leaves, kLeaveReturn);
  EXPECT_FALSE(a.facts.cfg.blocks[0].conditional);
}

TEST(Cfg, EmptyBody) {
  auto a = analyse("");
  EXPECT_EQ(a.facts.cfg.size(), 0u);
  EXPECT_TRUE(a.facts.cfg.order.empty());
}

TEST(Cfg, Diamond) {
  auto a = analyse(R"(
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra THEN;
    mov.u32 %r2, 1;
    bra.uni JOIN;
THEN:
    mov.u32 %r2, 2;
JOIN:
    ret;)");
  const Cfg& c = a.facts.cfg;
  ASSERT_EQ(c.size(), 4u);
  EXPECT_EQ(list(c.successors(0)), (Blocks{1, 2}));
  EXPECT_EQ(list(c.successors(1)), (Blocks{3}));
  EXPECT_EQ(list(c.successors(2)), (Blocks{3}));
  EXPECT_EQ(list(c.predecessors(3)), (Blocks{1, 2}));
  EXPECT_EQ(c.deciding_instruction(a.module, *a.facts.function, 0), 1u);
  EXPECT_EQ(c.sense(0, 1), EdgeSense::kGuardFails);
  EXPECT_EQ(c.sense(0, 2), EdgeSense::kGuardHolds);
  EXPECT_EQ(c.deciding_instruction(a.module, *a.facts.function, 1), kNone);
  EXPECT_EQ(c.order.front(), 0u);
  EXPECT_EQ(c.order.back(), 3u);
}

TEST(Cfg, GuardedExitAndRetHaveTwoWays) {
  auto a = analyse("@%p1 exit;\nmov.u32 %r1, 1;\n@!%p2 ret;\nmov.u32 %r2, 2;\n@%p3 trap;\nret;");
  const Cfg& c = a.facts.cfg;
  ASSERT_EQ(c.size(), 4u);
  EXPECT_EQ(c.blocks[0].leaves, kLeaveExit);
  EXPECT_EQ(list(c.successors(0)), (Blocks{1}));
  EXPECT_EQ(c.sense(0, 1), EdgeSense::kGuardFails);
  EXPECT_EQ(c.deciding_instruction(a.module, *a.facts.function, 0), 0u);
  EXPECT_EQ(c.blocks[1].leaves, kLeaveReturn);
  EXPECT_EQ(list(c.successors(1)), (Blocks{2}));
  EXPECT_EQ(c.blocks[2].leaves, kLeaveTrap);
  EXPECT_EQ(c.blocks[3].leaves, kLeaveReturn);
}

TEST(Cfg, CodeAfterUnguardedExitIsUnreachableButKept) {
  auto a = analyse("mov.u32 %r1, 1;\nexit;\nmov.u32 %r2, 2;\nret;");
  const Cfg& c = a.facts.cfg;
  ASSERT_EQ(c.size(), 2u);
  EXPECT_TRUE(c.blocks[0].reachable);
  EXPECT_FALSE(c.blocks[1].reachable);
  EXPECT_EQ(c.order_of[1], kNone);
  EXPECT_EQ(c.blocks[1].size(), 2u);
}

TEST(Cfg, BrxFollowsItsTable) {
  auto a = analyse(R"(
    ts: .branchtargets A, B, A;
    brx.idx %r1, ts;
A:  mov.u32 %r2, 1;
    bra.uni C;
B:  mov.u32 %r2, 2;
C:  ret;)");
  const Cfg& c = a.facts.cfg;
  ASSERT_EQ(c.size(), 4u);
  EXPECT_EQ(list(c.successors(0)), (Blocks{1, 2}));
  EXPECT_TRUE(c.blocks[0].conditional);
  EXPECT_EQ(c.blocks[0].leaves, 0);
  EXPECT_EQ(c.deciding_instruction(a.module, *a.facts.function, 0), kNone);
}

TEST(Cfg, TableThatNoBrxUsesSplitsNothing) {
  auto a = analyse("ts: .branchtargets A;\nmov.u32 %r1, 1;\nA: mov.u32 %r2, 1;\nret;");
  EXPECT_EQ(a.facts.cfg.size(), 1u);
}

TEST(Cfg, UnusedLabelSplitsNothing) {
  auto a = analyse("mov.u32 %r1, 1;\n$L__tmp0:\nmov.u32 %r2, 1;\n$L__tmp1:\nret;");
  EXPECT_EQ(a.facts.cfg.size(), 1u);
}

TEST(Cfg, BranchToTheNextInstructionIsOneEdge) {
  auto a = analyse("@%p1 bra NEXT;\nNEXT: ret;");
  const Cfg& c = a.facts.cfg;
  ASSERT_EQ(c.size(), 2u);
  EXPECT_EQ(list(c.successors(0)), (Blocks{1}));
  EXPECT_EQ(c.sense(0, 1), EdgeSense::kEither);
  EXPECT_EQ(c.deciding_instruction(a.module, *a.facts.function, 0), kNone);
}

TEST(Cfg, FallingOffTheEndLeaves) {
  auto a = analyse("@%p1 bra END;\nmov.u32 %r1, 1;\nEND:");
  const Cfg& c = a.facts.cfg;
  ASSERT_EQ(c.size(), 2u);
  EXPECT_EQ(c.blocks[0].leaves, kLeaveEnd);
  EXPECT_EQ(c.blocks[1].leaves, kLeaveEnd);
}

TEST(Cfg, CallsDoNotEndBlocksUnlessTheCalleeNeverReturns) {
  Analysed a(R"(.version 8.5
.target sm_90
.address_size 64
.func f()
{
  ret;
}
.func stop() .noreturn
{
  trap;
}
.visible .entry k()
{
  .reg .pred %p<2>;
  call.uni f, ();
  call f, ();
  @%p1 call stop, ();
  call f, ();
  call stop, ();
  ret;
}
)");
  const Cfg& c = a.facts.cfg;
  ASSERT_EQ(c.size(), 3u);
  EXPECT_EQ(c.blocks[0].leaves, kLeaveNoReturn);
  EXPECT_EQ(list(c.successors(0)), (Blocks{1}));
  EXPECT_EQ(c.blocks[1].leaves, kLeaveNoReturn);
  EXPECT_TRUE(c.successors(1).empty());
  EXPECT_FALSE(c.blocks[2].reachable);
}

Analysed from_case(const char* name, std::string_view function) {
  auto text = read_file(std::string(PITOT_SOURCE_DIR "/tests/data/cases/") + name);
  EXPECT_TRUE(text.ok());
  return Analysed(*text, function);
}

TEST(Cfg, ExitInsideAFunctionEndsTheThread) {
  Analysed a = from_case("29-exit-in-func.ptx", "guard");
  const Cfg& c = a.facts.cfg;
  ASSERT_EQ(c.size(), 2u);
  EXPECT_EQ(c.blocks[0].leaves, kLeaveExit);
  EXPECT_TRUE(c.blocks[0].conditional);
  EXPECT_EQ(list(c.successors(0)), (Blocks{1}));
  EXPECT_EQ(c.blocks[1].leaves, kLeaveReturn);
}

TEST(Cfg, LabelsOfDebugSectionsSplitNothing) {
  Analysed a = from_case("30-dwarf-section-braces.ptx", "k");
  EXPECT_EQ(a.facts.cfg.size(), 1u);
}

}  // namespace
}  // namespace pitot::analysis
