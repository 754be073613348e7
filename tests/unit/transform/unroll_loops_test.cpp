// Unrolling: loops of every shape that is copied, tests that go, and what is declined.
#include "transform_text.h"

namespace pitot::transform::unroll_loops_test {
namespace {

std::string body_of(Action a, const std::string& body) {
  const Changed c = apply_to(a, body);
  EXPECT_EQ(c.reasons(), "") << body;
  return c.body;
}

void declined(const std::string& body, const std::string& reason) {
  const Changed c = apply_to(Action::kUnroll2, body);
  EXPECT_EQ(c.body, body);
  EXPECT_EQ(c.reasons(), reason + "\n") << body;
}

TEST(Unroll, TestsStayWhereTheCountIsNotKnown) {
  EXPECT_EQ(body_of(Action::kUnroll2,
                    "\tmov.u32 %r1, 0;\nL:\n\tadd.f32 %f1, %f1, %f2;  // sum\n"
                    "\tadd.s32 %r1, %r1, 1;\n\tsetp.lt.s32 %p1, %r1, %r9;\n\t@%p1 bra.uni L;\n"
                    "\tst.global.f32 [%rd1], %f1;\n\tret;\n"),
            "\tmov.u32 %r1, 0;\nL:\n\tadd.f32 %f1, %f1, %f2;  // sum\n"
            "\tadd.s32 %r1, %r1, 1;\n\tsetp.lt.s32 %p1, %r1, %r9;\n\t@!%p1 bra.uni $L_pitot_0;\n"
            "\tadd.f32 %f1, %f1, %f2;  // sum\n"
            "\tadd.s32 %r1, %r1, 1;\n\tsetp.lt.s32 %p1, %r1, %r9;\n\t@%p1 bra.uni L;\n$L_pitot_0:\n"
            "\tst.global.f32 [%rd1], %f1;\n\tret;\n");
}

TEST(Unroll, AnExitLabelThatIsThere) {
  EXPECT_EQ(
      body_of(Action::kUnroll2,
              "L:\n\tadd.s32 %r1, %r1, 1;\n\tsetp.eq.s32 %p1, %r1, %r9;\n\t@!%p1 bra L;\n"
              "DONE:\n\tret;\n"),
      "L:\n\tadd.s32 %r1, %r1, 1;\n\tsetp.eq.s32 %p1, %r1, %r9;\n\t@%p1 bra DONE;\n"
      "\tadd.s32 %r1, %r1, 1;\n\tsetp.eq.s32 %p1, %r1, %r9;\n\t@!%p1 bra L;\nDONE:\n\tret;\n");
}

TEST(Unroll, TestsGoWhereTheCountIsAMultiple) {
  const std::string loop =
      "\tadd.f32 %f1, %f1, %f2;\n\tadd.s32 %r1, %r1, 1;\n\tsetp.ne.s32 %p1, %r1, 12;\n";
  const std::string end = "\t@%p1 bra L;\n\tst.global.f32 [%rd1], %f1;\n\tret;\n";
  EXPECT_EQ(body_of(Action::kUnroll4, "\tmov.u32 %r1, 0;\nL:\n" + loop + end),
            "\tmov.u32 %r1, 0;\nL:\n" + loop + "\t\n" + loop + "\t\n" + loop + "\t\n" + loop + end);
  // 13 is none.
  const std::string odd = body_of(Action::kUnroll2, "\tmov.u32 %r1, -1;\nL:\n" + loop + end);
  EXPECT_NE(odd.find("@!%p1 bra"), std::string::npos);
}

TEST(Unroll, TestsAtTheTop) {
  const std::string head = "\tmov.u32 %r1, 0;\nL:\n";
  const std::string test = "\tsetp.ge.s32 %p1, %r1, 8;\n";
  const std::string rest = "\tadd.f32 %f1, %f1, %f2;\n\tadd.s32 %r1, %r1, 2;\n";
  const std::string end = "\tbra L;\nX:\n\tst.global.f32 [%rd1], %f1;\n\tret;\n";
  EXPECT_EQ(body_of(Action::kUnroll2, head + test + "\t@%p1 bra X;\n" + rest + end),
            head + test + "\t@%p1 bra X;\n" + rest + "\t\n" + test + "\t\n" + rest + end);
  const std::string five = "\tsetp.ge.s32 %p1, %r1, 9;\n";
  EXPECT_EQ(
      body_of(Action::kUnroll2, head + five + "\t@%p1 bra X;\n" + rest + end),
      head + five + "\t@%p1 bra X;\n" + rest + "\t\n" + five + "\t@%p1 bra X;\n" + rest + end);
}

TEST(Unroll, LabelsScopesAndDirectives) {
  const Changed c = apply_to(
      Action::kUnroll2,
      "L:\n\t.pragma \"nounroll\";\n\t@%p2 bra SKIP;\n\t{\n\t.reg .b32 t;\n\tmov.b32 t, %r2;\n"
      "IN:\n\tadd.s32 t, t, 1;\n\tadd.s32 %r3, %r3, t;\n\t}\n$L__tmp4:\nSKIP:\n"
      "\tadd.s32 %r1, %r1, 1;\n\tsetp.lt.s32 %p1, %r1, %r9;\n\t@%p1 bra L;\n\tret;\n");
  EXPECT_EQ(c.step.changes, 1u);
  EXPECT_NE(c.body.find("@%p2 bra $L_pitot_1;"), std::string::npos) << c.body;
  EXPECT_NE(c.body.find("\n$L_pitot_1:\n"), std::string::npos) << c.body;
  EXPECT_EQ(c.body.find("nounroll"), c.body.rfind("nounroll"));
  EXPECT_EQ(c.body.find("$L__tmp4"), c.body.rfind("$L__tmp4"));
  EXPECT_NE(c.body.find("IN:"), c.body.rfind("IN:"));
}

TEST(Unroll, OnlyInnermostLoops) {
  const Changed c = apply_to(Action::kUnroll2,
                             "O:\n\tmov.u32 %r1, 0;\nL:\n\tadd.s32 %r1, %r1, 1;\n"
                             "\tsetp.lt.s32 %p1, %r1, %r9;\n\t@%p1 bra L;\n\tadd.s32 %r2, %r2, 1;\n"
                             "\tsetp.lt.s32 %p1, %r2, %r9;\n\t@%p1 bra O;\n\tret;\n");
  EXPECT_EQ(c.step.changes, 1u);
  EXPECT_EQ(c.body.find("%r2, %r2, 1"), c.body.rfind("%r2, %r2, 1"));
}

TEST(Unroll, BarriersInUniformLoops) {
  const std::string loop =
      "\tld.param.u32 %r9, [n];\nL:\n\tbar.sync 0;\n\tadd.s32 %r1, %r1, 1;\n"
      "\tsetp.lt.s32 %p1, %r1, %r9;\n\t@%p1 bra L;\n\tret;\n";
  EXPECT_EQ(apply_to(Action::kUnroll2, "\tmov.u32 %r1, 0;\n" + loop).step.changes, 1u);
  declined("\tmov.u32 %r1, %tid.x;\n" + loop,
           "lanes may leave it at different trips, and it has operations of several lanes");
}

TEST(Unroll, Declines) {
  const std::string test = "\tadd.s32 %r1, %r1, 1;\n\tsetp.lt.s32 %p1, %r1, %r9;\n";
  declined("L:\n" + test + "\t@%p1 bra L;\n\tadd.s32 %r2, %r2, 1;\n\t@%p2 bra L;\n\tret;\n",
           "the loop has several branches back, or its text does not end with one");
  declined("\t@%p2 bra M;\nL:\n\tadd.s32 %r2, %r2, 1;\nM:\n" + test + "\t@%p1 bra L;\n\tret;\n",
           "the loop has several entries");
  declined("L:\n\t.reg .b32 mine;\n" + test + "\t@%p1 bra L;\n\tret;\n", "it declares registers");
  declined("L:\n\t.shared .b32 mine;\n" + test + "\t@%p1 bra L;\n\tret;\n", "it has declarations");
  declined(
      "L:\n\tld.volatile.global.u32 %r2, [%rd1];\n\tsetp.eq.u32 %p1, %r2, 0;\n"
      "\t@%p1 bra L;\n\tret;\n",
      "the loop waits for something");
  declined("L:\n" + test + "T: .branchtargets L, X;\n\tbrx.idx %r1, T;\nX:\n\tret;\n",
           "the loop does not end in a plain branch");
  declined(
      "\tbra L;\nB:\n\tadd.s32 %r2, %r2, 1;\n\tbra L;\nL:\n" + test + "\t@%p1 bra B;\n\tret;\n",
      "the loop's text does not begin with its header");
  declined("L:\n" + test + "\t@!%p1 bra X;\n\tbra M;\nX:\n\tret;\nM:\n\tbra L;\n",
           "other code stands between the blocks of the loop");
  std::string longer = "L:\n";
  for (int k = 0; k < 1100; ++k) longer += "\tadd.s32 %r2, %r2, 1;\n";
  declined(longer + test + "\t@%p1 bra L;\n\tret;\n", "the loop is long as it is");
}

}  // namespace
}  // namespace pitot::transform::unroll_loops_test
