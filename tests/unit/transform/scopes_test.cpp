// Names in inner scopes, and comments in the middle of what transforms edit.
#include "transform_helpers.h"

namespace pitot::transform::scopes_test {
namespace {

using testing::HasSubstr;
using testing::Not;

Assumptions consent() {
  Assumptions a;
  a.may_round_otherwise = true;
  return a;
}

// In two spellings: the register of the inner scope is wanted outside, or hides the one that is
// wanted inside.
TEST(Scopes, ALoadIsNotReusedWhereItsRegisterHasNoName) {
  EXPECT_FALSE(run(kernel("\t{\n\t.reg .f32 t;\n\tld.global.f32 t, [%rd1];\n\t}\n"
                          "\tld.global.f32 %f1, [%rd1];\n\tst.global.f32 [%rd2], %f1;\n"),
                   Action::kReuseLoads)
                   .step.applied());
  EXPECT_FALSE(run(kernel("\tld.global.f32 %f1, [%rd1];\n\t{\n\t.reg .f32 %f1;\n"
                          "\tmov.f32 %f1, 0f40000000;\n\tld.global.f32 %f2, [%rd1];\n\t}\n"
                          "\tst.global.f32 [%rd2], %f2;\n"),
                   Action::kReuseLoads)
                   .step.applied());
  // A numbered declaration hides as well, up to its count.
  const std::string numbered =
      "\tld.global.f32 %f3, [%rd1];\n\t{\n\t.reg .f32 %f<4>;\n\tld.global.f32 %q1, [%rd1];\n\t}\n"
      "\tst.global.f32 [%rd2], %q1;\n";
  EXPECT_FALSE(run(kernel("\t.reg .f32 %q1;\n" + numbered), Action::kReuseLoads).step.applied());
  const std::string beyond =
      "\tld.global.f32 %f4, [%rd1];\n\t{\n\t.reg .f32 %f<4>;\n\tld.global.f32 %q1, [%rd1];\n\t}\n"
      "\tst.global.f32 [%rd2], %q1;\n";
  EXPECT_TRUE(run(kernel("\t.reg .f32 %q1;\n" + beyond), Action::kReuseLoads).step.applied());
}

TEST(Scopes, AProductIsNotContractedWhereItsFactorsHaveNoName) {
  const Applied gone =
      run(kernel("\t{\n\t.reg .f32 q;\n\tadd.f32 q, %f1, %f2;\n\tmul.f32 %f3, q, %f2;\n\t}\n"
                 "\tadd.f32 %f4, %f3, %f2;\n\tst.global.f32 [%rd2], %f4;\n"),
          Action::kFmaContract, consent());
  EXPECT_FALSE(gone.step.applied());
  ASSERT_EQ(gone.step.declined.size(), 1u);
  EXPECT_EQ(gone.step.declined[0].reason, "a factor cannot be named where the sum is");
  EXPECT_FALSE(run(kernel("\tmul.f32 %f3, %f1, %f2;\n\t{\n\t.reg .f32 %f1;\n"
                          "\tmov.f32 %f1, 0f41000000;\n\tadd.f32 %f4, %f3, %f1;\n\t}\n"
                          "\tst.global.f32 [%rd2], %f4;\n"),
                   Action::kFmaContract, consent())
                   .step.applied());
  EXPECT_TRUE(run(kernel("\tmul.f32 %f3, %f1, %f2;\n\t{\n\tadd.f32 %f4, %f3, %f1;\n\t}\n"
                         "\tst.global.f32 [%rd2], %f4;\n"),
                  Action::kFmaContract, consent())
                  .step.applied());
}

TEST(Scopes, AnIndexIsNotNarrowedWhereItHasNoName) {
  const std::string use =
      "\tmul.lo.s64 %rd4, %rd3, 8;\n\tadd.s64 %rd4, %rd4, 8;\n\tshl.b64 %rd5, %rd4, 1;\n"
      "\tadd.s64 %rd6, %rd2, %rd5;\n\tst.global.u32 [%rd6], %r1;\n";
  const std::string index = "\tmov.u32 %r1, %tid.x;\n\tcvt.u64.u32 %rd3, %r1;\n";
  EXPECT_TRUE(run(kernel(index + "\t{\n" + use + "\t}\n"), Action::kNarrowAddress).step.applied());
  EXPECT_FALSE(run(kernel(index + "\t{\n\t.reg .b32 %r1;\n\tmov.b32 %r1, 77;\n" + use + "\t}\n"),
                   Action::kNarrowAddress)
                   .step.applied());
  EXPECT_FALSE(run(kernel("\tmov.u32 %r1, %tid.x;\n\t{\n\t.reg .b32 q;\n\tmov.b32 q, %r1;\n"
                          "\tcvt.u64.u32 %rd3, q;\n\t}\n" +
                          use),
                   Action::kNarrowAddress)
                   .step.applied());
}

// The bound of the loop is another register where the load stands.
TEST(Scopes, APrefetchIsNotGuardedByWhatHidesTheBound) {
  auto loop = [](const std::string& hiding) {
    return kernel("\tmov.u32 %r1, 0;\nL:\n\t{\n" + hiding +
                  "\tld.global.f32 %f1, [%rd1];\n\tadd.f32 %f2, %f2, %f1;\n\t}\n"
                  "\tadd.s64 %rd1, %rd1, 128;\n\tadd.s32 %r1, %r1, 1;\n"
                  "\tsetp.lt.s32 %p1, %r1, %r0;\n\t@%p1 bra L;\n\tst.global.f32 [%rd2], %f2;\n");
  };
  EXPECT_TRUE(run(loop(""), Action::kPrefetchL1).step.applied());
  EXPECT_FALSE(
      run(loop("\t.reg .b32 %r0;\n\tmov.b32 %r0, 3;\n"), Action::kPrefetchL1).step.applied());
  EXPECT_FALSE(run(loop("\t.reg .b32 %r<2>;\n"), Action::kPrefetchL1).step.applied());
}

// Declarations may stand among the statements.
TEST(Scopes, NothingMovesInFrontOfADeclaration) {
  const Applied a = run(kernel("\tld.global.u32 %r1, [%rd1];\n\t.reg .b32 late;\n"
                               "\tld.global.u32 late, [%rd1+4];\n\tst.global.u32 [%rd2], late;\n"),
                        Action::kVecLd);
  EXPECT_FALSE(a.step.applied());
  ASSERT_EQ(a.step.declined.size(), 1u);
  EXPECT_EQ(a.step.declined[0].reason, "late is declared in between");
  std::string between = "\tmov.u32 %r1, %tid.x;\n";
  for (int k = 0; k < 12; ++k) between += "\tadd.s32 %r1, %r1, 3;\n";
  const Applied early = run(kernel(between + "\t.reg .b64 %late<3>;\n" + between +
                                   "\tld.global.u32 %r2, [%late1];\n"
                                   "\tst.global.u32 [%rd2], %r2;\n"),
                            Action::kPrefetchL1);
  EXPECT_TRUE(early.step.applied());
  EXPECT_LT(early.text.find(".b64 %late"), early.text.find("prefetch.global.L1 [%late1]"));
}

// New registers have names that no declared range has.
TEST(Scopes, NewNamesKeepClearOfRanges) {
  for (const char* range : {"%pitot<9>", "%pitot1 <9>"}) {
    const Applied a = run(kernel("\t.reg .b32 " + std::string(range) +
                                 ";\n\tmov.u32 %r1, 0;\nL:\n\tld.global.f32 %f1, [%rd1];\n"
                                 "\tadd.f32 %f2, %f2, %f1;\n\tadd.s64 %rd1, %rd1, 128;\n"
                                 "\tadd.s32 %r1, %r1, 1;\n\tsetp.lt.s32 %p1, %r1, %r0;\n"
                                 "\t@%p1 bra L;\n\tst.global.f32 [%rd2], %f2;\n"),
                          Action::kPrefetchL1);
    EXPECT_TRUE(a.step.applied());
    EXPECT_THAT(a.text, HasSubstr(" %pitot_0;"));
  }
}

std::string two_shared(const std::string& declaration) {
  return kernel("\t" + declaration +
                "\n\tld.shared.u32 %r1, [S];\n\tld.shared.u32 %r2, [S+4];\n"
                "\tst.global.u32 [%rd2], %r1;\n\tst.global.u32 [%rd2+8], %r2;\n");
}

TEST(Scopes, AnAlignmentInACommentIsNotRaised) {
  EXPECT_THAT(
      run(two_shared(".shared /* .align 2 */ .align /* 1 */ 4 .b8 S[8];"), Action::kVecLd).text,
      HasSubstr(".shared /* .align 2 */ .align /* 1 */ 8 .b8 S[8];"));
  EXPECT_THAT(run(two_shared(".shared /* .local */ .u32 S[2];"), Action::kVecLd).text,
              HasSubstr(".shared .align 8 /* .local */ .u32 S[2];"));
}

TEST(Scopes, AColonInACommentIsNoLabelsColon) {
  const Applied a =
      run(kernel("\tmov.u32 %r1, 0;\nL /* a:b */ // c:\n:\n\tadd.s32 %r2, %r2, %r1;\n"
                 "dbg /* x : */ :\n\tadd.s32 %r1, %r1, 1;\n\tsetp.lt.s32 %p1, %r1, %r0;\n"
                 "\t@%p1 bra L;\n\tst.global.u32 [%rd2], %r2;\n"),
          Action::kUnroll2);
  EXPECT_TRUE(a.step.applied());
  EXPECT_EQ(ptx::parse("k.ptx", a.text).diagnostics.errors(), 0u) << a.text;
  EXPECT_THAT(a.text, Not(HasSubstr("b */\n\tadd")));
}

}  // namespace
}  // namespace pitot::transform::scopes_test
