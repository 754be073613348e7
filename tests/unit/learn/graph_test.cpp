// The graph encoder trained on measured variants: what it can learn, and that it has not seen what
// it is judged by.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "../predict/synthetic.h"
#include "learn/graph_columns.h"
#include "predict/splits.h"

namespace pitot::learn::graph_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A loop of `work` instructions between two blocks.
knobs::ControlGraph loop(float work) {
  knobs::ControlGraph g;
  g.blocks.resize(3);
  g.blocks[0][0] = 4;
  g.blocks[1][0] = work;
  g.blocks[1][3] = work / 2;
  g.blocks[2][0] = 2;
  g.edges = {{0, 1}, {1, 1}, {1, 2}};
  g.kernel = {0.2F, 0, 0.5F, 0, 0.4F};
  return g;
}

// Variants whose time is that of the analytic score times their loop's length, of which the
// features know nothing.
struct Study {
  predict::Dataset data;
  VariantGraphs graphs;
  Study() {
    data = predict::test::synthetic(
        {.families = 3, .variants = 20, .sizes = 2, .noise = 0, .hidden = 0});
    for (size_t r = 0; r < data.rows.size(); ++r) {
      predict::DataRow& row = data.rows[r];
      const float work = 2 + static_cast<float>(hash_bytes(row.variant).low % 60);
      graphs[{row.family, row.variant}] = loop(work);
      row.median_us *= static_cast<double>(work);
    }
  }
  GraphColumnsOptions options(unsigned steps) const {
    GraphColumnsOptions o;
    o.training.steps = steps;
    o.training.batch = 16;
    return o;
  }
};

// The lines of a part, "split,family,variant,learned,…".
std::vector<std::string> part(const std::string& csv, const std::string& split) {
  std::vector<std::string> out;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(split + ",")) out.push_back(line);
  return out;
}

std::string columns(const Study& study, const GraphColumnsOptions& options) {
  const auto csv = graph_columns(study.data, study.graphs, options);
  EXPECT_TRUE(csv.ok()) << csv.error().message;
  return csv ? *csv : "";
}

TEST(GraphTrainer, LearnsAnOrderThatOnlyTheGraphTells) {
  std::vector<knobs::ControlGraph> graphs;
  std::vector<GraphRow> rows;
  for (size_t k = 0; k < 40; ++k) {
    graphs.push_back(loop(static_cast<float>(2 + k)));
    GraphRow r;
    r.graph = k;
    r.label = std::log(static_cast<float>(2 + k));
    rows.push_back(r);
  }
  const auto untaught = train_graphs(graphs, rows, {.steps = 10, .batch = 16});
  const auto taught = train_graphs(graphs, rows, {.steps = 300, .batch = 16});
  ASSERT_TRUE(untaught.ok() && taught.ok());
  EXPECT_LT(taught->loss, 0.02);
  EXPECT_GT(untaught->loss, 10 * taught->loss);
  // The same seed gives the same weights, another one others.
  const auto again = train_graphs(graphs, rows, {.steps = 10, .batch = 16});
  EXPECT_EQ(untaught->encoder.layers()[4].weight, again->encoder.layers()[4].weight);
  const auto other = train_graphs(graphs, rows, {.steps = 10, .batch = 16, .seed = 2});
  EXPECT_NE(untaught->encoder.layers()[4].weight, other->encoder.layers()[4].weight);
}

TEST(GraphTrainer, WantsTwoVariants) {
  const std::vector<knobs::ControlGraph> graphs{loop(3)};
  EXPECT_FALSE(train_graphs(graphs, std::vector<GraphRow>(2), {}).ok());
  EXPECT_FALSE(train_graphs(graphs, {}, {}).ok());
}

TEST(GraphColumns, EverySplitHasAPartOfAllVariants) {
  const Study study;
  const std::string csv = columns(study, study.options(3));
  EXPECT_THAT(csv, StartsWith("split,family,variant,learned,e0,e1,"));
  for (const char* split : {"fold 1 of 5", "fold 5 of 5", "family family2", "all rows"})
    EXPECT_EQ(part(csv, split).size(), 60u) << split;
  EXPECT_EQ(graph_parts(study.data, study.options(3)), 9u);
}

// Of each split: another time of a row that it tests leaves its part as it is to the last digit;
// another time of a row that it learns from does not.
TEST(GraphColumns, NoEncoderSeesTheTimesItsSplitTests) {
  const Study before;
  const std::string csv = columns(before, before.options(6));
  Study after = before;
  for (predict::DataRow& r : after.data.rows)
    if (r.family == "family1") {
      r.median_us *= 1 + 0.01 * static_cast<double>(hash_bytes(r.variant).high % 100);
    }
  const std::string changed = columns(after, after.options(6));
  EXPECT_EQ(part(csv, "family family1"), part(changed, "family family1"));
  EXPECT_NE(part(csv, "family family0"), part(changed, "family family0"));
  EXPECT_NE(part(csv, "all rows"), part(changed, "all rows"));

  // The folds' tests by what the parts themselves say, and by those that `pitot train` makes.
  for (const predict::Split& split : predict::folds_within_families(before.data, 5, 1)) {
    std::set<std::string> tested;
    Study fold = before;
    for (const size_t r : split.test) {
      predict::DataRow& row = fold.data.rows[r];
      row.median_us *= 1 + 0.01 * static_cast<double>(hash_bytes(row.variant).high % 100);
      tested.insert(row.family + "," + row.variant + ",");
    }
    for (const std::string& line : part(csv, split.name)) {
      const std::string name = line.substr(split.name.size() + 1);
      const std::string key = name.substr(0, name.find(',', name.find(',') + 1) + 1);
      EXPECT_EQ(name[key.size()], tested.contains(key) ? '0' : '1') << line.substr(0, 40);
    }
    if (split.name != "fold 2 of 5") continue;
    const std::string own = columns(fold, fold.options(6));
    EXPECT_EQ(part(csv, split.name), part(own, split.name));
    EXPECT_NE(part(csv, "fold 1 of 5"), part(own, "fold 1 of 5"));
  }
}

TEST(GraphColumns, AVariantWithoutAGraphIsNamed) {
  Study study;
  study.graphs.erase({"family1", "v003"});
  const auto csv = graph_columns(study.data, study.graphs, study.options(1));
  ASSERT_FALSE(csv.ok());
  EXPECT_THAT(csv.error().message, HasSubstr("family1 v003 has no graph"));
}

}  // namespace
}  // namespace pitot::learn::graph_test
