// The shadow of a run: exact values and error estimates beside what the kernel computes.
#include "emulator/shadow.h"

#include <cmath>

#include "emulator/small_float.h"
#include "emulator_test_util.h"

namespace pitot::emulator::test {
namespace {

struct Shadowed {
  Program program;
  std::unique_ptr<Shadow> shadow;
  std::vector<uint32_t> out;
  uint64_t base = 0;

  std::optional<ShadowValue> word(size_t i) const {
    return shadow->global(base + 4 * i, 4, out[i]);
  }
  float value(size_t i) const { return std::bit_cast<float>(out[i]); }
};

// Like run_text, with a shadow; `in` is what the words hold before.
Shadowed run_shadowed(const std::string& text, std::vector<uint32_t> in, Launch launch = {}) {
  Shadowed s;
  s.program = load_text(text);
  s.shadow = std::make_unique<Shadow>(s.program);
  GlobalMemory memory;
  EXPECT_TRUE(place_globals(s.program, memory).ok());
  Region& region = memory.allocate("out", in.size() * 4, 256, true);
  s.base = region.base();
  EXPECT_TRUE(memory.write(s.base, std::as_bytes(std::span(in))).ok());
  launch.parameters.resize(12);
  std::memcpy(launch.parameters.data(), &s.base, 8);
  Options options;
  options.follower = s.shadow.get();
  auto outcome = execute(s.program, *s.program.find_kernel(""), launch, memory, options);
  EXPECT_TRUE(outcome.ok());
  if (outcome)
    for (const Fault& f : outcome->faults) ADD_FAILURE() << f.message;
  s.out.resize(in.size());
  EXPECT_TRUE(memory.read(s.base, std::as_writable_bytes(std::span(s.out))).ok());
  return s;
}

uint32_t f32(double v) { return std::bit_cast<uint32_t>(static_cast<float>(v)); }

TEST(Shadow, ASumKeepsWhatRoundingLoses) {
  // 1 + 2⁻³⁰ twice, minus 1: in f32 nothing of it is left.
  auto s = run_shadowed(kernel_text("ld.global.f32 %f1, [%rd0];\nadd.f32 %f2, %f1, 0f30800000;\n"
                                    "add.f32 %f2, %f2, 0f30800000;\nst.global.f32 [%rd0+4], %f2;"),
                        {f32(1), 0}, threads(1));
  ASSERT_TRUE(s.word(1));
  EXPECT_EQ(s.value(1), 1.0f);
  EXPECT_EQ(s.word(1)->value, 1 + 0x1p-29);
  EXPECT_NEAR(s.word(1)->error(), std::sqrt(2.0) * 0x1p-24, 1e-12);
  EXPECT_EQ(s.word(1)->magnitude, 1 + 0x1p-29);
}

TEST(Shadow, OfTermsThatCancelTheMagnitudeStays) {
  auto s = run_shadowed(kernel_text("ld.global.f32 %f1, [%rd0];\nadd.f32 %f2, %f1, 0f3F8CCCCD;\n"
                                    "sub.f32 %f2, %f2, %f1;\nst.global.f32 [%rd0+4], %f2;"),
                        {f32(1000), 0}, threads(1));
  ASSERT_TRUE(s.word(1));
  EXPECT_NEAR(s.word(1)->value, 1.1, 1e-7);
  EXPECT_NEAR(s.word(1)->magnitude, 2001.1, 0.1);
  EXPECT_GT(s.word(1)->error(), 1e-4);
  EXPECT_LT(std::fabs(s.value(1) - s.word(1)->value), 3 * s.word(1)->error());
}

TEST(Shadow, FunctionsCarryTheErrorOfTheirArgument) {
  // exp2(x) of an x that is uncertain by e is uncertain by ln 2 · 2^x · e.
  auto s = run_shadowed(kernel_text("ld.global.f32 %f1, [%rd0];\nmul.f32 %f2, %f1, 0f3F8CCCCD;\n"
                                    "ex2.approx.f32 %f3, %f2;\nst.global.f32 [%rd0+4], %f3;\n"
                                    "rsqrt.approx.f32 %f4, %f3;\nst.global.f32 [%rd0+8], %f4;\n"
                                    "div.rn.f32 %f5, %f1, %f3;\nst.global.f32 [%rd0+12], %f5;"),
                        {f32(50), 0, 0, 0}, threads(1));
  const double x = 50.0 * static_cast<double>(1.1f), y = std::exp2(x);
  ASSERT_TRUE(s.word(1) && s.word(2) && s.word(3));
  EXPECT_NEAR(s.word(1)->value / y, 1, 1e-12);
  const double own = 4 * 0x1p-24 * y, from_x = std::log(2.0) * y * x * 0x1p-24;
  EXPECT_NEAR(s.word(1)->error() / std::hypot(own, from_x), 1, 1e-6);
  EXPECT_NEAR(s.word(2)->value * std::sqrt(y), 1, 1e-12);
  EXPECT_NEAR(s.word(3)->value / (50 / y), 1, 1e-12);
}

TEST(Shadow, IsBelievedOnlyWhileTheBitsAreThose) {
  // The register is written by an operation that no shadow follows bit for bit, then by a constant.
  auto s = run_shadowed(
      kernel_text("ld.global.f32 %f1, [%rd0];\nadd.f32 %f2, %f1, 0f30800000;\n"
                  "mov.b32 %r1, %f2;\nadd.u32 %r1, %r1, 0x00800000;\nst.global.b32 [%rd0+4], %r1;\n"
                  "mov.u32 %r1, 0x40400000;\nst.global.b32 [%rd0+8], %r1;"),
      {f32(1), 0, 0}, threads(1));
  // Twice the value, by its exponent: the relative error is kept.
  ASSERT_TRUE(s.word(1));
  EXPECT_EQ(s.word(1)->value, 2);
  EXPECT_NEAR(s.word(1)->error(), 2 * 0x1p-24, 1e-12);
  EXPECT_FALSE(s.word(2));
}

TEST(Shadow, RoundingToAnIntegerByAddingIsExact) {
  auto s = run_shadowed(kernel_text("ld.global.f32 %f1, [%rd0];\nadd.f32 %f2, %f1, 0f4B400000;\n"
                                    "sub.f32 %f3, %f2, 0f4B400000;\nst.global.f32 [%rd0+4], %f3;"),
                        {f32(2.7), 0}, threads(1));
  EXPECT_EQ(s.value(1), 3.0f);
  ASSERT_TRUE(s.word(1));
  EXPECT_EQ(s.word(1)->value, 3.0);
  EXPECT_EQ(s.word(1)->error(), 0.0);
}

TEST(Shadow, HalvesArePackedMovedAndUnpacked) {
  auto s = run_shadowed(
      kernel_text("ld.global.f32 %f1, [%rd0];\nadd.f32 %f2, %f1, 0f30800000;\n"
                  "cvt.rn.f16x2.f32 %r1, %f1, %f2;\nmov.b32 {%h1, %h2}, %r1;\n"
                  "cvt.f32.f16 %f3, %h1;\nst.global.f32 [%rd0+4], %f3;\nmov.b32 {_, %h3}, %r1;\n"
                  "cvt.f32.f16 %f4, %h3;\nst.global.f32 [%rd0+8], %f4;"),
      {f32(1), 0, 0}, threads(1));
  ASSERT_TRUE(s.word(1) && s.word(2));
  EXPECT_EQ(s.word(1)->value, 1 + 0x1p-30);
  EXPECT_EQ(s.word(2)->value, 1);
  EXPECT_NEAR(s.word(1)->error(), 0x1p-11, 1e-9);
}

TEST(Shadow, SharedMemoryShufflesAndSelectionPassItOn) {
  auto s = run_shadowed(
      kernel_text(
          "mov.u32 %r1, %tid.x;\nmad.wide.u32 %rd1, %r1, 4, %rd0;\nld.global.f32 %f1, [%rd1];\n"
          "add.f32 %f1, %f1, 0f30800000;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, tile;\n"
          "add.u32 %r3, %r3, %r2;\nst.shared.f32 [%r3], %f1;\nbar.sync 0;\n"
          "xor.b32 %r4, %r2, 124;\nmov.u32 %r5, tile;\nadd.u32 %r4, %r4, %r5;\n"
          "ld.shared.f32 %f2, [%r4];\nshfl.sync.bfly.b32 %f3, %f2, 31, 31, -1;\n"
          "setp.gt.u32 %p1, %r1, 3;\nselp.f32 %f4, %f3, %f2, %p1;\nst.global.f32 [%rd1], %f4;",
          ".shared .b32 tile[32];\n"),
      std::vector<uint32_t>(32, f32(1)), threads(32));
  for (size_t i = 0; i < 32; ++i) {
    ASSERT_TRUE(s.word(i)) << i;
    EXPECT_EQ(s.word(i)->value, 1 + 0x1p-30) << i;
  }
}

TEST(Shadow, AtomicSumsAreSums) {
  auto s =
      run_shadowed(kernel_text("red.global.add.f32 [%rd0], 0f30800000;"), {f32(1)}, threads(32, 2));
  EXPECT_EQ(s.value(0), 1.0f);
  ASSERT_TRUE(s.word(0));
  EXPECT_NEAR(s.word(0)->value, 1 + 64 * 0x1p-30, 1e-12);
}

TEST(Shadow, MatrixProducts) {
  // A and B of ones with a small excess of their f32 form lost in f16; C of 2⁻³⁰.
  auto s = run_shadowed(
      kernel_text("mov.u32 %r1, %tid.x;\nmad.wide.u32 %rd1, %r1, 16, %rd0;\n"
                  "mov.b32 %r2, 0x3C003C00;\nld.global.f32 %f0, [%rd1];\n"
                  "add.f32 %f1, %f0, 0f30800000;\n"
                  "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f4, %f5, %f6, %f7}, "
                  "{%r2, %r2, %r2, %r2}, {%r2, %r2}, {%f1, %f1, %f1, %f1};\n"
                  "st.global.f32 [%rd1], %f4;\nst.global.f32 [%rd1+4], %f5;\n"
                  "st.global.f32 [%rd1+8], %f6;\nst.global.f32 [%rd1+12], %f7;"),
      std::vector<uint32_t>(128, f32(1)), threads(32));
  EXPECT_EQ(s.shadow->not_followed(), "");
  for (size_t i = 0; i < 128; ++i) {
    ASSERT_TRUE(s.word(i)) << i;
    EXPECT_EQ(s.value(i), 17.0f);
    EXPECT_EQ(s.word(i)->value, 17 + 0x1p-30);
    EXPECT_EQ(s.word(i)->magnitude, 17 + 0x1p-30);
  }
}

TEST(Shadow, WhatIsNotFollowedIsNamed) {
  std::string text = kernel_text(
      "mov.b32 %r2, 0x38383838;\nmov.f32 %f1, 0f00000000;\n"
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f4, %f5, %f6, %f7}, "
      "{%r2, %r2, %r2, %r2}, {%r2, %r2}, {%f1, %f1, %f1, %f1};\nst.global.f32 [%rd0], %f4;");
  text.replace(0, text.find(".address_size"), ".version 8.4\n.target sm_89\n");
  auto s = run_shadowed(text, {0}, threads(32));
  EXPECT_EQ(s.shadow->not_followed(), "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32");
}

}  // namespace
}  // namespace pitot::emulator::test
