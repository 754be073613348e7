// pitot transform: what is applied and written, what is said, and what is refused.
#include "cli_test_util.h"

namespace pitot::cli::test {
namespace {

class Transform : public Cli {
 protected:
  // Two neighbouring loads through %rd0.
  std::string pair() {
    return kernel_text("ld.global.f32 %f0, [%rd0];\nld.global.f32 %f1, [%rd0+4];\n");
  }
};

TEST_F(Transform, TheListHasEveryActionAndWhatExcludesWhat) {
  const auto r = pitot({"transform", "--list"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_THAT(r.out, HasSubstr("vec_ld          vectorise "));
  EXPECT_THAT(r.out, HasSubstr("maxnreg_255     registers *"));
  const Json j = Json::parse(pitot({"transform", "--list", "-f", "json"}).out);
  EXPECT_EQ(first_key(j.dump()), "schema");
  EXPECT_EQ(j["schema"], "pitot.transform/1");
  EXPECT_EQ(j["actions"].size(), 27u);
  EXPECT_EQ(j["actions"][3]["name"], "cache_cs");
  EXPECT_EQ(j["actions"][3]["exclusive"], true);
}

TEST_F(Transform, WritesTheResultAndSaysWhatEachStepDid) {
  file("k.ptx", pair());
  const auto r = pitot({"transform", "--apply", "vec_ld,cache_cs,split_ld", "--assume-align",
                        "k_p=8", "k.ptx", "-o", "out.ptx"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("vec_ld          1 place\n"));
  EXPECT_THAT(r.out, HasSubstr("written to out.ptx"));
  EXPECT_EQ(text_of("out.ptx"), kernel_text("ld.global.cs.f32 %f0, [%rd0];\n"
                                            "ld.global.cs.f32 %f1, [%rd0+4];\n"));
  EXPECT_EQ(text_of("k.ptx"), pair());
}

TEST_F(Transform, ReasonsHaveTheirLines) {
  file("k.ptx", pair());
  const auto r = pitot({"transform", "--apply", "vec_ld", "k.ptx", "-f", "json"});
  EXPECT_EQ(r.exit_code, 0);
  const Json j = Json::parse(r.out);
  const Json& step = j["steps"][0];
  EXPECT_EQ(step["action"], "vec_ld");
  EXPECT_EQ(step["applied"], false);
  EXPECT_EQ(step["reason"], "k_p: its address is proved a multiple of 1, 8 are needed");
  EXPECT_EQ(step["declined"][0]["line"], 17);
  EXPECT_EQ(j["output"], nullptr);
}

TEST_F(Transform, ASpecStatesAlignmentAndDistinctBuffers) {
  file("k.ptx", pair());
  file("k.kernel.toml", spec_text());
  const auto r = pitot({"transform", "--apply", "vec_ld", "k.kernel.toml", "-o", "-"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, kernel_text("ld.global.v2.f32 {%f0, %f1}, [%rd0];\n"));
  EXPECT_THAT(r.err, HasSubstr("vec_ld          1 place"));
}

TEST_F(Transform, TheMaskIsOfTheKernelAsItIsThen) {
  file("k.ptx", pair());
  const Json j = Json::parse(
      pitot({"transform", "--apply", "maxnreg_64", "--mask", "k.ptx", "-f", "json"}).out);
  auto state = [&](const std::string& action) {
    for (const Json& m : j["mask"])
      if (m["action"] == action) return m["state"].get<std::string>();
    return std::string();
  };
  EXPECT_EQ(j["mask"].size(), 27u);
  EXPECT_EQ(state("maxnreg_64"), "applied");
  EXPECT_EQ(state("maxnreg_128"), "conflict");
  EXPECT_EQ(state("cache_cs"), "available");
  EXPECT_EQ(state("cache_ca"), "nothing");
}

TEST_F(Transform, WrongCommandLines) {
  file("k.ptx", pair());
  auto refused = [&](std::vector<std::string> line, const std::string& said) {
    line.insert(line.begin(), "transform");
    const auto r = pitot(line);
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_THAT(r.err, HasSubstr(said));
    EXPECT_EQ(r.out, "");
  };
  refused({"k.ptx"}, "nothing to do");
  refused({"--apply", "vec_ld"}, "name a PTX file");
  refused({"--apply", "vec", "k.ptx"}, "no transform 'vec'");
  refused({"--apply", "cache_cs,cache_cg", "k.ptx"}, "cache_cg cannot follow cache_cs");
  refused({"--apply", "vec_ld", "--kernel", "no", "k.ptx"}, "no kernel 'no'");
  refused({"--apply", "vec_ld", "--assume-align", "k_p=12", "k.ptx"}, "a power of two");
  refused({"--apply", "vec_ld", "--assume-align", "q=16", "k.ptx"}, "no parameter 'q'");
  refused({"--apply", "vec_ld", "--assume-align", "k_n=16", "k.ptx"}, "'k_n' is no pointer");
  refused({"--apply", "vec_ld", "--ptx", "k.ptx", "k.ptx"}, "--ptx is for a kernel spec");
  refused({"--apply", "vec_ld", "missing.ptx"}, "missing.ptx");
}

TEST_F(Transform, ErrorsInThePtxAreItsFindings) {
  file("k.ptx", kernel_text("bogus.f32 %f0, %f1;\n"));
  const auto r = pitot({"transform", "--apply", "vec_ld", "k.ptx", "-o", "out.ptx"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err, HasSubstr("k.ptx:17:"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.ptx"));
}

}  // namespace
}  // namespace pitot::cli::test
