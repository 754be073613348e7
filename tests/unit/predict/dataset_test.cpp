// Reading data sets: what is there, and every complaint at its place.
#include "predict/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "synthetic.h"

namespace pitot::predict {
namespace {

using testing::HasSubstr;

struct ReadData {
  Dataset data;
  std::vector<std::string> problems;  // "line:column code: message"
};

ReadData read(const std::vector<test::CsvPair>& files) {
  ReadData out;
  for (size_t i = 0; i < files.size(); ++i) {
    const SourceText rows("f" + std::to_string(i) + ".csv", files[i].rows);
    const SourceText features("f" + std::to_string(i) + ".features.csv", files[i].features);
    DataProblems problems;
    add_source(rows, features, out.data, problems);
    for (const auto& [source, list] :
         {std::pair{&rows, &problems.rows}, std::pair{&features, &problems.features}})
      for (const Diagnostic& d : list->items()) {
        const Position p = source->position(d.range.begin);
        out.problems.push_back(fmt::format("{}:{}:{} {}: {} {}", source->path(), p.line, p.column,
                                           d.code, d.message, d.hint));
      }
  }
  return out;
}

const std::string kHeader = "family,variant,size,target,gpu,status,median_us,ci_lo_us,ci_hi_us\n";
const std::string kFeatures = "family,variant,size,a,b\nf,v,s,1,nan\nf,w,s,2,3\n";

TEST(Dataset, WhatIsThere) {
  const auto r = read(
      {{kHeader + "f,v,s,sm_90,H200,ok,10,9,11\nf,w,s,sm_90,H200,launch_failed,,,\n", kFeatures}});
  EXPECT_THAT(r.problems, testing::IsEmpty());
  ASSERT_EQ(r.data.rows.size(), 2u);
  EXPECT_TRUE(r.data.rows[0].measured());
  EXPECT_FALSE(r.data.rows[1].measured());
  EXPECT_EQ(r.data.rows[0].median_us, 10);
  EXPECT_THAT(r.data.columns, testing::ElementsAre("a", "b"));
  EXPECT_EQ(r.data.feature_row(0)[0], 1);
  EXPECT_TRUE(std::isnan(r.data.feature_row(0)[1]));
  ASSERT_EQ(r.data.groups().size(), 1u);
  EXPECT_EQ(r.data.groups()[0].size(), 1u);
}

TEST(Dataset, ComplaintsAtTheirPlaces) {
  struct {
    const char *rows, *features, *problem;
  } const cases[] = {
      {"f,v,s,sm_90,H200,ok,ten,9,11\n", "", "f0.csv:2:21 data-number: median_us: 'ten'"},
      {"f,v,s,sm_90,H200,ok,0,0,0\n", "", "f0.csv:2:21 data-time"},
      {"f,v,s,sm_90,H200,ok,-3,-4,-2\n", "", "f0.csv:2:21 data-time"},
      {"f,v,s,sm_90,H200,ok,10,11,12\n", "", "f0.csv:2:21 data-interval"},
      {"f,v,s,sm_90,H200,ok,1e9,1e9,1e9\n", "", "is that the unit?"},
      {"f,v,s,sm_90,H200,launch_failed,10,,\n", "", "a time, though the status is 'launch_failed'"},
      {"f,v,s,sm_90,H200,ok,10,9,11\nf,v,s,sm_90,H200,ok,10,9,11\n", "", "f0.csv:3:1 data-twice"},
      {"f,z,s,sm_90,H200,ok,10,9,11\n", "", "f0.csv:2:1 data-features: f z at size s"},
      {"f,v,s,sm_90,H200\n", "", "csv-width"},
      {"f,v,s,sm_90,H200,ok,10,9,11\n", "family,variant,size,a,b\nf,v,s,1,x\n",
       "f0.features.csv:2:9 data-number: b: 'x'"},
      {"f,v,s,sm_90,H200,ok,10,9,11\n", "family,variant,size,a\nf,v,s,1\nf,v,s,1\n", "data-twice"},
      {"f,v,s,sm_90,H200,ok,10,9,11\n", "family,variant,sise,a\nf,v,s,1\n",
       "no column 'size' did you mean it by 'sise'?"},
  };
  for (const auto& c : cases) {
    const auto r = read({{kHeader + c.rows, *c.features != 0 ? c.features : kFeatures}});
    ASSERT_GE(r.problems.size(), 1u) << c.rows;
    EXPECT_THAT(r.problems[0], HasSubstr(c.problem));
  }
}

TEST(Dataset, FeaturesOfOneVersionOnly) {
  const auto r =
      read({{kHeader + "f,v,s,sm_90,H200,ok,10,9,11\n", kFeatures},
            {kHeader + "g,v,s,sm_90,H200,ok,10,9,11\n", "family,variant,size,a,c\ng,v,s,1,2\n"}});
  ASSERT_EQ(r.problems.size(), 1u);
  EXPECT_THAT(r.problems[0], HasSubstr("feature column 2 is 'c', in the files before it is 'b'"));
}

TEST(Dataset, SuspicionsAreNotes) {
  const auto r =
      read({{kHeader + "f,v,s,sm_90,H200,ok,10,10,10\nf,w,s,sm_90,H200,ok,9000,9000,9000\n",
             kFeatures}});
  EXPECT_THAT(r.problems, testing::IsEmpty());
  EXPECT_THAT(r.data.notes,
              testing::UnorderedElementsAre(HasSubstr("no width"), HasSubstr("one unit?")));
}

TEST(Dataset, TheHashIsOfTheContentNotOfTheOrder) {
  const test::CsvPair f{kHeader + "f,v,s,sm_90,H200,ok,10,9,11\n", kFeatures};
  const test::CsvPair g{kHeader + "g,v,s,sm_90,H200,ok,10,9,11\n",
                        "family,variant,size,a,b\ng,v,s,1,2\n"};
  const auto fg = read({f, g}).data.content, gf = read({g, f}).data.content;
  EXPECT_EQ(fg, gf);
  test::CsvPair other = g;
  other.rows[other.rows.size() - 2] = '2';  // hi: 12
  EXPECT_NE(read({f, other}).data.content, fg);
  EXPECT_NE(read({f}).data.content, fg);
}

TEST(Dataset, SyntheticFilesReadBack) {
  const Dataset data = test::synthetic({.families = 2, .variants = 3});
  const auto r = read({test::csv_of(data, "family0"), test::csv_of(data, "family1")});
  EXPECT_THAT(r.problems, testing::IsEmpty());
  ASSERT_EQ(r.data.rows.size(), data.rows.size());
  for (size_t i = 0; i < data.rows.size(); ++i) {
    EXPECT_EQ(r.data.rows[i].median_us, data.rows[i].median_us);
    EXPECT_EQ(r.data.rows[i].compiler, data.rows[i].compiler);
    EXPECT_EQ(r.data.rows[i].others, data.rows[i].others);
    EXPECT_EQ(r.data.rows[i].parameters.at("V"), "7");
    for (size_t c = 0; c < data.columns.size(); ++c) {
      const double a = r.data.feature_row(i)[c], b = data.feature_row(i)[c];
      EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << data.columns[c];
    }
  }
  EXPECT_EQ(r.data.families(), (std::vector<std::string>{"family0", "family1"}));
  EXPECT_EQ(r.data.groups().size(), 4u);
}

}  // namespace
}  // namespace pitot::predict
