// Integer instructions: classification of spellings, and results by the PTX ISA.
#include "analysis/int_ops.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace pitot::analysis {
namespace {

uint64_t value(const char* spelling, std::initializer_list<uint64_t> sources) {
  uint64_t out = 0;
  IntInstruction i = classify(ptx::decode(spelling));
  EXPECT_NE(i.op, IntOp::kOther) << spelling;
  EXPECT_TRUE(evaluate(i, std::span(sources.begin(), sources.size()), out)) << spelling;
  return out;
}

TEST(IntOps, ShiftsClampTheirAmount) {
  EXPECT_EQ(value("shl.b32", {1, 40}), 0u);
  EXPECT_EQ(value("shr.u32", {0x80000000, 32}), 0u);
  EXPECT_EQ(value("shr.s32", {0x80000000, 40}), 0xffffffffu);
  EXPECT_EQ(value("shr.s32", {0x80000000, 4}), 0xf8000000u);
}

TEST(IntOps, BitFields) {
  EXPECT_EQ(value("bfe.u32", {0xdeadbeef, 8, 8}), 0xbeu);
  EXPECT_EQ(value("bfe.s32", {0xdeadbeef, 8, 8}), 0xffffffbeu);
  EXPECT_EQ(value("bfe.u32", {0x80000000, 40, 4}), 0u);
  EXPECT_EQ(value("bfe.s32", {0x80000000, 40, 4}), 0xffffffffu);  // the sign of the whole word
  EXPECT_EQ(value("bfe.s32", {0x80000000, 3, 0}), 0u);
  EXPECT_EQ(value("bfi.b32", {0x5, 0xffffffff, 4, 4}), 0xffffff5fu);
}

TEST(IntOps, WideAndHighProducts) {
  EXPECT_EQ(value("mul.wide.s32", {0xffffffff, 2}), ~uint64_t{1});
  EXPECT_EQ(value("mul.wide.u32", {0xffffffff, 2}), 0x1fffffffeu);
  EXPECT_EQ(value("mul.hi.u32", {0x80000000, 6}), 3u);
  EXPECT_EQ(value("mul.hi.s64", {~uint64_t{0}, 5}), ~uint64_t{0});
  EXPECT_EQ(value("mul.hi.u64", {~uint64_t{0}, 5}), 4u);
  EXPECT_EQ(value("mad.wide.u16", {0xffff, 3, 1}), 0x2fffeu);
}

TEST(IntOps, FunnelAndPermute) {
  EXPECT_EQ(value("shf.l.wrap.b32", {0x11223344, 0xaabbccdd, 8}), 0xbbccdd11u);
  EXPECT_EQ(value("shf.r.wrap.b32", {0x11223344, 0xaabbccdd, 8}), 0xdd112233u);
  EXPECT_EQ(value("shf.l.clamp.b32", {0x11223344, 0xaabbccdd, 40}), 0x11223344u);
  EXPECT_EQ(value("prmt.b32", {0x33221100, 0x77665544, 0x5410}), 0x55441100u);
  EXPECT_EQ(value("prmt.b32", {0x00008000, 0, 0x9999}), 0xffffffffu);
  EXPECT_EQ(value("lop3.b32", {0xf0, 0xcc, 0xaa, 0x96}), 0xf0u ^ 0xccu ^ 0xaau);
}

TEST(IntOps, DivisionOfSignedValues) {
  EXPECT_EQ(value("div.s32", {static_cast<uint32_t>(-7), 2}), 0xfffffffdu);
  EXPECT_EQ(value("rem.s32", {static_cast<uint32_t>(-7), 2}), 0xffffffffu);
  EXPECT_EQ(value("div.s32", {0x80000000, 0xffffffff}), 0x80000000u);
  uint64_t out = 0;
  uint64_t zero[] = {1, 0};
  EXPECT_FALSE(evaluate(classify(ptx::decode("div.u32")), zero, out));
}

TEST(IntOps, ConversionsAndCompares) {
  EXPECT_EQ(value("cvt.s64.s32", {0x80000000}), 0xffffffff80000000u);
  EXPECT_EQ(value("cvt.u64.u32", {0x80000000}), 0x80000000u);
  EXPECT_EQ(value("cvt.u16.u32", {0x12345678}), 0x5678u);
  EXPECT_EQ(value("setp.lt.s32", {0xffffffff, 0}), 1u);
  EXPECT_EQ(value("setp.lo.u32", {0xffffffff, 0}), 0u);
  EXPECT_EQ(value("setp.ge.and.u32", {3, 3, 0}), 0u);
}

TEST(IntOps, OthersAreNotModelled) {
  for (const char* spelling : {"add.f32", "add.sat.s32", "cvt.rzi.s32.f32", "setp.lt.f32",
                               "cvt.sat.u8.s32", "min.relu.s32", "popc.b128"})
    EXPECT_EQ(classify(ptx::decode(spelling)).op, IntOp::kOther) << spelling;
}

}  // namespace
}  // namespace pitot::analysis
