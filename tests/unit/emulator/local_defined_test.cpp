// Undefined values on their way through local memory and calls.
#include "emulator_test_util.h"

namespace pitot::emulator::test {
namespace {

// Whether the branch on %r9 after `body` is reported.
bool branch_is_undefined(const std::string& body, const std::string& before = {}) {
  Options o;
  o.checks.uninitialised = true;
  const std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n" + before +
                           ".visible .entry k(.param .u64 out)\n{\n.local .align 16 .b8 L[64];\n"
                           ".reg .b32 %r<16>;\n.reg .b64 %d<8>;\n.reg .pred %p<4>;\n"
                           "ld.param.u64 %d0, [out];\nmov.u32 %r0, %tid.x;\n" +
                           body +
                           "\nsetp.eq.u32 %p0, %r9, 77;\n@%p0 bra END;\nst.global.u32 [%d0], "
                           "%r0;\nEND:\nret;\n}\n";
  const Ran r = run_text(text, 4, threads(32), {}, o);
  for (const Fault& f : r.outcome.faults)
    EXPECT_EQ(f.kind, FaultKind::kUninitialised) << r.faults();
  return !r.outcome.faults.empty();
}

TEST(LocalDefined, WhatNothingWroteIsUndefined) {
  EXPECT_TRUE(branch_is_undefined("ld.local.u32 %r9, [L];"));
  EXPECT_FALSE(branch_is_undefined("st.local.u32 [L], %r0;\nld.local.u32 %r9, [L];"));
  EXPECT_TRUE(branch_is_undefined("st.local.u32 [L], %r0;\nld.local.u32 %r9, [L+4];"));
  EXPECT_TRUE(branch_is_undefined("st.local.u16 [L], 5;\nld.local.u32 %r9, [L];"));
  EXPECT_FALSE(branch_is_undefined("st.local.v2.u32 [L], {%r0, %r0};\nld.local.u32 %r9, [L+4];"));
}

TEST(LocalDefined, StoresPassOnWhatTheyStore) {
  EXPECT_TRUE(branch_is_undefined("st.local.u32 [L], %r5;\nld.local.u32 %r9, [L];"));
  EXPECT_TRUE(branch_is_undefined("st.local.v2.u32 [L], {%r0, %r5};\nld.local.u32 %r9, [L+4];"));
  EXPECT_FALSE(branch_is_undefined("st.local.v2.u32 [L], {%r0, %r5};\nld.local.u32 %r9, [L];"));
  EXPECT_TRUE(branch_is_undefined(
      "st.local.u32 [L], %r0;\nst.local.u32 [L], %r5;\nld.local.u32 %r9, [L];"));
  // Through a generic address.
  EXPECT_TRUE(
      branch_is_undefined("mov.u64 %d1, L;\ncvta.local.u64 %d1, %d1;\nst.u32 [%d1], %r5;\n"
                          "ld.u32 %r9, [%d1];"));
  EXPECT_FALSE(
      branch_is_undefined("mov.u64 %d1, L;\ncvta.local.u64 %d1, %d1;\n"
                          "st.u32 [%d1], %r0;\nld.local.u32 %r9, [L];"));
}

const std::string kFunctions =
    ".func (.reg .b32 d) in_registers(.reg .b32 a) { mov.u32 d, a; ret; }\n"
    ".func (.param .b32 d) in_memory(.param .align 4 .b8 a[8]) {\n.reg .b32 %q;\n"
    "ld.param.b32 %q, [a+4];\nst.param.b32 [d], %q;\nret; }\n"
    // Writes its own local memory when it is asked to, and reads it.
    ".func (.param .b32 d) own(.param .b32 a) {\n.local .align 4 .b8 M[4];\n.reg .b32 %q;\n"
    ".reg .pred %p;\nld.param.b32 %q, [a];\nsetp.ne.u32 %p, %q, 0;\n@%p st.local.b32 [M], %q;\n"
    "ld.local.b32 %q, [M];\nst.param.b32 [d], %q;\nret; }\n";

TEST(LocalDefined, CallsHandOverWhatIsDefined) {
  EXPECT_FALSE(branch_is_undefined("call (%r9), in_registers, (%r0);", kFunctions));
  EXPECT_TRUE(branch_is_undefined("call (%r9), in_registers, (%r5);", kFunctions));
  const std::string call =
      "{ .param .align 4 .b8 p[8];\n.param .b32 q;\nst.param.b32 [p], %r{};\n"
      "st.param.b32 [p+4], %r{};\ncall (q), in_memory, (p);\nld.param.b32 %r9, [q]; }";
  auto with = [&](const std::string& first, const std::string& second) {
    std::string s = call;
    s.replace(s.find("%r{}"), 4, first);
    s.replace(s.find("%r{}"), 4, second);
    return s;
  };
  EXPECT_FALSE(branch_is_undefined(with("%r5", "%r0"), kFunctions));
  EXPECT_TRUE(branch_is_undefined(with("%r0", "%r5"), kFunctions));
}

TEST(LocalDefined, WhatAnEarlierCallLeftIsUndefined) {
  auto call = [](const std::string& argument) {
    return "{ .param .b32 p;\n.param .b32 q;\nst.param.b32 [p], " + argument +
           ";\ncall (q), own, (p);\nld.param.b32 %r9, [q]; }\n";
  };
  EXPECT_FALSE(branch_is_undefined(call("7"), kFunctions));
  EXPECT_TRUE(branch_is_undefined(call("0"), kFunctions));
  EXPECT_TRUE(branch_is_undefined(call("7") + call("0"), kFunctions));
  EXPECT_FALSE(branch_is_undefined(call("7") + call("7"), kFunctions));
}

}  // namespace
}  // namespace pitot::emulator::test
