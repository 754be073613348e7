// Other tuners' files: Kernel Tuner's caches and T4 results, whole, cut off and strange ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "device/arguments.h"
#include "variants/import.h"
#include "variants/tuner_file.h"
#include "variants/tuner_json.h"
#include "variants/variant_spec.h"

namespace pitot::variants {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// As a cache of two parameters is written: a header of one value a line, then an entry a line.
std::string cache(const std::string& entries, const std::string& more = "") {
  return "{\n\"device_name\": \"NVIDIA A100-SXM4-80GB\",\n\"kernel_name\": \"blur\",\n"
         "\"problem_size\": [\n4096,\n2048\n],\n\"tune_params_keys\": [\n\"block_size_x\",\n"
         "\"tile\"\n],\n\"tune_params\": {\n\"block_size_x\": [\n32,\n64\n],\n\"tile\": [\n1,\n2\n]"
         "\n},\n" +
         more + "\"cache\": {" + entries;
}
std::string entry(const std::string& values, const std::string& rest) {
  const size_t comma = values.find(',');
  return "\n\"" + values + "\": {\"block_size_x\": " + values.substr(0, comma) +
         ", \"tile\": " + values.substr(comma + 1) + ", " + rest + "},";
}
const std::string kTimes =
    "\"time\": 2.5, \"times\": [2.4, 2.6, 2.5, 2.45, 2.55, 2.5, 2.5], \"benchmark_time\": 30.0, "
    "\"nvml_power\": 250.5, \"timestamp\": \"2024-01-01\"";

std::string closed(std::string text) {
  if (text.back() == ',') text.pop_back();
  return text + "\n}\n}";
}

TunerResult read(const std::string& text, const TunerOptions& options = {}) {
  auto r = read_tuner_file("f.json", text, options);
  EXPECT_TRUE(r.ok()) << (r ? "" : r.error().message);
  return r ? *r : TunerResult{};
}
std::vector<std::string> codes(const TunerResult& r) {
  std::vector<std::string> out;
  for (const Suspicion& s : r.suspicions) out.push_back(s.code);
  return out;
}
bool has_code(const TunerResult& r, const std::string& code) {
  const auto all = codes(r);
  return std::find(all.begin(), all.end(), code) != all.end();
}

TEST(LooseJson, WholeAndCutOff) {
  auto whole = parse_loose("{\"a\": [1, NaN, -Infinity, \"NaN ]\"]}");
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole->not_numbers, 2u);
  EXPECT_FALSE(whole->truncated);
  EXPECT_EQ(whole->root["a"][3], "NaN ]") << "words in texts stay";
  auto open = parse_loose("{\"a\": {\"x\": {\"v\": [1]},\n\"y\": {\"v\": [1, 2");
  ASSERT_TRUE(open.ok()) << open.error().message;
  EXPECT_TRUE(open->truncated);
  EXPECT_EQ(open->dropped_at, 2u);
  EXPECT_EQ(open->root.dump(), "{\"a\":{\"x\":{\"v\":[1]}}}");
  for (const char* text : {"{\"a\": {\"x\": {}},", "{\"a\": {\"x\": {}}", "{\"a\": {\"x\": {},\n",
                           "{\"a\": {\"x\": {},\n\"y"})
    EXPECT_EQ(parse_loose(text)->root.dump(), "{\"a\":{\"x\":{}}}") << text;
  EXPECT_EQ(parse_loose("{\"a\": {")->root.dump(), "{\"a\":{}}");
  EXPECT_EQ(parse_loose("{\"p\": {\"q\": [1]}, \"c\": {\"x\": {\"v\": 1")->root.dump(),
            "{\"p\":{\"q\":[1]}}");
}

TEST(LooseJson, EveryPrefixIsReadOrRefused) {
  const std::string text = closed(cache(entry("32,1", kTimes) + entry("64,2", "\"time\": NaN")));
  for (size_t n = 0; n <= text.size(); ++n) {
    auto r = read_tuner_file("f.json", text.substr(0, n), {});
    EXPECT_LE(r ? r->rows.size() : 0, 2u);
  }
}

