// Wrong command lines and unreadable inputs: what is said, where, and with which exit code.
#include "cli_test_util.h"

namespace pitot::cli::test {
namespace {

class Usage : public Cli {};

TEST_F(Usage, AnUnknownVerbIsNamedWithTheNearest) {
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"chek", "a", "b"}, {"-j", "4", "chek"}, {"chek", "--help"}}) {
    const auto r = pitot(line);
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_EQ(r.out, "");
    EXPECT_THAT(r.err, HasSubstr("no verb 'chek'; did you mean 'check'?"));
  }
  EXPECT_THAT(pitot({"zzzzzz"}).err, HasSubstr("no verb 'zzzzzz'  ("));
  EXPECT_EQ(pitot({"--help"}).exit_code, 0);
  EXPECT_EQ(pitot({}).exit_code, 2);
}

TEST_F(Usage, BytesThatAreNoPtxAreNoCleanFile) {
  std::string bytes(3000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i * 37 + i / 3);
  file("rand.ptx", bytes);
  const auto r = pitot({"verify", "rand.ptx"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("rand.ptx: neither PTX nor"));
  EXPECT_THAT(r.err, Not(HasSubstr("no problems")));
}

TEST_F(Usage, BudgetsAreInTheHelp) {
  EXPECT_THAT(pitot({"run", "--help"}).out, HasSubstr("68719476736"));
  EXPECT_THAT(pitot({"profile", "--help"}).out, HasSubstr("68719476736"));
  EXPECT_THAT(pitot({"check", "--help"}).out, HasSubstr("4000000"));
}

// Every verb that was asked for JSON gives JSON, its schema first.
TEST_F(Usage, JsonOfBadPtxHasTheDiagnostics) {
  file("k.ptx", kernel_text("bogus.f32 %f0, %f1;\n"));
  file("good.ptx", kernel_text("mov.f32 %f0, 0f3F800000;\n"));
  file("k.toml", spec_text());
  for (const std::vector<std::string>& line : {std::vector<std::string>{"run", "k.toml"},
                                               {"profile", "k.toml"},
                                               {"check", "k.ptx", "good.ptx"},
                                               {"check", "good.ptx", "k.ptx"}}) {
    std::vector<std::string> json = line;
    json.insert(json.end(), {"-f", "json"});
    const auto r = pitot(json);
    EXPECT_EQ(r.exit_code, 1) << line[0];
    EXPECT_EQ(first_key(r.out), "schema") << line[0];
    const Json j = Json::parse(r.out);
    EXPECT_EQ(j["schema"], "pitot." + line[0] + "/1");
    if (line[0] == "check") {
      EXPECT_EQ(j["verdict"], "undecided");
    } else {
      EXPECT_EQ(j["ok"], false);
    }
    ASSERT_GE(j["diagnostics"].size(), 1u);
    EXPECT_THAT(j["diagnostics"][0]["path"].get<std::string>(), HasSubstr("k.ptx"));
    EXPECT_EQ(j["diagnostics"][0]["line"], 17);
    EXPECT_THAT(r.err, HasSubstr("k.ptx:17:"));
  }
}

TEST_F(Usage, JsonOfAMissingKernelHasTheError) {
  file("k.ptx", kernel_text("mov.f32 %f0, 0f3F800000;\n"));
  file("k.toml", spec_text());
  const auto r = pitot({"run", "k.toml", "--entry", "nope", "-f", "json"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(Json::parse(r.out)["errors"][0].get<std::string>(),
              HasSubstr("no kernel 'nope'; it has 'k'"));
  file("saxpy.ptx", text_of(kernels() + "cuda/saxpy/saxpy.sm80.ptx"));
  file("s.toml", text_of(kernels() + "cuda/saxpy/saxpy.kernel.toml"));
  EXPECT_THAT(pitot({"run", "s.toml", "--ptx", "saxpy.ptx", "--entry", "saxpi"}).err,
              HasSubstr("no kernel 'saxpi'; did you mean 'saxpy'?"));
}

TEST_F(Usage, SpecsAndKernelsInEachOthersPlace) {
  file("k.ptx", kernel_text("mov.f32 %f0, 0f3F800000;\n"));
  file("k.kernel.toml", spec_text());
  EXPECT_THAT(pitot({"run", "k.ptx"}).err, HasSubstr("k.ptx is PTX, no kernel spec"));
  EXPECT_THAT(pitot({"check", "k.ptx", "k.kernel.toml"}).err,
              HasSubstr("k.kernel.toml is a kernel spec, not a kernel: --spec"));
  EXPECT_THAT(pitot({"check", "k.ptx", "."}).err, HasSubstr("is a directory, the other is not"));
  file("e.toml", "ptx = \"\"\n[launch]\nblock = 32\n");
  EXPECT_THAT(pitot({"run", "e.toml"}).err, HasSubstr("e.toml:1:7: error: `ptx` is empty"));
}

}  // namespace
}  // namespace pitot::cli::test
