// Uniformity through data, control and time.
#include "analysis/uniformity.h"

#include "address_helpers.h"

namespace pitot::analysis {
namespace {

TEST(Uniformity, Sources) {
  auto k = addressed(R"(
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    ld.param.u32 %r4, [n];
    mov.u32 %r5, %laneid;
    mov.u32 %r6, %clock;
    mov.u32 %r7, 3;
    add.u32 %r8, %r2, %r4;
    add.u32 %r9, %r3, %r4;
    mov.u32 %r10, %warpid;
    ret;)");
  EXPECT_EQ(k.level("%r1"), Scope::kVarying);
  EXPECT_EQ(k.level("%r2"), Scope::kCta);
  EXPECT_EQ(k.level("%r3"), Scope::kGrid);
  EXPECT_EQ(k.level("%r4"), Scope::kGrid);
  EXPECT_EQ(k.level("%r5"), Scope::kVarying);
  EXPECT_EQ(k.level("%r6"), Scope::kVarying);
  EXPECT_EQ(k.level("%r7"), Scope::kGrid);
  EXPECT_EQ(k.level("%r8"), Scope::kCta);
  EXPECT_EQ(k.level("%r9"), Scope::kGrid);
  EXPECT_EQ(k.level("%r10"), Scope::kWarp);
}

TEST(Uniformity, WarpNumberNeedsToKnowTheBlock) {
  const char* body = R"(
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 5;
    and.b32 %r3, %r1, 96;
    setp.lt.u32 %p1, %r1, 32;
    setp.lt.u32 %p2, %r1, 40;
    and.b32 %r4, %r1, 31;
    ret;)";
  auto known = addressed(body, ".reqntid 128");
  EXPECT_EQ(known.level("%r2"), Scope::kWarp);
  EXPECT_EQ(known.level("%r3"), Scope::kWarp);
  EXPECT_EQ(known.level("%p1"), Scope::kWarp);
  EXPECT_EQ(known.level("%p2"), Scope::kVarying);
  EXPECT_EQ(known.level("%r4"), Scope::kVarying);
  // In a block of 8×8 threads a warp has four rows.
  EXPECT_EQ(addressed(body, ".reqntid 8, 8").level("%r3"), Scope::kGrid);
  EXPECT_EQ(addressed(body).level("%r2"), Scope::kVarying);
  EXPECT_EQ(addressed(body, "", {{64, 1, 1}}).level("%r2"), Scope::kWarp);
  // At most 128 threads says nothing of how they are laid out.
  EXPECT_EQ(addressed(body, ".maxntid 128").level("%r2"), Scope::kVarying);
}

TEST(Uniformity, SecondDimensionOfFullRowsIsUniformInAWarp) {
  const char* body = "mov.u32 %r1, %tid.y;\nmov.u32 %r2, %tid.x;\nret;";
  EXPECT_EQ(addressed(body, ".reqntid 32, 4").level("%r1"), Scope::kWarp);
  EXPECT_EQ(addressed(body, ".reqntid 16, 4").level("%r1"), Scope::kVarying);
  EXPECT_EQ(addressed(body, ".reqntid 1, 1").level("%r2"), Scope::kGrid);
}

TEST(Uniformity, Memory) {
  auto k = addressed(R"(
    ld.param.u64 %d1, [a];
    mov.u32 %r9, %tid.x;
    mul.wide.u32 %d2, %r9, 4;
    add.u64 %d3, %d1, %d2;
    ld.global.u32 %r1, [%d1];
    ld.global.u32 %r2, [%d3];
    ld.global.nc.u32 %r3, [%d1];
    ld.const.u32 %r4, [constants];
    ld.u32 %r5, [%d1];
    atom.global.add.u32 %r6, [%d1], 1;
    ld.volatile.global.u32 %r7, [%d1];
    ld.shared.u32 %r8, [tile];
    ret;)");
  EXPECT_EQ(k.level("%r1"), Scope::kWarp);
  EXPECT_EQ(k.level("%r2"), Scope::kVarying);
  EXPECT_EQ(k.level("%r3"), Scope::kGrid);
  EXPECT_EQ(k.level("%r4"), Scope::kGrid);
  EXPECT_EQ(k.level("%r5"), Scope::kVarying);  // may point to local memory
  EXPECT_EQ(k.level("%r6"), Scope::kVarying);
  EXPECT_EQ(k.level("%r7"), Scope::kVarying);
  EXPECT_EQ(k.level("%r8"), Scope::kWarp);
}

TEST(Uniformity, WarpOperations) {
  auto k = addressed(R"(
    mov.u32 %r9, %tid.x;
    setp.gt.u32 %p1, %r9, 5;
    shfl.sync.idx.b32 %r1, %r9, 0, 31, -1;
    shfl.sync.idx.b32 %r2, %r9, 0, 6175, -1;
    shfl.sync.bfly.b32 %r3, %r9, 1, 31, -1;
    vote.sync.any.pred %p2, %p1, -1;
    vote.sync.ballot.b32 %r4, %p1, -1;
    vote.sync.ballot.b32 %r5, %p1, %r9;
    ret;)");
  EXPECT_EQ(k.level("%r1"), Scope::kWarp);
  EXPECT_EQ(k.level("%r2"), Scope::kVarying);  // segments of 8 lanes
  EXPECT_EQ(k.level("%r3"), Scope::kVarying);
  EXPECT_EQ(k.level("%p2"), Scope::kWarp);
  EXPECT_EQ(k.level("%r4"), Scope::kWarp);
  EXPECT_EQ(k.level("%r5"), Scope::kVarying);
}

TEST(Uniformity, ControlMakesJoinsDivergent) {
  const char* join = R"(
    @%p1 bra ELSE;
    mov.u32 %r2, 1;
    bra JOIN;
ELSE:
    mov.u32 %r2, 2;
JOIN:
    add.u32 %r3, %r2, 0;
    ret;)";
  auto divergent = addressed("mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 5;" + std::string(join));
  EXPECT_EQ(divergent.level("%r3"), Scope::kVarying);
  EXPECT_EQ(divergent.uniformity.context[divergent.block("ELSE")], Scope::kVarying);
  EXPECT_EQ(divergent.uniformity.context[divergent.block("JOIN")], Scope::kGrid);
  auto uniform = addressed("mov.u32 %r1, %ctaid.x;\nsetp.gt.u32 %p1, %r1, 5;" + std::string(join));
  EXPECT_EQ(uniform.level("%r3"), Scope::kCta);
  EXPECT_EQ(uniform.uniformity.context[uniform.block("ELSE")], Scope::kCta);
}

