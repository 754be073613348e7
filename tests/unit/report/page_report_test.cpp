// Pages of `pitot report`: a section of every schema, hostile text, bad input, empty lists.
#include "report/page_report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "report/chart_library.h"
#include "support/file.h"

namespace pitot::report {
namespace {

using page::Chart;
using page::Facts;
using page::Notes;
using page::Row;
using page::Section;
using page::Table;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kSamples = PITOT_SOURCE_DIR "/tests/data/report/page/";

Section section_of(const std::string& text, const std::string& path = "r.json") {
  auto s = page_section(path, text);
  EXPECT_TRUE(s.ok()) << (s ? "" : s.error().message);
  return s ? *s : Section{};
}

Section sample(const std::string& name) {
  auto text = read_file(kSamples + name);
  EXPECT_TRUE(text.ok()) << name;
  return section_of(text ? *text : "", name);
}

std::string problem_of(const std::string& text, const std::string& path = "r.json") {
  auto s = page_section(path, text);
  EXPECT_FALSE(s.ok()) << text;
  if (s) return {};
  EXPECT_EQ(s.error().kind, ErrorKind::kInput);
  return s.error().message;
}

template <class T>
const T& block(const Section& s, const std::string& title) {
  for (const page::Block& b : s.blocks)
    if (const T* one = std::get_if<T>(&b); one != nullptr && one->title.starts_with(title))
      return *one;
  ADD_FAILURE() << "no block " << title;
  static const T none{};
  return none;
}

const page::Cell& cell(const Table& t, size_t row, const std::string& column) {
  for (size_t i = 0; i < t.columns.size(); ++i)
    if (t.columns[i].name == column && row < t.rows.size() && i < t.rows[row].cells.size())
      return t.rows[row].cells[i];
  ADD_FAILURE() << "no cell " << row << " " << column;
  static const page::Cell none{};
  return none;
}

std::string html_of(const Section& s, std::string_view library = "var Chart = 1;") {
  return page_html({"title", "pitot"}, {s}, library);
}

// Made with the judge's own figures: what the page says must be what the JSON says.
constexpr const char* kBench = R"({"schema": "pitot.bench/1", "settings": "emu",
  "generators": [{"generator": "g", "samples": 4, "tasks": 1, "verdicts": {"right": 3, "race": 1},
    "pass": {"1": {"value": 0.75, "ci95": [0.5, 1]}},
    "fast": {"1": {"value": 0.5, "ci95": [0.25, 0.75]}},
    "speedup": {"value": 1.25, "ci95": [1.1, 1.4]}, "speedup_of_right": null, "right_tasks": 0,
    "by_task": [{"task": "t", "kind": "gemm", "samples": 4, "compiled": 4, "right": 3, "timed": 3,
      "pass": {"1": 0.75}, "fast": {"1": 0.5}, "median_speedup": 1.5, "best_speedup": 2}]}],
  "comparisons": [{"a": "f", "b": "g", "tasks": 1, "pass_difference": {"value": 0.1, "ci95": [0, 0.2]},
    "log_speedup_ratio": {"value": 0, "ci95": [-0.1, 0.1]}, "p_value": 0.5}],
  "candidates": [
    {"task": "t", "candidate": "c0", "generator": "g", "verdict": "right", "speedup": 1.0},
    {"task": "t", "candidate": "c1", "generator": "g", "verdict": "right", "speedup": 1.5},
    {"task": "t", "candidate": "c2", "generator": "g", "verdict": "right", "speedup": 2.0},
    {"task": "t", "candidate": "c3", "generator": "g", "verdict": "race", "speedup": null,
     "reason": "two threads", "line": 7, "findings": [{"code": "x", "message": "m", "line": 1}]}]})";