TEST(LooseJson, WhatIsNoJsonIsPlaced) {
  auto r = parse_loose("{\"a\": 1,\n \"b\" 2}");
  ASSERT_FALSE(r.ok());
  EXPECT_THAT(r.error().message, HasSubstr("2:"));
  for (const char* text : {"", "x", "}", "\"", "{]", "[1, 2}"})
    EXPECT_FALSE(parse_loose(text).ok());
  EXPECT_FALSE(read_tuner_file("f", "{}", {}).ok());
  EXPECT_FALSE(read_tuner_file("f", "[]", {}).ok());
  EXPECT_THAT(read_tuner_file("f.gz", "\x1f\x8b...", {}).error().message, HasSubstr("gunzip"));
}

TEST(KernelTuner, TimesInMicrosecondsWithTheirInterval) {
  const TunerResult r = read(closed(cache(entry("32,1", kTimes))));
  EXPECT_EQ(r.format, "Kernel Tuner cache");
  EXPECT_EQ(r.kernel, "blur");
  EXPECT_EQ(r.device, "NVIDIA A100-SXM4-80GB");
  EXPECT_THAT(r.problem_size, ElementsAre("4096", "2048"));
  EXPECT_THAT(r.parameters, ElementsAre("block_size_x", "tile"));
  ASSERT_EQ(r.rows.size(), 1u);
  EXPECT_THAT(r.rows[0].values, ElementsAre("32", "1"));
  EXPECT_EQ(r.rows[0].status, "ok");
  EXPECT_DOUBLE_EQ(*r.rows[0].median_us, 2500);
  EXPECT_DOUBLE_EQ(*r.rows[0].lo_us, 2400);
  EXPECT_DOUBLE_EQ(*r.rows[0].hi_us, 2600);
  EXPECT_EQ(r.rows[0].samples, 7u);
  EXPECT_DOUBLE_EQ(r.rows[0].power_w.value_or(0), 250.5);
  EXPECT_EQ(r.rows[0].line, 23u);
  EXPECT_THAT(codes(r), ElementsAre("unit-assumed"));
}

TEST(KernelTuner, FailuresAreKept) {
  const TunerResult r = read(
      closed(cache(entry("32,1", "\"time\": \"InvalidConfig\"") +
                   entry("32,2", "\"time\": \"CompilationFailedConfig\"") +
                   entry("64,1", "\"__error__\": \"RuntimeFailedConfig\"") +
                   entry("64,2", "\"time\": 1e+20") + entry("96,1", "\"time\": \"SomethingNew\"") +
                   entry("96,2", "\"time\": NaN") + entry("128,1", "\"strategy_time\": 0"))));
  ASSERT_EQ(r.rows.size(), 7u);
  std::vector<std::string> statuses;
  for (const TunerRow& row : r.rows) {
    statuses.push_back(row.status);
    EXPECT_FALSE(row.median_us) << row.message;
  }
  EXPECT_THAT(statuses, ElementsAre("refused", "compile_failed", "launch_failed", "failed",
                                    "failed", "failed", "failed"));
  EXPECT_EQ(r.rows[4].message, "SomethingNew");
  EXPECT_THAT(codes(r), testing::IsSupersetOf(
                            {"time-of-failure", "no-time", "nothing-measured", "not-a-number"}));
}

TEST(KernelTuner, AnOpenCacheIsRead) {
  const TunerResult r = read(cache(entry("32,1", kTimes) + entry("64,1", kTimes)));
  EXPECT_EQ(r.rows.size(), 2u);
  EXPECT_TRUE(has_code(r, "not-closed"));
  const std::string text = cache(entry("32,1", kTimes) + entry("64,1", kTimes));
  const TunerResult cut = read(text.substr(0, text.size() - 30));
  EXPECT_EQ(cut.rows.size(), 1u);
  for (const Suspicion& s : cut.suspicions)
    EXPECT_EQ(s.line, s.code == "not-closed" ? 24u : 0u) << s.code;
}

struct Strange {
  std::string code, entries, header;
};

