// The untrained score: what must make it larger, and what must not change it.
#include "predict/analytic.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predict_kernels.h"

namespace pitot::predict {
namespace {

FeatureRow row_of(const SpecKernel& k, const device::SizeSpec& size, bool emulate = true) {
  RowExtractor extractor({.emulate = emulate});
  auto row = extractor.row(k.request(size));
  if (!row) throw std::runtime_error(row.error().message);
  return *row;
}

AnalyticScore score_of(const SpecKernel& k, const device::SizeSpec& size) {
  const auto score = analytic_score(row_of(k, size).values);
  EXPECT_TRUE(score.has_value());
  return *score;
}

TEST(AnalyticScore, MoreWorkTakesLonger) {
  const SpecKernel k("cuda/gemm_tiled/gemm_tiled", "gemm_tiled.sm90.ptx");
  double last = 0;
  for (int64_t depth : {64, 256, 1024}) {
    const device::SizeSpec size{"", {{"m", 512}, {"n", 512}, {"k", depth}}};
    const double us = score_of(k, size).us;
    EXPECT_GT(us, last) << depth;
    const auto from_text = static_score(row_of(k, size, false).values);
    ASSERT_TRUE(from_text);
    EXPECT_FALSE(from_text->emulated);
    last = us;
  }
}

TEST(AnalyticScore, TwiceTheBlocksOfManyWavesTakeTwiceAsLong) {
  const SpecKernel k("cuda/gemm_tiled/gemm_tiled", "gemm_tiled.sm90.ptx");
  const device::SizeSpec one{"", {{"m", 2048}, {"n", 2048}, {"k", 256}}};
  const device::SizeSpec two{"", {{"m", 4096}, {"n", 2048}, {"k", 256}}};
  EXPECT_NEAR(score_of(k, two).us / score_of(k, one).us, 2, 0.15);
}

TEST(AnalyticScore, ASquareTransposedIsTheSame) {
  const SpecKernel k("cuda/transpose/transpose", "transpose.sm90.ptx");
  const device::SizeSpec wide{"", {{"rows", 2048}, {"cols", 8192}}};
  const device::SizeSpec tall{"", {{"rows", 8192}, {"cols", 2048}}};
  EXPECT_NEAR(score_of(k, wide).us / score_of(k, tall).us, 1, 0.1);
}

TEST(AnalyticScore, TermsAreLongestFirstAndTheTimeIsNoLessThanAnyOfThem) {
  const SpecKernel k("cuda/saxpy/saxpy", "saxpy.sm90.ptx");
  const device::SizeSpec size{"", {{"n", 1 << 24}}};
  const FeatureRow row = row_of(k, size);
  const auto score = analytic_score(row.values);
  ASSERT_TRUE(score && score->emulated && !score->terms.empty());
  for (size_t i = 1; i < score->terms.size(); ++i)
    EXPECT_GE(score->terms[i - 1].cycles, score->terms[i].cycles);
  EXPECT_GE(score->us, score->terms[0].cycles / row[Column::kGpuBoostMhz] * (1 - 1e-12));
}

TEST(AnalyticScore, SpillsCostWhereMuchIsSpilledAndNothingWhereLittleIs) {
  const SpecKernel k("cuda/gemm_tiled/gemm_tiled", "gemm_tiled.sm90.ptx");
  const device::SizeSpec size{"", {{"m", 2048}, {"n", 2048}, {"k", 256}}};
  FeatureRow row = row_of(k, size);
  const auto us = [&](double registers, double spilled) {
    row.set(Column::kLaunchRegisters, registers);
    row.set(Column::kSpillBytes, spilled * 4);
    return analytic_score(row.values)->us;
  };
  const double none = us(24, 0);
  EXPECT_NEAR(us(96, 10) / none, 1, 0.01);
  // An H200 takes 5.6 times as long for matrix products under a cap of 24 registers that want 75.
  EXPECT_GT(us(24, 51) / none, 2.5);
  EXPECT_LT(us(24, 51) / none, 10);
  EXPECT_GT(us(24, 51), us(24, 30));
}

TEST(AnalyticScore, WithoutEmulationItIsTheStaticOne) {
  const SpecKernel k("cuda/saxpy/saxpy", "saxpy.sm90.ptx");
  const device::SizeSpec size{"", {{"n", 1 << 20}}};
  const FeatureRow row = row_of(k, size, false);
  const auto score = analytic_score(row.values);
  ASSERT_TRUE(score);
  EXPECT_FALSE(score->emulated);
  EXPECT_EQ(score->us, static_score(row.values)->us);
  EXPECT_GT(score->us, 0);
}

TEST(AnalyticScore, NothingWithoutALaunch) {
  EXPECT_EQ(analytic_score(FeatureRow().values), std::nullopt);
}

}  // namespace
}  // namespace pitot::predict
