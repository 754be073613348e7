// `pitot knobs` as a user meets it. A PTX template stands in for CUDA, and a driver over the
// emulator for a GPU.
#include "cli_test_util.h"

namespace pitot::cli::test {
namespace {

// Each thread of a block of BLOCK writes one element of n * n, WORK times.
constexpr const char* kSource =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry fill(.param .u64 p, .param .u32 n)\n{\n.reg .pred %p<3>;\n.reg .b64 %rd<4>;\n"
    ".reg .b32 %r<8>;\nld.param.u64 %rd0, [p];\nld.param.u32 %r0, [n];\nmul.lo.u32 %r0, %r0, %r0;\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3;\nsetp.ge.u32 %p1, %r4, %r0;\n@%p1 bra DONE;\n"
    "mul.wide.u32 %rd1, %r4, 4;\nadd.s64 %rd2, %rd0, %rd1;\nmov.u32 %r5, 0;\nLOOP:\n"
    "add.u32 %r5, %r5, 1;\nst.global.u32 [%rd2], %r5;\nsetp.lt.u32 %p2, %r5, ${WORK};\n"
    "@%p2 bra LOOP;\nDONE:\nret;\n}\n";
constexpr const char* kTemplate =
    "schema = \"pitot.template/1\"\nname = \"fill_small\"\nsource = \"fill.ptx\"\nentry = "
    "\"fill\"\n"
    "register_cap = \"CAP\"\n[parameters]\nBLOCK = [64, 256]\nCAP = [0, 32]\nWORK = [1, 8]\n"
    "[launch]\ngrid = [\"ceil_div(n * n, BLOCK)\"]\nblock = \"BLOCK\"\n"
    "[[sizes]]\nkind = \"a\"\nn = 32\n[[sizes]]\nkind = \"b\"\nn = 100\n"
    "[[args]]\nname = \"p\"\nkind = \"buffer\"\ntype = \"u32\"\ncount = \"n * n\"\nrole = \"out\"\n"
    "[[args]]\nname = \"n\"\nkind = \"scalar\"\ntype = \"u32\"\nvalue = \"n\"\n";
constexpr const char* kHeader =
    "kernel,matrix_size,block_size,threads_per_block,reg_cap,est_regs,actual_regs,theor_occ,time_"
    "ms_"
    "mean,time_ms_std,time_ms_min,time_ms_max";

class Knobs : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    file("fill.ptx", kSource);
    file("fill.variants.toml", kTemplate);
  }
  // The program with a driver over the emulator inside.
  toolchain::ProcessResult on_fake_gpu(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), PITOT_FAKE_GPU);
    auto r = toolchain::run_process(
        arguments,
        {.directory = folder_.string(),
         .environment = {{"PITOT_CUDA_LIBRARY", ""}, {"PITOT_NVML_LIBRARY", ""}, {"PATH", ""}}});
    EXPECT_TRUE(r.ok());
    return r ? *r : toolchain::ProcessResult{};
  }
  static size_t lines(const std::string& text) {
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }
};

