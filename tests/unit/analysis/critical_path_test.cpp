// Critical paths of shapes that can be added up by hand.
#include "analysis/critical_path.h"

#include <gtest/gtest.h>

#include "flow_helpers.h"

namespace pitot::analysis {
namespace {

CriticalPath path_of(Analysed& a, const std::vector<double>& trips = {}) {
  DepGraph g;
  g.build(a.facts, a.workspace);
  CriticalPath p;
  EXPECT_EQ(trips.size(), a.facts.loops.loops.size());
  p.build(a.facts, g, trips);
  return p;
}

unsigned latency(const char* opcode) { return ptx::decode(opcode).latency; }

TEST(CriticalPath, Empty) {
  auto a = analyse("");
  EXPECT_EQ(path_of(a).function.cycles, 0);
  EXPECT_EQ(path_of(a).ilp(), 0);
}

TEST(CriticalPath, ChainAndIndependentWork) {
  const double add = latency("add.u32");
  auto chain = analyse("add.u32 %r1, %r1, 1;\nadd.u32 %r1, %r1, 1;\nadd.u32 %r1, %r1, 1;");
  EXPECT_EQ(path_of(chain).blocks[0].cycles, 3 * add);
  EXPECT_EQ(path_of(chain).blocks[0].instructions, 3);
  EXPECT_EQ(path_of(chain).ilp(), 1);
  auto apart = analyse("add.u32 %r1, %r4, 1;\nadd.u32 %r2, %r5, 1;\nadd.u32 %r3, %r6, 1;");
  EXPECT_EQ(path_of(apart).function.cycles, add);
  EXPECT_EQ(path_of(apart).ilp(), 3);
}

TEST(CriticalPath, RegisterReuseDoesNotCount) {
  // The second pair reuses %r1: the assembler renames it.
  auto a = analyse(
      "ld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\n"
      "ld.global.u32 %r1, [%rd2];\nadd.u32 %r3, %r1, 1;");
  EXPECT_EQ(path_of(a).function.cycles, latency("ld.global.u32") + latency("add.u32"));
}

TEST(CriticalPath, BarrierHoldsLaterLoads) {
  auto a = analyse("bar.sync 0;\nld.shared.u32 %r1, [%r2];\nadd.u32 %r3, %r1, 1;");
  EXPECT_EQ(path_of(a).function.cycles,
            latency("bar.sync") + latency("ld.shared.u32") + latency("add.u32"));
}

TEST(CriticalPath, LongerArmCountsAndResultsMayStillBeOnTheWay) {
  auto a = analyse(R"(
    ld.global.u32 %r1, [%rd1];
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra ELSE;
    add.u32 %r3, %r4, 1;
    add.u32 %r3, %r3, 1;
    bra JOIN;
ELSE:
    add.u32 %r3, %r4, 2;
JOIN:
    add.u32 %r5, %r1, %r3;
    ret;)");
  const double setp = latency("setp.eq.u32"), bra = latency("bra"), add = latency("add.u32");
  const double load = latency("ld.global.u32");
  // Through the first arm: the second branch needs no operand, so the join starts right after it.
  const double join = setp + bra + bra;
  const double sum = std::max({load, setp + bra + 2 * add, join});
  EXPECT_EQ(path_of(a).function.cycles, std::max(sum + add, join + latency("ret")));
}

// One trip of the accumulating loop: fma depends on the last fma only; the counter on itself and,
// through the test, on the branch.
TEST(CriticalPath, LoopRecurrences) {
  auto a = analyse(R"(
    mov.u32 %r1, 0;
LOOP:
    ld.global.f32 %f1, [%rd1];
    fma.rn.f32 %f2, %f1, %f1, %f2;
    fma.rn.f32 %f2, %f1, %f1, %f2;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 100;
    @%p1 bra LOOP;
    st.global.f32 [%rd1], %f2;
    ret;)");
  const CriticalPath p = path_of(a, {100});
  const double test = latency("add.u32") + latency("setp.lt.u32") + latency("bra");
  EXPECT_EQ(p.per_trip[0].cycles, std::max(test, 2.0 * latency("fma.rn.f32")));
  EXPECT_EQ(p.per_trip[0].instructions, 3);
  EXPECT_EQ(p.executed, 1 + 6 * 100 + 2);
  EXPECT_NEAR(p.function.cycles, 99 * p.per_trip[0].cycles, 100);
  EXPECT_GT(p.function.cycles, 99 * p.per_trip[0].cycles);
}

TEST(CriticalPath, SlowRecurrenceBeatsTheTest) {
  auto a = analyse(R"(
LOOP:
    ld.global.u64 %rd1, [%rd1];
    setp.ne.u64 %p1, %rd1, 0;
    @%p1 bra LOOP;
    ret;)");
  const CriticalPath p = path_of(a, {10});
  EXPECT_EQ(p.per_trip[0].cycles,
            latency("ld.global.u64") + latency("setp.ne.u64") + latency("bra"));
}

TEST(CriticalPath, NestedTripsMultiply) {
  auto a = analyse(R"(
    mov.u32 %r1, 0;
OUTER:
    mov.u32 %r2, 0;
INNER:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 8;
    @%p1 bra INNER;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p2, %r1, 5;
    @%p2 bra OUTER;
    ret;)");
  const CriticalPath p = path_of(a, {5, 8});
  const double test = latency("add.u32") + latency("setp.lt.u32") + latency("bra");
  EXPECT_EQ(p.per_trip[1].cycles, test);
  // The outer counter's test waits for the inner loop, whose end the last branch is.
  EXPECT_EQ(p.per_trip[0].cycles, 8 * test + test);
  EXPECT_EQ(p.function.cycles, 5 * 9 * test + latency("ret"));
  EXPECT_EQ(p.executed, 1 + 5 * (1 + 8 * 3 + 3) + 1);
}

TEST(CriticalPath, DeepNestsStayFinite) {
  std::string open, close;
  const int depth = 400;
  for (int k = 0; k < depth; ++k) {
    const std::string n = std::to_string(k);
    open += "L" + n + ": add.u32 %r1, %r1, 1;\n";
    close = "setp.lt.u32 %p1, %r1, " + n + ";\n@%p1 bra L" + n + ";\n" + close;
  }
  auto a = analyse(open + close + "ret;");
  ASSERT_EQ(a.facts.loops.loops.size(), size_t{depth});
  const CriticalPath p = path_of(a, std::vector<double>(depth, 1000));
  EXPECT_LT(p.function.cycles, 1e16);
  EXPECT_GT(p.function.cycles, 1e14);
  EXPECT_GT(p.ilp(), 0);
}

TEST(CriticalPath, UnreachableBlocksHaveALengthButNoShare) {
  auto a = analyse("ret;\nadd.u32 %r1, %r1, 1;\nret;");
  const CriticalPath p = path_of(a);
  EXPECT_EQ(p.function.cycles, latency("ret"));
  EXPECT_GT(p.blocks[1].cycles, 0);
  EXPECT_EQ(p.executed, 1);
}

}  // namespace
}  // namespace pitot::analysis
