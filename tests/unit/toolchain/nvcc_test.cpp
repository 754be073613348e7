// nvcc: PTX without places, and the cache that watches headers. A shell script stands in for nvcc.
#include "toolchain/nvcc.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "support/file.h"

namespace pitot::toolchain {
namespace {

namespace fs = std::filesystem;

TEST(WithoutPlaces, FileLines) {
  EXPECT_EQ(without_places("\t.file\t1 \"/home/x/src/k.cu\"\n\t.file\t2 \"/home/x/src/sub/h.cuh\"\n"
                           "\t.file\t3 \"/opt/cuda/bin/../targets/x86_64-linux/include/a.hpp\"\n"
                           "\t.file\t4 \"/home/y/other.h\"\n\t.file\t5 \"/usr/include/math.h\"\n",
                           "/home/x/src", "/opt/cuda/bin"),
            "\t.file\t1 \"k.cu\"\n\t.file\t2 \"sub/h.cuh\"\n\t.file\t3 \"/cuda/include/a.hpp\"\n"
            "\t.file\t4 \"other.h\"\n\t.file\t5 \"/usr/include/math.h\"\n");
}

TEST(WithoutPlaces, HashesOfInternalNames) {
  EXPECT_EQ(without_places("_ZN34_GLOBAL__N__821d6a5f_4_k_cu__Z1fPi4anonEPi_param_0]", "/s", "/t"),
            "_ZN34_GLOBAL__N__00000000_4_k_cu__Z1fPi4anonEPi_param_0]");
  const std::string other = "_INTERNAL_nothex__x _GLOBAL__N__12 _INTERNAL_821d6a5f";
  EXPECT_EQ(without_places(other, "/s", "/t"), other);
}

TEST(WithoutPlaces, HashesInDebugStrings) {
  // "_INTERNAL_8af1" and "2b3c_" on two lines, as nvcc breaks them.
  std::string first = ".b8 95,73,78,84,69,82,78,65,76,95,56,97,102,49\n";
  std::string second = ".b8 50,98,51,99,95,0\n";
  EXPECT_EQ(without_places(first + second + "next", "/s", "/t"),
            ".b8 95,73,78,84,69,82,78,65,76,95,48,48,48,48\n.b8 48,48,48,48,95,0\nnext");
  EXPECT_EQ(without_places(".b8 1,2,3\n.b8 x[4];\n.b8 7", "/s", "/t"),
            ".b8 1,2,3\n.b8 x[4];\n.b8 7");
}

class FakeNvcc : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "pitot-nvcc-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
    kit_.nvcc.path = directory_ + "/bin/nvcc";
    kit_.nvcc.version = "1.2.3";
    fs::create_directories(directory_ + "/bin");
    fs::create_directories(directory_ + "/src");
    write("src/k.cu", "#include \"h.cuh\"\n");
    write("src/h.cuh", "one\n");
    // Prints its arguments and the header as "PTX" and counts its runs.
    script(
        "echo run >> " + directory_ +
        "/log\nfor a; do case $p in -o) out=$a;; -MF) rule=$a;; esac; p=$a; done\n"
        "printf '// %s\\n' \"$*\" | sed \"s|$out|OUT|; s|$rule|RULE|\" > $out\ncat h.cuh >> $out\n"
        "printf 'x.ptx : k.cu \\\\\\n    h.cuh\\n' > $rule\n");
    auto cache = Cache::open(directory_ + "/cache");
    ASSERT_TRUE(cache.ok());
    cache_.emplace(std::move(*cache));
    job_ = {directory_ + "/src/k.cu", "sm_90", {"-O3"}, {{"BM", "32"}}, 20};
  }
  void TearDown() override { fs::remove_all(directory_); }
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(directory_ + "/" + name, text).ok());
  }
  void script(const std::string& body) {
    write("bin/nvcc", "#!/bin/sh\n" + body);
    ::chmod(kit_.nvcc.path.c_str(), 0755);
  }
  size_t runs() {
    auto log = read_file(directory_ + "/log");
    return log ? static_cast<size_t>(std::count(log->begin(), log->end(), '\n')) : 0;
  }
  Compilation made() {
    auto r = compile(kit_, job_, &*cache_);
    EXPECT_TRUE(r.ok()) << (r ? "" : r.error().message);
    return r ? std::move(*r) : Compilation{};
  }

  std::string directory_;
  Toolkit kit_;
  std::optional<Cache> cache_;
  CompileJob job_;
};

TEST_F(FakeNvcc, PassesTargetDefinesAndOptions) {
  const Compilation c = made();
  ASSERT_TRUE(c.accepted) << c.output;
  EXPECT_EQ(c.ptx, "// -ptx -arch=sm_90 -DBM=32 -O3 k.cu -o OUT -MMD -MF RULE\none\n");
}

TEST_F(FakeNvcc, RunsAgainOnlyForOtherInputs) {
  EXPECT_FALSE(made().cached);
  EXPECT_TRUE(made().cached);
  EXPECT_EQ(runs(), 1u);
  write("src/h.cuh", "two\n");
  EXPECT_NE(made().ptx.find("two"), std::string::npos) << "a changed header is seen";
  EXPECT_EQ(runs(), 2u);
  EXPECT_TRUE(made().cached);
  job_.defines[0].second = "64";
  EXPECT_FALSE(made().cached);
  job_.options.push_back("-lineinfo");
  EXPECT_FALSE(made().cached);
  job_.target = "sm_80";
  EXPECT_FALSE(made().cached);
  write("src/k.cu", "other\n");
  EXPECT_FALSE(made().cached);
  EXPECT_EQ(runs(), 6u);
}

TEST_F(FakeNvcc, TheSameTextElsewhereIsFoundAgain) {
  const std::string first = made().ptx;
  fs::create_directories(directory_ + "/moved");
  fs::copy(directory_ + "/src", directory_ + "/moved");
  job_.source = directory_ + "/moved/k.cu";
  const Compilation again = made();
  EXPECT_TRUE(again.cached);
  EXPECT_EQ(again.ptx, first);
}

TEST_F(FakeNvcc, ARefusalIsAResultAndNotRemembered) {
  script("echo 'k.cu(3): error: BM' >&2; exit 2");
  Compilation c = made();
  EXPECT_FALSE(c.accepted);
  EXPECT_EQ(c.output, "k.cu(3): error: BM\n");
  EXPECT_FALSE(made().cached);
}

TEST_F(FakeNvcc, TimeLimitAndMissingTool) {
  script("sleep 30");
  job_.time_limit = 0.2;
  auto r = compile(kit_, job_, nullptr);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().kind, ErrorKind::kFailed);
  kit_.nvcc = {};
  r = compile(kit_, job_, nullptr);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().kind, ErrorKind::kMissing);
}

}  // namespace
}  // namespace pitot::toolchain
