// Columns of another source than the feature schema: read at their places, split by split, through
// training into the model's file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "predict/metrics.h"
#include "predict/model_file.h"
#include "predict/splits.h"
#include "predict/train.h"
#include "synthetic.h"

namespace pitot::predict::extra_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> add(Dataset& data, const std::string& csv) {
  const SourceText source("x.csv", csv);
  Diagnostics problems;
  add_extra(source, "graph", data, problems);
  std::vector<std::string> out;
  for (const Diagnostic& d : problems.items()) {
    const Position p = source.position(d.range.begin);
    out.push_back(fmt::format("{}:{} {}: {}", p.line, p.column, d.code, d.message));
  }
  return out;
}

Dataset two_variants() { return test::synthetic({.families = 1, .variants = 2, .sizes = 2}); }
const std::string kHeader = "split,family,variant,learned,a,b\n";

TEST(ExtraColumns, EverySizeOfAVariantHasThemOnceASplit) {
  Dataset data = two_variants();
  const Hash128 before = data.content;
  EXPECT_THAT(add(data, kHeader + "one,family0,v000,1,3,4\none,family0,v001,0,5,nan\n"
                                  "two,family0,v001,1,7,8\n"),
              IsEmpty());
  EXPECT_THAT(data.extra.names, ElementsAre("graph.a", "graph.b"));
  EXPECT_NE(data.content.hex(), before.hex());
  const std::vector<size_t> tested{2, 3};
  const auto one = data.with_extra("one", tested);
  ASSERT_TRUE(one.ok()) << one.error().message;
  ASSERT_EQ(one->columns.size(), kColumnCount + 2);
  for (size_t r : {0, 1}) EXPECT_EQ(one->feature_row(r)[kColumnCount], 3);
  EXPECT_EQ(one->feature_row(3)[kColumnCount], 5);
  EXPECT_TRUE(std::isnan(one->feature_row(3)[kColumnCount + 1]));
  EXPECT_EQ(one->feature_row(1)[0], data.feature_row(1)[0]);
  const auto two = data.with_extra("two", {});
  ASSERT_TRUE(two.ok());
  EXPECT_TRUE(std::isnan(two->feature_row(0)[kColumnCount]));
  // Of some rows, the same.
  const std::vector<size_t> last{3};
  const Dataset some = data.subset(last);
  EXPECT_EQ(some.with_extra("two", {})->feature_row(0)[kColumnCount], 7);
}

TEST(ExtraColumns, WhatASplitTestsMustNotHaveBeenLearnedFrom) {
  Dataset data = two_variants();
  add(data, kHeader + "one,family0,v000,1,3,4\none,family0,v001,0,5,6\n");
  const std::vector<size_t> tested{0};
  const auto leaked = data.with_extra("one", tested);
  ASSERT_FALSE(leaked.ok());
  EXPECT_THAT(leaked.error().message,
              HasSubstr("'graph' has learned from family0 v000, which 'one' tests"));
  const auto missing = data.with_extra("three", {});
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("no part for 'three'; there are one"));
}

TEST(ExtraColumns, SizesMayDiffer) {
  Dataset data = two_variants();
  EXPECT_THAT(add(data,
                  "split,family,variant,size,learned,a\none,family0,v000,small,0,3\n"
                  "one,family0,v000,large1,0,4\n"),
              IsEmpty());
  const auto one = data.with_extra("one", {});
  EXPECT_EQ(one->feature_row(0)[kColumnCount], 3);
  EXPECT_EQ(one->feature_row(1)[kColumnCount], 4);
}

TEST(ExtraColumns, ComplaintsAtTheirPlaces) {
  struct {
    const char *csv, *problem;
  } const cases[] = {
      {"split,family,learned,a\n", "1:1 extra-column: there is no column 'variant'"},
      {"split,family,variant,learned\n", "1:1 extra-column: there are no columns but"},
      {"split,family,variant,learned,a\none,family0,v000,0,x\n", "2:20 extra-number: a: 'x'"},
      {"split,family,variant,learned,a\none,family0,v000,yes,1\n", "2:18 extra-learned: learned"},
      {"split,family,variant,learned,a\none,family0,v009,0,1\n",
       "2:13 extra-row: the data has no row of family0 v009"},
      {"split,family,variant,learned,a\none,family0,v000,0,1\none,family0,v000,0,1\n",
       "3:13 extra-twice: family0 v000 is there twice in split 'one'"},
  };
  for (const auto& c : cases) {
    Dataset data = two_variants();
    EXPECT_THAT(add(data, c.csv), ElementsAre(HasSubstr(c.problem))) << c.csv;
  }
}

