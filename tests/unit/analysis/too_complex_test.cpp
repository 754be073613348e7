// Functions whose analysis would not stay in proportion to their text are told apart, quickly, and
// nothing is concluded about them; long functions that are not are analysed like short ones.
#include <cmath>

#include "analysis/features.h"
#include "analysis/lint.h"
#include "flow_helpers.h"

namespace pitot::analysis {
namespace {

std::string nested_loops(int depth) {
  std::string body;
  for (int k = 0; k < depth; ++k) {
    std::string n = std::to_string(k);
    body += "mov.u32 r" + n + ", 0;\nL" + n + ":\n";
  }
  for (int k = depth; k-- > 0;) {
    std::string n = std::to_string(k), r = "r" + n;
    body +=
        "add.u32 " + r + ", " + r + ", 1;\nsetp.lt.u32 %p1, " + r + ", 7;\n@%p1 bra L" + n + ";\n";
  }
  std::string registers;
  for (int k = 0; k < depth; ++k) registers += ".reg .b32 r" + std::to_string(k) + ";\n";
  return registers + body + "ret;";
}

// Each of `count` branches may go to each of `count` places.
std::string shared_table(int count) {
  std::string table = "T: .branchtargets ", body;
  for (int k = 0; k < count; ++k) {
    std::string n = std::to_string(k);
    table += (k == 0 ? "L" : ", L") + n;
    body += "L" + n + ":\nadd.u32 %r1, %r1, 3;\nbrx.idx %r1, T;\n";
  }
  return "mov.u32 %r1, 0;\n" + table + ";\n" + body + "ret;";
}

// `count` values, each loaded in a block of its own and read at the end.
std::string live_through_blocks(int count) {
  std::string registers, loads, sums;
  for (int k = 0; k < count; ++k) {
    std::string n = std::to_string(k);
    registers += ".reg .f32 f" + n + ";\n";
    loads += "@%p1 bra L" + n + ";\nadd.u32 %r1, %r1, 3;\nL" + n + ":\nld.global.f32 f" + n +
             ", [%rd1+" + std::to_string(4 * k) + "];\n";
    sums += "add.f32 %f1, %f1, f" + n + ";\n";
  }
  return registers + "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.f32 %f1, 0f00000000;\n" +
         "setp.lt.u32 %p1, %r1, 3;\n" + loads + sums + "st.global.f32 [%rd1], %f1;\nret;";
}

std::string codes(const ptx::Module& m) {
  Diagnostics found;
  lint(m, {}, found);
  std::string out;
  for (const Diagnostic& d : found.items()) out += d.code + std::string(" ");
  return out;
}

double value(const FeatureRow& row, Feature f) { return row[static_cast<size_t>(f)]; }

void expect_nothing_concluded(const std::string& body, double instructions) {
  Analysed a(kernel_text(body));
  EXPECT_TRUE(a.facts.too_complex);
  EXPECT_EQ(codes(a.module), "too-complex ");
  FeatureRow row = FeatureExtractor().extract(a.module, *a.facts.function);
  EXPECT_EQ(value(row, Feature::kTotalInstructions), instructions);
  for (Feature f : {Feature::kRegisterPressure, Feature::kLoops, Feature::kCriticalPath,
                    Feature::kWeightedInstructions, Feature::kGlobalSectors})
    EXPECT_TRUE(std::isnan(value(row, f))) << static_cast<int>(f);
}

TEST(TooComplex, DeepNests) {
  expect_nothing_concluded(nested_loops(300), 300 * 4 + 1);
  Analysed deep(kernel_text(nested_loops(256)));
  EXPECT_FALSE(deep.facts.too_complex);
  EXPECT_EQ(deep.facts.loops.loops.size(), 256u);
  EXPECT_EQ(codes(deep.module), "");
}

TEST(TooComplex, TablesThatManyBranchesShare) {
  expect_nothing_concluded(shared_table(2200), 2200 * 2 + 2);
  Analysed few(kernel_text(shared_table(200)));
  EXPECT_FALSE(few.facts.too_complex);
  EXPECT_TRUE(few.facts.cfg.complete);
}

TEST(TooComplex, LongLiveRanges) {
  expect_nothing_concluded(live_through_blocks(3500), 3500 * 4 + 6);
  Analysed few(kernel_text(live_through_blocks(300)));
  EXPECT_FALSE(few.facts.too_complex);
}

// What is left of a graph whose edges are cut off says so where control may go on.
TEST(TooComplex, MissingEdgesLeaveForUnknownPlaces) {
  Analysed a(kernel_text(shared_table(20)));
  Cfg cfg;
  cfg.build(a.module, *a.facts.function, a.workspace, 100);
  EXPECT_FALSE(cfg.complete);
  EXPECT_EQ(cfg.size(), a.facts.cfg.size());
  EXPECT_NE(cfg.blocks[18].leaves & kLeaveUnknown, 0);
  EXPECT_EQ(cfg.blocks[1].leaves & kLeaveUnknown, 0);
}

// Two cycles with two entries each, inside each other.
TEST(TooComplex, SideEntriesOfLoops) {
  const std::vector<std::pair<BlockId, BlockId>> edges{{0, 1}, {0, 2}, {1, 2}, {2, 1},
                                                       {1, 3}, {3, 0}, {2, 3}};
  Workspace ws;
  Cfg cfg;
  cfg.build(4, edges, ws);
  LoopForest loops;
  loops.build(cfg, ws);
  EXPECT_TRUE(loops.complete);
  EXPECT_EQ(loops.loops.size(), 2u);
  loops.build(cfg, ws, 0);
  EXPECT_FALSE(loops.complete);
  EXPECT_TRUE(loops.loops.empty());
  EXPECT_EQ(loops.depth_of(2), 0u);
  loops.build(cfg, ws);
  EXPECT_EQ(loops.loops.size(), 2u);
}

// Long functions give memory back between their parts; the row must not notice.
TEST(LongFunctions, HaveTheFeaturesOfShortOnes) {
  auto text = [](int steps) {
    std::string body = "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n";
    for (int k = 0; k < steps; ++k)
      body +=
          "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3];\n"
          "add.u32 %r1, %r1, %r2;\nst.global.u32 [%rd3], %r1;\n";
    return kernel_text(body + "ret;");
  };
  const int kShort = 100, kLong = 20000;
  Analysed few(text(kShort)), many(text(kLong));
  ASSERT_FALSE(few.facts.is_long());
  ASSERT_TRUE(many.facts.is_long());
  FeatureExtractor extractor;
  FeatureRow s = extractor.extract(few.module, *few.facts.function);
  FeatureRow l = extractor.extract(many.module, *many.facts.function);
  EXPECT_EQ(value(l, Feature::kTotalInstructions), 5.0 * kLong + 3);
  for (Feature f : {Feature::kRegisterPressure, Feature::kPredicatePressure, Feature::kBlocks,
                    Feature::kGlobalSectors, Feature::kCoalescing})
    EXPECT_EQ(value(s, f), value(l, f)) << static_cast<int>(f);
  // Only the first address does not come from data.
  EXPECT_DOUBLE_EQ(value(s, Feature::kGlobalKnown), 1.0 / kShort);
  EXPECT_DOUBLE_EQ(value(l, Feature::kGlobalKnown), 1.0 / kLong);
  // One step after the other: each waits for the one before.
  const double step =
      (value(l, Feature::kCriticalPath) - value(s, Feature::kCriticalPath)) / (kLong - kShort);
  EXPECT_GT(step, 1);
  EXPECT_NEAR(value(s, Feature::kCriticalPath) / kShort, step, 0.05 * step);
  // And the short one again, with whatever the long one left behind.
  FeatureRow again = extractor.extract(few.module, *few.facts.function);
  EXPECT_EQ(again, s);
  EXPECT_EQ(codes(few.module), codes(many.module));
}

}  // namespace
}  // namespace pitot::analysis
