// TOML with located complaints.
#include "support/toml_table.h"

#include <gtest/gtest.h>

namespace pitot {
namespace {

std::string parsed(const std::string& text) {
  const SourceText source("t.toml", text);
  Diagnostics found;
  TomlContext context(source, found);
  const toml::table root = context.parse();
  if (found.errors() == 0) return root.empty() ? "empty" : "read";
  const Diagnostic& d = found.items()[0];
  return d.code + "@" + std::to_string(d.range.begin);
}

// Found by fuzzing: toml++ has undefined behaviour on some letters outside of strings.
TEST(TomlTable, OnlyStringsAndCommentsGoBeyondAscii) {
  EXPECT_EQ(parsed("a\xc5\x88 = 1\n"), "toml-syntax@1");
  EXPECT_EQ(parsed("[[a\xc5\x88 \"x\"]]\n"), "toml-syntax@7");
  EXPECT_EQ(parsed("a = 1 \xc2\xa0\n"), "toml-syntax@6");
  EXPECT_EQ(parsed("a = \"\xc5\x88\" # \xc5\x88\n"), "read");
  EXPECT_EQ(parsed("a = '\xc5\x88'\nb = '''\xc5\x88\n'\xc5\x88'''\nc = "
                   "\"\"\"\xc5\x88\\\"\"\xc5\x88\"\"\"\n"),
            "read");
  EXPECT_EQ(parsed("a = \"\\\"\" \xc5\x88\n"), "toml-syntax@9");
  EXPECT_EQ(parsed("\xef\xbb\xbf"
                   "a = 1\n"),
            "read");
  EXPECT_EQ(parsed("program =0\"9f\xcc\x9e\xc8\x53\"   # c\n").substr(0, 12), "toml-syntax@");
  EXPECT_EQ(parsed("a = \"\xc8\x53\"\n").substr(0, 12), "toml-syntax@");  // no UTF-8
  EXPECT_EQ(parsed("a = \"open\n\xc5\x88 = 1\n").substr(0, 12), "toml-syntax@");
}

}  // namespace
}  // namespace pitot
