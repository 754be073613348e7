// CSV as files have it: quotes, line ends, wrong widths, each complaint at its place.
#include "support/csv_table.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pitot {
namespace {

TEST(CsvTable, QuotesLineEndsAndBlankLines) {
  const SourceText source("a.csv",
                          "\xEF\xBB\xBFname,\"a,b\"\r\n\r\n\"say \"\"hi\"\"\",\n\"two\nlines\",3");
  Diagnostics out;
  const CsvTable t = read_csv(source, out);
  EXPECT_EQ(out.items().size(), 0u);
  ASSERT_EQ(t.header.size(), 2u);
  EXPECT_EQ(t.header[1].text, "a,b");
  ASSERT_EQ(t.rows.size(), 2u);
  EXPECT_EQ(t.rows[0][0].text, "say \"hi\"");
  EXPECT_EQ(t.rows[0][1].text, "");
  EXPECT_EQ(t.rows[1][0].text, "two\nlines");
  EXPECT_EQ(t.column("a,b"), 1u);
  EXPECT_EQ(t.column("b"), std::nullopt);
}

TEST(CsvTable, ComplaintsHavePlaces) {
  struct {
    const char *text, *code;
    uint32_t line, column;
  } const cases[] = {
      {"", "csv-empty", 1, 1},
      {"a,b,a\n", "csv-duplicate", 1, 5},
      {"a,b\n1,2\n3\n", "csv-width", 3, 1},
      {"a,b\n1,\"2\n", "csv-quote", 2, 3},
      {"a,b\n\"1\"x,2\n", "csv-quote", 2, 4},
  };
  for (const auto& c : cases) {
    const SourceText source("a.csv", c.text);
    Diagnostics out;
    read_csv(source, out);
    ASSERT_GE(out.items().size(), 1u) << c.text;
    EXPECT_EQ(out.items()[0].code, c.code) << c.text;
    const Position p = source.position(out.items()[0].range.begin);
    EXPECT_EQ(p.line, c.line) << c.text;
    EXPECT_EQ(p.column, c.column) << c.text;
  }
}

TEST(CsvTable, Numbers) {
  EXPECT_EQ(csv_number("1.5e3"), 1500.0);
  EXPECT_EQ(csv_number(" +2 "), 2.0);
  EXPECT_TRUE(std::isnan(*csv_number("nan")));
  EXPECT_TRUE(std::isinf(*csv_number("inf")));
  for (const char* wrong : {"", " ", "1x", "1 2", "0x10", "one"})
    EXPECT_EQ(csv_number(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace pitot