TEST(KernelTuner, SuspicionsAreSaid) {
  const auto times = [](const std::string& list, const std::string& rest = "") {
    return entry("32,1", "\"time\": 2.5, \"times\": [" + list + "]" + rest);
  };
  for (const Strange& s : std::vector<Strange>{
           {"same-times", times("2.5, 2.5, 2.5, 2.5, 2.5, 2.5"), ""},
           {"few-samples", times("2.5, 2.6, 2.4"), ""},
           {"first-slow", times("9.5, 2.5, 2.5, 2.4, 2.5, 2.6, 2.5"), ""},
           {"summary-differs", times("5.0, 5.1, 5.0, 5.1, 5.0, 5.1, 5.0"), ""},
           {"time-not-positive", times("2.5, 0, 2.5, 2.6, 2.4, 2.5, 2.5, -1"), ""},
           {"longer-than-measuring",
            times("2.5, 2.6, 2.4, 2.5, 2.5, 2.5", ", \"benchmark_time\": 0.2"), ""},
           {"only-a-summary", entry("32,1", "\"time\": 2.5"), ""},
           {"unlikely-time", entry("32,1", "\"time\": 2.5e-5"), ""},
           {"unlikely-time", entry("32,1", "\"time\": 2500000"), ""},
           {"not-a-time", entry("32,1", "\"GFLOP/s\": 2500, \"time\": 2.5, \"times\": [2.5]"),
            "\"objective\": \"GFLOP/s\",\n"},
           {"several-objectives", times("2.5"), "\"objective\": [\"time\", \"energy\"],\n"},
           {"same-configuration",
            times("2.5") + "\n\"again\": {\"block_size_x\": 32, \"tile\": 1, \"time\": 3}", ""},
           {"no-entry", times("2.5") + "\n\"64,1\": {\"block_size_x\": 64, \"time\": 3}", ""},
           {"no-entry", times("2.5") + "\n\"64,1\": 3", ""},
           {"repeated-time",
            entry("1,1", "\"time\": 2") + entry("2,1", "\"time\": 2") +
                entry("3,1", "\"time\": 2") + entry("4,1", "\"time\": 2"),
            ""}}) {
    const TunerResult r = read(closed(cache(s.entries, s.header)));
    EXPECT_TRUE(has_code(r, s.code))
        << s.code << " is not among " << testing::PrintToString(codes(r)) << "\n"
        << s.entries;
  }
}

TEST(KernelTuner, SuspiciousParameters) {
  auto with = [](const std::string& name, const std::string& value) {
    return read(
        "{\"device_name\": \"x\", \"kernel_name\": \"k\", \"problem_size\": \"callable\", "
        "\"tune_params_keys\": [\"" +
        name + "\"], \"cache\": {\"1\": {\"" + name + "\": " + value + ", \"time\": 2}}}");
  };
  EXPECT_TRUE(has_code(with("nvml_gr_clock", "1410"), "clocks-varied"));
  EXPECT_TRUE(has_code(with("temporal_tiling_factor", "2"), "several-steps"));
  EXPECT_TRUE(has_code(with("loop_unroll_factor_x", "0"), "unroll-zero"));
  EXPECT_FALSE(has_code(with("loop_unroll_factor_x", "1"), "unroll-zero"));
  EXPECT_TRUE(has_code(with("tile", "1"), "problem-size"));
  EXPECT_THAT(with("half", "true").rows[0].values, ElementsAre("1"));
  EXPECT_THAT(with("x", "16.0").rows[0].values, ElementsAre("16"));
  EXPECT_THAT(with("x", "0.25").rows[0].values, ElementsAre("0.25"));
}

std::string t4(const std::string& results, const std::string& more = "") {
  return "{\"results\": [" + results + "], \"schema_version\": \"1.0.0\"" + more + "}";
}
std::string t4_result(const std::string& rest, int tile = 1) {
  return "{\"configuration\": {\"block_size_x\": 32, \"tile\": " + std::to_string(tile) + "}, " +
         rest + "}";
}