TEST(PageReport, BenchSaysWhatTheJsonSays) {
  const Section s = section_of(kBench);
  EXPECT_EQ(s.title, "Benchmark");
  const Table& g = block<Table>(s, "Generators");
  EXPECT_EQ(cell(g, 0, "pass@1").text, "75.0 %");
  EXPECT_EQ(cell(g, 0, "pass@1").note, "50.0 … 100.0");
  EXPECT_EQ(cell(g, 0, "fast_1").text, "50.0 %");
  EXPECT_EQ(cell(g, 0, "speed-up").text, "1.250");
  EXPECT_EQ(cell(g, 0, "of right ones").text, "–");
  const Chart& shares = block<Chart>(s, "Share of samples");
  EXPECT_THAT(shares.labels, ElementsAre("pass@1", "fast_1"));
  EXPECT_THAT(shares.series[0].high, ElementsAre(1, 0.75));
  const Chart& verdicts = block<Chart>(s, "Verdicts by generator");
  ASSERT_EQ(verdicts.series.size(), 2u);
  EXPECT_EQ(verdicts.series[0].name, "right");
  EXPECT_THAT(verdicts.series[1].values, ElementsAre(1));
  const Table& speed = block<Table>(s, "Speed-ups");
  EXPECT_EQ(cell(speed, 0, "median").text, "1.500");
  EXPECT_EQ(cell(speed, 0, "faster").text, "66.7 %");
  const Table& tasks = block<Table>(s, "Tasks");
  EXPECT_EQ(cell(tasks, 0, "verdicts").text, "3 right, 1 race");
  const Table& all = block<Table>(s, "Candidates (4)");
  EXPECT_EQ(cell(all, 3, "reason").text, "line 7: two threads; m [x]");
  EXPECT_TRUE(std::isnan(cell(all, 3, "speed-up").key));
  EXPECT_EQ(cell(block<Table>(s, "Generators compared"), 0, "speed-up ratio").text, "1.000");
}

TEST(PageReport, HistogramsCountEveryValueOnce) {
  const Section s = section_of(kBench);
  const Chart& h = block<Chart>(s, "Speed-ups");
  EXPECT_EQ(h.scale, Chart::Scale::kRatio);
  ASSERT_EQ(h.series.size(), 1u);
  double all = 0;
  for (const double n : h.series[0].values) all += n;
  EXPECT_EQ(all, 3);
  ASSERT_EQ(h.at.size(), h.series[0].values.size() + 1);
  EXPECT_LE(h.at.front(), 0);
  EXPECT_GE(h.at.back(), 1);
}

TEST(PageReport, EverySampleHasItsSectionAndIsWholeHtml) {
  std::set<std::string> schemas;
  for (const auto& file : std::filesystem::directory_iterator(kSamples)) {
    const Section s = sample(file.path().filename().string());
    EXPECT_FALSE(s.blocks.empty()) << file.path();
    schemas.insert(s.schema);
    size_t rows = 0;
    for (const page::Block& b : s.blocks) {
      const Table* t = std::get_if<Table>(&b);
      if (t == nullptr) continue;
      EXPECT_FALSE(t->columns.empty()) << t->title;
      rows += t->rows.size();
      for (const Row& r : t->rows) EXPECT_EQ(r.cells.size(), t->columns.size()) << t->title;
    }
    EXPECT_GT(rows, 0u) << file.path();
    const std::string html = html_of(s);
    for (const char* tag :
         {"table", "tr", "td", "section", "details", "div", "figure", "ul", "dl"}) {
      const auto count = [&](const std::string& what) {
        size_t n = 0;
        for (size_t at = 0; (at = html.find(what, at)) != html.npos; at += what.size())
          n += what[1] == '/' || html[at + what.size()] == ' ' || html[at + what.size()] == '>';
        return n;
      };
      EXPECT_EQ(count(std::string("<") + tag), count(std::string("</") + tag)) << tag;
    }
    EXPECT_THAT(html, Not(HasSubstr("http-equiv=\"refresh")));
    EXPECT_THAT(html, Not(HasSubstr(" src=")));
    EXPECT_THAT(html, Not(HasSubstr(">nan")));
  }
  for (const std::string_view known : page_schemas())
    EXPECT_TRUE(schemas.contains(std::string(known)) || known == "pitot.optimize-table/1") << known;
}

TEST(PageReport, SchemasSayTheirVerdict) {
  EXPECT_EQ(sample("gate.json").verdict, "fail");
  EXPECT_EQ(sample("gate.json").tone, page::Tone::kBad);
  EXPECT_EQ(sample("check.json").verdict, "different");
  EXPECT_EQ(sample("compare.json").verdict, "slower");
  EXPECT_THAT(block<Notes>(sample("check.json"), "Input on which").lines,
              testing::Contains(HasSubstr("param_1[0] is")));
}

