// `pitot check` as a user meets it: files, binaries and directories, saved counterexamples, wrong
// uses.
#include "cli_test_util.h"

namespace pitot::cli::test {
namespace {

const std::string kTwice = "ld.global.f32 %f0, [%rd1];\nadd.f32 %f0, %f0, %f0;\n";
const std::string kThrice = kTwice + "mul.f32 %f0, %f0, 0f3FC00000;\n";  // 2 · 1.5

class Check : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    file("a.ptx", kernel_text(kTwice));
    file("same.ptx", kernel_text("ld.global.f32 %f0, [%rd1];\nmul.f32 %f0, %f0, 0f40000000;\n"));
    file("b.ptx", kernel_text(kThrice));
  }
};

TEST_F(Check, Same) {
  const auto r = pitot({"check", "a.ptx", "same.ptx"});
  EXPECT_EQ(r.exit_code, 0) << r.out;
  EXPECT_THAT(r.out, testing::StartsWith("same: no difference in 24 trials\n"));
  EXPECT_THAT(r.out, HasSubstr("every instruction and both sides of every branch ran"));
}

TEST_F(Check, Different) {
  const auto r = pitot({"check", "a.ptx", "b.ptx"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.out, testing::StartsWith("different: b computes something else than a\n"));
  EXPECT_THAT(r.out, HasSubstr("  smallest input found: grid 1, n = 1\n    p: 1 f32\n"));
  EXPECT_THAT(r.out, HasSubstr("the difference: p[0] (f32)\n    a gives "));
  EXPECT_THAT(r.out, HasSubstr("--save"));
}

// Of modules with several kernels the spec names the one that is meant, whatever else differs.
TEST_F(Check, ASpecNamesItsKernelAmongSeveral) {
  const auto module = [](const std::string& k, const std::string& other) {
    const std::string head = ".entry other(.param .u64 p) {\n.reg .b32 %r<3>;\n";
    return kernel_text(k) + head + other + "ret;\n}\n";
  };
  file("two.ptx", module(kTwice, "mov.u32 %r1, 1;\n"));
  file("two_b.ptx",
       module("ld.global.f32 %f0, [%rd1];\nmul.f32 %f0, %f0, 0f40000000;\n", "trap;\n"));
  file("two.kernel.toml", spec_text());
  const auto r = pitot({"check", "two.ptx", "two_b.ptx", "--spec", "two.kernel.toml"});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_THAT(r.out, testing::StartsWith("same: "));
}

TEST_F(Check, OneStandardInputIsEnough) {
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"check", "-", "-"}, {"check", "-", "a.ptx", "--spec", "-"}}) {
    const auto r = pitot(line, kernel_text(kTwice));
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_THAT(r.err, HasSubstr("standard input can be only one of"));
  }
  EXPECT_EQ(pitot({"check", "-", "same.ptx"}, kernel_text(kTwice)).exit_code, 0);
}

TEST_F(Check, ASavedCounterexampleShowsTheDifferenceAgain) {
  auto r = pitot({"check", "a.ptx", "b.ptx", "--save", "out/b.kernel.toml"});
  EXPECT_EQ(r.exit_code, 2) << "no such folder";
  EXPECT_THAT(r.out, testing::StartsWith("different"));
  std::filesystem::create_directories(folder_ / "out");
  r = pitot({"check", "a.ptx", "b.ptx", "--save", "out/b.kernel.toml"});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_THAT(text_of("out/b.kernel.toml"), HasSubstr("ptx = \"../b.ptx\""));
  // The wrong value is what `run` computes, both times.
  const auto run = pitot({"run", "out/b.kernel.toml", "-f", "json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Json found = Json::parse(pitot({"check", "a.ptx", "b.ptx", "-f", "json"}).out);
  const double wrong = std::stod(found["counterexample"]["first"]["b"].get<std::string>());
  EXPECT_NEAR(std::stod(Json::parse(run.out)["outputs"][0]["values"][0].get<std::string>()), wrong,
              1e-5 * std::abs(wrong));
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"check", "a.ptx", "b.ptx", "--spec", "out/b.kernel.toml"},
        {"check", "--spec", "out/b.kernel.toml"}}) {
    const auto again = pitot(line);
    EXPECT_EQ(again.exit_code, 1) << again.err;
    EXPECT_THAT(again.out, testing::StartsWith("different"));
    EXPECT_THAT(again.out, HasSubstr("p[0]"));
  }
}

