// Logs are read as they were written, and what is none is refused.
#include "search/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pitot::search {
namespace {

using testing::HasSubstr;
using transform::Action;

const LogHead kHead{{0x0123456789abcdef, 0xfedcba9876543210}, "emu H200"};
const Evaluation kFine{{1, 2}, {Action::kVecLd, Action::kMaxnreg128}, {0.1 + 0.2, 1e-17, ""}};
const Evaluation kFailed{{3, 4}, {Action::kCacheCs}, {0, 0, "ptxas: \"no\"\nline 2"}};

TEST(SearchLog, IsAnObjectALine) {
  EXPECT_EQ(log_head(kHead),
            "{\"schema\":\"pitot.search-log/1\",\"original\":"
            "\"0123456789abcdeffedcba9876543210\",\"cost\":\"emu H200\"}\n");
  EXPECT_EQ(
      log_line({{1, 2}, {Action::kVecLd, Action::kMaxnreg128}, {1.5, 0.25, ""}}),
      "{\"sequence\":[\"vec_ld\",\"maxnreg_128\"],\"hash\":"
      "\"00000000000000010000000000000002\",\"status\":\"ok\",\"cost\":1.5,\"noise\":0.25}\n");
}

TEST(SearchLog, IsReadAsWritten) {
  const std::string text = log_head(kHead) + log_line(kFine) + log_line(kFailed);
  auto h = read_log(text, kHead);
  ASSERT_TRUE(h.ok()) << h.error().message;
  EXPECT_EQ(h->whole_bytes, text.size());
  ASSERT_EQ(h->values.size(), 2u);
  EXPECT_EQ(h->values.at({1, 2}).cost, 0.1 + 0.2);
  EXPECT_EQ(h->values.at({1, 2}).noise, 1e-17);
  EXPECT_TRUE(h->values.at({1, 2}).ok());
  EXPECT_EQ(h->values.at({3, 4}).failure, "ptxas: \"no\"\nline 2");
}

TEST(SearchLog, ImagesAreKeptOfWhatIsFineAndOfWhatFailed) {
  Evaluation fine = kFine, failed = kFailed;
  fine.value.image = "ab12";
  failed.value.image = "cd34";
  EXPECT_THAT(log_line(fine), HasSubstr("\"image\":\"ab12\",\"status\":\"ok\""));
  auto h = read_log(log_head(kHead) + log_line(fine) + log_line(failed), kHead);
  ASSERT_TRUE(h.ok()) << h.error().message;
  EXPECT_EQ(h->values.at({1, 2}).image, "ab12");
  EXPECT_EQ(h->values.at({3, 4}).image, "cd34");
  EXPECT_FALSE(read_log(log_head(kHead) + "{\"hash\":\"" + Hash128{1, 2}.hex() +
                            "\",\"image\":3,\"status\":\"ok\",\"cost\":1,\"noise\":0}\n",
                        kHead)
                   .ok());
}

TEST(SearchLog, WithoutACostInTheHeadAnyIsRead) {
  auto h = read_log(log_head(kHead) + log_line(kFine), {kHead.original, ""});
  ASSERT_TRUE(h.ok()) << h.error().message;
  EXPECT_EQ(h->cost, "emu H200");
  EXPECT_FALSE(read_log(log_head(kHead), {{5, 6}, ""}).ok());
}

TEST(SearchLog, HalfALineAtTheEndIsNotThere) {
  const std::string whole = log_head(kHead) + log_line(kFine);
  const std::string more = log_line(kFailed);
  for (size_t n = 0; n < more.size(); ++n) {
    auto h = read_log(whole + more.substr(0, n), kHead);
    ASSERT_TRUE(h.ok()) << h.error().message;
    EXPECT_EQ(h->whole_bytes, whole.size());
    EXPECT_EQ(h->values.size(), 1u);
  }
  auto h = read_log(whole.substr(0, 20), kHead);
  ASSERT_TRUE(h.ok());
  EXPECT_EQ(h->whole_bytes, 0u);
}

TEST(SearchLog, OfSomethingElseIsRefused) {
  LogHead other = kHead;
  other.original.low = 1;
  EXPECT_THAT(read_log(log_head(other), kHead).error().message, HasSubstr("another kernel"));
  other = kHead;
  other.cost = "measured";
  EXPECT_EQ(read_log(log_head(other), kHead).error().message,
            "the log has values of the cost 'measured', not of 'emu H200'");
  EXPECT_THAT(read_log(log_line(kFine), kHead).error().message, HasSubstr("line 1: not the head"));
  for (const char* none : {"", "{", "[]", "3", "{\"schema\":\"pitot.search-log/1\"}"})
    EXPECT_THAT(read_log(std::string(none) + "\n", kHead).error().message,
                HasSubstr("line 1: not the head"));
}

TEST(SearchLog, LinesThatAreNoneAreRefusedByNumber) {
  const std::string hash = "\"hash\":\"00000000000000010000000000000002\"";
  for (const std::string& bad :
       {std::string(), std::string("{}"), std::string("nonsense"), "{" + hash + "}",
        "{" + hash + ",\"status\":\"ok\"}", "{" + hash + ",\"status\":\"ok\",\"cost\":1}",
        "{" + hash + ",\"status\":\"ok\",\"cost\":1,\"noise\":-1}",
        "{" + hash + ",\"status\":\"ok\",\"cost\":null,\"noise\":0}",
        "{" + hash + ",\"status\":\"failed\"}",
        "{" + hash + ",\"status\":\"failed\",\"reason\":\"\"}",
        "{" + hash + ",\"status\":\"fine\",\"cost\":1,\"noise\":0}",
        std::string("{\"hash\":\"0001\",\"status\":\"ok\",\"cost\":1,\"noise\":0}"),
        std::string("{\"hash\":\"0000000000000001000000000000000x\",\"status\":\"ok\",\"cost\":1,"
                    "\"noise\":0}")}) {
    auto h = read_log(log_head(kHead) + log_line(kFine) + bad + "\n", kHead);
    ASSERT_FALSE(h.ok()) << bad;
    EXPECT_EQ(h.error().message, "line 3: not an evaluation") << bad;
  }
}

TEST(SearchLog, TheHeadSaysWhatItIsOf) {
  const LogHead head{{0x0123456789abcdef, 42}, "emu H200, seed 1"};
  const std::string text = log_head(head) + "half a li";
  const auto read = read_log_head(text);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->original, head.original);
  EXPECT_EQ(read->cost, head.cost);
  for (const char* none :
       {"", "[]\n", "{}\n", "7\n",
        "{\"schema\":\"pitot.search-log/1\",\"original\":3,\"cost\":\"x\"}\n",
        "{\"schema\":\"pitot.search-log/1\",\"original\":\"0x\",\"cost\":\"x\"}\n"}) {
    const auto r = read_log_head(none);
    ASSERT_FALSE(r.ok()) << none;
    EXPECT_THAT(r.error().message, testing::HasSubstr("not the head of a search log"));
  }
}

}  // namespace
}  // namespace pitot::search
