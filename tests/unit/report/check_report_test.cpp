// What `check` prints, and its JSON.
#include "report/check_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace pitot::report {
namespace {

using check::CheckResult;
using check::Verdict;

CheckResult different() {
  CheckResult r;
  r.verdict = Verdict::kDifferent;
  r.kernel_a = "right";
  r.kernel_b = "wrong";
  r.path_a = "a.ptx";
  r.path_b = "b.ptx";
  r.trials = 2;
  r.skipped = 1;
  r.coverage_a = {10, 9, 4, 4, {7}, {}};
  r.coverage_b = {10, 10, 4, 3, {}, {9}};
  r.bits_equal = false;
  check::Counterexample c;
  c.size = "grid 1, n = 3";
  c.seed = 1;
  c.args = {"x: 3 f32", "z: not used", "w: not used"};
  c.first = {"y", "f32", 2, false, "1.5", "2.5", "1.5 ± 1e-07", 8388608};
  c.differing = 2;
  c.feeds = {{"x", -1, "0.5"}, {"x", 2, "1"}};
  c.fed_by = 3;
  r.counterexamples.push_back(c);
  return r;
}

TEST(CheckReport, ADifference) {
  EXPECT_EQ(check_text(different(), {}),
            "different: b computes something else than a\n"
            "  a  right in a.ptx\n"
            "  b  wrong in b.ptx\n"
            "  smallest input found: grid 1, n = 3\n"
            "    x: 3 f32\n"
            "    z, w: not used\n"
            "  first difference: y[2] (f32), one of 2 elements that differ\n"
            "    a gives  1.5\n"
            "    b gives  2.5   (off by 66.7 %)\n"
            "    exactly  1.5 ± 1e-07   (a without rounding)\n"
            "  in a it depends on 3 inputs:\n"
            "    x[-1] = 0.5\n"
            "    x[2] = 1\n"
            "    … and 1 more\n"
            "  found in trial 2; by then 95 % of the instructions ran, 87 % of the sides of "
            "branches; 1 more trial left out\n");
  CheckResult close = different();
  close.counterexamples[0].first.ulp = 17;
  EXPECT_NE(check_text(close, {}).find("b gives  2.5   (17 f32 numbers further)\n"),
            std::string::npos);
}

TEST(CheckReport, Same) {
  CheckResult r;
  r.kernel_a = r.kernel_b = "k";
  r.path_a = "a.ptx";
  r.path_b = "b.ptx";
  r.verdict = Verdict::kSame;
  r.trials = 24;
  r.coverage_a = r.coverage_b = {200, 200, 4, 4, {}, {}};
  EXPECT_EQ(check_text(r, {}),
            "same: no difference in 24 trials\n"
            "  a  k in a.ptx\n"
            "  b  k in b.ptx\n"
            "  every instruction and both sides of every branch ran\n");
  r.evidence = check::Evidence::kRenamed;
  EXPECT_EQ(check_text(r, {}),
            "same: the texts differ in names only\n  a  k in a.ptx\n  b  k in b.ptx\n");
}

TEST(CheckReport, ReasonsFaultsAndNotes) {
  CheckResult r;
  r.kernel_a = r.kernel_b = "k";
  r.path_a = "a.ptx";
  r.path_b = "b.ptx";
  r.trials = 1;
  r.coverage_a = r.coverage_b = {200, 199, 0, 0, {7}, {}};
  r.reasons = {"in a the code that begins at line 7 never ran"};
  r.notes = {"a note"};
  // Not all of it: never 100 %.
  EXPECT_EQ(check_text(r, {}),
            "undecided: no difference in 1 trial, but that is not enough to call them the same\n"
            "  a  k in a.ptx\n"
            "  b  k in b.ptx\n"
            "  99 % of the instructions ran, 100 % of the sides of branches\n"
            "  why: in a the code that begins at line 7 never ran\n"
            "  note: a note\n");
  EXPECT_NE(check_hint({r}, false).find("--spec"), std::string::npos);
  EXPECT_EQ(check_hint({r}, true), "");
  r.verdict = Verdict::kFault;
  r.reasons.clear();
  r.faults.push_back({'b', "misaligned", "write of 4 bytes", "b.ptx", 12, "grid 1"});
  EXPECT_EQ(check_text(r, {}),
            "fault: b does something illegal where a does not\n"
            "  a  k in a.ptx\n"
            "  b  k in b.ptx\n"
            "  b misaligned: write of 4 bytes\n"
            "    --> b.ptx:12\n"
            "    with grid 1\n"
            "  found in trial 1; by then 99 % of the instructions ran, 100 % of the sides of "
            "branches\n"
            "  note: a note\n");
}

// Trials that showed a difference are not called trials without one.
TEST(CheckReport, ADifferenceThatMayBeMeant) {
  CheckResult r;
  r.kernel_a = r.kernel_b = "k";
  r.path_a = "a.ptx";
  r.path_b = "b.ptx";
  r.trials = 16;
  r.may_be_meant = true;
  EXPECT_EQ(check_text(r, {}).substr(0, 58),
            "undecided: results differ, but perhaps only where they may");
}

TEST(CheckReport, AKernelOfOneFileOnly) {
  CheckResult r;
  r.kernel_b = "extra";
  r.path_b = "b.ptx";
  r.reasons = {"a.ptx has no kernel 'extra': it was compared with nothing"};
  EXPECT_EQ(check_text(r, {}),
            "undecided: extra is in b only\n"
            "  b  extra in b.ptx\n"
            "  why: a.ptx has no kernel 'extra': it was compared with nothing\n");
  EXPECT_EQ(check_hint({r}, false), "");
}

TEST(CheckReport, TheSummaryCountsVerdicts) {
  CheckResult same;
  same.verdict = Verdict::kSame;
  EXPECT_EQ(check_summary({same, different(), same}), "3 pairs of kernels: 2 same, 1 different\n");
}

TEST(CheckReport, Json) {
  EXPECT_EQ(check_json({different()}).find("\"schema\""), check_json({different()}).find('"'));
  const auto j = nlohmann::json::parse(check_json({different()}));
  EXPECT_EQ(j["schema"], "pitot.check/1");
  EXPECT_EQ(j["verdict"], "different");
  EXPECT_EQ(j["evidence"], "tested");
  EXPECT_EQ(j["trials"], 2);
  EXPECT_EQ(j["counterexample"]["first"]["index"], 2);
  EXPECT_EQ(j["counterexample"]["first"]["exact"], "1.5 ± 1e-07");
  EXPECT_EQ(j["counterexample"]["inputs"][0]["index"], -1);
  EXPECT_EQ(j["coverage"]["b"]["one_sided"][0], 9);
  const auto two = nlohmann::json::parse(check_json({different(), CheckResult{}}));
  EXPECT_EQ(two["verdict"], "different");
  EXPECT_EQ(two["pairs"].size(), 2u);
  EXPECT_EQ(two["pairs"][1]["verdict"], "undecided");
  EXPECT_EQ(two["counterexample"], two["pairs"][0]["counterexample"]);
  // One pair or several: the same keys.
  EXPECT_EQ(j["pairs"].size(), 1u);
  EXPECT_EQ(j.size(), two.size());
}

}  // namespace
}  // namespace pitot::report
