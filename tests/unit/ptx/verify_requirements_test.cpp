// Requirements: the smallest change that helps, one finding a need.
#include "ptx/verify_requirements.h"

#include <gtest/gtest.h>

#include "verify_test_util.h"

namespace pitot::ptx::test {
namespace {

Remedy remedy(std::initializer_list<Need> needs, uint16_t ptx, Target target) {
  const Needs group(needs.begin(), needs.size());
  return remedy_for(std::span(&group, 1), ptx, target);
}

using enum Need::Suffix;

TEST(Remedy, NothingWhenMet) {
  EXPECT_EQ(remedy({{70, 80, kOrHigher}}, 70, {80, 0}).kind, Remedy::Kind::kNone);
  EXPECT_EQ(remedy({{70, 80, kOrHigher}}, 90, {120, 0}).kind, Remedy::Kind::kNone);
}

TEST(Remedy, VersionBeforeTarget) {
  Remedy r = remedy({{81, 89, kOrHigher}, {78, 90, kOrHigher}}, 80, {89, 0});
  EXPECT_EQ(r.kind, Remedy::Kind::kVersion);
  EXPECT_EQ(r.version, 81);
  // Below sm_89 the target comes first, and then 8.1 is needed on the lowest that will do.
  r = remedy({{81, 89, kOrHigher}, {78, 90, kOrHigher}}, 80, {80, 0});
  EXPECT_EQ(r.kind, Remedy::Kind::kTarget);
  EXPECT_EQ(r.target, (Target{89, 0}));
  EXPECT_EQ(r.version, 81);
}

TEST(Remedy, SpecificTargetsAreNotOrHigher) {
  for (Target target : {Target{90, 0}, Target{100, 'a'}, Target{120, 0}}) {
    Remedy r = remedy({{80, 90, kArchSpecific}}, 90, target);
    EXPECT_EQ(r.kind, Remedy::Kind::kExact);
    ASSERT_EQ(r.exact.size(), 1u);
    EXPECT_EQ(r.exact[0], (Target{90, 'a'}));
  }
}

TEST(Remedy, FamiliesListTheirTargets) {
  Remedy r = remedy({{88, 100, kFamily}}, 88, {100, 0});
  EXPECT_EQ(r.kind, Remedy::Kind::kExact);
  EXPECT_NE(std::find(r.exact.begin(), r.exact.end(), Target{100, 'f'}), r.exact.end());
  EXPECT_NE(std::find(r.exact.begin(), r.exact.end(), Target{103, 'a'}), r.exact.end());
  EXPECT_EQ(std::find(r.exact.begin(), r.exact.end(), Target{90, 'a'}), r.exact.end());
}

TEST(Requirements, TypesAndDirectives) {
  auto code = [](const std::string& version, const std::string& target, const std::string& text) {
    auto found = verify_text(".version " + version + "\n.target " + target + "\n" + text);
    return found.empty() ? std::string() : found[0].code + "@" + std::to_string(found[0].line);
  };
  EXPECT_EQ(code("7.7", "sm_80", ".entry k()\n.reqnctapercluster 2 { ret; }"), "target-too-low@4");
  EXPECT_EQ(code("7.8", "sm_90", ".entry k()\n.reqnctapercluster 2 { ret; }"), "");
  EXPECT_EQ(code("8.2", "sm_80", ".entry k() {\n.reg .b128 q; ret; }"), "version-too-low@4");
  EXPECT_EQ(code("4.1", "sm_52", ".entry k() {\n.reg .f16 h; ret; }"), "target-too-low@4");
  EXPECT_EQ(code("6.3", "sm_75", ".func f()\n.noreturn { exit; }"), "version-too-low@4");
}

TEST(Requirements, SpecialRegisters) {
  auto found = verify_text(in_kernel("mov.u32 %r0, %cluster_ctarank;", "8.3", "sm_80"));
  ASSERT_EQ(errors(found), 1u) << show(found);
  EXPECT_EQ(found[0].code, "target-too-low");
  EXPECT_EQ(found[0].column, 14u);
}

TEST(Requirements, OneFindingANeed) {
  auto found =
      verify_text(in_kernel("tanh.approx.f32 %f0, %f1;\n"
                            "redux.sync.add.s32 %r0, %r1, -1;\n"
                            "redux.sync.add.s32 %r0, %r1, -1;\n"
                            "cp.async.wait_all;",
                            "8.3", "sm_70"));
  ASSERT_EQ(errors(found), 2u) << show(found);  // sm_75 once, sm_80 once
  EXPECT_EQ(found[0].count, 1u);
  EXPECT_EQ(found[1].count, 3u);
  EXPECT_EQ(found[1].line, kStatementLine + 1);
}

}  // namespace
}  // namespace pitot::ptx::test
