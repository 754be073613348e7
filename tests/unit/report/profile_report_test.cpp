// Every output format of `profile`; the text of one listing as a whole.
#include "report/profile_report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "device/prepare.h"
#include "profile/profile.h"
#include "ptx/parser.h"
#include "support/file.h"

namespace pitot::report {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

// The tiled transpose of kernels/ at 512 × 512, or a kernel from `ptx` in its place.
profile::ProfileResult transpose(const char* gpu = "H200") {
  const std::string folder = PITOT_SOURCE_DIR "/kernels/cuda/transpose/";
  Diagnostics found;
  const auto spec = device::read_spec(
      SourceText("transpose.kernel.toml", *read_file(folder + "transpose.kernel.toml")), found);
  auto module = std::make_shared<ptx::Module>(
      ptx::parse("transpose.sm90.ptx", *read_file(folder + "transpose.sm90.ptx")));
  auto program = emulator::load(module);
  const auto kernel = program->find_kernel(spec.entry);
  const device::SizeSpec size{"full", {{"rows", 512}, {"cols", 512}}};
  auto ready = device::prepare(*program, *kernel, spec, size, 1, true);
  EXPECT_TRUE(ready);
  profile::ProfileOptions options;
  options.gpu = *arch::find_gpu(gpu);
  options.registers = 26;  // the estimate may become better
  options.registers_from = "given";
  auto r = profile::profile(*program, *kernel, ready->launch, *ready->memory, options);
  EXPECT_TRUE(r);
  r->size_text = device::size_text(size);
  return std::move(*r);
}

TEST(ProfileReport, ShortNumbers) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(999), "999");
  EXPECT_EQ(short_number(1000), "1.00k");
  EXPECT_EQ(short_number(12345), "12.3k");
  EXPECT_EQ(short_number(999600), "1.00M");
  EXPECT_EQ(short_number(2.5e12), "2.50T");
}

TEST(ProfileReport, TextIsTheGoldenListing) {
  const std::string path = PITOT_SOURCE_DIR "/tests/data/report/profile_transpose.txt";
  const std::string text = profile_text(transpose(), {true, 12}, {});
  if (std::getenv("PITOT_REBASE") != nullptr) {
    ASSERT_TRUE(write_file(path, text));
  }
  EXPECT_EQ(text, *read_file(path));
}

TEST(ProfileReport, JsonHasWhatTheCommandLinePromises) {
  const auto r = transpose();
  const Json j = Json::parse(profile_json({r}));
  EXPECT_EQ(j["schema"], "pitot.profile/1");
  EXPECT_EQ(j["ok"], true);
  EXPECT_EQ(j["blocks"], 256);
  EXPECT_EQ(j["totals"]["global_sectors"], 2 * 512 * 512 * 4 / 32);
  EXPECT_EQ(j["totals"]["bank_conflicts"], 0);
  double sum = 0;
  for (const auto& line : j["lines"]) sum += line["warp_instructions"].get<double>();
  EXPECT_EQ(sum, j["totals"]["warp_instructions"].get<double>());
  EXPECT_EQ(j["bound"], j["bounds"][0]["resource"]);
  EXPECT_TRUE(j["ncu"].contains("lts__t_sector_hit_rate.pct"));
}

TEST(ProfileReport, JsonHasOneShapeHoweverManySizes) {
  const auto r = transpose();
  auto other = r;
  other.size_text = "rows=1";
  Json one = Json::parse(profile_json({r})), two = Json::parse(profile_json({r, other}));
  ASSERT_EQ(one["runs"].size(), 1u);
  ASSERT_EQ(two["runs"].size(), 2u);
  EXPECT_EQ(two["runs"][0], one["runs"][0]);
  EXPECT_EQ(two["runs"][1]["size"], "rows=1");
  EXPECT_EQ(two["runs"][1]["totals"], one["totals"]);
  one.erase("runs");
  two.erase("runs");
  EXPECT_EQ(one, two);  // the first one's
  EXPECT_TRUE(one.contains("lines") && one.contains("totals"));
  other.faults.emplace_back();
  two = Json::parse(profile_json({r, other}));
  EXPECT_EQ(two["ok"], false);
  EXPECT_EQ(two["runs"][0]["ok"], true);
}

