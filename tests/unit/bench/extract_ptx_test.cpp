// PTX out of what models say.
#include "bench/extract_ptx.h"

#include <gtest/gtest.h>

namespace pitot::bench {
namespace {

TEST(ExtractPtx, OutOfFencesAndProse) {
  const std::string ptx = ".version 8.0\n.target sm_80\n";
  EXPECT_EQ(extract_ptx("Here it is:\n```ptx\n" + ptx + "```\nFaster by half."), ptx);
  EXPECT_EQ(extract_ptx("```cuda\n__global__\n```\n```\n// x\n" + ptx + "```"), "// x\n" + ptx);
  // The longest that has one.
  EXPECT_EQ(extract_ptx("```\n.version 8.0\n```\nor\n```\n" + ptx + "```"), ptx);
  // A fence that nothing closes.
  EXPECT_EQ(extract_ptx("```ptx\n" + ptx), ptx);
  EXPECT_EQ(extract_ptx("Sure.\n// pitot.launch: block = [64]\n" + ptx),
            "// pitot.launch: block = [64]\n" + ptx);
  EXPECT_EQ(extract_ptx(ptx), ptx);
  EXPECT_EQ(extract_ptx("I cannot do that."), "I cannot do that.");
  EXPECT_EQ(extract_ptx("use `.version` 8"), "use `.version` 8");
  EXPECT_EQ(extract_ptx(""), "");
  EXPECT_EQ(extract_ptx("```"), "```");
  // Talk of fences opens none.
  EXPECT_EQ(extract_ptx("in a ```ptx block:\n```ptx\n" + ptx + "```\nand ``` again"), ptx);
}

}  // namespace
}  // namespace pitot::bench