TEST(T4, TimesAndInvalidity) {
  const std::string times =
      "\"times\": {\"compilation_time\": 600, \"runtimes\": [2.4, 2.6, 2.5, 2.45, 2.55, 2.5]}, "
      "\"correctness\": 1, \"objectives\": [\"time\"], \"measurements\": [{\"name\": \"time\", "
      "\"value\": 2.5, \"unit\": \"\"}]";
  const std::string failed = "\"times\": {}, \"correctness\": 0, \"invalidity\": ";
  const TunerResult r = read(t4(
      t4_result("\"invalidity\": \"correct\", " + times) + "," +
      t4_result(failed + "\"timeout\"", 2) + "," + t4_result(failed + "\"compile\"", 3) + "," +
      t4_result(failed + "\"runtime\"", 4) + "," + t4_result(failed + "\"constraints\"", 5) + "," +
      t4_result(failed + "\"correctness\"", 6) + "," + t4_result(failed + "\"correct\"", 7)));
  EXPECT_EQ(r.format, "T4 1.0.0");
  ASSERT_EQ(r.rows.size(), 7u);
  EXPECT_DOUBLE_EQ(*r.rows[0].median_us, 2500);
  std::vector<std::string> statuses;
  for (const TunerRow& row : r.rows) statuses.push_back(row.status);
  EXPECT_THAT(statuses, ElementsAre("ok", "timeout", "compile_failed", "launch_failed", "refused",
                                    "wrong_result", "wrong_result"));
  EXPECT_TRUE(has_code(r, "unit-assumed"));
}

TEST(T4, Units) {
  auto with = [](const std::string& unit, const std::string& more, const TunerOptions& o) {
    return read(t4(t4_result("\"invalidity\": \"correct\", \"correctness\": 1, \"objectives\": "
                             "[\"time\"], \"times\": {}, \"measurements\": [{\"name\": \"time\", "
                             "\"value\": 3, \"unit\": \"" +
                             unit + "\"}]"),
                   more),
                o);
  };
  EXPECT_DOUBLE_EQ(*with("ms", "", {}).rows[0].median_us, 3000);
  EXPECT_DOUBLE_EQ(*with("s", "", {}).rows[0].median_us, 3e6);
  EXPECT_DOUBLE_EQ(*with("us", "", {}).rows[0].median_us, 3);
  EXPECT_FALSE(has_code(with("us", "", {}), "unit-assumed"));
  const std::string meta = ", \"metadata\": {\"timeunit\": \"milliseconds\"}";
  EXPECT_DOUBLE_EQ(*with("", meta, {}).rows[0].median_us, 3000);
  const TunerResult other = with("s", meta, {});
  EXPECT_TRUE(has_code(other, "other-unit"));
  EXPECT_THAT(other.rows[0].suspicions, testing::Contains("other-unit"));
  const TunerResult forced = with("ms", "", {"", "us"});
  EXPECT_DOUBLE_EQ(*forced.rows[0].median_us, 3);
  EXPECT_TRUE(has_code(forced, "unit-changed"));
  auto wrong = read_tuner_file("f",
                               t4(t4_result("\"times\": {}, \"measurements\": [{\"name\": "
                                            "\"time\", \"value\": 3, \"unit\": \"GB/s\"}]")),
                               {});
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message, HasSubstr("'GB/s' is no unit"));
}

TEST(MedianInterval, RanksOfTheBinomial) {
  MedianInterval m;
  EXPECT_FALSE(median_interval({1, 2, 3, 4, 5}, m));
  for (const auto& [n, rank] :
       // Standard tables: ranks of the 95 % interval of the median.
       std::vector<std::pair<size_t, size_t>>{
           {6, 1}, {8, 1}, {9, 2}, {20, 6}, {25, 8}, {100, 40}, {1000, 469}, {5000, 2430}}) {
    std::vector<double> v(n);
    std::iota(v.begin(), v.end(), 1.0);
    ASSERT_TRUE(median_interval(v, m));
    EXPECT_NEAR(m.lo, static_cast<double>(rank), n > 1000 ? 1 : 0) << n;
    EXPECT_NEAR(m.hi, static_cast<double>(n + 1 - rank), n > 1000 ? 1 : 0) << n;
    EXPECT_DOUBLE_EQ(m.median, static_cast<double>(n + 1) / 2);
  }
  EXPECT_TRUE(std::isnan(median_of({})));
}

