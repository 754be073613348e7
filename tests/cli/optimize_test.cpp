// pitot optimize: what is found, written, remembered and taken back.
#include <set>

#include "cli_test_util.h"

namespace pitot::cli::test {
namespace {

class Optimize : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    kernel_file("");
    file("k.kernel.toml",
         spec_text("grid = 1\nblock = 32\n",
                   "count = \"128 + 4*n\"\nrole = \"inout\"\ninit = \"normal\"\nalign = 16\n"));
  }
  // Four neighbouring loads a thread, better as one; and more statements.
  void kernel_file(const std::string& more) {
    file("k.ptx", kernel_text("mul.wide.u32 %rd2, %r1, 12;\nadd.u64 %rd2, %rd2, %rd1;\n"
                              "ld.global.f32 %f0, [%rd2+512];\nld.global.f32 %f1, [%rd2+516];\n"
                              "ld.global.f32 %f2, [%rd2+520];\nld.global.f32 %f3, [%rd2+524];\n"
                              "add.f32 %f0, %f0, %f1;\nadd.f32 %f0, %f0, %f2;\n"
                              "add.f32 %f0, %f0, %f3;\n" +
                              more));
  }
  Json optimize(std::vector<std::string> more) {
    std::vector<std::string> line{"optimize", "k.kernel.toml", "--gpu", "A100", "-f", "json"};
    line.insert(line.end(), more.begin(), more.end());
    const auto r = pitot(line);
    EXPECT_EQ(r.exit_code, 0) << r.err << r.out;
    return Json::parse(r.out, nullptr, false);
  }
};

TEST_F(Optimize, FindsWritesAndVerifies) {
  for (const char* policy : {"greedy", "beam", "random", "exhaustive"}) {
    const Json j = optimize({"--policy", policy, "--budget", "40", "--steps", "2", "-o", "o.ptx"});
    EXPECT_EQ(first_key(j.dump()), "schema");
    EXPECT_EQ(j["schema"], "pitot.optimize/1");
    EXPECT_EQ(j["policy"], policy);
    EXPECT_EQ(j["verified"], true);
    EXPECT_LE(j["evaluations"], 40);
    EXPECT_EQ(j["programs"].size(), j["evaluations"].get<size_t>());
    EXPECT_LE(j["best"].get<double>(), j["baseline"].get<double>());
    EXPECT_EQ(j["output"], "o.ptx");
    // What is written is what the sequence makes.
    std::string sequence;
    for (const Json& a : j["sequence"])
      sequence += (sequence.empty() ? "" : ",") + a.get<std::string>();
    EXPECT_THAT(sequence, HasSubstr("vec_ld"));
    EXPECT_LT(j["change"].get<double>(), -0.01);
    EXPECT_NEAR(j["change"].get<double>(),
                j["best"].get<double>() / j["baseline"].get<double>() - 1, 1e-12);
    const auto again = pitot({"transform", "--apply", sequence, "k.kernel.toml", "-o", "-"});
    EXPECT_EQ(again.out, text_of("o.ptx"));
  }
}

