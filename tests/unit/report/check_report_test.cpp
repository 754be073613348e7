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
  c.args = {"x: 3 f32"};
  c.first = {"y", "f32", 2, false, "1.5", "2.5", "1.5 ± 1e-07", 8388608};
  c.differing = 2;
  c.feeds = {{"x", -1, "0.5"}, {"x", 2, "1"}};
  c.fed_by = 3;
  r.counterexamples.push_back(c);
  return r;
}

TEST(CheckReport, ADifference) {
  EXPECT_EQ(check_text(different(), {}),
            "different: right against wrong\n"
            "  2 trials, 95 % of the instructions ran, 87 % of the sides of branches; 1 skipped\n"
            "  with grid 1, n = 3:\n"
            "    x: 3 f32\n"
            "  first difference at y[2] (f32):\n"
            "    a  1.5\n"
            "    b  2.5   8.389e+06 steps apart\n"
            "    a without rounding  1.5 ± 1e-07\n"
            "  2 elements differ\n"
            "  y[2] comes from 3 inputs:\n"
            "    x[-1] = 0.5\n"
            "    x[2] = 1\n"
            "    …\n");
}

TEST(CheckReport, ReasonsFaultsAndNotes) {
  CheckResult r;
  r.kernel_a = r.kernel_b = "k";
  r.path_a = "a.ptx";
  r.path_b = "b.ptx";
  r.trials = 1;
  r.coverage_a = r.coverage_b = {200, 199, 0, 0, {7}, {}};
  r.reasons = {"a never ran from line 7"};
  r.notes = {"a note"};
  r.faults.push_back({'b', "misaligned", "write of 4 bytes", "b.ptx", 12, "grid 1"});
  // Not all of it: never 100 %.
  EXPECT_EQ(check_text(r, {}),
            "undecided: k in a.ptx against b.ptx\n"
            "  1 trial, 99 % of the instructions ran, 100 % of the sides of branches\n"
            "  fault[misaligned] in b: write of 4 bytes\n"
            "    --> b.ptx:12  with grid 1\n"
            "  undecided: a never ran from line 7\n"
            "  note: a note\n");
}

TEST(CheckReport, AKernelOfOneFileOnly) {
  CheckResult r;
  r.kernel_b = "extra";
  r.reasons = {"a.ptx has no kernel 'extra': it was compared with nothing"};
  EXPECT_EQ(check_text(r, {}),
            "undecided: extra, in one of the files only\n"
            "  undecided: a.ptx has no kernel 'extra': it was compared with nothing\n");
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
}

}  // namespace
}  // namespace pitot::report
