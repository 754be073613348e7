// Trip counts of the loop shapes that compilers write, and of those that have none.
#include "analysis/trip_counts.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

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
                 ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u32 n) {\n"
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
  // PTX additions wrap, so this one ends after 2^31 trips.
  EXPECT_EQ(only(bottom("0", "1", "setp.ge.s32 %p1, %r1, 0;")), 2147483648u);
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

std::string text(const std::string& body) {
  auto l = loops(body);
  EXPECT_EQ(l->trips.size(), 1u);
  return l->trips.empty() ? "" : describe_trips(l->flow, l->trips[0]);
}

TEST(TripCounts, DescribedByParametersAndCoordinates) {
  const std::string n = "ld.param.u32 %r9, [n];\n";
  EXPECT_EQ(text(bottom("0", "1", "setp.lt.s32 %p1, %r1, 8;")), "8");
  EXPECT_EQ(text(n + bottom("0", "1", "setp.lt.s32 %p1, %r1, %r9;")), "n");
  EXPECT_EQ(text(n + bottom("0", "4", "setp.lt.s32 %p1, %r1, %r9;")), "ceil(n / 4)");
  EXPECT_EQ(text(n + bottom("0", "4", "setp.le.s32 %p1, %r1, %r9;")), "ceil((n + 1) / 4)");
  EXPECT_EQ(text(n + bottom("%r9", "-1", "setp.gt.s32 %p1, %r1, 0;")), "n");
  EXPECT_EQ(text(n + "mov.u32 %r8, %tid.x;\nmov.u32 %r7, %ntid.x;\n" +
                 bottom("%r8", "%r7", "setp.lt.s32 %p1, %r1, %r9;")),
            "ceil((n - %tid.x) / %ntid.x)");
  EXPECT_EQ(text(n + "add.s32 %r8, %r9, 31;\nshr.s32 %r8, %r8, 5;\n" +
                 bottom("0", "1", "setp.lt.s32 %p1, %r1, %r8;")),
            "(n + 31) >> 5");
  EXPECT_EQ(text(n + "H: setp.ge.s32 %p1, %r1, %r9;\n@%p1 bra E;\nmov.u32 %r2, 1;\n"
                     "add.s32 %r1, %r1, 2;\nbra H;\nE:"),
            "ceil((n - %r1) / 2)");
  EXPECT_EQ(text("L: ld.global.u32 %r1, [%rd1];\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra L;"), "");
}

// The four-fold unrolled loop and its remainder, as nvcc writes them.
TEST(TripCounts, UnrolledLoopWithRemainder) {
  const std::string kernel =
      "ld.param.u32 %r10, [n];\nsetp.lt.s32 %p1, %r10, 1;\n@%p1 bra E;\n"
      "add.s32 %r12, %r10, -1;\nand.b32 %r18, %r10, 3;\nsetp.lt.u32 %p2, %r12, 3;\n"
      "@%p2 bra R;\nsub.s32 %r16, %r10, %r18;\n"
      "M: add.s32 %r16, %r16, -4;\nsetp.ne.s32 %p3, %r16, 0;\n@%p3 bra M;\n"
      "R: setp.eq.s32 %p4, %r18, 0;\n@%p4 bra E;\n"
      "T: add.s32 %r18, %r18, -1;\nsetp.ne.s32 %p5, %r18, 0;\n@%p5 bra T;\nE:";
  auto l = loops(kernel);
  ASSERT_EQ(l->trips.size(), 2u);
  EXPECT_EQ(describe_trips(l->flow, l->trips[0]), "(n - (n & 3)) / 4");
  EXPECT_EQ(describe_trips(l->flow, l->trips[1]), "n & 3");
  EXPECT_FALSE(l->trips[1].trips);
  EXPECT_EQ(l->trips[1].least, 1u);
  EXPECT_EQ(l->trips[1].most, 3u);
  EXPECT_EQ(expected_trips(l->trips, 10), (std::vector<double>{10, 3}));

  KnownValues known;
  known.parameters = {{l->trips[0].parameter, 1003}};
  const auto given = trip_counts(l->flow, known);
  EXPECT_EQ(given[0].trips, 250u);
  EXPECT_EQ(given[1].trips, 3u);
}

TEST(TripCounts, BlockStrideWithKnownLaunch) {
  auto l = loops("ld.param.u32 %r9, [n];\nmov.u32 %r8, %tid.x;\nmov.u32 %r7, %ntid.x;\n" +
                 bottom("%r8", "%r7", "setp.lt.s32 %p1, %r1, %r9;"));
  ASSERT_EQ(l->trips.size(), 1u);
  EXPECT_FALSE(l->trips[0].trips);
  KnownValues known;
  known.parameters = {{l->trips[0].parameter, 1000}};
  known.block = {{256, 1, 1}};
  const TripCount t = trip_counts(l->flow, known)[0];
  EXPECT_FALSE(t.trips);  // threads 0 … 231 run once more than the others
  EXPECT_EQ(t.least, 3u);
  EXPECT_EQ(t.most, 4u);
  known.parameters = {{l->trips[0].parameter, 1024}};
  EXPECT_EQ(trip_counts(l->flow, known)[0].trips, std::nullopt);
  EXPECT_EQ(trip_counts(l->flow, known)[0].most, 4u);
}

TEST(TripCounts, HalvingAndDoubling) {
  auto halve = [](const std::string& start, const std::string& test) {
    return "mov.u32 %r9, %ntid.x;\nmov.u32 %r1, " + start + ";\nL: shr.u32 %r1, %r1, 1;\n" + test +
           "\n@%p1 bra L;";
  };
  EXPECT_EQ(only(halve("128", "setp.ne.s32 %p1, %r1, 0;")), 8u);
  EXPECT_EQ(only(halve("128", "setp.gt.u32 %p1, %r1, 1;")), 7u);
  EXPECT_EQ(only("mov.u32 %r1, 128;\nH: setp.eq.s32 %p1, %r1, 0;\n@%p1 bra E;\nmov.u32 %r2, 1;\n"
                 "shr.u32 %r1, %r1, 1;\nbra H;\nE:"),
            8u);
  EXPECT_EQ(only("mov.u32 %r1, 1;\nL: shl.b32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 1000;\n"
                 "@%p1 bra L;"),
            10u);
  auto l = loops(halve("%r9", "setp.ne.s32 %p1, %r1, 0;"));
  EXPECT_FALSE(l->trips[0].trips);
  EXPECT_EQ(l->trips[0].least, 1u);
  EXPECT_EQ(l->trips[0].most, 11u);
  EXPECT_EQ(describe_trips(l->flow, l->trips[0]), "right shifts of %ntid.x by 1 until 0");
  KnownValues known;
  known.block = {{256, 1, 1}};
  EXPECT_EQ(trip_counts(l->flow, known)[0].trips, 9u);
}

TEST(TripCounts, WaitingLoopsCountOnce) {
  auto l = loops("L: mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2;\n@!%p1 bra L;");
  ASSERT_EQ(l->trips.size(), 1u);
  EXPECT_TRUE(l->trips[0].waits);
  EXPECT_EQ(expected_trips(l->trips, 10), (std::vector<double>{1}));
  EXPECT_TRUE(loops("L: ld.acquire.gpu.u32 %r1, [%rd1];\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra L;")
                  ->trips[0]
                  .waits);
  EXPECT_FALSE(loops("L: ld.global.u32 %r1, [%rd1];\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra L;")
                   ->trips[0]
                   .waits);
}

TEST(TripCounts, EarlyExit) {
  auto l = loops(
      "mov.u32 %r1, 0;\nL: ld.global.u32 %r2, [%rd1];\nsetp.eq.s32 %p2, %r2, 0;\n"
      "@%p2 bra E;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 8;\n@%p1 bra L;\nE:");
  ASSERT_EQ(l->trips.size(), 1u);
  EXPECT_EQ(l->trips[0].trips, 8u);
  EXPECT_TRUE(l->trips[0].may_leave_early);
}

// Every shape of counter, comparison and type, against stepping through it.
TEST(TripCounts, AgainstStepping) {
  std::mt19937 rng(9);
  auto pick = [&](int low, int high) {
    return low + static_cast<int>(rng() % static_cast<unsigned>(high - low + 1));
  };
  int counted = 0;
  for (int round = 0; round < 600; ++round) {
    const bool wide = pick(0, 1) != 0, is_signed = pick(0, 1) != 0, top = pick(0, 1) != 0;
    const bool inverted = pick(0, 1) != 0, swapped = pick(0, 1) != 0;
    const int start = pick(-20, 20), step = pick(-5, 5), bound = pick(-30, 30);
    const char* names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    const int order = pick(0, 5);
    const std::string type = (is_signed ? "s" : "u") + std::string(wide ? "64" : "32");
    const std::string r = wide ? "%rd1" : "%r1";
    std::string compare = std::string("setp.") + names[order] + "." + type + " %p1, ";
    compare += swapped ? std::to_string(bound) + ", " + r : r + ", " + std::to_string(bound);
    const std::string guard = inverted ? "@!%p1 " : "@%p1 ";
    const std::string add = "add." + std::string(wide ? "s64 " : "s32 ") + r + ", " + r + ", " +
                            std::to_string(step) + ";\n";
    std::string body =
        "mov.u" + std::string(wide ? "64 " : "32 ") + r + ", " + std::to_string(start) + ";\n";
    if (top)  // leaves when the comparison holds, or with @!, when it fails
      body += "L: " + compare + ";\n" + guard + "bra E;\n" + add + "bra L;\nE:";
    else
      body += "L: " + add + compare + ";\n" + guard + "bra L;";
    auto holds = [&](uint64_t x) {
      uint64_t a = x, b = static_cast<uint64_t>(static_cast<int64_t>(bound));
      if (!wide) {
        a = is_signed ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(a)))
                      : a & 0xffffffff;
        b = is_signed ? b : b & 0xffffffff;
      }
      if (swapped) std::swap(a, b);
      const int64_t sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
      const int sign = a == b ? 0 : (is_signed ? sa < sb : a < b) ? -1 : 1;
      const bool results[] = {sign == 0, sign != 0, sign<0, sign <= 0, sign> 0, sign >= 0};
      return results[order] != inverted;
    };
    uint64_t x = static_cast<uint64_t>(static_cast<int64_t>(start)), trips = 0;
    const uint64_t limit = 1000;
    if (top) {
      while (!holds(x) && trips < limit) {
        ++trips;
        x += static_cast<uint64_t>(static_cast<int64_t>(step));
      }
    } else {
      do {
        ++trips;
        x += static_cast<uint64_t>(static_cast<int64_t>(step));
      } while (holds(x) && trips < limit);
    }
    auto l = loops(body);
    ASSERT_EQ(l->trips.size(), 1u) << body;
    if (l->trips[0].trips && *l->trips[0].trips < limit) {
      EXPECT_EQ(*l->trips[0].trips, trips) << body;
      ++counted;
    }
    if (trips < limit) {
      EXPECT_LE(l->trips[0].least, trips) << body;
      EXPECT_GE(l->trips[0].most, trips) << body;
      EXPECT_TRUE(l->trips[0].trips) << body;
    } else {
      EXPECT_TRUE(!l->trips[0].trips || *l->trips[0].trips >= limit) << body;
    }
  }
  EXPECT_GT(counted, 300);
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
