// Counterexamples: the same for every number of workers, and made again by the spec that is saved.
#include "check/by_spec.h"
#include "check_test_util.h"
#include "device/emulated.h"

namespace pitot::check::test {
namespace {

struct Pair {
  Loaded right, wrong;
};

Pair pair_of(const std::string& n) {
  return {load_file("pairs/" + n + "/" + n + "_right.sm80.ptx"),
          load_file("pairs/" + n + "/" + n + "_wrong.sm80.ptx")};
}

device::KernelSpec spec_of(const std::string& text) {
  Diagnostics problems;
  device::KernelSpec spec =
      device::read_spec(SourceText("saved.kernel.toml", "ptx = \"x.ptx\"\n" + text), problems);
  for (const auto& d : problems.items()) ADD_FAILURE() << d.message << "\n" << text;
  return spec;
}

class Saved : public testing::TestWithParam<const char*> {};

TEST_P(Saved, TheSpecMakesTheDifferenceAgain) {
  const Pair p = pair_of(GetParam());
  const CheckResult found = check_loaded(p.right, p.wrong);
  ASSERT_EQ(found.verdict, Verdict::kDifferent);
  ASSERT_EQ(found.counterexamples.size(), 1u);
  ASSERT_NE(found.counterexamples[0].spec, "") << found.counterexamples[0].no_spec;
  const device::KernelSpec spec = spec_of(found.counterexamples[0].spec);
  EXPECT_FALSE(spec.has_tolerance);
  Options o;
  o.spec = &spec;
  const CheckResult again = check_loaded(p.right, p.wrong, o);
  EXPECT_EQ(again.verdict, Verdict::kDifferent) << explain(again);
  ASSERT_EQ(again.counterexamples.size(), 1u);
  const Difference &x = found.counterexamples[0].first, &y = again.counterexamples[0].first;
  EXPECT_EQ(x.buffer, y.buffer);
  EXPECT_EQ(x.a, y.a);
  EXPECT_EQ(x.b, y.b);
  // And `run` can run it.
  auto run = device::run_emulated(p.wrong.program, p.wrong.kernel, spec, spec.sizes[0], {});
  ASSERT_TRUE(run.ok());
  EXPECT_TRUE(run->ok());
}

TEST_P(Saved, TheAnswerDoesNotDependOnWorkers) {
  const Pair p = pair_of(GetParam());
  Options one, four;
  four.workers = 4;
  const CheckResult x = check_loaded(p.right, p.wrong, one),
                    y = check_loaded(p.right, p.wrong, four);
  EXPECT_EQ(explain(x), explain(y));
  ASSERT_EQ(x.counterexamples.size(), 1u);
  ASSERT_EQ(y.counterexamples.size(), 1u);
  EXPECT_EQ(x.counterexamples[0].spec, y.counterexamples[0].spec);
  EXPECT_EQ(x.counterexamples[0].args, y.counterexamples[0].args);
  EXPECT_EQ(x.counterexamples[0].fed_by, y.counterexamples[0].fed_by);
  EXPECT_EQ(x.trials, y.trials);
}

INSTANTIATE_TEST_SUITE_P(Pairs, Saved,
                         testing::Values("leaky_relu", "softmax", "rmsnorm", "attention"));

TEST(Counterexample, AnotherSeedFindsItToo) {
  const Pair p = pair_of("silu");
  for (uint64_t seed : {2, 3, 4}) {
    Options o;
    o.seed = seed;
    EXPECT_EQ(check_loaded(p.right, p.wrong, o).verdict, Verdict::kDifferent) << seed;
  }
}

// Reads before the pointer too: the saved buffer begins before where the pointer points.
TEST(Counterexample, ABufferMayBeginBeforeItsPointer) {
  const std::string a = kernel_of("ld.global.f32 %f1, [%rd1-8];\nmov.f32 %f0, %f1;\n");
  const std::string b = kernel_of("ld.global.f32 %f1, [%rd1-4];\nmov.f32 %f0, %f1;\n");
  const Loaded x = load_text("a.ptx", a), y = load_text("b.ptx", b);
  const CheckResult r = check_loaded(x, y);
  ASSERT_EQ(r.verdict, Verdict::kDifferent) << explain(r);
  const device::KernelSpec spec = spec_of(r.counterexamples[0].spec);
  EXPECT_EQ(spec.arguments[1].origin, "2");
  EXPECT_EQ(spec.arguments[1].count, "2");
  Options o;
  o.spec = &spec;
  EXPECT_EQ(check_loaded(x, y, o).verdict, Verdict::kDifferent);
}

// Shows only for negative maxima: the maximum starts at 0.
TEST(Counterexample, AdversarialValuesAreTried) {
  const std::string head = "ld.global.f32 %f1, [%rd3];\nld.global.f32 %f2, [%rd3+4];\n";
  const Loaded x = load_text("a.ptx", kernel_of(head + "max.f32 %f0, %f1, %f2;\n"));
  const Loaded y = load_text(
      "b.ptx", kernel_of(head + "max.f32 %f0, %f1, 0f00000000;\nmax.f32 %f0, %f0, %f2;\n"));
  EXPECT_EQ(check_loaded(x, y).verdict, Verdict::kDifferent);
}

// NaN: max.f32 drops it, a comparison and selection keeps one.
TEST(Counterexample, SpecialValuesAreTriedAndFewAreLeft) {
  const std::string head = "ld.global.f32 %f1, [%rd3];\nld.global.f32 %f2, [%rd3+4];\n";
  const Loaded x = load_text("a.ptx", kernel_of(head + "max.f32 %f0, %f1, %f2;\n"));
  const Loaded y = load_text(
      "b.ptx", kernel_of(head + "setp.gt.f32 %p0, %f1, %f2;\nselp.f32 %f0, %f1, %f2, %p0;\n"));
  const CheckResult r = check_loaded(x, y);
  ASSERT_EQ(r.verdict, Verdict::kDifferent) << explain(r);
  EXPECT_TRUE(r.counterexamples[0].first.a == "nan" || r.counterexamples[0].first.b == "nan")
      << explain(r);
  // Only NaN is left of the eight special values: bit 0.
  EXPECT_NE(r.counterexamples[0].spec.find(", 1)\""), std::string::npos)
      << r.counterexamples[0].spec;
}

TEST(BySpec, BoundarySizesAreAdded) {
  const device::KernelSpec spec = spec_of(
      "[[sizes]]\nkind = \"full\"\nm = 4\nn = 8\n[[sizes]]\nkind = \"boundary\"\nm = 4\nn = 7\n");
  std::vector<std::string> sizes;
  for (const CheckedSize& s : checked_sizes(spec))
    sizes.push_back(std::to_string(s.size.values.at("m")) + "x" +
                    std::to_string(s.size.values.at("n")) + (s.added ? "+" : ""));
  EXPECT_EQ(sizes, (std::vector<std::string>{"4x7", "4x8", "3x8+", "5x8+", "4x9+", "1x1+"}));
}

const char* const kCopySpec =
    "[launch]\ngrid = 1\nblock = 32\n[[sizes]]\nkind = \"full\"\nn = 32\n"
    "[[args]]\nname = \"out\"\nkind = \"buffer\"\ntype = \"f32\"\ncount = \"n\"\ninit = "
    "\"poison\"\nrole = \"out\"\n"
    "[[args]]\nname = \"x\"\nkind = \"buffer\"\ntype = \"f32\"\ncount = \"n\"\n"
    "[[args]]\nname = \"n\"\nkind = \"scalar\"\ntype = \"u32\"\nvalue = \"n\"\n";

// out[t] = x[t] for t < n, or for t ≤ n.
std::string copy(const char* compare) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out, .param "
         ".u64 x, .param .u32 n)\n.reqntid 32\n{\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 "
         "%rd<8>;\n.reg .f32 %f<2>;\nld.param.u64 %rd0, [out];\nld.param.u64 %rd1, [x];\n"
         "ld.param.u32 %r0, [n];\nmov.u32 %r1, %tid.x;\nmad.wide.u32 %rd2, %r1, 4, %rd0;\n"
         "mad.wide.u32 %rd3, %r1, 4, %rd1;\nsetp." +
         std::string(compare) +
         ".u32 %p0, %r1, %r0;\n@%p0 bra END;\nld.global.f32 %f0, [%rd3];\nst.global.f32 [%rd2], "
         "%f0;\nEND:\nret;\n}\n";
}

// The spec's only size fills the block; one less shows the comparison that is off by one, as a
// fault of the second kernel.
TEST(BySpec, AnAddedBoundarySizeShowsTheFault) {
  const device::KernelSpec spec = spec_of(kCopySpec);
  Options o;
  o.spec = &spec;
  const CheckResult r =
      check_loaded(load_text("a.ptx", copy("ge")), load_text("b.ptx", copy("gt")), o);
  EXPECT_EQ(r.verdict, Verdict::kFault) << explain(r);
  ASSERT_EQ(r.faults.size(), 1u);
  EXPECT_EQ(r.faults[0].side, 'b');
  EXPECT_EQ(r.faults[0].kind, "out-of-bounds");
  EXPECT_EQ(r.faults[0].size, "n=31");
}

TEST(BySpec, AFaultOfBothIsAFault) {
  const device::KernelSpec spec = spec_of(kCopySpec);
  Options o;
  o.spec = &spec;
  std::string other = copy("gt");
  other.insert(other.find("ret;"), "mov.u32 %r2, 1;\n");
  // Only 31 of 32 elements are there.
  std::string text = kCopySpec;
  for (size_t at; (at = text.find("count = \"n\"")) != text.npos;)
    text.replace(at, 11, "count = \"n - 1\"");
  const device::KernelSpec small = spec_of(text);
  o.spec = &small;
  const CheckResult r = check_loaded(load_text("a.ptx", copy("gt")), load_text("b.ptx", other), o);
  EXPECT_EQ(r.verdict, Verdict::kFault) << explain(r);
  EXPECT_EQ(r.faults.size(), 2u);
}

}  // namespace
}  // namespace pitot::check::test
