// check on the nine pairs of kernels: wrong ones are told apart without a spec, right ones for
// other targets are the same.
#include "check/compare.h"
#include "check_test_util.h"

namespace pitot::check::test {
namespace {

class Pairs : public testing::TestWithParam<const char*> {};

TEST_P(Pairs, TheWrongKernelIsToldFromTheRightOne) {
  const std::string n = GetParam(), base = "pairs/" + n + "/" + n;
  const auto r =
      check_loaded(load_file(base + "_right.sm80.ptx"), load_file(base + "_wrong.sm80.ptx"));
  EXPECT_EQ(r.verdict, Verdict::kDifferent) << n;
  ASSERT_EQ(r.counterexamples.size(), 1u) << n;
  EXPECT_GT(r.counterexamples[0].differing, 0u);
  EXPECT_EQ(r.counterexamples[0].size.substr(0, 6), "grid 1");
  EXPECT_NE(r.counterexamples[0].spec, "") << r.counterexamples[0].no_spec;
}

TEST_P(Pairs, TheRightKernelForAnotherTargetIsTheSame) {
  const std::string n = GetParam(), base = "pairs/" + n + "/" + n;
  for (const char* target : {"sm75", "sm90a", "sm100a"}) {
    const auto r = check_loaded(load_file(base + "_right.sm80.ptx"),
                                load_file(base + "_right." + target + ".ptx"));
    EXPECT_EQ(r.verdict, Verdict::kSame) << n << " " << target << "\n" << explain(r);
  }
}

INSTANTIATE_TEST_SUITE_P(Nine, Pairs,
                         testing::Values("gelu", "silu", "leaky_relu", "softmax", "rmsnorm",
                                         "l2norm", "matmul", "attention", "flash_attention"));

TEST(Check, IdenticalAndRenamedAnswerWithoutRunning) {
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p) { .reg .b64 %a<3>; "
      "ld.param.u64 %a1, [p]; st.global.u64 [%a1], %a1; ret; }\n";
  std::string renamed = text;
  for (size_t at; (at = renamed.find("%a")) != renamed.npos;) renamed.replace(at, 2, "%zz");
  const Loaded a = load_text("a.ptx", text), b = load_text("b.ptx", renamed);
  EXPECT_EQ(check_loaded(a, a).evidence, Evidence::kIdentical);
  const auto r = check_loaded(a, b);
  EXPECT_EQ(r.verdict, Verdict::kSame);
  EXPECT_EQ(r.evidence, Evidence::kRenamed);
  EXPECT_EQ(r.trials, 0u);
}

TEST(Check, AFaultOfTheSecondKernelIsAFault) {
  const std::string head =
      ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p) { .reg .b64 %a<3>; "
      ".reg "
      ".b32 %r<3>; ld.param.u64 %a1, [p]; mov.u32 %r1, 7;";
  const auto r = check_loaded(load_text("a.ptx", head + "st.global.u32 [%a1+4], %r1; ret; }\n"),
                              load_text("b.ptx", head + "\nst.global.u32 [%a1+2], %r1; ret; }\n"));
  EXPECT_EQ(r.verdict, Verdict::kFault);
  ASSERT_EQ(r.faults.size(), 1u);
  EXPECT_EQ(r.faults[0].side, 'b');
  EXPECT_EQ(r.faults[0].kind, "misaligned");
  EXPECT_EQ(r.faults[0].line, 5u);
}

TEST(Check, CodeThatNeverRanLeavesItUndecided) {
  const std::string head =
      ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p, .param .u32 n) { "
      ".reg "
      ".pred %q; .reg .b64 %a<3>; .reg .b32 %r<3>; ld.param.u64 %a1, [p]; ld.param.u32 %r1, [n]; "
      "setp.ne.u32 %q, %r1, 123456; @%q bra E;\nst.global.u32 [%a1], ";
  const auto r = check_loaded(load_text("a.ptx", head + "1; E: ret; }\n"),
                              load_text("b.ptx", head + "2; E: ret; }\n"));
  EXPECT_EQ(r.verdict, Verdict::kUndecided);
  EXPECT_EQ(r.coverage_a.unreached, std::vector<uint32_t>{5});
  EXPECT_EQ(r.coverage_a.one_sided, std::vector<uint32_t>{4});
  ASSERT_EQ(r.reasons.size(), 4u);
  EXPECT_EQ(r.reasons[0], "in a the code that begins at line 5 never ran");
  EXPECT_EQ(r.reasons[1], "in a the branch of line 4 always went the same way");
}

// What the host reads with cudaMemcpyFromSymbol is a result too.
TEST(Check, VariablesOfTheModuleAreCompared) {
  auto text = [](const std::string& variable, const std::string& body) {
    return ".version 8.0\n.target sm_80\n.address_size 64\n" + variable +
           "\n.entry k() {\n.reg .b32 %r<4>;\n.reg .f32 %f<4>;\n" + body + "ret;\n}\n";
  };
  const std::string words = ".global .align 4 .b8 g[8];";
  const std::string five = "mov.u32 %r1, 5;\nst.global.u32 [g+4], %r1;\n";
  const std::string six = "mov.u32 %r1, 6;\nst.global.u32 [g+4], %r1;\n";
  const auto same = check_loaded(load_text("a.ptx", text(words, five)),
                                 load_text("b.ptx", text(words, "mov.u32 %r2, 1;\n" + five)));
  EXPECT_EQ(same.verdict, Verdict::kSame) << explain(same);
  const auto r =
      check_loaded(load_text("a.ptx", text(words, five)), load_text("b.ptx", text(words, six)));
  EXPECT_EQ(r.verdict, Verdict::kDifferent) << explain(r);
  ASSERT_EQ(r.counterexamples.size(), 1u);
  EXPECT_EQ(r.counterexamples[0].first.buffer, "g");
  EXPECT_EQ(r.counterexamples[0].first.index, 1u);
  EXPECT_EQ(r.counterexamples[0].first.a, "0x5");
  EXPECT_FALSE(r.counterexamples[0].no_spec.empty());
  // A sum in another order: a float in an array of bytes.
  const std::string head =
      "mov.f32 %f1, 0f3DCCCCCD;\nmov.f32 %f2, 0f3E4CCCCD;\nmov.f32 %f3, 0f3E99999A;\n";
  const auto sum = check_loaded(
      load_text("a.ptx", text(words, head + "add.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, %f3;\n"
                                            "st.global.f32 [g], %f1;\n")),
      load_text("b.ptx", text(words, head + "add.f32 %f2, %f2, %f3;\nadd.f32 %f1, %f1, %f2;\n"
                                            "st.global.f32 [g], %f1;\n")));
  EXPECT_EQ(sum.verdict, Verdict::kSame) << explain(sum);
  const auto other =
      check_loaded(load_text("a.ptx", text(words, five)), load_text("b.ptx", text("", "")));
  ASSERT_EQ(other.notes.size(), 1u) << explain(other);
  EXPECT_EQ(other.notes[0], "a writes the module's variable 'g', which b lacks: not compared");
}

// The same with a spec, in which nothing names them.
TEST(Check, VariablesOfTheModuleAreComparedWithASpec) {
  auto text = [](const std::string& variable, const std::string& body) {
    return ".version 8.0\n.target sm_80\n.address_size 64\n" + variable +
           "\n.entry k() {\n.reg .b32 %r<4>;\n.reg .f32 %f<4>;\n" + body + "ret;\n}\n";
  };
  const std::string words = ".global .align 4 .b8 g[8];";
  const std::string five = "mov.u32 %r1, 5;\nst.global.u32 [g+4], %r1;\n";
  const std::string sum =
      "mov.f32 %f1, 0f3DCCCCCD;\nmov.f32 %f2, 0f3E4CCCCD;\nmov.f32 %f3, 0f3E99999A;\n";
  auto judge = [&](const std::string& a, const std::string& b, const std::string& tolerance) {
    Diagnostics found;
    const device::KernelSpec spec =
        device::read_spec(SourceText("k.kernel.toml",
                                     "schema = \"pitot.kernel/1\"\nptx = \"a.ptx\"\n[launch]\n"
                                     "block = 1\n[[sizes]]\nkind = \"full\"\n" +
                                         tolerance),
                          found);
    EXPECT_EQ(found.errors(), 0u);
    Options options;
    options.spec = &spec;
    return check_loaded(load_text("a.ptx", a), load_text("b.ptx", b), options);
  };
  const auto r =
      judge(text(words, five), text(words, "mov.u32 %r1, 6;\nst.global.u32 [g+4], %r1;\n"), "");
  EXPECT_EQ(r.verdict, Verdict::kDifferent) << explain(r);
  ASSERT_EQ(r.counterexamples.size(), 1u);
  EXPECT_EQ(r.counterexamples[0].first.buffer, "g");
  EXPECT_EQ(r.counterexamples[0].first.index, 1u);
  EXPECT_EQ(r.counterexamples[0].first.b, "0x6");
  // Written by one side only, where the other has it too.
  EXPECT_EQ(judge(text(words, five), text(words, ""), "").verdict, Verdict::kDifferent);
  EXPECT_EQ(judge(text(words, ""), text(words, five), "").verdict, Verdict::kDifferent);
  EXPECT_EQ(judge(text(words, five), text(words, "mov.u32 %r2, 1;\n" + five), "").verdict,
            Verdict::kSame);
  const std::string one = sum + "add.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, %f3;\n";
  const std::string two = sum + "add.f32 %f2, %f2, %f3;\nadd.f32 %f1, %f1, %f2;\n";
  for (const char* tolerance : {"", "[tolerance]\nrtol = 1e-3\natol = 0\n"}) {
    const auto same = judge(text(words, one + "st.global.f32 [g], %f1;\n"),
                            text(words, two + "st.global.f32 [g], %f1;\n"), tolerance);
    EXPECT_EQ(same.verdict, Verdict::kSame) << tolerance << explain(same);
  }
  const auto lonely = judge(text(words, five), text("", ""), "");
  ASSERT_EQ(lonely.notes.size(), 1u) << explain(lonely);
  EXPECT_EQ(lonely.notes[0], "a writes the module's variable 'g', which b lacks: not compared");
}

TEST(Compare, ByType) {
  using ptx::Type;
  const Tolerance t = default_tolerance(Type::kF32);
  EXPECT_EQ(compare(0x3f800000, 0x3f800000, Type::kF32, t), Likeness::kSameBits);
  EXPECT_EQ(compare(0x3f800000, 0x3f800001, Type::kF32, t), Likeness::kClose);
  EXPECT_EQ(compare(0x3f800000, 0x3f810000, Type::kF32, t), Likeness::kDifferent);
  EXPECT_EQ(compare(0x7fffffff, 0xffc00000, Type::kF32, t), Likeness::kClose);
  EXPECT_EQ(compare(0x7fffffff, 0x3f800000, Type::kF32, t), Likeness::kDifferent);
  EXPECT_EQ(compare(0x7f800000, 0xff800000, Type::kF32, t), Likeness::kDifferent);
  EXPECT_EQ(compare(5, 6, Type::kS32, default_tolerance(Type::kS32)), Likeness::kDifferent);
  EXPECT_EQ(ulp_distance(0x00000001, 0x80000001, Type::kF32), 2);
  EXPECT_EQ(element_text(0xffffffff, Type::kS32), "-1");
}

}  // namespace
}  // namespace pitot::check::test
