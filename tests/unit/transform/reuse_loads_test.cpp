// Loads of what a register has already.
#include "transform_text.h"

namespace pitot::transform::reuse_loads_test {
namespace {

std::string reused(const std::string& body) {
  const Changed c = apply_to(Action::kReuseLoads, body + "\tret;\n");
  EXPECT_FALSE(apply_to(Action::kReuseLoads, c.body).step.applied()) << c.body;
  return c.body.substr(0, c.body.size() - 6);
}

void declined(const std::string& body, const std::string& reason) {
  const Changed c = apply_to(Action::kReuseLoads, body + "\tret;\n");
  EXPECT_EQ(c.body, body + "\tret;\n");
  EXPECT_EQ(c.reasons(), reason.empty() ? "" : reason + "\n") << body;
}

TEST(ReuseLoads, SameAddress) {
  EXPECT_EQ(reused("\tld.global.f32 %f1, [%rd1];\n\tadd.s64 %rd2, %rd1, 8;\n"
                   "\tld.global.L1::evict_last.f32 %f2, [%rd2+-8];\n"),
            "\tld.global.f32 %f1, [%rd1];\n\tadd.s64 %rd2, %rd1, 8;\n\tmov.b32 %f2, %f1;\n");
  EXPECT_EQ(reused("\tld.global.f32 %f1, [%rd1];\n\tld.global.f32 %f1, [%rd1];\n"),
            "\tld.global.f32 %f1, [%rd1];\n");
  EXPECT_EQ(reused("\tld.global.b32 %f1, [%rd1];\n\t@%p1 ld.global.f32 %r2, [%rd1];\n"),
            "\tld.global.b32 %f1, [%rd1];\n\t@%p1 mov.b32 %r2, %f1;\n");
  EXPECT_EQ(reused("\t@!%p1 ld.global.b32 %r1, [%rd1];\n\t@!%p1 ld.global.b32 %r2, [%rd1];\n"),
            "\t@!%p1 ld.global.b32 %r1, [%rd1];\n\t@!%p1 mov.b32 %r2, %r1;\n");
  EXPECT_EQ(reused("\tld.shared.u8 %r1, [s+3];\n\tld.shared.u8 %r2, [s+3];\n"),
            "\tld.shared.u8 %r1, [s+3];\n\tmov.b32 %r2, %r1;\n");
}

TEST(ReuseLoads, Vectors) {
  EXPECT_EQ(reused("\tld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n"
                   "\tld.global.f32 %f5, [%rd1+8];\n\tld.global.v2.f32 {%f6, %f7}, [%rd1+4];\n"),
            "\tld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n"
            "\tmov.b32 %f5, %f3;\n\tmov.b32 %f6, %f2; mov.b32 %f7, %f3;\n");
  declined("\tld.global.v2.f32 {%f1, %f2}, [%rd1];\n\tld.global.v2.f32 {%f2, %f1}, [%rd1];\n",
           "the registers that have it are written by the load itself");
}

TEST(ReuseLoads, Stored) {
  EXPECT_EQ(reused("\tst.shared.f32 [s+4], %f1;\n\tld.shared.f32 %f2, [s+4];\n"),
            "\tst.shared.f32 [s+4], %f1;\n\tmov.b32 %f2, %f1;\n");
  // A register that is wider than what is stored is not what is read back.
  declined("\tst.shared.u8 [s+4], %r1;\n\tld.shared.u8 %r2, [s+4];\n", "");
  declined("\tst.shared.u16 [s+4], %r1;\n\tld.shared.u16 %r2, [s+4];\n", "");
  declined("\t@%p1 st.shared.u32 [s+4], %r1;\n\tld.shared.u32 %r2, [s+4];\n", "");
  declined("\tst.shared.u32 [s+4], 7;\n\tld.shared.u32 %r2, [s+4];\n", "");
}

TEST(ReuseLoads, WhatForgets) {
  const std::string first = "\tld.global.u32 %r1, [%rd1];\n",
                    second = "\tld.global.u32 %r2, [%rd1];\n";
  const std::string changed = "a store in between may have changed it";
  const std::string others = "other threads may have written it since";
  declined(first + "\tst.global.u32 [%rd2], %r9;\n" + second, changed);
  declined(first + "\tst.global.u16 [%rd1+2], %h9;\n" + second, changed);
  declined(first + "\t@%p1 st.u32 [%rd2], %r9;\n" + second, changed);
  for (const char* o :
       {"bar.sync 0;", "membar.gl;", "fence.acq_rel.cta;", "atom.global.add.u32 %r9, [%rd9], 1;",
        "red.shared.add.u32 [s], 1;", "ld.acquire.gpu.global.u32 %r9, [%rd9];",
        "ld.volatile.global.u32 %r9, [%rd9];", "cp.async.wait_all;", "bar.warp.sync -1;",
        "cp.async.ca.shared.global [s], [%rd9], 4;"})
    declined(first + "\t" + o + "\n" + second, others);
  declined(first + "\tadd.s32 %r1, %r1, 1;\n" + second,
           "the register that had it was written since");
  declined(first + "\t@%p1 mov.u32 %r1, 1;\n" + second,
           "the register that had it was written since");
  declined(first + "\tadd.s64 %rd1, %rd1, 4;\n" + second, "");
  declined("\tld.global.u32 %r1, [%rd1];\n\tld.volatile.global.u32 %r2, [%rd1];\n", "");
  declined("\tld.relaxed.gpu.global.u32 %r1, [%rd1];\n\tld.global.u32 %r2, [%rd1];\n", "");
  declined("\tld.global.u32 %r1, [%rd1];\n\tld.global.cv.u32 %r2, [%rd1];\n", "");
  declined("\t@%p1 ld.global.u32 %r1, [%rd1];\n\tld.global.u32 %r2, [%rd1];\n", "");
  declined("\t@%p1 ld.global.u32 %r1, [%rd1];\n\t@!%p1 ld.global.u32 %r2, [%rd1];\n", "");
  declined(
      "\t@%p1 ld.global.u32 %r1, [%rd1];\n\tsetp.eq.u32 %p1, %r8, 0;\n"
      "\t@%p1 ld.global.u32 %r2, [%rd1];\n",
      "");
  declined("\tld.global.u8 %r1, [%rd1];\n\tld.global.s8 %r2, [%rd1];\n", "");
  declined("\tld.global.u32 %r1, [%rd1];\n\tld.global.u32 %rd2, [%rd1];\n", "");
  declined("\tld.global.u32 %r1, [%rd1];\n\tld.shared.u32 %r2, [%rd1];\n", "");
}

TEST(ReuseLoads, WhatDoesNotTouchIt) {
  EXPECT_EQ(reused("\tld.global.u32 %r1, [%rd1];\n\tst.global.u32 [%rd1+4], %r9;\n"
                   "\tst.shared.u32 [s], %r9;\n\tshfl.sync.bfly.b32 %r8, %r9, 1, 31, -1;\n"
                   "\tld.global.u32 %r2, [%rd1];\n"),
            "\tld.global.u32 %r1, [%rd1];\n\tst.global.u32 [%rd1+4], %r9;\n"
            "\tst.shared.u32 [s], %r9;\n\tshfl.sync.bfly.b32 %r8, %r9, 1, 31, -1;\n"
            "\tmov.b32 %r2, %r1;\n");
  // The load's own address register.
  EXPECT_EQ(reused("\tld.global.u64 %rd1, [%rd1];\n\tld.global.u64 %rd2, [%rd1];\n"),
            "\tld.global.u64 %rd1, [%rd1];\n\tld.global.u64 %rd2, [%rd1];\n");
}

TEST(ReuseLoads, AcrossBlocks) {
  // Into what only this block leads to; not where another way meets it.
  EXPECT_EQ(reused("\tld.global.u32 %r1, [%rd1];\n\t@%p1 bra L;\n\tld.global.u32 %r2, [%rd1];\n"
                   "\tst.global.u32 [%rd2], %r2;\nL:\n\tld.global.u32 %r3, [%rd1];\n"),
            "\tld.global.u32 %r1, [%rd1];\n\t@%p1 bra L;\n\tmov.b32 %r2, %r1;\n"
            "\tst.global.u32 [%rd2], %r2;\nL:\n\tld.global.u32 %r3, [%rd1];\n");
  // What is never written stays known everywhere below, also behind a barrier.
  EXPECT_EQ(reused("\tld.param.u32 %r1, [n];\n\tld.const.u32 %r4, [fixed];\n\t@%p1 bra L;\n"
                   "\tbar.sync 0;\nL:\n\tld.param.u32 %r3, [n];\n\tld.const.u32 %r5, [fixed];\n"),
            "\tld.param.u32 %r1, [n];\n\tld.const.u32 %r4, [fixed];\n\t@%p1 bra L;\n"
            "\tbar.sync 0;\nL:\n\tmov.b32 %r3, %r1;\n\tmov.b32 %r5, %r4;\n");
  // But the register must be written there only.
  declined(
      "\tld.param.u32 %r1, [n];\n\t@%p1 bra L;\n\tmov.u32 %r1, 3;\nL:\n"
      "\tld.param.u32 %r3, [n];\n\tst.global.u32 [%rd1], %r1;\n",
      "");
  // Round a loop other values are at the address.
  declined(
      "\tld.shared.u32 %r1, [s];\nL:\n\tld.shared.u32 %r2, [s];\n\tadd.s32 %r2, %r2, 1;\n"
      "\tst.shared.u32 [s], %r2;\n\t@%p1 bra L;\n",
      "");
}

}  // namespace
}  // namespace pitot::transform::reuse_loads_test
