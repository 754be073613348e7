// What keeps a check from deciding, and what does not.
#include "check_test_util.h"

namespace pitot::check::test {
namespace {

// A register that is read before it is written, in code that only the first kernel has: not a fault
// of inferred arguments, and no reason to find the second one faulty.
TEST(Undecided, WhatTheFirstKernelDoesItselfIsNotChecked) {
  const std::string a = kernel_of(
      "add.f32 %f9, %f10, %f11;\nld.global.f32 %f0, [%rd3];\n"
      "setp.gt.f32 %p3, %f9, 0f00000000;\n@%p3 mov.u32 %r9, 1;\n");
  const std::string b = kernel_of("ld.global.f32 %f0, [%rd3];\nadd.f32 %f0, %f0, 0f80000000;\n");
  const CheckResult r = check_loaded(load_text("a.ptx", a), load_text("b.ptx", b));
  EXPECT_EQ(r.verdict, Verdict::kSame) << explain(r);
  ASSERT_FALSE(r.notes.empty());
  EXPECT_EQ(r.notes[0].substr(0, 28), "uninitialised is not checked") << r.notes[0];
}

TEST(Undecided, AnUninitialisedReadOfTheSecondKernelIsAFault) {
  const std::string a = kernel_of("ld.global.f32 %f0, [%rd3];\n");
  const std::string b = kernel_of(
      "ld.global.f32 %f0, [%rd3];\nsetp.gt.f32 %p3, %f9, "
      "0f00000000;\n@%p3 mov.u32 %r9, 1;\n");
  const CheckResult r = check_loaded(load_text("a.ptx", a), load_text("b.ptx", b));
  EXPECT_EQ(r.verdict, Verdict::kFault) << explain(r);
  ASSERT_EQ(r.faults.size(), 1u);
  EXPECT_EQ(r.faults[0].kind, "uninitialised");
}

// A loop that always runs once has a side that nobody has seen.
TEST(Undecided, ABranchThatAlwaysGoesTheSameWay) {
  const std::string head = "mov.u32 %r3, 0;\nLOOP:\nld.global.f32 %f0, [%rd3];\n";
  const std::string tail = "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 1;\n@%p1 bra LOOP;\n";
  const CheckResult r =
      check_loaded(load_text("a.ptx", kernel_of(head + tail)),
                   load_text("b.ptx", kernel_of(head + "mov.u32 %r7, 1;\n" + tail)));
  EXPECT_EQ(r.verdict, Verdict::kUndecided);
  ASSERT_EQ(r.reasons.size(), 2u);
  EXPECT_NE(r.reasons[0].find("always went the same way"), std::string::npos) << r.reasons[0];
}

// No thread of any block is number 1024, and with a block of 64 nothing is left for a second turn.
TEST(Undecided, WhatNoThreadCanComeToIsNoReason) {
  const std::string head =
      "ld.global.f32 %f0, [%rd3];\nsetp.gt.u32 %p1, %r1, 1023;\n@!%p1 bra GOOD;\n"
      "add.f32 %f0, %f0, %f0;\nadd.f32 %f0, %f0, %f0;\nGOOD:\n";
  const CheckResult r = check_loaded(load_text("a.ptx", kernel_of(head)),
                                     load_text("b.ptx", kernel_of(head + "mov.u32 %r7, 1;\n")));
  EXPECT_EQ(r.verdict, Verdict::kSame) << explain(r);
  EXPECT_EQ(r.coverage_a.ran, r.coverage_a.instructions);
  // What hangs on data stays one.
  const std::string data =
      "ld.global.f32 %f0, [%rd3];\nsetp.neu.f32 %p1, %f0, 0f4996B439;\n@%p1 bra GOOD;\n"
      "add.f32 %f0, %f0, %f0;\nGOOD:\n";
  EXPECT_EQ(check_loaded(load_text("a.ptx", kernel_of(data)),
                         load_text("b.ptx", kernel_of(data + "mov.u32 %r7, 1;\n")))
                .verdict,
            Verdict::kUndecided);
}

// What only leads to a trap is no code that valid inputs reach.
TEST(Undecided, AnAssertionThatHoldsIsNoReason) {
  const std::string head =
      "ld.global.f32 %f0, [%rd3];\nsetp.gt.u32 %p1, %r1, 31;\n@%p1 bra BAD;\n"
      "bra GOOD;\nBAD:\ntrap;\nGOOD:\n";
  const CheckResult r = check_loaded(load_text("a.ptx", kernel_of(head)),
                                     load_text("b.ptx", kernel_of(head + "mov.u32 %r7, 1;\n")));
  EXPECT_EQ(r.verdict, Verdict::kSame) << explain(r);
  EXPECT_EQ(r.coverage_a.ran, r.coverage_a.instructions);
}

// n³ iterations: sizes are halved until the budget suffices.
TEST(Undecided, LoopsThatAreTooLongAreTriedSmaller) {
  const std::string body =
      "mul.lo.u32 %r4, %r0, %r0;\nmul.lo.u32 %r4, %r4, %r0;\nmov.u32 %r3, 0;\n"
      "mov.f32 %f0, 0f00000000;\nsetp.ge.u32 %p0, %r3, %r4;\n@%p0 bra DONE;\nLOOP:\n"
      "add.f32 %f0, %f0, 0f3F800000;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r4;\n"
      "@%p1 bra LOOP;\nDONE:\n";
  Options o;
  o.budget = 40000;
  const CheckResult r = check_loaded(load_text("a.ptx", kernel_of(body)),
                                     load_text("b.ptx", kernel_of(body + "mov.u32 %r7, 1;\n")), o);
  EXPECT_GE(r.trials, 12u);
  EXPECT_TRUE(r.verdict == Verdict::kSame || r.skipped > 0) << explain(r);
}

// Two warps write one word: which of them is last is no result of the kernel.
TEST(Undecided, WhatDependsOnTheOrderOfWarpsIsLeftOut) {
  auto text = [](const std::string& body) {
    std::string t = kernel_of("mov.u32 %r9, %tid.x;\nshr.u32 %r9, %r9, 5;\n" + body +
                              "st.global.u32 [%rd0], %r9;\nmov.f32 %f0, 0f3F800000;\n"
                              "mov.u64 %rd2, %rd1;\n");
    return t.replace(t.find(".reqntid 32"), 11, ".reqntid 64");
  };
  const CheckResult r = check_loaded(load_text("a.ptx", text("")),
                                     load_text("b.ptx", text("xor.b32 %r9, %r9, 1;\n")));
  EXPECT_EQ(r.verdict, Verdict::kUndecided) << explain(r);
  ASSERT_EQ(r.notes.size(), 2u);
  EXPECT_EQ(r.notes[0].substr(0, 16), "a itself has a r") << explain(r);
  EXPECT_NE(r.notes[1].find("depend on the order of its threads"), std::string::npos);
}

// The barrier between the store and the load of another thread's word is gone.
TEST(Undecided, ARaceOfTheSecondKernelIsAFault) {
  auto text = [](const std::string& barrier) {
    std::string t = kernel_of(
        "shl.b32 %r3, %r1, 2;\nmov.u32 %r4, tile;\nadd.u32 %r5, %r4, %r3;\nxor.b32 %r6, %r3, "
        "128;\nadd.u32 %r6, %r6, %r4;\nst.shared.u32 [%r5], %r1;\n" +
        barrier + "ld.shared.f32 %f0, [%r6];\n");
    return t.replace(t.find(".reqntid 32"), 11, ".reqntid 64");
  };
  const CheckResult r =
      check_loaded(load_text("a.ptx", text("bar.sync 0;\n")), load_text("b.ptx", text("")));
  EXPECT_EQ(r.verdict, Verdict::kFault) << explain(r);
  ASSERT_EQ(r.faults.size(), 1u);
  EXPECT_TRUE(r.faults[0].kind == "race" || r.faults[0].kind == "uninitialised") << explain(r);
}

// A sum over rows in steps of four, as Triton makes them of a promise that n is a multiple of 16,
// and the same one element at a time.
TEST(Undecided, VectorsOfTritonRestOnMultiplesOf16) {
  auto loop = [](const std::string& load, const char* step, const char* bytes) {
    return std::string(
               "mov.u64 %rd3, %rd1;\nmov.u32 %r3, 0;\nmov.f32 %f0, 0f00000000;\nsetp.ge.u32 %p0, "
               "%r3, %r0;\n"
               "@%p0 bra DONE;\nLOOP:\n") +
           load + "add.u64 %rd3, %rd3, " + bytes + ";\nadd.u32 %r3, %r3, " + step +
           ";\nsetp.lt.u32 %p1, %r3, %r0;\n@%p1 bra LOOP;\nDONE:\n";
  };
  const std::string llvm = "//\n// Generated by LLVM NVPTX Back-End\n//\n";
  const std::string one =
      kernel_of(loop("ld.global.f32 %f1, [%rd3];\nadd.f32 %f0, %f0, %f1;\n", "1", "4"));
  const std::string four =
      kernel_of(loop("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3];\nadd.f32 %f0, %f0, %f1;\n"
                     "add.f32 %f0, %f0, %f2;\nadd.f32 %f0, %f0, %f3;\nadd.f32 %f0, %f0, %f4;\n",
                     "4", "16"));
  // The first itself may rest on the promise: nobody knows which numbers it is for.
  const CheckResult unknown =
      check_loaded(load_text("a.ptx", llvm + four), load_text("b.ptx", llvm + one));
  EXPECT_EQ(unknown.verdict, Verdict::kUndecided) << explain(unknown);
  EXPECT_TRUE(unknown.may_be_meant);
  ASSERT_EQ(unknown.reasons.size(), 1u);
  EXPECT_NE(unknown.reasons[0].find("--multiple-of 16"), std::string::npos) << unknown.reasons[0];
  // The first takes any number: a second one that does not is different, which is what a missing
  // mask at the end of a row looks like.
  const CheckResult tail =
      check_loaded(load_text("a.ptx", llvm + one), load_text("b.ptx", llvm + four));
  EXPECT_EQ(tail.verdict, Verdict::kDifferent) << explain(tail);
  ASSERT_EQ(tail.counterexamples.size(), 1u);
  ASSERT_FALSE(tail.notes.empty());
  EXPECT_NE(tail.notes.back().find("with multiples of 16 they agree"), std::string::npos)
      << explain(tail);
  // Told of the promise, both ways round.
  Options promised;
  promised.multiple_of = 16;
  for (const auto& [a, b] : {std::pair(one, four), std::pair(four, one)}) {
    const CheckResult r =
        check_loaded(load_text("a.ptx", llvm + a), load_text("b.ptx", llvm + b), promised);
    EXPECT_EQ(r.verdict, Verdict::kSame) << explain(r);
  }
  // Another compiler promises nothing.
  const CheckResult other = check_loaded(load_text("a.ptx", one), load_text("b.ptx", four));
  EXPECT_TRUE(other.verdict == Verdict::kDifferent || other.verdict == Verdict::kFault);
}

// How often a barrier must be asked is a matter of time: that it was done at once leaves nothing
// untried.
TEST(Undecided, AWaitThatIsDoneAtOnceIsNoReason) {
  const std::string wait =
      ".shared .align 8 .b64 bar;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra READY;\n"
      "mbarrier.init.shared.b64 [bar], 32;\nREADY:\nbar.sync 0;\n"
      "mbarrier.arrive.shared.b64 %rd5, [bar];\nWAIT:\n"
      "mbarrier.test_wait.shared.b64 %p2, [bar], %rd5;\n";
  const std::string load = "ld.global.f32 %f0, [%rd3];\n";
  for (const std::string& ask :
       {std::string("@!%p2 bra WAIT;\n"),
        std::string("selp.u32 %r9, 1, 0, %p2;\nsetp.eq.u32 %p3, %r9, 0;\n@%p3 bra WAIT;\n")}) {
    const CheckResult r =
        check_loaded(load_text("a.ptx", kernel_of(wait + ask + load)),
                     load_text("b.ptx", kernel_of(wait + ask + "mov.u32 %r7, 1;\n" + load)));
    EXPECT_EQ(r.verdict, Verdict::kSame) << explain(r);
  }
}

TEST(Undecided, OnlyTooLongRunsSaySo) {
  const std::string body =
      "mov.f32 %f0, 0f00000000;\nLOOP:\nadd.f32 %f0, %f0, 0f3F800000;\n"
      "bra LOOP;\n";
  Options o;
  o.budget = 1000;
  o.trials = 2;
  const CheckResult r = check_loaded(load_text("a.ptx", kernel_of(body)),
                                     load_text("b.ptx", kernel_of("mov.u32 %r7, 1;\n" + body)), o);
  EXPECT_EQ(r.verdict, Verdict::kUndecided);
  ASSERT_FALSE(r.reasons.empty());
  EXPECT_NE(r.reasons[0].find("no end within 1,000 warp instructions"), std::string::npos)
      << r.reasons[0];
}

}  // namespace
}  // namespace pitot::check::test