TEST_F(Knobs, SweepModelsEveryConfigurationAtEverySize) {
  const auto r = pitot(
      {"knobs", "sweep", "fill.variants.toml", "--device", "emu", "--gpu", "A100", "-o", "s.csv"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("fill             32        8/8"));
  const std::string csv = text_of("s.csv");
  EXPECT_THAT(csv, testing::StartsWith(std::string(kHeader) + ",work\nfill,32,64,64,0,"));
  EXPECT_EQ(lines(csv), 1u + 8 * 2);
  const Json p = Json::parse(text_of("s.provenance.json"));
  EXPECT_EQ(p["schema"], "pitot.knobs-sweep/1");
  EXPECT_EQ(p["source"], "modelled");
  EXPECT_EQ(p["knobs"], Json::parse(R"(["block_size", "reg_cap", "work"])"));
  EXPECT_EQ(p["templates"][0]["family"], "fill_small");
  EXPECT_TRUE(p["failures"].empty());
  // One size only, to standard output.
  const auto one = pitot({"knobs", "sweep", "fill.variants.toml", "--device", "emu", "--gpu",
                          "A100", "--sizes", "100", "-o", "-"});
  EXPECT_EQ(lines(one.out), 1u + 8);
}

TEST_F(Knobs, CountersAreModelledWithoutAGpu) {
  const auto r = pitot(
      {"knobs", "counters", "fill.variants.toml", "--device", "emu", "--gpu", "H200", "-o", "-"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr(",ok,reason,achieved_occupancy_raw,"));
  EXPECT_THAT(r.out, HasSubstr(",True,,"));
  EXPECT_THAT(r.out, HasSubstr(",emulated\n"));
  EXPECT_THAT(r.out, testing::Not(HasSubstr("False")));
}

TEST_F(Knobs, SweepMeasuresOnAGpuAndGoesOn) {
  const std::vector<std::string> command = {"knobs",
                                            "sweep",
                                            "fill.variants.toml",
                                            "-o",
                                            "s.csv",
                                            "--store",
                                            "s.db",
                                            "--warmup",
                                            "0",
                                            "--warmup-limit",
                                            "0.01",
                                            "--batch",
                                            "0.01",
                                            "--seconds",
                                            "0.01",
                                            "--sizes",
                                            "32"};
  const auto r = on_fake_gpu(command);
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const std::string csv = text_of("s.csv");
  EXPECT_EQ(lines(csv), 1u + 8);
  EXPECT_EQ(Json::parse(text_of("s.provenance.json"))["source"], "measured");
  // From the store: the very same times.
  EXPECT_EQ(on_fake_gpu(command).exit_code, 0);
  EXPECT_EQ(text_of("s.csv"), csv);
}

TEST_F(Knobs, CountersThatCannotBeHadKeepTheirRowsWithTheReason) {
  const auto r = on_fake_gpu({"knobs", "counters", "fill.variants.toml", "-o", "c.csv", "--warmup",
                              "0", "--warmup-limit", "0.01", "--batch", "0.01", "--seconds", "0.01",
                              "--sizes", "32"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const std::string csv = text_of("c.csv");
  EXPECT_EQ(lines(csv), 1u + 8);
  EXPECT_THAT(csv, HasSubstr("False,no Nsight Compute here"));
}

TEST_F(Knobs, WithoutAGpuTheSweepSaysSo) {
  const auto r = pitot({"knobs", "sweep", "fill.variants.toml", "-o", "s.csv"});
  EXPECT_EQ(r.exit_code, 3) << r.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "s.csv"));
}

TEST_F(Knobs, SweepRefusesTemplatesWithoutTheTwoKnobs) {
  std::string text = kTemplate;
  text.replace(text.find("CAP = [0, 32]"), 13, "LIMIT = [0, 32]");
  text.replace(text.find("register_cap = \"CAP\"\n"), 21, "");
  file("other.variants.toml", text);
  const auto r = pitot({"knobs", "sweep", "other.variants.toml", "--device", "emu", "-o", "s.csv"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("there is no parameter CAP"));
  EXPECT_EQ(
      pitot({"knobs", "sweep", "fill.variants.toml", "--device", "emu", "--sizes", "7"}).exit_code,
      2);
  EXPECT_EQ(pitot({"knobs", "sweep", "fill.variants.toml", "--device", "tpu"}).exit_code, 2);
}

TEST_F(Knobs, RolloutReplaysASweepOrModels) {
  ASSERT_EQ(
      pitot({"knobs", "sweep", "fill.variants.toml", "--device", "emu", "-o", "s.csv"}).exit_code,
      0);
  const auto r = pitot({"knobs", "rollout", "s.csv", "--episodes", "2", "--max-steps", "4"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, "4 episodes, 16 steps\n");
  const std::string steps = text_of("phase3_rollout.csv");
  EXPECT_EQ(lines(steps), 1u + 16);
  EXPECT_EQ(lines(text_of("phase3_episode_summary.csv")), 1u + 4);
  // The model says the same when it is asked directly, by the same seeds; counters come on top.
  ASSERT_EQ(pitot({"knobs", "rollout", "fill.variants.toml", "--device", "emu", "--episodes", "2",
                   "--max-steps", "4", "-o", "live.csv"})
                .exit_code,
            0);
  const std::string live = text_of("live.csv");
  EXPECT_EQ(lines(live), 1u + 16);
  EXPECT_EQ(live.substr(0, live.find(",True")), steps.substr(0, steps.find(",False")));
  // The default against itself is worth nothing.
  const auto none = pitot({"knobs", "rollout", "s.csv", "--policy", "default", "--episodes", "1",
                           "--summary", "-", "--max-steps", "3"});
  EXPECT_THAT(none.out, HasSubstr(",0,1,0,3\n"));
}

TEST_F(Knobs, RolloutMeasuresEveryStepLive) {
  const std::vector<std::string> command = {"knobs",    "rollout",     "fill.variants.toml",
                                            "--device", "cuda",        "--episodes",
                                            "2",        "--max-steps", "4",
                                            "--batch",  "0.02",        "--preload"};
  const auto r = on_fake_gpu(command);
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, testing::MatchesRegex("16 configurations loaded in [0-9.]+ s\n4 episodes, 16 "
                                           "steps\n[0-9]+ steps a second, baselines included\n"));
  const std::string steps = text_of("phase3_rollout.csv");
  EXPECT_EQ(lines(steps), 1u + 16);
  // NVML's states; counters are not collected.
  EXPECT_THAT(steps,
              HasSubstr(",False,counters are not collected while measuring live,,,,,0,0,0,0.41,"));
  // The same configuration takes the same time, within the noise of the driver.
  const auto one =
      on_fake_gpu({"knobs", "rollout", "fill.variants.toml", "--device", "cuda", "--episodes", "1",
                   "--max-steps", "3", "--policy", "default", "--sizes", "32", "--summary", "-"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("fill,32,3,False,True,"));
}

TEST_F(Knobs, RolloutWithoutTheDeviceSaysSo) {
  EXPECT_EQ(pitot({"knobs", "rollout", "fill.variants.toml", "--device", "cuda"}).exit_code, 3);
  const auto r = pitot({"knobs", "rollout", "fill.variants.toml", "--device", "tpu"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("no device 'tpu'; table, emu, cuda or cuda:N"));
  EXPECT_EQ(
      on_fake_gpu({"knobs", "rollout", "fill.variants.toml", "--device", "cuda", "--sizes", "7"})
          .exit_code,
      2);
}

TEST_F(Knobs, CompareHoldsSearchesAgainstTheBest) {
  std::string csv = std::string(kHeader) + "\n", model = csv;
  int n = 0;
  for (const char* kernel : {"gemm", "sum"})
    for (const int block : {64, 128, 256})
      for (const int cap : {0, 32}) {
        const std::string row = std::string(kernel) + ",256," + std::to_string(block) + "," +
                                std::to_string(block) + "," + std::to_string(cap) + ",20,20,1,";
        ++n;
        const std::string time = std::to_string(1 + n % 5), guess = std::to_string(6 - n % 5);
        csv += row + time + ",0," + time + "," + time + "\n";
        model += row + guess + ",0," + guess + "," + guess + "\n";
      }
  file("s.csv", csv);
  file("m.csv", model);
  const auto r = pitot({"knobs", "compare", "s.csv", "--ranked", "wrong=m.csv", "--budgets", "1,6",
                        "--seeds", "20", "-o", "phase7.csv", "-f", "json"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const Json j = Json::parse(r.out);
  EXPECT_EQ(j["schema"], "pitot.knobs-compare/1");
  ASSERT_EQ(j["summaries"].size(), 10u);
  EXPECT_EQ(j["summaries"][4]["method"], "wrong");
  EXPECT_GT(j["summaries"][4]["regret"].get<double>(), 1.0);
  EXPECT_EQ(j["summaries"][9]["regret"], 0);
  EXPECT_THAT(text_of("phase7.csv"),
              testing::StartsWith("kernel,matrix_size,method,seed,budget,best_ms,default_ms,"
                                  "least_ms,regret,speedup\ngemm,256,default,0,1,"));
}

TEST_F(Knobs, CompareComplainsOfWhatItCannotRead) {
  file("s.csv", "kernel,matrix_size\ngemm,256\n");
  const auto r = pitot({"knobs", "compare", "s.csv"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("s.csv:1:1"));
  EXPECT_THAT(r.err, HasSubstr("there is no column 'block_size'"));
  EXPECT_EQ(pitot({"knobs", "compare", "none.csv"}).exit_code, 2);
  EXPECT_EQ(pitot({"knobs", "compare", "s.csv", "--ranked", "m.csv"}).exit_code, 2);
}

}  // namespace
}  // namespace pitot::cli::test
