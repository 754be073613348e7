// Every output format of `measure` and `compare`; texts as a whole.
#include "report/measure_report.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/file.h"

namespace pitot::report::measure_report_test {
namespace {

using Json = nlohmann::json;
using measure::CompareRecord;
using measure::MeasureRecord;
using measure::Verdict;
using testing::HasSubstr;

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = PITOT_SOURCE_DIR "/tests/data/report/" + name;
  if (std::getenv("PITOT_REBASE") != nullptr) {
    ASSERT_TRUE(write_file(path, text));
  }
  auto golden = read_file(path);
  ASSERT_TRUE(golden.ok()) << path;
  EXPECT_EQ(text, *golden);
}

MeasureRecord measured() {
  MeasureRecord r;
  r.spec = "kernels/cuda/saxpy/saxpy.kernel.toml";
  r.ptx = "kernels/cuda/saxpy/saxpy.sm90.ptx";
  r.kernel = "saxpy";
  r.size_text = "n=1048576";
  r.size_kind = "full";
  r.ptx_hash = "0123456789abcdef";
  r.spec_hash = "fedcba9876543210";
  r.grid = {4096, 1, 1};
  r.block = {256, 1, 1};
  r.producer = "NVIDIA NVVM Compiler";
  r.target = "sm_90";
  r.device = "cuda:0";
  r.gpu = "NVIDIA H200";
  r.driver = "580.95";
  r.tool = "0.1.0";
  r.capability = 90;
  r.protocol = "graph/1 warm batch=1ms";
  r.seed = 7;
  r.started = "2026-01-31T12:00:00Z";
  r.ok = r.stable = r.narrow = true;
  // A hill from 5.2 to 5.5 µs and three samples far off.
  for (int i = 0; i < 100; ++i)
    r.samples.push_back(0.00535 + 0.00015 * std::sin(i * 0.37) * std::cos(i * 1.7));
  r.samples[10] = 0.0061;
  r.samples[50] = 0.0073;
  r.samples[51] = 0.0065;
  r.batch = 185;
  r.median = {0.00534712, 0.0053411, 0.0053568};
  r.mean = 0.00539;
  r.deviation = 0.00024;
  r.least = 0.00520312;
  r.most = 0.0073;
  r.outliers = 3;
  r.warmup_ms = 61.2;
  r.cycles = 9214;
  r.registers = 16;
  r.estimated_registers = 17;
  r.occupancy = 1;
  r.traffic_bytes = 12582912;
  r.before = {1980, 3201, 41, 310.4, 92, 30, 1e9, {}};
  r.after = {1965, 3201, 43, 355.1, 97, 40, 1e9, {}};
  return r;
}

CompareRecord compared(Verdict verdict) {
  CompareRecord c;
  c.a = c.b = measured();
  c.b.ptx = "saxpy.changed.ptx";
  c.b.registers = 40;
  c.b.local_bytes = 24;
  c.b.occupancy = 0.75;
  c.rounds = 160;
  c.placements = 8;
  c.verdict = verdict;
  c.noise_band = 0.0042;
  c.least_detectable = 0.0053;
  if (verdict == Verdict::kFaster) c.change = {-0.0213, -0.0241, -0.0187};
  if (verdict == Verdict::kSlower) c.change = {0.0213, 0.0187, 0.0241};
  if (verdict == Verdict::kSame) c.change = {0.0011, -0.0013, 0.0036};
  return c;
}

TEST(MeasureReport, TimesHaveTheDigitsThatTheirIntervalLeavesThem) {
  EXPECT_EQ(time_with_unit(0.10134, 0.0004), "101.34 µs");
  EXPECT_EQ(time_with_unit(0.10134, 0.004), "101.3 µs");
  EXPECT_EQ(time_with_unit(0.10134, 0.04), "101 µs");
  EXPECT_EQ(time_with_unit(12.5, 0.013), "12.500 ms");
  EXPECT_EQ(time_with_unit(1250, 1), "1.2500 s");
  EXPECT_EQ(time_with_unit(0.00052, 0.00001), "520 ns");
  EXPECT_EQ(time_with_unit(0.99996, 0.01), "1.000 ms");
  EXPECT_EQ(time_with_unit(3.14159, 0), "3.142 ms");
  EXPECT_EQ(time_with_unit(3.14159, INFINITY), "3.142 ms");
  EXPECT_EQ(time_with_unit(INFINITY, 1), "∞");
  EXPECT_EQ(time_with_unit(0, 0), "0.000000 ms");
}

TEST(MeasureReport, TextIsTheGoldenOne) {
  MeasureRecord noisy = measured();
  noisy.stable = noisy.narrow = false;
  noisy.cache = measure::CacheState::kCold;
  noisy.batch = 1;
  noisy.dynamic_shared = 65536;
  noisy.static_shared = 512;
  noisy.grid = {64, 8, 2};
  noisy.block = {16, 16, 1};
  noisy.register_cap = 32;
  noisy.local_bytes = 24;
  noisy.achieved_occupancy = 0.62;
  noisy.traffic_bytes.reset();
  noisy.cycles.reset();
  noisy.after.throttle_reasons = {"power cap", "thermal slowdown"};
  noisy.before.throttle_reasons = {"power cap"};
  MeasureRecord failed = measured();
  failed.ok = false;
  failed.samples.clear();
  failed.reason = "out-of-bounds: 4 bytes behind y were written";
  failed.before = failed.after = {};
  expect_golden("measure.txt",
                measure_text(measured(), {}) + measure_text(noisy, {}) + measure_text(failed, {}));
}

TEST(MeasureReport, ComparisonTextIsTheGoldenOne) {
  CompareRecord fault;
  fault.a = fault.b = measured();
  fault.b.samples.clear();
  fault.b.median = {};
  fault.reason = "B: misaligned-address: an illegal address was met";
  CompareRecord blind = compared(Verdict::kSame);
  blind.change.lo = -INFINITY;
  blind.change.hi = INFINITY;
  blind.noise_band = blind.least_detectable = INFINITY;
  blind.placements = 1;
  std::string text;
  for (const Verdict v : {Verdict::kFaster, Verdict::kSlower, Verdict::kSame})
    text += compare_text(compared(v), {});
  expect_golden("compare.txt", text + compare_text(blind, {}) + compare_text(fault, {}));
}

TEST(MeasureReport, ColourIsOnlyInk) {
  std::string plain = compare_text(compared(Verdict::kSlower), {}),
              coloured = compare_text(compared(Verdict::kSlower), {.colour = true});
  EXPECT_NE(plain, coloured);
  for (size_t at = 0; (at = coloured.find('\x1b')) != coloured.npos;)
    coloured.erase(at, coloured.find('m', at) - at + 1);
  EXPECT_EQ(plain, coloured);
}

TEST(MeasureReport, JsonHasWhatTheCommandLinePromises) {
  MeasureRecord failed;
  failed.kernel = "k";
  failed.reason = "trap";
  const Json j = Json::parse(measure_json({measured(), failed}));
  EXPECT_EQ(j["schema"], "pitot.measure/1");
  ASSERT_EQ(j["runs"].size(), 2u);
  const Json& run = j["runs"][0];
  EXPECT_EQ(run["kernel"], "saxpy");
  EXPECT_EQ(run["device"], "cuda:0");
  EXPECT_EQ(run["clock"], "measured");
  EXPECT_EQ(run["unit"], "ms");
  EXPECT_EQ(run["median"], 0.00534712);
  EXPECT_EQ(run["ci95"], Json::array({0.0053411, 0.0053568}));
  EXPECT_EQ(run["samples"], 100);
  EXPECT_EQ(run["cycles"], 9214);
  EXPECT_EQ(run["regs"], 16);
  EXPECT_EQ(run["seed"], 7);
  EXPECT_EQ(run["grid"], Json::array({4096, 1, 1}));
  EXPECT_EQ(run["after"]["temperature_c"], 43);
  EXPECT_EQ(run["reason"], nullptr);
  EXPECT_EQ(j["runs"][1]["ok"], false);
  EXPECT_EQ(j["runs"][1]["reason"], "trap");
  EXPECT_EQ(j["runs"][1]["median"], nullptr);
  EXPECT_EQ(j["runs"][1]["cycles"], nullptr);
}

TEST(MeasureReport, JsonLinesHaveTheSamples) {
  const std::string text = measure_jsonl({measured(), measured()});
  std::istringstream lines(text);
  std::string line;
  unsigned count = 0;
  while (std::getline(lines, line)) {
    const Json j = Json::parse(line);
    EXPECT_EQ(j["schema"], "pitot.measure/1");
    EXPECT_EQ(j["times"].get<std::vector<double>>(), measured().samples);
    ++count;
  }
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(measure_jsonl({}), "");
}

TEST(MeasureReport, ComparisonJson) {
  const Json one = Json::parse(compare_json({compared(Verdict::kSlower)}));
  EXPECT_EQ(one["schema"], "pitot.compare/1");
  EXPECT_EQ(one["verdict"], "slower");
  EXPECT_EQ(one["delta"], 0.0213);
  EXPECT_EQ(one["ci95"], Json::array({0.0187, 0.0241}));
  EXPECT_EQ(one["noise_band"], 0.0042);
  EXPECT_EQ(one["mde"], 0.0053);
  EXPECT_EQ(one["b"]["regs"], 40);
  CompareRecord fault;
  fault.reason = "B: timeout";
  const Json two = Json::parse(compare_json({compared(Verdict::kFaster), fault}));
  EXPECT_EQ(two["verdict"], "fault");
  EXPECT_EQ(two["pairs"][0]["verdict"], "faster");
  EXPECT_EQ(two["pairs"][1]["reason"], "B: timeout");
  EXPECT_EQ(two["pairs"][1]["delta"], nullptr);
  EXPECT_EQ(
      Json::parse(compare_json({compared(Verdict::kSame), compared(Verdict::kFaster)}))["verdict"],
      "faster");
  CompareRecord blind = compared(Verdict::kSame);
  blind.change.hi = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Json::parse(compare_json({blind}))["ci95"][1], nullptr);
}

