// `pitot run` and `pitot profile`: the shape of the JSON, launches that no GPU takes, values that
// do not fit, binaries with PTX in them.
#include "cli_test_util.h"

namespace pitot::cli::test {
namespace {

class Run : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    file("k.ptx", kernel_text("ld.global.f32 %f0, [%rd1];\nadd.f32 %f0, %f0, %f0;\n"));
  }
  // The complaint about a spec, with exit code 2.
  std::string complaint(const std::string& spec, const char* verb = "run") {
    file("k.toml", spec);
    const auto r = pitot({verb, "k.toml"});
    EXPECT_EQ(r.exit_code, 2) << r.out;
    EXPECT_EQ(r.out, "");
    return r.err;
  }
};

TEST_F(Run, JsonHasOneShapeForOneSizeAndForMany) {
  file("k.toml", spec_text());
  const auto one = pitot({"run", "k.toml", "-f", "json", "--size", "1"});
  const auto both = pitot({"run", "k.toml", "-f", "json"});
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_EQ(first_key(one.out), "schema");
  EXPECT_EQ(first_key(both.out), "schema");
  const Json j = Json::parse(one.out), k = Json::parse(both.out);
  std::vector<std::string> keys_one, keys_both;
  for (const auto& [key, value] : j.items()) keys_one.push_back(key);
  for (const auto& [key, value] : k.items()) keys_both.push_back(key);
  EXPECT_EQ(keys_one, keys_both);
  for (const char* key : {"device", "ok", "outputs", "faults", "runs"})
    EXPECT_TRUE(j.contains(key));
  EXPECT_EQ(j["runs"].size(), 1u);
  EXPECT_EQ(j["outputs"][0]["name"], "p");
  EXPECT_EQ(j["outputs"][0]["size"], "n=5");
  EXPECT_EQ(j["size"], "n=5");
  EXPECT_EQ(k["runs"].size(), 2u);
  EXPECT_EQ(k["outputs"].size(), 2u);
  EXPECT_TRUE(k["size"].is_null());
  EXPECT_EQ(k["runs"][1]["outputs"][0]["bits"], j["runs"][0]["outputs"][0]["bits"]);
}

TEST_F(Run, LaunchesThatNoGpuTakes) {
  EXPECT_THAT(complaint(spec_text("grid = 1\nblock = 2048\n")),
              HasSubstr("k.toml:6: a block of 2048 threads: sm_80 takes at most 1024"));
  EXPECT_THAT(complaint(spec_text("grid = 1\nblock = [1, 1, 65]\n")),
              HasSubstr("k.toml:6: a block of 65 threads in z: 1 to 64"));
  EXPECT_THAT(complaint(spec_text("grid = [1, 70000]\nblock = 32\n")),
              HasSubstr("k.toml:5: a grid of 70000 blocks in y: 1 to 65535"));
  EXPECT_THAT(complaint(spec_text("grid = [1, 1, 65536]\nblock = 32\n")),
              HasSubstr("k.toml:5: a grid of 65536 blocks in z"));
  EXPECT_THAT(
      complaint(spec_text("grid = 1\nblock = 32\nshared = 166913\n")),
      HasSubstr("k.toml:7: 166913 bytes of shared memory a block: sm_80 takes at most 166912"));
  EXPECT_THAT(complaint(spec_text("grid = 2\nblock = 32\ncluster = 2\n")),
              HasSubstr("k.toml:7: sm_80 has no clusters"));
  EXPECT_THAT(complaint(spec_text("grid = 1\nblock = 64\n")), HasSubstr(".reqntid"));
  EXPECT_THAT(complaint(spec_text("grid = 1\nblock = 2048\n"), "profile"),
              HasSubstr("k.toml:6: a block of 2048 threads"));
}

TEST_F(Run, LimitsAreTheTargets) {
  file("k.ptx", kernel_text("mov.f32 %f0, 0f3F800000;\n", "sm_90"));
  file("k.toml", spec_text("grid = 16\nblock = 32\ncluster = 16\nshared = 232448\n"));
  EXPECT_EQ(pitot({"run", "k.toml"}).exit_code, 0);
  EXPECT_THAT(complaint(spec_text("grid = 32\nblock = 32\ncluster = 32\n")),
              HasSubstr("k.toml:7: a cluster of 32 blocks: sm_90 takes at most 16"));
  EXPECT_THAT(complaint(spec_text("grid = 3\nblock = 32\ncluster = 2\n")),
              HasSubstr("3 blocks in x are no multiple of the cluster's 2"));
  EXPECT_THAT(complaint(spec_text("grid = 1\nblock = 32\nshared = 232449\n")),
              HasSubstr("sm_90 takes at most 232448"));
}

