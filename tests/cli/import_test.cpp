// `pitot import` as a user meets it. Shell scripts stand in for the compilers.
#include <sys/stat.h>

#include "cli_test_util.h"

namespace pitot::cli::test {
namespace {

constexpr const char* kCache =
    "{\"device_name\": \"NVIDIA A100-SXM4-80GB\", \"kernel_name\": \"scale\", \"problem_size\": "
    "[1000], \"tune_params_keys\": [\"block_size_x\"], \"objective\": \"time\",\n\"cache\": {\n"
    "\"64\": {\"block_size_x\": 64, \"time\": 2.5, \"times\": [2.4, 2.5, 2.6, 2.5, 2.5, 2.5]},\n"
    "\"128\": {\"block_size_x\": 128, \"time\": 2.0, \"times\": [2.0, 2.1, 2.0, 2.0, 2.0, 2.0]},\n"
    "\"2048\": {\"block_size_x\": 2048, \"time\": \"RuntimeFailedConfig\"},";
constexpr const char* kPtx =
    ".version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry "
    "_Z5scalev()\\n{\\nret;\\n}\\n";

class Import : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    file("a100.json", kCache);
    file("scale.cu", "__global__ void scale() {}\n");
  }
  // The program with a toolkit whose nvcc writes what it was told in front of a fixed text.
  toolchain::ProcessResult with_tools(std::vector<std::string> arguments) {
    const std::string version =
        "case $1 in --version) echo 'Cuda compilation tools, release 1.2, V1.2.3'; exit 0;; esac\n";
    for (const auto& [name, body] :
         {std::pair<std::string, std::string>{"ptxas", "exit 1\n"},
          {"nvcc",
           "for a; do case $p in -o) out=$a;; -MF) rule=$a;; esac; p=$a; done\n"
           "printf '// %s\\n" +
               std::string(kPtx) +
               "' \"$*\" | sed \"s|$out||; s|$rule||\" > $out\n"
               "echo 'x : k.cu' > $rule\n"}}) {
      const std::string path = file("bin/" + name, "#!/bin/sh\n" + version + body);
      ::chmod(path.c_str(), 0755);
    }
    arguments.insert(arguments.begin(), PITOT_PROGRAM);
    auto r = toolchain::run_process(
        arguments, {.directory = folder_.string(),
                    .environment = {{"PITOT_PTXAS", (folder_ / "bin/ptxas").string()},
                                    {"XDG_CACHE_HOME", (folder_ / "cache").string()}}});
    EXPECT_TRUE(r.ok());
    return r ? *r : toolchain::ProcessResult{};
  }
};

