// Index arithmetic in 32 bits: where it is worth it and proved.
#include "transform_text.h"

namespace pitot::transform {
namespace {

std::string narrowed(const std::string& body) {
  const Changed c = apply_to(Action::kNarrowAddress, body + "\tret;\n");
  EXPECT_EQ(c.reasons(), "");
  EXPECT_FALSE(apply_to(Action::kNarrowAddress, c.body).step.applied()) << c.body;
  return c.body.substr(0, c.body.size() - 6);
}

void same(const std::string& body, const std::string& reasons = "") {
  const Changed c = apply_to(Action::kNarrowAddress, body + "\tret;\n");
  EXPECT_EQ(c.body, body + "\tret;\n");
  EXPECT_EQ(c.reasons(), reasons);
}

const std::string kUse = "\tadd.s64 %rd9, %rd1, %rd3;\n\tst.global.u32 [%rd9], %r1;\n";

TEST(NarrowAddress, ShiftOfAnIndex) {
  EXPECT_EQ(
      narrowed("\tmov.u32 %r1, %tid.x;\n\tcvt.u64.u32 %rd2, %r1;\n\tshl.b64 %rd3, %rd2, 2;\n" +
               kUse),
      "\n\t.reg .b32 %pitot0;\tmov.u32 %r1, %tid.x;\n\tshl.b32 %pitot0, %r1, 2; "
      "cvt.u64.u32 %rd3, %pitot0;\n" +
          kUse);
}

TEST(NarrowAddress, AChain) {
  EXPECT_EQ(narrowed("\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, %tid.y;\n\tcvt.u64.u32 %rd2, %r1;\n"
                     "\tmul.wide.u32 %rd4, %r2, 64;\n\tadd.s64 %rd5, %rd4, %rd2;\n"
                     "\tmul.lo.s64 %rd3, %rd5, 12;\n" +
                     kUse),
            "\n\t.reg .b32 %pitot0;\n\t.reg .b32 %pitot1;\n\t.reg .b32 %pitot2;"
            "\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, %tid.y;\n"
            "\tmul.lo.u32 %pitot0, %r2, 64;\n\tadd.s32 %pitot1, %pitot0, %r1;\n"
            "\tmul.lo.s32 %pitot2, %pitot1, 12; cvt.u64.u32 %rd3, %pitot2;\n" +
                kUse);
}

TEST(NarrowAddress, NegativeResults) {
  EXPECT_EQ(narrowed("\tmov.u32 %r1, %tid.x;\n\tcvt.s64.s32 %rd2, %r1;\n\tadd.s64 %rd4, %rd2, -5;\n"
                     "\tshl.b64 %rd3, %rd4, 3;\n" +
                     kUse),
            "\n\t.reg .b32 %pitot0;\n\t.reg .b32 %pitot1;\tmov.u32 %r1, %tid.x;\n"
            "\tadd.s32 %pitot0, %r1, -5;\n"
            "\tshl.b32 %pitot1, %pitot0, 3; cvt.s64.s32 %rd3, %pitot1;\n" +
                kUse);
}

TEST(NarrowAddress, NotProved) {
  const std::string reason = "that the result fits 32 bits is not proved\n";
  same("\tld.param.u32 %r1, [n];\n\tcvt.u64.u32 %rd2, %r1;\n\tshl.b64 %rd3, %rd2, 2;\n" + kUse,
       reason);
  same("\tmov.u32 %r1, %ctaid.x;\n\tcvt.u64.u32 %rd2, %r1;\n\tmul.lo.s64 %rd3, %rd2, 4;\n" + kUse,
       reason);
  // 2^32 exactly is one too many.
  same("\tand.b32 %r1, %r2, 1;\n\tcvt.u64.u32 %rd2, %r1;\n\tmul.lo.s64 %rd3, %rd2, 4294967296;\n" +
           kUse,
       reason);
  EXPECT_NE(narrowed("\tand.b32 %r1, %r2, 1;\n\tcvt.u64.u32 %rd2, %r1;\n"
                     "\tmul.lo.s64 %rd3, %rd2, 4294967295;\n" +
                     kUse)
                .find("mul.lo.s32 %pitot0, %r1, -1; cvt.u64.u32 %rd3"),
            std::string::npos);
}

TEST(NarrowAddress, WhatIsNotTouched) {
  // One instruction as it is.
  same("\tmov.u32 %r1, %tid.x;\n\tmul.wide.u32 %rd3, %r1, 4;\n" + kUse);
  // Carries, guards, and an index that is gone by then.
  same(
      "\tmov.u32 %r1, %tid.x;\n\tcvt.u64.u32 %rd2, %r1;\n\tadd.cc.u64 %rd3, %rd2, 4;\n"
      "\taddc.u64 %rd4, %rd5, 0;\n" +
      kUse);
  same(
      "\tmov.u32 %r1, %tid.x;\n\tcvt.u64.u32 %rd2, %r1;\n\tmov.u64 %rd3, 0;\n"
      "\t@%p1 shl.b64 %rd3, %rd2, 2;\n" +
      kUse);
  same(
      "\tmov.u32 %r1, %tid.x;\n\tcvt.u64.u32 %rd2, %r1;\n\tmov.u32 %r1, 7;\n"
      "\tshl.b64 %rd3, %rd2, 2;\n" +
      kUse);
  // Shifts by what is no constant, or by all of the half.
  same("\tmov.u32 %r1, %tid.x;\n\tcvt.u64.u32 %rd2, %r1;\n\tshl.b64 %rd3, %rd2, %r5;\n" + kUse);
  same("\tmov.u32 %r1, %tid.x;\n\tcvt.u64.u32 %rd2, %r1;\n\tshl.b64 %rd3, %rd2, 32;\n" + kUse);
}

TEST(NarrowAddress, AnExtensionThatOthersNeedStays) {
  const std::string out =
      narrowed("\tmov.u32 %r1, %tid.x;\n\tcvt.u64.u32 %rd2, %r1;\n\tmul.lo.s64 %rd3, %rd2, 12;\n" +
               kUse + "\tst.global.u64 [%rd1], %rd2;\n");
  EXPECT_NE(out.find("cvt.u64.u32 %rd2, %r1;"), std::string::npos) << out;
  EXPECT_NE(out.find("mul.lo.s32 %pitot0, %r1, 12; cvt.u64.u32 %rd3, %pitot0;"), std::string::npos)
      << out;
}

}  // namespace
}  // namespace pitot::transform
