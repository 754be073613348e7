// The compiler-like text form of diagnostics.
#include "report/diagnostic_text.h"

#include <gtest/gtest.h>

namespace pitot::report {
namespace {

SourceRange find(const SourceText& s, std::string_view what) {
  auto at = static_cast<uint32_t>(s.text().find(what));
  return {at, at + static_cast<uint32_t>(what.size())};
}

TEST(DiagnosticText, PositionCaretAndHint) {
  SourceText source("k.ptx", ".version 8.0\r\n  mov.u8 %r1, 1;\r\n");
  Diagnostic d{Severity::kError,        "no-form",     find(source, "mov.u8"),
               "mov has no 8-bit form", "use mov.b16", 1};
  EXPECT_EQ(format_diagnostic(source, d, {}),
            "k.ptx:2:3: error: mov has no 8-bit form [no-form]\n"
            "     2 |   mov.u8 %r1, 1;\n"
            "       |   ^~~~~~\n"
            "       = hint: use mov.b16\n");
}

TEST(DiagnosticText, TabsAndUtf8KeepTheCaretUnderItsColumn) {
  SourceText source("k.ptx", "\t/* é */\tadd.s3 %r1;\n");
  Diagnostic d{Severity::kWarning, "x", find(source, "add.s3"), "m", "", 3};
  EXPECT_EQ(format_diagnostic(source, d, {}),
            "k.ptx:1:11: warning: m [x]\n"
            "     1 |     /* é */ add.s3 %r1;\n"
            "       |             ^~~~~~\n"
            "       = count: 3 places; this is the first\n");
}

TEST(DiagnosticText, LongLineIsCutAroundTheCaret) {
  std::string text(500000, 'a');
  text.replace(300000, 3, "BAD");
  SourceText source("k.ptx", text);
  TextStyle style;
  style.width = 40;
  std::string out = format_excerpt(source, {300000, 300003}, style, Ink::kError);
  size_t newline = out.find('\n');
  std::string first = out.substr(0, newline), second = out.substr(newline + 1);
  EXPECT_LT(first.size(), 60u);
  ASSERT_NE(first.find("BAD"), std::string::npos);
  // "…" is three bytes and one column.
  EXPECT_EQ(first.find("BAD") - 2, second.find("^~~"));
}

TEST(DiagnosticText, ControlBytesAreNotPassedToTheTerminal) {
  SourceText source("k.ptx",
                    "a\x1b[31m\xff"
                    "b");
  std::string out = format_excerpt(source, {0, 1}, {}, Ink::kError);
  EXPECT_EQ(out, "     1 | a?[31m?b\n       | ^\n");
}

TEST(DiagnosticText, RangesPastTheLineOrTextAreSafe) {
  SourceText source("k.ptx", "ab\ncd");
  EXPECT_EQ(format_excerpt(source, {0, 5}, {}, Ink::kError), "     1 | ab\n       | ^~\n");
  EXPECT_EQ(format_excerpt(source, {5, 5}, {}, Ink::kError), "     2 | cd\n       |   ^\n");
  EXPECT_EQ(
      format_diagnostic(SourceText("gone.ptx", ""), {Severity::kError, "io", {}, "m", "", 1}, {}),
      "gone.ptx: error: m [io]\n");
}

TEST(DiagnosticText, ColourOnlyWhenAsked) {
  EXPECT_TRUE(want_colour("always", "1", false));
  EXPECT_FALSE(want_colour("never", nullptr, true));
  EXPECT_FALSE(want_colour("auto", "1", true));
  EXPECT_TRUE(want_colour("auto", "", true));
  EXPECT_FALSE(want_colour("auto", nullptr, false));
  SourceText source("k.ptx", "x");
  Diagnostic d{Severity::kError, "c", {0, 1}, "m", "h", 1};
  TextStyle style;
  style.colour = true;
  EXPECT_NE(format_diagnostic(source, d, style).find("\x1b[1;31m"), std::string::npos);
  EXPECT_EQ(format_diagnostic(source, d, {}).find('\x1b'), std::string::npos);
}

TEST(DiagnosticText, Counts) {
  EXPECT_EQ(count_text(0, 0), "no problems");
  EXPECT_EQ(count_text(1, 0), "1 error");
  EXPECT_EQ(count_text(2, 1), "2 errors, 1 warning");
}

}  // namespace
}  // namespace pitot::report
