// Vector loads taken apart.
#include "transform_helpers.h"

namespace pitot::transform {
namespace {

TEST(SplitLoads, ElementsGoToTheirPlaces) {
  expect_becomes("\tld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+-8];\n", Action::kSplitLd,
                 "\tld.global.f32 %f1, [%rd1+-8];\n\tld.global.f32 %f2, [%rd1+-4];\n"
                 "\tld.global.f32 %f3, [%rd1];\n\tld.global.f32 %f4, [%rd1+4];\n");
  expect_becomes("\tld.shared.v2.u8 {%rs1, %rs2}, [%r1+3];\n", Action::kSplitLd,
                 "\tld.shared.u8 %rs1, [%r1+3];\n\tld.shared.u8 %rs2, [%r1+4];\n");
}

TEST(SplitLoads, GuardsQualifiersHintsAndSinksAreKept) {
  expect_becomes(
      "  @!%p1 ld.global.nc.L1::evict_last.L2::cache_hint.v2.b32 {%r1, %r2}, [%rd1], %rd3;"
      " // why\n",
      Action::kSplitLd,
      "  @!%p1 ld.global.nc.L1::evict_last.L2::cache_hint.b32 %r1, [%rd1], %rd3;\n"
      "  @!%p1 ld.global.nc.L1::evict_last.L2::cache_hint.b32 %r2, [%rd1+4], %rd3;"
      " // why\n");
  KernelText k;
  k.target = "sm_100";
  expect_becomes("\tld.global.v8.b32 {_, %r1, _, _, _, _, _, %r2}, [%rd1];\n", Action::kSplitLd,
                 "\tld.global.b32 %r1, [%rd1+4];\n\tld.global.b32 %r2, [%rd1+28];\n", k);
}

TEST(SplitLoads, ARegisterThatIsReadYetIsLoadedLast) {
  expect_becomes("\tld.global.v2.u64 {%rd1, %rd4}, [%rd1];\n", Action::kSplitLd,
                 "\tld.global.u64 %rd4, [%rd1+8];\n\tld.global.u64 %rd1, [%rd1];\n");
  expect_becomes("\tld.global.L2::cache_hint.v2.b64 {%rd3, %rd4}, [%rd1], %rd3;\n",
                 Action::kSplitLd,
                 "\tld.global.L2::cache_hint.b64 %rd4, [%rd1+8], %rd3;\n"
                 "\tld.global.L2::cache_hint.b64 %rd3, [%rd1], %rd3;\n");
}

TEST(SplitLoads, Reasons) {
  expect_declines("\tld.global.L2::cache_hint.v2.b64 {%rd3, %rd1}, [%rd1], %rd3;\n",
                  Action::kSplitLd, "both its address and its cache policy");
  expect_declines("\tld.volatile.global.v2.f32 {%f1, %f2}, [%rd1];\n", Action::kSplitLd,
                  "only weak loads");
  expect_declines("\tld.relaxed.gpu.global.v2.f32 {%f1, %f2}, [%rd1];\n", Action::kSplitLd,
                  "only weak loads");
  expect_declines("\tld.global.v2.f32 {%f1, %f1}, [%rd1];\n", Action::kSplitLd,
                  "two of its elements go to one register");
  expect_declines("\tld.global.v2.f32 {_, _}, [%rd1];\n", Action::kSplitLd, "none of its elements");
  expect_declines("\t.reg .v2 .f32 %v;\n\tld.global.v2.f32 %v, [%rd1];\n", Action::kSplitLd,
                  "vector register");
  expect_declines("\tld.global.f32 %f1, [%rd1];\n", Action::kSplitLd, "it has no vector load");
  expect_declines("\tld.global.v2.f32 {%f1, %f2}, [%rd1+2147483644];\n", Action::kSplitLd,
                  "its address");
  KernelText k;
  k.target = "sm_100";
  expect_declines("\tld.global.L2::evict_last.v4.b64 {%rd3, %rd4, %rd5, %rd6}, [%rd1];\n",
                  Action::kSplitLd, "there is no ld.global.L2::evict_last.b64", k);
}

}  // namespace
}  // namespace pitot::transform
