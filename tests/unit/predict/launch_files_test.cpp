// Launches from tables and from Triton's JSON, and what is wrong with them.
#include "predict/launch_files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pitot::predict {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(LaunchFiles, ATable) {
  const SourceText source(
      "l.csv",
      "kernel,grid_x,grid_y,block_x,block_y,size\na.ptx,4096,,256,,1048576\nb/c.ptx,2,3,16,16,\n");
  Diagnostics out;
  const auto launches = read_launches(source, out);
  EXPECT_EQ(out.errors(), 0u);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].kernel, "a.ptx");
  EXPECT_THAT(launches[0].launch.grid, ElementsAre(4096, 1, 1));
  EXPECT_THAT(launches[0].launch.block, ElementsAre(256, 1, 1));
  EXPECT_EQ(launches[0].launch.size, 1048576u);
  EXPECT_THAT(launches[1].launch.grid, ElementsAre(2, 3, 1));
  EXPECT_EQ(launches[1].launch.size, 0u);
}

TEST(LaunchFiles, DynamicSharedMemoryByEitherName) {
  for (const char* name : {"shared", "dynamic_shared"}) {
    const SourceText source(
        "l.csv", fmt::format("kernel,grid_x,grid_y,block_x,block_y,size,{}\na.ptx,1,1,32,1,8,4096\n"
                             "b.ptx,1,1,32,1,8,\n",
                             name));
    Diagnostics out;
    const auto launches = read_launches(source, out);
    ASSERT_EQ(launches.size(), 2u);
    EXPECT_EQ(launches[0].launch.dynamic_shared, 4096u) << name;
    EXPECT_EQ(launches[1].launch.dynamic_shared, 0u) << name;
  }
  Diagnostics out;
  const SourceText wrong("l.csv",
                         "kernel,grid_x,grid_y,block_x,block_y,size,shared\na.ptx,1,1,32,1,8,4k\n");
  EXPECT_TRUE(read_launches(wrong, out).empty());
  EXPECT_EQ(out.errors(), 1u);
}

TEST(LaunchFiles, WrongTables) {
  struct {
    const char *text, *problem;
  } const cases[] = {
      {"kernel,grid_x,grid_y,block_x,block_y\n", "1:1 there is no column 'size'"},
      {"kernel,gridx,grid_y,block_x,block_y,size\n", "'grid_x' did you mean it by 'gridx'?"},
      {"kernel,grid_x,grid_y,block_x,block_y,size\na,b,1,1,1,1\n", "2:3 grid_x: 'b' is no whole"},
      {"kernel,grid_x,grid_y,block_x,block_y,size\na,1,1,-1,1,1\n", "2:7 block_x: '-1'"},
      {"kernel,grid_x,grid_y,block_x,block_y,size\na,1,1,1.5,1,1\n", "block_x: '1.5'"},
      {"kernel,grid_x,grid_y,block_x,block_y,size\na,1,1,1,1,1e30\n", "size: '1e30'"},
  };
  for (const auto& c : cases) {
    const SourceText source("l.csv", c.text);
    Diagnostics out;
    EXPECT_TRUE(read_launches(source, out).empty()) << c.text;
    ASSERT_GE(out.errors(), 1u) << c.text;
    const Diagnostic& d = out.items()[0];
    const Position p = source.position(d.range.begin);
    EXPECT_THAT(fmt::format("{}:{} {} {}", p.line, p.column, d.message, d.hint),
                HasSubstr(c.problem));
  }
}

TEST(LaunchFiles, Triton) {
  const auto l = read_triton_launch(
      R"({"num_warps": 4, "shared": 1024, "cluster_dims": [2, 1, 1], "name": "k"})");
  ASSERT_TRUE(l.ok()) << l.error().message;
  EXPECT_THAT(l->block, ElementsAre(128, 1, 1));
  EXPECT_THAT(l->cluster, ElementsAre(2, 1, 1));
  EXPECT_EQ(l->dynamic_shared, 1024u);
  for (const char* wrong : {"", "[]", "{}", R"({"num_warps": "four"})", R"({"num_warps": 0})"})
    EXPECT_FALSE(read_triton_launch(wrong).ok()) << wrong;
}

}  // namespace
}  // namespace pitot::predict
