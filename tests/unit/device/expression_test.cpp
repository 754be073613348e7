// Expressions of specs and templates.
#include "device/expression.h"

#include <gtest/gtest.h>

namespace pitot::device {
namespace {

const Sizes kSizes{{"n", 100}, {"BM", 32}, {"zero", 0}};
const Words kWords{{"layout", "row"}, {"type", "half"}};

int64_t value(std::string_view text) {
  auto v = evaluate(text, kSizes, kWords);
  EXPECT_TRUE(v.ok()) << text << ": " << (v ? "" : v.error().message);
  return v ? *v : INT64_MIN;
}

std::string complaint(std::string_view text) {
  auto v = evaluate(text, kSizes, kWords);
  EXPECT_FALSE(v.ok()) << text;
  return v ? "" : v.error().message;
}

TEST(Expression, Arithmetic) {
  EXPECT_EQ(value("ceil_div(n, BM) * 2 + 1"), 9);
  EXPECT_EQ(value("-n / 3"), -33);
  EXPECT_EQ(value("max(n, BM) - min(n, BM) % 5"), 98);
}

TEST(Expression, ComparisonsAndConnectives) {
  EXPECT_EQ(value("BM * 4 <= 128"), 1);
  EXPECT_EQ(value("BM * 4 < 128"), 0);
  EXPECT_EQ(value("n >= 100 && n > 99"), 1);
  EXPECT_EQ(value("n == 1 || BM != 32"), 0);
  EXPECT_EQ(value("n == 1 || BM == 32"), 1);
  EXPECT_EQ(value("!(n == 100)"), 0);
  EXPECT_EQ(value("!zero"), 1);
  EXPECT_EQ(value("1 || 0 && 0"), 1) << "&& binds tighter";
  EXPECT_EQ(value("0 && 1 || 1"), 1);
  EXPECT_EQ(value("1 + (2 > 1) * 3"), 4);
  EXPECT_EQ(value("3 != 4"), 1);
}

TEST(Expression, TheOtherSideIsNotComputedWhereOneDecides) {
  EXPECT_EQ(value("zero == 0 || n / zero > 1"), 1);
  EXPECT_EQ(value("zero != 0 && n % zero == 1"), 0);
  EXPECT_NE(complaint("zero == 1 || n / zero > 1").find("division by zero"), std::string::npos);
  EXPECT_NE(complaint("1 || nothing").find("'nothing'"), std::string::npos)
      << "a name that is none is wrong wherever it stands";
}

TEST(Expression, Texts) {
  EXPECT_EQ(value("layout == 'row'"), 1);
  EXPECT_EQ(value("'col' == layout || type != 'half'"), 0);
  EXPECT_EQ(value("layout == type"), 0);
  EXPECT_NE(complaint("layout + 1").find("only == and !="), std::string::npos);
  EXPECT_NE(complaint("layout == 1").find("no text"), std::string::npos);
  EXPECT_NE(complaint("layout == 'row").find("quote"), std::string::npos);
}

TEST(Expression, WrongOnes) {
  for (const char* text : {"", "1 +", "(1", "1 = 2", "1 & 2", "n n", "&& 1", "1 < ", "5x"})
    EXPECT_FALSE(evaluate(text, kSizes).ok()) << text;
  EXPECT_FALSE(evaluate(std::string(100000, '('), {}).ok());
  EXPECT_FALSE(evaluate(std::string(100000, '!') + "1", {}).ok());
  EXPECT_FALSE(evaluate("9223372036854775807 + 1", {}).ok());
}

}  // namespace
}  // namespace pitot::device