TEST(PageReport, TheHottestLineOfAProfileIsMarkedAndSaysSo) {
  const Section s = sample("profile.json");
  const Table& lines = block<Table>(s, "Lines of transpose");
  double most = 0;
  for (size_t i = 0; i < lines.rows.size(); ++i) {
    const double share = cell(lines, i, "share").key;
    if (share > most) most = share;
  }
  size_t hot = 0;
  for (size_t i = 0; i < lines.rows.size(); ++i)
    if (lines.rows[i].hottest) {
      ++hot;
      EXPECT_EQ(cell(lines, i, "share").key, most);
    }
  EXPECT_EQ(hot, 1u);
  EXPECT_THAT(html_of(s), HasSubstr("<tr class=\"hot\">"));
  EXPECT_THAT(html_of(s), HasSubstr("hottest"));
}

TEST(PageReport, LinesOfAProfileWithoutSharesAreNotMarked) {
  const Section s = section_of(
      R"({"schema": "pitot.profile/1", "ok": true, "runs": [{"kernel": "k", "ok": true, "bounds": [],
          "lines": [{"line": 1, "text": "ret;", "share": 0}, {"line": 2, "text": "}", "share": 1e-9},
                    {"line": 3, "text": "x", "share": null}]}]})");
  for (const Row& r : block<Table>(s, "Lines of k").rows) EXPECT_FALSE(r.hottest);
}

TEST(PageReport, CountersOfTheHardwareHaveATable) {
  const Section s = section_of(
      R"({"schema": "pitot.profile/1", "runs": [{"device": "cuda:0", "kernel": "k", "size": "n=1",
          "grid": [1, 2, 3], "block": "4x1x1", "counters": {"a.sum": 12345678, "b.avg": null}}]})");
  const Table& t = block<Table>(s, "Counters of k, n=1");
  EXPECT_EQ(cell(t, 0, "value").text, "12345678");
  EXPECT_EQ(cell(t, 1, "value").text, "–");
}

TEST(PageReport, MeasurementsLineByLineHaveTheirSamples) {
  const Section s = sample("measure.jsonl");
  EXPECT_EQ(block<Table>(s, "Runs").rows.size(), 3u);
  EXPECT_EQ(cell(block<Table>(s, "Runs"), 2, "state").text, "unsteady");
  const Chart& h = block<Chart>(s, "Samples of softmax_rows");
  EXPECT_TRUE(h.low < h.middle && h.middle < h.high);
  EXPECT_GE(h.middle, h.at.front());
  EXPECT_LE(h.middle, h.at.back());
  // One line is one run.
  auto text = read_file(kSamples + "measure.jsonl");
  ASSERT_TRUE(text.ok());
  const Section one = section_of(text->substr(0, text->find('\n')));
  EXPECT_EQ(block<Table>(one, "Runs").rows.size(), 1u);
}

TEST(PageReport, LearningCurvesAreGroupedByWhatTheyMeasure) {
  const Section s = section_of(
      "epoch,loss,reward,likeliest_reward,kl\r\n1,2,0.1,0.2,nan\r\n2,1,0.3,0.2,\r\n", "grpo.csv");
  const Chart& reward = block<Chart>(s, "Reward");
  ASSERT_EQ(reward.series.size(), 2u);
  EXPECT_THAT(reward.at, ElementsAre(1, 2));
  EXPECT_THAT(reward.series[0].values, ElementsAre(0.1, 0.3));
  const Table& t = block<Table>(s, "Values (2 rows)");
  EXPECT_EQ(cell(t, 1, "loss").text, "1");
  EXPECT_EQ(cell(t, 0, "kl").text, "–");
  EXPECT_EQ(cell(t, 1, "kl").text, "–");
}

TEST(PageReport, WrongCurvesAreLocated) {
  EXPECT_EQ(problem_of("epoch,loss\n1,2\n2\n", "c.csv"), "c.csv:3: 1 fields, where the head has 2");
  EXPECT_EQ(problem_of("steps,reward\n1,x\n", "c.csv"),
            "c.csv:2: column 'reward' wants a number, not 'x'");
}

TEST(PageReport, EmptyListsMakeAPageToo) {
  const char* kKeys = R"("findings": [], "kernels": [], "runs": [], "order": [], "lines": [],
    "generators": [], "candidates": [], "pairs": [], "methods": [], "folds": [], "cases": [],
    "programs": [], "actions": [], "verdict": "x", "change": 0, "ok": true, "errors": [])";
  for (const std::string_view schema : page_schemas()) {
    const Section s = section_of(fmt::format("{{\"schema\": \"{}\", {}}}", schema, kKeys));
    const std::string html = html_of(s);
    EXPECT_THAT(html, Not(HasSubstr("<figure"))) << schema;
    EXPECT_THAT(html, Not(HasSubstr("<tbody>\n</tbody>"))) << schema;
  }
  EXPECT_FALSE(section_of("epoch,loss\n").blocks.empty());
}