// The verdict took the time: it must not be lost with the file.
TEST_F(Check, AVerdictComesBeforeAnErrorOfSaving) {
  std::filesystem::create_directories(folder_ / "folder");
  const auto r = pitot({"check", "a.ptx", "b.ptx", "--save", "folder"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.out, testing::StartsWith("different: "));
  EXPECT_THAT(r.err, HasSubstr("folder"));
  const auto same = pitot({"check", "a.ptx", "same.ptx", "--save", "x.kernel.toml"});
  EXPECT_EQ(same.exit_code, 0);
  EXPECT_THAT(same.err, HasSubstr("no counterexample, x.kernel.toml is not written"));
}

TEST_F(Check, DirectoriesPairByName) {
  file("old/k.ptx", kernel_text(kTwice));
  file("new/k.ptx", kernel_text(kThrice));
  file("old/sub/same.ptx", kernel_text(kTwice));
  file("new/sub/same.ptx", kernel_text(kTwice + "mov.u32 %r2, 1;\n"));
  file("new/more.ptx", kernel_text(kTwice));
  const auto r = pitot({"check", "old", "new"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.out, HasSubstr("different: b computes something else than a\n  a  k in old/k.ptx"));
  EXPECT_THAT(r.out, HasSubstr("same: k in old/sub/same.ptx and new/sub/same.ptx: no difference"));
  EXPECT_THAT(r.out, HasSubstr("undecided: new/more.ptx is in b only"));
  EXPECT_THAT(r.out, HasSubstr("3 pairs of kernels: 1 same, 1 different, 1 undecided\n"));
  const Json j = Json::parse(pitot({"check", "old", "new", "-f", "json"}).out);
  EXPECT_EQ(j["verdict"], "different");
  EXPECT_EQ(j["pairs"].size(), 3u);
  // A file with errors does not keep the others from being checked.
  file("new/k.ptx", kernel_text("bogus;\n"));
  const auto bad = pitot({"check", "old", "new", "-f", "json"});
  EXPECT_EQ(bad.exit_code, 1);
  const Json k = Json::parse(bad.out);
  EXPECT_NE(k["verdict"], "same");
  EXPECT_EQ(k["pairs"].size(), 3u);
  EXPECT_GE(k["diagnostics"].size(), 1u);
}

TEST_F(Check, BinariesWithPtxInThem) {
  const std::string samples = PITOT_SOURCE_DIR "/tests/data/toolchain/";
  // The same source, compiled into an object and into a fat binary: images pair by target.
  const auto r = pitot({"check", samples + "plain.fatbin", samples + "zstd.fatbin"});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("2 pairs of kernels: 2 same\n"));
  // A text against a binary: the image for its target.
  const std::string text = pitot({"print", samples + "relocatable.o"}).out;
  file("text.ptx", text);
  const auto one = pitot({"check", "text.ptx", samples + "saxpy.o"});
  EXPECT_EQ(one.exit_code, 0) << one.out << one.err;
  const auto none = pitot({"check", samples + "code_only.fatbin", samples + "saxpy.o"});
  EXPECT_EQ(none.exit_code, 2);
}

TEST_F(Check, TheSameWithAnyNumberOfWorkers) {
  for (const char* b : {"same.ptx", "b.ptx"}) {
    const auto one = pitot({"check", "a.ptx", b, "-j", "1"});
    EXPECT_EQ(pitot({"check", "a.ptx", b, "-j", "7"}).out, one.out);
    EXPECT_EQ(pitot({"check", "a.ptx", b, "-j", "0"}).out, one.out);
  }
}

TEST_F(Check, WrongUses) {
  EXPECT_THAT(pitot({"check", "a.ptx"}).err, HasSubstr("check wants two kernels"));
  EXPECT_EQ(pitot({"check", "a.ptx"}).exit_code, 2);
  EXPECT_EQ(pitot({"check", "a.ptx", "nothere.ptx"}).exit_code, 2);
  const auto entry = pitot({"check", "a.ptx", "b.ptx", "--entry", "nope"});
  EXPECT_EQ(entry.exit_code, 2);
  EXPECT_THAT(entry.err, HasSubstr("a.ptx: no kernel 'nope'"));
  file("crlf.ptx", [] {
    std::string out;
    for (char c : kernel_text(kTwice)) out += c == '\n' ? "\r\n" : std::string(1, c);
    return out;
  }());
  EXPECT_EQ(pitot({"check", "crlf.ptx", "same.ptx"}).exit_code, 0);
}

}  // namespace
}  // namespace pitot::cli::test
