// ptxas itself: finding it, assembling, retargeting, caching. The parts that run it skip without
// it.
#include "toolchain/ptxas.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "support/file.h"
#include "toolchain/embedded_ptx.h"
#include "toolchain/subprocess.h"

namespace pitot::toolchain {
namespace {

namespace fs = std::filesystem;

TEST(Toolkit, ReadsVersions) {
  Tool tool = parse_version(
      "ptxas: NVIDIA (R) Ptx optimizing assembler\nCopyright (c) 2005-2025 NVIDIA Corporation\n"
      "Built on Wed_Aug_20_01:55:12_PM_PDT_2025\nCuda compilation tools, release 13.0, V13.0.88\n"
      "Build cuda_13.0.r13.0/compiler.36424714_0\n");
  EXPECT_EQ(tool.release, "13.0");
  EXPECT_EQ(tool.version, "13.0.88");
  EXPECT_EQ(tool.build, "cuda_13.0.r13.0/compiler.36424714_0");
  EXPECT_EQ(parse_version("bash: ptxas: cannot execute").version, "");
  EXPECT_EQ(parse_newest_ptx("fatal   : Unsupported .version 99.9; current version is '9.0'"), 90);
  EXPECT_EQ(parse_newest_ptx("current version is '12.4'"), 124);
  EXPECT_EQ(parse_newest_ptx("current version is '1.x'"), 0);
  EXPECT_EQ(parse_newest_ptx("nothing"), 0);
  EXPECT_EQ(parse_targets("values: 'compute_80','lto_75','sm_90a',\n 'sm_52', 'sm_52','sm_100f'."),
            (std::vector<std::string>{"sm_52", "sm_90a", "sm_100f"}));
}

TEST(Toolkit, MissingToolIsNamed) {
  auto kit = find_toolkit({.ptxas = "/nonexistent/ptxas"});
  ASSERT_FALSE(kit.ok());
  EXPECT_EQ(kit.error().kind, ErrorKind::kMissing);
  EXPECT_NE(kit.error().message.find("/nonexistent/ptxas"), std::string::npos);
}

// A stand-in for ptxas, a shell script: what a tool does can be tested without the real one.
class FakePtxas : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "pitot-fake-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
    kit_.ptxas.path = directory_ + "/ptxas";
    kit_.ptxas.version = "1.2.3";
    kit_.targets = {"sm_80", "sm_90", "sm_90a"};
  }
  void TearDown() override { fs::remove_all(directory_); }
  void script(const std::string& body) {
    ASSERT_TRUE(write_file(kit_.ptxas.path, "#!/bin/sh\n" + body).ok());
    ::chmod(kit_.ptxas.path.c_str(), 0755);
  }
  std::string directory_;
  Toolkit kit_;
};

constexpr const char* kText =
    ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { ret; }\n";
const ptx::Target kSm80{80, 0};

TEST_F(FakePtxas, RunsOnceForEachDistinctInput) {
  script("echo run >> " + directory_ +
         "/log\n"
         "echo \"ptxas info    : Compiling entry function 'k' for '$2'\" >&2\n"
         "echo 'ptxas info    : Used 7 registers' >&2\necho code > output.cubin\n");
  auto cache = Cache::open(directory_ + "/cache");
  ASSERT_TRUE(cache.ok());
  auto runs = [&] {
    auto log = read_file(directory_ + "/log");
    return log.ok() ? log->size() / 4 : 0;
  };
  auto first = assemble(kit_, kText, kSm80, {}, &*cache);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_TRUE(first->accepted);
  EXPECT_FALSE(first->cached);
  EXPECT_EQ(first->report.find("k")->registers, 7u);
  auto again = assemble(kit_, kText, kSm80, {}, &*cache);
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->cached);
  EXPECT_EQ(again->report.find("k")->registers, 7u);
  EXPECT_EQ(again->output, first->output);
  EXPECT_EQ(runs(), 1u);
  // Each of text, target, options, tool version makes it another input.
  EXPECT_FALSE(assemble(kit_, std::string(kText) + "\n", kSm80, {}, &*cache)->cached);
  EXPECT_FALSE(assemble(kit_, kText, {90, 0}, {}, &*cache)->cached);
  EXPECT_FALSE(assemble(kit_, kText, kSm80, {.extra = {"-O1"}}, &*cache)->cached);
  kit_.ptxas.version = "1.2.4";
  EXPECT_FALSE(assemble(kit_, kText, kSm80, {}, &*cache)->cached);
  EXPECT_EQ(runs(), 5u);
  // The machine code is kept when it is asked for, and then comes from the cache as well.
  auto code = assemble(kit_, kText, kSm80, {.keep_cubin = true}, &*cache);
  EXPECT_EQ(code->cubin, "code\n");
  code = assemble(kit_, kText, kSm80, {.keep_cubin = true}, &*cache);
  EXPECT_TRUE(code->cached);
  EXPECT_EQ(code->cubin, "code\n");
}

