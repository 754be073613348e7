// The evaluator of trees: by hand, against XGBoost's own predictions, and on models that are none.
#include "predict/forest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "predict/boosting.h"

#if __has_include(<xgboost/c_api.h>)
#include <xgboost/c_api.h>
#endif

namespace pitot::predict {
namespace {

// x0 < 1 ? (x1 < 5 ? 10 : 20) : 30; x0 unknown goes right, x1 unknown goes left.
Tree by_hand() {
  return {{1, 2, 0, 1, false, 3},  // root
          {3, 4, 1, 5, true, 1},
          {-1, -1, 0, 30, false, 0},
          {-1, -1, 0, 10, false, 0},
          {-1, -1, 0, 20, false, 0}};
}

TEST(Forest, ByHand) {
  const auto f = Forest::build({by_hand(), {{-1, -1, 0, 0.5, false, 0}}}, 100, 2);
  ASSERT_TRUE(f.ok()) << f.error().message;
  const float inf = std::numeric_limits<float>::infinity();
  struct {
    float x0, x1, want;
  } const cases[] = {{0, 0, 110.5f},        {0, 5, 120.5f},        {1, 0, 130.5f},
                     {kUnknown, 0, 130.5f}, {0, kUnknown, 110.5f}, {-inf, inf, 120.5f},
                     {inf, -inf, 130.5f}};
  for (const auto& c : cases)
    EXPECT_EQ(f->margin(std::vector<float>{c.x0, c.x1}), c.want) << c.x0 << ' ' << c.x1;
  EXPECT_THAT(f->importance(), testing::ElementsAre(0.75, 0.25));
}

TEST(Forest, TreesThatAreNone) {
  const auto message = [](std::vector<Tree> trees) {
    const auto f = Forest::build(std::move(trees), 0, 2);
    return f.ok() ? std::string("fine") : f.error().message;
  };
  EXPECT_EQ(message({by_hand()}), "fine");
  EXPECT_EQ(message({}), "fine");
  EXPECT_THAT(message({Tree{}}), testing::HasSubstr("tree 0"));
  EXPECT_THAT(message({{{1, 9, 0, 0, false, 0}, {}}}), testing::HasSubstr("not there"));
  EXPECT_THAT(message({{{1, -1, 0, 0, false, 0}, {}}}), testing::HasSubstr("not there"));
  EXPECT_THAT(message({{{1, 2, 7, 0, false, 0}, {}, {}}}), testing::HasSubstr("feature"));
  EXPECT_THAT(message({{{0, 1, 0, 0, false, 0}, {}}}), testing::HasSubstr("twice"));
  EXPECT_THAT(message({{{1, 1, 0, 0, false, 0}, {}}}), testing::HasSubstr("twice"));
}

TEST(XgboostModel, NotAModel) {
  EXPECT_FALSE(read_xgboost_model("").ok());
  EXPECT_FALSE(read_xgboost_model("{").ok());
  EXPECT_FALSE(read_xgboost_model("[]").ok());
  EXPECT_THAT(read_xgboost_model("{}").error().message, testing::HasSubstr("not as expected"));
  EXPECT_THAT(read_xgboost_model(R"({"learner": {"gradient_booster": {"name": "gblinear"}}})")
                  .error()
                  .message,
              testing::HasSubstr("gblinear"));
}

// What is missing of the library is said by name.
class WithXgboost : public testing::Test {
 protected:
  void SetUp() override {
    auto api = load_xgboost();
    if (!api) GTEST_SKIP() << api.error().message;
    api_ = *api;
  }

  // A table of random numbers, some unknown, and labels that depend on them.
  struct Table {
    Matrix rows;
    std::vector<float> labels;
  };
  static Table table(uint64_t seed, size_t rows, size_t columns) {
    std::mt19937_64 random(seed);
    std::normal_distribution<float> value(0, 3);
    Table t;
    t.rows.columns = columns;
    for (size_t r = 0; r < rows; ++r) {
      std::vector<float> row;
      for (size_t c = 0; c < columns; ++c)
        row.push_back(random() % 10 == 0
                          ? kUnknown
                          : (c % 3 == 0 ? std::round(value(random)) : value(random)));
      float label = value(random) * 0.1f;
      for (size_t c = 0; c < columns; c += 2)
        if (!std::isnan(row[c])) label += row[c] > 0 ? 1.0f : row[c] * 0.3f;
      t.rows.append(row);
      t.labels.push_back(label);
    }
    return t;
  }

  std::vector<float> library_says(const Table& learn, const BoostOptions& o, const Matrix& ask) {
    XgbMatrix matrix = nullptr, asked = nullptr;
    XgbBooster booster = nullptr;
    EXPECT_EQ(api_->matrix_create(learn.rows.values.data(), learn.rows.rows(), learn.rows.columns,
                                  kUnknown, &matrix),
              0);
    EXPECT_EQ(api_->matrix_floats(matrix, "label", learn.labels.data(), learn.labels.size()), 0);
    const XgbMatrix list[] = {matrix};
    EXPECT_EQ(api_->booster_create(list, 1, &booster), 0);
    for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
             {"objective", o.objective},
             {"max_depth", std::to_string(o.max_depth)},
             {"learning_rate", std::to_string(o.learning_rate)},
             {"subsample", std::to_string(o.subsample)},
             {"colsample_bytree", std::to_string(o.colsample_bytree)},
             {"seed", std::to_string(o.seed)},
             {"nthread", "1"},
             {"verbosity", "0"},
             {"tree_method", o.tree_method.empty() ? "auto" : o.tree_method}})
      EXPECT_EQ(api_->booster_set(booster, name.c_str(), text.c_str()), 0);
    for (unsigned i = 0; i < o.trees; ++i)
      EXPECT_EQ(api_->booster_update(booster, static_cast<int>(i), matrix), 0);
    EXPECT_EQ(api_->matrix_create(ask.values.data(), ask.rows(), ask.columns, kUnknown, &asked), 0);
    const XgbSize* shape = nullptr;
    XgbSize dimensions = 0;
    const float* values = nullptr;
    EXPECT_EQ(
        api_->booster_predict(
            booster, asked,
            R"({"type": 1, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false})",
            &shape, &dimensions, &values),
        0);
    std::vector<float> out(values, values + ask.rows());
    api_->matrix_free(asked);
    api_->matrix_free(matrix);
    api_->booster_free(booster);
    return out;
  }

