// What ptxas does to loops, against what ptxas 13.0 was seen to do with the same text, and the list
// scheduler's peaks.
#include "analysis/register_loops.h"

#include <gtest/gtest.h>

#include "analysis/register_regions.h"
#include "flow_helpers.h"

namespace pitot::analysis {
namespace {

// A loop over `body` from `init` by `step` below `bound`; %rd3 and %rd4 are pointers, %r1 is n.
std::string loop(const std::string& body, const std::string& init, const std::string& step,
                 const std::string& bound) {
  return "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [n];\ncvta.to.global.u64 %rd3, %rd1;\n"
         "add.s64 %rd4, %rd3, 4096;\nmov.u32 %r4, %tid.x;\nmov.u32 %r5, %ntid.x;\n"
         "mov.f32 %f1, 0f00000000;\nmov.u32 %r3, " +
         init + ";\nL:\n" + body + "add.s32 %r3, %r3, " + step + ";\nsetp.lt.s32 %p2, %r3, " +
         bound + ";\n@%p2 bra L;\nE:\nst.global.f32 [%rd3], %f1;\nret;\n";
}
const std::string kSum =
    "mul.wide.s32 %rd5, %r3, 4;\nadd.s64 %rd6, %rd3, %rd5;\nld.global.f32 %f2, [%rd6];\n"
    "add.f32 %f1, %f1, %f2;\n";
std::string with_chain(int n) {
  std::string body = kSum;
  for (int i = 0; i < n; ++i) body += "fma.rn.f32 %f1, %f1, %f2, %f1;\n";
  return body;
}

struct Looped {
  Analysed k;
  Uniformity uniformity;
  RegisterValues values;
  RegisterLoops loops;

