// Baselines: stable text, round trip, and the class that hashes allow to state.
#include "gate_helpers.h"

namespace pitot::gate {
namespace {

using test::find;
using test::kernel;
using test::rule_list;
using test::with;

const std::string kBody =
    "\tld.param.u64 %rd1, [p];\n\tld.global.f32 %f1, [%rd1];\n\tmul.f32 %f2, %f1, 0f3F000000;\n"
    "\tadd.f32 %f3, %f1, 0f40000000;\n\tadd.f32 %f4, %f2, %f3;\n\tst.global.f32 [%rd1+64], %f4;\n";

std::vector<KernelState> states(const std::string& text) {
  return states_of(ptx::parse("k.ptx", text));
}

GateResult against(const std::string& before, const std::string& after) {
  std::string text = write_baseline(states(before));
  Diagnostics problems;
  auto baseline = read_baseline(SourceText("pitot.baseline.toml", text), problems);
  EXPECT_EQ(problems.items().size(), 0u)
      << (problems.items().empty() ? "" : problems.items()[0].message);
  return judge(compare_with_baseline(baseline, states(after)), RuleSet{}, {});
}

TEST(Baseline, RoundTripKeepsEveryFieldAndEveryByte) {
  auto before = states(kernel(kBody, "", ".maxntid 128, 1, 1\n"));
  before[0].ptxas["sm_90a"] = test::physical(40, 8, 4);
  before[0].ptxas["sm_90a"].advisories = {"C7510: a \"quoted\" one"};
  before[0].name = before[0].demangled = "odd \"name\" \\ \x01";
  std::string text = write_baseline(before);
  Diagnostics problems;
  auto after = read_baseline(SourceText("b.toml", text), problems);
  EXPECT_EQ(problems.items().size(), 0u);
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0].name, before[0].name);
  EXPECT_EQ(after[0].hash.flow, before[0].hash.flow);
  EXPECT_EQ(after[0].opcodes, before[0].opcodes);
  EXPECT_EQ(after[0].threads, 128u);
  EXPECT_EQ(after[0].ptxas["sm_90a"].counts.get("registers"), 40);
  EXPECT_EQ(after[0].ptxas["sm_90a"].advisories, before[0].ptxas["sm_90a"].advisories);
  EXPECT_EQ(write_baseline(after), text);
}

TEST(Baseline, KernelsAreSorted) {
  auto list = states(kernel(kBody, "", "", "zeta") + ".visible .entry alpha()\n{\n\tret;\n}\n");
  std::string text = write_baseline(list);
  EXPECT_LT(text.find("\"alpha\""), text.find("\"zeta\""));
  std::reverse(list.begin(), list.end());
  EXPECT_EQ(write_baseline(list), text);
}

TEST(Baseline, ClassesByHash) {
  std::string a = kernel(kBody);
  auto cls = [&](const std::string& b) { return against(a, b).kernels[0].cls; };
  EXPECT_EQ(cls(a), "identical");
  EXPECT_EQ(cls("// x\n" + with(a, "%f3, %f1, 0f40000000", "%f3,  %f1, 0f40000000")), "renamed");
  EXPECT_EQ(cls(with(with(a, "mul.f32 %f2", "mul.f32 %f9"), "%f4, %f2", "%f4, %f9")), "renamed");
  EXPECT_EQ(cls(with(a, "\tmul.f32 %f2, %f1, 0f3F000000;\n\tadd.f32 %f3, %f1, 0f40000000;\n",
                     "\tadd.f32 %f3, %f1, 0f40000000;\n\tmul.f32 %f2, %f1, 0f3F000000;\n")),
            "reordered");
  EXPECT_EQ(cls(with(a, "0f3F000000", "0f3F800000")), "constants");
  EXPECT_EQ(cls(with(a, "mul.f32", "mul.rn.f32")), "modifiers");
  EXPECT_EQ(cls(with(a, "add.f32 %f4", "sub.f32 %f4")), "structural");
  EXPECT_EQ(cls(kernel(kBody, "", ".maxntid 64\n")), "modifiers");
}

