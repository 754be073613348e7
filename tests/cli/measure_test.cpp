// `pitot measure` and `pitot compare` through the program with the driver of tests/fake: files with
// errors, kernels that fault, counters, and what a killed run leaves.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "cli_test_util.h"
#include "store/store.h"

namespace pitot::cli::test {
namespace {

const std::string kGood = "ld.global.f32 %f0, [%rd1];\nadd.f32 %f0, %f0, %f0;\n";
const std::string kOneSize =
    "schema = \"pitot.kernel/1\"\nptx = \"NAME.ptx\"\nentry = \"k\"\n[launch]\ngrid = 1\n"
    "block = 32\n[[sizes]]\nn = 32\n"
    "[[args]]\nname = \"p\"\nkind = \"buffer\"\ntype = \"f32\"\ncount = \"n\"\nrole = \"inout\"\n"
    "[[args]]\nname = \"n\"\nkind = \"scalar\"\ntype = \"u32\"\nvalue = \"n\"\n";

class Measure : public Cli {
 protected:
  toolchain::ProcessResult fake(std::vector<std::string> arguments, const std::string& path = "") {
    arguments.insert(arguments.begin(), PITOT_FAKE_GPU);
    toolchain::ProcessOptions options;
    options.directory = folder_.string();
    options.time_limit = 300;
    options.environment = {{"PITOT_CUDA_LIBRARY", ""}, {"PITOT_NVML_LIBRARY", ""}};
    if (!path.empty()) options.environment.emplace_back("PATH", path);
    auto r = toolchain::run_process(arguments, options);
    EXPECT_TRUE(r.ok());
    return r ? *r : toolchain::ProcessResult{};
  }
  std::string spec(const std::string& name, const std::string& from = "",
                   const std::string& to = "") {
    std::string text = kOneSize;
    text.replace(text.find("NAME"), 4, name);
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    file("k/" + name + ".kernel.toml", text);
    return "k/" + name + ".kernel.toml";
  }
  std::string kernel(const std::string& name, const std::string& body) {
    file("k/" + name + ".ptx", kernel_text(body));
    return spec(name);
  }
  static std::vector<std::string> quick(std::vector<std::string> arguments) {
    for (const char* a : {"--seconds", "0.02"}) arguments.emplace_back(a);
    return arguments;
  }
};

TEST_F(Measure, FilesWithErrorsHaveEntriesAmongTheOthers) {
  kernel("a_good", kGood);
  kernel("b_bad_ptx", "ld.globl.f32 %f0, [%rd1];\n");
  file("k/c_bad_spec.kernel.toml",
       "schema = \"pitot.kernel/1\"\nptx = \"a_good.ptx\"\nblocks = 3\n");
  kernel("d_refused", kGood);
  spec("d_refused", "block = 32", "block = 2048");
  kernel("e_no_ptx", kGood);
  std::filesystem::remove(folder_ / "k/e_no_ptx.ptx");
  kernel("f_good", kGood);
  const auto r = fake(quick({"measure", "k", "-f", "json"}));
  EXPECT_EQ(r.exit_code, 2) << r.err;
  EXPECT_EQ(first_key(r.out), "schema");
  const Json j = Json::parse(r.out);
  ASSERT_EQ(j["runs"].size(), 6u);
  const char* reasons[] = {"",
                           "b_bad_ptx.ptx:17:",
                           "c_bad_spec.kernel.toml:3:1: ",
                           "d_refused.kernel.toml:6: a block of 2048 threads",
                           "e_no_ptx.ptx",
                           ""};
  for (size_t i = 0; i < 6; ++i) {
    const Json& run = j["runs"][i];
    EXPECT_EQ(run["ok"], *reasons[i] == '\0') << run["reason"];
    EXPECT_EQ(run.size(), j["runs"][0].size());
    EXPECT_FALSE(run["spec"].get<std::string>().empty());
    if (*reasons[i] == '\0') {
      EXPECT_TRUE(run["reason"].is_null());
    } else {
      EXPECT_THAT(run["reason"].get<std::string>(), HasSubstr(reasons[i]));
    }
  }
  // What the files' errors are, with their places.
  std::set<std::string> paths;
  for (const Json& d : j["diagnostics"]) {
    EXPECT_GT(d["line"].get<int>(), 0);
    paths.insert(std::filesystem::path(d["path"].get<std::string>()).filename().string());
  }
  EXPECT_EQ(paths, (std::set<std::string>{"b_bad_ptx.ptx", "c_bad_spec.kernel.toml"}));
  ASSERT_EQ(j["errors"].size(), 1u);
  EXPECT_THAT(j["errors"][0].get<std::string>(), HasSubstr("e_no_ptx.ptx"));
  // Lines and rows have the same entries.
  const auto lines = fake(quick({"measure", "k", "-f", "jsonl"}));
  EXPECT_EQ(std::count(lines.out.begin(), lines.out.end(), '\n'), 6);
  const auto rows = fake(quick({"measure", "k", "-f", "csv"}));
  EXPECT_EQ(std::count(rows.out.begin(), rows.out.end(), '\n'), 7);
}

TEST_F(Measure, WithoutAnythingToMeasureThereIsStillJson) {
  kernel("bad", "ld.globl.f32 %f0, [%rd1];\n");
  const Json only = Json::parse(fake({"measure", "k", "-f", "json"}).out);
  ASSERT_EQ(only["runs"].size(), 1u);
  EXPECT_EQ(only["runs"][0]["ok"], false);
  kernel("good", kGood);
  const auto missing = fake({"measure", "k", "-f", "json", "--device", "cuda:5"});
  EXPECT_EQ(missing.exit_code, 3);
  const Json none = Json::parse(missing.out);
  EXPECT_EQ(none["errors"][0], "no device cuda:5; the driver sees one, cuda:0");
  EXPECT_EQ(none["runs"].size(), 0u);
}

TEST_F(Measure, ComparisonsOfFilesWithErrorsAreFaultsInJson) {
  const std::string good = kernel("good", kGood);
  file("k/bad.ptx", kernel_text("ld.globl.f32 %f0, [%rd1];\n"));
  file("k/trap.ptx", kernel_text("trap;\n"));
  auto compared = [&](std::vector<std::string> more, int exit_code) {
    std::vector<std::string> all = {"compare", "-f", "json", "--placements", "2"};
    all.insert(all.end(), more.begin(), more.end());
    const auto r = fake(quick(all));
    EXPECT_EQ(r.exit_code, exit_code) << r.err;
    EXPECT_EQ(first_key(r.out), "schema");
    return Json::parse(r.out);
  };
  const Json b = compared({"k/good.ptx", "k/bad.ptx", "--spec", good}, 1);
  EXPECT_EQ(b["verdict"], "fault");
  EXPECT_THAT(b["reason"].get<std::string>(), HasSubstr("B: k/bad.ptx:17:"));
  EXPECT_EQ(b["a"]["ptx"], "k/good.ptx");
  EXPECT_TRUE(b["delta"].is_null());
  EXPECT_EQ(b["diagnostics"].size(), 1u);
  const Json none = compared({"k/none.kernel.toml", good}, 2);
  EXPECT_THAT(none["reason"].get<std::string>(), HasSubstr("A: "));
  EXPECT_EQ(none["errors"].size(), 1u);
  const Json fault = compared({"k/good.ptx", "k/trap.ptx", "--spec", good}, 1);
  EXPECT_THAT(fault["reason"].get<std::string>(),
              HasSubstr("B: trap: CUDA_ERROR_LAUNCH_FAILED; the emulator, on the same data: "
                        "k/trap.ptx:17, block (0, 0, 0), thread (0, 0, 0): "));
  const Json usage = compared({"k/good.ptx", "k/bad.ptx"}, 2);
  EXPECT_EQ(usage["verdict"], "fault");
  EXPECT_EQ(usage["errors"][0], "PTX files need --spec with their launch and arguments");
}

TEST_F(Measure, FaultsAreLocatedAndTheOthersAreMeasured) {
  kernel("a_good", kGood);
  kernel("b_trap", "trap;\n");
  kernel("c_good", kGood);
  // Waits for a flag that nobody sets. (ptxas removes a loop that does nothing.)
  kernel("d_loop",
         "again:\nld.volatile.global.f32 %f0, [%rd1];\nst.volatile.global.f32 [%rd1], %f0;\n"
         "mov.b32 %r2, %f0;\nsetp.ne.u32 %p1, %r2, 0xffffffff;\n@%p1 bra again;\n");
  kernel("e_good", kGood);
  kernel("f_bounds", kGood + "add.s64 %rd1, %rd1, 0x40000000;\n");
  kernel("g_beside", kGood + "add.s64 %rd1, %rd1, 256;\n");
  kernel("h_good", kGood);
  spec("i_shared", "block = 32", "block = 32\nshared = 300000");
  file("k/i_shared.ptx", kernel_text(kGood));
  kernel("j_good", kGood);
  const auto r =
      fake(quick({"measure", "k", "-f", "json", "--store", "s.db", "--time-limit", "8"}));
  EXPECT_EQ(r.exit_code, 1) << r.err;
  const Json j = Json::parse(r.out);
  ASSERT_EQ(j["runs"].size(), 10u);
  const std::map<std::string, std::string> reasons = {
      {"b_trap",
       "trap: CUDA_ERROR_LAUNCH_FAILED; the emulator, on the same data: k/b_trap.ptx:17, "
       "block (0, 0, 0), thread (0, 0, 0): "},
      {"d_loop", "timeout: no answer within 8 s; the emulator, on the same data: k/d_loop.ptx:"},
      {"f_bounds",
       "out-of-bounds: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered); the "
       "emulator, on the same data: k/f_bounds.ptx:20, block (0, 0, 0), thread (0, 0, 0): "},
      {"g_beside",
       "out-of-bounds: written past the end of 'p' (128 bytes): bytes 256 to 383; the emulator, on "
       "the same data: k/g_beside.ptx:20, block (0, 0, 0), thread (0, 0, 0): "},
      {"i_shared",
       "k/i_shared.kernel.toml:7: 300000 bytes of shared memory a block (0 static, "
       "300000 dynamic): NVIDIA Fake has at most 232448"}};
  for (const Json& run : j["runs"]) {
    const std::string name = std::filesystem::path(run["ptx"].get<std::string>()).stem().string();
    const auto expected = reasons.find(name);
    EXPECT_EQ(run["ok"], expected == reasons.end()) << run["reason"];
    if (expected != reasons.end()) {
      EXPECT_THAT(run["reason"].get<std::string>(), HasSubstr(expected->second));
    } else {
      EXPECT_GT(run["median"].get<double>(), 0);
    }
  }
  // All are in the store, the faults with their places: nothing is tried again.
  auto store = store::Store::open((folder_ / "s.db").string());
  ASSERT_TRUE(store);
  auto records = store->measurements();
  ASSERT_TRUE(records);
  EXPECT_EQ(records->size(), 10u);
  const auto again = fake(quick({"measure", "k", "-f", "json", "--store", "s.db"}));
  EXPECT_EQ(Json::parse(again.out)["runs"], j["runs"]);
}

TEST_F(Measure, FieldsThatAreKnownAreFilled) {
  std::string text = kernel_text(kGood);
  text.replace(text.find(".reqntid 32"), 11, ".reqntid 32\n.maxnreg 40");
  kernel("capped", kGood);
  file("k/capped.ptx", text);
  const auto counted_by = [&](const std::string& script) {
    file("bin/ncu", "#!/bin/sh\n" + script);
    chmod((folder_ / "bin/ncu").c_str(), 0755);
    return fake(quick({"measure", "k", "-f", "json", "--counters"}),
                (folder_ / "bin").string() + ":/usr/bin:/bin");
  };
  const auto r = counted_by(
      "printf '%s\\n' \"$*\" >args\n"
      "printf '\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\","
      "\"sm__warps_active.avg.pct_of_peak_sustained_active\"\\n"
      "\"\",\"\",\"\",\"\",\"%%\"\\n\"0\",\"k\",\"(32, 1, 1)\",\"(1, 1, 1)\",\"37.5\"\\n'\n");
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const Json run = Json::parse(r.out)["runs"][0];
  EXPECT_EQ(run["reg_cap"], 40);
  EXPECT_GE(run["estimated_regs"].get<int>(), 8);
  EXPECT_LE(run["estimated_regs"].get<int>(), 40);
  EXPECT_EQ(run["traffic_bytes"], 2.0 * 32 * 4);  // read and written
  EXPECT_EQ(run["achieved_occupancy"], 0.375);
  EXPECT_THAT(text_of("args"), HasSubstr("run k/capped.kernel.toml --device cuda --seed 1"));
  EXPECT_THAT(text_of("args"), HasSubstr("--set n=32 --entry k"));
  // Without the counters the times are there all the same, and the reason.
  const auto without = counted_by("echo '==ERROR== ERR_NVGPUCTRPERM - no permission'\n");
  EXPECT_EQ(without.exit_code, 2);
  const Json j = Json::parse(without.out);
  EXPECT_EQ(j["runs"][0]["ok"], true);
  EXPECT_TRUE(j["runs"][0]["achieved_occupancy"].is_null());
  EXPECT_THAT(j["errors"][0].get<std::string>(), HasSubstr("ERR_NVGPUCTRPERM"));
}

// A run that is killed at any moment loses at most what it was measuring.
class Killed : public Measure {
 protected:
  static constexpr int kSpecs = 16;

