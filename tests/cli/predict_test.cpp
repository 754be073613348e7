// `train`, `predict` and `rank` as a user meets them: synthetic data, bare PTX, wrong uses, and the
// closed loop on a GPU that is none.
#include <algorithm>
#include <cstdlib>

#include "cli_test_util.h"
#include "predict/xgboost_api.h"
#include "support/csv_table.h"
#include "unit/predict/synthetic.h"

namespace pitot::cli::test {
namespace {

using predict::test::csv_of;
using predict::test::synthetic;

// f0 = x[i] · 2 · 2 …, so many times.
std::string body(unsigned operations) {
  std::string out = "ld.global.f32 %f0, [%rd1];\n";
  for (unsigned i = 0; i < operations; ++i) out += "fma.rn.f32 %f0, %f0, %f0, %f0;\n";
  return out;
}

class Predict : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    for (unsigned n : {1u, 400u, 50u, 1500u}) {
      const std::string name = "dots/v" + std::to_string(n);
      file(name + ".ptx", kernel_text(body(n), "sm_90"));
      std::string spec = spec_text();
      spec.replace(spec.find("k.ptx"), 5, "v" + std::to_string(n) + ".ptx");
      file(name + ".kernel.toml", spec);
    }
  }
  void write_data(const predict::Dataset& data) {
    std::filesystem::create_directories(folder_ / "data");
    for (const std::string& f : data.families()) {
      const auto csv = csv_of(data, f);
      file("data/" + f + ".csv", csv.rows);
      file("data/" + f + ".features.csv", csv.features);
    }
  }
  toolchain::ProcessResult fake_gpu(std::vector<std::string> arguments) {
    setenv("PITOT_CUDA_LIBRARY", "", 1);
    arguments.insert(arguments.begin(), PITOT_FAKE_GPU);
    toolchain::ProcessOptions options;
    options.directory = folder_.string();
    auto r = toolchain::run_process(arguments, options);
    unsetenv("PITOT_CUDA_LIBRARY");
    EXPECT_TRUE(r.ok());
    return r ? *r : toolchain::ProcessResult{};
  }
  static bool xgboost() { return predict::load_xgboost().ok(); }
};

std::vector<std::string> order_of(const Json& j) {
  std::vector<std::string> out;
  for (const auto& k : j["order"]) out.push_back(k["kernel"].get<std::string>());
  return out;
}

