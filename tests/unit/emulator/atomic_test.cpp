// atom and red: every operation and type, spaces, vectors, and what they must not be used on.
#include <fmt/format.h>

#include <cmath>

#include "emulator_test_util.h"

namespace pitot::emulator::test {
namespace {

Ran run_on(const std::string& body, uint32_t lanes = 1, const std::string& registers = {},
           Options o = {}) {
  std::string text = kernel_text(body, registers);
  text.replace(text.find("sm_80"), 5, "sm_90");
  text.replace(text.find("8.0"), 3, "8.4");
  return run_text(text, 64, threads(lanes), {0}, o);
}

// Old and new value of one operation on a 32-bit word that holds `start`.
std::pair<uint32_t, uint32_t> word(const std::string& op, uint32_t start, uint32_t b,
                                   const std::string& c = "") {
  auto r =
      run_on(fmt::format("st.global.u32 [%rd0], {};\nmov.b32 %r2, {};\n"
                         "atom.global.{} %r3, [%rd0], %r2{};\nst.global.u32 [%rd0+4], %r3;\n",
                         start, b, op, c));
  EXPECT_EQ(r.faults(), "") << op;
  return {r.out[1], r.out[0]};
}

using Pair = std::pair<uint32_t, uint32_t>;

TEST(Atomic, Words) {
  EXPECT_EQ(word("add.u32", 0xffffffff, 3), Pair(0xffffffff, 2));
  EXPECT_EQ(word("add.s32", 5, 0xfffffff9), Pair(5, 0xfffffffe));
  EXPECT_EQ(word("min.u32", 5, 0xfffffff9), Pair(5, 5));
  EXPECT_EQ(word("min.s32", 5, 0xfffffff9), Pair(5, 0xfffffff9));
  EXPECT_EQ(word("max.u32", 5, 0xfffffff9), Pair(5, 0xfffffff9));
  EXPECT_EQ(word("max.s32", 5, 0xfffffff9), Pair(5, 5));
  EXPECT_EQ(word("and.b32", 0xff00ff00, 0x0ff00ff0), Pair(0xff00ff00, 0x0f000f00));
  EXPECT_EQ(word("or.b32", 0xff00ff00, 0x0ff00ff0), Pair(0xff00ff00, 0xfff0fff0));
  EXPECT_EQ(word("xor.b32", 0xff00ff00, 0x0ff00ff0), Pair(0xff00ff00, 0xf0f0f0f0));
  EXPECT_EQ(word("exch.b32", 7, 9), Pair(7, 9));
  EXPECT_EQ(word("cas.b32", 7, 7, ", 42"), Pair(7, 42));
  EXPECT_EQ(word("cas.b32", 7, 8, ", 42"), Pair(7, 7));
  EXPECT_EQ(word("inc.u32", 4, 5), Pair(4, 5));
  EXPECT_EQ(word("inc.u32", 5, 5), Pair(5, 0));
  EXPECT_EQ(word("inc.u32", 9, 5), Pair(9, 0));
  EXPECT_EQ(word("dec.u32", 4, 5), Pair(4, 3));
  EXPECT_EQ(word("dec.u32", 0, 5), Pair(0, 5));
  EXPECT_EQ(word("dec.u32", 6, 5), Pair(6, 5));
}

TEST(Atomic, FloatsFlushInGlobalMemoryOnly) {
  auto add = [](const char* space, uint32_t a, uint32_t b) {
    auto r = run_on(
        fmt::format("mov.u64 %rd3, {};\nst.{}.u32 [%rd3], {};\nmov.b32 %f1, {};\n"
                    "atom.{}.add.f32 %f2, [%rd3], %f1;\nld.{}.u32 %r3, [%rd3];\n"
                    "st.global.u32 [%rd0+8], %r3;\nst.global.f32 [%rd0+12], %f2;\n",
                    std::string(space) == "shared" ? "s" : "%rd0", space, a, b, space, space),
        1, ".shared .align 8 .b8 s[64];\n");
    EXPECT_EQ(r.faults(), "");
    EXPECT_EQ(r.out[3], a);
    return r.out[2];
  };
  auto bits = [](float f) { return std::bit_cast<uint32_t>(f); };
  EXPECT_EQ(add("global", bits(1.5f), bits(2.25f)), bits(3.75f));
  // A half ulp goes to even, a little more goes up.
  EXPECT_EQ(add("global", bits(1.f), bits(0x1p-24f)), bits(1.f));
  EXPECT_EQ(add("global", bits(1.f), bits(0x1.000002p-24f)), bits(0x1.000002p0f));
  EXPECT_EQ(add("shared", 3, 4), 7u);  // subnormal
  EXPECT_EQ(add("global", 3, 4), 0u);  // flushed
  EXPECT_EQ(add("global", 0x80000003, 0x80000004), 0x80000000u);
  EXPECT_EQ(add("global", bits(0x1.8p-126f), bits(-0x1p-126f)), 0u);
  EXPECT_EQ(add("shared", bits(0x1.8p-126f), bits(-0x1p-126f)), 0x00400000u);
  EXPECT_EQ(add("global", 0x7f800000, 0xff800000), 0x7fffffffu);  // inf - inf
  EXPECT_EQ(add("shared", 0x7fa00001, bits(1)), 0x7fffffffu);
}

TEST(Atomic, WideWords) {
  auto r = run_on(
      "mov.u64 %rd1, 0x1fffffff0;\nst.global.u64 [%rd0], %rd1;\n"
      "atom.global.add.u64 %rd2, [%rd0], 0x20;\nst.global.u64 [%rd0+8], %rd2;\n"
      "atom.global.max.s64 %rd2, [%rd0], -1;\nst.global.u64 [%rd0+16], %rd2;\n"
      "atom.global.max.u64 %rd2, [%rd0], -1;\n"
      "atom.global.cas.b64 %rd2, [%rd0], -1, 0x123456789;\n"
      "atom.global.exch.b64 %rd3, [%rd0], 7;\nst.global.u64 [%rd0+24], %rd3;\n"
      "mov.f64 %fd1, 0d3ff8000000000000;\nst.global.f64 [%rd0+32], %fd1;\n"
      "red.global.add.f64 [%rd0+32], 0d3ca0000000000000;\n"
      "atom.global.add.f64 %fd2, [%rd0+32], 0d4000000000000000;\n");
  EXPECT_EQ(r.faults(), "");
  auto at = [&](size_t i) { return uint64_t{r.out[2 * i + 1]} << 32 | r.out[2 * i]; };
  EXPECT_EQ(at(0), 7u);
  EXPECT_EQ(at(1), 0x1fffffff0u);
  EXPECT_EQ(at(2), 0x200000010u);
  EXPECT_EQ(at(3), 0x123456789u);
  EXPECT_EQ(std::bit_cast<double>(at(4)), 1.5 + 0x1p-53 + 2.0);
}

TEST(Atomic, HundredAndTwentyEightBits) {
  auto r = run_on(
      "mov.u64 %rd1, 1;\nmov.u64 %rd2, 2;\nst.global.v2.u64 [%rd0], {%rd1, %rd2};\n"
      "mov.b128 %q1, {%rd1, %rd2};\nmov.u64 %rd3, 30;\nmov.u64 %rd4, 40;\n"
      "mov.b128 %q2, {%rd3, %rd4};\natom.global.cas.b128 %q3, [%rd0], %q1, %q2;\n"
      "atom.global.cas.b128 %q4, [%rd0], %q1, %q1;\nmov.b128 {%rd5, %rd6}, %q4;\n"
      "st.global.v2.u64 [%rd0+16], {%rd5, %rd6};\natom.global.exch.b128 %q5, [%rd0], %q1;\n"
      "mov.b128 {%rd5, %rd6}, %q5;\nst.global.v2.u64 [%rd0+32], {%rd5, %rd6};\n",
      1, ".reg .b128 %q<8>;\n");
  EXPECT_EQ(r.faults(), "");
  const std::vector<uint32_t> want = {1, 0, 2, 0, 30, 0, 40, 0, 30, 0, 40, 0};
  EXPECT_EQ(std::vector<uint32_t>(r.out.begin(), r.out.begin() + 12), want);
}

TEST(Atomic, HalfWords) {
  auto r = run_on(
      "mov.b32 %r1, 0x3c00beef;\nst.global.u32 [%rd0], %r1;\nmov.b16 %h1, 0xbeef;\n"
      "mov.b16 %h2, 0x1234;\natom.global.cas.b16 %h3, [%rd0], %h1, %h2;\n"
      "mov.b16 %h4, 0x4000;\nred.global.add.noftz.f16 [%rd0+2], %h4;\n"              // 1 + 2
      "mov.b32 %r2, 0x3c007bff;\nst.global.u32 [%rd0+4], %r2;\n"                     // 1, 65504
      "mov.b32 %r3, 0x10004c00;\natom.global.add.noftz.f16x2 %r4, [%rd0+4], %r3;\n"  // 2^-11, 16
      "st.global.u32 [%rd0+8], %r4;\n"
      "mov.b32 %r5, 0x3f800001;\nst.global.u32 [%rd0+12], %r5;\n"  // bf16 1, subnormal
      "mov.b32 %r6, 0x3b810001;\nred.global.add.noftz.bf16x2 [%rd0+12], %r6;\n");
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(r.out[0], 0x42001234u);
  EXPECT_EQ(r.out[2], 0x3c007bffu);
  // 1 + 2^-11 is halfway and goes to even: 1. 65504 + 16 is halfway to 65536: infinity.
  EXPECT_EQ(r.out[1], 0x3c007c00u);
  // bf16: 1 + 0x1.02p-8 is just over half an ulp (2^-8): up. 1 + 1 subnormal units: 2.
  EXPECT_EQ(r.out[3], 0x3f810002u);
}

TEST(Atomic, Vectors) {
  auto r = run_on(
      "mov.f32 %f1, 0f3f800000;\nmov.f32 %f2, 0f40000000;\n"
      "st.global.v4.f32 [%rd0], {%f1, %f2, %f1, %f2};\n"
      "atom.global.v4.f32.add {%f5, %f6, %f7, %f8}, [%rd0], {%f1, %f1, %f2, %f2};\n"
      "st.global.v4.f32 [%rd0+16], {%f5, %f6, %f7, %f8};\n"
      "red.global.v2.f32.add [%rd0], {%f2, %f2};\n"
      "mov.b32 %r1, 0xbc003c00;\nst.global.v2.u32 [%rd0+32], {%r1, %r1};\n"
      "mov.b32 %r2, 0x3c00bc00;\nmov.b32 %r3, 0x7e007e00;\n"
      "red.global.v2.f16x2.max.noftz [%rd0+32], {%r2, %r3};\n"
      "st.global.v2.u32 [%rd0+40], {%r1, %r1};\n"
      "red.global.v2.f16x2.min.noftz [%rd0+40], {%r2, %r3};\n");
  EXPECT_EQ(r.faults(), "");
  auto f = [&](size_t i) { return std::bit_cast<float>(r.out[i]); };
  EXPECT_EQ(f(0), 4.f);
  EXPECT_EQ(f(1), 5.f);
  EXPECT_EQ(f(2), 3.f);
  EXPECT_EQ(f(3), 4.f);
  EXPECT_EQ(f(4), 1.f);
  EXPECT_EQ(f(7), 2.f);
  EXPECT_EQ(r.out[8], 0x3c003c00u);
  EXPECT_EQ(r.out[9], 0xbc003c00u);  // NaNs lose
  EXPECT_EQ(r.out[10], 0xbc00bc00u);
  EXPECT_EQ(r.out[11], 0xbc003c00u);
}

TEST(Multimem, OnOneDeviceIsTheMemoryItself) {
  auto r = run_on(
      "mov.f32 %f1, 0f3f800000;\nmov.f32 %f2, 0f40000000;\n"
      "multimem.st.global.v2.f32 [%rd0], {%f1, %f2};\n"
      "multimem.red.global.add.f32 [%rd0], %f2;\nmultimem.red.global.max.u32 [%rd0+4], -1;\n"
      "multimem.ld_reduce.global.add.v2.f32 {%f3, %f4}, [%rd0];\n"
      "st.global.v2.f32 [%rd0+8], {%f3, %f4};\n");
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(std::vector<uint32_t>(r.out.begin(), r.out.begin() + 4),
            (std::vector<uint32_t>{0x40400000, 0xffffffff, 0x40400000, 0xffffffff}));
}

TEST(Atomic, LanesOfOneInstructionFollowEachOther) {
  // Tickets: every lane another one; the generic address of shared memory works too.
  const std::string body =
      "mov.u32 %r2, %tid.x;\nmov.u64 %rd3, s;\ncvta.shared.u64 %rd3, %rd3;\n"
      "st.shared.u32 [s], 0;\nbar.sync 0;\natom.add.u32 %r3, [%rd3], 1;\n"
      "mul.wide.u32 %rd1, %r3, 4;\nadd.s64 %rd2, %rd0, %rd1;\nst.global.u32 [%rd2], %r2;\n";
  auto r = run_on(body, 64, ".shared .align 8 .b8 s[64];\n");
  EXPECT_EQ(r.faults(), "");
  uint64_t seen = 0;
  for (uint32_t v : r.out) seen |= uint64_t{1} << v;
  EXPECT_EQ(seen, UINT64_MAX);
}

TEST(Atomic, BlocksInParallelLoseNothing) {
  const std::string text = kernel_text(
      "red.global.add.u32 [%rd0], 1;\nred.global.max.u32 [%rd0+4], %r0;\n"
      "red.global.inc.u32 [%rd0+8], 999999;\n");
  Options o;
  o.workers = 4;
  auto r = run_text(text, 64, threads(128, 500), {17}, o);
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(r.out[0], 64000u);
  EXPECT_EQ(r.out[1], 17u);
  EXPECT_EQ(r.out[2], 64000u);
}

// Lanes that spin on a lock that one of them holds.
TEST(Atomic, LanesThatSpinOnTheirNeighboursFinish) {
  const std::string text = kernel_text(
      "mov.u32 %r2, %tid.x;\nmov.u32 %r1, 0;\n"
      "SPIN: atom.global.cas.b32 %r3, [%rd0+256], 0, 1;\nsetp.ne.u32 %p1, %r3, 0;\n"
      "@%p1 bra SPIN;\nld.global.u32 %r4, [%rd0+260];\nadd.u32 %r4, %r4, 1;\n"
      "st.global.u32 [%rd0+260], %r4;\nmembar.gl;\natom.global.exch.b32 %r5, [%rd0+256], 0;\n");
  Options o;
  o.instruction_budget = 10'000'000;
  auto r = run_text(text, 128, threads(32), {0}, o);
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(r.out[65], 32u);
}

TEST(Atomic, OutOfBoundsMisalignedAndLocalAreReported) {
  auto kind = [](const std::string& body, const std::string& registers = {}) {
    auto r = run_on(body, 1, registers);
    EXPECT_EQ(r.outcome.faults.size(), 1u) << body;
    return r.outcome.faults.empty() ? std::pair(FaultKind::kTrap, 0u)
                                    : std::pair(r.outcome.faults[0].kind, r.outcome.faults[0].line);
  };
  EXPECT_EQ(kind("red.global.add.u32 [%rd0+256], 1;\n"), std::pair(FaultKind::kOutOfBounds, 15u));
  EXPECT_EQ(kind("red.global.add.u32 [%rd0+2], 1;\n"), std::pair(FaultKind::kMisaligned, 15u));
  EXPECT_EQ(kind("atom.global.add.u64 %rd1, [%rd0+4], 1;\n"),
            std::pair(FaultKind::kMisaligned, 15u));
  EXPECT_EQ(kind("mov.u64 %rd1, l;\ncvta.local.u64 %rd1, %rd1;\natom.add.u32 %r1, [%rd1], 1;\n",
                 ".local .align 4 .b8 l[16];\n"),
            std::pair(FaultKind::kIllegal, 18u));
}

TEST(Atomic, OnUninitialisedMemoryIsReported) {
  Options o;
  o.checks.uninitialised = true;
  const std::string shared = ".shared .align 8 .b8 s[64];\n";
  auto r = run_on("atom.shared.add.u32 %r1, [s], 1;\n", 1, shared, o);
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kUninitialised);
  EXPECT_EQ(r.outcome.faults[0].line, 16u);
  // An exchange initialises.
  EXPECT_EQ(
      run_on("atom.shared.exch.b32 _, [s], 1;\natom.shared.add.u32 %r1, [s], 1;\n", 1, shared, o)
          .faults(),
      "");
  r = run_on("red.global.add.u32 [%rd0], %r9;\n", 1, "", o);
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kUninitialised);
}

}  // namespace
}  // namespace pitot::emulator::test
