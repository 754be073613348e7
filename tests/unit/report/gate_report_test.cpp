// Every output format of the gate, and hostile names in each.
#include "report/gate_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace pitot::report::gate_report_test {
namespace {

using gate::Finding;
using gate::FindingLevel;
using gate::GateResult;
using Json = nlohmann::json;

GateResult sample() {
  GateResult r;
  r.pass = false;
  r.before = "baseline b.toml";
  Finding f;
  f.rule = "constants";
  f.kernel = "_Z7softmaxPf";
  f.demangled = "softmax(float*)";
  f.target = "sm_80";
  f.baseline = "-inf";
  f.value = "0";
  f.message = "1 constant changed, -inf → 0";
  f.why = "No count moves.";
  f.fix = "Check each value.";
  f.path = "build/soft max.ptx";
  f.line = 73;
  f.details = {"line 73 → 73: mov.b32, operand 2: -inf → 0"};
  r.findings.push_back(f);
  f.rule = "barrier-added";
  f.waived = true;
  f.waiver = "known (until 2026-03-01)";
  r.findings.push_back(f);
  f.waived = false;
  f.rule = "header";
  f.level = FindingLevel::kNote;
  r.findings.push_back(f);
  gate::KernelSummary k;
  k.kernel = "_Z7softmaxPf";
  k.demangled = "softmax(float*)";
  k.target = "sm_80";
  k.cls = "constants";
  k.delta.set("registers", 0);
  k.delta.set("instructions", -1);
  k.findings = 2;
  r.kernels.push_back(k);
  k.cls = "identical";
  k.demangled = "other";
  k.delta = {};
  k.findings = 0;
  r.kernels.push_back(k);
  r.notes.push_back("a note");
  return r;
}

// A result whose every text is an attack on some format.
GateResult hostile() {
  GateResult r = sample();
  const std::string bad = "<script>&\"'`|]]>\x01\x1b[31m\xff%0A::,\n{}";
  for (Finding& f : r.findings) {
    f.rule = f.kernel = f.demangled = f.target = f.baseline = f.value = f.message = f.why = f.fix =
        f.path = f.waiver = bad;
    f.details = {bad};
  }
  for (auto& k : r.kernels) k.kernel = k.demangled = k.target = k.path = k.before_name = bad;
  r.notes = {bad};
  return r;
}

TEST(GateReport, TextExplainsAndDecides) {
  std::string text = gate_text(sample(), {});
  EXPECT_NE(text.find("error[constants] softmax(float*) (sm_80): 1 constant changed"), text.npos);
  EXPECT_NE(text.find("--> build/soft max.ptx:73"), text.npos);
  EXPECT_NE(text.find("why: No count moves."), text.npos);
  EXPECT_NE(text.find("do: Check each value."), text.npos);
  EXPECT_NE(text.find("waived[barrier-added]"), text.npos);
  EXPECT_NE(text.find("instructions −1"), text.npos);
  EXPECT_NE(
      text.find(
          "FAIL: 1 finding in 1 of 2 kernels against baseline b.toml, 1 waived, 1 warning or note"),
      text.npos);
  EXPECT_EQ(text.find('\x1b'), text.npos);
  TextStyle colour;
  colour.colour = true;
  EXPECT_NE(gate_text(sample(), colour).find('\x1b'), text.npos);
}

TEST(GateReport, JsonHasTheKeysOfTheContract) {
  Json j = Json::parse(gate_json(sample()));
  EXPECT_EQ(j["schema"], "pitot.gate/1");
  EXPECT_EQ(j["verdict"], "fail");
  for (const char* key : {"rule", "kernel", "target", "baseline", "value", "message", "waived"})
    EXPECT_TRUE(j["findings"][0].contains(key)) << key;
  EXPECT_EQ(j["findings"][1]["waived"], true);
  EXPECT_EQ(gate_json(sample()).substr(0, 14), "{\n  \"schema\": ");
  EXPECT_TRUE(Json::accept(gate_json(hostile())));
}

TEST(GateReport, SarifShape) {
  Json j = Json::parse(gate_sarif(sample(), "0.1.0"));
  EXPECT_EQ(j["version"], "2.1.0");
  const Json& run = j["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["name"], "pitot");
  ASSERT_EQ(run["results"].size(), 3u);
  EXPECT_EQ(run["results"][0]["level"], "error");
  EXPECT_EQ(run["results"][2]["level"], "note");
  EXPECT_EQ(run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "build/soft%20max.ptx");
  EXPECT_EQ(run["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"], 73);
  EXPECT_EQ(run["results"][1]["suppressions"][0]["justification"], "known (until 2026-03-01)");
  EXPECT_FALSE(run["results"][0].contains("suppressions"));
  for (const Json& result : run["results"])
    EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<size_t>()]["id"],
              result["ruleId"]);
  EXPECT_TRUE(Json::accept(gate_sarif(hostile(), "0")));
}