  std::shared_ptr<const XgboostApi> api_;
};

TEST_F(WithXgboost, EqualsTheLibraryOnRandomRows) {
  for (const char* objective : {"reg:squarederror", "binary:logistic"})
    for (const char* method : {"hist", ""}) {
      Table learn = table(1, 600, 9);
      if (std::string(objective) == "binary:logistic")
        for (float& l : learn.labels) l = l > 0.5f ? 1.0f : 0.0f;
      BoostOptions o;
      o.objective = objective;
      o.tree_method = method;
      o.trees = 60;
      o.subsample = 0.8;
      o.colsample_bytree = 0.7;
      const auto forest = boost(*api_, {learn.rows, learn.labels}, o);
      ASSERT_TRUE(forest.ok()) << forest.error().message;
      const Matrix ask = table(2, 3000, 9).rows;
      const auto want = library_says(learn, o, ask);
      for (size_t r = 0; r < ask.rows(); ++r)
        EXPECT_NEAR(forest->margin(ask.row(r)), want[r], 4e-6f * std::max(1.0f, std::fabs(want[r])))
            << objective << ' ' << method << " row " << r;
    }
}

TEST_F(WithXgboost, TheSameInputGivesTheSameTrees) {
  const Table learn = table(5, 300, 6);
  BoostOptions o;
  o.trees = 20;
  o.subsample = 0.5;
  const auto a = boost(*api_, {learn.rows, learn.labels}, o);
  o.seed = 43;
  const auto other = boost(*api_, {learn.rows, learn.labels}, o);
  o.seed = 42;
  const auto b = boost(*api_, {learn.rows, learn.labels}, o);
  ASSERT_TRUE(a.ok() && b.ok() && other.ok());
  bool differs = false;
  for (size_t r = 0; r < learn.rows.rows(); ++r) {
    EXPECT_EQ(a->margin(learn.rows.row(r)), b->margin(learn.rows.row(r)));
    differs |= a->margin(learn.rows.row(r)) != other->margin(learn.rows.row(r));
  }
  EXPECT_TRUE(differs);
}

TEST_F(WithXgboost, MarginsAreWhereRowsStart) {
  // The labels are the margins: nothing is left to learn, and the base is 0.
  const Table learn = table(6, 200, 4);
  BoostOptions o;
  o.trees = 10;
  const auto f = boost(*api_, {learn.rows, learn.labels, {}, learn.labels}, o);
  ASSERT_TRUE(f.ok()) << f.error().message;
  EXPECT_EQ(f->base(), 0);
  for (size_t r = 0; r < learn.rows.rows(); ++r) EXPECT_NEAR(f->margin(learn.rows.row(r)), 0, 1e-5);
}

TEST_F(WithXgboost, WrongInputIsSaidPlainly) {
  Table t = table(7, 20, 3);
  EXPECT_FALSE(boost(*api_, {Matrix{3, {}}, {}}, {}).ok());
  EXPECT_FALSE(boost(*api_, {t.rows, std::vector<float>(19, 0.0f)}, {}).ok());
  const std::vector<unsigned> groups{10, 9};
  EXPECT_FALSE(boost(*api_, {t.rows, t.labels, {}, {}, groups}, {}).ok());
  BoostOptions o;
  o.objective = "reg:nonsense";
  const auto f = boost(*api_, {t.rows, t.labels}, o);
  ASSERT_FALSE(f.ok());
  EXPECT_THAT(f.error().message, testing::HasSubstr("XGBoost, "));
  EXPECT_THAT(f.error().message, testing::Not(testing::HasSubstr("\n")));
}

#if __has_include(<xgboost/c_api.h>)
// The functions' types are those of the header; bst_ulong is as wide as our XgbSize.
TEST(XgboostApi, DeclarationsAreTheHeaders) {
  static_assert(sizeof(bst_ulong) == sizeof(XgbSize));
  static_assert(
      std::is_same_v<decltype(&XGBoosterUpdateOneIter), decltype(XgboostApi::booster_update)>);
  static_assert(
      std::is_same_v<decltype(&XGBoosterSaveModelToBuffer), decltype(XgboostApi::booster_save)>);
  static_assert(
      std::is_same_v<decltype(&XGDMatrixCreateFromMat), decltype(XgboostApi::matrix_create)>);
  static_assert(
      std::is_same_v<decltype(&XGDMatrixSetFloatInfo), decltype(XgboostApi::matrix_floats)>);
  static_assert(
      std::is_same_v<decltype(&XGDMatrixSetUIntInfo), decltype(XgboostApi::matrix_uints)>);
  static_assert(std::is_same_v<decltype(&XGBoosterCreate), decltype(XgboostApi::booster_create)>);
  static_assert(std::is_same_v<decltype(&XGBoosterSetParam), decltype(XgboostApi::booster_set)>);
  static_assert(std::is_same_v<decltype(&XGBoosterPredictFromDMatrix),
                               decltype(XgboostApi::booster_predict)>);
}
#endif

}  // namespace
}  // namespace pitot::predict
