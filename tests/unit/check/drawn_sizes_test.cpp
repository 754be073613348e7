// Sizes beyond a spec's own, for code that those do not come to.
#include "check/drawn_sizes.h"

#include "check_test_util.h"
#include "device/spec.h"

namespace pitot::check::test {
namespace {

device::KernelSpec spec_with(const std::string& sizes) {
  Diagnostics problems;
  device::KernelSpec spec = device::read_spec(
      SourceText("k.kernel.toml",
                 "schema = \"pitot.kernel/1\"\nptx = \"k.ptx\"\nentry = \"k\"\n[launch]\ngrid = "
                 "[1]\nblock = [32]\n" +
                     sizes +
                     "[[args]]\nname = \"k_out\"\nkind = \"buffer\"\ntype = \"f32\"\ncount = "
                     "32\ninit = \"poison\"\nrole = \"out\"\n"
                     "[[args]]\nname = \"k_x\"\nkind = \"buffer\"\ntype = \"f32\"\ncount = \"32 * "
                     "n\"\ninit = \"normal\"\nrole = \"in\"\n"
                     "[[args]]\nname = \"k_n\"\nkind = \"scalar\"\ntype = \"u32\"\nvalue = "
                     "\"n\"\n"),
      problems);
  EXPECT_EQ(problems.errors(), 0u);
  return spec;
}
const char* const kSmall =
    "[[sizes]]\nkind = \"full\"\nn = 16\n[[sizes]]\nkind = \"full\"\nn = 24\n";

TEST(DrawnSizes, KeepWhatTheSpecsSizesHaveInCommon) {
  const device::KernelSpec spec = spec_with(kSmall);
  const auto drawn = drawn_sizes(spec, 12, 1);
  EXPECT_GE(drawn.size(), 5u);  // of seven that there are
  int64_t most = 0;
  for (const device::Sizes& s : drawn) {
    const int64_t n = s.at("n");
    EXPECT_GE(n, 8);
    EXPECT_EQ(n % 8, 0);
    EXPECT_NE(n, 16);
    EXPECT_NE(n, 24);
    most = std::max(most, n);
  }
  EXPECT_GE(most, 4 * 24);
  EXPECT_EQ(drawn, drawn_sizes(spec, 12, 1));
  EXPECT_NE(drawn, drawn_sizes(spec, 12, 2));
  EXPECT_TRUE(drawn_sizes(spec_with(""), 12, 1).empty());
}

// Only from n = 90 on does a loop that was unrolled come to its copies.
TEST(DrawnSizes, FindWhatOnlyLargerSizesCanShow) {
  const auto body = [](const char* value) {
    return std::string("ld.global.f32 %f0, [%rd3];\nsetp.lt.u32 %p1, %r0, 90;\n@%p1 bra END;\n") +
           "add.f32 %f0, %f0, " + value + ";\nEND:\n";
  };
  const device::KernelSpec spec = spec_with(kSmall);
  Options how;
  how.spec = &spec;
  const Loaded one = load_text("a.ptx", kernel_of(body("0f3F800000"))),
               other = load_text("b.ptx", kernel_of(body("0f40000000"))),
               same = load_text("c.ptx", kernel_of("mov.u32 %r7, 1;\n" + body("0f3F800000")));
  const CheckResult differ = check_loaded(one, other, how);
  EXPECT_EQ(differ.verdict, Verdict::kDifferent) << explain(differ);
  const CheckResult alike = check_loaded(one, same, how);
  EXPECT_EQ(alike.verdict, Verdict::kSame) << explain(alike);
}

}  // namespace
}  // namespace pitot::check::test