TEST_F(FakePtxas, FailuresAreNotCached) {
  script("kill -SEGV $$\n");
  auto cache = Cache::open(directory_ + "/cache");
  ASSERT_TRUE(cache.ok());
  auto crash = assemble(kit_, kText, kSm80, {}, &*cache);
  ASSERT_FALSE(crash.ok());
  EXPECT_EQ(crash.error().kind, ErrorKind::kFailed);
  EXPECT_NE(crash.error().message.find("signal 11"), std::string::npos);
  script("sleep 60\n");
  auto slow = assemble(kit_, kText, kSm80, {.time_limit = 0.2}, &*cache);
  ASSERT_FALSE(slow.ok());
  EXPECT_EQ(slow.error().kind, ErrorKind::kFailed);
  script("exit 0\n");
  EXPECT_FALSE(assemble(kit_, kText, kSm80, {}, &*cache)->cached);
}

TEST_F(FakePtxas, RejectionIsAResultWithoutOurFileName) {
  script("echo \"ptxas $3, line 2; error   : Bad thing\" >&2\nexit 255\n");
  auto result = assemble(kit_, kText, kSm80);
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->accepted);
  ASSERT_EQ(result->report.messages.size(), 1u);
  EXPECT_EQ(result->report.messages[0].line, 2u);
  EXPECT_EQ(result->report.messages[0].file, "");
}

TEST_F(FakePtxas, LowerTargetsRewriteTheText) {
  script("cat input.ptx > " + directory_ + "/seen\n");
  std::string text = ".version 8.0\n.target sm_90a\n";
  auto same = assemble(kit_, text, {90, 'a'});
  EXPECT_FALSE(same->rewritten);
  auto lower = assemble(kit_, text, kSm80);
  ASSERT_TRUE(lower.ok());
  EXPECT_TRUE(lower->rewritten);
  EXPECT_EQ(ptx::name_of(lower->written_for), "sm_90a");
  EXPECT_EQ(*read_file(directory_ + "/seen"), ".version 8.0\n.target sm_80\n");
}

TEST_F(FakePtxas, UnresolvedFunctionsAreAssembledRelocatable) {
  script(
      "for a in \"$@\"; do [ \"$a\" = -c ] && exit 0; done\n"
      "echo \"ptxas fatal   : Unresolved extern function 'f'\" >&2\nexit 255\n");
  auto result = assemble(kit_, kText, kSm80);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->accepted);
  EXPECT_TRUE(result->relocatable);
  auto strict = assemble(kit_, kText, kSm80, {.allow_relocatable = false});
  EXPECT_FALSE(strict->accepted);
}

TEST_F(FakePtxas, UnknownTargetsAndOptionsAreErrors) {
  script("exit 0\n");
  auto target = assemble(kit_, kText, {70, 0});
  ASSERT_FALSE(target.ok());
  EXPECT_EQ(target.error().kind, ErrorKind::kMissing);
  EXPECT_NE(target.error().message.find("sm_70"), std::string::npos);
  auto option = assemble(kit_, kText, kSm80, {.extra = {"other.ptx"}});
  ASSERT_FALSE(option.ok());
  EXPECT_EQ(option.error().kind, ErrorKind::kInput);
}

class RealPtxas : public testing::Test {
 protected:
  void SetUp() override {
    auto kit = find_toolkit();
    if (!kit.ok()) GTEST_SKIP() << "ptxas is not here: " << kit.error().message;
    kit_ = *kit;
  }
  std::string test_case(const std::string& name) {
    return *read_file(PITOT_SOURCE_DIR "/tests/data/cases/" + name);
  }
  Toolkit kit_;
};

TEST_F(RealPtxas, KnowsItself) {
  EXPECT_FALSE(kit_.ptxas.release.empty());
  EXPECT_TRUE(kit_.supports("sm_80"));
  EXPECT_FALSE(kit_.supports("sm_1"));
  EXPECT_GE(kit_.newest_ptx, 74);
}

TEST_F(RealPtxas, ReportsEachFunction) {
  auto result = assemble(kit_, test_case("29-exit-in-func.ptx"), kSm80);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_TRUE(result->accepted) << result->output;
  EXPECT_TRUE(result->report.unread.empty()) << result->output;
  size_t entries = 0;
  for (const PtxasFunction& f : result->report.functions) {
    EXPECT_TRUE(f.stack_frame) << f.name;
    if (!f.entry) continue;
    ++entries;
    EXPECT_TRUE(f.registers);
    EXPECT_EQ(f.target, "sm_80");
  }
  EXPECT_EQ(entries, 1u);
  EXPECT_EQ(result->report.functions.size(), 2u);
  ASSERT_FALSE(result->code.empty());
  EXPECT_GT(result->code[0].bytes, 0u);
}

