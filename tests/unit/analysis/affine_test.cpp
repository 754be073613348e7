// Forms of addresses, as compilers write them.
#include "analysis/affine.h"

#include "address_helpers.h"

namespace pitot::analysis {
namespace {

TEST(Affine, GridStrideIndex) {
  auto k = addressed(R"(
    ld.param.u64 %d1, [a];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    mul.wide.s32 %d2, %r4, 4;
    add.s64 %d3, %d1, %d2;
    ld.global.f32 %f1, [%d3+8];
    ret;)");
  EXPECT_EQ(k.form(0), "a + 4*tid.x + 4*ctaid.x*ntid.x + 8");
  EXPECT_TRUE(k.forms.form(k.access(0).address).assumes_no_wrap);
  EXPECT_EQ(k.forms.to_string(k.access(0).base), "a");
}

TEST(Affine, KnownBlockMakesItExact) {
  auto k = addressed(R"(
    ld.param.u64 %d1, [a];
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mov.u32 %r5, %tid.y;
    mad.lo.s32 %r4, %r5, %r2, %r3;
    mul.wide.s32 %d2, %r4, 4;
    add.s64 %d3, %d1, %d2;
    ld.global.f32 %f1, [%d3];
    ret;)",
                     ".reqntid 16, 8");
  EXPECT_EQ(k.form(0), "a + 4*tid.x + 64*tid.y");
  EXPECT_FALSE(k.forms.form(k.access(0).address).assumes_no_wrap);
}

TEST(Affine, DisjointOrIsAddition) {
  // As Triton writes the index of its elements.
  auto k = addressed(R"(
    ld.param.u64 %d1, [a];
    mov.u32 %r1, %ctaid.x;
    shl.b32 %r4, %r1, 8;
    mov.u32 %r5, %tid.x;
    shl.b32 %r6, %r5, 1;
    and.b32 %r7, %r6, 254;
    or.b32 %r8, %r7, %r4;
    mul.wide.s32 %d2, %r8, 4;
    add.s64 %d3, %d1, %d2;
    ld.global.v2.b32 {%r10, %r11}, [%d3];
    ret;)",
                     ".reqntid 128");
  EXPECT_EQ(k.form(0), "a + 1024*ctaid.x + 8*tid.x");
  EXPECT_EQ(k.access(0).alignment, 8);
}

TEST(Affine, RowsOfUnknownStride) {
  auto k = addressed(R"(
    ld.param.u64 %d1, [a];
    ld.param.u32 %r9, [n];
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 3;
    and.b32 %r3, %r1, 7;
    mad.lo.s32 %r4, %r2, %r9, %r3;
    mul.wide.s32 %d2, %r4, 4;
    add.s64 %d3, %d1, %d2;
    ld.global.f32 %f1, [%d3];
    ret;)",
                     ".reqntid 32");
  EXPECT_EQ(k.form(0), "a + 4*and(tid.x, 7) + 4*n*shr(tid.x, 3)");
  EXPECT_EQ(k.access(0).pattern, LanePattern::kRows);
  EXPECT_EQ(k.access(0).sectors, 4);  // four rows of 32 bytes
  EXPECT_EQ(k.access(0).efficiency(), 1.0);
}

TEST(Affine, InductionVariables) {
  auto k = addressed(R"(
    ld.param.u64 %d1, [a];
    ld.param.u32 %r9, [n];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 16;
    add.s64 %d3, %d1, %d2;
    mov.u32 %r2, 0;
LOOP:
    ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d3];
    add.s64 %d3, %d3, 4096;
    ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d3+16];
    add.s32 %r2, %r2, 1;
    setp.lt.s32 %p1, %r2, %r9;
    @%p1 bra LOOP;
    ld.global.f32 %f1, [%d3];
    ret;)");
  EXPECT_EQ(k.form(0), "a + 16*tid.x + 4096*turn0");
  EXPECT_EQ(k.form(1), "a + 16*tid.x + 4096*turn0 + 4112");
  EXPECT_EQ(k.access(0).alignment, 16);
  EXPECT_TRUE(k.access(0).in_loop);
  EXPECT_EQ(k.access(0).sectors, 16);
}

