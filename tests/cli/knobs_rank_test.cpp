// `pitot knobs sweep --features` and `pitot knobs rank`: orders of the ranker, before and after
// measurements, as `knobs compare` reads them.
#include <sstream>

#include "cli_test_util.h"
#include "predict/xgboost_api.h"
#include "unit/predict/synthetic.h"

namespace pitot::cli::test::knobs_rank_test {
namespace {

// Each thread of a block of BLOCK writes one element of n * n, WORK times.
std::string writing(const std::string& target) {
  return ".version 8.0\n.target " + target +
         "\n.address_size 64\n.visible .entry fill(.param .u64 p, .param .u32 n)\n{\n"
         ".reg .pred %p<3>;\n.reg .b64 %rd<4>;\n.reg .b32 %r<8>;\nld.param.u64 %rd0, [p];\n"
         "ld.param.u32 %r0, [n];\nmul.lo.u32 %r0, %r0, %r0;\nmov.u32 %r1, %ctaid.x;\n"
         "mov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r4, %r1, %r2, %r3;\n"
         "setp.ge.u32 %p1, %r4, %r0;\n@%p1 bra DONE;\nmul.wide.u32 %rd1, %r4, 4;\n"
         "add.s64 %rd2, %rd0, %rd1;\nmov.u32 %r5, 0;\nLOOP:\nadd.u32 %r5, %r5, 1;\n"
         "st.global.u32 [%rd2], %r5;\nsetp.lt.u32 %p2, %r5, ${WORK};\n@%p2 bra LOOP;\nDONE:\n"
         "ret;\n}\n";
}
constexpr const char* kTemplate =
    "schema = \"pitot.template/1\"\nname = \"fill_small\"\nsource = \"fill.ptx\"\nentry = "
    "\"fill\"\nregister_cap = \"CAP\"\n[parameters]\nBLOCK = [64, 256]\nCAP = [0, 32]\nWORK = [1, "
    "8]\n[launch]\ngrid = [\"ceil_div(n * n, BLOCK)\"]\nblock = \"BLOCK\"\n"
    "[[sizes]]\nkind = \"a\"\nn = 300\n[[sizes]]\nkind = \"b\"\nn = 700\n"
    "[[args]]\nname = \"p\"\nkind = \"buffer\"\ntype = \"u32\"\ncount = \"n * n\"\nrole = \"out\"\n"
    "[[args]]\nname = \"n\"\nkind = \"scalar\"\ntype = \"u32\"\nvalue = \"n\"\n";

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const std::string& csv) {
  Rows out;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    auto& row = out.emplace_back();
    std::istringstream fields(line);
    for (std::string f; std::getline(fields, f, ',');) row.push_back(f);
  }
  return out;
}

class KnobsRank : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    file("fill.ptx", writing("sm_90"));
    file("fill.variants.toml", kTemplate);
  }
  void sweep() {
    const auto r = pitot({"knobs", "sweep", "fill.variants.toml", "--device", "emu", "--gpu",
                          "H200", "-o", "s.csv", "--features", "f.csv"});
    ASSERT_EQ(r.exit_code, 0) << r.err;
  }
  // The sweep's rows with times of `time`, microseconds by the settings' texts.
  template <class Time>
  void measure_as(const Time& time) {
    Rows rows = rows_of(text_of("s.csv"));
    std::string out;
    for (size_t r = 0; r < rows.size(); ++r) {
      const std::string ms =
          r == 0 ? "" : std::to_string(time(rows[r][2], rows[r][4], rows[r].back()) / 1e3);
      for (size_t c = 0; c < rows[r].size(); ++c)
        out += (c > 0 ? "," : "") + (r > 0 && c >= 8 && c <= 11 ? ms : rows[r][c]);
      out += "\n";
    }
    file("m.csv", out);
  }
  // kernel, matrix_size, seed, rank and knobs, without the header.
  static Rows orders(const std::string& csv) {
    Rows rows = rows_of(csv);
    rows.erase(rows.begin());
    return rows;
  }
};