TEST_F(RealPtxas, SpillsRankAsTheLaunchBoundsSay) {
  auto spills = [&](const char* name) {
    auto result = assemble(kit_, test_case(name), kSm80);
    EXPECT_TRUE(result.ok() && result->accepted) << name;
    return *result->report.functions.at(0).spill_stores;
  };
  uint64_t free = spills("37a-no-launch-bound.ptx");
  EXPECT_EQ(free, spills("37c-maxntid-32.ptx"));
  EXPECT_LT(free, spills("37b-maxntid-1024.ptx"));
  EXPECT_LT(spills("37b-maxntid-1024.ptx"), spills("37d-maxnreg-40.ptx"));
}

TEST_F(RealPtxas, EqualCodeHasEqualHashes) {
  auto code = [&](const char* name) {
    auto result = assemble(kit_, test_case(name), kSm80);
    EXPECT_TRUE(result.ok() && result->accepted);
    return result->code.at(0).hash;
  };
  EXPECT_EQ(code("43a-version-only-7_2.ptx"), code("43b-version-only-7_3.ptx"));
  EXPECT_EQ(code("38a-f32-class-registers.ptx"), code("38b-b32-class-registers.ptx"));
  EXPECT_FALSE(code("48a-compare-signed.ptx") == code("48b-compare-unsigned.ptx"));
}

TEST_F(RealPtxas, ErrorsHaveLinesOfTheText) {
  auto result = assemble(kit_, test_case("14-mov-u8.ptx"), kSm80);
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->accepted);
  ASSERT_GE(result->report.messages.size(), 1u);
  EXPECT_EQ(result->report.messages[0].line, 10u);
  EXPECT_EQ(result->report.messages[0].severity, PtxasSeverity::kError);
  EXPECT_EQ(result->report.messages[0].file, "");
}

TEST_F(RealPtxas, SeveralTargetsAtOnce) {
  std::string text = test_case("25-mad-hi.ptx");
  std::vector<AssembleJob> jobs;
  for (const std::string& target : kit_.targets)
    jobs.push_back({text, ptx::target_from_name(target)});
  auto results = assemble_all(kit_, jobs, {}, nullptr, 2);
  ASSERT_EQ(results.size(), jobs.size());
  for (size_t i = 0; i < results.size(); ++i) {
    ASSERT_TRUE(results[i].ok()) << kit_.targets[i] << ": " << results[i].error().message;
    EXPECT_TRUE(results[i]->accepted) << kit_.targets[i] << "\n" << results[i]->output;
    EXPECT_EQ(results[i]->report.functions.at(0).target, kit_.targets[i]);
    EXPECT_EQ(results[i]->rewritten, jobs[i].target.sm < 80) << kit_.targets[i];
  }
}

// What nvcc packs must come out again and assemble.
TEST(RealNvcc, RoundTrip) {
  auto kit = find_toolkit();
  if (!kit.ok()) GTEST_SKIP() << "ptxas is not here: " << kit.error().message;
  if (!kit->nvcc.found()) GTEST_SKIP() << "nvcc is not here";
  std::string directory = testing::TempDir() + "pitot-nvcc-XXXXXX";
  ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  std::string source = PITOT_SOURCE_DIR "/tests/data/toolchain/saxpy.cu";
  std::vector<std::string> common = {"-gencode", "arch=compute_80,code=[sm_80,compute_80]",
                                     "-gencode", "arch=compute_90,code=compute_90"};
  // Each run of nvcc takes seconds; the committed samples cover the other containers.
  std::vector<std::vector<std::string>> modes = {{"-fatbin"}, {"-c", "-rdc=true"}};
  std::string first;
  for (const auto& mode : modes) {
    SCOPED_TRACE(mode.back());
    std::string output = directory + "/out";
    std::vector<std::string> argv = {kit->nvcc.path, "-o", output, source};
    argv.insert(argv.end(), common.begin(), common.end());
    argv.insert(argv.end(), mode.begin(), mode.end());
    auto run = run_process(argv, {.time_limit = 120, .directory = directory});
    ASSERT_TRUE(run.ok() && run->ok()) << run->err;
    auto inputs = read_ptx_inputs(output);
    ASSERT_TRUE(inputs.ok()) << inputs.error().message;
    ASSERT_EQ(inputs->size(), 2u);
    if (first.empty()) first = (*inputs)[0].text;
    EXPECT_EQ((*inputs)[0].text, first);
    auto assembled = assemble(*kit, (*inputs)[1].text, {90, 0});
    ASSERT_TRUE(assembled.ok());
    EXPECT_TRUE(assembled->accepted) << assembled->output;
    fs::remove(output);
  }
  fs::remove_all(directory);
}

}  // namespace
}  // namespace pitot::toolchain
