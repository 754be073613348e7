// pitot bench in several settings: on a GPU (the driver that tests/fake makes of the emulator), on
// another GPU's model; seen and unseen tasks.
#include "cli_test_util.h"

namespace pitot::cli::test {
namespace {

const std::string kBenchData = PITOT_SOURCE_DIR "/tests/data/bench/";

class BenchGpu : public Cli {
 protected:
  toolchain::ProcessResult fake(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {PITOT_FAKE_GPU, "bench"});
    toolchain::ProcessOptions options;
    options.directory = folder_.string();
    options.time_limit = 300;
    options.environment = {{"PITOT_CUDA_LIBRARY", ""}, {"PITOT_NVML_LIBRARY", ""}};
    auto r = toolchain::run_process(arguments, options);
    EXPECT_TRUE(r.ok());
    return r ? *r : toolchain::ProcessResult{};
  }
  toolchain::ProcessResult eval(const std::vector<std::string>& more) {
    std::vector<std::string> all{
        "eval",   "--builtin",  "identity,random", "--tasks", kBenchData + "tasks",
        "--only", "row_sum",    "--samples",       "2",       "--private",
        "1",      "--no-ptxas", "--archive",       "a.db",    "-f",
        "json"};
    all.insert(all.end(), more.begin(), more.end());
    return fake(all);
  }
};

TEST_F(BenchGpu, SettingsAreKeptApartAndSpeedUpsAreCarriedOver) {
  const auto model = eval({});
  ASSERT_EQ(model.exit_code, 0) << model.err << model.out;
  const Json on_model = Json::parse(model.out);
  EXPECT_THAT(std::string(on_model["settings"]), HasSubstr("time modelled for H200"));
  for (const Json& c : on_model["candidates"]) EXPECT_EQ(c["device"], "emu");

  // Several workers take turns on the GPU. What was judged on the model is judged again.
  const auto gpu = eval({"--device", "cuda", "--seconds", "0.004", "-j", "3"});
  ASSERT_EQ(gpu.exit_code, 0) << gpu.err << gpu.out;
  const Json on_gpu = Json::parse(gpu.out);
  EXPECT_THAT(std::string(on_gpu["settings"]),
              HasSubstr("run and timed on NVIDIA Fake, 0.004 s a kernel"));
  EXPECT_EQ(on_gpu["candidates"].size(), 4u);
  for (const Json& c : on_gpu["candidates"]) {
    EXPECT_EQ(c["device"], "NVIDIA Fake");
    EXPECT_EQ(c["tier"], 3) << c["reason"];
    EXPECT_EQ(c["timings"][0]["cache"], "warm");
    if (c["generator"] == "identity") {
      EXPECT_NEAR(double(c["speedup"]), 1, 0.05);
    }
  }
  const auto which = fake({"scores", "a.db"});
  EXPECT_EQ(which.exit_code, 2);
  EXPECT_THAT(which.err, HasSubstr("judged in several ways"));
  EXPECT_THAT(which.err, HasSubstr(std::string(on_gpu["settings"])));

  const std::vector<std::string> common{
      "--tasks", kBenchData + "tasks", "--private",
      "1",       "--no-ptxas",         "-f",
      "json",    "--settings",         std::string(on_model["settings"])};
  const auto transfer = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"transfer", "a.db"});
    more.insert(more.end(), common.begin(), common.end());
    return fake(more);
  };
  const auto same = transfer({});
  EXPECT_EQ(same.exit_code, 2);
  EXPECT_THAT(same.err, HasSubstr("was judged in this way"));
  // Already there: only compared.
  const auto measured = transfer({"--device", "cuda", "--seconds", "0.004"});
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  const Json m = Json::parse(measured.out);
  EXPECT_EQ(m["schema"], "pitot.bench-transfer/1");
  EXPECT_EQ(m["second"], on_gpu["settings"]);
  EXPECT_EQ(m["generators"].size(), 2u);
  EXPECT_EQ(m["generators"][0]["generator"], "identity");
  EXPECT_EQ(m["generators"][0]["judged"], 1u);  // one program, of two samples
  EXPECT_EQ(m["generators"][0]["programs"], 1u);
  EXPECT_NEAR(double(m["generators"][0]["log_speedup_second"]["value"]), 0, 0.05);
  const auto other = transfer({"--gpu", "A100", "--target", "sm_86"});
  ASSERT_EQ(other.exit_code, 0) << other.err;
  const Json o = Json::parse(other.out);
  EXPECT_THAT(std::string(o["second"]), HasSubstr("A100"));
  EXPECT_THAT(std::string(o["second"]), HasSubstr("for sm_86"));
  EXPECT_EQ(o["generators"][0]["programs"], 1u);
  EXPECT_EQ(transfer({"--target", "hopper"}).exit_code, 2);
  EXPECT_EQ(transfer({"--gpu", "A100", "--only", "row_sun"}).exit_code, 2);
}

TEST_F(BenchGpu, SeenAndUnseenTasksAreScoredApart) {
  const auto judged =
      fake({"eval", "--builtin", "identity,faulty", "--tasks", kBenchData + "tasks", "--samples",
            "2", "--private", "1", "--no-ptxas", "--no-time", "--archive", "a.db"});
  EXPECT_EQ(judged.exit_code, 1) << judged.err;
  const auto r = fake({"scores", "a.db", "--unseen", "row_*", "-f", "json"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const Json j = Json::parse(r.out);
  ASSERT_EQ(j["splits"].size(), 2u);
  EXPECT_EQ(j["splits"][0]["generator"], "faulty");
  EXPECT_EQ(j["splits"][1]["seen"]["by_task"][0]["task"], "quotient");
  EXPECT_EQ(j["splits"][1]["unseen"]["by_task"][0]["task"], "row_sum");
  EXPECT_EQ(j["splits"][1]["pass_gap"]["value"], 0);
  const auto text = fake({"scores", "a.db", "--unseen", "row_*"});
  EXPECT_THAT(text.out, HasSubstr("identity, unseen: 2 samples of 1 tasks"));
  const auto none = fake({"scores", "a.db", "--unseen", "gemm"});
  EXPECT_THAT(none.err, HasSubstr("no task that was judged is named by --unseen"));
  EXPECT_FALSE(Json::parse(fake({"scores", "a.db", "-f", "json"}).out).contains("splits"));
}

}  // namespace
}  // namespace pitot::cli::test