TEST_F(KnobsRank, TheUntrainedScoreIsTheModelledTime) {
  sweep();
  const Rows features = rows_of(text_of("f.csv"));
  ASSERT_EQ(features.size(), 1u + 16);
  EXPECT_EQ(std::vector<std::string>(features[0].begin(), features[0].begin() + 9),
            (std::vector<std::string>{"kernel", "matrix_size", "block_size", "reg_cap", "work",
                                      "gpu", "target", "compiler", "total_instructions"}));
  EXPECT_EQ(features[1][5], "H200 SXM 141GB");
  EXPECT_EQ(features[1][6], "sm_90");
  const auto r = pitot({"knobs", "rank", "s.csv", "f.csv", "--model", "none", "-o", "none.csv"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const Rows ranked = orders(text_of("none.csv"));
  ASSERT_EQ(ranked.size(), 16u);
  // Against the times that the sweep wrote.
  std::map<std::string, double> times;
  for (const auto& row : rows_of(text_of("s.csv")))
    if (row[0] == "fill")
      times[row[1] + " " + row[2] + " " + row[4] + " " + row.back()] = std::stod(row[8]);
  double before = 0;
  for (size_t i = 0; i < ranked.size(); ++i) {
    const auto& o = ranked[i];
    EXPECT_EQ(o[3], std::to_string(i % 8));
    const double time = times.at(o[1] + " " + o[4] + " " + o[5] + " " + o[6]);
    if (i % 8 > 0) {
      EXPECT_GE(time, before);
    }
    before = time;
  }
  const Json p = Json::parse(text_of("none.provenance.json"));
  EXPECT_EQ(p["schema"], "pitot.knobs-rank/1");
  EXPECT_EQ(p["features"], "f.csv");
  EXPECT_EQ(p["measured"], 0);
  // Only the first ones, if so wished; and other searches are held against it.
  const auto first = pitot({"knobs", "rank", "s.csv", "f.csv", "--model", "none", "--first", "3"});
  EXPECT_EQ(orders(first.out).size(), 6u);
  const auto compared = pitot({"knobs", "compare", "s.csv", "--orders", "ranker=none.csv",
                               "--budgets", "1", "--seeds", "5", "-f", "json"});
  ASSERT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_EQ(Json::parse(compared.out)["summaries"][4]["regret"], 0);
}

TEST_F(KnobsRank, WhatRunsAlikeIsMeasuredOnce) {
  // Neither cap binds a kernel of so few registers: four kinds, each there with both.
  sweep();
  const auto r = pitot({"knobs", "rank", "s.csv", "f.csv", "--model", "none", "--distinct"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const Rows ranked = orders(r.out);
  ASSERT_EQ(ranked.size(), 16u);
  for (size_t o = 0; o < 16; o += 4) {
    std::set<std::string> kinds;
    for (size_t i = o; i < o + 4; ++i) kinds.insert(ranked[i][4] + " " + ranked[i][6]);
    EXPECT_EQ(kinds.size(), 4u) << o;
  }
  // Without it a cap follows the other, since they take the same time.
  const Rows all = orders(pitot({"knobs", "rank", "s.csv", "f.csv", "--model", "none"}).out);
  EXPECT_EQ(all[0][4] + all[0][6], all[1][4] + all[1][6]);
  EXPECT_NE(all[0][5], all[1][5]);
}

TEST_F(KnobsRank, LearnsFromWhatWasMeasured) {
  if (!predict::load_xgboost().ok()) GTEST_SKIP() << predict::load_xgboost().error().message;
  sweep();
  // What the model cannot know: with a cap of 32 everything takes ten times as long.
  measure_as([](const std::string& block, const std::string& cap, const std::string& work) {
    return std::stod(block) / 64 + std::stod(work) + (cap == "32" ? 100 : 0);
  });
  const auto data = predict::test::synthetic({.families = 3, .variants = 25});
  for (const std::string& f : data.families()) {
    const auto csv = predict::test::csv_of(data, f);
    file("data/" + f + ".csv", csv.rows);
    file("data/" + f + ".features.csv", csv.features);
  }
  ASSERT_EQ(pitot({"train", "data", "-o", "model.json"}).exit_code, 0);
  const auto ranked = [&](std::vector<std::string> more) {
    std::vector<std::string> line = {"knobs", "rank", "m.csv", "f.csv", "--model", "model.json"};
    line.insert(line.end(), more.begin(), more.end());
    return pitot(line);
  };
  const auto before = ranked({});
  ASSERT_EQ(before.exit_code, 0) << before.err;
  const std::vector<std::string> few = {"--measured", "3", "--data", "data"};
  const auto after = ranked(few);
  ASSERT_EQ(after.exit_code, 0) << after.err;
  EXPECT_EQ(ranked(few).out, after.out);
  const Rows was = orders(before.out), is = orders(after.out);
  ASSERT_EQ(was.size(), 16u);
  ASSERT_EQ(is.size(), 16u);
  // The first three are the model's own, and stay where they were measured.
  for (size_t i = 0; i < 16; ++i)
    if (i % 8 < 3) {
      EXPECT_EQ(is[i], was[i]);
    }
  // Every configuration is there once, in every draw.
  const auto drawn = ranked({"--measured", "6", "--draws", "4", "--data", "data", "-o", "d.csv"});
  ASSERT_EQ(drawn.exit_code, 0) << drawn.err;
  const Rows draws = orders(text_of("d.csv"));
  ASSERT_EQ(draws.size(), 4u * 16);
  size_t right = 0, wrong = 0;
  for (size_t o = 0; o < draws.size(); o += 8) {
    std::set<std::string> settings;
    for (size_t i = o; i < o + 8; ++i)
      settings.insert(draws[i][4] + " " + draws[i][5] + " " + draws[i][6]);
    EXPECT_EQ(settings.size(), 8u);
    // Of the two that are left, the one without the cap first: that is what was measured.
    if (draws[o + 6][5] != draws[o + 7][5]) ++(draws[o + 6][5] == "0" ? right : wrong);
  }
  EXPECT_GT(right, wrong);
  const Json p = Json::parse(text_of("d.provenance.json"));
  EXPECT_EQ(p["draws"], 4);
  EXPECT_EQ(p["families"].size(), 3u);
  EXPECT_FALSE(p["xgboost"].get<std::string>().empty());
  EXPECT_EQ(p["data_hash"], p["model_data_hash"]);
}

TEST_F(KnobsRank, RefusesWhatTheModelWasNotMadeForAndWhatItCannotRead) {
  file("fill.ptx", writing("sm_80"));
  sweep();
  const auto r = pitot({"knobs", "rank", "s.csv", "f.csv"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("default was not made for this: it is for sm_80"));
  const auto measured =
      pitot({"knobs", "rank", "s.csv", "f.csv", "--model", "none", "--measured", "5"});
  EXPECT_EQ(measured.exit_code, 2);
  EXPECT_THAT(measured.err, HasSubstr("--measured wants --data"));
  std::string features = text_of("f.csv");
  features.replace(features.find("total_instructions"), 18, "some_instructions!");
  file("bad.csv", features);
  const auto bad = pitot({"knobs", "rank", "s.csv", "bad.csv", "--model", "none"});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.err, HasSubstr("there is no column 'total_instructions'"));
  features = text_of("f.csv");
  for (size_t at; (at = features.find("fill,")) != std::string::npos;)
    features.replace(at, 5, "gemm,");
  file("other.csv", features);
  EXPECT_THAT(pitot({"knobs", "rank", "s.csv", "other.csv", "--model", "none"}).err,
              HasSubstr("none of it belongs to the sweep"));
  features = text_of("f.csv");
  features += features.substr(features.find('\n') + 1);
  file("twice.csv", features);
  EXPECT_THAT(pitot({"knobs", "rank", "s.csv", "twice.csv", "--model", "none"}).err,
              HasSubstr("this configuration was there before"));
  EXPECT_EQ(pitot({"knobs", "sweep", "fill.variants.toml", "--features", "f.csv"}).exit_code, 2);
}

TEST_F(KnobsRank, FoldersThatWereMadeStandForTheirTemplates) {
  ASSERT_EQ(pitot({"variants", "fill.variants.toml", "-o", "made/fill"}).exit_code, 0);
  const auto made = pitot({"knobs", "sweep", "made/fill", "--device", "emu", "-o", "-"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.out,
            pitot({"knobs", "sweep", "fill.variants.toml", "--device", "emu", "-o", "-"}).out);
  const auto none = pitot({"knobs", "sweep", "made", "--device", "emu", "-o", "-"});
  EXPECT_EQ(none.exit_code, 2);
}

}  // namespace
}  // namespace pitot::cli::test::knobs_rank_test
