// Video instructions, packed integers and their neighbours: values worked out by hand from the PTX
// ISA's pseudocode. Random programs against the reference interpreter do the rest.
#include "emulator_test_util.h"

namespace pitot::emulator::test {
namespace {

// %r1 = a, %r2 = b, %r3 = c; what the instruction leaves in %r4.
uint32_t result(const std::string& instruction, uint32_t a, uint32_t b, uint32_t c = 0) {
  std::string text =
      kernel_text("mov.u32 %r1, " + std::to_string(a) + ";\nmov.u32 %r2, " + std::to_string(b) +
                  ";\nmov.u32 %r3, " + std::to_string(c) + ";\nmov.u32 %r4, 0;\n" + instruction +
                  ";\nst.global.u32 [%rd0], %r4;");
  text.replace(0, text.find(".address_size"), ".version 9.2\n.target sm_120a\n");
  auto r = run_text(text, 1, threads(1), {0});
  EXPECT_EQ(r.faults(), "") << instruction;
  return r.out[0];
}

TEST(Video, ScalarsTakeAndReplaceParts) {
  EXPECT_EQ(result("vadd.s32.s32.s32 %r4, %r1.b3, %r2.h0", 0x80000000, 0xffff), 0xffffff7fu);
  EXPECT_EQ(result("vadd.s32.u32.u32 %r4, %r1.b3, %r2.h0", 0x80000000, 0xffff), 0x1007fu);
  EXPECT_EQ(result("vsub.u32.u32.u32.sat %r4, %r1, %r2", 1, 2), 0u);
  EXPECT_EQ(result("vadd.u32.u32.u32.sat %r4, %r1, %r2", 0xfffffffe, 2), 0xffffffffu);
  EXPECT_EQ(result("vadd.s32.s32.s32.sat %r4.b1, %r1, %r2, %r3", 100, 100, 0x11223344),
            0x11227f44u);
  EXPECT_EQ(result("vabsdiff.u32.u32.u32.add %r4, %r1, %r2, %r3", 3, 10, 100), 107u);
  EXPECT_EQ(result("vmin.s32.s32.s32.max %r4, %r1, %r2, %r3", 5, 0xfffffffb, 0xfffffffd),
            0xfffffffdu);
  EXPECT_EQ(result("vshl.u32.u32.u32.clamp %r4, %r1, %r2", 1, 40), 0u);
  EXPECT_EQ(result("vshl.u32.u32.u32.wrap %r4, %r1, %r2", 1, 40), 256u);
  EXPECT_EQ(result("vshr.s32.s32.u32.clamp %r4, %r1, %r2", 0x80000000, 40), 0xffffffffu);
  EXPECT_EQ(result("vset.s32.u32.lt %r4, %r1, %r2", 0xffffffff, 0), 1u);
  EXPECT_EQ(result("vset.u32.u32.lt %r4.h1, %r1, %r2, %r3", 1, 2, 0xaaaabbbb), 0x0001bbbbu);
}

TEST(Video, MultiplyAddNegatesAndScales) {
  EXPECT_EQ(result("vmad.u32.u32.u32 %r4, %r1, %r2, %r3", 7, 9, 5), 68u);
  EXPECT_EQ(result("vmad.s32.u32.u32 %r4, -%r1, %r2, %r3", 7, 9, 5), static_cast<uint32_t>(-58));
  EXPECT_EQ(result("vmad.s32.u32.u32 %r4, %r1, %r2, -%r3", 7, 9, 5), 58u);
  EXPECT_EQ(result("vmad.u32.u32.u32.po %r4, %r1, %r2, %r3", 7, 9, 5), 69u);
  EXPECT_EQ(result("vmad.u32.u32.u32.shr7 %r4, %r1, %r2, %r3", 1 << 10, 1, 128), 9u);
  EXPECT_EQ(result("vmad.s32.s32.s32.sat %r4, %r1, %r2, %r3", 0x7fffffff, 2, 0), 0x7fffffffu);
  EXPECT_EQ(result("vmad.u32.u32.u32.sat.shr15 %r4, %r1, %r2, %r3", 0xffffffff, 0xffffffff, 0),
            0xffffffffu);
}

TEST(Video, SimdElementsStayApart) {
  EXPECT_EQ(result("vadd2.u32.u32.u32 %r4, %r1, %r2, %r3", 0x0001ffff, 0x00010001), 0x00020000u);
  EXPECT_EQ(result("vadd2.u32.u32.u32.sat %r4, %r1, %r2, %r3", 0x0001ffff, 0x00010001),
            0x0002ffffu);
  EXPECT_EQ(result("vadd2.u32.u32.u32.add %r4, %r1, %r2, %r3", 0x0001ffff, 0x00010001, 1),
            0x10003u);
  EXPECT_EQ(result("vsub4.s32.s32.s32.sat %r4, %r1, %r2, %r3", 0x80808001, 0x01000102),
            0x808080ffu);
  EXPECT_EQ(result("vavrg4.u32.u32.u32 %r4, %r1, %r2, %r3", 0x01020304, 0x02020203), 0x02020304u);
  EXPECT_EQ(result("vavrg2.s32.s32.s32 %r4, %r1, %r2, %r3", 0xffff0001, 0xfffe0002), 0xfffe0002u);
  EXPECT_EQ(result("vset4.u32.u32.ge %r4, %r1, %r2, %r3", 0x01020304, 0x02020203), 0x00010101u);
  EXPECT_EQ(result("vset4.u32.u32.ge.add %r4, %r1, %r2, %r3", 0x01020304, 0x02020203, 10), 13u);
  EXPECT_EQ(result("vmax4.s32.s32.s32 %r4.b2, %r1, %r2, %r3", 0x00ff0000, 0x00010000, 0xaabbccdd),
            0xaa01ccddu);
}

TEST(PackedIntegers, SaturateAndRectifyEachElement) {
  EXPECT_EQ(result("add.sat.u16x2 %r4, %r1, %r2", 0xffff0001, 0x00010001), 0xffff0002u);
  EXPECT_EQ(result("add.sat.s16x2 %r4, %r1, %r2", 0x80007fff, 0xffff0001), 0x80007fffu);
  EXPECT_EQ(result("add.sat.u32 %r4, %r1, %r2", 0xffffffff, 2), 0xffffffffu);
  EXPECT_EQ(result("sub.sat.u8x4 %r4, %r1, %r2", 0x01020304, 0x02020202), 0x00000102u);
  EXPECT_EQ(result("neg.s8x4 %r4, %r1", 0x80017fff, 0), 0x80ff8101u);
  EXPECT_EQ(result("min.relu.s16x2 %r4, %r1, %r2", 0x0005fff0, 0x00070003), 0x00050000u);
  EXPECT_EQ(result("max.s8x4 %r4, %r1, %r2", 0x80017fff, 0x00000000), 0x00017f00u);
}

TEST(PackedIntegers, ConversionPacksBehindTheThirdOperand) {
  EXPECT_EQ(result("cvt.pack.sat.s16.s32 %r4, %r1, %r2", 70000, 0xffff0000), 0x7fff8000u);
  EXPECT_EQ(result("cvt.pack.sat.u8.s32.b32 %r4, %r1, %r2, %r3", 300, 0xffffffff, 0x1234),
            0x1234ff00u);
  EXPECT_EQ(result("cvt.pack.sat.s4.s32.b32 %r4, %r1, %r2, %r3", 9, 0xfffffff0, 0xab), 0xab78u);
}

TEST(PackedIntegers, Lop3CombinesWithAPredicate) {
  const std::string set = "setp.eq.u32 %p2, %r3, 1;\n", get = ";\nselp.u32 %r4, 1, 0, %p1";
  EXPECT_EQ(result(set + "lop3.or.b32 %r4|%p1, %r1, %r2, %r3, 0x80, %p2" + get, 3, 4, 1), 1u);
  EXPECT_EQ(result(set + "lop3.and.b32 _|%p1, %r1, %r2, %r3, 0xfe, %p2" + get, 3, 4, 0), 0u);
  EXPECT_EQ(result(set + "lop3.and.b32 _|%p1, %r1, %r2, %r3, 0xfe, !%p2" + get, 3, 4, 0), 1u);
}

}  // namespace
}  // namespace pitot::emulator::test