  // Starts `measure` and kills it after a while; whether it came to its end before.
  bool run_for(std::chrono::milliseconds time) {
    const pid_t child = fork();
    if (child == 0) {
      const int null = open("/dev/null", O_WRONLY);
      dup2(null, 1);
      if (chdir(folder_.c_str()) != 0) _exit(9);
      setenv("PITOT_CUDA_LIBRARY", "", 1);
      setenv("PITOT_NVML_LIBRARY", "", 1);
      setenv("PITOT_FAKE_JOURNAL", (folder_ / "journal").c_str(), 1);
      execl(PITOT_FAKE_GPU, PITOT_FAKE_GPU, "measure", "k", "--store", "s.db", "--seconds", "0.02",
            nullptr);
      _exit(9);
    }
    const auto until = std::chrono::steady_clock::now() + time;
    int status = 0;
    while (std::chrono::steady_clock::now() < until) {
      if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return WIFEXITED(status);
  }
  // What each kernel's record holds; by the name of its PTX.
  std::map<std::string, std::vector<double>> kept() {
    std::map<std::string, std::vector<double>> out;
    auto store = store::Store::open((folder_ / "s.db").string());
    EXPECT_TRUE(store) << store.error().message;
    if (!store) return out;
    auto records = store->measurements();
    EXPECT_TRUE(records);
    if (records)
      for (const auto& r : *records) {
        EXPECT_TRUE(r.ok) << r.reason;
        EXPECT_TRUE(out.emplace(std::filesystem::path(r.ptx).stem().string(), r.samples).second);
      }
    return out;
  }
  // The kernels that were begun, in order: the driver's journal from `begin` on. Copies with clock
  // reads are longer than the kernel.
  std::vector<std::string> begun(size_t& begin) {
    std::string all;
    if (auto text = read_file((folder_ / "journal").string())) all = *text;
    std::vector<std::string> out;
    while (begin < all.size()) {
      const size_t end = all.find('\n', begin);
      const std::string line = all.substr(begin, end - begin);
      begin = end + 1;
      for (const auto& [name, size] : sizes_)
        if (line == "// " + name + " " + std::to_string(size)) out.push_back(name);
    }
    return out;
  }

  std::map<std::string, size_t> sizes_;
};

TEST_F(Killed, RunsLoseAtMostWhatTheyWereMeasuring) {
  for (int i = 0; i < kSpecs; ++i) {
    const std::string name = "k" + std::to_string(100 + i);
    std::string text = "// " + name + "\n" + kernel_text(kGood);
    file("k/" + name + ".ptx", text);
    spec(name);
    sizes_[name] = text.size();
  }
  std::mt19937 random(5);
  std::uniform_int_distribution<int> moment(20, 900);
  std::map<std::string, int> started;
  std::map<std::string, std::vector<double>> before;
  size_t journal = 0, kills = 0;
  bool ended = false;
  while (!ended && kills < 500) {
    // A machine under load needs longer before anything is finished.
    ended = run_for(std::chrono::milliseconds(moment(random) + 20 * static_cast<int>(kills)));
    kills += !ended;
    const auto after = kept();
    const auto now = begun(journal);
    size_t finished = 0;
    for (const auto& [name, samples] : after) {
      const auto was = before.find(name);
      if (was == before.end()) {
        ++finished;
      } else {
        EXPECT_EQ(samples, was->second) << name;  // it was not measured again
      }
    }
    for (const auto& [name, samples] : before) EXPECT_TRUE(after.contains(name)) << name;
    for (const std::string& name : now) {
      EXPECT_FALSE(before.contains(name)) << name << " was measured twice";
      ++started[name];
    }
    EXPECT_LE(now.size(), finished + 1);
    before = after;
  }
  EXPECT_TRUE(ended);
  EXPECT_GE(kills, 2u);
  EXPECT_EQ(before.size(), static_cast<size_t>(kSpecs));
  EXPECT_EQ(started.size(), static_cast<size_t>(kSpecs));
}

}  // namespace
}  // namespace pitot::cli::test
