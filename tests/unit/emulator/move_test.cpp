// mov between registers and vectors of narrower ones.
#include "emulator_test_util.h"

namespace pitot::emulator::test {
namespace {

TEST(Move, AnUnwantedElementOfAnUnpackingMoveHasTheWidthOfTheOthers) {
  auto r = run_text(kernel_text("mov.b32 %r1, 0x12345678;\nmov.b32 {_, %h1}, %r1;\n"
                                "mov.b32 {%h2, _}, %r1;\nmov.b32 %r2, {%h1, %h2};\n"
                                "st.global.b32 [%rd0], %r2;"),
                    1, threads(1), {0});
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(r.out, (std::vector<uint32_t>{0x56781234}));
}

TEST(Move, ALiteralInAPackingMoveHasTheWidthOfTheOthers) {
  // How compilers make an f32 of a bf16.
  auto r = run_text(kernel_text("mov.b16 %h1, 0x4049;\nmov.b32 %r1, {0, %h1};\n"
                                "st.global.b32 [%rd0], %r1;\nmov.b32 %r2, {%h1, -1};\n"
                                "st.global.b32 [%rd0+4], %r2;\nmov.b32 %r3, {-1, %h1};\n"
                                "st.global.b32 [%rd0+8], %r3;"),
                    3, threads(1), {0});
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(r.out, (std::vector<uint32_t>{0x40490000, 0xffff4049, 0x4049ffff}));
}

// add.f32x2 on pairs of which only the lower element is meant.
TEST(Move, APairWithOneUndefinedElementIsNoUndefinedValue) {
  auto text = [](const std::string& pair) {
    std::string t = kernel_text("mov.f32 %f1, 0f3F800000;\nmov.b64 %rd1, " + pair +
                                ";\nadd.rn.f32x2 %rd2, %rd1, %rd1;\nmov.b64 {%f3, _}, %rd2;\n"
                                "st.global.f32 [%rd0], %f3;");
    return t.replace(0, t.find(".address_size"), ".version 8.6\n.target sm_100\n");
  };
  Options checked;
  checked.checks.uninitialised = true;
  auto r = run_text(text("{%f1, %f2}"), 1, threads(1), {0}, checked);
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(r.out[0], 0x40000000u);
  r = run_text(text("{%f4, %f2}"), 1, threads(1), {0}, checked);
  EXPECT_NE(r.faults().find("uninitialised"), std::string::npos);
}

}  // namespace
}  // namespace pitot::emulator::test