TEST(Baseline, IllegalReorderingIsNotReordered) {
  std::string a = kernel(
      "\tst.global.u32 [%rd1], %r1;\n\tld.global.u32 %r2, [%rd2];\n\tst.global.u32 [%rd3], %r2;\n");
  std::string b = kernel(
      "\tld.global.u32 %r2, [%rd2];\n\tst.global.u32 [%rd1], %r1;\n\tst.global.u32 [%rd3], %r2;\n");
  EXPECT_EQ(against(a, b).kernels[0].cls, "structural");
  a = kernel("\tbar.sync 0;\n\tld.shared.u32 %r2, [%r1];\n\tst.global.u32 [%rd3], %r2;\n");
  b = kernel("\tld.shared.u32 %r2, [%r1];\n\tbar.sync 0;\n\tst.global.u32 [%rd3], %r2;\n");
  EXPECT_EQ(against(a, b).kernels[0].cls, "structural");
}

TEST(Baseline, VariablesAndCalleesArePartOfTheProgram) {
  std::string table = kernel("\tld.const.u32 %r1, [t];\n\tst.global.u32 [%rd1], %r1;\n",
                             ".const .align 4 .u32 t[2] = {1, 2};\n");
  EXPECT_EQ(against(table, with(table, "{1, 2}", "{1, 3}")).kernels[0].cls, "constants");
  std::string func = ".func (.reg .b32 %o) f(.reg .b32 %i)\n{\n\tadd.s32 %o, %i, %i;\n\tret;\n}\n";
  std::string call = kernel("\tcall (%r1), f, (%r2);\n\tst.global.u32 [%rd1], %r1;\n", func);
  EXPECT_EQ(against(call, with(call, "add.s32", "sub.s32")).kernels[0].cls, "structural");
}

TEST(Baseline, RenamedKernelsAreFoundByStructure) {
  GateResult r = against(kernel(kBody, "", "", "first"), kernel(kBody, "", "", "second"));
  EXPECT_TRUE(r.pass) << rule_list(r);
  ASSERT_EQ(r.kernels.size(), 1u);
  EXPECT_EQ(r.kernels[0].cls, "renamed");
  EXPECT_EQ(r.kernels[0].before_name, "first");
}

TEST(Baseline, NewAndRemovedKernels) {
  std::string two = kernel(kBody) + ".visible .entry extra()\n{\n\tret;\n}\n";
  EXPECT_NE(find(against(kernel(kBody), two), "kernel-added"), nullptr);
  EXPECT_NE(find(against(two, kernel(kBody)), "kernel-removed"), nullptr);
}

TEST(Baseline, RegressionsAreNamedWithoutTheOldProgram) {
  std::string dir = "kernels/regressions/atomic_add_to_cas/";
  GateResult r = against(test::file(dir + "before.sm80.ptx"), test::file(dir + "after.sm80.ptx"));
  EXPECT_NE(find(r, "atomic-to-cas-loop"), nullptr) << rule_list(r);
  const Finding* f = find(r, "structural");
  ASSERT_NE(f, nullptr);
  ASSERT_FALSE(f->details.empty());
  EXPECT_NE(f->details[0].find("atom"), std::string::npos);
}

TEST(Baseline, DamagedFilesAreReportedNotTrusted) {
  auto problems = [](const std::string& text) {
    Diagnostics out;
    auto list = read_baseline(SourceText("b.toml", text), out);
    return std::pair(list.size(), out.items().size());
  };
  EXPECT_EQ(problems(""), (std::pair<size_t, size_t>(0, 0)));
  EXPECT_EQ(problems("schema = 1\n[[kernel]]\nname=\"k\"\n").first, 0u);
  EXPECT_GT(problems("schema = 1\n[[kernel]]\nname=\"k\"\n").second, 0u);
  EXPECT_GT(problems("schema = 99\n").second, 0u);
  EXPECT_GT(problems("schema = 1\nkernel = 3\n").second, 0u);
  EXPECT_GT(problems("not toml").second, 0u);
}

}  // namespace
}  // namespace pitot::gate