TEST(Affine, StepsThatTheLoopDoesNotChange) {
  auto k = addressed(R"(
    ld.param.u64 %d1, [a];
    ld.param.u32 %r9, [n];
    mov.u32 %r3, %ntid.x;
    mul.wide.u32 %d5, %r3, 4;
    mov.u32 %r2, 0;
LOOP:
    ld.global.f32 %f1, [%d1];
    add.s64 %d6, %d1, %d5;
    add.s64 %d1, %d6, 8;
    add.s32 %r2, %r2, 1;
    setp.lt.s32 %p1, %r2, %r9;
    @%p1 bra LOOP;
    ret;)");
  EXPECT_EQ(k.form(0), "a + 8*turn0 + 4*ntid.x*turn0");
}

TEST(Affine, SharedWindowIsCarriedAlong) {
  auto k = addressed(R"(
    mov.u64 %d1, tile;
    cvta.shared.u64 %d2, %d1;
    ld.u32 %r1, [%d2+4];
    cvta.to.shared.u64 %d3, %d2;
    ld.shared.u32 %r2, [%d3];
    ret;)");
  EXPECT_EQ(k.form(0), "&tile + window(shared) + 4");
  EXPECT_EQ(k.access(0).resolved, ptx::Space::kShared);
  EXPECT_EQ(k.form(1), "&tile");
}

TEST(Affine, PackedAndSplitRegisters) {
  auto k = addressed(R"(
    ld.param.u64 %d1, [a];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.b64 %d2, {%r2, 0};
    add.s64 %d3, %d1, %d2;
    ld.global.f32 %f1, [%d3];
    mov.b64 {%r3, %r4}, %d2;
    mul.wide.u32 %d4, %r3, 2;
    add.s64 %d5, %d1, %d4;
    ld.global.f32 %f1, [%d5];
    ret;)");
  EXPECT_EQ(k.form(0), "a + 4*tid.x");
  EXPECT_EQ(k.form(1), "a + 8*tid.x");
}

TEST(Affine, SignedParametersWidenExactly) {
  auto k = addressed(R"(
    ld.param.u64 %d1, [a];
    ld.param.u32 %r1, [n];
    mul.wide.s32 %d2, %r1, 8;
    add.s64 %d3, %d1, %d2;
    ld.global.f32 %f1, [%d3];
    ret;)");
  EXPECT_EQ(k.form(0), "a + 8*extend(n)");
  EXPECT_FALSE(k.forms.form(k.access(0).address).assumes_no_wrap);
  EXPECT_EQ(k.access(0).level, Scope::kGrid);
  EXPECT_EQ(k.access(0).alignment, 8);
}

TEST(Affine, DataDependentIndicesAreOpaque) {
  auto k = addressed(R"(
    ld.param.u64 %d1, [a];
    ld.param.u64 %d9, [b];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.s64 %d3, %d9, %d2;
    ld.global.u32 %r2, [%d3];
    mul.wide.u32 %d4, %r2, 4;
    add.s64 %d5, %d1, %d4;
    ld.global.f32 %f1, [%d5];
    ret;)");
  EXPECT_EQ(k.form(1), "a + 4*%r2");
  EXPECT_EQ(k.access(1).pattern, LanePattern::kUnknown);
  EXPECT_EQ(k.access(1).alignment, 4);
  EXPECT_EQ(k.access(1).sectors, 0);
}

TEST(Affine, LongSumsAreCutOffNotWrong) {
  std::string body = "ld.param.u64 %d1, [a];\nld.param.u64 %d3, [b];\n";
  for (int k = 0; k < 20; ++k)
    body += "ld.global.u64 %d" + std::to_string(10 + k) + ", [%d3+" + std::to_string(8 * k) +
            "];\nadd.u64 %d1, %d1, %d" + std::to_string(10 + k) + ";\n";
  auto k = addressed(body + "ld.global.u32 %r1, [%d1];\nret;");
  EXPECT_LE(k.forms.terms(k.access(20).address).size(), AffineForms::kMaxTerms);
  EXPECT_EQ(k.access(20).alignment, 1);
}

TEST(Affine, DifferencesOfForms) {
  auto k = addressed(R"(
    ld.param.u64 %d1, [a];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.s64 %d3, %d1, %d2;
    ld.global.f32 %f1, [%d3+12];
    ld.global.f32 %f1, [%d3];
    ld.global.f32 %f1, [%d1];
    ret;)");
  int64_t distance = 0;
  EXPECT_TRUE(k.forms.constant_difference(k.access(0).address, k.access(1).address, distance));
  EXPECT_EQ(distance, 12);
  EXPECT_FALSE(k.forms.constant_difference(k.access(0).address, k.access(2).address, distance));
}

}  // namespace
}  // namespace pitot::analysis