TEST_F(Run, ValuesThatDoNotFit) {
  const std::string launch = "grid = 1\nblock = 32\n";
  auto buffer = [&](const std::string& more) {
    return complaint(spec_text(launch, "count = \"n\"\nrole = \"inout\"\n" + more));
  };
  EXPECT_THAT(buffer("init = \"uniform(nan, 1)\"\n"), HasSubstr("k.toml:19:8: error: init"));
  EXPECT_THAT(buffer("init = \"what\"\n"), HasSubstr("k.toml:19:8: error: init 'what' is none of"));
  EXPECT_THAT(buffer("align = 3\n"), HasSubstr("k.toml:19:9: error: 3 is no power of two"));
  EXPECT_THAT(complaint(spec_text(launch, "count = \"n * 100000000000\"\n")),
              HasSubstr("k.toml:13: 'p' has 3200000000000 elements: more than 1 TiB"));
  EXPECT_THAT(complaint(spec_text(launch, "count = \"n * 100000000\"\n")),
              HasSubstr("more than 4 GiB, which is all"));
  EXPECT_THAT(complaint(spec_text(launch, "count = \"m\"\n")), HasSubstr("no size is named 'm'"));
  const std::string inout = "count = \"n\"\nrole = \"inout\"\n";
  EXPECT_THAT(complaint(spec_text(launch, inout, "4294967296")),
              HasSubstr("k.toml:19: `value` of 'n': 4294967296 is no u32"));
  EXPECT_THAT(complaint(spec_text(launch, inout, "0 - 1")), HasSubstr("-1 is no u32"));
  for (const char* v : {"nan", "inf", "-1e-3"}) {
    EXPECT_THAT(
        complaint(spec_text(launch, inout, "n", std::string("[tolerance]\nrtol = ") + v + "\n")),
        HasSubstr("k.toml:25:8: error: `rtol` is a finite number, 0 or more"));
    EXPECT_THAT(
        complaint(spec_text(launch, inout, "n", std::string("[tolerance]\natol = ") + v + "\n")),
        HasSubstr("`atol` is a finite number"));
  }
}

TEST_F(Run, OutOfBoundsIsSaidFromWhereThePointerPoints) {
  file("k.toml", spec_text("grid = 1\nblock = 32\n", "count = 8\nrole = \"inout\"\n"));
  auto r = pitot({"run", "k.toml", "--size", "0"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.out, HasSubstr("read of 4 bytes at p+32 ("));
  EXPECT_THAT(r.out, HasSubstr("), right behind 'p', which has 32 bytes"));
  // The pointer stands in the middle of the buffer.
  file("k.toml", spec_text("grid = 1\nblock = 32\n", "count = 8\norigin = 4\nrole = \"inout\"\n"));
  EXPECT_THAT(pitot({"run", "k.toml", "--size", "0"}).out, HasSubstr("read of 4 bytes at p+16 ("));
}

// A run with a fault has no rows: the fault must not be lost.
TEST_F(Run, CsvOfAProfileWithAFaultSaysSo) {
  file("k.toml", spec_text("grid = 1\nblock = 32\n", "count = 8\nrole = \"inout\"\n"));
  const auto r = pitot({"profile", "k.toml", "-f", "csv"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err, HasSubstr("fault[out-of-bounds] read of 4 bytes at p+32"));
  EXPECT_THAT(r.out, HasSubstr("kernel,size,gpu,line"));
}

TEST_F(Run, ReadsBinariesWithPtxInThem) {
  const std::string samples = PITOT_SOURCE_DIR "/tests/data/toolchain/";
  for (const char* name : {"saxpy.o", "plain.fatbin", "library.so"}) {
    file("k.toml",
         "ptx = \"" + samples + name +
             "\"\nentry = \"saxpy\"\n"
             "[launch]\ngrid = 1\nblock = 32\n[[args]]\nname = \"y\"\nkind = \"buffer\"\n"
             "type = \"f32\"\ncount = 32\ninit = \"iota(1)\"\nrole = \"inout\"\n"
             "[[args]]\nname = \"x\"\nkind = \"buffer\"\ntype = \"f32\"\ncount = 32\n"
             "init = \"iota(1)\"\n[[args]]\nname = \"a\"\nkind = \"scalar\"\ntype = \"f32\"\n"
             "value = 2\n[[args]]\nname = \"n\"\nkind = \"scalar\"\ntype = \"s32\"\nvalue = 32\n");
    const auto r = pitot({"run", "k.toml"});
    EXPECT_EQ(r.exit_code, 0) << name << r.err;
    EXPECT_THAT(r.out, HasSubstr("y[32] = 0 3 6 9"));
  }
  // The newest target's, and it is said.
  EXPECT_THAT(pitot({"run", "k.toml", "--ptx", samples + "plain.fatbin"}).err,
              HasSubstr("plain.fatbin has PTX for sm_80, sm_90a; sm_90a is used"));
  const auto none = pitot({"run", "k.toml", "--ptx", samples + "code_only.fatbin"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("no PTX in this fat binary"));
}

}  // namespace
}  // namespace pitot::cli::test
