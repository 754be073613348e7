// Which `.version` and `.target` a spelling needs. The verdicts are those of ptxas 13.0.
#include <gtest/gtest.h>

#include "ptx/isa.h"

namespace pitot::ptx {
namespace {

Support on(std::string_view spelling, uint16_t ptx, std::string_view target) {
  return support(decode(spelling), ptx, target_from_name(target));
}

TEST(Targets, NamesBothWays) {
  EXPECT_EQ(target_from_name("sm_90a"), (Target{90, 'a'}));
  EXPECT_EQ(target_from_name("compute_100f"), (Target{100, 'f'}));
  EXPECT_EQ(target_from_name("sm_75"), (Target{75, 0}));
  for (const char* name : {"", "sm_", "sm_a", "sm_90b", "sm90", "texmode_unified", "sm_99999"})
    EXPECT_EQ(target_from_name(name).sm, 0) << name;
  EXPECT_EQ(name_of(Target{120, 'a'}), "sm_120a");
  EXPECT_EQ(name_of(Target{80, 0}), "sm_80");
}

TEST(Targets, ArchitectureAndFamilySuffixesAreNotOrHigher) {
  const Need sm80{0, 80, Need::Suffix::kOrHigher};
  EXPECT_TRUE(satisfies(sm80, 0, {80, 0}));
  EXPECT_TRUE(satisfies(sm80, 0, {90, 'a'}));
  EXPECT_FALSE(satisfies(sm80, 0, {75, 0}));
  const Need sm90a{80, 90, Need::Suffix::kArchSpecific};
  EXPECT_TRUE(satisfies(sm90a, 80, {90, 'a'}));
  EXPECT_FALSE(satisfies(sm90a, 80, {90, 0}));
  EXPECT_FALSE(satisfies(sm90a, 80, {100, 'a'}));
  EXPECT_FALSE(satisfies(sm90a, 78, {90, 'a'}));
  const Need sm100f{88, 100, Need::Suffix::kFamily};
  EXPECT_TRUE(satisfies(sm100f, 88, {100, 'f'}));
  EXPECT_TRUE(satisfies(sm100f, 88, {100, 'a'}));
  EXPECT_TRUE(satisfies(sm100f, 88, {103, 'f'}));
  EXPECT_TRUE(satisfies(sm100f, 88, {103, 'a'}));
  EXPECT_FALSE(satisfies(sm100f, 88, {100, 0}));
  EXPECT_FALSE(satisfies(sm100f, 88, {110, 'f'}));
  EXPECT_FALSE(satisfies(sm100f, 88, {120, 'f'}));
  const Need sm103f{88, 103, Need::Suffix::kFamily};
  EXPECT_FALSE(satisfies(sm103f, 88, {100, 'f'}));
}

struct Verdict {
  const char* spelling;
  uint16_t ptx;
  const char* target;
  Support expected;
};

class Requires : public ::testing::TestWithParam<Verdict> {};

TEST_P(Requires, AsPtxas) {
  const Verdict& v = GetParam();
  EXPECT_EQ(on(v.spelling, v.ptx, v.target), v.expected)
      << v.spelling << " at " << v.ptx << ' ' << v.target;
}

constexpr Support kYes = Support::kYes;
constexpr Support kMore = Support::kNeedsMore;

INSTANTIATE_TEST_SUITE_P(
    Fp8, Requires,
    ::testing::Values(Verdict{"cvt.rn.satfinite.e4m3x2.f32", 81, "sm_89", kYes},
                      Verdict{"cvt.rn.satfinite.e4m3x2.f32", 80, "sm_89", kMore},
                      Verdict{"cvt.rn.satfinite.e4m3x2.f32", 78, "sm_90", kYes},
                      Verdict{"cvt.rn.satfinite.e4m3x2.f32", 77, "sm_90", kMore},
                      Verdict{"cvt.rn.satfinite.e4m3x2.f32", 90, "sm_86", kMore}));

INSTANTIATE_TEST_SUITE_P(Bf16, Requires,
                         ::testing::Values(Verdict{"cvt.rn.bf16.f32", 90, "sm_75", kMore},
                                           Verdict{"cvt.rn.bf16.f32", 70, "sm_80", kYes},
                                           Verdict{"cvt.f32.bf16", 71, "sm_80", kYes},
                                           Verdict{"cvt.ftz.f32.bf16", 90, "sm_80", kMore},
                                           Verdict{"add.bf16", 78, "sm_90", kYes},
                                           Verdict{"add.bf16", 90, "sm_80", kMore},
                                           Verdict{"fma.rn.bf16", 70, "sm_80", kYes}));

INSTANTIATE_TEST_SUITE_P(
    ArchitectureSpecific, Requires,
    ::testing::Values(Verdict{"wgmma.fence.sync.aligned", 90, "sm_90", kMore},
                      Verdict{"wgmma.fence.sync.aligned", 80, "sm_90a", kYes},
                      Verdict{"wgmma.fence.sync.aligned", 90, "sm_100a", kMore},
                      Verdict{"wgmma.fence.sync.aligned", 90, "sm_120a", kMore},
                      Verdict{"setmaxnreg.inc.sync.aligned.u32", 80, "sm_90a", kYes},
                      Verdict{"setmaxnreg.inc.sync.aligned.u32", 88, "sm_100f", kYes},
                      Verdict{"setmaxnreg.inc.sync.aligned.u32", 90, "sm_100", kMore},
                      Verdict{"redux.sync.min.f32", 86, "sm_100a", kYes},
                      Verdict{"redux.sync.min.f32", 90, "sm_100", kMore},
                      Verdict{"cvt.rn.satfinite.e2m1x2.f32", 86, "sm_100a", kYes},
                      Verdict{"cvt.rn.satfinite.e2m1x2.f32", 90, "sm_90a", kMore},
                      Verdict{"cvt.rn.satfinite.e2m1x2.f32", 90, "sm_103f", kYes}));

INSTANTIATE_TEST_SUITE_P(
    WithoutSync, Requires,
    ::testing::Values(Verdict{"shfl.bfly.b32", 64, "sm_70", Support::kRemoved},
                      Verdict{"shfl.bfly.b32", 63, "sm_70", Support::kDeprecated},
                      Verdict{"shfl.bfly.b32", 90, "sm_60", Support::kDeprecated},
                      Verdict{"shfl.bfly.b32", 43, "sm_50", kYes},
                      Verdict{"shfl.sync.bfly.b32", 60, "sm_70", kYes},
                      Verdict{"vote.all.pred", 90, "sm_75", Support::kRemoved},
                      Verdict{"vote.sync.all.pred", 90, "sm_75", kYes}));

INSTANTIATE_TEST_SUITE_P(
    Combinations, Requires,
    ::testing::Values(Verdict{"ld.global.v4.u64", 90, "sm_90", kMore},
                      Verdict{"ld.global.v4.u64", 88, "sm_100", kYes},
                      Verdict{"ld.global.v4.u32", 20, "sm_20", kYes},
                      Verdict{"ld.global.v8.f32", 87, "sm_100", kMore},
                      Verdict{"ld.relaxed.gpu.global.b128", 83, "sm_70", kYes},
                      Verdict{"ld.relaxed.sys.global.b128", 83, "sm_70", kMore},
                      Verdict{"ld.relaxed.sys.global.b128", 84, "sm_70", kYes},
                      Verdict{"min.f32", 10, "sm_10", kYes},
                      Verdict{"min.NaN.f32", 90, "sm_75", kMore},
                      Verdict{"mad.f32", 14, "sm_13", kYes}, Verdict{"mad.f32", 31, "sm_35", kYes},
                      Verdict{"mad.f32", 32, "sm_35", Support::kRemoved},
                      Verdict{"sin.f32", 13, "sm_13", kYes},
                      Verdict{"sin.f32", 14, "sm_13", Support::kRemoved}));

TEST(Requirements, ListsEveryGroupThatMustHold) {
  std::vector<Needs> groups = requirements(decode("cvt.rn.satfinite.e4m3x2.f32"));
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].size(), 2u);
  EXPECT_EQ(groups[0][0].sm, 89);
  EXPECT_EQ(groups[0][0].ptx, 81);
  EXPECT_EQ(groups[0][1].sm, 90);
  EXPECT_EQ(groups[0][1].ptx, 78);
  EXPECT_TRUE(requirements(decode("add.u32")).empty());
  EXPECT_TRUE(requirements(decode("no.such.thing")).empty());
}

TEST(Requirements, NothingSupportsAnUnknownForm) {
  EXPECT_EQ(on("add.u8", 90, "sm_100a"), Support::kNeedsMore);
}

}  // namespace
}  // namespace pitot::ptx