TEST_F(Optimize, TheLogIsGoneOnWith) {
  const std::vector<std::string> how{"--policy", "exhaustive", "--steps", "2",
                                     "--budget", "20",         "--log",   "l.jsonl"};
  Json straight = optimize(how);
  EXPECT_EQ(straight["remembered"], 0);
  const std::string log = text_of("l.jsonl");
  // Killed in the middle of the ninth line.
  size_t cut = 0;
  for (int line = 0; line < 8; ++line) cut = log.find('\n', cut) + 1;
  file("l.jsonl", log.substr(0, cut + 30));
  Json rest = optimize(how);
  EXPECT_EQ(rest["remembered"], 7);
  EXPECT_EQ(text_of("l.jsonl"), log);
  rest["remembered"] = 0;
  EXPECT_EQ(rest, straight);
  const auto other =
      pitot({"--seed", "2", "optimize", "k.kernel.toml", "--gpu", "A100", "--log", "l.jsonl"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("the log has values of the cost"));
  EXPECT_EQ(text_of("l.jsonl"), log);
}

// Of the boundary's 5 threads some are gone when others wait.
TEST_F(Optimize, WhatCheckDoesNotCallTheSameIsTakenBack) {
  kernel_file("bar.sync 0;\n");
  const auto r = pitot({"optimize", "k.kernel.toml", "--gpu", "A100", "-f", "json", "-o", "o.ptx"});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  const Json j = Json::parse(r.out);
  EXPECT_EQ(j["verified"], false);
  EXPECT_EQ(j["rejected"][0], "vec_ld");
  EXPECT_THAT(j["reason"].get<std::string>(), HasSubstr("check says fault: "));
  EXPECT_TRUE(j["sequence"].empty());
  EXPECT_EQ(j["best"], j["baseline"]);
  EXPECT_EQ(j["change"], 0);
  EXPECT_EQ(text_of("o.ptx"), text_of("k.ptx"));
  const auto text = pitot({"optimize", "k.kernel.toml", "--gpu", "A100"});
  EXPECT_THAT(text.out, HasSubstr("vec_ld is taken back: check says fault: "));
}

// Half of what it takes: modelled, it would only gain occupancy.
TEST_F(Optimize, ARegisterLimitThatSpillsHasNoCost) {
  const Json j = Json::parse(pitot({"optimize", kernels() + "cuda/f64_nbody/f64_nbody.kernel.toml",
                                    "--gpu", "H200", "--steps", "1", "-f", "json"})
                                 .out);
  size_t limits = 0;
  for (const Json& p : j["programs"]) {
    if (p["sequence"] == Json{"maxnreg_32"}) {
      ++limits;
      EXPECT_EQ(p["cost"], nullptr);
      EXPECT_THAT(p["failure"].get<std::string>(), HasSubstr("would spill"));
    }
    if (p["sequence"] == Json{"maxnreg_128"}) {
      ++limits;
      EXPECT_EQ(p["failure"], nullptr);
    }
  }
  EXPECT_EQ(limits, 2u);
}

TEST_F(Optimize, ToStandardOutputTheReportToStandardError) {
  const auto r = pitot({"optimize", "k.kernel.toml", "--gpu", "A100", "--steps", "0", "-o", "-"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, text_of("k.ptx"));
  EXPECT_THAT(r.err, HasSubstr("stays as it is"));
}

TEST_F(Optimize, TheNextBestIsTriedAndAllThatWasRejectedIsSaid) {
  kernel_file("bar.sync 0;\n");
  const auto r = pitot({"optimize", "k.kernel.toml", "--gpu", "A100", "-f", "json", "--tries", "3",
                        "--policy", "exhaustive", "--steps", "2"});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  const Json j = Json::parse(r.out);
  ASSERT_EQ(j["rejections"].size(), 3u);
  EXPECT_EQ(j["rejections"][0]["sequence"], j["rejected"]);
  std::set<std::string> sequences;
  for (const Json& x : j["rejections"]) sequences.insert(x["sequence"].dump());
  EXPECT_EQ(sequences.size(), 3u);
  EXPECT_EQ(j["best"], j["baseline"]);
}

TEST_F(Optimize, NoMoreThanTheTime) {
  const Json j = optimize({"--policy", "exhaustive", "--budget", "100000", "--steps", "6",
                           "--seconds", "0.000001", "--batch", "1"});
  EXPECT_EQ(j["stopped"], true);
  EXPECT_EQ(j["evaluations"], 1);
  EXPECT_TRUE(j["sequence"].empty());
}

TEST_F(Optimize, TheNumberOfWorkersMakesNoDifference) {
  for (const char* policy : {"greedy", "beam", "random", "exhaustive"}) {
    std::string one;
    for (const char* jobs : {"1", "2", "5"}) {
      const auto r = pitot({"-j", jobs, "optimize", "k.kernel.toml", "--gpu", "A100", "-f", "json",
                            "--policy", policy, "--budget", "60", "--steps", "3"});
      if (one.empty()) one = r.out;
      EXPECT_EQ(r.out, one) << policy << " " << jobs;
    }
  }
}

TEST_F(Optimize, OnlyTheseActions) {
  const Json j = optimize({"--policy", "exhaustive", "--actions", "cache_cs,maxnreg_64"});
  EXPECT_EQ(j["evaluations"], 4);
  EXPECT_EQ(j["actions"].size(), 2u);
}

TEST_F(Optimize, AModelIsAskedWhereOneIsWanted) {
  const Json j = optimize({"--cost", "predict", "--steps", "1"});
  EXPECT_EQ(j["cost"], "predict");
  EXPECT_GT(j["baseline"].get<double>(), 0);
  const auto none = pitot({"optimize", "k.kernel.toml", "--gpu", "A100", "--cost", "predict",
                           "--model", "nobody.json"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("nobody.json"));
}

TEST_F(Optimize, ManyKernelsHaveLogsATableAndOneExitCode) {
  file("list.toml",
       "[[kernel]]\nname = \"first\"\nclass = \"sums\"\nspec = \"k\"\n"
       "[[kernel]]\nname = \"second\"\nspec = \"k\"\nptx = \"k.ptx\"\nentry = \"k\"\n"
       "set = { n = 32 }\n"
       "[[kernel]]\nname = \"gone\"\nspec = \"nobody\"\n");
  const auto run = [&](const std::string& format) {
    return pitot({"optimize", "list.toml", "--gpu", "A100", "--steps", "2", "--log", "logs", "-o",
                  "out", "-f", format});
  };
  const auto r = run("json");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("nobody.kernel.toml"));
  const Json j = Json::parse(r.out);
  EXPECT_EQ(j["schema"], "pitot.optimize-table/1");
  ASSERT_EQ(j["kernels"].size(), 2u);
  EXPECT_EQ(j["kernels"][0]["name"], "first");
  EXPECT_EQ(j["kernels"][0]["class"], "sums");
  EXPECT_EQ(j["kernels"][1]["size"], "n=32");
  EXPECT_EQ(j["kernels"][0]["remembered"], 0);
  EXPECT_FALSE(j["errors"].empty());
  EXPECT_THAT(text_of("logs/first.jsonl"), HasSubstr("pitot.search-log/1"));
  EXPECT_THAT(text_of("out/second.ptx"), HasSubstr("ld.global.v4.f32"));
  // Again: nothing is asked for twice.
  const Json again = Json::parse(run("json").out);
  for (size_t i : {0u, 1u})
    EXPECT_EQ(again["kernels"][i]["remembered"], again["kernels"][i]["evaluations"]);
  EXPECT_THAT(run("csv").out, HasSubstr("first,sums,k.kernel.toml,k,n=32,"));
  EXPECT_THAT(run("text").out, HasSubstr("2 of 2 kernels are better"));
  // By the logs alone.
  const auto logged = pitot(
      {"optimize", "list.toml", "--cost", "log", "--steps", "2", "--log", "logs", "-f", "json"});
  EXPECT_EQ(Json::parse(logged.out)["kernels"][1]["best"], j["kernels"][1]["best"]);
}

TEST_F(Optimize, AListWithErrorsNamesThePlace) {
  file("list.toml", "[[kernel]]\nname = \"a\"\nspec = \"k\"\nsett = { n = 1 }\n");
  auto r = pitot({"optimize", "list.toml"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("list.toml:4:"));
  file("list.toml", "[[kernel]]\nname = \"a\"\nspec = \"k\"\nset = { m = 1 }\n");
  r = pitot({"optimize", "list.toml", "--gpu", "A100"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("--set 'm=1' is not like 'n=32'"));
}

TEST_F(Optimize, WrongCommandLines) {
  auto refused = [&](std::vector<std::string> line, const std::string& said) {
    line.insert(line.begin(), "optimize");
    const auto r = pitot(line);
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_THAT(r.err, HasSubstr(said));
  };
  refused({"nobody.kernel.toml"}, "nobody.kernel.toml");
  refused({"k.kernel.toml", "--gpu", "nothing"}, "nothing");
  refused({"k.kernel.toml", "--policy", "luck"}, "--policy");
  refused({"k.kernel.toml", "--budget", "0"}, "--budget");
  refused({"k.kernel.toml", "--cost", "dice"}, "no such cost: dice");
  refused({"k.kernel.toml", "--cost", "log"}, "--log");
  refused({"k.kernel.toml", "--actions", "vec_ld,luck"}, "--actions");
  refused({"k.kernel.toml", "--size", "huge"}, "no size of the kind 'huge'");
  refused({"k.kernel.toml", "--size", "full", "--set", "n=4"}, "excludes");
}

}  // namespace
}  // namespace pitot::cli::test
