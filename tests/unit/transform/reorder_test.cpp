// The orders: what moves, what must not, and how the text comes along.
#include <algorithm>

#include "transform_text.h"

namespace pitot::transform {
namespace {

constexpr Action kOrders[] = {Action::kReorderCp, Action::kReorderIl, Action::kReorderLf,
                              Action::kReorderSl};

size_t place(const Changed& c, std::string_view what) {
  const size_t at = c.body.find(what);
  EXPECT_NE(at, std::string::npos) << what << "\n" << c.body;
  return at;
}

// `first` stands before `second`, whatever the order.
void keeps(const std::string& body, std::string_view first, std::string_view second) {
  for (Action a : kOrders) {
    const Changed c = apply_to(a, body);
    EXPECT_LT(place(c, first), place(c, second)) << info(a).name << "\n" << c.body;
    const Changed again = apply_to(a, c.body);
    EXPECT_FALSE(again.step.applied()) << info(a).name << "\n" << c.body << again.body;
  }
}

TEST(ReorderCp, LongestWaitFirst) {
  const Changed c = apply_to(Action::kReorderCp,
                             "\tld.param.u64 %rd1, [a];\n"
                             "\tadd.s32 %r1, %r2, 1;\n"
                             "\tld.global.f32 %f1, [%rd1];\n"
                             "\tsin.approx.f32 %f2, %f1;\n"
                             "\tst.global.f32 [%rd1], %f2;\n"
                             "\tst.global.u32 [%rd1+4], %r1;\n"
                             "\tret;\n");
  EXPECT_EQ(c.body,
            "\tld.param.u64 %rd1, [a];\n"
            "\tld.global.f32 %f1, [%rd1];\n"
            "\tsin.approx.f32 %f2, %f1;\n"
            "\tadd.s32 %r1, %r2, 1;\n"
            "\tst.global.f32 [%rd1], %f2;\n"
            "\tst.global.u32 [%rd1+4], %r1;\n"
            "\tret;\n");
  EXPECT_EQ(c.step.changes, 1u);
}

TEST(ReorderLf, LoadsWithTheirAddressesFirst) {
  const Changed c = apply_to(Action::kReorderLf,
                             "\tadd.s32 %r1, %r2, 1;  // one\n"
                             "\t// the sum\n"
                             "\tadd.f32 %f3, %f4, %f5;\n"
                             "\tadd.s64 %rd2, %rd1, 8;\n"
                             "\tld.global.f32 %f1, [%rd2];\n"
                             "\tret;\n");
  EXPECT_EQ(c.body,
            "\tadd.s64 %rd2, %rd1, 8;\n"
            "\tld.global.f32 %f1, [%rd2];\n"
            "\tadd.s32 %r1, %r2, 1;  // one\n"
            "\t// the sum\n"
            "\tadd.f32 %f3, %f4, %f5;\n"
            "\tret;\n");
}

TEST(ReorderLf, LoadsBehindAStoreDoNotHoldUpOthers) {
  const Changed c = apply_to(Action::kReorderLf,
                             "\tst.global.f32 [%rd1], %f4;\n"
                             "\tld.global.f32 %f1, [%rd2];\n"
                             "\tld.shared.f32 %f2, [s];\n"
                             "\tret;\n");
  EXPECT_EQ(c.body,
            "\tld.shared.f32 %f2, [s];\n"
            "\tst.global.f32 [%rd1], %f4;\n"
            "\tld.global.f32 %f1, [%rd2];\n"
            "\tret;\n");
}

TEST(ReorderSl, StoresLast) {
  const Changed c = apply_to(Action::kReorderSl,
                             "\tst.global.f32 [%rd1], %f4;\n"
                             "\tst.global.f32 [%rd1+4], %f5;\n"
                             "\tadd.f32 %f6, %f6, %f5;\n"
                             "\t@%p1 bra L;\n"
                             "\tadd.f32 %f4, %f6, %f5;\n"
                             "L:\n"
                             "\tret;\n");
  EXPECT_EQ(c.body,
            "\tadd.f32 %f6, %f6, %f5;\n"
            "\tst.global.f32 [%rd1], %f4;\n"
            "\tst.global.f32 [%rd1+4], %f5;\n"
            "\t@%p1 bra L;\n"
            "\tadd.f32 %f4, %f6, %f5;\n"
            "L:\n"
            "\tret;\n");
}

TEST(ReorderIl, TakesTurns) {
  const Changed c = apply_to(Action::kReorderIl,
                             "\tld.global.f32 %f1, [%rd1];\n"
                             "\tld.global.f32 %f2, [%rd1+4];\n"
                             "\tld.global.f32 %f3, [%rd1+8];\n"
                             "\tadd.f32 %f4, %f1, %f5;\n"
                             "\tadd.f32 %f6, %f2, %f5;\n"
                             "\tret;\n");
  EXPECT_EQ(c.body,
            "\tld.global.f32 %f1, [%rd1];\n"
            "\tadd.f32 %f4, %f1, %f5;\n"
            "\tld.global.f32 %f2, [%rd1+4];\n"
            "\tadd.f32 %f6, %f2, %f5;\n"
            "\tld.global.f32 %f3, [%rd1+8];\n"
            "\tret;\n");
}

TEST(Reorder, InOrderAlready) {
  for (Action a : kOrders) {
    const std::string body =
        "\tld.global.f32 %f1, [%rd1];\n\tadd.f32 %f2, %f1, %f1;\n\tst.global.f32 [%rd1], %f2;\n"
        "\tret;\n";
    const Changed c = apply_to(a, body);
    EXPECT_EQ(c.body, body);
    EXPECT_FALSE(c.step.applied());
  }
}

// What must keep its order, under each of the four.
TEST(Reorder, Dependences) {
  keeps(
      "\tadd.s32 %r1, %r2, 1;\n\tst.shared.u32 [s], %r1;\n\tmov.u32 %r1, 5;\n"
      "\tld.global.u32 %r3, [%rd1];\n\tret;\n",
      "st.shared", "mov.u32");
  keeps("\tst.global.f32 [%rd1], %f1;\n\tld.global.f32 %f2, [%rd2];\n\tret;\n", "st.global",
        "ld.global");
  keeps("\tst.global.f32 [%rd1+4], %f1;\n\tld.global.v2.f32 {%f2, %f3}, [%rd1];\n\tret;\n",
        "st.global", "ld.global");
  keeps("\tld.global.f32 %f2, [%rd2];\n\tst.f32 [%rd1], %f1;\n\tadd.f32 %f4, %f2, %f2;\n\tret;\n",
        "ld.global", "st.f32");
  keeps(
      "\tadd.cc.u32 %r1, %r2, %r3;\n\tld.global.u32 %r9, [%rd1];\n\taddc.u32 %r4, %r5, %r6;\n"
      "\tadd.cc.u32 %r7, %r9, %r9;\n\taddc.u32 %r8, %r9, 0;\n\tret;\n",
      "addc.u32 %r4", "add.cc.u32 %r7");
  keeps(
      "\tmov.u32 %r1, 1;\n\t@%p1 mov.u32 %r1, 2;\n\t@!%p1 ld.global.u32 %r1, [%rd1];\n"
      "\tst.global.u32 [%rd2], %r1;\n\tret;\n",
      "@%p1 mov", "@!%p1 ld");
}

TEST(Reorder, WhatOrdersMemory) {
  for (const char* between :
       {"bar.sync 0;", "membar.gl;", "fence.acq_rel.gpu;", "bar.warp.sync -1;",
        "atom.shared.add.u32 %r20, [s], 1;", "red.relaxed.gpu.global.add.u32 [%rd9], 1;",
        "ld.volatile.global.u32 %r20, [%rd9];", "ld.relaxed.gpu.global.u32 %r20, [%rd9];",
        "st.volatile.shared.u32 [s+64], %r9;", "ld.acquire.gpu.global.u32 %r20, [%rd9];",
        "mov.u64 %rd20, %clock64;", "mov.u32 %r20, %clock;", "cp.async.wait_all;",
        "mbarrier.arrive.shared.b64 _, [s];"}) {
    const std::string body =
        std::string("\tst.global.f32 [%rd1], %f1;\n\tadd.f32 %f8, %f9, %f9;\n\t") + between +
        "\n\tld.global.f32 %f2, [%rd2];\n\tret;\n";
    keeps(body, "st.global.f32", between);
    keeps(body, between, "ld.global.f32");
  }
}

TEST(Reorder, LanesTogether) {
  keeps(
      "\tld.global.u32 %r1, [%rd1];\n\tshfl.sync.bfly.b32 %r2, %r3, 1, 31, -1;\n"
      "\tshfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;\n\tvote.sync.all.pred %p1, %p2, -1;\n"
      "\tactivemask.b32 %r5;\n\tret;\n",
      "shfl.sync.bfly.b32 %r2", "shfl.sync.bfly.b32 %r4");
  keeps(
      "\tshfl.sync.bfly.b32 %r2, %r3, 1, 31, -1;\n\tadd.f32 %f1, %f2, %f3;\n\tbar.sync "
      "0;\n\tret;\n",
      "shfl", "bar.sync");
  // They do not order memory.
  const Changed c = apply_to(Action::kReorderLf,
                             "\tshfl.sync.bfly.b32 %r2, %r3, 1, 31, -1;\n"
                             "\tld.global.u32 %r1, [%rd1];\n\tret;\n");
  EXPECT_LT(place(c, "ld.global"), place(c, "shfl"));
}

TEST(Reorder, NothingMovesPastWgmma) {
  const std::string body =
      "\tmov.f32 %f1, %f9;\n\twgmma.fence.sync.aligned;\n"
      "\twgmma.wait_group.sync.aligned 0;\n\tadd.f32 %f3, %f1, %f2;\n"
      "\tld.global.f32 %f4, [%rd1];\n\tret;\n";
  for (Action a : kOrders) {
    const Changed c = apply_to(a, body);
    EXPECT_LT(place(c, "wait_group"), place(c, "add.f32"));
    EXPECT_LT(place(c, "wait_group"), place(c, "ld.global"));
    EXPECT_NE(c.reasons().find("its registers are read and written later"), std::string::npos);
  }
}

TEST(Reorder, CallsStayWithTheirParameters) {
  const std::string body =
      "\tadd.s32 %r9, %r8, 1;\n\t{ // callseq 0, 0\n\t.param .b32 param0;\n"
      "\tst.param.b32 [param0], %r1;\n\t.param .b32 retval0;\n"
      "\tcall.uni (retval0), callee, (param0);\n\tld.param.b32 %r2, [retval0];\n\t}\n"
      "\tadd.s32 %r5, %r9, 1;\n\tld.global.u32 %r3, [%rd1];\n\tret;\n";
  for (Action a : kOrders) {
    const Changed c = apply_to(a, body);
    EXPECT_LT(place(c, "st.param"), place(c, "call.uni"));
    EXPECT_LT(place(c, "\t}\n"), place(c, "ld.global"));
    EXPECT_NE(c.reasons().find("calls and their parameters stay together"), std::string::npos);
  }
}

TEST(Reorder, ScopesAndDeclarationsAreBounds) {
  const std::string body =
      "\tadd.s32 %r1, %r2, 1;\n\t{\n\t.reg .b32 t;\n\tmov.b32 t, %r1;\n\tadd.s32 %r3, t, 1;\n"
      "\tld.global.u32 %r4, [%rd1];\n\t}\n\tadd.s32 %r5, %r2, 1;\n\t.reg .b32 late;\n"
      "\tld.global.u32 late, [%rd2];\n\t.pragma \"nounroll\";\n\tld.global.u32 %r6, "
      "[%rd2];\n\tret;\n";
  const Changed c = apply_to(Action::kReorderLf, body);
  EXPECT_EQ(c.body,
            "\tadd.s32 %r1, %r2, 1;\n\t{\n\t.reg .b32 t;\n\tld.global.u32 %r4, [%rd1];\n"
            "\tmov.b32 t, %r1;\n\tadd.s32 %r3, t, 1;\n\t}\n\tadd.s32 %r5, %r2, 1;\n"
            "\t.reg .b32 late;\n\tld.global.u32 late, [%rd2];\n\t.pragma \"nounroll\";\n"
            "\tld.global.u32 %r6, [%rd2];\n\tret;\n");
}

TEST(Reorder, PlacesInTheSourceGoAlong) {
  const std::string head = ".file 1 \"k.cu\"\n";
  std::string whole = kernel_head();
  whole.insert(whole.find(".extern .func"), head);
  const Changed c = apply_to(Action::kReorderLf,
                             "\t.loc 1 1 0\n\tadd.s32 %r1, %r2, 1;\n"
                             "\t.loc 1 2 0\n\tadd.s32 %r3, %r2, 1;\n\tadd.s32 %r8, %r2, 2;\n"
                             "\t.loc 1 3 5\n$L__tmp1:\n\tld.global.u32 %r4, [%rd1];\n"
                             "\tadd.s32 %r5, %r2, 1;\n\tret;\n",
                             {}, whole);
  EXPECT_EQ(c.body,
            "\t.loc 1 1 0\n\t.loc 1 3 5\n\tld.global.u32 %r4, [%rd1];\n"
            "\t.loc 1 1 0\n\tadd.s32 %r1, %r2, 1;\n"
            "\t.loc 1 2 0\n\tadd.s32 %r3, %r2, 1;\n"
            "$L__tmp1:\n\tadd.s32 %r8, %r2, 2;\n"
            "\t.loc 1 3 5\n\tadd.s32 %r5, %r2, 1;\n\tret;\n");
  EXPECT_FALSE(apply_to(Action::kReorderLf, c.body, {}, whole).step.applied());
}

// ptxas wants the place that inlined_at names in front of it, also where no statement has it.
TEST(Reorder, InlinedPlacesComeFirst) {
  std::string whole = kernel_head();
  whole.insert(whole.find(".extern .func"), ".file 1 \"k.cu\"\n");
  const std::string inlined = "\t.loc 1 9 0, function_name info, inlined_at 1 2 5\n";
  const std::string head = "\t.loc 1 1 0\n\tadd.s32 %r1, %r2, 1;\n\t.loc 1 2 5\n";
  const std::string after = "\tret;\n}\n.section .debug_str\n{\ninfo:\n.b8 0\n";
  const Changed c = apply_to(Action::kReorderLf,
                             head + inlined +
                                 "\tld.global.u32 %r4, [%rd1];\n"
                                 "\t.loc 1 3 0\n\tadd.s32 %r5, %r2, 1;\n" +
                                 after,
                             {}, whole);
  EXPECT_EQ(c.body,
            "\t.loc 1 1 0\n\t.loc 1 2 5\n" + inlined +
                "\tld.global.u32 %r4, [%rd1];\n"
                "\t.loc 1 1 0\n\tadd.s32 %r1, %r2, 1;\n\t.loc 1 3 0\n\tadd.s32 %r5, %r2, 1;\n" +
                after);
  // The one that names it comes later: it is not lost.
  const Changed d = apply_to(Action::kReorderLf,
                             head +
                                 "\t.loc 1 4 0\n\tld.global.u32 %r4, [%rd1];\n"
                                 "\t@%p1 bra L;\n" +
                                 inlined + "\tadd.s32 %r5, %r2, 1;\nL:\n" + after,
                             {}, whole);
  EXPECT_TRUE(d.step.applied());
  EXPECT_LT(place(d, ".loc 1 2 5"), place(d, "inlined_at 1 2 5"));
}

TEST(Reorder, SeveralStatementsOnALine) {
  const Changed c = apply_to(Action::kReorderLf,
                             "L: add.s32 %r1, %r2, 1; add.s32 %r3, %r2, 1; // both\n"
                             "ld.global.u32 %r4, [%rd1]; /* a\n load */ ret;\n");
  EXPECT_LT(place(c, "ld.global"), place(c, "add.s32 %r1"));
  EXPECT_LT(place(c, "add.s32 %r1"), place(c, "add.s32 %r3"));
  EXPECT_LT(place(c, "// both"), place(c, "ret;"));
  EXPECT_NE(c.body.find("add.s32 %r3, %r2, 1; // both"), std::string::npos) << c.body;
}

TEST(Reorder, InlineAsmStaysInItsComments) {
  const Changed c = apply_to(Action::kReorderLf,
                             "\tadd.s32 %r1, %r2, 1;\n\t// begin inline asm\n"
                             "\t@%p1 ld.global.b32 { %r3 }, [ %rd1 + 0 ];\n\t// end inline asm\n"
                             "\tadd.s32 %r4, %r2, 1;\n\tret;\n");
  EXPECT_EQ(c.body,
            "\t// begin inline asm\n\t@%p1 ld.global.b32 { %r3 }, [ %rd1 + 0 ];\n"
            "\t// end inline asm\n\tadd.s32 %r1, %r2, 1;\n\tadd.s32 %r4, %r2, 1;\n\tret;\n");
}

TEST(Reorder, AFunctionsResultStaysInPlace) {
  const std::string head =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k()\n{\n\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<9>;\n";
  const Changed c = apply_to(Action::kReorderSl,
                             "\tst.global.u32 [%rd1], %r1;\n\tadd.s32 %r3, %r3, 1;\n"
                             "\t@%r9x exit;\n",
                             {}, std::string(head) + "\t.reg .pred %r9x;\n");
  EXPECT_LT(place(c, "add.s32"), place(c, "st.global"));
  EXPECT_LT(place(c, "st.global"), place(c, "exit"));
}

}  // namespace
}  // namespace pitot::transform