TEST(Uniformity, InnerJoinsOfOneSideStayUniform) {
  // The inner if is uniform; the divergent one around it does not decide its join.
  auto k = addressed(R"(
    mov.u32 %r1, %tid.x;
    setp.gt.u32 %p1, %r1, 5;
    ld.param.u32 %r2, [n];
    setp.eq.u32 %p2, %r2, 0;
    @%p1 bra END;
    @%p2 bra ELSE;
    mov.u32 %r3, 1;
    bra JOIN;
ELSE:
    mov.u32 %r3, 2;
JOIN:
    add.u32 %r4, %r3, 0;
END:
    ret;)");
  EXPECT_EQ(k.level("%r4"), Scope::kGrid);
}

TEST(Uniformity, GuardedWritesMeetTheOldValue) {
  auto k = addressed(R"(
    mov.u32 %r1, %tid.x;
    setp.gt.u32 %p1, %r1, 5;
    ld.param.u32 %r9, [n];
    setp.gt.u32 %p2, %r9, 5;
    mov.u32 %r2, 1;
    @%p1 mov.u32 %r2, 2;
    mov.u32 %r3, 1;
    @%p2 mov.u32 %r3, 2;
    add.u32 %r4, %r2, 0;
    add.u32 %r5, %r3, 0;
    ret;)");
  EXPECT_EQ(k.level("%r4"), Scope::kVarying);
  EXPECT_EQ(k.level("%r5"), Scope::kGrid);
}

TEST(Uniformity, LoopsWithUniformTripsStayUniform) {
  auto k = addressed(R"(
    ld.param.u32 %r9, [n];
    mov.u32 %r1, 0;
LOOP:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, %r9;
    @%p1 bra LOOP;
    add.u32 %r2, %r1, 0;
    ret;)");
  EXPECT_EQ(k.level("%r1"), Scope::kGrid);
  EXPECT_EQ(k.level("%r2"), Scope::kGrid);
}

TEST(Uniformity, ValuesThatLeaveADivergentLoopVary) {
  auto k = addressed(R"(
    mov.u32 %r9, %tid.x;
    mov.u32 %r1, 0;
LOOP:
    add.u32 %r1, %r1, 1;
    add.u32 %r3, %r1, 7;
    setp.lt.u32 %p1, %r1, %r9;
    @%p1 bra LOOP;
    add.u32 %r2, %r1, 0;
    ret;)");
  EXPECT_EQ(k.level("%r3"), Scope::kGrid);  // inside all lanes are at the same turn
  EXPECT_EQ(k.level("%r2"), Scope::kVarying);
}

TEST(Uniformity, NestedLoopsWithOneHeaderFallOutOfStep) {
  // Lanes that leave the inner loop wait for the others, which go through the header again.
  auto k = addressed(R"(
    mov.u32 %r9, %tid.x;
    mov.u32 %r1, 0;
    mov.u32 %r4, 0;
LOOP:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, %r9;
    @%p1 bra LOOP;
    add.u32 %r3, %r1, 7;
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p2, %r4, 7;
    @%p2 bra LOOP;
    ret;)");
  EXPECT_EQ(k.level("%r3"), Scope::kVarying);
}

TEST(Uniformity, DeviceFunctionsAssumeNothingOfTheirCaller) {
  ptx::Module m = ptx::parse("f.ptx",
                             ".version 8.0\n.target sm_80\n.address_size 64\n"
                             ".func (.param .u32 o) k(.param .u32 x)\n{\n.reg .b32 %r<4>;\n"
                             "ld.param.u32 %r1, [x];\nadd.u32 %r2, %r1, 1;\n"
                             "st.param.u32 [o], %r2;\nret;\n}\n");
  Addressed k(std::move(m), {});
  EXPECT_EQ(k.level("%r2"), Scope::kVarying);
}

TEST(Uniformity, AlignmentSurvivesLoopsAndMasks) {
  auto k = addressed(R"(
    ld.param.u64 %d1, [a];
    ld.param.u32 %r9, [n];
    mov.u32 %r1, 0;
LOOP:
    shl.b32 %r3, %r1, 5;
    xor.b32 %r4, %r3, 4096;
    add.u64 %d1, %d1, 64;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, %r9;
    @%p1 bra LOOP;
    add.u64 %d2, %d1, 8;
    ret;)");
  EXPECT_EQ(k.facts("%d1").bits.trailing_zeros(), 4u);
  EXPECT_EQ(k.facts("%r4").bits.trailing_zeros(), 5u);
  EXPECT_EQ(k.facts("%d2").bits.trailing_zeros(), 3u);
  EXPECT_EQ(k.facts("%d2").bits.one & 15, 8u);
}

}  // namespace
}  // namespace pitot::analysis
