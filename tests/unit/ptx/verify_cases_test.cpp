// The small fault cases under tests/data/cases: each that ptxas rejects gives its finding, with
// place and advice; all others verify without an error.
#include <gtest/gtest.h>

#include <set>

#include "verify_test_util.h"

namespace pitot::ptx::test {
namespace {

const char kCases[] = "tests/data/cases/";

struct Case {
  const char* file;
  const char* code;
  uint32_t line, column;
  const char* message;  // part of it
  const char* hint;     // part of it
  uint32_t count;
};

const Case kRejected[] = {
    {"05-fp8-cvt-sm89-needs-8_1.ptx", "version-too-low", 12, 2,
     "(sm_89, PTX 8.1) or (sm_90, PTX 7.8)", "raise .version to 8.1", 1},
    {"06-bf16-cvt-needs-sm80.ptx", "target-too-low", 12, 2, "needs sm_80 or higher",
     "no .version change alone helps", 1},
    {"08-wgmma-without-a-suffix.ptx", "target-not-exact", 7, 2, "exactly sm_90a",
     "set .target sm_90a", 3},
    {"12-param-space-over-4352.ptx", "parameter-space", 5, 60, "(0x1108 bytes, 0x1100 max)",
     "raise .version to 8.1", 1},
    {"13-static-shared-over-48k.ptx", "shared-space", 5, 23, "(0x16000 bytes, 0xc000 max)",
     ".extern .shared", 1},
    {"14-mov-u8.ptx", "illegal-modifier", 10, 6, "mov.u8", "mov.", 1},
    {"21-shfl-without-sync.ptx", "removed-instruction", 11, 2, "sm_70 and higher from PTX 6.4",
     "shfl.sync", 1},
};

TEST(VerifyCases, RejectedOnes) {
  for (const Case& c : kRejected) {
    auto found = verify_file(std::string(kCases) + c.file);
    ASSERT_EQ(found.size(), 1u) << c.file << "\n" << show(found);
    EXPECT_EQ(found[0].severity, Severity::kError);
    EXPECT_EQ(found[0].code, c.code) << c.file;
    EXPECT_EQ(found[0].line, c.line) << c.file;
    EXPECT_EQ(found[0].column, c.column) << c.file;
    EXPECT_NE(found[0].message.find(c.message), std::string::npos) << found[0].message;
    EXPECT_NE(found[0].hint.find(c.hint), std::string::npos) << found[0].hint;
    EXPECT_EQ(found[0].count, c.count) << c.file;
  }
}

TEST(VerifyCases, AllOthersAreFine) {
  std::set<std::string> rejected;
  for (const Case& c : kRejected) rejected.insert(c.file);
  auto files = list_files(std::string(PITOT_SOURCE_DIR) + "/" + kCases, {".ptx"});
  ASSERT_TRUE(files.ok());
  size_t checked = 0;
  for (const std::string& path : *files) {
    std::string name = path.substr(path.rfind('/') + 1);
    if (rejected.count(name) != 0) continue;
    auto found = verify_file(kCases + name);
    EXPECT_EQ(errors(found), 0u) << name << "\n" << show(found);
    ++checked;
  }
  EXPECT_GE(checked, 27u);
}

// The same faults seen from other targets and versions.
TEST(VerifyCases, Fp8OnHopperNeedsNoChange) {
  VerifyOptions hopper;
  hopper.target = Target{90, 0};
  EXPECT_EQ(errors(verify_file(std::string(kCases) + "05-fp8-cvt-sm89-needs-8_1.ptx", hopper)), 0u);
}

TEST(VerifyCases, WgmmaIsNotOnLaterTargets) {
  for (uint16_t sm : {100, 120}) {
    VerifyOptions options;
    options.target = Target{sm, 0};
    auto found = verify_file(std::string(kCases) + "08-wgmma-without-a-suffix.ptx", options);
    ASSERT_EQ(errors(found), 1u) << show(found);
    EXPECT_EQ(found[0].code, "target-not-exact");
    EXPECT_NE(found[0].message.find("exactly sm_90a"), std::string::npos) << found[0].message;
  }
}

TEST(VerifyCases, Bf16CountsAllInstructions) {
  std::string text =
      ".version 7.8\n.target sm_75\n.address_size 64\n.entry k() {\n.reg .f32 %f; .reg .b16 %h; "
      ".reg .b32 %r;\n";
  for (int i = 0; i < 100; ++i) text += "cvt.rn.bf16.f32 %h, %f;\ncvt.rn.bf16x2.f32 %r, %f, %f;\n";
  auto found = verify_text(text + "ret; }\n");
  ASSERT_EQ(found.size(), 1u) << show(found);
  EXPECT_EQ(found[0].count, 200u);
  EXPECT_EQ(found[0].line, 6u);
  EXPECT_NE(found[0].message.find("and 1 other instruction need sm_80"), std::string::npos)
      << found[0].message;
}

TEST(VerifyCases, ShuffleIsOnlyDeprecatedBefore64) {
  auto text = read_file(std::string(PITOT_SOURCE_DIR) + "/" + kCases + "21-shfl-without-sync.ptx");
  ASSERT_TRUE(text.ok());
  std::string older = *text;
  older.replace(older.find("6.4"), 3, "6.3");
  auto found = verify_text(older);
  EXPECT_EQ(errors(found), 0u) << show(found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, "deprecated-instruction");
}

}  // namespace
}  // namespace pitot::ptx::test