TEST_F(Import, SaysWhatIsInAFile) {
  const auto r = pitot({"import", "a100.json"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("Kernel Tuner cache, kernel scale, NVIDIA A100-SXM4-80GB (sm_80)"));
  EXPECT_THAT(r.out, HasSubstr("3 configurations: 1 launch_failed, 2 ok"));
  EXPECT_THAT(r.out, HasSubstr("suspicion [not-closed]"));
  EXPECT_THAT(r.out, HasSubstr("1  2000 µs  block_size_x=128"));
  const Json j = Json::parse(pitot({"import", "a100.json", "-f", "json"}).out);
  EXPECT_EQ(j["schema"], "pitot.import/1");
  EXPECT_EQ(j["rows"][0]["median_us"], 2500);
}

TEST_F(Import, ADataSet) {
  EXPECT_EQ(pitot({"import", "a100.json", "-o", "out"}).exit_code, 0);
  const std::string csv = text_of("out/scale.csv");
  EXPECT_THAT(csv,
              testing::StartsWith("family,variant,size,p_block_size_x,ptx_hash,target,compiler,"
                                  "grid_x,grid_y,grid_z,block_x,block_y,block_z,dynamic_shared,"
                                  "status,median_us,ci_lo_us,ci_hi_us,samples,noise,gpu,driver,"
                                  "sm_mhz,protocol,tool,"));
  EXPECT_THAT(csv,
              HasSubstr("\nscale,block_size_x64,tuned,64,,sm_80,,,,,,,,,ok,2500,2400,2600,6,0.04,"
                        "NVIDIA A100-SXM4-80GB,,,imported,Kernel Tuner cache,,a100.json,time,ms,"));
  EXPECT_THAT(csv,
              HasSubstr("\nscale,block_size_x2048,tuned,2048,,sm_80,,,,,,,,,launch_failed,,,,0,"));
}

TEST_F(Import, CompilesTheConfigurations) {
  const auto r = with_tools({"import", "a100.json", "--source", "scale.cu", "-o", "out",
                             "--grid-div-x", "block_size_x * 2", "--no-ptxas"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("launch limits: 1 of 1 that did not run were foreseen, 0 that ran"));
  EXPECT_THAT(text_of("out/scale.variants.toml"), HasSubstr("source = \"../scale.cu\""));
  EXPECT_THAT(
      text_of("out/block_size_x64.ptx"),
      HasSubstr("-arch=sm_80 -Dblock_size_x=64 -Dblock_size_y=1 -Dblock_size_z=1 "
                "-Dgrid_size_x=8 -Dgrid_size_y=1 -Dgrid_size_z=1 -Dkernel_tuner=1 scale.cu"));
  const std::string csv = text_of("out/scale.csv");
  EXPECT_THAT(csv, HasSubstr(",sm_80,nvcc 1.2.3,8,1,1,64,1,1,0,ok,2500,"));
  const Json m = Json::parse(text_of("out/manifest.json"));
  EXPECT_EQ(m["variants"][2]["launchable"], "no");
  // The template that was written makes the same again.
  const auto again = with_tools({"variants", "out/scale.variants.toml", "-o", "again", "--target",
                                 "sm_80", "--no-ptxas", "-f", "json"});
  EXPECT_EQ(Json::parse(again.out)["variants"][0]["ptx_hash"], m["variants"][0]["ptx_hash"]);
  // And can be named instead of the source.
  EXPECT_EQ(with_tools({"import", "a100.json", "--template", "out/scale.variants.toml", "-o",
                        "third", "--no-ptxas"})
                .exit_code,
            0);
}

TEST_F(Import, WrongUses) {
  EXPECT_EQ(pitot({"import", "none.json"}).exit_code, 2);
  file("bad.json", "{\"cache\": 1}");
  auto r = pitot({"import", "bad.json"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("bad.json: neither a Kernel Tuner cache"));
  EXPECT_THAT(pitot({"import", "a100.json", "--source", "scale.cu"}).err, HasSubstr("-o DIR"));
  EXPECT_EQ(pitot({"import", "a100.json", "--unit", "m"}).exit_code, 2);
  r = pitot({"import", "a100.json", "--device", "MI250X", "--source", "scale.cu", "-o", "out"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("no GPU of the files is in the table"));
  EXPECT_EQ(pitot({"import", "a100.json", "--target", "x"}).exit_code, 2);
  EXPECT_EQ(Json::parse(pitot({"import", "a100.json", "--device", "MI250X", "--target", "sm_86",
                               "-f", "json"})
                            .out)["files"][0]["target"],
            "sm_86");
  // A directory of another family is left alone.
  file("out/manifest.json",
       "{\"schema\":\"pitot.variants/1\",\"family\":\"f\",\"source\":\"s\",\"source_hash\":\"\","
       "\"compiler\":\"\",\"ptxas\":\"\",\"gpu\":\"\",\"targets\":[],\"options\":[],"
       "\"parameters\":[],\"variants\":[]}");
  EXPECT_THAT(with_tools({"import", "a100.json", "--source", "scale.cu", "-o", "out"}).err,
              HasSubstr("has the variants of f"));
}

}  // namespace
}  // namespace pitot::cli::test
