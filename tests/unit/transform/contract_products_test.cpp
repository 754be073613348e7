// Contraction: what becomes fma, with consent, and what does not.
#include "transform_text.h"

namespace pitot::transform {
namespace {

Assumptions consent() {
  Assumptions a;
  a.may_round_otherwise = true;
  return a;
}

std::string body_of(const std::string& statements) {
  return apply_to(Action::kFmaContract, statements + "\tret;\n", consent()).body;
}

std::string why_not(const std::string& statements) {
  const Changed c = apply_to(Action::kFmaContract, statements + "\tret;\n", consent());
  EXPECT_FALSE(c.step.applied()) << c.body;
  EXPECT_EQ(c.body, statements + "\tret;\n");
  return c.reasons();
}

TEST(FmaContract, WantsConsent) {
  const std::string body =
      "\tmul.rn.f32 %f3, %f1, %f2;\n\tadd.rn.f32 %f5, %f3, %f4;\n\tst.global.f32 [%rd1], %f5;\n"
      "\tret;\n";
  const Changed c = apply_to(Action::kFmaContract, body);
  EXPECT_EQ(c.body, body);
  EXPECT_EQ(c.reasons(), "results would be rounded otherwise, and nobody consented to that\n");
}

TEST(FmaContract, EveryType) {
  EXPECT_EQ(body_of("\tmul.rn.f32 %f3, %f1, %f2;  // p\n\tadd.f32 %f5, %f4, %f3;\n"
                    "\tst.global.f32 [%rd1], %f5;\n"),
            "\t  // p\n\tfma.rn.f32 %f5, %f1, %f2, %f4;\n\tst.global.f32 [%rd1], %f5;\n\tret;\n");
  EXPECT_EQ(body_of("\tmul.ftz.f32 %f3, %f1, 0f40000000;\n\tadd.ftz.sat.f32 %f5, %f3, 0f3F800000;\n"
                    "\tst.global.f32 [%rd1], %f5;\n"),
            "\tfma.rn.ftz.sat.f32 %f5, %f1, 0f40000000, 0f3F800000;\n"
            "\tst.global.f32 [%rd1], %f5;\n\tret;\n");
  EXPECT_EQ(body_of("\tmul.f64 %d3, %d1, %d2;\n\t@%p1 add.rn.f64 %d4, %d3, %d5;\n"
                    "\tst.global.f64 [%rd1], %d4;\n"),
            "\t@%p1 fma.rn.f64 %d4, %d1, %d2, %d5;\n\tst.global.f64 [%rd1], %d4;\n\tret;\n");
  EXPECT_EQ(body_of("\tmul.f16x2 %r3, %r1, %r2;\n\tadd.f16x2 %r5, %r3, %r4;\n"
                    "\tst.global.b32 [%rd1], %r5;\n"),
            "\tfma.rn.f16x2 %r5, %r1, %r2, %r4;\n\tst.global.b32 [%rd1], %r5;\n\tret;\n");
  EXPECT_EQ(body_of("\tmul.bf16 %h3, %h1, %h2;\n\tadd.bf16 %h5, %h3, %h4;\n"
                    "\tst.global.b16 [%rd1], %h5;\n"),
            "\tfma.rn.bf16 %h5, %h1, %h2, %h4;\n\tst.global.b16 [%rd1], %h5;\n\tret;\n");
}

TEST(FmaContract, Differences) {
  EXPECT_EQ(body_of("\tmul.f32 %f3, %f1, %f2;\n\tsub.f32 %f5, %f3, %f4;\n"
                    "\tst.global.f32 [%rd1], %f5;\n"),
            "\n\t.reg .b32 %pitot0;\tneg.f32 %pitot0, %f4;\n\tfma.rn.f32 %f5, %f1, %f2, %pitot0;\n"
            "\tst.global.f32 [%rd1], %f5;\n\tret;\n");
  EXPECT_EQ(body_of("\tmul.f32 %f3, %f1, %f2;\n\tsub.f32 %f5, %f4, %f3;\n"
                    "\tst.global.f32 [%rd1], %f5;\n"),
            "\n\t.reg .b32 %pitot0;\tneg.f32 %pitot0, %f1;\n\tfma.rn.f32 %f5, %pitot0, %f2, %f4;\n"
            "\tst.global.f32 [%rd1], %f5;\n\tret;\n");
  EXPECT_EQ(why_not("\tmul.f32 %f3, %f1, %f2;\n\tsub.f32 %f5, %f3, 0f3F800000;\n"
                    "\tst.global.f32 [%rd1], %f5;\n"),
            "a constant's sign would have to change\n");
}

TEST(FmaContract, Declines) {
  const std::string end = "\tst.global.f32 [%rd1], %f5;\n";
  EXPECT_EQ(why_not("\tmul.sat.f32 %f3, %f1, %f2;\n\tadd.f32 %f5, %f3, %f4;\n" + end),
            "the product is clamped before it is added\n");
  EXPECT_EQ(why_not("\tmul.ftz.f32 %f3, %f1, %f2;\n\tadd.f32 %f5, %f3, %f4;\n" + end),
            "product and sum treat subnormal numbers differently\n");
  EXPECT_EQ(why_not("\tmul.f32 %f3, %f1, %f2;\n\tadd.f32 %f5, %f3, %f3;\n" + end),
            "the product is used elsewhere too\n");
  EXPECT_EQ(why_not("\tmul.f32 %f3, %f1, %f2;\n\tadd.f32 %f5, %f3, %f4;\n" + end +
                    "\tst.global.f32 [%rd1], %f3;\n"),
            "the product is used elsewhere too\n");
  EXPECT_EQ(why_not("\tmul.f32 %f3, %f1, %f2;\n\tmov.f32 %f1, %f9;\n\tadd.f32 %f5, %f3, %f4;\n" +
                    end + "\tst.global.f32 [%rd1], %f1;\n"),
            "a factor is gone by the time of the sum\n");
  EXPECT_EQ(why_not("\tmov.f32 %f3, %f9;\n\t@%p1 mul.f32 %f3, %f1, %f2;\n"
                    "\tadd.f32 %f5, %f3, %f4;\n" +
                    end),
            "the product is made under another guard\n");
  // Other roundings are no products of this kind.
  EXPECT_EQ(why_not("\tmul.rz.f32 %f3, %f1, %f2;\n\tadd.f32 %f5, %f3, %f4;\n" + end), "");
  EXPECT_EQ(why_not("\tmul.f32 %f3, %f1, %f2;\n\tadd.rp.f32 %f5, %f3, %f4;\n" + end), "");
}

TEST(FmaContract, TheOtherSideOfABranch) {
  // The product is carried on: read where both ways meet.
  EXPECT_EQ(why_not("\tmov.f32 %f3, %f9;\n\t@%p1 bra L;\n\tmul.f32 %f3, %f1, %f2;\n"
                    "L:\n\tadd.f32 %f5, %f3, %f4;\n\tst.global.f32 [%rd1], %f5;\n"),
            "");
}

}  // namespace
}  // namespace pitot::transform
