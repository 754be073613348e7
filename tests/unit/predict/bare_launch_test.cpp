// Launches without a spec: what integers are taken for, and that every kernel of the repository
// makes a row.
#include "predict/bare_launch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predict_kernels.h"

namespace pitot::predict {
namespace {

// The integers of a kernel, in order.
std::vector<uint64_t> integers(const SpecKernel& k, const BareLaunch& launch) {
  std::vector<uint64_t> out;
  for (const GuessedArgument& a : guess_arguments(*k.module, k.kernel, launch).arguments)
    if (a.parameter.kind == check::ParameterKind::kInteger) out.push_back(a.bits);
  return out;
}

TEST(BareLaunch, ALengthThatEndsInTheLastBlockIsTheSize) {
  const SpecKernel k("pairs/gelu/gelu", "gelu_right.sm80.ptx");
  const auto n = integers(k, {.grid = {977, 1, 1}, .block = {128, 1, 1}, .size = 1'000'000});
  ASSERT_FALSE(n.empty());
  EXPECT_EQ(n[0], 1'000'000u);
}

TEST(BareLaunch, SizesOfAMatrixCoverTheGrid) {
  const SpecKernel k("cuda/gemm_naive/gemm_naive", "gemm_naive.sm90.ptx");
  // 64 × 16 rows and columns; the size is that of one side.
  for (uint64_t v : integers(k, {.grid = {64, 64, 1}, .block = {16, 16, 1}, .size = 1024}))
    EXPECT_EQ(v, 1024u);
  // The size is the number of elements, which no side has.
  for (uint64_t v : integers(k, {.grid = {64, 64, 1}, .block = {16, 16, 1}, .size = 1024 * 1024}))
    EXPECT_EQ(v, 1024u);
}

TEST(BareLaunch, AGuessedLaunchCountsWhatTheSpecsDoes) {
  const SpecKernel k("cuda/gemm_naive/gemm_naive", "gemm_naive.sm90.ptx");
  const device::SizeSpec size{"", {{"m", 512}, {"n", 512}, {"k", 512}}};
  const BareLaunch launch{.grid = {32, 32, 1}, .block = {16, 16, 1}, .size = 512};
  RowRequest request = k.request(size);
  RowExtractor extractor;
  auto by_spec = extractor.row(request);
  request.spec = nullptr;
  request.bare = &launch;
  auto bare = extractor.row(request);
  ASSERT_TRUE(by_spec.ok() && bare.ok());
  using enum Column;
  for (Column c : {kEmuWarpInstructions, kEmuThreadInstructions, kEmuGlobalRequests})
    EXPECT_EQ((*by_spec)[c], (*bare)[c]) << feature_columns()[index_of(c)].name;
  EXPECT_EQ((*bare)[kEmuInferred], 1);
  EXPECT_FALSE(bare->notes.empty());
}

TEST(BareLaunch, EveryKernelMakesARow) {
  auto files = list_files(PITOT_SOURCE_DIR "/kernels/cuda", {".sm90.ptx"});
  ASSERT_TRUE(files.ok());
  size_t rows = 0, emulated = 0;
  RowOptions few;
  few.budget = 200'000;
  few.enough = 20'000;
  RowExtractor extractor(few);
  for (const std::string& path : *files) {
    auto text = read_file(path);
    ASSERT_TRUE(text.ok());
    auto module = std::make_shared<ptx::Module>(ptx::parse(path, *text));
    if (module->diagnostics.errors() > 0) continue;
    for (uint32_t f = 0; f < module->functions.size(); ++f) {
      if (!module->functions[f].is_entry || !module->functions[f].has_body) continue;
      BareLaunch launch{.grid = {64, 1, 1}, .block = {128, 1, 1}, .size = 8192};
      RowRequest request;
      request.module = module;
      request.kernel = f;
      request.gpu = *arch::find_gpu("H200");
      request.bare = &launch;
      auto row = extractor.row(request);
      ASSERT_TRUE(row.ok()) << path << ": " << row.error().message;
      ++rows;
      const bool ran = !std::isnan((*row)[Column::kEmuCycles]);
      emulated += ran;
      EXPECT_NE(ran, !row->reason(index_of(Column::kEmuCycles)).empty()) << path;
    }
  }
  EXPECT_GE(rows, 30u);
  // Some ask for other blocks, or for data that nobody can guess.
  EXPECT_GE(static_cast<double>(emulated), 0.7 * static_cast<double>(rows));
}

}  // namespace
}  // namespace pitot::predict