TEST(PageReport, WhatIsNoResultIsLocated) {
  EXPECT_THAT(problem_of(""), HasSubstr("r.json: is empty"));
  EXPECT_THAT(problem_of("{\"schema\": \"pitot.gate/1\",\n  x}"),
              StartsWith("r.json:2:3: no JSON: "));
  EXPECT_THAT(problem_of("{} trailing"), StartsWith("r.json:1:"));
  EXPECT_THAT(problem_of("[1]"), HasSubstr("r.json: has no \"schema\""));
  EXPECT_THAT(problem_of("{\"schema\": 1}"), HasSubstr("has no \"schema\""));
  const std::string unknown = problem_of("{\n\"schema\": \"pitot.verify/1\"}");
  EXPECT_THAT(unknown, StartsWith("r.json:2:1: schema 'pitot.verify/1' has no page"));
  EXPECT_THAT(unknown, HasSubstr("pitot.bench/1"));
  EXPECT_THAT(problem_of("{\"schema\": \"pitot.bench/1\"}"),
              HasSubstr("r.json: /generators: is missing"));
  EXPECT_THAT(problem_of("\xff\xfe{}"), StartsWith("r.json:1:1: no JSON: "));
  EXPECT_THAT(problem_of("{\"schema\": \"pitot.gate/1\", \"x\": 1e999}"), StartsWith("r.json"));
  EXPECT_THAT(problem_of("{\"schema\":\"pitot.measure/1\"}\n{\"schema\":\"pitot.gate/1\"}\n"),
              StartsWith("r.json:2: of results line by line"));
  EXPECT_THAT(problem_of("{\"schema\":\"pitot.measure/1\"}\n{\"sch"), StartsWith("r.json:2:"));
}

TEST(PageReport, WrongTypesHaveTheirPlace) {
  EXPECT_EQ(problem_of(R"({"schema": "pitot.measure/1", "runs": [{"median": "fast"}]})"),
            "r.json: /runs/0/median: a number is wanted here, not a string");
  EXPECT_EQ(problem_of(R"({"schema": "pitot.gate/1", "verdict": "pass", "findings": {"a": 1}})"),
            "r.json: /findings: a list is wanted here, not an object");
  EXPECT_EQ(problem_of(R"({"schema": "pitot.check/1", "verdict": "same", "pairs": [5]})"),
            "r.json: /pairs/0: an object is wanted here, not a number");
  EXPECT_EQ(problem_of(R"({"schema": "pitot.rank/1", "order": [{"notes": [[1]]}]})"),
            "r.json: /order/0/notes/0: text is wanted here, not an array");
}

TEST(PageReport, DeepNestingIsRefused) {
  const std::string deep = "{\"schema\": \"pitot.gate/1\", \"x\": " + std::string(100000, '[') +
                           std::string(100000, ']') + "}";
  EXPECT_EQ(problem_of(deep), "r.json: nests deeper than any result of pitot");
}

// Every string and key of every sample is replaced by an attack; none may leave its quotes.
TEST(PageReport, TextFromTheDataIsNeverMarkup) {
  const std::string attack =
      "</script><script>pwned=1</script>\"'><img src=x onerror=pwned=1>&amp;";
  const std::string escaped =
      "<\\/script><script>pwned=1<\\/script>\\\"'><img src=x onerror=pwned=1>&amp;";
  for (const auto& file : std::filesystem::directory_iterator(kSamples)) {
    if (file.path().extension() == ".csv") continue;
    auto text = read_file(file.path().string());
    ASSERT_TRUE(text.ok());
    // Values of strings, but that of the schema and those that choose a shape.
    std::string hostile;
    for (size_t at = 0; at < text->size();) {
      const size_t colon = text->find("\": \"", at);
      if (colon == text->npos) {
        hostile += text->substr(at);
        break;
      }
      const size_t value = colon + 4, end = text->find('"', value);
      hostile += text->substr(at, value - at);
      const std::string old = text->substr(value, end - value);
      const bool plain = old.find('\\') == old.npos && !old.starts_with("pitot.");
      hostile += plain ? escaped : old;
      at = plain ? end : value + old.size();
    }
    const Section s = section_of(hostile, "</title><script>pwned=2</script>");
    const std::string html = html_of(s);
    EXPECT_THAT(html, Not(HasSubstr("pwned=1</script>"))) << file.path();
    EXPECT_THAT(html, Not(HasSubstr("<img"))) << file.path();
    EXPECT_THAT(html, Not(HasSubstr("<script>pwned"))) << file.path();
    EXPECT_THAT(html, HasSubstr("&lt;script&gt;pwned=1")) << file.path();
    // The library's and the page's own, and no third.
    size_t scripts = 0;
    for (size_t at = 0; (at = html.find("<script", at)) != html.npos; ++at) ++scripts;
    EXPECT_EQ(scripts, 2u) << file.path();
  }
  const std::string titled = page_html({attack, attack}, {}, "");
  EXPECT_THAT(titled, Not(HasSubstr("<img")));
}

