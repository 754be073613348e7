// pitot optimize on the driver of tests/fake: programs of one image, interruptions, many kernels.
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "cli_test_util.h"
#include "toolchain/toolkit.h"

namespace pitot::cli::test {
namespace {

class OptimizeGpu : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    file("k.ptx", kernel_text("ld.global.f32 %f0, [%rd1];\nadd.f32 %f0, %f0, %f0;\n", "sm_90"));
    file("k.kernel.toml", spec_text("grid = 1\nblock = 32\n"));
  }
  // ptxas with the PTX behind its cubin, where the fake driver looks for it.
  bool with_ptxas() {
    auto kit = toolchain::find_toolkit();
    if (!kit || !kit->supports("sm_90")) return false;
    const std::string script =
        file("ptxas", "#!/bin/sh\n'" + kit->ptxas.path +
                          "' \"$@\" || exit $?\ncase \"$*\" in *output.cubin*)\n"
                          "printf '\\nPTX of the cubin before:\\n' >> output.cubin\n"
                          "cat input.ptx >> output.cubin;;\nesac\n");
    ::chmod(script.c_str(), 0755);
    ptxas_ = script;
    return true;
  }
  toolchain::ProcessResult fake(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {PITOT_FAKE_GPU, "optimize"});
    toolchain::ProcessOptions options;
    options.directory = folder_.string();
    options.time_limit = 300;
    options.environment = {{"PITOT_CUDA_LIBRARY", ""},
                           {"PITOT_PTXAS", ptxas_},
                           {"PITOT_FAKE_JOURNAL", (folder_ / "journal").string()},
                           {"XDG_CACHE_HOME", (folder_ / "cache").string()}};
    auto r = toolchain::run_process(arguments, options);
    EXPECT_TRUE(r.ok());
    return r ? *r : toolchain::ProcessResult{};
  }
  std::vector<Json> log_lines(const std::string& name) {
    std::vector<Json> out;
    const std::string text = text_of(name);
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      out.push_back(Json::parse(text.substr(at, end - at)));
      at = end + 1;
    }
    return out;
  }

  std::string ptxas_ = "/nonexistent/ptxas";
};

const std::vector<std::string> kExhaustive{
    "k.kernel.toml", "--cost",    "cuda", "--policy",   "exhaustive", "--steps", "2",   "--budget",
    "1000",          "--warmups", "1",    "--launches", "5",          "-f",      "json"};

TEST_F(OptimizeGpu, ProgramsOfOneImageAreMeasuredOnce) {
  if (!with_ptxas()) GTEST_SKIP() << "no ptxas for sm_90";
  auto line = kExhaustive;
  line.insert(line.end(), {"--log", "l.jsonl"});
  const auto r = fake(line);
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const Json j = Json::parse(r.out);
  EXPECT_EQ(j["unit"], "cycles");
  EXPECT_EQ(j["gpu"], "NVIDIA Fake");
  EXPECT_LT(j["images"], j["evaluations"]);
  // The original's image is measured too, but not as a program.
  EXPECT_EQ(j["measured"].get<int>(), j["images"].get<int>() - 1);
  std::map<std::string, Json> first;
  const auto lines = log_lines("l.jsonl");
  EXPECT_THAT(lines[0]["cost"].get<std::string>(), HasSubstr("sm-clock/1 1+5, ptxas "));
  EXPECT_EQ(lines.size(), j["evaluations"].get<size_t>() + 1);
  for (size_t i = 1; i < lines.size(); ++i) {
    ASSERT_TRUE(lines[i].contains("image"));
    const auto [it, fresh] = first.emplace(lines[i]["image"], lines[i]);
    EXPECT_EQ(it->second["cost"], lines[i]["cost"]);
  }
  EXPECT_EQ(first.size(), j["images"].get<size_t>());
  // Register limits beyond what the kernel takes change nothing that runs.
  EXPECT_EQ(first.at(lines[1]["image"])["sequence"], Json::array());
  for (const Json& l : lines)
    if (l.contains("sequence") && l["sequence"] == Json{"maxnreg_255"}) {
      EXPECT_EQ(l["image"], lines[1]["image"]);
    }
  // What the log has is not loaded again.
  std::filesystem::remove(folder_ / "journal");
  const Json again = Json::parse(fake(line).out);
  EXPECT_EQ(again["remembered"], j["evaluations"]);
  EXPECT_EQ(again["measured"], 0);
  EXPECT_EQ(again["best"], j["best"]);
}

TEST_F(OptimizeGpu, ThatItGoesOnWhereItWasKilled) {
  if (!with_ptxas()) GTEST_SKIP() << "no ptxas for sm_90";
  auto line = kExhaustive;
  line.insert(line.end(), {"--batch", "4", "--log", "l.jsonl"});
  const Json straight = Json::parse(fake(line).out);
  const std::string whole = text_of("l.jsonl");
  // Ends in the middle of each third line: what is measured again is so relative to the same.
  size_t cut = 0;
  for (int i = 0; i < 9; ++i) cut = whole.find('\n', cut) + 1;
  file("l.jsonl", whole.substr(0, cut + 17));
  const Json rest = Json::parse(fake(line).out);
  EXPECT_EQ(rest["remembered"], 8);
  EXPECT_EQ(rest["evaluations"], straight["evaluations"]);
  EXPECT_EQ(rest["images"], straight["images"]);
  EXPECT_EQ(rest["baseline"], straight["baseline"]);
  EXPECT_LT(rest["measured"], straight["measured"]);
}

