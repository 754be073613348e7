// Trip counts of the loop shapes that compilers write, and of those that have none.
#include "analysis/trip_counts.h"

#include <gtest/gtest.h>

#include "ptx/parser.h"

namespace pitot::analysis {
namespace {

struct Loops {
  ptx::Module module;
  FlowFacts flow;
  std::vector<TripCount> trips;
  std::vector<double> weights;
};

std::unique_ptr<Loops> loops(const std::string& body) {
  auto l = std::make_unique<Loops>();
  l->module =
      ptx::parse("t",
                 ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u32 n) {\n"
                 ".reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n.reg .pred %p<9>;\n" +
                     body + "\nret;\n}\n");
  EXPECT_EQ(l->module.diagnostics.errors(), 0u);
  Workspace ws;
  l->flow.build(l->module, l->module.functions[0], ws);
  l->trips = trip_counts(l->flow);
  l->weights = block_weights(l->flow, l->trips, 10);
  return l;
}

std::optional<uint64_t> only(const std::string& body) {
  auto l = loops(body);
  EXPECT_EQ(l->trips.size(), 1u);
  return l->trips.empty() ? std::nullopt : l->trips[0].trips;
}

// Bottom-tested: the body runs, the counter steps, the test decides.
std::string bottom(const std::string& start, const std::string& step, const std::string& test,
                   const std::string& guard = "@%p1") {
  return "mov.u32 %r1, " + start + ";\nL: add.s32 %r1, %r1, " + step + ";\n" + test + "\n" + guard +
         " bra L;";
}

TEST(TripCounts, BottomTested) {
  EXPECT_EQ(only(bottom("0", "1", "setp.lt.s32 %p1, %r1, 8;")), 8u);
  EXPECT_EQ(only(bottom("0", "3", "setp.lt.s32 %p1, %r1, 8;")), 3u);
  EXPECT_EQ(only(bottom("0", "1", "setp.le.s32 %p1, %r1, 8;")), 9u);
  EXPECT_EQ(only(bottom("10", "-2", "setp.gt.s32 %p1, %r1, 0;")), 5u);
  EXPECT_EQ(only(bottom("10", "-2", "setp.ge.s32 %p1, %r1, 0;")), 6u);
  EXPECT_EQ(only(bottom("0", "4", "setp.ne.s32 %p1, %r1, 64;")), 16u);
  EXPECT_EQ(only(bottom("0", "1", "setp.eq.s32 %p1, %r1, 64;", "@!%p1")), 64u);
  EXPECT_EQ(only(bottom("0", "1", "setp.ge.u32 %p1, %r1, 5;", "@!%p1")), 5u);
  EXPECT_EQ(only(bottom("0", "1", "setp.hs.u32 %p1, %r1, 5;", "@!%p1")), 5u);
  EXPECT_EQ(only(bottom("-4", "1", "setp.lt.s32 %p1, %r1, 0;")), 4u);
  EXPECT_EQ(only(bottom("0", "1", "setp.gt.s32 %p1, 8, %r1;")), 8u);
  // The body runs once though the test fails at once; unsigned −3 is large.
  EXPECT_EQ(only(bottom("9", "1", "setp.lt.s32 %p1, %r1, 8;")), 1u);
  EXPECT_EQ(only(bottom("-4", "1", "setp.lt.u32 %p1, %r1, 8;")), 1u);
}

TEST(TripCounts, TestedBeforeTheStep) {
  EXPECT_EQ(only("mov.u32 %r1, 0;\nL: setp.lt.s32 %p1, %r1, 8;\nadd.s32 %r1, %r1, 1;\n@%p1 bra L;"),
            9u);
}

TEST(TripCounts, TopTested) {
  EXPECT_EQ(only("mov.u32 %r1, 0;\nH: setp.ge.s32 %p1, %r1, 8;\n@%p1 bra E;\nmov.u32 %r2, 1;\n"
                 "add.s32 %r1, %r1, 2;\nbra H;\nE:"),
            4u);
}

TEST(TripCounts, SteppedInSeveralPlacesAndThroughMoves) {
  EXPECT_EQ(
      only("mov.u32 %r9, 0;\nmov.u32 %r1, %r9;\nL: add.s32 %r2, %r1, 1;\nadd.s32 %r3, %r2, 1;\n"
           "mov.u32 %r1, %r3;\nsetp.lt.u32 %p1, %r1, 100;\n@%p1 bra L;"),
      50u);
}

TEST(TripCounts, SixtyFourBitsAndWrapping) {
  EXPECT_EQ(only("mov.u64 %rd1, 0;\nL: add.s64 %rd1, %rd1, 1073741824;\nsetp.lt.u64 %p1, %rd1, "
                 "1099511627776;\n@%p1 bra L;"),
            1024u);
  // Wraps around before it meets the bound: no count.
  EXPECT_EQ(only(bottom("0", "3", "setp.ne.s32 %p1, %r1, 64;")), std::nullopt);
  EXPECT_EQ(only(bottom("0", "1", "setp.ge.s32 %p1, %r1, 0;")), std::nullopt);
  EXPECT_EQ(only(bottom("0", "1", "setp.le.u32 %p1, %r1, 4294967295;")), std::nullopt);
}

TEST(TripCounts, ParameterBound) {
  auto l = loops("ld.param.u32 %r9, [n];\n" + bottom("0", "4", "setp.lt.s32 %p1, %r1, %r9;"));
  ASSERT_EQ(l->trips.size(), 1u);
  EXPECT_FALSE(l->trips[0].trips);
  ASSERT_NE(l->trips[0].parameter, ptx::kNoId);
  EXPECT_EQ(l->module.symbols[l->trips[0].parameter].name, "n");
  EXPECT_EQ(l->trips[0].step, 4);
}

TEST(TripCounts, DataDependentLoopsHaveNone) {
  EXPECT_EQ(only("L: ld.global.u32 %r1, [%rd1];\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra L;"),
            std::nullopt);
  // The counter may be reset on one path.
  EXPECT_EQ(only("mov.u32 %r1, 0;\nL: add.s32 %r1, %r1, 1;\n@%p2 mov.u32 %r1, 0;\nsetp.lt.s32 %p1, "
                 "%r1, 8;\n@%p1 bra L;"),
            std::nullopt);
}

TEST(TripCounts, NestedWeights) {
  auto l = loops(
      "mov.u32 %r1, 0;\nO: mov.u32 %r2, 0;\nI: add.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, "
      "5;\n@%p1 bra I;\n"
      "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p2, %r1, 3;\n@%p2 bra O;");
  ASSERT_EQ(l->trips.size(), 2u);
  EXPECT_EQ(l->trips[0].trips, 3u);
  EXPECT_EQ(l->trips[1].trips, 5u);
  EXPECT_EQ(l->weights[l->flow.cfg.block_of[2]], 15);
  EXPECT_EQ(l->weights[l->flow.cfg.block_of[1]], 3);
  EXPECT_EQ(l->weights[0], 1);
}

}  // namespace
}  // namespace pitot::analysis
