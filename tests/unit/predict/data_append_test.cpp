// Rows added to a data set: a new family, one that is there, and files that are none.
#include "predict/data_append.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "predict/dataset.h"

namespace pitot::predict {
namespace {

using testing::HasSubstr;

NewRow new_row(const std::string& variant, const std::string& gpu, double first) {
  NewRow r;
  r.fields = {{"family", "f"},     {"variant", variant}, {"size", "n=1,2"},   {"gpu", gpu},
              {"target", "sm_90"}, {"status", "ok"},     {"median_us", "10"}, {"ci_lo_us", "9"},
              {"ci_hi_us", "11"},  {"p_B", "64"}};
  r.features.values[0] = first;
  return r;
}

AppendedText append(const std::string& rows, const std::string& features,
                    const std::vector<NewRow>& added, size_t problems = 0) {
  const SourceText a("f.csv", rows), b("f.features.csv", features);
  Diagnostics x, y;
  const AppendedText out = append_rows(a, b, added, x, y);
  EXPECT_EQ(x.errors() + y.errors(), problems);
  return out;
}

TEST(DataAppend, WhatIsAddedIsRead) {
  const auto first = append("", "", {new_row("v", "H200", 1), new_row("w", "H200", 2)});
  EXPECT_EQ(first.added, 2u);
  EXPECT_THAT(first.rows, testing::StartsWith("family,variant,size,p_B,ptx_hash,target"));
  // The same again changes nothing; another GPU's time is another row of the same features.
  const auto second = append(first.rows, first.features, {new_row("v", "H200", 1)});
  EXPECT_EQ(second.added, 0u);
  EXPECT_EQ(second.known, 1u);
  EXPECT_EQ(second.rows, first.rows);
  const auto third = append(first.rows, first.features, {new_row("v", "H100", 1)});
  EXPECT_EQ(third.added, 1u);
  EXPECT_EQ(third.features, first.features);
  Dataset data;
  DataProblems problems;
  const SourceText rows("f.csv", third.rows), features("f.features.csv", third.features);
  add_source(rows, features, data, problems);
  EXPECT_EQ(problems.rows.errors() + problems.features.errors(), 0u);
  ASSERT_EQ(data.rows.size(), 3u);
  EXPECT_EQ(data.rows[1].variant, "w");
  EXPECT_EQ(data.rows[1].size, "n=1,2");
  EXPECT_EQ(data.rows[1].parameters.at("B"), "64");
  EXPECT_EQ(data.feature_row(1)[0], 2);
}

TEST(DataAppend, OtherColumnsStay) {
  const std::string rows =
      "family,note,variant,size,status,median_us,target,gpu\nf,\"kept, too\",u,s,ok,1,sm_90,H200";
  const auto out = append(rows, "", {new_row("v", "H200", 1)});
  EXPECT_EQ(out.rows, rows + "\nf,,v,\"n=1,2\",ok,10,sm_90,H200\n");
}

TEST(DataAppend, FilesThatAreNoSuchData) {
  EXPECT_EQ(append("a,a\n", "", {new_row("v", "g", 1)}, 1).added, 0u);
  EXPECT_EQ(append("", "family,variant,size,x\n", {new_row("v", "g", 1)}, 1).added, 0u);
}

}  // namespace
}  // namespace pitot::predict
