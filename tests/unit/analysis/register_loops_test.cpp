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
        .run(std::vector<double>(k.facts.cfg.size(), entry));
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
  EXPECT_LE(peaks.small, RegionPeaks::kSmall);
  EXPECT_LE(peaks.large, RegionPeaks::kLarge);
  EXPECT_GT(peaks.large, peaks.small);
}

TEST(RegisterRegions, NothingPassesABarrier) {
  const std::string text =
      "ld.param.u64 %rd1, [out];\ncvta.to.global.u64 %rd3, %rd1;\nld.global.u32 %r1, [%rd3];\n"
      "st.global.u32 [%rd3+4], %r1;\nbar.sync 0;\nld.global.u32 %r2, [%rd3];\n"
      "st.global.u32 [%rd3+4], %r2;\nret;\n";
  EXPECT_EQ(Looped(text).peaks(0).any, 1);
}

}  // namespace
}  // namespace pitot::analysis
