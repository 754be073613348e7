// Cache operators: what is respelled, and what is left alone and why.
#include "transform_helpers.h"

namespace pitot::transform {
namespace {

TEST(CacheLoads, EveryOperatorKeepsTheOtherQualifiers) {
  expect_becomes("\tld.global.f32 %f1, [%rd1];\n", Action::kCacheCs,
                 "\tld.global.cs.f32 %f1, [%rd1];\n");
  expect_becomes("\tld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16]; // c\n", Action::kCacheCg,
                 "\tld.global.cg.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16]; // c\n");
  expect_becomes("\t@!%p1 ld.weak.global.u32 %r1, [%rd1];\n", Action::kCacheCv,
                 "\t@!%p1 ld.weak.global.cv.u32 %r1, [%rd1];\n");
  expect_becomes("\tld.global.nc.b32 %r1, [%rd1];\n", Action::kCacheCs,
                 "\tld.global.nc.cs.b32 %r1, [%rd1];\n");
  expect_becomes("\tld.global.L2::cache_hint.L2::128B.b32 %r1, [%rd1], %rd3;\n", Action::kCacheCg,
                 "\tld.global.cg.L2::cache_hint.L2::128B.b32 %r1, [%rd1], %rd3;\n");
}

TEST(CacheLoads, AnOperatorReplacesAnother) {
  expect_becomes("\tld.global.cs.f32 %f1, [%rd1];\n", Action::kCacheCa,
                 "\tld.global.ca.f32 %f1, [%rd1];\n");
  expect_becomes("\tld.cg.global.f32 %f1, [%rd1];\n", Action::kCacheCs,
                 "\tld.cs.global.f32 %f1, [%rd1];\n");
}

TEST(CacheLoads, Reasons) {
  expect_declines("\tld.global.f32 %f1, [%rd1];\n", Action::kCacheCa, ".ca is the default");
  expect_declines("\tld.global.cs.f32 %f1, [%rd1];\n", Action::kCacheCs, "marked .cs already");
  expect_declines("\tld.global.L1::evict_last.f32 %f1, [%rd1];\n", Action::kCacheCs,
                  "exclude each other");
  expect_declines("\tld.global.nc.f32 %f1, [%rd1];\n", Action::kCacheCv,
                  "there is no ld.global.nc.cv.f32");
  for (const char* load :
       {"ld.volatile.global.f32", "ld.relaxed.gpu.global.f32", "ld.acquire.sys.global.f32"})
    expect_declines(std::string("\t") + load + " %f1, [%rd1];\n", Action::kCacheCg,
                    "only weak loads have cache operators");
  expect_declines("\tld.shared.f32 %f1, [%r1];\n", Action::kCacheCs, "it has no global load");
}

TEST(CacheLoads, GenericLoadsOnlyWhereProvedGlobal) {
  KernelText k;
  expect_becomes("\tld.f32 %f1, [%rd1];\n", Action::kCacheCs, "\tld.cs.f32 %f1, [%rd1];\n", k);
  k.parameters = ".param .u64 p, .param .u64 q, .param .u32 n";
  expect_declines("\tld.f32 %f1, [%rd1];\n", Action::kCacheCs, "not proved to be global", k);
}

TEST(CacheLoads, ATargetWithoutThem) {
  KernelText k;
  k.version = "1.4";
  k.target = "sm_13";
  k.parameters = ".param .u64 p, .param .u64 q, .param .u32 n";
  expect_declines("\tld.global.f32 %f1, [%rd1];\n", Action::kCacheCs,
                  "does not go with .version 1.4", k);
}

TEST(CacheStores, OperatorsAndReasons) {
  expect_becomes("\tst.global.v2.f32 [%rd1], {%f1, %f2};\n", Action::kStCacheWt,
                 "\tst.global.wt.v2.f32 [%rd1], {%f1, %f2};\n");
  expect_becomes("\t@%p1 st.global.cg.b8 [%rd1], %rs1;\n", Action::kStCacheCs,
                 "\t@%p1 st.global.cs.b8 [%rd1], %rs1;\n");
  expect_becomes("\tst.global.wt.f32 [%rd1], %f1;\n", Action::kStCacheWb,
                 "\tst.global.wb.f32 [%rd1], %f1;\n");
  expect_declines("\tst.global.f32 [%rd1], %f1;\n", Action::kStCacheWb, ".wb is the default");
  expect_declines("\tst.release.gpu.global.f32 [%rd1], %f1;\n", Action::kStCacheCs,
                  "only weak stores");
  expect_declines("\tst.global.L1::no_allocate.f32 [%rd1], %f1;\n", Action::kStCacheWt,
                  "exclude each other");
  expect_declines("\tst.shared.f32 [%r1], %f1;\n", Action::kStCacheCs, "it has no global store");
}

TEST(CacheOperators, TheLineOfWhatIsDeclinedIsSaid) {
  const Applied a = run(kernel("\tld.global.cs.f32 %f1, [%rd1];\n\tld.global.f32 %f2, [%rd1+4];\n"),
                        Action::kCacheCs);
  EXPECT_EQ(a.step.changes, 1u);
  ASSERT_EQ(a.step.declined.size(), 1u);
  EXPECT_EQ(a.step.declined[0].line, 16u);
}

}  // namespace
}  // namespace pitot::transform
