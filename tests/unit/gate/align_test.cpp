// Alignment of key sequences against a quadratic reference.
#include "gate/align.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

namespace pitot::gate {
namespace {

size_t longest_common(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
  std::vector<std::vector<size_t>> t(a.size() + 1, std::vector<size_t>(b.size() + 1, 0));
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j)
      t[i][j] = a[i - 1] == b[j - 1] ? t[i - 1][j - 1] + 1 : std::max(t[i - 1][j], t[i][j - 1]);
  return t[a.size()][b.size()];
}

void expect_valid(const std::vector<IndexPair>& pairs, const std::vector<uint64_t>& a,
                  const std::vector<uint64_t>& b) {
  for (size_t k = 0; k < pairs.size(); ++k) {
    ASSERT_LT(pairs[k].first, a.size());
    ASSERT_LT(pairs[k].second, b.size());
    EXPECT_EQ(a[pairs[k].first], b[pairs[k].second]);
    if (k > 0) {
      EXPECT_LT(pairs[k - 1].first, pairs[k].first);
      EXPECT_LT(pairs[k - 1].second, pairs[k].second);
    }
  }
}

TEST(Align, EmptySides) {
  EXPECT_TRUE(align({}, {}).empty());
  std::vector<uint64_t> a{1, 2};
  EXPECT_TRUE(align(a, {}).empty());
  EXPECT_TRUE(align({}, a).empty());
}

TEST(Align, RandomSequencesAreValidAndLongWithoutAnchors) {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    // Every key at least twice a side: no anchors, so Myers alone answers and is exact.
    std::vector<uint64_t> a, b;
    for (int i = 0; i < 12; ++i) a.push_back(random() % 3), b.push_back(random() % 3);
    for (uint64_t key : {0u, 1u, 2u})
      for (int i = 0; i < 2; ++i) a.push_back(key), b.insert(b.begin(), key);
    auto pairs = align(a, b);
    expect_valid(pairs, a, b);
    EXPECT_GE(pairs.size() + 3, longest_common(a, b));
  }
}

TEST(Align, InsertionsAndDeletionsAreFoundExactly) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint64_t> a;
    for (int i = 0; i < 300; ++i) a.push_back(random() % 40);
    std::vector<uint64_t> b = a;
    for (int k = 0; k < 5; ++k) b.insert(b.begin() + random() % b.size(), 1000 + k);
    auto pairs = align(a, b);
    expect_valid(pairs, a, b);
    EXPECT_EQ(pairs.size(), a.size());
    expect_valid(align(b, a), b, a);
    EXPECT_EQ(align(b, a).size(), a.size());
  }
}

TEST(Align, ManyDifferencesStayValid) {
  std::mt19937 random(3);
  std::vector<uint64_t> a, b;
  for (int i = 0; i < 6000; ++i) a.push_back(random() % 50), b.push_back(random() % 50);
  auto pairs = align(a, b, 100);
  expect_valid(pairs, a, b);
  EXPECT_GT(pairs.size(), 50u);
}

TEST(Align, LevelsFillTheGaps) {
  // The strong keys agree only at the ends; the weak ones also in the middle.
  std::vector<std::vector<uint64_t>> a{{1, 10, 11, 4}, {1, 2, 3, 4}};
  std::vector<std::vector<uint64_t>> b{{1, 20, 21, 22, 4}, {1, 2, 9, 3, 4}};
  EXPECT_EQ(align_levels(a, b), (std::vector<IndexPair>{{0, 0}, {1, 1}, {2, 3}, {3, 4}}));
}

TEST(Align, HundredThousandElementsAreQuick) {
  std::mt19937_64 random(5);
  std::vector<uint64_t> a;
  for (int i = 0; i < 100000; ++i) a.push_back(random() % 500);
  std::vector<uint64_t> b = a;
  for (int k = 0; k < 300; ++k) b[random() % b.size()] = 1000000 + k;
  auto start = std::chrono::steady_clock::now();
  auto pairs = align(a, b);
  auto spent = std::chrono::steady_clock::now() - start;
  expect_valid(pairs, a, b);
  EXPECT_GE(pairs.size(), a.size() - 300);
  EXPECT_LT(std::chrono::duration<double>(spent).count(), 5.0);
}

}  // namespace
}  // namespace pitot::gate
