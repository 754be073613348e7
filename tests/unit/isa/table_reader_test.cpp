// The generator's reader: rows it takes, and located errors for those it does not.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "table.h"

namespace pitot::isagen {
namespace {

// Writes the rows to a file, reads it, and returns what was printed, without the file's path.
std::string read(const std::string& rows, Table& table) {
  std::string path = ::testing::TempDir() + "rows-" + std::to_string(::getpid()) + ".isa";
  std::ofstream(path) << rows;
  ::testing::internal::CaptureStderr();
  bool ok = read_table(path, table);
  std::string printed = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(ok, printed.empty());
  std::remove(path.c_str());
  size_t at;
  while ((at = printed.find(path)) != std::string::npos) printed.erase(at, path.size());
  return printed;
}

Table good(const std::string& rows) {
  Table table;
  EXPECT_EQ(read(rows, table), "");
  return table;
}

TEST(TableReader, ReadsAForm) {
  Table table = good(
      "def RND = rn, rz@sm20\n"
      "inst fma, mad group=fma pipe=fp32 lat=4 commutative  # comment\n"
      "  form .lo | {$RND}? .sat?@(sm80 ptx70) {f32,f64}=T ; w:T, r:T, r:T neg, r:b64 when sat ; "
      "sm90a ptx80 | sm100 ; lat=9 unless=(sm70 ptx64)\n");
  ASSERT_EQ(table.instructions.size(), 2u);
  const Form& form = table.instructions["mad"].at(0);
  ASSERT_EQ(form.slots.size(), 4u);
  EXPECT_EQ(form.leading, 1u);
  EXPECT_TRUE(form.slots[1].optional);
  EXPECT_EQ(form.slots[1].alternatives[1].requirement.at(0).sm, 20);
  EXPECT_EQ(form.slots[2].alternatives[0].requirement.at(0).ptx, 70);
  EXPECT_EQ(form.slots[3].variable, 0);
  EXPECT_TRUE(form.operands.at(2).may_negate);
  EXPECT_EQ(form.operands.at(3).when, "sat");
  ASSERT_EQ(form.requirement.size(), 2u);
  EXPECT_EQ(form.requirement[0].suffix, 'a');
  EXPECT_EQ(form.latency, 9);
  EXPECT_EQ(form.unless.at(0).ptx, 64);
  EXPECT_EQ(form.effects, std::vector<std::string>{"kCommutative"});
}

TEST(TableReader, RequirementsSideBySideHoldTogether) {
  Table table = good("inst a\n  form .x ; ; (sm80 | sm90a) ptx70 sm75\n");
  const Requirement& needs = table.instructions["a"].at(0).requirement;
  ASSERT_EQ(needs.size(), 2u);
  EXPECT_EQ(needs[0].sm, 80);
  EXPECT_EQ(needs[0].ptx, 70);
  EXPECT_EQ(needs[1].sm, 90);
  EXPECT_EQ(needs[1].suffix, 'a');
}

TEST(TableReader, ExceptionsRestrictTheLastFormOrAll) {
  Table table = good(
      "inst a\n  form .x {u8,u16}=T\n  form .y .z?\n"
      "  except .y .z\n  except all T{u8} !{y} : sm90\n");
  const auto& forms = table.instructions["a"];
  ASSERT_EQ(forms[0].exclusions.size(), 1u);
  EXPECT_EQ(forms[0].exclusions[0].clauses.at(0).variable, 0);
  EXPECT_TRUE(forms[0].exclusions[0].clauses.at(1).negated);
  EXPECT_EQ(forms[0].exclusions[0].requirement.at(0).sm, 90);
  ASSERT_EQ(forms[1].exclusions.size(), 2u);
  EXPECT_TRUE(forms[1].exclusions[0].requirement.empty());
}

TEST(TableReader, Enumerators) {
  EXPECT_EQ(enumerator("shared::cta"), "kSharedCta");
  EXPECT_EQ(enumerator("L2::128B"), "kL2_128B");
  EXPECT_EQ(enumerator("1d"), "k1d");
  EXPECT_EQ(enumerator("m16n8k16"), "kM16n8k16");
  EXPECT_EQ(enumerator("b4x16_p64"), "kB4x16P64");
  EXPECT_EQ(enumerator("cta_group::1"), "kCtaGroup_1");
}

struct Bad {
  const char* rows;
  const char* printed;
};

class BadRow : public ::testing::TestWithParam<Bad> {};

TEST_P(BadRow, IsLocated) {
  Table table;
  EXPECT_EQ(read(GetParam().rows, table), GetParam().printed);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadRow,
    ::testing::Values(
        Bad{"form .x\n", ":1:6: error: a form before any inst\n"},
        Bad{"inst a\n  form x\n", ":2:8: error: expected '.modifier' or '{alternatives}'\n"},
        Bad{"inst a\n  form {u8,u8}\n", ":2:14: error: 'u8' is listed twice\n"},
        Bad{"inst a\n  form {$NO}\n", ":2:12: error: no list named 'NO'\n"},
        Bad{"inst a\n  form .x ; q:u32\n", ":2:14: error: unknown operand access 'q'\n"},
        Bad{"inst a\n  form .x ; r:T\n", ":2:8: error: no slot binds T\n"},
        Bad{"inst a\n  form .x ; r:u32 when y\n", ":2:8: error: no slot has the modifier 'y'\n"},
        Bad{"inst a\n  form .x ; ; sm9x\n", ":2:19: error: expected sm and a number\n"},
        Bad{"inst a\n  form .x ; ; sm90a sm100a\n",
            ":2:27: error: no target can satisfy this requirement\n"},
        Bad{"inst a\n  form .x ; ; ; nosuch\n", ":2:23: error: unknown option 'nosuch'\n"},
        Bad{"inst a\n  form .x ; ; ; lat=999\n", ":2:24: error: expected cycles below 256\n"},
        Bad{"inst a\n  form .x ; ; ; ; ;\n", ":2:18: error: too many parts\n"},
        Bad{"inst a\n  except .x\n", ":2:10: error: an except before any form\n"},
        Bad{"what\n", ":1:5: error: unknown row 'what'\n"},
        Bad{"inst a\n  form x\n  form y\n",
            ":2:8: error: expected '.modifier' or '{alternatives}'\n"
            ":3:8: error: expected '.modifier' or '{alternatives}'\n"}));

TEST(TableReader, AMissingFileIsAnError) {
  Table table;
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(read_table("/nonexistent/rows.isa", table));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "/nonexistent/rows.isa: error: cannot be read\n");
}

}  // namespace
}  // namespace pitot::isagen
