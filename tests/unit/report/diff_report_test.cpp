// Output of diff.
#include "report/diff_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace pitot::report {
namespace {

using gate::ChangeClass;
using Json = nlohmann::json;

gate::DiffResult sample() {
  gate::DiffResult r;
  r.path_a = "a.ptx";
  r.path_b = "b.ptx";
  r.cls = ChangeClass::kStructural;
  gate::KernelDiff k;
  k.name_a = k.name_b = k.demangled_a = k.demangled_b = "gelu";
  k.matched_by = "name";
  k.cls = ChangeClass::kStructural;
  k.compat_a.set("registers", 143);
  k.compat_b.set("registers", 135);
  k.compat_a.set("instructions", 200);
  k.compat_b.set("instructions", 192);
  k.removed.push_back({"mul.f32", "arith", {203, 204}, {"0.5"}});
  k.constants.push_back(
      {1, 2, "0f3F000000", "0fFF800000", "0.5", "-inf", "f32", "mul.f32, operand 3"});
  k.excerpt.push_back(
      {gate::AlignedLine::Kind::kRemoved, 203, 0, "mul.f32 %r112, %r1, 0f3F000000;", ""});
  k.ptxas["sm_90"] = {k.compat_a, k.compat_b};
  r.kernels.push_back(k);
  return r;
}

TEST(DiffReport, JsonHasTheKeysOfTheContract) {
  Json j = Json::parse(diff_json(sample()));
  EXPECT_EQ(j["schema"], "pitot.diff/1");
  EXPECT_EQ(j["class"], "structural");
  const Json& k = j["kernels"][0];
  EXPECT_EQ(k["name"], "gelu");
  EXPECT_EQ(k["class"], "structural");
  EXPECT_EQ(k["compat"]["registers"], -8);
  EXPECT_EQ(k["compat"]["a"]["registers"], 143);
  EXPECT_EQ(k["ptxas"]["sm_90"]["instructions"], -8);
  EXPECT_EQ(k["constants"][0]["from_value"], "0.5");
  EXPECT_EQ(k["removed"][0]["count"], 2);
  for (const char* key : {"deltas", "added", "removed", "constants"}) EXPECT_TRUE(k.contains(key));
  for (const char* key : {"line_a", "line_b", "from", "to", "from_value", "to_value"})
    EXPECT_TRUE(k["constants"][0].contains(key));
  Json many = Json::parse(diff_json(std::vector<gate::DiffResult>{sample(), sample()}));
  EXPECT_EQ(many["pairs"].size(), 2u);
  EXPECT_EQ(many["class"], "structural");
}

TEST(DiffReport, TextShowsWhatWentAndWhere) {
  std::string t = diff_text(sample(), {});
  EXPECT_NE(t.find("−2 mul.f32 with 0.5"), t.npos);
  EXPECT_NE(t.find("lines 203, 204"), t.npos);
  EXPECT_NE(t.find("registers 143 → 135 (−8)"), t.npos);
  EXPECT_NE(t.find("0.5 (0f3F000000) → -inf (0fFF800000)"), t.npos);
  TextStyle narrow;
  narrow.width = 60;
  EXPECT_NE(diff_text(sample(), narrow).find("   203 - mul.f32"), t.npos);
}

TEST(DiffReport, NothingMovedIsNotNoChange) {
  gate::DiffResult r = sample();
  r.kernels[0].compat_b = r.kernels[0].compat_a;
  std::string t = diff_text(r, {});
  EXPECT_EQ(t.find("no change"), t.npos);
  EXPECT_NE(t.find("none moved"), t.npos);
  EXPECT_NE(t.find("structural"), t.npos);
}

TEST(DiffReport, CsvMarkdownAndHtml) {
  EXPECT_NE(diff_csv({sample()}).find("a.ptx,b.ptx,gelu,structural,name,-8,0,0,-8,1,0,0,2,0,0"),
            std::string::npos);
  EXPECT_NE(diff_markdown(sample()).find("| `gelu` | structural | registers −8, instructions −8 |"),
            std::string::npos);
  EXPECT_NE(diff_html({sample()}).find("mul.f32 %r112"), std::string::npos);
}

}  // namespace
}  // namespace pitot::report
