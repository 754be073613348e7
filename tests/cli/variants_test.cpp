// `pitot variants` as a user meets it: a directory of variants that every other verb takes.
#include "cli_test_util.h"

namespace pitot::cli::test::variants_test {
namespace {

// Thread i of BLOCK writes i · FACTOR to p[i].
constexpr const char* kSource =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n"
    "ld.param.u64 %rd0, [p];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd1, %r0, 4;\n"
    "add.s64 %rd2, %rd0, %rd1;\nmul.lo.s32 %r1, %r0, ${FACTOR};\n"
    "st.global.u32 [%rd2], %r1;\nret;\n}\n";
constexpr const char* kTemplate =
    "schema = \"pitot.template/1\"\nname = \"t\"\nsource = \"t.ptx\"\nentry = \"k\"\n"
    "[parameters]\nBLOCK = [32, 2048]\nFACTOR = [3, 5, 9]\n"
    "[constraints]\nall = [\"FACTOR < 8\"]\n[launch]\nblock = \"BLOCK\"\n"
    "[[args]]\nname = \"p\"\nkind = \"buffer\"\ntype = \"u32\"\ncount = \"BLOCK\"\nrole = "
    "\"out\"\n";

class Variants : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    file("t.ptx", kSource);
    file("t.variants.toml", kTemplate);
  }
  Json manifest() { return Json::parse(text_of("out/manifest.json")); }
};

TEST_F(Variants, ListShowsTheGrid) {
  const auto r = pitot({"variants", "t.variants.toml", "--list"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("BLOCK  FACTOR  status"));
  EXPECT_THAT(r.out, HasSubstr("32     9       refused                         FACTOR < 8"));
  EXPECT_THAT(r.out, HasSubstr("t: 0 of 6 made, 2 refused by constraints, 0 failed, 4 not tried"));
  const auto json = Json::parse(pitot({"variants", "t.variants.toml", "--list", "-f", "json"}).out);
  EXPECT_EQ(json["schema"], "pitot.variants/1");
  EXPECT_EQ(json["variants"][0]["parameters"]["FACTOR"], 3);
}

TEST_F(Variants, MakesADirectoryThatOtherVerbsTake) {
  const auto r = pitot({"variants", "t.variants.toml", "-o", "out", "--gpu", "H200"});
  EXPECT_EQ(r.exit_code, 0) << r.err << r.out;
  EXPECT_THAT(r.out, HasSubstr("2 cannot be launched on H200"));
  const Json m = manifest();
  EXPECT_EQ(first_key(text_of("out/manifest.json")), "schema");
  ASSERT_EQ(m["variants"].size(), 6u);
  EXPECT_EQ(m["variants"][0]["launchable"], "yes");
  EXPECT_EQ(m["variants"][3]["launchable"], "no");
  EXPECT_THAT(m["variants"][3]["launch_problem"].get<std::string>(), HasSubstr("2048 threads"));
  EXPECT_EQ(m["variants"][2]["status"], "refused");
  const auto run = pitot({"run", "out/BLOCK32_FACTOR5.kernel.toml", "-f", "json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(Json::parse(run.out)["outputs"][0]["values"][3], "15");
}

TEST_F(Variants, OnlyKeepsTheRest) {
  EXPECT_EQ(pitot({"variants", "t.variants.toml", "-o", "out", "--only", "1"}).exit_code, 0);
  EXPECT_EQ(manifest()["variants"].size(), 3u) << "one made, two refused";
  const auto r =
      pitot({"variants", "t.variants.toml", "-o", "out", "--only", "BLOCK == 32", "-f", "csv"});
  EXPECT_THAT(r.out, testing::StartsWith("family,variant,target,status,p_BLOCK,p_FACTOR,ptx_hash"));
  EXPECT_EQ(std::count(r.out.begin(), r.out.end(), '\n'), 4);
  pitot({"variants", "t.variants.toml", "-o", "out", "--only", "BLOCK2048_FACTOR3"});
  EXPECT_EQ(manifest()["variants"].size(), 5u);
  // Another source: what was made of the old one goes.
  file("t.ptx", std::string("// changed\n") + kSource);
  pitot({"variants", "t.variants.toml", "-o", "out", "--only", "1"});
  EXPECT_EQ(manifest()["variants"].size(), 3u);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/BLOCK32_FACTOR3.ptx"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/BLOCK32_FACTOR5.ptx"));
}

TEST_F(Variants, TheSameManifestTwice) {
  pitot({"variants", "t.variants.toml", "-o", "out"});
  const std::string first = text_of("out/manifest.json");
  pitot({"variants", "t.variants.toml", "-o", "out", "-j", "3"});
  EXPECT_EQ(text_of("out/manifest.json"), first);
  EXPECT_EQ(pitot({"variants", "t.variants.toml", "-o", "out", "-f", "json"}).out, first);
  EXPECT_THAT(first, Not(HasSubstr(folder_.string()))) << "no path of this machine";
}

TEST_F(Variants, AFailureIsAFinding) {
  std::string broken = kSource;
  broken.replace(broken.find("mov.u32"), 7, "mov.u33");
  file("t.ptx", broken);
  const auto r = pitot({"variants", "t.variants.toml", "-o", "out"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.out, HasSubstr("failed"));
  EXPECT_THAT(manifest()["variants"][0]["message"].get<std::string>(), HasSubstr("line 9: "));
}

TEST_F(Variants, WrongUses) {
  auto r = pitot({"variants", "t.variants.toml"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("-o DIR"));
  EXPECT_EQ(pitot({"variants", "none.toml", "--list"}).exit_code, 2);
  EXPECT_EQ(pitot({"variants", "t.variants.toml", "--list", "--target", "x"}).exit_code, 2);
  EXPECT_EQ(pitot({"variants", "t.variants.toml", "--list", "--gpu", "nothing"}).exit_code, 2);
  file("bad.variants.toml", "name = \"t\"\nsource = \"t.ptx\"\nparametres = 1\n");
  r = pitot({"variants", "bad.variants.toml", "--list", "-f", "json"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("bad.variants.toml:3:1: error"));
  EXPECT_THAT(r.err, HasSubstr("did you mean `parameters`?"));
  EXPECT_EQ(Json::parse(r.out)["diagnostics"][0]["code"], "unknown-key");
  file("out/manifest.json", "{}");
  r = pitot({"variants", "t.variants.toml", "-o", "out"});
  EXPECT_EQ(r.exit_code, 2) << "a manifest of something else is not overwritten";
}

TEST_F(Variants, CudaWithoutNvccSaysSo) {
  file("t.cu", "__global__ void k() {}\n");
  file("c.variants.toml", "name = \"t\"\nsource = \"t.cu\"\n[launch]\nblock = 1\n");
  // A ptxas that is none: nothing is found, nvcc neither.
  const auto r = toolchain::run_process(
      {PITOT_PROGRAM, "variants", "c.variants.toml", "-o", "out"},
      {.directory = folder_.string(), .environment = {{"PITOT_PTXAS", "/nonexistent/ptxas"}}});
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->exit_code, 3);
  EXPECT_THAT(r->err, HasSubstr("there is no nvcc that runs"));
}

}  // namespace
}  // namespace pitot::cli::test::variants_test
