// check on the nine pairs of kernels: wrong ones are told apart without a spec, right ones for
// other targets are the same.
#include "check/check.h"

#include <gtest/gtest.h>

#include "check/compare.h"
#include "ptx/parser.h"

namespace pitot::check {
namespace {

struct Loaded {
  std::shared_ptr<const ptx::Module> module;
  emulator::Program program;
  uint32_t kernel = 0;
};

Loaded load_text(std::string name, std::string text) {
  Loaded l;
  l.module = std::make_shared<ptx::Module>(ptx::parse(std::move(name), std::move(text)));
  auto p = emulator::load(l.module);
  EXPECT_TRUE(p.ok());
  if (!p) return l;
  l.program = std::move(*p);
  auto k = l.program.find_kernel("");
  EXPECT_TRUE(k.ok());
  if (k) l.kernel = *k;
  return l;
}

Loaded load_file(const std::string& path) {
  auto m = ptx::parse_file(std::string(PITOT_SOURCE_DIR) + "/kernels/" + path);
  EXPECT_TRUE(m.ok()) << path;
  return m ? load_text(path, std::string(m->text())) : Loaded{};
}

CheckResult check_loaded(const Loaded& a, const Loaded& b) {
  auto r = check_kernels({a.module, &a.program, a.kernel}, {b.module, &b.program, b.kernel}, {});
  EXPECT_TRUE(r.ok());
  return r ? *r : CheckResult{};
}

class Pairs : public testing::TestWithParam<const char*> {};

TEST_P(Pairs, TheWrongKernelIsToldFromTheRightOne) {
  const std::string n = GetParam(), base = "pairs/" + n + "/" + n;
  const auto r =
      check_loaded(load_file(base + "_right.sm80.ptx"), load_file(base + "_wrong.sm80.ptx"));
  EXPECT_EQ(r.verdict, Verdict::kDifferent) << n;
  ASSERT_EQ(r.counterexamples.size(), 1u) << n;
  EXPECT_GT(r.counterexamples[0].differing, 0u);
}

TEST_P(Pairs, TheRightKernelForAnotherTargetIsTheSame) {
  const std::string n = GetParam(), base = "pairs/" + n + "/" + n;
  for (const char* target : {"sm75", "sm90a", "sm100a"}) {
    const auto r = check_loaded(load_file(base + "_right.sm80.ptx"),
                                load_file(base + "_right." + target + ".ptx"));
    EXPECT_EQ(r.verdict, Verdict::kSame)
        << n << " " << target << " "
        << (r.counterexamples.empty()
                ? ""
                : r.counterexamples[0].size + ": " + r.counterexamples[0].first.a + " against " +
                      r.counterexamples[0].first.b)
        << (r.faults.empty() ? "" : r.faults[0].message);
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
  EXPECT_EQ(r.unreached_a, std::vector<uint32_t>{5});
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
}  // namespace pitot::check