TEST_F(OptimizeGpu, WithoutPtxasTheDriverAssembles) {
  auto line = kExhaustive;
  line.insert(line.end(), {"--log", "l.jsonl"});
  const auto r = fake(line);
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const Json j = Json::parse(r.out);
  EXPECT_EQ(j["images"], 0);
  EXPECT_EQ(j["measured"].get<int>(), j["evaluations"].get<int>() - 1);
  EXPECT_THAT(log_lines("l.jsonl")[0]["cost"].get<std::string>(), HasSubstr("the driver"));
}

TEST_F(OptimizeGpu, TheClockIsChosenByTheGrid) {
  file("many.kernel.toml", spec_text("grid = 4\nblock = 32\n"));
  const auto unit = [&](std::vector<std::string> line) {
    line.insert(line.end(), {"--cost", "cuda", "--steps", "1", "-f", "json", "--sampling", "1"});
    return Json::parse(fake(line).out)["unit"].get<std::string>();
  };
  EXPECT_EQ(unit({"k.kernel.toml"}), "cycles");
  EXPECT_EQ(unit({"many.kernel.toml"}), "us");
  EXPECT_EQ(unit({"many.kernel.toml", "--clock", "sm"}), "cycles");
  EXPECT_EQ(unit({"k.kernel.toml", "--clock", "event"}), "us");
}

TEST_F(OptimizeGpu, ManyKernelsShareOneProcessAndAFaultIsOneKernels) {
  file("d/trap.ptx", kernel_text("trap;\n", "sm_90"));
  std::string spec = spec_text();
  spec.replace(spec.find("k.ptx"), 5, "trap.ptx");
  file("d/trap.kernel.toml", spec);
  file("d/k.ptx", text_of("k.ptx"));
  file("d/k.kernel.toml", spec_text());
  file("d/later.kernel.toml", spec_text());
  const auto r = fake({"d", "--cost", "cuda", "--steps", "1", "--log", "logs", "-f", "json"});
  EXPECT_EQ(r.exit_code, 2) << r.err;
  const Json j = Json::parse(r.out);
  ASSERT_EQ(j["kernels"].size(), 3u);
  EXPECT_EQ(j["kernels"][0]["error"], nullptr);
  EXPECT_EQ(j["kernels"][1]["error"], nullptr);
  EXPECT_EQ(j["kernels"][2]["name"], "trap");
  EXPECT_THAT(j["kernels"][2]["error"].get<std::string>(), HasSubstr("the original: trap: "));
}

TEST_F(OptimizeGpu, WithoutAGpuItSaysSo) {
  const auto r = pitot({"optimize", "k.kernel.toml", "--cost", "cuda"});
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_THAT(r.err, HasSubstr("starting the GPU: no CUDA driver here"));
  const auto code = fake({"k.kernel.toml", "--cost", "code"});
  EXPECT_EQ(code.exit_code, 3);
}

// By kill -9, at moments of its own.
TEST_F(OptimizeGpu, KilledAtAnyMomentNothingIsLost) {
  std::vector<std::string> line{"k.kernel.toml",
                                "--cost",
                                "cuda",
                                "--policy",
                                "exhaustive",
                                "--steps",
                                "3",
                                "--budget",
                                "300",
                                "--warmups",
                                "1",
                                "--launches",
                                "5",
                                "--batch",
                                "3",
                                "-f",
                                "json",
                                "--log",
                                "l.jsonl"};
  size_t known = 0;
  for (int round = 0; round < 5; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("PITOT_CUDA_LIBRARY", "", 1);
      setenv("PITOT_PTXAS", "/nonexistent/ptxas", 1);
      if (chdir(folder_.c_str()) != 0) _exit(1);
      std::vector<char*> argv{const_cast<char*>(PITOT_FAKE_GPU), const_cast<char*>("optimize")};
      for (std::string& a : line) argv.push_back(a.data());
      argv.push_back(nullptr);
      if (freopen("/dev/null", "w", stdout) == nullptr) _exit(1);
      execv(PITOT_FAKE_GPU, argv.data());
      _exit(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(60 + 35 * round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    std::error_code error;
    if (!std::filesystem::exists(folder_ / "l.jsonl", error)) continue;
    const std::string text = text_of("l.jsonl");
    const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
    EXPECT_GE(lines, known);
    known = lines;
  }
  const auto r = fake(line);
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const Json j = Json::parse(r.out);
  EXPECT_EQ(j["remembered"].get<size_t>() + 1, std::max<size_t>(known, 1));
  std::set<std::string> hashes;
  for (const Json& l : log_lines("l.jsonl"))
    if (l.contains("hash")) {
      EXPECT_TRUE(hashes.insert(l["hash"]).second);
    }
  EXPECT_EQ(hashes.size(), j["evaluations"].get<size_t>());
}

}  // namespace
}  // namespace pitot::cli::test