// Times that hang on something that no feature tells.
struct Hidden {
  Dataset data = test::synthetic(
      {.families = 3, .variants = 40, .sizes = 1, .noise = 0.01, .hidden = 0, .seed = 3});
  std::vector<double> secret;
  Hidden() {
    for (DataRow& r : data.rows) {
      secret.push_back(static_cast<double>(hash_bytes(r.family + r.variant).low % 16) / 16);
      for (double* t : {&r.median_us, &r.lo_us, &r.hi_us}) *t *= std::exp(2 * secret.back());
    }
  }
  // The secret as a column, for every split of a training.
  void tell() {
    std::string csv = "split,family,variant,learned,secret\n";
    auto splits = folds_within_families(data, 5, 1);
    for (Split& s : leave_one_family_out(data)) splits.push_back(std::move(s));
    splits.push_back({"all rows", {}, {}, {}});
    for (const Split& s : splits)
      for (size_t r = 0; r < data.rows.size(); ++r)
        csv += fmt::format("{},{},{},0,{}\n", s.name, data.rows[r].family, data.rows[r].variant,
                           secret[r]);
    ASSERT_THAT(add(data, csv), IsEmpty());
  }
};

TEST(ExtraColumns, GoThroughTrainingIntoTheModel) {
  const auto api = load_xgboost();
  if (!api) GTEST_SKIP() << api.error().message;
  Hidden h;
  h.tell();
  Recipe recipe = *find_recipe("pitot");
  recipe.boost.trees = recipe.order.trees = 60;
  recipe.boost.learning_rate = recipe.order.learning_rate = 0.15;
  recipe.boost.colsample_bytree = recipe.order.colsample_bytree = 1;
  TrainOptions o;
  o.untrained = false;
  o.against = {"classic"};
  const auto t = train_model(**api, h.data, recipe, o);
  ASSERT_TRUE(t.ok()) << t.error().message;
  const auto line = [&](const std::string& split, const std::string& score) {
    for (const TrainingLine& l : t->result.lines)
      if (l.split == split && l.score == score) return l;
    ADD_FAILURE() << "no line " << split << ", " << score;
    return TrainingLine{};
  };
  for (const char* split : {"5-fold within family", "family left out"}) {
    const auto with = line(split, "pitot"), without = line(split, "pitot without graph");
    EXPECT_GT(with.metrics.pairwise.value, without.metrics.pairwise.value + 0.1) << split;
    ASSERT_TRUE(with.pairwise_gain.has_value());
    EXPECT_NEAR(with.pairwise_gain->value,
                with.metrics.pairwise.value - without.metrics.pairwise.value, 1e-12);
    EXPECT_GT(with.pairwise_gain->lo, 0);
    EXPECT_FALSE(line(split, "classic").pairwise_gain.has_value());
  }
  // Without the columns, the same as if they had never been there.
  const auto plain = train_model(**api, h.data.without_extra(), recipe, o);
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(line("family left out", "pitot without graph").metrics.pairwise.value, [&] {
    for (const TrainingLine& l : plain->result.lines)
      if (l.split == "family left out" && l.score == "pitot") return l.metrics.pairwise.value;
    return -1.0;
  }());
  EXPECT_EQ(t->model.extra_group, "graph");
  EXPECT_THAT(t->model.time.extra, ElementsAre("graph.secret"));
  const std::string text = model_json(t->model);
  const auto again = read_model(text, "m.json");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->extra_group, "graph");
  EXPECT_EQ(model_json(*again), text);
  EXPECT_THAT(model_json(plain->model), testing::Not(HasSubstr("extra")));
  // Asked with the column, it knows the order; intervals and likeness stand on the schema's.
  const auto with = h.data.with_extra("all rows", {});
  ASSERT_TRUE(with.ok());
  std::vector<std::span<const double>> rows;
  for (size_t r = 0; r < 40; ++r) rows.push_back(with->feature_row(r));
  const auto said = predict_group(*again, rows);
  std::vector<ScoredVariant> scored;
  for (size_t r = 0; r < 40; ++r)
    scored.push_back(
        {h.data.rows[r].median_us, h.data.rows[r].lo_us, h.data.rows[r].hi_us, said[r].score});
  EXPECT_GT(group_metrics(scored, 0.01).pairwise, 0.95);

  o.final_test = true;
  o.held_out = {"family2"};
  const auto refused = train_model(**api, h.data, recipe, o);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("no final test"));
}

TEST(ExtraColumns, TrainingRefusesAFileOfOtherFolds) {
  const auto api = load_xgboost();
  if (!api) GTEST_SKIP() << api.error().message;
  Hidden h;
  std::string csv = "split,family,variant,learned,secret\n";
  // Folds of seed 2: some row that a fold of seed 1 tests was learned from there.
  for (const Split& s : folds_within_families(h.data, 5, 2)) {
    std::vector<bool> learned(h.data.rows.size());
    for (const size_t r : s.train) learned[r] = true;
    for (size_t r = 0; r < h.data.rows.size(); ++r)
      csv += fmt::format("{},{},{},{:d},1\n", s.name, h.data.rows[r].family, h.data.rows[r].variant,
                         learned[r]);
  }
  ASSERT_THAT(add(h.data, csv), IsEmpty());
  TrainOptions o;
  o.by_family = false;
  const auto t = train_model(**api, h.data, *find_recipe("pitot"), o);
  ASSERT_FALSE(t.ok());
  EXPECT_THAT(t.error().message, HasSubstr("another seed, other folds"));
}

}  // namespace
}  // namespace pitot::predict::extra_test