TEST(PageReport, CurvesWithHostileNames) {
  const std::string html = html_of(section_of("epoch,<script>pwned=1</script>\n1,2\n2,3\n"));
  EXPECT_THAT(html, Not(HasSubstr("<script>pwned")));
}

TEST(PageReport, WithoutTheLibraryThereAreTablesAndAWordAboutIt) {
  const Section s = section_of(kBench);
  const std::string html = html_of(s, "");
  EXPECT_THAT(html, HasSubstr("built without Chart.js"));
  EXPECT_THAT(html, Not(HasSubstr("<figure")));
  EXPECT_THAT(html, Not(HasSubstr("The MIT License")));
  EXPECT_THAT(html, HasSubstr("75.0 %"));
  EXPECT_THAT(html_of(s), HasSubstr("<figure"));
}

TEST(PageReport, TheLibrarysLicenceIsInThePage) {
  const std::string html = html_of(section_of(kBench));
  EXPECT_THAT(html, HasSubstr("The MIT License"));
  EXPECT_THAT(html, HasSubstr("Chart.js Contributors"));
  EXPECT_THAT(html, HasSubstr("Jukka Kurkela"));
}

TEST(PageReport, TheLibraryCannotEndItsScriptOrNameAMap) {
  const std::string html =
      html_of(section_of(kBench), "var a='</ScRiPt>';\n//# sourceMappingURL=chart.min.js.map");
  EXPECT_THAT(html, HasSubstr("var a='<\\/ScRiPt>';"));
  EXPECT_THAT(html, Not(HasSubstr("sourceMappingURL")));
}

TEST(PageReport, TheSameInputGivesTheSamePage) {
  EXPECT_EQ(html_of(section_of(kBench)), html_of(section_of(kBench)));
  if (!chart_library_text().empty()) {
    EXPECT_THAT(std::string(chart_library_text()), HasSubstr("Chart.js"));
  }
}

TEST(PageReport, SectionsHaveAnEntryEachInTheContents) {
  const std::string html =
      page_html({"two", "pitot"}, {section_of(kBench, "a/one.json"), sample("gate.json")}, "");
  EXPECT_THAT(html, HasSubstr("<a href=\"#s1\">Benchmark</a>"));
  EXPECT_THAT(html, HasSubstr("<a href=\"#s2\">Gate</a>"));
  EXPECT_THAT(html, HasSubstr("<small>one.json</small>"));
}

TEST(PageReport, TableOfOptimisations) {
  const Section s = section_of(
      R"({"schema": "pitot.optimize-table/1", "errors": [], "kernels": [
          {"name": "a", "class": null, "path": "a.ptx", "kernel": "a", "unit": "us", "baseline": 10,
           "best": 9, "change": -0.1, "sequence": ["unroll", "hoist"], "verified": true,
           "rejections": [], "evaluations": 20, "seconds": 1.5, "error": null},
          {"name": "b", "class": "c", "path": "b.ptx", "error": "b.ptx: no kernel"}]})");
  const Table& t = block<Table>(s, "Kernels");
  EXPECT_EQ(cell(t, 0, "change").text, "-10.00 %");
  EXPECT_EQ(cell(t, 0, "sequence").text, "unroll → hoist");
  EXPECT_EQ(cell(t, 0, "checked").text, "same");
  EXPECT_EQ(cell(t, 1, "error").text, "b.ptx: no kernel");
}

}  // namespace
}  // namespace pitot::report
