// Scalar accesses that become vectors, and everything that forbids it.
#include "transform_helpers.h"

namespace pitot::transform {
namespace {

TEST(VectoriseLoads, NeighboursInAnyOrder) {
  expect_becomes(
      "\tld.global.f32 %f3, [%rd1+8];\n\tld.global.f32 %f1, [%rd1];\n"
      "\tld.global.f32 %f4, [%rd1+12]; // kept\n\tld.global.f32 %f2, [%rd1+4];\n",
      Action::kVecLd, "\tld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n\t // kept\n");
}

TEST(VectoriseLoads, TheFirstOnesRegisterIsTheBase) {
  expect_becomes(
      "\tadd.s64 %rd3, %rd1, 8;\n\tld.global.f32 %f3, [%rd3];\n\tld.global.f32 %f4, [%rd3+4];\n"
      "\tld.global.f32 %f1, [%rd1];\n\tld.global.f32 %f2, [%rd1+4];\n",
      Action::kVecLd,
      "\tadd.s64 %rd3, %rd1, 8;\n\tld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3+-8];\n");
}

TEST(VectoriseLoads, QualifiersGuardsAndHintsMustBeAlike) {
  expect_becomes(
      "\t@%p1 ld.global.nc.L1::evict_last.L2::cache_hint.b32 { %r1 }, [ %rd1 + 0 ], %rd5;\n"
      "\t@%p1 ld.global.nc.L1::evict_last.L2::cache_hint.b32 { %r2 }, [ %rd1 + 4 ], %rd5;\n",
      Action::kVecLd,
      "\t@%p1 ld.global.nc.L1::evict_last.L2::cache_hint.v2.b32 {%r1, %r2}, [ %rd1 + 0 ], "
      "%rd5;\n");
  for (const char* second :
       {"@!%p1 ld.global.b32 %r2, [%rd1+4]", "ld.global.b32 %r2, [%rd1+4]",
        "@%p2 ld.global.b32 %r2, [%rd1+4]", "@%p1 ld.global.cs.b32 %r2, [%rd1+4]",
        "@%p1 ld.global.u32 %r2, [%rd1+4]", "@%p1 ld.volatile.global.b32 %r2, [%rd1+4]"})
    expect_declines(std::string("\t@%p1 ld.global.b32 %r1, [%rd1];\n\t") + second + ";\n",
                    Action::kVecLd, "no block has loads");
  expect_declines(
      "\tld.global.L2::cache_hint.b32 %r1, [%rd1], %rd5;\n"
      "\tld.global.L2::cache_hint.b32 %r2, [%rd1+4], %rd6;\n",
      Action::kVecLd, "no block has loads");
}

TEST(VectoriseLoads, SubWordsSharedMemoryAndVectors) {
  expect_becomes(
      "\t.shared .align 16 .b8 s[64];\n\tld.shared.u8 %rs1, [s+4];\n\tld.shared.u8 %rs2, [s+5];\n"
      "\tld.shared.u8 %rs3, [s+6];\n\tld.shared.u8 %rs4, [s+7];\n",
      Action::kVecLd,
      "\t.shared .align 16 .b8 s[64];\n\tld.shared.v4.u8 {%rs1, %rs2, %rs3, %rs4}, [s+4];\n");
  expect_becomes("\tld.global.b16 %rs1, [%rd1+6];\n\tld.global.b16 %rs2, [%rd1+4];\n",
                 Action::kVecLd, "\tld.global.v2.b16 {%rs2, %rs1}, [%rd1+4];\n");
  expect_becomes("\tld.global.v2.f32 {%f1, %f2}, [%rd1];\n\tld.global.v2.f32 {%f3, _}, [%rd1+8];\n",
                 Action::kVecLd, "\tld.global.v4.f32 {%f1, %f2, %f3, _}, [%rd1];\n");
  expect_becomes(
      "\tld.global.f64 %fd1, [%rd1];\n\tld.global.f64 %fd2, [%rd1+8];\n"
      "\tld.global.f64 %fd3, [%rd1+16];\n\tld.global.f64 %fd4, [%rd1+24];\n",
      Action::kVecLd,
      "\tld.global.v2.f64 {%fd1, %fd2}, [%rd1];\n"
      "\tld.global.v2.f64 {%fd3, %fd4}, [%rd1+16];\n");
}

TEST(VectoriseLoads, RunsStartWhereTheyAreAligned) {
  expect_becomes(
      "\tld.global.f32 %f1, [%rd1+4];\n\tld.global.f32 %f2, [%rd1+8];\n"
      "\tld.global.f32 %f3, [%rd1+12];\n\tld.global.f32 %f4, [%rd1+16];\n",
      Action::kVecLd,
      "\tld.global.f32 %f1, [%rd1+4];\n\tld.global.v2.f32 {%f2, %f3}, [%rd1+8];\n"
      "\tld.global.f32 %f4, [%rd1+16];\n");
}

TEST(VectoriseLoads, AlignmentIsProvedOrStated) {
  const std::string body = "\tld.global.f32 %f1, [%rd1];\n\tld.global.f32 %f2, [%rd1+4];\n";
  const std::string wide = "\tld.global.v2.f32 {%f1, %f2}, [%rd1];\n";
  KernelText k;
  k.parameters = ".param .u64 p, .param .u64 q, .param .u32 n";
  expect_declines(body, Action::kVecLd, "p: its address is proved a multiple of 1, 8 are needed",
                  k);
  Assumptions stated;
  stated.alignment["p"] = 8;
  expect_becomes(body, Action::kVecLd, wide, k, stated);
  stated.alignment["p"] = 4;
  expect_declines(body, Action::kVecLd, "proved a multiple of 4, 8 are needed", k, stated);
  k.parameters = ".param .u64 .ptr .global .align 4 p, .param .u64 q, .param .u32 n";
  stated.alignment["p"] = 16;
  expect_becomes(body, Action::kVecLd, wide, k, stated);
}

// nvcc aligns arrays of shared memory to their elements; where they lie is free.
TEST(VectoriseLoads, SharedArraysAreAlignedFurther) {
  const std::string loads =
      "\tmov.u32 %r2, %tid.x;\n\tshl.b32 %r3, %r2, 4;\n\tmov.u32 %r4, s;\n"
      "\tadd.s32 %r5, %r4, %r3;\n\tld.shared.f32 %f1, [%r5];\n\tld.shared.f32 %f2, [%r5+4];\n"
      "\tld.shared.f32 %f3, [%r5+8];\n\tld.shared.f32 %f4, [%r5+12];\n";
  const std::string wide = loads.substr(0, loads.find("\tld.shared")) +
                           "\tld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r5];\n";
  expect_becomes("\t.shared .align 4 .b8 s[1024];\n" + loads, Action::kVecLd,
                 "\t.shared .align 16 .b8 s[1024];\n" + wide);
  expect_becomes("\t.shared .f32 s[256];\n" + loads, Action::kVecLd,
                 "\t.shared .align 16 .f32 s[256];\n" + wide);
  // No room for the padding, an index that is no multiple, memory of the launch.
  expect_declines("\t.shared .align 4 .b8 s[1020];\n\t.shared .align 4 .b8 t[48132];\n" + loads,
                  Action::kVecLd, "&s: its address is proved a multiple of 4, 16 are needed");
  std::string odd = loads;
  odd.replace(odd.find("%r2, 4"), 6, "%r2, 2");
  expect_declines("\t.shared .align 4 .b8 s[1024];\n" + odd, Action::kVecLd,
                  "proved a multiple of 4");
}

TEST(VectoriseLoads, OddOffsetsAreCertainlyMisaligned) {
  expect_declines("\tld.global.f32 %f1, [%rd1+4];\n\tld.global.f32 %f2, [%rd1+8];\n",
                  Action::kVecLd, "8 bytes together would start 4 bytes past a multiple of 8");
}

// One thread more is one element more, as long as the sum does not wrap before it is widened.
TEST(VectoriseLoads, AnIndexThatMayWrapIsNoNeighbour) {
  const auto body = [](const std::string& index) {
    return "\tmov.u32 %r2, %ctaid.x;\n\t" + index +
           "\n\tadd.s32 %r4, %r3, 1;\n\tmul.wide.u32 %rd3, %r3, 4;\n\tadd.s64 %rd4, %rd1, %rd3;\n"
           "\tmul.wide.u32 %rd5, %r4, 4;\n\tadd.s64 %rd6, %rd1, %rd5;\n";
  };
  const std::string loads = "\tld.global.f32 %f1, [%rd4];\n\tld.global.f32 %f2, [%rd6];\n";
  expect_declines(body("mov.u32 %r5, %tid.x;\n\tmad.lo.s32 %r3, %r2, %r0, %r5;") + loads,
                  Action::kVecLd, "might wrap around");
  // Twice anything leaves room for 1 more.
  for (const char* index : {"shl.b32 %r3, %r2, 1;", "mul.lo.s32 %r3, %r2, 6;"})
    expect_becomes(body(index) + loads, Action::kVecLd,
                   body(index) + "\tld.global.v2.f32 {%f1, %f2}, [%rd4];\n");
}

TEST(VectoriseLoads, StoresInBetweenThatMayAlias) {
  const std::string loads_around =
      "\tld.global.f32 %f1, [%rd1];\n\tst.global.f32 [%rd2], %f9;\n"
      "\tld.global.f32 %f2, [%rd1+4];\n";
  expect_declines(loads_around, Action::kVecLd,
                  "st.global.f32 in line 17 in between must stay where it is");
  Assumptions distinct;
  distinct.distinct_buffers = true;
  expect_becomes(loads_around, Action::kVecLd,
                 "\tld.global.v2.f32 {%f1, %f2}, [%rd1];\n\tst.global.f32 [%rd2], %f9;\n", {},
                 distinct);
  // Another place of the same buffer, and shared memory.
  for (const char* store : {"st.global.f32 [%rd1+8], %f9;", "st.shared.f32 [%r1], %f9;"})
    expect_becomes("\tld.global.f32 %f1, [%rd1];\n\t" + std::string(store) +
                       "\n\tld.global.f32 %f2, [%rd1+4];\n",
                   Action::kVecLd,
                   "\tld.global.v2.f32 {%f1, %f2}, [%rd1];\n\t" + std::string(store) + "\n");
  expect_declines(
      "\tld.global.f32 %f1, [%rd1];\n\tst.global.f32 [%rd1+6], %f9;\n"
      "\tld.global.f32 %f2, [%rd1+4];\n",
      Action::kVecLd, "must stay where it is");
  // Two pointers in one sum: neither is known to be the buffer.
  expect_declines(
      "\tld.global.u64 %rd7, [%rd2+64];\n\tadd.s64 %rd3, %rd7, %rd2;\n"
      "\tld.global.f32 %f1, [%rd1];\n\tst.global.f32 [%rd3], %f9;\n"
      "\tld.global.f32 %f2, [%rd1+4];\n",
      Action::kVecLd, "must stay where it is", {}, distinct);
}

TEST(VectoriseLoads, WhatOrdersMemoryIsNotCrossed) {
  for (const char* between :
       {"bar.sync 0;", "membar.gl;", "fence.acq_rel.gpu;", "atom.global.add.u32 %r5, [%rd1+4], 1;",
        "red.global.add.u32 [%rd1+4], 1;", "cp.async.wait_all;",
        "ld.acquire.gpu.global.u32 %r5, [%rd2];"})
    expect_declines("\tld.global.f32 %f1, [%rd1];\n\t" + std::string(between) +
                        "\n\tld.global.f32 %f2, [%rd1+4];\n",
                    Action::kVecLd, "must stay where it is");
}

TEST(VectoriseLoads, RegistersInBetween) {
  expect_declines(
      "\tld.global.f32 %f1, [%rd1];\n\tadd.f32 %f3, %f2, %f1;\n"
      "\tld.global.f32 %f2, [%rd1+4];\n",
      Action::kVecLd, "%f2 is read by add.f32 in line 17 in between");
  expect_declines(
      "\tld.global.f32 %f1, [%rd1];\n\tmov.f32 %f2, %f1;\n"
      "\t@%p1 ld.global.f32 %f2, [%rd1+4];\n\tld.global.f32 %f2, [%rd1+4];\n",
      Action::kVecLd, "%f2 is written by");
  expect_declines("\tld.global.f32 %f1, [%rd1];\n\tld.global.f32 %f1, [%rd1+4];\n", Action::kVecLd,
                  "two of them load to %f1");
  expect_declines("\tld.global.u16 %rs1, [%rd1];\n\tld.global.u16 %r2, [%rd1+2];\n", Action::kVecLd,
                  "registers differ in width");
  // The base register changes in between, the address does not.
  expect_becomes(
      "\tld.global.u64 %rd3, [%rd1];\n\tadd.s64 %rd1, %rd1, 8;\n\tld.global.u64 %rd4, [%rd1];\n",
      Action::kVecLd, "\tld.global.v2.u64 {%rd3, %rd4}, [%rd1];\n\tadd.s64 %rd1, %rd1, 8;\n");
  expect_declines(
      "\tld.global.u64 %rd3, [%rd1];\n\tadd.s64 %rd5, %rd1, 8;\n\tld.global.u64 %rd1, [%rd5];\n",
      Action::kVecLd, "%rd1 is read by add.s64");
}

TEST(VectoriseLoads, BlocksAndInnerScopesAreNotLeft) {
  expect_declines(
      "\tld.global.f32 %f1, [%rd1];\n\t@%p1 bra $L;\n\tld.global.f32 %f2, [%rd1+4];\n$L:\n",
      Action::kVecLd, "no block has loads");
  expect_declines(
      "\tld.global.f32 %f1, [%rd1];\n\t{\n\t.reg .f32 %f2;\n"
      "\tld.global.f32 %f2, [%rd1+4];\n\t}\n",
      Action::kVecLd, "no block has loads");
}

// A function's own pointers are aligned as nothing says; its shared variables are.
TEST(VectoriseLoads, BodiesOfFunctions) {
  const std::string head =
      ".version 8.0\n.target sm_80\n.address_size 64\n.shared .align 8 .b8 s[64];\n"
      ".func f(.param .b64 p)\n{\n\t.reg .b64 %rd<2>;\n\t.reg .f32 %f<5>;\n"
      "\tld.param.b64 %rd1, [p];\n";
  const std::string global = "\tld.f32 %f1, [%rd1];\n\tld.f32 %f2, [%rd1+4];\n";
  const ptx::Module m = ptx::parse(
      "f.ptx", head + global + "\tld.shared.f32 %f3, [s+12];\n\tld.shared.f32 %f4, [s+8];\n}\n");
  ASSERT_EQ(m.diagnostics.errors(), 0u);
  auto out = apply(m, 0, Action::kVecLd, {});
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out->text, head + global + "\tld.shared.v2.f32 {%f4, %f3}, [s+8];\n}\n");
}

TEST(VectoriseStores, MoveDownToTheLast) {
  expect_becomes(
      "\tst.global.f32 [%rd1], %f1;\n\tadd.f32 %f2, %f1, %f1;\n\tst.global.f32 [%rd1+4], %f2;\n"
      "\tst.global.f32 [%rd1+12], 0f3F800000;\n\tst.global.f32 [%rd1+8], %f3;\n",
      Action::kVecSt,
      "\tadd.f32 %f2, %f1, %f1;\n"
      "\tst.global.v4.f32 [%rd1], {%f1, %f2, %f3, 0f3F800000};\n");
}

TEST(VectoriseStores, SourcesAndLoadsInBetween) {
  expect_declines(
      "\tst.global.f32 [%rd1], %f1;\n\tmov.f32 %f1, %f2;\n"
      "\tst.global.f32 [%rd1+4], %f1;\n",
      Action::kVecSt, "%f1 is written by mov.f32 in line 17 in between");
  expect_declines(
      "\tst.global.f32 [%rd1], %f1;\n\tld.global.f32 %f3, [%rd2];\n"
      "\tst.global.f32 [%rd1+4], %f2;\n",
      Action::kVecSt, "ld.global.f32 in line 17 in between must stay");
  Assumptions distinct;
  distinct.distinct_buffers = true;
  expect_becomes(
      "\tst.global.f32 [%rd1], %f1;\n\tld.global.f32 %f3, [%rd2];\n"
      "\tst.global.f32 [%rd1+4], %f2;\n",
      Action::kVecSt, "\tld.global.f32 %f3, [%rd2];\n\tst.global.v2.f32 [%rd1], {%f1, %f2};\n", {},
      distinct);
  // The later of two stores to one place wins.
  expect_declines(
      "\tst.global.f32 [%rd1], %f1;\n\tst.global.f32 [%rd1], %f3;\n"
      "\tst.global.f32 [%rd1+4], %f2;\n",
      Action::kVecSt, "st.global.f32 in line 17 in between must stay");
  expect_declines("\tst.global.f32 [%rd1], %f1;\n\tbar.sync 0;\n\tst.global.f32 [%rd1+4], %f2;\n",
                  Action::kVecSt, "bar.sync in line 17");
  expect_declines(
      "\tst.volatile.global.f32 [%rd1], %f1;\n\tst.volatile.global.f32 [%rd1+4], %f2;\n",
      Action::kVecSt, "no block has stores");
}

TEST(WidenAccesses, ThirtyTwoBytesWhereTheTargetHasThem) {
  KernelText k;
  k.target = "sm_100";
  k.parameters =
      ".param .u64 .ptr .global .align 32 p, .param .u64 .ptr .global .align 32 q, .param .u32 n";
  expect_becomes(
      "\tld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];\n"
      "\tld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%rd1+16];\n"
      "\tst.global.b64 [%rd2], %rd3;\n\tst.global.v2.b64 [%rd2+8], {%rd4, %rd5};\n"
      "\tst.global.b64 [%rd2+24], %rd6;\n",
      Action::kVecWide,
      "\tld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];\n"
      "\tst.global.v4.b64 [%rd2], {%rd3, %rd4, %rd5, %rd6};\n",
      k);
  k.parameters =
      ".param .u64 .ptr .global .align 16 p, .param .u64 .ptr .global .align 16 q, .param .u32 n";
  const std::string halves =
      "\tld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];\n"
      "\tld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%rd1+16];\n";
  expect_declines(halves, Action::kVecWide, "proved a multiple of 16, 32 are needed", k);
  k.version = "8.6";
  expect_declines(halves, Action::kVecWide, "want sm_100 and .version 8.8", k);
}

// Each could be moved past what lies between, but not past each other.
TEST(WidenAccesses, LoadsAndStoresThatWouldPassEachOther) {
  KernelText k;
  k.target = "sm_100";
  k.parameters =
      ".param .u64 .ptr .global .align 32 p, .param .u64 .ptr .global .align 32 q, .param .u32 n";
  const Applied a = run(kernel("\tld.global.v2.b64 {%rd3, %rd4}, [%rd1];\n"
                               "\tst.global.v2.b64 [%rd2], {%rd5, %rd6};\n"
                               "\tld.global.v2.b64 {%rd5, %rd7}, [%rd1+16];\n"
                               "\tst.global.v2.b64 [%rd2+16], {%rd8, %rd9};\n",
                               k),
                        Action::kVecWide);
  EXPECT_EQ(a.step.changes, 0u);
}

}  // namespace
}  // namespace pitot::transform