  explicit Looped(const std::string& body, bool pragma = false) : k(kernel_text(body)) {
    uniformity.build(k.facts, std::nullopt, k.workspace);
    values.build(k.facts, uniformity);
    loops.build(k.facts, values, std::vector<uint8_t>(k.facts.cfg.size(), pragma ? 0 : 1));
  }
  uint32_t turns() const { return loops.turns.at(0); }
  RegionPeaks peaks(double entry) const {
    return RegisterRegions(k.facts, values, loops)
        .run(std::vector<LiveUnits>(k.facts.cfg.size(),
                                    LiveUnits{.all = static_cast<float>(entry)}));
  }
};

uint32_t turns(const std::string& body, const std::string& init, const std::string& step,
               const std::string& bound) {
  return Looped(loop(body, init, step, bound)).turns();
}

TEST(RegisterLoops, FourTurnsWhereTheStepIsConstant) {
  EXPECT_EQ(turns(kSum, "0", "1", "%r1"), 4u);
  EXPECT_EQ(turns(kSum, "%r4", "256", "%r1"), 4u);
  EXPECT_EQ(turns(kSum, "%r4", "%r5", "%r1"), 1u);
}

TEST(RegisterLoops, AllTurnsWhereTheirNumberIsKnown) {
  EXPECT_EQ(turns(kSum, "0", "1", "16"), 16u);
  EXPECT_EQ(turns(kSum, "0", "4", "64"), 16u);
  EXPECT_EQ(turns(with_chain(64), "0", "1", "32"), 4u);
}

TEST(RegisterLoops, LongBodiesAndSecondExitsAndCallsStay) {
  EXPECT_EQ(turns(with_chain(32), "0", "1", "%r1"), 4u);
  EXPECT_EQ(turns(with_chain(48), "0", "1", "%r1"), 1u);
  EXPECT_EQ(turns(kSum + "setp.gt.f32 %p3, %f2, %f1;\n@%p3 bra E;\n", "0", "1", "%r1"), 1u);
  EXPECT_EQ(turns(kSum + "div.rn.f32 %f1, %f1, %f2;\n", "0", "1", "%r1"), 1u);
  EXPECT_EQ(Looped(loop(kSum, "0", "1", "%r1"), true).turns(), 1u);
}

TEST(RegisterLoops, ParametersOfALoopCountOnce) {
  const Looped l(loop(kSum + kSum, "%r4", "%r5", "%r1"));
  const BlockId b = l.k.block("L");
  // The pointer, its copy being the same, n and %ntid.
  EXPECT_EQ(l.loops.inner_parameters[b], 4);
  EXPECT_EQ(l.loops.outer_parameters[b], 4);
  EXPECT_EQ(l.loops.inner_parameters[l.k.block("E")], 0);
  EXPECT_EQ(l.loops.block_parameters[l.k.block("E")], 2);
}

TEST(RegisterRegions, TurnsMadeOneHoldTheirLoadsTogether) {
  const double alone = Looped(loop(kSum, "%r4", "%r5", "%r1")).peaks(4).any;
  const double four = Looped(loop(kSum, "%r4", "1", "%r1")).peaks(4).any;
  const double sixteen = Looped(loop(kSum, "0", "1", "16")).peaks(4).any;
  EXPECT_GT(four, alone + 3);
  EXPECT_GT(sixteen, four + 3);
}

TEST(RegisterRegions, LoadsWaitWhereRegistersAreFew) {
  std::string body = "ld.param.u64 %rd1, [out];\ncvta.to.global.u64 %rd3, %rd1;\n";
  std::string text = body;
  for (int i = 1; i < 60; ++i) {
    const std::string n = std::to_string(i);
    text += "ld.global.nc.u32 %r" + n + ", [%rd3+" + std::to_string(4 * i) + "];\n" +
            "st.shared.u32 [" + std::to_string(4 * i) + "], %r" + n + ";\n";
  }
  const RegionPeaks peaks = Looped(text + "ret;\n").peaks(0);
  EXPECT_GE(peaks.any, 59);
  // And the pointer, which an address cannot take from the constant bank.
  EXPECT_LE(peaks.small, RegionPeaks::kSmall + 2);
  EXPECT_LE(peaks.large, RegionPeaks::kLarge + 2);
  EXPECT_GT(peaks.large, peaks.small);
}

TEST(RegisterRegions, NothingPassesABarrier) {
  const std::string text =
      "ld.param.u64 %rd1, [out];\ncvta.to.global.u64 %rd3, %rd1;\nld.global.u32 %r1, [%rd3];\n"
      "st.global.u32 [%rd3+4], %r1;\nbar.sync 0;\nld.global.u32 %r2, [%rd3];\n"
      "st.global.u32 [%rd3+4], %r2;\nret;\n";
  // One value and the pointer.
  EXPECT_EQ(Looped(text).peaks(0).any, 3);
}

std::string loads_then_stores(int n, const std::string& space) {
  std::string body =
      "ld.param.u64 %rd1, [out];\ncvta.to.global.u64 %rd3, %rd1;\nmov.u32 %r30, %tid.x;\n"
      "mul.wide.u32 %rd4, %r30, 900;\nadd.s64 %rd5, %rd3, %rd4;\nmov.u32 %r31, %r30;\n";
  for (int i = 0; i < n; ++i)
    body += "ld.volatile.global.u32 %r" + std::to_string(i + 1) + ", [%rd5+" +
            std::to_string(12 * i) + "];\n";
  body += "bar.sync 0;\n";
  for (int i = 0; i < n; ++i)
    body += "st.volatile." + space + ".u32 [" + (space == "global" ? "%rd5+" : "%r31+") +
            std::to_string(12 * i + 4) + "], %r" + std::to_string(i + 1) + ";\n";
  return body + "ret;\n";
}

// ptxas 13.0 takes 14 registers for 4 values and 26 for 10, where 10 and 16 would do: stored values
// are in odd registers. Two of its registers are in no instruction.
TEST(RegisterRegions, StoredValuesAreInOddRegisters) {
  EXPECT_EQ(Looped(loads_then_stores(4, "global")).peaks(0).banks[0], 12);
  EXPECT_EQ(Looped(loads_then_stores(10, "global")).peaks(0).banks[0], 24);
  // Of shared memory on sm_90 only: there 16 and 28, on sm_80 10 and 16.
  EXPECT_LE(Looped(loads_then_stores(10, "shared")).peaks(0).banks[0], 15);
  EXPECT_GE(Looped(loads_then_stores(10, "shared")).peaks(0).banks[1], 22);
}

TEST(RegisterRegions, AStoredZeroTakesNoRegister) {
  const std::string head = "ld.param.u64 %rd1, [out];\ncvta.to.global.u64 %rd3, %rd1;\n";
  auto store = [&](const std::string& value) {
    return Looped(head + "mov.u32 %r1, " + value + ";\nst.global.u32 [%rd3], %r1;\nret;\n")
        .peaks(0)
        .any;
  };
  EXPECT_EQ(store("0"), 2);
  EXPECT_EQ(store("7"), 3);
}

// Behind `if (i >= n) return` the uniform pipe holds what does not depend on the lane, behind a
// branch that lanes come back from it does not.
TEST(RegisterRegions, AGuardAtTheStartDoesNotMakeCodeDivergent) {
  auto peak = [](const std::string& target, const std::string& after) {
    return Looped(
               "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [n];\n"
               "cvta.to.global.u64 %rd3, %rd1;\nmov.u32 %r4, %tid.x;\n"
               "setp.ge.s32 %p1, %r4, %r1;\n@%p1 bra " +
               target +
               ";\nmov.u32 %r5, %ctaid.x;\nadd.s32 %r6, %r5, %r1;\nadd.s32 %r7, %r6, 5;\n"
               "add.s32 %r8, %r7, %r6;\nadd.s32 %r9, %r8, %r4;\nst.global.u32 [%rd3], %r9;\n" +
               after + "OUT:\nret;\n")
        .peaks(0)
        .text;
  };
  EXPECT_LT(peak("OUT", ""), peak("BACK", "BACK:\nst.global.u32 [%rd3+4], %r4;\n"));
}

TEST(RegisterRegions, ParametersOfALoopAreInRegistersOnHopper) {
  const Looped l(loop(kSum, "%r4", "%r5", "%r1"));
  const std::vector<LiveUnits> entry(l.k.facts.cfg.size(), LiveUnits{.all = 4});
  const double ampere = RegisterRegions(l.k.facts, l.values, l.loops).run(entry).any;
  const double hopper = RegisterRegions(l.k.facts, l.values, l.loops, true).run(entry).any;
  EXPECT_GE(hopper, ampere + 4);
}

TEST(RegisterRegions, ABlockTooLongToOrderIsReported) {
  EXPECT_FALSE(Looped(with_chain(100) + "ret;\n").peaks(0).incomplete);
  EXPECT_TRUE(Looped(with_chain(5000) + "ret;\n").peaks(0).incomplete);
}

}  // namespace
}  // namespace pitot::analysis
