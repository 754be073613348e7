// Rules files: what they say, what is complained of, and what each rule finds.
#include "gate_helpers.h"

namespace pitot::gate::rules_test {
namespace {

using test::fill;
using test::find;
using test::gate_text;
using test::kernel;
using test::physical;
using test::rule_list;
using test::with;

const std::string kBody =
    "\tld.param.u64 %rd1, [p];\n\tld.global.nc.f32 %f1, [%rd1];\n\tmul.f32 %f2, %f1, 0f3F000000;\n"
    "\tst.global.f32 [%rd1+64], %f2;\n";

std::vector<Diagnostic> problems(const std::string& text) {
  Diagnostics out;
  read_rules(SourceText("pitot.toml", text), out);
  return out.items();
}

TEST(Rules, UnknownKeysHaveAPlaceAndTheNearestName) {
  std::string text = "[gate]\nbaselin = \"x.toml\"\n";
  auto d = problems(text);
  ASSERT_EQ(d.size(), 1u);
  EXPECT_EQ(d[0].code, "unknown-key");
  EXPECT_EQ(text.substr(d[0].range.begin, 7), "baselin");
  EXPECT_EQ(d[0].hint, "did you mean `baseline`?");
  EXPECT_EQ(problems("[[rule]]\nname=\"x\"\nforbidden=[\"a\"]\n")[0].code, "unknown-key");
}

TEST(Rules, BadValuesAreNamed) {
  EXPECT_EQ(problems("[gate]\nratchet = \"sideways\"\n")[0].code, "unknown-value");
  EXPECT_EQ(problems("[gate]\ntargets = [\"sm80\"]\n")[0].code, "unknown-target");
  EXPECT_EQ(problems("[gate]\ndisable = [\"constant\"]\n")[0].hint, "did you mean `constants`?");
  EXPECT_EQ(problems("[[rule]]\nmode=\"compat\"\nat-most={register=3}\n")[0].hint,
            "did you mean `registers`?");
  EXPECT_EQ(problems("[[rule]]\nregex=\"(\"\n")[0].code, "bad-regex");
  EXPECT_EQ(problems("[[rule]]\nchange={registers=\"lots\"}\n")[0].code, "bad-movement");
  EXPECT_EQ(problems("[[rule]]\nlevel=3\n")[0].code, "unknown-value");
  EXPECT_EQ(problems("[gate\n")[0].code, "toml-syntax");
  EXPECT_EQ(problems("[[rule]]\nrequire = 3\n")[0].code, "wrong-type");
  EXPECT_EQ(problems("rule = 3\n")[0].code, "wrong-type");
}

TEST(Rules, WaiversNeedAReasonAndADay) {
  EXPECT_EQ(problems("[[waive]]\nrule=\"*\"\nexpires=2030-01-01\n")[0].code, "missing-key");
  EXPECT_EQ(problems("[[waive]]\nrule=\"*\"\nreason=\"x\"\n")[0].code, "missing-key");
  EXPECT_EQ(problems("[[acknowledge]]\nkernel=\"k\"\nreason=\"x\"\n")[0].code, "missing-key");
  EXPECT_TRUE(problems("[[waive]]\nrule=\"*\"\nreason=\"x\"\nexpires=2030-01-01\n").empty());
}

TEST(Rules, AWaiverHoldsUntilItsDay) {
  std::string changed = with(kernel(kBody), "0f3F000000", "0f3F800000");
  std::string waiver =
      "[[waive]]\nrule = \"constants\"\nkernel = \"k\"\nreason = \"retuned\"\nexpires = "
      "2026-03-01\n";
  GateResult r = gate_text(kernel(kBody), changed, waiver, "2026-03-01");
  EXPECT_TRUE(r.pass) << rule_list(r);
  ASSERT_NE(find(r, "constants"), nullptr);
  EXPECT_TRUE(find(r, "constants")->waived);
  EXPECT_NE(find(r, "constants")->waiver.find("retuned"), std::string::npos);
  r = gate_text(kernel(kBody), changed, waiver, "2026-03-02");
  EXPECT_FALSE(r.pass);
  EXPECT_FALSE(find(r, "constants")->waived);
  EXPECT_NE(find(r, "waiver-expired"), nullptr);
  // Another kernel is not covered.
  EXPECT_FALSE(
      gate_text(kernel(kBody), changed, with(waiver, "\"k\"", "\"other*\""), "2026-01-01").pass);
}

TEST(Rules, AnAcknowledgementHoldsForOneProgram) {
  std::string changed = with(kernel(kBody), "0f3F000000", "0f3F800000");
  ptx::Module m = ptx::parse("x", changed);
  std::string hash = states_of(m)[0].hash.program;
  std::string ack = "[[acknowledge]]\nkernel = \"k\"\nprogram = \"" + hash.substr(0, 12) +
                    "\"\nreason = \"meant\"\n";
  GateResult r = gate_text(kernel(kBody), changed, ack);
  EXPECT_TRUE(r.pass) << rule_list(r);
  EXPECT_EQ(r.kernels[0].acknowledged, "meant");
  EXPECT_FALSE(gate_text(kernel(kBody), with(kernel(kBody), "0f3F000000", "0f3F800001"), ack).pass);
}

TEST(Rules, AbsoluteLimitsInEachMode) {
  std::string a = kernel(kBody);
  GateResult r = gate_text(a, a, "[limits]\n", "", fill(physical(64), physical(64)));
  EXPECT_TRUE(r.pass) << rule_list(r);
  r = gate_text(a, a, "[limits]\n", "", fill(physical(65), physical(65)));
  ASSERT_NE(find(r, "limit"), nullptr);
  EXPECT_EQ(find(r, "limit")->baseline, "64");
  EXPECT_EQ(find(r, "limit")->value, "65");
  // Without figures of ptxas the default mode cannot be checked, and that is said.
  r = gate_text(a, a, "[limits]\n");
  EXPECT_TRUE(r.pass);
  ASSERT_FALSE(r.notes.empty());
  EXPECT_NE(r.notes[0].find("not checked"), std::string::npos);
  // compat counts declarations: the helper declares 32 × 5 + 8 registers.
  r = gate_text(a, a, "[limits]\nmode = \"compat\"\n");
  ASSERT_NE(find(r, "limit"), nullptr);
  EXPECT_EQ(find(r, "limit")->value, "168");
  EXPECT_TRUE(gate_text(a, a, "[limits]\nmode = \"compat\"\nregisters = 168\n").pass);
}

TEST(Rules, RelativeLimitsHaveADirection) {
  std::string a = kernel(kBody);
  auto moved = [&](double to, const char* rule) {
    return gate_text(a, a,
                     std::string("[gate]\nratchet=\"off\"\n[[rule]]\nchange = { registers = \"") +
                         rule + "\" }\n",
                     "", fill(physical(100), physical(to)));
  };
  EXPECT_TRUE(moved(102, "+2").pass);
  EXPECT_FALSE(moved(103, "+2").pass);
  EXPECT_FALSE(moved(99, "+2").pass);
  EXPECT_TRUE(moved(95, "-5%").pass);
  EXPECT_FALSE(moved(94, "-5%").pass);
  EXPECT_FALSE(moved(101, "-5%").pass);
  EXPECT_TRUE(moved(110, "±10").pass);
  EXPECT_TRUE(moved(90, "±10").pass);
  EXPECT_FALSE(moved(89, "±10").pass);
}

TEST(Rules, RequiredForbiddenKeptAndNew) {
  std::string a = kernel(kBody);
  auto judged = [&](const std::string& b, const std::string& rule) {
    return gate_text(a, b, "[gate]\nratchet=\"off\"\n[[rule]]\nname=\"r\"\nkernel=\"k\"\n" + rule);
  };
  EXPECT_TRUE(judged(a, "require=[\"ld.global.nc*\"]").pass);
  EXPECT_NE(find(judged(a, "require=[\"setmaxnreg*\"]"), "required-instruction"), nullptr);
  EXPECT_NE(find(judged(a, "forbid=[\"mul.f32\"]"), "forbidden-instruction"), nullptr);
  EXPECT_TRUE(judged(a, "keep=[\"ld.global.nc*\"]\nforbid-new=[\"st.global*\"]").pass);
  GateResult r = judged(with(a, "ld.global.nc", "ld.global"), "keep=[\"ld.global.nc*\"]");
  EXPECT_NE(find(r, "required-instruction"), nullptr) << rule_list(r);
  r = judged(kernel(kBody + "\tst.global.f32 [%rd1+128], %f2;\n"), "forbid-new=[\"st.global*\"]");
  ASSERT_NE(find(r, "forbidden-instruction"), nullptr) << rule_list(r);
  EXPECT_GT(find(r, "forbidden-instruction")->line, 10u);
  EXPECT_TRUE(gate_text(a, a, "[[rule]]\nkernel=\"other\"\nforbid=[\"mul.f32\"]\n").pass);
  EXPECT_FALSE(gate_text(a, a, "[[rule]]\nregex=\"^k$\"\nforbid=[\"mul.f32\"]\n").pass);
  EXPECT_TRUE(gate_text(a, a, "[[rule]]\ntarget=\"sm_80\"\nforbid=[\"mul.f32\"]\n").pass);
  // A warning is reported and does not fail.
  r = gate_text(a, a, "[[rule]]\nlevel=\"warning\"\nforbid=[\"mul.f32\"]\n");
  EXPECT_TRUE(r.pass);
  EXPECT_EQ(r.findings.size(), 1u);
}

TEST(Rules, MangledNamesMatchAsPeopleWriteThem) {
  std::string a = kernel(kBody, "", "", "_ZN4math4gemmIfEEvPT_i");
  EXPECT_FALSE(
      gate_text(a, a, "[[rule]]\nkernel=\"*math::gemm<float>*\"\nforbid=[\"mul.f32\"]\n").pass);
  EXPECT_FALSE(gate_text(a, a, "[[rule]]\nkernel=\"_ZN4math4gemm*\"\nforbid=[\"mul.f32\"]\n").pass);
}

TEST(Rules, WidthOccupancyAndProducer) {
  std::string a = kernel(kBody, "", ".reqntid 256, 1, 1\n");
  GateResult r = gate_text(a, a, "[[rule]]\nvector-bytes = 16\n");
  ASSERT_NE(find(r, "vector-bytes"), nullptr);
  EXPECT_EQ(find(r, "vector-bytes")->value, "4");
  EXPECT_TRUE(gate_text(a, a, "[[rule]]\nvector-bytes = 4\n").pass);
  r = gate_text(a, a, "[[rule]]\nproducer = \"NVIDIA NVVM Compiler*\"\n");
  EXPECT_NE(find(r, "producer"), nullptr);
  std::string floor = "[[rule]]\noccupancy = { at-least = 0.5 }\n";
  EXPECT_TRUE(gate_text(a, a, floor, "", fill(physical(64), physical(64))).pass);
  r = gate_text(a, a, floor, "", fill(physical(128), physical(128)));
  ASSERT_NE(find(r, "occupancy"), nullptr) << rule_list(r);
  EXPECT_EQ(find(r, "occupancy")->value, "25 %");
  r = gate_text(a, a, with(floor, "0.5", "0.5, dynamic-shared = 200000"), "",
                fill(physical(32), physical(32)));
  EXPECT_NE(find(r, "occupancy"), nullptr) << rule_list(r);
}

TEST(Rules, BuiltInRulesCanBeTurnedOff) {
  std::string b = with(kernel(kBody), "ld.global.nc", "ld.global");
  EXPECT_NE(find(gate_text(kernel(kBody), b), "nc-load-lost"), nullptr);
  EXPECT_EQ(
      find(gate_text(kernel(kBody), b, "[gate]\ndisable=[\"nc-load-lost\"]\n"), "nc-load-lost"),
      nullptr);
  EXPECT_TRUE(gate_text(kernel(kBody), with(kernel(kBody), "0f3F000000", "0f3F800000"),
                        "[gate]\nallow=[\"identical\",\"renamed\",\"reordered\",\"constants\"]\n")
                  .pass);
}

}  // namespace
}  // namespace pitot::gate::rules_test
