// Kernels with textures and surfaces, without a spec: handles are recognised, both kernels get the
// same made-up images, and what was found can be run again.
#include "check_test_util.h"
#include "device/spec.h"

namespace pitot::check::test {
namespace {

// `k(handle, out, n)`: 32 threads; %r1 the thread's number, %f0 it plus a half.
std::string image_kernel(const std::string& body, const std::string& before = {}) {
  return ".version 8.3\n.target sm_80\n.address_size 64\n" + before +
         ".visible .entry k(.param .u64 k_image, .param .u64 k_out, .param .u32 k_n)\n"
         ".reqntid 32\n{\n.reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n"
         ".reg .f32 %f<32>;\nld.param.u64 %rd0, [k_image];\nld.param.u64 %rd1, [k_out];\n"
         "ld.param.u32 %r0, [k_n];\nmov.u32 %r1, %tid.x;\nmad.wide.u32 %rd1, %r1, 4, %rd1;\n"
         "cvt.rn.f32.u32 %f0, %r1;\nadd.f32 %f0, %f0, 0f3F000000;\n" +
         body + "\nret;\n}\n";
}

CheckResult check_texts(const std::string& a, const std::string& b) {
  return check_loaded(load_text("a.ptx", a), load_text("b.ptx", b));
}

constexpr char kLookup[] =
    "tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd0, {%f0, %f1}];\n"
    "st.global.f32 [%rd1], %f2;";

TEST(CheckImages, TheSameTexelsAreTheSame) {
  const CheckResult r = check_texts(
      image_kernel(std::string("mov.f32 %f1, 0f3F000000;\n") + kLookup),
      image_kernel(std::string("mov.f32 %f1, 0f3E800000;\nadd.f32 %f1, %f1, %f1;\n") + kLookup));
  EXPECT_EQ(r.verdict, Verdict::kSame) << explain(r);
  EXPECT_GT(r.trials, 0u);
}

TEST(CheckImages, AnotherTexelIsFoundAndRunsAgain) {
  const auto a =
      load_text("a.ptx", image_kernel(std::string("mov.f32 %f1, 0f3F000000;\n") + kLookup));
  const auto b =
      load_text("b.ptx", image_kernel(std::string("mov.f32 %f1, 0f3FC00000;\n") + kLookup));
  const CheckResult r = check_loaded(a, b);
  ASSERT_EQ(r.verdict, Verdict::kDifferent) << explain(r);
  ASSERT_EQ(r.counterexamples.size(), 1u);
  const Counterexample& c = r.counterexamples[0];
  ASSERT_FALSE(c.args.empty());
  EXPECT_EQ(c.args[0].rfind("image: texture 2d f32x4, 1024 × 256", 0), 0u) << c.args[0];
  ASSERT_NE(c.spec, "") << c.no_spec;
  Diagnostics problems;
  const device::KernelSpec spec = device::read_spec(
      SourceText("again.kernel.toml",
                 "schema = \"pitot.kernel/1\"\nptx = \"b.ptx\"\nentry = \"k\"\n" + c.spec),
      problems);
  ASSERT_EQ(problems.errors(), 0u) << c.spec;
  Options o;
  o.spec = &spec;
  EXPECT_EQ(check_loaded(a, b, o).verdict, Verdict::kDifferent) << c.spec;
  EXPECT_EQ(check_loaded(a, a, o).verdict, Verdict::kSame);
}

TEST(CheckImages, StoresToSurfacesAreCompared) {
  const std::string store =
      "shl.b32 %r2, %r1, 2;\nmov.u32 %r3, 3;\nmov.b32 %r4, %f0;\n"
      "sust.b.2d.b32.trap [%rd0, {%r2, %r3}], %r4;";
  EXPECT_EQ(
      check_texts(image_kernel(store), image_kernel("mov.u32 %r5, 4;\nmul.lo.u32 %r2, %r1, %r5;\n"
                                                    "mov.u32 %r3, 3;\nmov.b32 %r4, %f0;\n"
                                                    "sust.b.2d.b32.trap [%rd0, {%r2, %r3}], %r4;"))
          .verdict,
      Verdict::kSame);
  const CheckResult r =
      check_texts(image_kernel(store), image_kernel("add.f32 %f0, %f0, 0f3F800000;\n" + store));
  ASSERT_EQ(r.verdict, Verdict::kDifferent) << explain(r);
  EXPECT_EQ(r.counterexamples[0].first.buffer, "image");
  // Row 3 of 1024 texels.
  EXPECT_EQ(r.counterexamples[0].first.index, 3u * 1024);
  const CheckResult out =
      check_texts(image_kernel(store), image_kernel("sub.u32 %r1, %r1, 9;\n" + store));
  EXPECT_EQ(out.verdict, Verdict::kFault) << explain(out);
}

TEST(CheckImages, ReferencesOfTheModuleAreBound) {
  const std::string before = ".global .texref picture;\n";
  const std::string read =
      "tex.2d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [picture, {%r1, %r1}];\n"
      "st.global.u32 [%rd1], ";
  EXPECT_EQ(check_texts(image_kernel(read + "%r2;", before),
                        image_kernel("xor.b32 %r1, %r1, 0;\n" + read + "%r2;", before))
                .verdict,
            Verdict::kSame);
  const CheckResult r =
      check_texts(image_kernel(read + "%r2;", before), image_kernel(read + "%r3;", before));
  EXPECT_EQ(r.verdict, Verdict::kDifferent) << explain(r);
}

TEST(CheckImages, OwnKernelsForTwoTargets) {
  for (const std::string name : {"texture_rotate", "surface_blur"}) {
    const CheckResult r = check_loaded(load_file("cuda/" + name + "/" + name + ".sm75.ptx"),
                                       load_file("cuda/" + name + "/" + name + ".sm100.ptx"));
    EXPECT_EQ(r.verdict, Verdict::kSame) << name << explain(r);
  }
}

}  // namespace
}  // namespace pitot::check::test
