// Each change class from small programs, and the cases the project was given.
#include "diff_helpers.h"

namespace pitot::gate::diff_classes_test {
namespace {

using test::class_of;
using test::data;
using test::diff_text;
using test::kernel;
using test::with;

const std::string kBody =
    "\tld.param.u64 %rd1, [p];\n"
    "\tmov.u32 %r1, %tid.x;\n"
    "\tmul.wide.u32 %rd2, %r1, 4;\n"
    "\tadd.s64 %rd3, %rd1, %rd2;\n"
    "\tld.global.f32 %f1, [%rd3];\n"
    "\tmul.f32 %f2, %f1, 0f3F000000;\n"
    "\tadd.f32 %f3, %f1, 0f40000000;\n"
    "\tfma.rn.f32 %f4, %f2, %f3, %f1;\n"
    "\tst.global.f32 [%rd3], %f4;\n";

TEST(DiffClass, SameTextIsIdentical) { EXPECT_CLASS(kIdentical, kernel(kBody), kernel(kBody)); }

TEST(DiffClass, CommentsBlanksDeclarationsAndDebugLinesAreRenaming) {
  std::string other = kernel("// a comment\n\n" + kBody);
  other = with(other, ".reg .b32 %r<32>;", ".reg .b32 %r<99>, %unused;");
  other = with(other, "\tmul.f32", "\t.loc 1 3 4\n$L_tmp:\n\tmul.f32   ");
  EXPECT_CLASS(kRenamed, kernel(kBody), other);
}

TEST(DiffClass, OtherNamesOfTheSameComponentAreRenaming) {
  EXPECT_CLASS(kRenamed, kernel(kBody), with(kernel(kBody), "%tid.x", "%tid.r"));
  EXPECT_EQ(class_of(kernel(kBody), with(kernel(kBody), "%tid.x", "%tid.g")),
            class_of(kernel(kBody), with(kernel(kBody), "%tid.x", "%tid.y")));
}

TEST(DiffClass, KernelRegistersLabelsAndSymbolsRenamed) {
  std::string a = kernel(
      "L:\n\tld.shared.f32 %f1, [tile+4];\n\tsetp.lt.f32 %p1, %f1, 0f00000000;\n\t@%p1 bra L;\n",
      ".shared .align 4 .b8 tile[64];\n");
  std::string b = kernel(
      "X:\n\tld.shared.f32 %f9, [smem+4];\n\tsetp.lt.f32 %p7, %f9, 0f00000000;\n\t@%p7 bra X;\n",
      ".shared .align 4 .b8 smem[64];\n", "", "other");
  DiffResult r = diff_text(a, b);
  EXPECT_EQ(r.cls, ChangeClass::kRenamed);
  EXPECT_EQ(r.kernels[0].matched_by, "structure");
}

TEST(DiffClass, MergingTwoRegistersIsNoRenaming) {
  std::string merged = with(kernel(kBody), "%f3, %f1, 0f40000000", "%f2, %f1, 0f40000000");
  merged = with(merged, "%f2, %f3, %f1", "%f2, %f2, %f1");
  EXPECT_CLASS(kStructural, kernel(kBody), merged);
}

TEST(DiffClass, RegisterWidthIsNotARenaming) {
  std::string a = kernel("\tmov.b32 %r1, %r2;\n\tst.u8 [%rd1], %r1;\n");
  std::string b = kernel("\tmov.b32 %r1, %r2;\n\tst.u8 [%rd1], %h1;\n");
  EXPECT_GT(class_of(a, b), ChangeClass::kReordered);
}

TEST(DiffClass, IndependentInstructionsSwapped) {
  std::string b =
      with(kernel(kBody), "\tmul.f32 %f2, %f1, 0f3F000000;\n\tadd.f32 %f3, %f1, 0f40000000;\n",
           "\tadd.f32 %f2, %f1, 0f40000000;\n\tmul.f32 %f3, %f1, 0f3F000000;\n");
  b = with(b, "%f2, %f3, %f1", "%f3, %f2, %f1");
  EXPECT_CLASS(kReordered, kernel(kBody), b);
}

TEST(DiffClass, SwappingDependentInstructionsIsStructural) {
  std::string a = kernel("\tadd.s32 %r1, %r2, 1;\n\tmul.lo.s32 %r3, %r1, %r2;\n");
  std::string b = kernel("\tmul.lo.s32 %r3, %r1, %r2;\n\tadd.s32 %r1, %r2, 1;\n");
  EXPECT_CLASS(kStructural, a, b);
}

TEST(DiffClass, WriteAfterReadAndWriteAfterWriteKeepTheirOrder) {
  EXPECT_CLASS(kStructural, kernel("\tmov.u32 %r2, %r1;\n\tadd.s32 %r1, %r3, 1;\n"),
               kernel("\tadd.s32 %r1, %r3, 1;\n\tmov.u32 %r2, %r1;\n"));
  EXPECT_CLASS(kStructural, kernel("\tmov.u32 %r1, 7;\n\t@%p1 add.s32 %r1, %r3, 1;\n"),
               kernel("\t@%p1 add.s32 %r1, %r3, 1;\n\tmov.u32 %r1, 7;\n"));
}

// Two instructions in the one order and the other, before code that tells %r1, %f1 and %r2 apart.
void expect_swap(const char* expected, const std::string& x, const std::string& y) {
  const std::string use =
      "\tadd.s32 %r1, %r1, 1;\n\tadd.f32 %f1, %f1, %f1;\n\tmul.lo.s32 %r2, %r2, 3;\n";
  std::string a = kernel("\t" + x + "\n\t" + y + "\n" + use),
              b = kernel("\t" + y + "\n\t" + x + "\n" + use);
  EXPECT_STREQ(expected, to_string(class_of(a, b))) << x << " | " << y;
}

TEST(DiffClass, LoadsMayPassLoadsButNotStoresThatMayAlias) {
  expect_swap("reordered", "ld.global.u32 %r1, [%rd1];", "ld.global.f32 %f1, [%rd2];");
  expect_swap("structural", "st.global.u32 [%rd1], %r1;", "ld.global.f32 %f1, [%rd2];");
  // One base, offsets apart: no overlap. Offsets that overlap by two bytes: kept in order.
  expect_swap("reordered", "st.global.u32 [%rd1], %r1;", "ld.global.f32 %f1, [%rd1+4];");
  expect_swap("structural", "st.global.u32 [%rd1], %r1;", "ld.global.f32 %f1, [%rd1+2];");
  expect_swap("structural", "st.global.u32 [%rd1+4], %r1;", "ld.global.v2.f32 {%f1, %f2}, [%rd1];");
  // Different spaces cannot alias, generic ones can.
  expect_swap("reordered", "st.shared.u32 [%r9], %r1;", "ld.global.f32 %f1, [%rd1];");
  expect_swap("structural", "st.shared.u32 [%r9], %r1;", "ld.f32 %f1, [%rd1];");
  expect_swap("reordered", "st.global.u32 [%rd1], %r1;", "ld.const.f32 %f1, [%rd2];");
}

TEST(DiffClass, BarriersFencesAndClocksAreNotPassed) {
  expect_swap("structural", "bar.sync 0;", "ld.shared.f32 %f1, [%r1];");
  expect_swap("structural", "bar.sync 0;", "st.shared.f32 [%r1], %f1;");
  expect_swap("constants", "bar.sync 0;", "bar.sync 1;");  // as a swap it would not be legal
  expect_swap("structural", "membar.gl;", "st.global.f32 [%rd1], %f1;");
  expect_swap("structural", "mov.u32 %r1, %clock;", "add.s32 %r2, %r3, %r4;");
  expect_swap("structural", "ld.volatile.global.u32 %r1, [%rd1];",
              "ld.volatile.global.u32 %r2, [%rd2];");
  expect_swap("structural", "ld.acquire.gpu.global.u32 %r1, [%rd1];", "ld.global.u32 %r2, [%rd2];");
  expect_swap("structural", "atom.global.add.u32 %r1, [%rd1], 1;",
              "atom.global.add.u32 %r2, [%rd2], 1;");
  expect_swap("structural", "shfl.sync.bfly.b32 %r1, %r5, 1, 31, -1;", "bar.sync 0;");
  // Arithmetic that touches no memory may pass a barrier; shuffles may pass each other.
  expect_swap("reordered", "bar.sync 0;", "add.s32 %r2, %r3, %r4;");
  expect_swap("reordered", "shfl.sync.bfly.b32 %r1, %r5, 1, 31, -1;",
              "shfl.sync.bfly.b32 %r2, %r6, 2, 31, -1;");
}

TEST(DiffClass, TheBaseMustHoldTheSameValueForOffsetsToSeparate) {
  // %rd1 is written twice: [%rd1] and [%rd1+4] around the second write may be one address.
  const std::string head = "\tld.param.u64 %rd1, [p];\n", store = "\tst.global.u32 [%rd1], %r1;\n",
                    step = "\tsub.s64 %rd9, %rd1, 4;\n\tmov.u64 %rd1, %rd9;\n",
                    load = "\tld.global.u32 %r2, [%rd1+4];\n",
                    end = "\tst.global.u32 [%rd1+64], %r2;\n";
  EXPECT_CLASS(kStructural, kernel(head + store + step + load + end),
               kernel(head + step + load + store + end));
  // Sums of constants on a base that is written once are followed: these are 4 bytes apart.
  const std::string other = "\tadd.s64 %rd2, %rd1, 8;\n";
  EXPECT_CLASS(
      kReordered,
      kernel(head + other + "\tst.global.u32 [%rd2], %r1;\n\tld.global.u32 %r2, [%rd1+4];\n" + end),
      kernel(head + other + "\tld.global.u32 %r2, [%rd1+4];\n\tst.global.u32 [%rd2], %r1;\n" +
             end));
  EXPECT_CLASS(
      kStructural,
      kernel(head + other + "\tst.global.u32 [%rd2], %r1;\n\tld.global.u32 %r2, [%rd1+8];\n" + end),
      kernel(head + other + "\tld.global.u32 %r2, [%rd1+8];\n\tst.global.u32 [%rd2], %r1;\n" +
             end));
}

TEST(DiffClass, CarryChainKeepsItsOrder) {
  std::string a = kernel(
      "\tadd.cc.u32 %r1, %r2, %r3;\n\taddc.u32 %r4, %r5, %r6;\n\tadd.cc.u32 %r7, %r8, %r9;\n");
  std::string b = kernel(
      "\tadd.cc.u32 %r1, %r2, %r3;\n\tadd.cc.u32 %r7, %r8, %r9;\n\taddc.u32 %r4, %r5, %r6;\n");
  EXPECT_CLASS(kStructural, a, b);
}

TEST(DiffClass, MovedBlocksWithTheSameFlow) {
  std::string a = kernel(
      "\tsetp.eq.s32 %p1, %r1, 0;\n\t@%p1 bra THEN;\n\tadd.s32 %r2, %r2, 1;\n\tbra END;\n"
      "THEN:\n\tadd.s32 %r2, %r2, 2;\nEND:\n\tst.global.u32 [%rd1], %r2;\n");
  std::string b = kernel(
      "\tsetp.eq.s32 %p1, %r1, 0;\n\t@!%p1 bra ELSE;\n\tadd.s32 %r2, %r2, 2;\n\tbra END;\n"
      "ELSE:\n\tadd.s32 %r2, %r2, 1;\nEND:\n\tst.global.u32 [%rd1], %r2;\n");
  DiffResult r = diff_text(a, b);
  EXPECT_EQ(r.cls, ChangeClass::kReordered);
  EXPECT_TRUE(r.kernels[0].blocks_moved);
  // The guard turned without moving the blocks is another program.
  r = diff_text(a, with(a, "@%p1 bra", "@!%p1 bra"));
  ASSERT_EQ(r.cls, ChangeClass::kModifiers);
  EXPECT_EQ(r.kernels[0].modifiers[0].what, "guard turned to its opposite");
}

TEST(DiffClass, ConstantsAreListedWithTheirValues) {
  DiffResult r = diff_text(kernel(kBody), with(kernel(kBody), "0f3F000000", "0fFF800000"));
  ASSERT_EQ(r.cls, ChangeClass::kConstants);
  ASSERT_EQ(r.kernels[0].constants.size(), 1u);
  const ConstantChange& c = r.kernels[0].constants[0];
  EXPECT_EQ(c.from, "0f3F000000");
  EXPECT_EQ(c.from_value, "0.5");
  EXPECT_EQ(c.to_value, "-inf");
  EXPECT_EQ(c.line_a, c.line_b);
  EXPECT_EQ(c.line_a, 17u);
  EXPECT_EQ(c.where, "mul.f32, operand 3");
}

TEST(DiffClass, OffsetsSizesAndInitialisersAreConstants) {
  DiffResult r = diff_text(kernel(kBody), with(kernel(kBody), "[%rd3], %f4", "[%rd3+8], %f4"));
  ASSERT_EQ(r.cls, ChangeClass::kConstants);
  EXPECT_EQ(r.kernels[0].constants[0].to_value, "8");
  std::string table =
      kernel("\tld.const.u32 %r1, [t+4];\n", ".const .align 4 .u32 t[3] = {1, 2, 3};\n");
  r = diff_text(table, with(table, "1, 2, 3", "1, 5, 3"));
  ASSERT_EQ(r.cls, ChangeClass::kConstants);
  EXPECT_EQ(r.kernels[0].constants[0].from, "2");
  EXPECT_EQ(r.kernels[0].constants[0].to, "5");
  std::string shared = kernel("\tld.shared.u32 %r1, [s];\n", ".shared .align 4 .b8 s[4096];\n");
  r = diff_text(shared, with(shared, "s[4096]", "s[8192]"));
  EXPECT_EQ(r.cls, ChangeClass::kConstants);
  EXPECT_EQ(r.kernels[0].declarations[0].from, "4096 bytes");
}

TEST(DiffClass, WritingsOfOneValueAreEqual) {
  EXPECT_CLASS(kRenamed, kernel("\tmov.b32 %r1, 0f3F800000;\n"),
               kernel("\tmov.b32 %r1, 0x3F800000;\n"));
  EXPECT_CLASS(kRenamed, kernel("\tadd.s32 %r1, %r2, -1;\n"),
               kernel("\tadd.s32 %r1, %r2, 4294967295;\n"));
  EXPECT_CLASS(kRenamed, kernel("\tadd.f32 %f1, %f2, 0f3F000000;\n"),
               kernel("\tadd.f32 %f1, %f2, 0.5;\n"));
  // A shift by 65536 is not a shift by 0, though their low 16 bits agree.
  EXPECT_CLASS(kConstants, kernel("\tshl.b16 %h1, %h2, 0;\n"),
               kernel("\tshl.b16 %h1, %h2, 65536;\n"));
}

TEST(DiffClass, ModifiersNameWhatChanged) {
  DiffResult r = diff_text(kernel(kBody), with(kernel(kBody), "fma.rn.f32", "fma.rz.f32"));
  ASSERT_EQ(r.cls, ChangeClass::kModifiers);
  EXPECT_EQ(r.kernels[0].modifiers[0].what, "rounding .rn → .rz");
  EXPECT_CLASS(kModifiers, kernel(kBody), with(kernel(kBody), "mul.f32", "mul.rn.f32"));
  EXPECT_CLASS(kModifiers, kernel("\tld.global.nc.f32 %f1, [%rd1];\n"),
               kernel("\tld.global.f32 %f1, [%rd1];\n"));
}

TEST(DiffClass, SignExtendingLoadsDiffer) {
  // A narrow load's type decides how the wide register is filled.
  EXPECT_CLASS(kModifiers, kernel("\tld.global.s16 %r1, [%rd1];\n"),
               kernel("\tld.global.u16 %r1, [%rd1];\n"));
  EXPECT_CLASS(kRenamed, kernel("\tld.global.u16 %r1, [%rd1];\n"),
               kernel("\tld.global.b16 %r1, [%rd1];\n"));
  EXPECT_CLASS(kRenamed, kernel("\tld.global.s32 %r1, [%rd1];\n"),
               kernel("\tld.global.f32 %r1, [%rd1];\n"));
}

TEST(DiffClass, SpellingsOfOneOperationAreEqual) {
  EXPECT_CLASS(kRenamed, kernel("\tsetp.gt.u32 %p1, %r1, %r2;\n"),
               kernel("\tsetp.hi.u32 %p1, %r1, %r2;\n"));
  EXPECT_CLASS(kModifiers, kernel("\tsetp.gt.u32 %p1, %r1, %r2;\n"),
               kernel("\tsetp.gt.s32 %p1, %r1, %r2;\n"));
  EXPECT_CLASS(kRenamed, kernel("\tadd.s32 %r1, %r1, %r2;\n"),
               kernel("\tadd.u32 %r1, %r1, %r2;\n"));
  EXPECT_CLASS(kModifiers, kernel("\tadd.sat.s32 %r1, %r1, %r2;\n"),
               kernel("\tadd.s32 %r1, %r1, %r2;\n"));
  EXPECT_CLASS(kRenamed, kernel("\tbar.sync 0;\n"), kernel("\tbarrier.sync.aligned 0;\n"));
  EXPECT_CLASS(kModifiers, kernel("\tbar.sync 0;\n"), kernel("\tbarrier.sync 0;\n"));
}

TEST(DiffClass, CommutativeSourcesMayChangePlaces) {
  std::string a = kernel(
      "\tadd.f32 %f1, %f2, 0f3F800000;\n\tmul.f32 %f3, %f4, 0f40000000;\n\tmul.f32 %f5, %f1, "
      "%f3;\n");
  std::string b = with(a, "%f5, %f1, %f3", "%f5, %f3, %f1");
  EXPECT_CLASS(kReordered, a, b);
  EXPECT_CLASS(kStructural, with(a, "mul.f32 %f5", "sub.f32 %f5"),
               with(b, "mul.f32 %f5", "sub.f32 %f5"));
}

TEST(DiffClass, AddedAndRemovedInstructionsHaveKindAndLines) {
  DiffResult r =
      diff_text(kernel(kBody), with(kernel(kBody), "\tmul.f32 %f2, %f1, 0f3F000000;\n", ""));
  ASSERT_EQ(r.cls, ChangeClass::kStructural);
  const KernelDiff& k = r.kernels[0];
  ASSERT_EQ(k.removed.size(), 1u);
  EXPECT_EQ(k.removed[0].opcode, "mul.f32");
  EXPECT_EQ(k.removed[0].lines, std::vector<uint32_t>{17});
  EXPECT_EQ(k.removed[0].values, std::vector<std::string>{"0.5"});
  EXPECT_TRUE(k.added.empty());
}

TEST(DiffClass, ReadingAnotherValueIsStructuralThoughNothingWasAdded) {
  DiffResult r = diff_text(kernel(kBody), with(kernel(kBody), "%f2, %f3, %f1", "%f2, %f3, %f3"));
  ASSERT_EQ(r.cls, ChangeClass::kStructural);
  EXPECT_TRUE(r.kernels[0].added.empty());
  EXPECT_EQ(r.kernels[0].rewired.size(), 1u);
}

TEST(DiffClass, LaunchBoundsAndSignatureAreNamed) {
  DiffResult r = diff_text(kernel(kBody, "", ".maxntid 128, 1, 1\n"),
                           kernel(kBody, "", ".maxntid 256, 1, 1\n"));
  ASSERT_EQ(r.cls, ChangeClass::kModifiers);
  EXPECT_EQ(r.kernels[0].declarations[0].what, "maxntid");
  EXPECT_EQ(r.kernels[0].declarations[0].to, "256, 1, 1");
  EXPECT_CLASS(kRenamed, kernel(kBody, "", ".maxntid 128, 1, 1\n"),
               kernel(kBody, "", ".maxntid 128\n"));
  r = diff_text(kernel(kBody),
                with(kernel(kBody), ".param .u32 n", ".param .u32 n, .param .u32 m"));
  ASSERT_EQ(r.cls, ChangeClass::kStructural);
  EXPECT_EQ(r.kernels[0].declarations[0].what, "parameter count");
  EXPECT_CLASS(kStructural, kernel(kBody), with(kernel(kBody), ".param .u32 n", ".param .u64 n"));
  EXPECT_CLASS(kModifiers, kernel(kBody),
               with(kernel(kBody), ".param .u64 p", ".param .u64 .ptr .global .align 16 p"));
}

TEST(DiffClass, CalledFunctionsCount) {
  std::string func =
      ".func (.reg .b32 %o) twice(.reg .b32 %i)\n{\n\tadd.s32 %o, %i, %i;\n\tret;\n}\n";
  std::string a = kernel("\tcall (%r1), twice, (%r2);\n\tst.global.u32 [%rd1], %r1;\n", func);
  DiffResult r = diff_text(a, with(a, "add.s32 %o, %i, %i", "add.s32 %o, %i, 3"));
  EXPECT_EQ(r.cls, ChangeClass::kStructural);
  EXPECT_EQ(r.kernels.size(), 1u);
  EXPECT_CLASS(kModifiers, a, with(a, "add.s32", "add.sat.s32"));
  std::string renamed = with(with(a, "twice(", "zweimal("), "twice,", "zweimal,");
  EXPECT_CLASS(kRenamed, a, renamed);
}

TEST(DiffClass, ExternFunctionsAreTheirNames) {
  std::string proto = ".extern .func vprintf(.param .b64 a, .param .b64 b);\n";
  std::string a = kernel(
      "\t{ .param .b64 x; .param .b64 y;\n\tst.param.b64 [x], %rd1;\n\tst.param.b64 [y], "
      "%rd2;\n\tcall vprintf, (x, y);\n\t}\n",
      proto);
  std::string b = with(with(a, "vprintf(", "vfree("), "vprintf,", "vfree,");
  EXPECT_CLASS(kStructural, a, b);
}

TEST(DiffClass, AddedAndRemovedKernels) {
  std::string two = kernel(kBody) + ".visible .entry extra()\n{\n\tret;\n}\n";
  DiffResult r = diff_text(kernel(kBody), two);
  EXPECT_EQ(r.cls, ChangeClass::kStructural);
  ASSERT_EQ(r.kernels.size(), 2u);
  EXPECT_EQ(r.kernels[1].cls, ChangeClass::kAdded);
  r = diff_text(two, kernel(kBody));
  EXPECT_EQ(r.kernels[1].cls, ChangeClass::kRemoved);
}

TEST(DiffClass, UnknownInstructionsOrderEverything) {
  EXPECT_CLASS(kStructural, kernel("\tfrobnicate.b32 %r1;\n\tadd.s32 %r2, %r3, %r4;\n"),
               kernel("\tadd.s32 %r2, %r3, %r4;\n\tfrobnicate.b32 %r1;\n"));
  EXPECT_CLASS(kIdentical, kernel("\tfrobnicate.b32 %r1;\n"), kernel("\tfrobnicate.b32 %r1;\n"));
}

TEST(DiffCase, OrderedAgainstUnorderedComparison) {
  DiffResult r =
      diff_text(data("cases/27a-setp-ne-ordered.ptx"), data("cases/27b-setp-neu-unordered.ptx"));
  ASSERT_EQ(r.cls, ChangeClass::kModifiers);
  ASSERT_EQ(r.kernels[0].modifiers.size(), 1u);
  EXPECT_NE(r.kernels[0].modifiers[0].witness.find("NaN"), std::string::npos);
  EXPECT_NE(r.kernels[0].modifiers[0].witness.find("0 before, 1 after"), std::string::npos);
}

TEST(DiffCase, RegisterClasses) {
  DiffResult r = diff_text(data("cases/38a-f32-class-registers.ptx"),
                           data("cases/38b-b32-class-registers.ptx"));
  ASSERT_EQ(r.cls, ChangeClass::kRenamed);
  ASSERT_FALSE(r.kernels[0].notes.empty());
  EXPECT_NE(r.kernels[0].notes[0].find("another class"), std::string::npos);
  EXPECT_NE(r.kernels[0].notes[0].find("measure again"), std::string::npos);
}

TEST(DiffCase, OnlyTheVersionDiffers) {
  DiffResult r =
      diff_text(data("cases/43a-version-only-7_2.ptx"), data("cases/43b-version-only-7_3.ptx"));
  EXPECT_EQ(r.cls, ChangeClass::kIdentical);
  ASSERT_EQ(r.header.size(), 1u);
  EXPECT_EQ(r.header[0].what, "version");
  EXPECT_EQ(r.header[0].from, "7.2");
  EXPECT_NE(r.verdict.find("exonerated"), std::string::npos);
}

TEST(DiffCase, SignednessOfAComparison) {
  DiffResult r =
      diff_text(data("cases/48a-compare-signed.ptx"), data("cases/48b-compare-unsigned.ptx"));
  ASSERT_EQ(r.cls, ChangeClass::kModifiers);
  EXPECT_EQ(r.kernels[0].modifiers[0].what, "type .s16 → .u16");
  EXPECT_EQ(r.kernels[0].modifiers[0].witness, "a = 40000, b = 5: 0 before, 1 after");
}

TEST(DiffCase, LaunchBounds) {
  DiffResult r = diff_text(data("cases/37a-no-launch-bound.ptx"), data("cases/37d-maxnreg-40.ptx"));
  EXPECT_EQ(r.cls, ChangeClass::kModifiers);
  EXPECT_EQ(r.kernels[0].declarations[0].what, "maxnreg");
  EXPECT_EQ(r.kernels[0].declarations[0].from, "(none)");
}

TEST(DiffCase, Vectorisation) {
  DiffResult r =
      diff_text(data("cases/50b-vectorised.ptx"), data("cases/50a-scalar-strided-loads.ptx"));
  EXPECT_EQ(r.cls, ChangeClass::kStructural);
  EXPECT_EQ(r.kernels[0].added.size(), 2u);
}

TEST(DiffCase, CarryChainOfTheCaseKeepsItsClass) {
  std::string a = data("cases/26-carry-chain-reorder.ptx");
  EXPECT_CLASS(kIdentical, a, a);
}

// The order of a SIMD video operand's elements is part of what the kernel computes.
TEST(DiffClasses, ElementsOfVideoOperandsCount) {
  auto kernel = [](const std::string& selector) {
    return ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p) {\n.reg .b32 "
           "%r<5>;\n.reg .b64 %a;\nld.param.u64 %a, [p];\nld.global.u32 %r1, [%a];\n"
           "vadd4.u32.u32.u32 %r2, %r1" +
           selector + ", %r1, %r1;\nst.global.u32 [%a], %r2;\nret;\n}\n";
  };
  EXPECT_EQ(class_of(kernel(".b3210"), kernel(".b3210")), ChangeClass::kIdentical);
  for (const char* other : {".b0123", ".b7654", ""}) {
    const ChangeClass c = class_of(kernel(".b3210"), kernel(other));
    EXPECT_TRUE(c == ChangeClass::kModifiers || c == ChangeClass::kStructural)
        << other << " " << to_string(c);
  }
}

}  // namespace
}  // namespace pitot::gate::diff_classes_test
