// `.maxnreg` where it cannot make a launch fail.
#include "transform_helpers.h"

namespace pitot::transform {
namespace {

void expect_directives(const std::string& before, Action action, const std::string& after,
                       const Assumptions& assumptions = {}) {
  KernelText a, b;
  a.directives = before;
  b.directives = after;
  const Applied out = run(kernel("", a), action, assumptions);
  EXPECT_EQ(out.text, kernel("", b));
  EXPECT_EQ(out.step.changes, before == after ? 0u : 1u);
  EXPECT_EQ(run(out.text, action, assumptions).step.changes, 0u);
}

void expect_why(const std::string& before, Action action, const std::string& reason,
                const Assumptions& assumptions = {}) {
  KernelText k;
  k.directives = before;
  expect_declines("", action, reason, k, assumptions);
}

TEST(LimitRegisters, IsWrittenBehindTheOtherDirectives) {
  expect_directives("", Action::kMaxnreg64, ".maxnreg 64\n");
  expect_directives(".maxntid 128, 1, 1 // threads\n", Action::kMaxnreg255,
                    ".maxntid 128, 1, 1\n.maxnreg 255 // threads\n");
}

TEST(LimitRegisters, ReplacesAnotherLimitAndNothingElse) {
  expect_directives(".maxnreg 64 // by hand\n.maxntid 128\n", Action::kMaxnreg128,
                    ".maxnreg 128 // by hand\n.maxntid 128\n");
  expect_directives(".maxnreg 64\n", Action::kMaxnreg32, ".maxnreg 32\n");
  expect_why(".maxnreg 64\n", Action::kMaxnreg64, ".maxnreg 64 is there already");
}

// ptxas gives a kernel of `.maxntid 1024 .maxnreg 255` 101 registers, with which 1024 threads
// cannot be launched.
TEST(LimitRegisters, BlocksMustStillBeLaunched) {
  expect_why(".maxntid 1024\n", Action::kMaxnreg255, ".maxntid allows blocks of 1024 threads");
  expect_why(".maxntid 1024\n", Action::kMaxnreg128, "128 registers each are too many");
  expect_directives(".maxntid 1024\n", Action::kMaxnreg64, ".maxntid 1024\n.maxnreg 64\n");
  expect_why(".reqntid 32, 17\n", Action::kMaxnreg128, ".reqntid allows blocks of 544 threads");
  expect_directives(".reqntid 32, 16\n", Action::kMaxnreg128, ".reqntid 32, 16\n.maxnreg 128\n");
  Assumptions launch;
  launch.block = {1024, 1, 1};
  expect_why("", Action::kMaxnreg128, "the launch allows blocks of 1024 threads", launch);
  // Of an unknown launch, what was enough for it must stay.
  expect_why(".maxnreg 64\n", Action::kMaxnreg128, "nothing is known");
}

TEST(LimitRegisters, BlocksAMultiprocessorLimitAlready) {
  expect_why(".maxntid 256\n.minnctapersm 4\n", Action::kMaxnreg64,
             ".minnctapersm 4 leaves a thread 64 registers already");
  expect_directives(".maxntid 256\n.minnctapersm 4\n", Action::kMaxnreg32,
                    ".maxntid 256\n.minnctapersm 4\n.maxnreg 32\n");
}

TEST(LimitRegisters, KernelsThatShareOutTheirRegisters) {
  KernelText k;
  k.target = "sm_90a";
  expect_declines("\tsetmaxnreg.inc.sync.aligned.u32 160;\n", Action::kMaxnreg64, "setmaxnreg", k);
}

// ptxas 13.0: "Insufficient registers (32) to compile instruction … register target of 34 or
// higher" for 8 accumulators, 38 with the four of A, 154 for 128.
TEST(LimitRegisters, MatrixInstructionsNeedTheirRegistersAtOnce) {
  KernelText k;
  k.target = "sm_90a";
  auto product = [](int n, const std::string& a) {
    std::string accumulators;
    for (int i = 0; i < n / 2; ++i) accumulators += (i == 0 ? "%q" : ", %q") + std::to_string(i);
    return "\t.reg .f32 %q<128>;\n\twgmma.mma_async.sync.aligned.m64n" + std::to_string(n) +
           "k16.f32.f16.f16 {" + accumulators + "}, " + a + ", %rd3, 1, 1, 1, 0" +
           (a[0] == '{' ? "" : ", 0") + ";\n";
  };
  expect_declines(product(16, "%rd4"), Action::kMaxnreg32,
                  "line 17: this wgmma alone takes 34 registers", k);
  expect_declines(product(80, "{%r1, %r2, %r3, %r4}"), Action::kMaxnreg64, "takes 70 registers", k);
  expect_declines(product(256, "%rd4"), Action::kMaxnreg128, "takes 154 registers", k);
  EXPECT_EQ(run(kernel(product(64, "%rd4"), k), Action::kMaxnreg64).step.changes, 1u);
}

TEST(LimitRegisters, FunctionsHaveNoLimit) {
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.func f()\n{\n\tret;\n}\n";
  const ptx::Module m = ptx::parse("f.ptx", text);
  auto out = apply(m, 0, Action::kMaxnreg64, {});
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out->text, text);
  ASSERT_EQ(out->step.declined.size(), 1u);
  EXPECT_EQ(out->step.declined[0].reason, "only kernels have a register limit");
}

}  // namespace
}  // namespace pitot::transform