TEST(GateReport, JunitCountsAgree) {
  std::string x = gate_junit(sample());
  EXPECT_NE(x.find("<testsuites name=\"pitot gate\" tests=\"4\" failures=\"1\" errors=\"0\">"),
            x.npos);
  EXPECT_NE(x.find("skipped=\"1\""), x.npos);
  EXPECT_NE(x.find("name=\"change: identical\""), x.npos);
  std::string h = gate_junit(hostile());
  EXPECT_EQ(h.find("<script>"), h.npos);
  EXPECT_EQ(h.find('\x01'), h.npos);
  EXPECT_EQ(h.find('\xff'), h.npos);
}

TEST(GateReport, MarkdownOnlyWhenSomethingMoved) {
  EXPECT_NE(gate_markdown(sample()).find("| ❌ | `constants` | `softmax(float*)` | sm\\_80 |"),
            std::string::npos);
  GateResult quiet;
  gate::KernelSummary k;
  k.cls = "identical";
  quiet.kernels.push_back(k);
  EXPECT_EQ(gate_markdown(quiet), "");
  quiet.kernels[0].cls = "reordered";
  EXPECT_NE(gate_markdown(quiet), "");
  // Inside a code span nothing is markup, and no name can end the span; elsewhere it is escaped.
  std::string h = gate_markdown(hostile()), outside;
  bool code = false;
  for (size_t i = 0; i < h.size(); ++i) {
    if (h[i] == '`' && (i == 0 || h[i - 1] != '\\')) code = !code;
    if (!code) outside += h[i];
  }
  EXPECT_FALSE(code);
  EXPECT_EQ(outside.find("<script>"), h.npos);
  for (size_t at = 0; (at = h.find("<summary>", at)) != h.npos; ++at)
    EXPECT_EQ(h.substr(at, h.find("</summary>", at) - at).find_first_of("\n`"), h.npos);
}

TEST(GateReport, GithubCommandsAreOneLineEach) {
  std::string g = gate_github(sample());
  EXPECT_EQ(g.find("::error file=build/soft max.ptx,line=73,title=pitot%3A "
                   "constants::softmax(float*) (sm_80): 1 constant"),
            0u);
  // Two findings are not waived; no newline of a message may start another command.
  EXPECT_EQ(std::count(g.begin(), g.end(), '\n'), 2);
  std::string h = gate_github(hostile());
  EXPECT_EQ(std::count(h.begin(), h.end(), '\n'), 2);
}

TEST(GateReport, HtmlIsSelfContainedAndEscaped) {
  std::string h = gate_html(hostile(), {});
  EXPECT_EQ(h.find("<script"), h.npos);
  EXPECT_EQ(h.find("http"), h.npos);
  EXPECT_EQ(h.find("src="), h.npos);
  EXPECT_NE(gate_html(sample(), {}).find("softmax(float*)"), h.npos);
}

TEST(GateReport, CsvQuotes) {
  std::string c = gate_csv(hostile());
  EXPECT_EQ(c.find("rule,level,kernel,target,baseline,value,message,waived,path,line\n"), 0u);
  EXPECT_NE(c.find("\"\"'`"), c.npos);
}

}  // namespace
}  // namespace pitot::report::gate_report_test
