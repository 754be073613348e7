// The header scan and retargeting rules.
#include "toolchain/ptx_header.h"

#include <gtest/gtest.h>

namespace pitot::toolchain {
namespace {

ptx::Target target(const char* name) { return ptx::target_from_name(name); }

TEST(PtxHeader, FindsVersionAndTarget) {
  PtxHeader h = read_ptx_header(
      "\xEF\xBB\xBF// .version 1.0\r\n/* .target sm_10 */\r\nFatbin ptx code:\r\n====\r\n"
      ".version 8.1\r\n.target sm_90a, debug // sm_50\r\n.address_size 64\r\n.entry k() {}");
  EXPECT_EQ(h.version, 81);
  EXPECT_EQ(h.target, target("sm_90a"));
  ASSERT_EQ(h.target_names.size(), 1u);
}

TEST(PtxHeader, OddTexts) {
  EXPECT_FALSE(read_ptx_header("").is_ptx());
  EXPECT_FALSE(read_ptx_header("int main() { .version 8.0 }").is_ptx());
  EXPECT_FALSE(read_ptx_header(".version eight").is_ptx());
  EXPECT_FALSE(read_ptx_header(".version 8").is_ptx());
  EXPECT_FALSE(read_ptx_header(".version 123.0").is_ptx());
  EXPECT_FALSE(read_ptx_header("/* .version 8.0").is_ptx());
  PtxHeader h = read_ptx_header(".version 3.2 .target texmode_independent");
  EXPECT_EQ(h.version, 32);
  EXPECT_EQ(h.target.sm, 0);
}

TEST(PtxHeader, Replacing) {
  std::string text = ".version 8.0\n.target  sm_80 ,debug\t//sm_80\n.address_size 64\n// sm_80\n";
  PtxHeader h = read_ptx_header(text);
  EXPECT_EQ(with_target(text, h, target("sm_100f")),
            ".version 8.0\n.target  sm_100f ,debug\t//sm_80\n.address_size 64\n// sm_80\n");
}

TEST(PtxHeader, RetargetRules) {
  auto direct = [](const char* from, const char* to) {
    return retarget_kind(target(from), target(to)) == Retarget::kDirect;
  };
  EXPECT_TRUE(direct("sm_80", "sm_80"));
  EXPECT_TRUE(direct("sm_80", "sm_90"));
  EXPECT_TRUE(direct("sm_80", "sm_90a"));
  EXPECT_TRUE(direct("sm_80", "sm_120f"));
  EXPECT_FALSE(direct("sm_80", "sm_75"));
  EXPECT_TRUE(direct("sm_90a", "sm_90a"));
  EXPECT_FALSE(direct("sm_90a", "sm_90"));
  EXPECT_FALSE(direct("sm_90a", "sm_100"));
  EXPECT_FALSE(direct("sm_90a", "sm_100a"));
  EXPECT_TRUE(direct("sm_100f", "sm_103"));
  EXPECT_TRUE(direct("sm_100f", "sm_103a"));
  EXPECT_FALSE(direct("sm_103f", "sm_100f"));
  EXPECT_FALSE(direct("sm_100f", "sm_110"));
  EXPECT_TRUE(direct("sm_120f", "sm_121a"));
}

}  // namespace
}  // namespace pitot::toolchain
