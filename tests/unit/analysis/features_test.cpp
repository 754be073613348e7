// Features: counts, ratios, pressure, loop weights and the published text counts.
#include "analysis/features.h"

#include <gtest/gtest.h>

#include <set>

#include "analysis/resources.h"
#include "ptx/parser.h"
#include "support/file.h"

namespace pitot::analysis {
namespace {

double value(const FeatureRow& row, std::string_view name) {
  auto table = feature_table();
  for (size_t i = 0; i < table.size(); ++i)
    if (table[i].name == name) return row[i];
  ADD_FAILURE() << name << " is no feature";
  return 0;
}

ptx::Module parse(const std::string& text) {
  ptx::Module m = ptx::parse("t", ".version 8.0\n.target sm_80\n.address_size 64\n" + text);
  EXPECT_EQ(m.diagnostics.errors(), 0u);
  return m;
}

TEST(Features, CountsOfASmallKernel) {
  ptx::Module m = parse(
      ".extern .shared .align 16 .b8 dyn[];\n.shared .align 8 .b8 fixed[100];\n"
      ".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .u32 n)\n.reqntid 128\n{\n"
      ".reg .b32 %r<9>;\n.reg .b64 %rd<5>;\n.reg .f32 %f<9>;\n.reg .pred %p<3>;\n.local .align 4 "
      ".b8 l[16];\n"
      "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 16;\nadd.s64 %rd3, "
      "%rd1, %rd2;\n"
      "ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3];\nmov.u32 %r2, 0;\n"
      "L:\nfma.rn.f32 %f1, %f2, %f3, %f1;\nadd.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, 8;\n@%p1 "
      "bra L;\n"
      "ex2.approx.f32 %f5, %f1;\nst.shared.f32 [fixed], %f5;\nbar.sync 0;\nshfl.sync.bfly.b32 %r3, "
      "%r2, 1, 31, -1;\n"
      "red.global.add.f32 [%rd1], %f5;\nst.shared.f32 [dyn+4], %f4;\n"
      "@%p1 st.global.v2.f32 [%rd3], {%f1, %f5};\nret;\n}\n");
  FeatureExtractor extractor;
  FeatureRow row = extractor.extract(m, m.functions[0]);
  EXPECT_EQ(value(row, "total_instructions"), 18);
  EXPECT_EQ(value(row, "memory_ops"), 5);
  EXPECT_EQ(value(row, "shared_memory_ops"), 2);
  EXPECT_EQ(value(row, "sync_points"), 1);
  EXPECT_EQ(value(row, "warp_shuffle"), 1);
  EXPECT_DOUBLE_EQ(value(row, "arithmetic_intensity"), 13.0 / 5);
  EXPECT_DOUBLE_EQ(value(row, "branch_density"), 1.0 / 18);
  EXPECT_DOUBLE_EQ(value(row, "predicate_ratio"), 2.0 / 18);
  EXPECT_EQ(value(row, "load_global"), 1);
  EXPECT_EQ(value(row, "load_global_nc"), 1);
  EXPECT_EQ(value(row, "load_param"), 1);
  EXPECT_EQ(value(row, "vector_loads"), 1);
  EXPECT_EQ(value(row, "vector_stores"), 1);
  EXPECT_EQ(value(row, "access_16b"), 1);
  EXPECT_EQ(value(row, "access_8b"), 1);
  EXPECT_EQ(value(row, "bytes_loaded"), 16);
  EXPECT_EQ(value(row, "bytes_stored"), 8);
  EXPECT_EQ(value(row, "reductions"), 1);
  EXPECT_EQ(value(row, "sfu_ops"), 1);
  EXPECT_EQ(value(row, "fma_ops"), 1);
  EXPECT_EQ(value(row, "flops"), 3);
  EXPECT_EQ(value(row, "w_flops"), 17);
  EXPECT_EQ(value(row, "w_instructions"), 14 + 4 * 8);
  EXPECT_EQ(value(row, "static_shared"), 100);
  EXPECT_EQ(value(row, "dynamic_shared"), 1);
  EXPECT_EQ(value(row, "local_bytes"), 16);
  EXPECT_EQ(value(row, "param_bytes"), 12);
  EXPECT_EQ(value(row, "max_threads"), 128);
  EXPECT_EQ(value(row, "declared_registers"), 26);
  EXPECT_EQ(value(row, "blocks"), 3);
  EXPECT_EQ(value(row, "loops"), 1);
  EXPECT_EQ(value(row, "known_trips"), 1);
  // Known by hand: 16 bytes a lane, contiguous: 16 sectors, all used; the store uses half of each.
  EXPECT_EQ(value(row, "global_sectors") > 0, true);
  EXPECT_EQ(value(row, "unknown_instructions"), 0);
}

TEST(Features, PressureIsTheLargestLiveSet) {
  ptx::Module m = parse(
      ".entry k() {\n.reg .b32 %r<5>;\n.reg .b64 %rd<3>;\n.reg .pred %p<3>;\n"
      "mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nmov.u64 %rd1, 3;\nadd.s32 %r3, %r1, %r2;\n"
      "setp.eq.s32 %p1, %r3, 0;\n@%p1 st.global.u32 [%rd1], %r3;\nret;\n}\n");
  FeatureExtractor extractor;
  FeatureRow row = extractor.extract(m, m.functions[0]);
  EXPECT_EQ(value(row, "register_pressure"), 4);  // %r1, %r2 and %rd1
  EXPECT_EQ(value(row, "predicate_pressure"), 1);
}

TEST(Features, SameRowFromAUsedAndAFreshExtractor) {
  FeatureExtractor used;
  auto list = list_files(PITOT_SOURCE_DIR "/tests/data/cases", {".ptx"});
  ASSERT_TRUE(list.ok());
  for (const auto& path : *list) {
    auto m = ptx::parse_file(path);
    for (const auto& f : m->functions) {
      if (!f.has_body) continue;
      FeatureExtractor fresh;
      EXPECT_EQ(used.extract(*m, f), fresh.extract(*m, f)) << path;
    }
  }
}

TEST(Features, ColumnNamesAreUnique) {
  std::set<std::string_view> names;
  for (const auto& info : feature_table()) EXPECT_TRUE(names.insert(info.name).second) << info.name;
  EXPECT_EQ(feature_table()[0].name, "total_instructions");
  EXPECT_EQ(feature_table()[8].name, "predicate_ratio");
}

TEST(Compat, CountsAsPublished) {
  ptx::Module m = parse(
      ".entry k()\n{\n\t.reg .b32 %r<5>;\n\t.reg .pred %p<3>;\n\t.reg .b32 single;\n\t.local "
      ".align 4 .b8 l[16];\n"
      "\tmov.u32 %r1, 1; // ld.local in a comment\n\t@%p1 add.s32 %r2, %r1, 1;\n  ld.local.u32 "
      "%r3, [l];\n"
      "\tst.local.u32 [l], %r3;\nunindented:\n\t$L__1:\n\tret;\n}\n");
  CompatCounts c = compat_counts(m, m.functions[0]);
  EXPECT_EQ(c.registers, 8u);
  EXPECT_EQ(c.spills, 2u);
  EXPECT_EQ(c.local_bytes, 16u);
  EXPECT_EQ(c.instructions, 4u);  // mov, ld, st, ret; the guarded add is not counted
}

TEST(Compat, PublishedDeltasOfThePairs) {
  struct {
    const char* name;
    int registers, instructions;
  } expected[] = {{"gelu", -8, -8},
                  {"silu", -1, -1},
                  {"leaky_relu", 0, 0},
                  {"softmax", 0, 0},
                  {"rmsnorm", -1, -1}};
  for (const auto& e : expected) {
    auto counts = [&](const char* side) {
      std::string path = std::string(PITOT_SOURCE_DIR "/kernels/pairs/") + e.name + "/" + e.name +
                         "_" + side + ".sm80.ptx";
      auto m = ptx::parse_file(path);
      EXPECT_TRUE(m.ok()) << path;
      return compat_counts(*m, m->functions[0]);
    };
    CompatCounts right = counts("right"), wrong = counts("wrong");
    EXPECT_EQ(static_cast<int64_t>(wrong.registers - right.registers), e.registers) << e.name;
    EXPECT_EQ(static_cast<int64_t>(wrong.instructions - right.instructions), e.instructions)
        << e.name;
  }
}

}  // namespace
}  // namespace pitot::analysis
