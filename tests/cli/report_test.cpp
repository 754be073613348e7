// pitot report as a user runs it: on what other verbs print, and on what is none of it.
#include "cli_test_util.h"

namespace pitot::cli::test {
namespace {

class Report : public Cli {};

TEST_F(Report, OnePageOfWhatOtherVerbsPrint) {
  const std::string pair = kernels() + "pairs/softmax/softmax_";
  const auto gate =
      pitot({"gate", "--no-ptxas", "-f", "json", pair + "right.sm80.ptx", pair + "wrong.sm80.ptx"});
  file("gate.json", gate.out);
  const auto check =
      pitot({"check", "-f", "json", pair + "right.sm80.ptx", pair + "wrong.sm80.ptx"});
  file("check.json", check.out);
  const auto profile = pitot({"profile", kernels() + "cuda/transpose/transpose.kernel.toml", "-f",
                              "json", "--gpu", "H200"});
  file("profile.json", profile.out);
  const auto r = pitot({"report", "gate.json", "check.json", "profile.json", "-o", "page.html",
                        "--title", "Build <7>"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(r.err, HasSubstr("page.html: 3 sections"));
  const std::string page = text_of("page.html");
  EXPECT_THAT(page, HasSubstr("<h1>Build &lt;7&gt;</h1>"));
  for (const char* part : {"id=\"s1\"", "id=\"s2\"", "id=\"s3\"", "softmax_wrong", "hottest"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_THAT(page, Not(HasSubstr("id=\"s4\"")));
  EXPECT_EQ(page.rfind("</html>\n"), page.size() - 8);
}

TEST_F(Report, StandardInputAndOutput) {
  const auto r = pitot({"report", "-"}, "epoch,loss\n1,2\n2,1\n");
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("Learning curve"));
  EXPECT_THAT(r.out, HasSubstr("standard input"));
}

TEST_F(Report, BadFilesAreAllNamedAndNoPageIsWritten) {
  file("good.csv", "epoch,loss\n1,2\n");
  file("bad.json", "{\n  \"schema\": \"pitot.gate/1\",\n  oops\n}");
  file("other.json", "{\"schema\": \"somebody.else/1\"}");
  const auto r =
      pitot({"report", "good.csv", "bad.json", "other.json", "none.json", "-o", "p.html"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(r.err, HasSubstr("bad.json:3:3: no JSON"));
  EXPECT_THAT(r.err, HasSubstr("other.json:1:2: schema 'somebody.else/1' has no page"));
  EXPECT_THAT(r.err, HasSubstr("none.json"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "p.html"));
}

TEST_F(Report, AnInputIsNotOverwritten) {
  file("c.csv", "epoch,loss\n1,2\n");
  const auto r = pitot({"report", "c.csv", "-o", "c.csv"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("c.csv: is to be read and to be written"));
  EXPECT_EQ(text_of("c.csv"), "epoch,loss\n1,2\n");
}

TEST_F(Report, UnwritableOutputAndNoFiles) {
  file("c.csv", "epoch,loss\n1,2\n");
  EXPECT_EQ(pitot({"report", "c.csv", "-o", "no/such/folder/p.html"}).exit_code, 2);
  EXPECT_EQ(pitot({"report"}).exit_code, 2);
  EXPECT_THAT(pitot({"report", "--help"}).out, HasSubstr("pitot.bench/1"));
}

}  // namespace
}  // namespace pitot::cli::test