std::vector<std::vector<std::string>> table(const std::string& csv) {
  std::vector<std::vector<std::string>> rows{{}};
  std::string field;
  bool quoted = false;
  for (size_t i = 0; i < csv.size(); ++i) {
    const char c = csv[i];
    if (quoted && c == '"' && csv[i + 1] == '"') {
      field += csv[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == ',' || c == '\n')) {
      rows.back().push_back(std::move(field));
      field.clear();
      if (c == '\n') rows.emplace_back();
    } else {
      field += c;
    }
  }
  rows.pop_back();
  return rows;
}

TEST(MeasureReport, CsvBeginsWithTheColumnsOfPublishedSweeps) {
  MeasureRecord square = measured();
  square.size_text = "k=64 m=64 n=64";
  square.reason = "a \"quoted\", reason";
  MeasureRecord failed;
  failed.size_text = "cols=3 rows=4";
  failed.reason = "trap";
  const auto rows = table(measure_csv({measured(), square, failed}));
  ASSERT_EQ(rows.size(), 4u);
  const std::vector<std::string> first(rows[0].begin(), rows[0].begin() + 16);
  EXPECT_THAT(
      first, testing::ElementsAre("kernel", "matrix_size", "block_size", "threads_per_block",
                                  "reg_cap", "est_regs", "actual_regs", "theor_occ", "time_ms_mean",
                                  "time_ms_std", "time_ms_min", "time_ms_max", "achieved_occ",
                                  "time_ms_median", "ci95_lo_ms", "ci95_hi_ms"));
  for (const auto& row : rows) ASSERT_EQ(row.size(), rows[0].size());
  auto cell = [&](size_t row, const std::string& column) {
    const auto at = std::find(rows[0].begin(), rows[0].end(), column);
    EXPECT_NE(at, rows[0].end()) << column;
    return rows[row][static_cast<size_t>(at - rows[0].begin())];
  };
  EXPECT_EQ(cell(1, "matrix_size"), "1048576");
  EXPECT_EQ(cell(2, "matrix_size"), "64");
  EXPECT_EQ(cell(3, "matrix_size"), "");
  EXPECT_EQ(cell(1, "threads_per_block"), "256");
  EXPECT_EQ(cell(1, "est_regs"), "17");
  EXPECT_EQ(cell(1, "time_ms_mean"), "0.00539");
  EXPECT_EQ(cell(1, "achieved_occ"), "");
  EXPECT_EQ(cell(1, "time_ms_median"), "0.00534712");
  EXPECT_EQ(cell(1, "gpu"), "NVIDIA H200");
  EXPECT_EQ(cell(1, "sm_clock_mhz_after"), "1965");
  EXPECT_EQ(cell(1, "ok"), "true");
  EXPECT_EQ(cell(2, "reason"), "a \"quoted\", reason");
  EXPECT_EQ(cell(3, "ok"), "false");
  EXPECT_EQ(cell(3, "time_ms_mean"), "");
  EXPECT_EQ(cell(3, "time_ms_median"), "");
}

TEST(MeasureReport, ComparisonCsv) {
  CompareRecord fault;
  fault.reason = "A: trap, line 3";
  const auto rows = table(compare_csv({compared(Verdict::kFaster), fault}));
  ASSERT_EQ(rows.size(), 3u);
  for (const auto& row : rows) ASSERT_EQ(row.size(), rows[0].size());
  EXPECT_EQ(rows[1][6], "faster");
  EXPECT_EQ(rows[1][7], "-0.0213");
  EXPECT_EQ(rows[2][6], "fault");
  EXPECT_EQ(rows[2][7], "");
  EXPECT_EQ(rows[2].back(), "A: trap, line 3");
}

}  // namespace
}  // namespace pitot::report::measure_report_test