TEST_F(Predict, RankWithoutAModel) {
  const auto r =
      pitot({"rank", "dots", "--model", "none", "--top", "2", "--gpu", "H200", "-f", "json"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const Json j = Json::parse(r.out);
  EXPECT_EQ(first_key(r.out), "schema");
  EXPECT_EQ(j["schema"], "pitot.rank/1");
  EXPECT_EQ(j["recipe"], "untrained");
  EXPECT_EQ(order_of(j),
            (std::vector<std::string>{"dots/v1.kernel.toml", "dots/v50.kernel.toml",
                                      "dots/v400.kernel.toml", "dots/v1500.kernel.toml"}));
  EXPECT_EQ(j["measure"].size(), 2u);
  EXPECT_EQ(j["measure"][1], "dots/v50.kernel.toml");
  double before = 0;
  for (const auto& k : j["order"]) {
    EXPECT_GE(k["score"].get<double>(), before);
    before = k["score"].get<double>();
    EXPECT_TRUE(k["interval"][0].is_null());
    EXPECT_TRUE(k["ood"].is_null());
    EXPECT_TRUE(k["uncertain"].is_null());
    EXPECT_TRUE(k["emulated"].get<bool>());
    EXPECT_EQ(k["launchable"], "yes");
  }
  const auto text = pitot({"rank", "dots", "--model", "none", "--top", "2"});
  EXPECT_THAT(text.out, HasSubstr("untrained"));
  EXPECT_THAT(text.out, HasSubstr("measure those above"));
  EXPECT_THAT(pitot({"rank", "dots", "--model", "none", "-f", "csv"}).out,
              testing::StartsWith("path,kernel,size,"));
}

TEST_F(Predict, RowsWithPtxas) {
  setenv("PITOT_PTXAS", "/nowhere/ptxas", 1);
  const auto none = pitot({"features", "--rows", "dots", "--gpu", "H200", "--ptxas"});
  unsetenv("PITOT_PTXAS");
  EXPECT_EQ(none.exit_code, 3) << none.err;
  const auto r =
      pitot({"features", "--rows", "dots", "--gpu", "H200", "--ptxas", "--no-emulation"});
  if (r.exit_code == 3) GTEST_SKIP() << r.err;
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const SourceText source("rows.csv", r.out);
  Diagnostics found;
  const CsvTable table = read_csv(source, found);
  ASSERT_FALSE(table.rows.empty());
  for (const auto& row : table.rows) {
    const auto said = csv_number(row[*table.column("ptxas_registers")].text);
    ASSERT_TRUE(said.has_value());
    EXPECT_GE(*said, 4);
    // Occupancy is from what ptxas said.
    EXPECT_EQ(csv_number(row[*table.column("launch_registers")].text), said);
    EXPECT_GE(csv_number(row[*table.column("ptxas_code_bytes")].text).value_or(0), 128);
  }
}

TEST_F(Predict, BarePtxByATableOfLaunches) {
  file("ptx/a.ptx", kernel_text(body(300)));
  file("ptx/b.ptx", kernel_text(body(3)));
  file("l.csv",
       "kernel,grid_x,grid_y,block_x,block_y,size\na.ptx,64,1,32,1,2048\nb.ptx,64,1,32,1,2048\n");
  const auto r = pitot(
      {"rank", "ptx", "--launches", "l.csv", "--model", "none", "--gpu", "H200", "-f", "json"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(order_of(Json::parse(r.out)), (std::vector<std::string>{"ptx/b.ptx", "ptx/a.ptx"}));
  // Without a launch nothing can be said.
  const auto none = pitot({"rank", "ptx", "--model", "none"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("ptx/a.ptx: its launch is not known"));
  // Triton's JSON has the block; the grid is given.
  file("ptx/a.json", R"({"num_warps": 1, "shared": 0})");
  file("ptx/b.json", R"({"num_warps": 1, "shared": 0})");
  EXPECT_EQ(pitot({"rank", "ptx", "--model", "none", "--grid", "64"}).exit_code, 0);
  file("l.csv", "kernel,grid_x,grid_y,block_x,block_y,size\nmissing.ptx,64,1,32,1,2048\n");
  const auto missing = pitot({"rank", "ptx", "--launches", "l.csv", "--model", "none"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("missing.ptx"));
}

TEST_F(Predict, TheGateAsksTheModel) {
  file("before.ptx", kernel_text(body(2)));
  file("after.ptx", kernel_text(body(900)));
  file("pitot.toml",
       "[gate]\nallow = [\"structural\"]\n[[rule]]\nname = \"time\"\npredicted = { slower-at-most "
       "= \"5%\", grid = 1, block = 32, size = 32, gpu = \"H200\" }\n");
  const auto slower = pitot({"gate", "before.ptx", "after.ptx", "--no-ptxas", "--model", "none"});
  EXPECT_EQ(slower.exit_code, 1) << slower.err;
  EXPECT_THAT(slower.out, HasSubstr("slower by the analytic score, at most 5.0 % is allowed"));
  const auto faster = pitot({"gate", "after.ptx", "before.ptx", "--no-ptxas", "--model", "none"});
  EXPECT_EQ(faster.exit_code, 0) << faster.out << faster.err;
}

TEST_F(Predict, VariantsOfAManifest) {
  file("t.ptx", kernel_text("mov.f32 %f0, 0f0000000${A};\n", "sm_90"));
  file("t.variants.toml",
       "schema = \"pitot.template/1\"\nname = \"t\"\nsource = \"t.ptx\"\nentry = \"k\"\ntargets = "
       "[\"sm_90\"]\n[parameters]\nA = [1, 2, 3]\n[constraints]\nall = [\"A < 3\"]\n[launch]\ngrid "
       "= "
       "1\nblock = 32\n[[sizes]]\nkind = \"medium\"\nn = 32\n[[args]]\nname = \"p\"\nkind = "
       "\"buffer\"\ntype = \"f32\"\ncount = \"n\"\nrole = \"inout\"\n[[args]]\nname = \"n\"\nkind "
       "= \"scalar\"\ntype = \"u32\"\nvalue = \"n\"\n");
  std::filesystem::create_directories(folder_ / "made");
  const auto made = pitot({"variants", "t.variants.toml", "-o", "made", "--no-ptxas"});
  ASSERT_EQ(made.exit_code, 0) << made.err << made.out;
  // What is no variant of the manifest is not ranked.
  file("made/other.kernel.toml", spec_text());
  const auto r = pitot({"rank", "made", "--model", "none", "-f", "json"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(Json::parse(r.out)["order"].size(), 2u);
  EXPECT_THAT(r.err, HasSubstr("1 of 3 variants were not made"));
  file("made/manifest.json", "{}");
  EXPECT_EQ(pitot({"rank", "made", "--model", "none"}).exit_code, 2);
}

TEST_F(Predict, WrongUses) {
  struct {
    std::vector<std::string> line;
    int code;
    const char* text;
  } const cases[] = {
      {{"predict", "nothing.json", "dots"}, 2, "nothing.json"},
      {{"predict", "none", "nowhere"}, 2, "nowhere"},
      {{"predict", "none", "dots", "--gpu", "H2000"}, 2, "H2000"},
      {{"predict", "none", "dots/v1.kernel.toml", "--size", "7"}, 2, "no size 7"},
      {{"rank", "dots", "--top", "0"}, 2, "--top"},
      {{"train", "nowhere.csv"}, 2, "nowhere"},
      {{"features", "dots", "--ptxas"}, 2, "--ptxas is for --rows"},
      {{"train", "dots"}, 2, "no FAMILY.csv"},
      {{"train", "dots", "--recipe", "best"}, 2, "classic, pitot"},
      {{"train", "dots", "--without", "taste"}, 2, "no feature group 'taste'"},
      {{"train", "dots", "--recipe", "classic", "--order-objective", "rank:pairwise"},
       2,
       "has no stage that orders"},
      {{"train", "dots", "--append", "nowhere.db"}, 2, "nowhere.db"},
  };
  for (const auto& c : cases) {
    if (c.line[0] == "train" && c.code == 2 && !xgboost() && c.line[1] != "dots") continue;
    const auto r = pitot(c.line);
    EXPECT_EQ(r.exit_code, c.code) << r.err;
    EXPECT_THAT(r.err, HasSubstr(c.text));
  }
  file("m.json", R"({"schema": "pitot.model/2"})");
  EXPECT_THAT(pitot({"predict", "m.json", "dots"}).err, HasSubstr("not pitot.model/1"));
  setenv("PITOT_XGBOOST_LIBRARY", "/nowhere/libxgboost.so", 1);
  const auto r = pitot({"train", "dots"});
  unsetenv("PITOT_XGBOOST_LIBRARY");
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_THAT(r.err, HasSubstr("training needs XGBoost's library"));
}

TEST_F(Predict, TrainThenAskAndBeRefused) {
  if (!xgboost()) GTEST_SKIP() << predict::load_xgboost().error().message;
  write_data(synthetic({.families = 3, .variants = 25}));
  const auto t = pitot({"train", "data", "-o", "m.json", "--against", "classic", "-f", "json"});
  ASSERT_EQ(t.exit_code, 0) << t.err;
  const Json j = Json::parse(t.out);
  EXPECT_EQ(j["schema"], "pitot.train/1");
  EXPECT_EQ(j["rows"], 150);
  EXPECT_EQ(j["model"], "m.json");
  EXPECT_GT(j["lines"].size(), 5u);
  EXPECT_THAT(pitot({"train", "data", "--no-untrained"}).out, HasSubstr("5-fold within family"));

  // The kernels here have no compiler's header: doubtful, and unlike the data.
  const auto p = pitot({"predict", "m.json", "dots", "-f", "json", "--size", "0"});
  ASSERT_EQ(p.exit_code, 0) << p.err;
  const Json q = Json::parse(p.out);
  EXPECT_EQ(q["schema"], "pitot.predict/1");
  EXPECT_EQ(q["kernels"].size(), 4u);
  EXPECT_TRUE(q["kernels"][0]["ood"].get<bool>());
  EXPECT_THAT(q["warnings"][0].get<std::string>(), HasSubstr("its compiler is not known"));
  const auto r = pitot({"rank", "dots", "--model", "m.json", "-f", "json"});
  EXPECT_EQ(r.exit_code, 0) << r.err;

  file("old.ptx",
       "// Generated by NVIDIA NVVM Compiler\n// Cuda compilation tools, release 11.8, "
       "V11.8.89\n" +
           kernel_text(body(2), "sm_90"));
  const std::vector<std::string> launch{"--grid", "1", "--block", "32"};
  const auto ask = [&](std::vector<std::string> line) {
    line.insert(line.end(), launch.begin(), launch.end());
    return pitot(line);
  };
  const auto old = ask({"predict", "m.json", "old.ptx"});
  EXPECT_EQ(old.exit_code, 2);
  EXPECT_THAT(old.err, HasSubstr("m.json was not made for this"));
  EXPECT_THAT(old.err, HasSubstr("compiled by NVIDIA NVVM Compiler 11.8"));
  const auto forced = ask({"predict", "m.json", "old.ptx", "--force"});
  EXPECT_EQ(forced.exit_code, 0) << forced.err;
  EXPECT_THAT(forced.out, HasSubstr("warning: old.ptx: it was compiled by"));
  file("other.ptx", kernel_text(body(2), "sm_80"));
  EXPECT_THAT(ask({"predict", "m.json", "other.ptx"}).err, HasSubstr("it is for sm_80"));
}

TEST_F(Predict, TheClosedLoop) {
  if (!xgboost()) GTEST_SKIP() << predict::load_xgboost().error().message;
  // Rank, measure the top, learn from it, rank again.
  const auto ranked = pitot({"rank", "dots", "--model", "none", "--top", "3", "-f", "json"});
  ASSERT_EQ(ranked.exit_code, 0) << ranked.err;
  const Json order = Json::parse(ranked.out);
  std::vector<std::string> measure{"measure", "--store", "new.db", "--seconds", "0.05"};
  for (const auto& path : order["measure"]) measure.push_back(path.get<std::string>());
  ASSERT_EQ(measure.size(), 8u);
  const auto measured = fake_gpu(measure);
  ASSERT_EQ(measured.exit_code, 0) << measured.err << measured.out;
  std::filesystem::create_directories(folder_ / "learned");
  const auto trained = pitot({"train", "learned", "--append", "new.db", "-o", "m.json"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("learned/dots.csv: 6 rows added, 0 were there"));
  const std::string rows = text_of("learned/dots.csv");
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 7);
  // Once more: nothing is new, and the data is as it was.
  const auto again = pitot({"train", "learned", "--append", "new.db", "-o", "m.json"});
  EXPECT_THAT(again.err, HasSubstr("0 rows added, 6 were there"));
  EXPECT_EQ(text_of("learned/dots.csv"), rows);
  const auto after = pitot({"rank", "dots", "--model", "m.json", "-f", "json", "--force"});
  EXPECT_EQ(after.exit_code, 0) << after.err;
  EXPECT_EQ(Json::parse(after.out)["order"].size(), 4u);
  // A kernel that is another now is not what was measured.
  file("dots/v1.ptx", kernel_text(body(2), "sm_90"));
  const auto changed = pitot({"train", "learned", "--append", "new.db"});
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_THAT(changed.err, HasSubstr("its PTX is not what was measured"));
}

TEST_F(Predict, KernelsUnseenAreSearchedInTheRankersOrder) {
  if (!xgboost()) GTEST_SKIP() << "no XGBoost library";
  auto data = synthetic({.families = 4, .variants = 30, .sizes = 2});
  for (auto& r : data.rows) r.parameters["V"] = std::to_string(std::stoi(r.variant.substr(1)));
  write_data(data);
  file("apart.txt", "family3\n");
  auto r = pitot({"train", "data", "--hold-out", "apart.txt", "--split", "folds", "-o", "m.json"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const auto asked = [&](std::vector<std::string> more) {
    std::vector<std::string> line{"knobs",     "families", "data", "--hold-out",
                                  "apart.txt", "--seeds",  "20",   "--budgets",
                                  "1,10,30",   "-f",       "json"};
    line.insert(line.end(), more.begin(), more.end());
    return pitot(line);
  };
  const auto regret = [](const Json& j, const std::string& method, int budget) {
    for (const auto& s : j["summaries"])
      if (s["method"] == method && s["budget"] == budget) return s["regret"].get<double>();
    ADD_FAILURE() << method;
    return -1.0;
  };
  r = asked({"--model", "m.json", "--measured", "3", "-o", "searches.csv"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  Json j = Json::parse(r.out);
  EXPECT_LT(regret(j, "ranker", 1), 0.5 * regret(j, "random", 1));
  EXPECT_LT(regret(j, "ranker+3", 10), regret(j, "random", 10));
  EXPECT_EQ(regret(j, "ranker+3", 1), regret(j, "ranker", 1));
  for (const char* method : {"random", "greedy", "ranker", "ranker+3"})
    EXPECT_EQ(regret(j, method, 30), 0) << method;
  // Both sizes of the one family; the default is its first variant.
  const std::string csv = text_of("searches.csv");
  EXPECT_THAT(csv, HasSubstr("\nfamily3,1,default,"));
  EXPECT_THAT(csv, HasSubstr("\nfamily3,2,default,"));
  EXPECT_THAT(csv, testing::Not(HasSubstr("family0")));
  // Each of the others, by trees grown from the rest.
  r = asked({"--left-out", "--measured", "0", "-o", "left.csv"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  j = Json::parse(r.out);
  EXPECT_LT(regret(j, "ranker", 1), 0.5 * regret(j, "random", 1));
  EXPECT_THAT(text_of("left.csv"), testing::Not(HasSubstr("family3")));
  // A model that has seen them is not asked.
  file("apart.txt", "family1\n");
  r = asked({"--model", "m.json"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("m.json has learned from family1"));
}

TEST_F(Predict, WhatIsNoKnobSpaceIsSaid) {
  auto data = synthetic({.families = 2, .variants = 5, .sizes = 1});
  write_data(data);
  file("apart.txt", "family1\n");
  auto r = pitot({"knobs", "families", "data", "--hold-out", "apart.txt"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("family1 v001: two variants have the same parameters"));
  for (auto& row : data.rows) row.parameters["V"] = "wide" + row.variant;
  write_data(data);
  r = pitot({"knobs", "families", "data", "--hold-out", "apart.txt"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("family1 v000: parameter V is no whole number"));
  file("apart.txt", "other\n");
  r = pitot({"knobs", "families", "data", "--hold-out", "apart.txt"});
  EXPECT_EQ(r.exit_code, 2);
}

TEST_F(Predict, ExtraColumnsAreReadRefusedAndKeptFromPrediction) {
  if (!xgboost()) GTEST_SKIP() << "no XGBoost library";
  const auto data = synthetic({.families = 2, .variants = 12, .sizes = 1});
  write_data(data);
  std::string csv = "split,family,variant,learned,a\n";
  for (const char* split : {"fold 1 of 2", "fold 2 of 2", "all rows"})
    for (const auto& row : data.rows)
      csv += std::string(split) + "," + row.family + "," + row.variant + ",0,1.5\n";
  file("x.csv", csv);
  const std::vector<std::string> line{"train",   "data", "--split", "folds",
                                      "--folds", "2",    "-o",      "m.json"};
  const auto with = [&](const std::string& extra) {
    auto words = line;
    words.insert(words.end(), {"--extra", extra});
    return pitot(words);
  };
  auto r = with("graph=x.csv");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("pitot without graph"));
  EXPECT_THAT(r.out, HasSubstr("more than without the extra columns"));
  r = pitot({"predict", "m.json", "dots/v1.kernel.toml", "--gpu", "H200"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("trained with the column group 'graph'"));
  EXPECT_EQ(with("x.csv").exit_code, 2);
  EXPECT_EQ(with("graph=none.csv").exit_code, 2);
  file("x.csv", csv + "all rows,family0,v000,0,2\n");
  r = with("graph=x.csv");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("x.csv:74:"));
  // A split that the file has no part for.
  file("x.csv", csv);
  r = pitot({"train", "data", "--split", "folds", "--extra", "graph=x.csv"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("no part for 'fold 1 of 5'"));
}

// From measured variants and their PTX to a file that training takes.
TEST_F(Predict, GraphsOfMeasuredVariantsBecomeColumns) {
  if (!std::filesystem::exists(std::filesystem::path(PITOT_PROGRAM).parent_path() / "pitot-learn"))
    GTEST_SKIP() << "built without libtorch";
  const auto data = synthetic({.families = 3, .variants = 6, .sizes = 2});
  write_data(data);
  const std::string ptx = kernel_text(body(3), "sm_90");
  for (const auto& row : data.rows)
    if (row.family != "family2") file("made/" + row.family + "/" + row.variant + ".ptx", ptx);
  const std::vector<std::string> line{"learn", "graph",   "data", "--made", "made", "--steps",
                                      "2",     "--folds", "2",    "-o",     "g.csv"};
  auto r = pitot(line);
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("made/family0/v000.ptx: its hash is " + hash_bytes(ptx).hex() +
                               ", of what was measured 00"));
  for (const std::string& f : data.families()) {
    std::string csv = text_of("data/" + f + ".csv");
    for (size_t at; (at = csv.find(",00,sm_90")) != std::string::npos;)
      csv.replace(at, 4, "," + hash_bytes(ptx).hex() + ",");
    file("data/" + f + ".csv", csv);
  }
  r = pitot(line);
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.err, HasSubstr("has no PTX of family2"));
  const std::string csv = text_of("g.csv");
  // Two folds, two families, all rows: of twelve variants each.
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 5 * 12);
  EXPECT_THAT(csv, HasSubstr("\nfamily family1,family1,v000,0,"));
  EXPECT_THAT(csv, HasSubstr("\nall rows,family1,v000,1,"));
  std::filesystem::remove(folder_ / "data/family2.csv");
  if (!xgboost()) return;
  r = pitot({"train", "data", "--folds", "2", "--extra", "graph=g.csv", "--no-untrained"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("family left out, more than without the extra columns"));
}

}  // namespace
}  // namespace pitot::cli::test