TEST(Import, ATemplateAsTheTunerCompiles) {
  TunerResult tuned = read(closed(cache(entry("32,1", kTimes) + entry("64,2", kTimes))));
  tuned.problem_size = {"4096 // 2", "2048"};
  const std::string text = tuned_template(
      tuned, "blur", {"blur.cu", "", "sm_80", {"-I", "a \"b\""}, {"block_size_x*tile", "", ""}});
  Diagnostics found;
  Template t = read_template(SourceText("t.variants.toml", text), found);
  ASSERT_EQ(found.errors(), 0u) << text << found.items()[0].message;
  EXPECT_EQ(t.entry, "blur");
  EXPECT_THAT(t.options, ElementsAre("-I", "a \"b\""));
  auto list = tuned_configurations(tuned, t, found);
  ASSERT_TRUE(list.ok());
  ASSERT_EQ(list->size(), 2u);
  EXPECT_EQ((*list)[1].name, "block_size_x64_tile2");
  const VariantSpec spec = spec_of(t, (*list)[1], {}, "", found);
  ASSERT_EQ(found.errors(), 0u) << found.items()[0].message;
  EXPECT_EQ(spec.spec.sizes[0].values.at("problem_size_x"), 2048);
  device::ResolvedLaunch launch;
  ASSERT_TRUE(device::resolve_launch(spec.spec, spec.spec.sizes[0].values, launch).ok());
  EXPECT_THAT(launch.grid, ElementsAre(16, 2048, 1));
  EXPECT_THAT(launch.block, ElementsAre(64, 1, 1));
  const Macros macros = macros_of(t, (*list)[1], spec.spec, found);
  const std::map<std::string, std::string> by_name(macros.begin(), macros.end());
  EXPECT_EQ(by_name.at("block_size_x"), "64");
  EXPECT_EQ(by_name.at("block_size_y"), "1");
  EXPECT_EQ(by_name.at("tile"), "2");
  EXPECT_EQ(by_name.at("kernel_tuner"), "1");
  EXPECT_EQ(by_name.at("grid_size_x"), "16");
  EXPECT_EQ(by_name.at("grid_size_y"), "2048");
}

TEST(Import, FilesTogether) {
  TunerResult a = read(closed(cache(entry("32,1", kTimes) + entry("64,1", kTimes))));
  TunerResult b = read(closed(cache(entry("64,1", kTimes) + entry("64,2", kTimes))));
  b.device = "MI250X";
  auto joined = join({a, b}, "blur");
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(joined->rows.size(), 4u);
  EXPECT_THAT(joined->targets, ElementsAre("sm_80", ""));
  EXPECT_TRUE(has_code(joined->files[1], "unknown-gpu"));
  EXPECT_EQ(joined->rows[1].tuned.variant, joined->rows[2].tuned.variant);
  EXPECT_EQ(together(*joined).rows.size(), 3u);
  ManifestResult m;
  m.compiler = "nvcc";
  VariantResult v;
  v.target = "sm_80";
  v.values = {"64", "1"};
  v.ptx_hash = "abc";
  v.launchable = "no";
  v.launches = {{"tuned", {2, 1, 1}, {64, 1, 1}, {1, 1, 1}, 16}};
  m.variants = {v};
  add_compiled(m, *joined);
  EXPECT_EQ(joined->rows[1].ptx_hash, "abc");
  EXPECT_EQ(joined->rows[1].block[0], 64u);
  EXPECT_EQ(joined->rows[2].ptx_hash, "") << "of another GPU";
  b.parameters[1] = "other";
  EXPECT_THAT(join({a, b}, "blur").error().message, HasSubstr("other parameters"));
}

TEST(Import, ATemplateOfTheUsers) {
  const TunerResult tuned = read(closed(cache(entry("32,1", kTimes))));
  Diagnostics found;
  Template t = read_template(
      SourceText("t", "name = \"f\"\nsource = \"f.cu\"\n[parameters]\ntile = [9]\nMODE = 3\n"),
      found);
  auto list = tuned_configurations(tuned, t, found);
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(values_text(t, (*list)[0]), "block_size_x=32 tile=1 MODE=3");
  t.parameters.push_back({"X", {number_value(1), number_value(2)}});
  EXPECT_THAT(tuned_configurations(tuned, t, found).error().message, HasSubstr("no parameter 'X'"));
  TunerResult odd = tuned;
  odd.parameters[0] = "a b";
  EXPECT_THAT(tuned_configurations(odd, t, found).error().message, HasSubstr("cannot be a macro"));
}

}  // namespace
}  // namespace pitot::variants
