// Sums in another order are the same; sums of something else are not, however little it is.
#include "check/compare.h"
#include "check_test_util.h"
#include "device/values.h"

namespace pitot::check::test::reassociation_test {
namespace {

// %f0 = the sum of x[thread · n …] from first to last, n = 0 included.
std::string loop(const std::string& body, const std::string& before, const std::string& after) {
  return kernel_of(
      "mov.u32 %r3, 0;\n" + before +
      "setp.ge.u32 %p0, %r3, %r0;\n@%p0 bra DONE;\nLOOP:\nld.global.f32 %f1, [%rd3];\n" + body +
      "add.u64 %rd3, %rd3, 4;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r0;\n"
      "@%p1 bra LOOP;\nDONE:\n" +
      after);
}

const std::string kPlain = loop("add.f32 %f0, %f0, %f1;\n", "mov.f32 %f0, 0f00000000;\n", "");
// Even and odd elements apart.
const std::string kTwoSums = loop(
    "and.b32 %r4, %r3, 1;\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 add.f32 %f0, %f0, %f1;\n"
    "@!%p2 add.f32 %f2, %f2, %f1;\n",
    "mov.f32 %f0, 0f00000000;\nmov.f32 %f2, 0f00000000;\n", "add.f32 %f0, %f0, %f2;\n");
// Compensated (Kahan, 1965).
const std::string kKahan = loop(
    "sub.f32 %f3, %f1, %f2;\nadd.f32 %f4, %f0, %f3;\nsub.f32 %f5, %f4, %f0;\n"
    "sub.f32 %f2, %f5, %f3;\nmov.f32 %f0, %f4;\n",
    "mov.f32 %f0, 0f00000000;\nmov.f32 %f2, 0f00000000;\n", "");

CheckResult check_texts(const std::string& a, const std::string& b) {
  return check_loaded(load_text("a.ptx", a), load_text("b.ptx", b));
}

// On ordinary values: compensated sums and the usual exponential make NaN of infinities.
CheckResult check_ordinary(const std::string& a, const std::string& b) {
  Diagnostics problems;
  const device::KernelSpec spec = device::read_spec(
      SourceText("s.toml",
                 "ptx = \"a.ptx\"\n[launch]\nblock = 32\n[[sizes]]\nkind = \"full\"\nn = 300\n"
                 "[[args]]\nname = \"out\"\nkind = \"buffer\"\ntype = \"f32\"\ncount = 32\n"
                 "init = \"poison\"\nrole = \"out\"\n"
                 "[[args]]\nname = \"x\"\nkind = \"buffer\"\ntype = \"f32\"\ncount = \"32 * n\"\n"
                 "[[args]]\nname = \"n\"\nkind = \"scalar\"\ntype = \"u32\"\nvalue = \"n\"\n"),
      problems);
  EXPECT_EQ(problems.errors(), 0u);
  Options o;
  o.spec = &spec;
  return check_loaded(load_text("a.ptx", a), load_text("b.ptx", b), o);
}

bool has_note(const CheckResult& r, const std::string& word) {
  for (const auto& n : r.notes)
    if (n.find(word) != n.npos) return true;
  return false;
}

void expect_reassociated(const CheckResult& r) {
  EXPECT_EQ(r.verdict, Verdict::kSame) << explain(r);
  EXPECT_FALSE(r.bits_equal);
  EXPECT_TRUE(r.reassociated);
  EXPECT_TRUE(has_note(r, "reassociated")) << explain(r);
}

TEST(Reassociation, ASumInAnotherOrderIsTheSameAndSaysSo) {
  expect_reassociated(check_texts(kPlain, kTwoSums));
  expect_reassociated(check_texts(kTwoSums, kPlain));
}

// Whichever of the two is the more exact one. The loop leaves before its first element for n = 0
// only, which a spec's sizes do not have.
TEST(Reassociation, SoIsACompensatedSum) {
  for (const auto& [a, b] : {std::pair(kPlain, kKahan), std::pair(kKahan, kPlain)}) {
    const CheckResult r = check_ordinary(a, b);
    EXPECT_EQ(r.verdict, Verdict::kUndecided) << explain(r);
    EXPECT_EQ(r.counterexamples.size(), 0u) << explain(r);
    EXPECT_TRUE(r.reassociated);
  }
  EXPECT_EQ(check_texts(kPlain, kKahan).verdict, Verdict::kDifferent);  // infinities
}

TEST(Reassociation, ATermThatIsMissingIsADifferenceHoweverSmall) {
  // 10⁻⁴, 10⁻⁵ and 3·10⁻⁶ of x[0], which a tolerance would let pass.
  for (const char* factor : {"0f38D1B717", "0f3727C5AC", "0f36495FF8"}) {
    const std::string more =
        std::string("ld.global.f32 %f6, [%rd3];\nfma.rn.f32 %f0, %f6, ") + factor + ", %f0;\n";
    const std::string a = loop("add.f32 %f0, %f0, %f1;\n", "mov.f32 %f0, 0f00000000;\n", more);
    const CheckResult r = check_texts(a, kPlain);
    EXPECT_EQ(r.verdict, Verdict::kDifferent) << factor << "\n" << explain(r);
    ASSERT_EQ(r.counterexamples.size(), 1u);
    EXPECT_NE(r.counterexamples[0].first.exact, "");
  }
}

TEST(Reassociation, TheLastElementLeftOutIsADifference) {
  const std::string b =
      loop("add.u32 %r5, %r3, 1;\nsetp.eq.u32 %p2, %r5, %r0;\n@!%p2 add.f32 %f0, %f0, %f1;\n",
           "mov.f32 %f0, 0f00000000;\n", "");
  const CheckResult r = check_texts(kPlain, b);
  EXPECT_EQ(r.verdict, Verdict::kDifferent) << explain(r);
  ASSERT_EQ(r.counterexamples.size(), 1u);
  const Counterexample& c = r.counterexamples[0];
  // Shrunk to one element, which one input feeds.
  EXPECT_EQ(c.size, "grid 1, n = 1");
  ASSERT_EQ(c.feeds.size(), 1u) << c.fed_by;
  EXPECT_EQ(c.feeds[0].buffer, "x");
  EXPECT_EQ(c.feeds[0].index, static_cast<int64_t>(c.first.index));
}

// Exponentials by the usual trick, 2^i from the bits of a sum: what is rounded away to get the
// integer is no error.
TEST(Reassociation, FollowsValuesThroughRoundingTricksAndBits) {
  const std::string head = "ld.global.f32 %f1, [%rd3];\nmul.f32 %f2, %f1, 0f3FB8AA3B;\n";
  const std::string trick = head +
                            "add.f32 %f3, %f2, 0f4B400000;\nadd.f32 %f4, %f3, 0fCB400000;\n"
                            "sub.f32 %f5, %f2, %f4;\nex2.approx.f32 %f6, %f5;\n"
                            "mov.b32 %r5, %f3;\nshl.b32 %r5, %r5, 23;\nadd.u32 %r5, %r5, "
                            "0x3f800000;\nmov.b32 %f7, %r5;\nmul.f32 %f0, %f6, %f7;\n";
  const std::string direct = head + "ex2.approx.f32 %f0, %f2;\n";
  const std::string wrong = head + "ex2.approx.f32 %f0, %f2;\nmul.f32 %f0, %f0, 0f3F8000A8;\n";
  CheckResult r = check_ordinary(kernel_of(trick), kernel_of(direct));
  EXPECT_EQ(r.verdict, Verdict::kSame) << explain(r);
  r = check_ordinary(kernel_of(direct), kernel_of(trick));
  EXPECT_EQ(r.verdict, Verdict::kSame) << explain(r);
  r = check_ordinary(kernel_of(trick), kernel_of(wrong));  // 2·10⁻⁵ too large
  EXPECT_EQ(r.verdict, Verdict::kDifferent) << explain(r);
}

TEST(Reassociation, ThroughSharedMemoryAndShuffles) {
  const std::string load = "ld.global.f32 %f0, [%rd3];\n";
  std::string butterfly = load, by_shared;
  for (int d = 16; d != 0; d /= 2)
    butterfly +=
        "shfl.sync.bfly.b32 %f1, %f0, " + std::to_string(d) + ", 31, -1;\nadd.f32 %f0, %f0, %f1;\n";
  by_shared = load +
              "mov.u32 %r4, tile;\nmad.lo.u32 %r5, %r1, 4, %r4;\nst.shared.f32 [%r5], %f0;\n"
              "bar.sync 0;\nmov.f32 %f0, 0f00000000;\n";
  for (int i = 0; i < 32; ++i)
    by_shared +=
        "ld.shared.f32 %f1, [tile+" + std::to_string(4 * i) + "];\nadd.f32 %f0, %f0, %f1;\n";
  for (const auto& [a, b] : {std::pair(butterfly, by_shared), std::pair(by_shared, butterfly)}) {
    const CheckResult r = check_texts(kernel_of(a), kernel_of(b));
    EXPECT_EQ(r.verdict, Verdict::kSame) << explain(r);
    EXPECT_TRUE(r.reassociated);
  }
  const std::string less = butterfly + "mul.f32 %f0, %f0, 0f3F800080;\n";  // 1.5·10⁻⁵
  const CheckResult r = check_texts(kernel_of(by_shared), kernel_of(less));
  EXPECT_EQ(r.verdict, Verdict::kDifferent) << explain(r);
}

TEST(Compare, AgainstAnExactValue) {
  using emulator::ShadowValue;
  const Tolerance loose{1e-4, 1e-5};
  bool trusted = false;
  auto f32 = [](double v) { return device::encode(v, ptx::Type::kF32); };
  const ShadowValue exact{1.0, 1.0, 0, 1e-14};  // ± 1e-7
  EXPECT_EQ(compare(f32(1), f32(1 + 5e-7), ptx::Type::kF32, exact, loose, trusted),
            Likeness::kClose);
  EXPECT_TRUE(trusted);
  EXPECT_EQ(compare(f32(1), f32(1 + 3e-6), ptx::Type::kF32, exact, loose, trusted),
            Likeness::kDifferent);
  // The first result itself is further off than it can be: the estimate is of no use.
  EXPECT_EQ(compare(f32(1.01), f32(1.01001), ptx::Type::kF32, exact, loose, trusted),
            Likeness::kClose);
  EXPECT_FALSE(trusted);
  // One order overflows, the other does not.
  const ShadowValue huge{1e38, 1e39, 0, 0};
  EXPECT_EQ(compare(f32(INFINITY), f32(1e38), ptx::Type::kF32, huge, loose, trusted),
            Likeness::kClose);
  EXPECT_EQ(compare(f32(INFINITY), f32(1), ptx::Type::kF32, exact, loose, trusted),
            Likeness::kDifferent);
}

}  // namespace
}  // namespace pitot::check::test::reassociation_test
