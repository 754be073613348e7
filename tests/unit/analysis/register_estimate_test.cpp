// The register estimate: launch bounds, the fitted trees, and the recorded cases whose answers
// ptxas gave.
#include "analysis/register_estimate.h"

#include <gtest/gtest.h>

#include <map>

#include "flow_helpers.h"

namespace pitot::analysis {
namespace {

RegisterEstimate estimate(const ptx::Module& m, const ptx::Function& f) {
  Workspace ws;
  FlowFacts flow;
  flow.build(m, f, ws);
  Uniformity uniformity;
  uniformity.build(flow, std::nullopt, ws);
  return estimate_registers(flow, uniformity, m.target, ws);
}

RegisterEstimate estimate_case(const std::string& file) {
  auto m = ptx::parse_file(PITOT_SOURCE_DIR "/tests/data/cases/" + file);
  if (!m) {
    ADD_FAILURE() << m.error().message;
    return {};
  }
  for (const ptx::Function& f : m->functions)
    if (f.is_entry && f.has_body) return estimate(*m, f);
  ADD_FAILURE() << "no kernel in " << file;
  return {};
}

uint32_t cap_under(const std::string& bounds) {
  auto m = ptx::parse("cap.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n" +
                                     bounds + "\n{\nret;\n}\n");
  return register_cap(m.functions.at(0));
}

// ptxas 13.0: 37a and 37c take 101 registers without a spill, 37e 96 with 28 bytes of spill stores,
// 37b 64 with 332, 37d 40 with 448.
TEST(RegisterEstimate, LaunchBoundCasesRankAsPtxasSpillsThem) {
  RegisterEstimate a = estimate_case("37a-no-launch-bound.ptx");
  RegisterEstimate b = estimate_case("37b-maxntid-1024.ptx");
  RegisterEstimate c = estimate_case("37c-maxntid-32.ptx");
  RegisterEstimate d = estimate_case("37d-maxnreg-40.ptx");
  RegisterEstimate e = estimate_case("37e-maxnreg-with-minnctapersm.ptx");
  EXPECT_EQ(a.spill_bytes, 0);
  EXPECT_EQ(c.spill_bytes, 0);
  EXPECT_LT(c.spill_bytes, e.spill_bytes);
  EXPECT_LT(e.spill_bytes, b.spill_bytes);
  EXPECT_LT(b.spill_bytes, d.spill_bytes);
  EXPECT_NEAR(a.registers, 101, 12);
  EXPECT_NEAR(c.registers, 101, 12);
  EXPECT_EQ(b.registers, 64u);
  EXPECT_EQ(d.registers, 40u);
  EXPECT_NEAR(e.registers, 96, 12);
}

// ptxas schedules by the bounds it is given, but this text has few choices: it takes 101 registers
// where the bound lets it.
TEST(RegisterEstimate, BoundsHardlyChangeWhatALongChainWants) {
  for (const char* f : {"37a-no-launch-bound.ptx", "37b-maxntid-1024.ptx", "37c-maxntid-32.ptx",
                        "37d-maxnreg-40.ptx", "37e-maxnreg-with-minnctapersm.ptx"})
    EXPECT_NEAR(estimate_case(f).wanted, 101, 12) << f;
}

// ptxas 13.0 gives 24 registers to a kernel that calls vprintf and does nothing else.
TEST(RegisterEstimate, ACallOutsideTheTextTakesWhatItsConventionDoes) {
  auto m = ptx::parse("print.ptx",
                      ".version 8.0\n.target sm_80\n.address_size 64\n"
                      ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
                      ".visible .entry k()\n{\n.reg .b64 %rd<3>;\nmov.u64 %rd1, 0;\n{\n"
                      ".param .b64 p0;\nst.param.b64 [p0], %rd1;\n.param .b64 p1;\n"
                      "st.param.b64 [p1], %rd1;\n.param .b32 q;\n"
                      "call.uni (q), vprintf, (p0, p1);\n}\nret;\n}\n");
  for (const ptx::Function& f : m.functions)
    if (f.is_entry) {
      EXPECT_NEAR(estimate(m, f).registers, 24, 5);
    }
}

TEST(RegisterEstimate, CapOfLaunchBounds) {
  EXPECT_EQ(cap_under(""), 255u);
  EXPECT_EQ(cap_under(".maxntid 1024, 1, 1"), 64u);
  EXPECT_EQ(cap_under(".maxntid 32, 32, 1"), 64u);
  EXPECT_EQ(cap_under(".reqntid 512"), 128u);
  EXPECT_EQ(cap_under(".maxntid 256"), 255u);
  EXPECT_EQ(cap_under(".maxntid 256\n.minnctapersm 2"), 128u);
  EXPECT_EQ(cap_under(".maxntid 256\n.minnctapersm 3"), 80u);
  EXPECT_EQ(cap_under(".maxntid 33\n.minnctapersm 16"), 64u);  // two warps a block
  EXPECT_EQ(cap_under(".maxnreg 40"), 40u);
  EXPECT_EQ(cap_under(".maxntid 256, 1, 1\n.minnctapersm 2\n.maxnreg 96"), 96u);
}

}  // namespace
}  // namespace pitot::analysis
