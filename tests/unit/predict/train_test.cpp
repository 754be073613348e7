// Training on synthetic data with known answers: figures, intervals, files, refusals.
#include "predict/train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "predict/judge_scores.h"
#include "predict/model_file.h"
#include "synthetic.h"

namespace pitot::predict {
namespace {

using testing::HasSubstr;

class Training : public testing::Test {
 protected:
  void SetUp() override {
    auto api = load_xgboost();
    if (!api) GTEST_SKIP() << api.error().message;
    api_ = *api;
  }
  // Few trees: the tests are of the way, not of the settings.
  static Recipe recipe(const char* name) {
    Recipe r = *find_recipe(name);
    r.boost.trees = r.order.trees = 60;
    r.boost.learning_rate = r.order.learning_rate = 0.15;
    return r;
  }
  static const TrainingLine& line(const TrainingResult& r, const std::string& split,
                                  const std::string& score) {
    for (const TrainingLine& l : r.lines)
      if (l.split == split && l.score == score) return l;
    ADD_FAILURE() << "no line " << split << ", " << score;
    return r.lines.front();
  }
  std::shared_ptr<const XgboostApi> api_;
};

TEST_F(Training, LearnsWhatTheAnalyticScoreDoesNotSee) {
  const Dataset data = test::synthetic({.families = 5, .variants = 60, .sizes = 2});
  TrainOptions o;
  o.shots = {5};
  o.against = {"classic"};
  const auto t = train_model(*api_, data, recipe("pitot"), o);
  ASSERT_TRUE(t.ok()) << t.error().message;
  const TrainingResult& r = t->result;
  EXPECT_EQ(r.rows, 600u);
  EXPECT_EQ(r.groups, 10u);
  const auto& within = line(r, "5-fold within family", "pitot");
  const auto& apart = line(r, "family left out", "pitot");
  const auto& analytic = line(r, "untrained", "analytic");
  const auto& classic = line(r, "family left out", "classic");
  EXPECT_GT(within.metrics.pairwise.value, 0.95);
  EXPECT_GT(apart.metrics.pairwise.value, analytic.metrics.pairwise.value + 0.01);
  EXPECT_GT(apart.metrics.pairwise.value, classic.metrics.pairwise.value + 0.1);
  EXPECT_NEAR(within.coverage->value, 0.9, 0.03);
  EXPECT_LT(*r.ood_seen, 0.03);
  line(r, "5 of the family measured", "pitot");
  // Fewer pairs are kept, and they are right more often.
  ASSERT_TRUE(r.at_threshold.has_value());
  EXPECT_GE(r.at_threshold->accuracy, 0.99);
  EXPECT_GT(r.at_threshold->coverage, 0.5);
  EXPECT_GT(r.curve.back().accuracy, r.curve.front().accuracy - 1e-9);
  EXPECT_EQ(t->model.validation.size(), 2u);
}

TEST_F(Training, IntervalsCoverNewRows) {
  // Half of the variants are learned from, the other half are new ones of the same families.
  const Dataset all = test::synthetic({.families = 4, .variants = 240, .sizes = 1, .noise = 0.05});
  std::vector<size_t> first, second;
  for (size_t i = 0; i < all.rows.size(); ++i) (i % 2 == 0 ? first : second).push_back(i);
  const Dataset data = all.subset(first), rest = all.subset(second);
  TrainOptions o;
  o.untrained = o.by_family = false;
  const auto t = train_model(*api_, data, recipe("pitot"), o);
  ASSERT_TRUE(t.ok()) << t.error().message;
  double covered = 0, n = 0;
  for (size_t i = 0; i < rest.rows.size(); ++i) {
    const std::vector<std::span<const double>> one{rest.feature_row(i)};
    const Prediction p = predict_group(t->model, one)[0];
    EXPECT_EQ(p.likeness.nearest, rest.rows[i].family);
    covered += rest.rows[i].median_us >= p.lo_us && rest.rows[i].median_us <= p.hi_us;
    ++n;
  }
  EXPECT_NEAR(covered / n, 0.9, 0.04);
}

TEST_F(Training, AFileIsTheModel) {
  const Dataset data = test::synthetic({.families = 3, .variants = 30});
  TrainOptions o;
  o.tool = "pitot test";
  const auto t = train_model(*api_, data, recipe("pitot"), o);
  ASSERT_TRUE(t.ok()) << t.error().message;
  const std::string text = model_json(t->model);
  EXPECT_THAT(text, testing::StartsWith("{\"schema\":\"pitot.model/1\""));
  const auto again = read_model(text, "m.json");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(model_json(*again), text);
  std::vector<std::span<const double>> rows;
  for (size_t i = 0; i < 20; ++i) rows.push_back(data.feature_row(i));
  const auto a = predict_group(t->model, rows), b = predict_group(*again, rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(a[i].us, b[i].us);
    EXPECT_EQ(a[i].lo_us, b[i].lo_us);
    EXPECT_EQ(a[i].hi_us, b[i].hi_us);
    EXPECT_EQ(a[i].likeness.ood, b[i].likeness.ood);
  }
  EXPECT_EQ(again->origin.compilers,
            (std::vector<std::string>{"NVIDIA NVVM Compiler 13.0, V13.0.88"}));
  EXPECT_EQ(again->origin.tool, "pitot test");
  EXPECT_EQ(again->origin.xgboost, api_->version);
  EXPECT_EQ(again->origin.data_hash, data.content.hex());
  // The same data and seed give the same file.
  const auto twin = train_model(*api_, data, recipe("pitot"), o);
  EXPECT_EQ(model_json(twin->model), text);
}

TEST_F(Training, FamiliesHeldOutAreNotSeen) {
  Dataset data = test::synthetic({.families = 4, .variants = 30});
  TrainOptions o;
  o.untrained = o.by_family = false;
  o.held_out = {"family3"};
  const auto a = train_model(*api_, data, recipe("pitot"), o);
  ASSERT_TRUE(a.ok()) << a.error().message;
  EXPECT_THAT(a->model.origin.families, testing::ElementsAre("family0", "family1", "family2"));
  // Other times of the family change nothing.
  for (DataRow& r : data.rows)
    if (r.family == "family3") r.median_us *= 17;
  const auto b = train_model(*api_, data, recipe("pitot"), o);
  EXPECT_EQ(model_json(a->model), model_json(b->model));
  o.final_test = true;
  const auto c = train_model(*api_, data, recipe("pitot"), o);
  ASSERT_TRUE(c.ok()) << c.error().message;
  EXPECT_EQ(line(c->result, "final test", "pitot").rows, 60u);
  o.held_out = {"family9"};
  EXPECT_THAT(train_model(*api_, data, recipe("pitot"), o).error().message,
              HasSubstr("no family 'family9'"));
}

TEST_F(Training, OtherTargets) {
  const Dataset data = test::synthetic({.families = 3, .variants = 40});
  TrainOptions o;
  o.target = "power_w";
  const auto t = train_model(*api_, data, recipe("pitot"), o);
  ASSERT_TRUE(t.ok()) << t.error().message;
  const std::vector<std::span<const double>> one{data.feature_row(0)};
  EXPECT_NEAR(predict_group(t->model, one)[0].us, data.rows[0].others.at("power_w"), 15);
  o.target = "achieved_occupancy";
  EXPECT_THAT(train_model(*api_, data, recipe("pitot"), o).error().message,
              HasSubstr("no row of the data has a column 'achieved_occupancy'"));
  o.target = "beauty";
  EXPECT_THAT(train_model(*api_, data, recipe("pitot"), o).error().message,
              HasSubstr("no target 'beauty'"));
}

TEST_F(Training, RankersAndArchitectures) {
  Dataset data = test::synthetic({.families = 3, .variants = 40});
  for (DataRow& r : data.rows)
    if (r.variant < "v020") r.target = "sm_80";
  Recipe r = recipe("pitot");
  r.order.objective = "rank:pairwise";
  r.order_share = 1;
  TrainOptions o;
  o.by_target = true;
  o.untrained = false;
  const auto t = train_model(*api_, data, r, o);
  ASSERT_TRUE(t.ok()) << t.error().message;
  EXPECT_GT(line(t->result, "5-fold within family", "pitot").metrics.pairwise.value, 0.85);
  EXPECT_GT(line(t->result, "target left out", "pitot").metrics.pairwise.value, 0.8);
}

TEST_F(Training, DataThatIsNotEnough) {
  Dataset data = test::synthetic({.families = 1, .variants = 5});
  for (DataRow& r : data.rows) r.status = "launch_failed";
  EXPECT_THAT(train_model(*api_, data, recipe("pitot"), {}).error().message,
              HasSubstr("no measured row"));
  data.columns.pop_back();
  data.features.resize(data.rows.size() * data.columns.size());
  EXPECT_THAT(train_model(*api_, data, recipe("pitot"), {}).error().message,
              HasSubstr("not those of schema"));
}

TEST(ModelFile, NotAModel) {
  for (const char* text : {"", "[]", "{}", "{\"schema\": 3}", "nonsense"})
    EXPECT_FALSE(read_model(text, "m.json").ok()) << text;
  EXPECT_THAT(read_model(R"({"schema": "pitot.model/9"})", "m.json").error().message,
              HasSubstr("m.json: its schema is \"pitot.model/9\", not pitot.model/1"));
  EXPECT_THAT(read_model(R"({"schema": "pitot.model/1"})", "m.json").error().message,
              HasSubstr("not as a model should be"));
}

TEST(Recipes, ClassicIsAsPublished) {
  const Recipe r = *find_recipe("classic");
  EXPECT_EQ(r.boost, (BoostOptions{"reg:squarederror", 200, 6, 0.1, 0.8, 0.7, 1, 1, "", 42}));
  EXPECT_THAT(Inputs(r.view, r.groups).names(),
              testing::ElementsAre("total_instructions", "memory_ops", "shared_memory_ops",
                                   "sync_points", "warp_shuffle", "arithmetic_intensity",
                                   "branch_density", "register_pressure", "predicate_ratio"));
  EXPECT_FALSE(r.corrects_analytic);
  EXPECT_THAT(find_recipe("x").error().message, HasSubstr("classic, pitot"));
}

}  // namespace
}  // namespace pitot::predict
