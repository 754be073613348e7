// Kernels unlike those learned from are flagged, those like them are not.
#include "predict/outside.h"

#include <gtest/gtest.h>

#include <random>

namespace pitot::predict {
namespace {

struct Points {
  Matrix rows;
  std::vector<std::string> families;
};

// Two clouds in three inputs; the third is constant.
Points clouds(uint64_t seed, size_t n) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> noise(0, 1);
  Points p;
  p.rows.columns = 3;
  for (size_t i = 0; i < n; ++i) {
    const bool b = i % 2 != 0;
    p.rows.append(std::vector<float>{(b ? 20.0f : 0.0f) + noise(random), noise(random), 7});
    p.families.push_back(b ? "b" : "a");
  }
  return p;
}

TEST(Outside, NearestFamilyAndThresholds) {
  const Points train = clouds(1, 2000);
  TrainingSpace space = TrainingSpace::fit(train.rows, train.families);
  std::vector<Likeness> like;
  const Points held = clouds(2, 2000);
  for (size_t r = 0; r < held.rows.rows(); ++r) {
    like.push_back(space.likeness(held.rows.row(r)));
    EXPECT_EQ(like.back().nearest, held.families[r]);
  }
  space.set_thresholds(like, 0.99);
  size_t flagged = 0;
  const Points again = clouds(3, 2000);
  for (size_t r = 0; r < again.rows.rows(); ++r) flagged += space.likeness(again.rows.row(r)).ood;
  EXPECT_LT(flagged, 60u);
  // Between the clouds: inside every range, far from both.
  const Likeness between = space.likeness(std::vector<float>{10, 0, 7});
  EXPECT_TRUE(between.ood);
  EXPECT_EQ(between.outside, 0);
  // Another constant is out of range.
  const Likeness other = space.likeness(std::vector<float>{0, 0, 8});
  EXPECT_NEAR(other.outside, 1.0 / 3, 1e-9);
  EXPECT_TRUE(other.ood);
  // What is not known says nothing.
  EXPECT_FALSE(space.likeness(std::vector<float>{0, kUnknown, kUnknown}).ood);
}

TEST(Outside, DistanceByHand) {
  // Family values 1 and 3: mean 2, deviation 1; so does the whole. 4 is two deviations away.
  Matrix m;
  m.columns = 1;
  m.values = {1, 3};
  const std::vector<std::string> names{"f", "f"};
  const TrainingSpace space = TrainingSpace::fit(m, names);
  EXPECT_NEAR(space.likeness(std::vector<float>{4}).distance, 2, 1e-6);
  EXPECT_EQ(space.likeness(std::vector<float>{4}).outside, 1);
  EXPECT_EQ(space.likeness(std::vector<float>{3}).outside, 0);
}

}  // namespace
}  // namespace pitot::predict