TEST(ProfileReport, WhatIsNotKnownIsNull) {
  const auto r = transpose("A100");
  const Json j = Json::parse(profile_json({r}));
  for (const char* key : {"bound", "cycles", "estimated_cycles", "seconds", "block_cycles"}) {
    ASSERT_TRUE(j.contains(key)) << key;
    EXPECT_TRUE(j[key].is_null()) << key;
  }
  EXPECT_TRUE(j["totals"]["wait_cycles"].is_null());
  EXPECT_TRUE(j["ncu"]["sm__throughput.avg.pct_of_peak_sustained_active"].is_null());
  EXPECT_FALSE(j["ncu"]["lts__t_sector_hit_rate.pct"].is_null());
  const std::string text = profile_text(r, {true, 0}, {});
  EXPECT_THAT(text, HasSubstr("bound by -; estimate -\n"));
  EXPECT_THAT(text, HasSubstr("note: latency: the latencies of this GPU's memory are not known"));
  EXPECT_THAT(text, testing::Not(HasSubstr("µs")));
  EXPECT_THAT(text, testing::Not(HasSubstr("%  results")));
  EXPECT_THAT(profile_csv({r}), HasSubstr(",\n"));
}

TEST(ProfileReport, CsvHasARowALineAndATotal) {
  const auto r = transpose();
  const std::string csv = profile_csv({r});
  const auto rows = static_cast<size_t>(std::count(csv.begin(), csv.end(), '\n'));
  EXPECT_EQ(rows, r.lines.size() + 2);
  EXPECT_THAT(csv, HasSubstr("kernel,size,gpu,line,text,share,warp_instructions,"));
  EXPECT_THAT(csv, HasSubstr(",total,,1,"));
  EXPECT_THAT(csv, HasSubstr("\"ld.global.nc.f32  "));  // quoted: it has commas
}

TEST(ProfileReport, HostileTextStaysText) {
  auto r = transpose();
  r.kernel = "<script>k";
  r.lines[0].text = "a<b>&\"c\"";
  const std::string html = profile_html({r});
  EXPECT_THAT(html, testing::Not(HasSubstr("<script>k")));
  EXPECT_THAT(html, HasSubstr("a&lt;b&gt;&amp;"));
  EXPECT_THAT(html, HasSubstr("<!doctype html>"));
  r.kernel = "k,\"x";
  EXPECT_THAT(profile_csv({r}), HasSubstr("\"k,\"\"x\""));
}

TEST(ProfileReport, FaultsTakeThePlaceOfNumbers) {
  profile::ProfileResult r;
  r.kernel = "k";
  r.ptx = "k.ptx";
  r.faults.push_back({"out-of-bounds", "read of 4 bytes", 7, {1, 2, 3}, {4, 5, 6}});
  EXPECT_THAT(profile_text(r, {}, {}),
              HasSubstr("fault[out-of-bounds] read of 4 bytes\n  --> k.ptx:7  block (4, 5, 6), "
                        "thread (1, 2, 3)"));
  const Json j = Json::parse(profile_json({r}));
  EXPECT_EQ(j["ok"], false);
  EXPECT_FALSE(j.contains("totals"));
  EXPECT_THAT(profile_html({r}), HasSubstr("out-of-bounds"));
}

TEST(ProfileReport, UnknownFiguresAreNull) {
  profile::ProfileResult r;
  r.bounds.push_back({"dram", std::nullopt, "not known"});
  const Json j = Json::parse(profile_json({r}));
  EXPECT_TRUE(j["cycles"].is_null());
  EXPECT_TRUE(j["bounds"][0]["cycles"].is_null());
  EXPECT_THAT(profile_text(r, {}, {}), HasSubstr("not known"));
}

}  // namespace
}  // namespace pitot::report
