// Prefetches of what is certainly loaded, and nothing else.
#include "transform_helpers.h"

namespace pitot::transform {
namespace {

// %r1 counts to n, and `body` loads.
std::string loop(const std::string& body, const std::string& before = "",
                 const std::string& step = "add.s32 %r1, %r1, 1;",
                 const std::string& test = "setp.lt.s32 %p1, %r1, %r0;\n\t@%p1 bra $L;") {
  return "\tmov.u32 %r1, 0;\n" + before + "$L:\n" + body + "\t" + step + "\n\t" + test + "\n";
}

Applied prefetched(const std::string& body, const KernelText& k = {}) {
  const Applied a = run(kernel(body, k), Action::kPrefetchL1);
  EXPECT_EQ(run(a.text, Action::kPrefetchL1).step.changes, 0u) << a.text;
  return a;
}

// What is inserted, without the registers' declarations.
std::vector<std::string> inserted(const Applied& a) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin < a.text.size();) {
    const size_t end = a.text.find('\n', begin);
    const std::string line = a.text.substr(begin, end - begin);
    if (line.find(".reg") == line.npos &&
        (line.find("pitot") != line.npos || line.find("prefetch") != line.npos))
      out.push_back(line.substr(line.find_first_not_of('\t')));
    begin = end + 1;
  }
  return out;
}

using testing::ElementsAre;

TEST(Prefetch, AMovingPointerWhileTheLoopGoesOn) {
  const Applied a =
      prefetched(loop("\tld.global.f32 %f1, [%rd1+4];\n\tadd.s64 %rd1, %rd1, 256;\n"));
  EXPECT_THAT(inserted(a),
              ElementsAre("add.s32 %pitot0, %r1, 1;", "setp.lt.s32 %pitot1, %pitot0, %r0;",
                          "@%pitot1 prefetch.global.L1 [%rd1+260];"));
}

TEST(Prefetch, ATestThatEndsTheLoopIsTurnedRound) {
  const Applied a = prefetched(loop("\tld.global.f32 %f1, [%rd1];\n\tadd.s64 %rd1, %rd1, 256;\n",
                                    "", "add.s32 %r1, %r1, 2;",
                                    "setp.ge.u32 %p1, %r1, 64;\n\t@%p1 bra $E;\n\tbra $L;\n$E:"));
  EXPECT_THAT(inserted(a),
              ElementsAre("add.s32 %pitot0, %r1, 2;", "setp.ge.u32 %pitot1, %pitot0, 64;",
                          "@!%pitot1 prefetch.global.L1 [%rd1+256];"));
}

TEST(Prefetch, ATestAtTheTopIsMadeForTheNextTurn) {
  const Applied a = prefetched(
      "\tmov.u32 %r1, 0;\n$L:\n\tsetp.ge.s32 %p1, %r1, %r0;\n\t@%p1 bra $E;\n"
      "\tld.global.f32 %f1, [%rd1];\n\tadd.s64 %rd1, %rd1, 256;\n\tadd.s32 %r1, %r1, 1;\n"
      "\tbra $L;\n$E:\n");
  EXPECT_THAT(inserted(a),
              ElementsAre("add.s32 %pitot0, %r1, 1;", "setp.ge.s32 %pitot1, %pitot0, %r0;",
                          "@!%pitot1 prefetch.global.L1 [%rd1+256];"));
}

TEST(Prefetch, GuardsOfTheLoadJoinTheTest) {
  const std::string guard = "\tsetp.eq.s32 %p2, %r0, 7;\n";
  EXPECT_THAT(inserted(prefetched(
                  loop("\t@%p2 ld.global.f32 %f1, [%rd1];\n\tadd.s64 %rd1, %rd1, 256;\n", guard))),
              ElementsAre("add.s32 %pitot0, %r1, 1;", "setp.lt.and.s32 %pitot1, %pitot0, %r0, %p2;",
                          "@%pitot1 prefetch.global.L1 [%rd1+256];"));
  EXPECT_THAT(inserted(prefetched(
                  loop("\t@%p2 ld.global.f32 %f1, [%rd1];\n\tadd.s64 %rd1, %rd1, 256;\n", guard,
                       "add.s32 %r1, %r1, 1;", "setp.ge.s32 %p1, %r1, %r0;\n\t@!%p1 bra $L;"))),
              ElementsAre("add.s32 %pitot0, %r1, 1;", "setp.ge.or.s32 %pitot1, %pitot0, %r0, !%p2;",
                          "@!%pitot1 prefetch.global.L1 [%rd1+256];"));
}

// The next turn's guard is made from the next index.
TEST(Prefetch, GuardsThatChangeAreMadeAnew) {
  EXPECT_THAT(
      inserted(prefetched(loop("\tsetp.lt.s32 %p2, %r1, 5;\n\t@!%p2 ld.global.f32 %f1, [%rd1];\n"
                               "\tadd.s64 %rd1, %rd1, 256;\n"))),
      ElementsAre("add.s32 %pitot0, %r1, 1;", "setp.lt.s32 %pitot1, %pitot0, 5;",
                  "add.s32 %pitot2, %r1, 1;", "setp.lt.and.s32 %pitot3, %pitot2, %r0, !%pitot1;",
                  "@%pitot3 prefetch.global.L1 [%rd1+256];"));
}

// The index might wrap, so its address is made anew from the next index.
TEST(Prefetch, AnIndexIsWidenedAgain) {
  const Applied a =
      prefetched(loop("\tmul.wide.s32 %rd3, %r1, 512;\n\tadd.s64 %rd4, %rd1, %rd3;\n"
                      "\tld.global.f32 %f1, [%rd4+8];\n"));
  EXPECT_THAT(inserted(a),
              ElementsAre("add.s32 %pitot0, %r1, 1;", "mul.wide.s32 %pitot1, %pitot0, 512;",
                          "add.s64 %pitot2, %rd1, %pitot1;", "add.s32 %pitot3, %r1, 1;",
                          "setp.lt.s32 %pitot4, %pitot3, %r0;",
                          "@%pitot4 prefetch.global.L1 [%pitot2+8];"));
}

// A step that only the launch knows: the loop's own addition is made early.
TEST(Prefetch, StepsThatAreNoConstants) {
  EXPECT_THAT(
      inserted(prefetched(loop("\tmad.wide.s32 %rd4, %r5, 2, %rd1;\n\tld.global.b16 %rs1, [%rd4];\n"
                               "\tadd.s32 %r5, %r5, %r0;\n",
                               "\tmov.u32 %r5, %tid.x;\n"))),
      ElementsAre("add.s32 %pitot0, %r5, %r0;", "mad.wide.s32 %pitot1, %pitot0, 2, %rd1;",
                  "add.s32 %pitot2, %r1, 1;", "setp.lt.s32 %pitot3, %pitot2, %r0;",
                  "@%pitot3 prefetch.global.L1 [%pitot1];"));
}

TEST(Prefetch, WhatIsGivenUpLeavesNoRegisters) {
  const Applied a =
      prefetched(loop("\tadd.s32 %r3, %r1, %r4;\n\tmul.wide.s32 %rd3, %r3, 512;\n"
                      "\tadd.s64 %rd4, %rd1, %rd3;\n\tld.global.u32 %r4, [%rd4];\n"
                      "\tld.global.f32 %f1, [%rd1];\n\tadd.s64 %rd1, %rd1, 256;\n"));
  EXPECT_EQ(a.step.changes, 1u);
  EXPECT_EQ(a.step.declined.size(), 1u);
  for (size_t at = a.text.find(".reg"); at != a.text.npos; at = a.text.find(".reg", at + 1)) {
    const size_t name = a.text.find("%pitot", at);
    if (name == a.text.npos || name > a.text.find('\n', at)) continue;
    const std::string made = a.text.substr(name, a.text.find(';', name) - name);
    EXPECT_NE(a.text.find(made, name + 1), a.text.npos) << made << " is not used\n" << a.text;
  }
}

TEST(Prefetch, OneALine) {
  const Applied a =
      prefetched(loop("\tld.global.f32 %f1, [%rd1];\n\tld.global.f32 %f2, [%rd1+64];\n"
                      "\tld.global.f32 %f3, [%rd1+128];\n\tadd.s64 %rd1, %rd1, 256;\n"));
  EXPECT_EQ(a.step.changes, 2u);
}

TEST(Prefetch, WhatALoopMayNotComeToIsLeftAlone) {
  const std::string load = "\tld.global.f32 %f1, [%rd1];\n\tadd.s64 %rd1, %rd1, 256;\n";
  auto declines = [](const std::string& body, const std::string& reason) {
    expect_declines(body, Action::kPrefetchL2, reason);
  };
  declines(loop("\tsetp.eq.s32 %p2, %r2, 0;\n\t@%p2 bra $E;\n" + load) + "$E:\n",
           "may be left in other places");
  declines(loop("\tsetp.eq.s32 %p2, %r2, 0;\n\t@%p2 exit;\n" + load),
           "may be left in other places");
  declines(loop("\tsetp.eq.s32 %p2, %r1, 5;\n\t@%p2 bra $S;\n" + load + "$S:\n"),
           "not every turn of its loop comes to it");
  declines(loop("\tsetp.eq.f32 %p2, %f1, %f2;\n\t@%p2 ld.global.f32 %f1, [%rd1];\n"
                "\tadd.s64 %rd1, %rd1, 256;\n"),
           "its guard in the next turn does not follow");
  declines(loop(load, "", "add.s32 %r0, %r0, -1;\n\tadd.s32 %r1, %r1, 1;"), "loop");
  declines(loop("\tld.global.u64 %rd1, [%rd1];\n"), "does not follow from this turn's");
  declines(loop("\tld.volatile.global.f32 %f1, [%rd1];\n"), "only weak loads");
}

TEST(Prefetch, LoadsOfABlockWhoseAddressIsKnownLongBefore) {
  std::string work;
  for (int k = 0; k < 9; ++k) work += "\tfma.rn.f32 %f2, %f2, %f2, %f3;\n";
  expect_becomes("\t@!%p1 bra $L;\n" + work + "\t@%p2 ld.global.f32 %f1, [%rd1+512];\n$L:\n",
                 Action::kPrefetchL2,
                 "\t@!%p1 bra $L;\n\t@%p2 prefetch.global.L2 [%rd1+512];\n" + work +
                     "\t@%p2 ld.global.f32 %f1, [%rd1+512];\n$L:\n");
  expect_declines(work + "\tadd.s64 %rd3, %rd1, %rd2;\n\tld.global.f32 %f1, [%rd3];\n",
                  Action::kPrefetchL2, "known only 0 instructions earlier");
  expect_declines(work + "\tsetp.eq.s32 %p2, %r1, 0;\n\t@%p2 ld.global.f32 %f1, [%rd1];\n",
                  Action::kPrefetchL2, "known only 0 instructions earlier");
  expect_declines("\tld.shared.f32 %f1, [%r1];\n", Action::kPrefetchL1, "no global load");
}

}  // namespace
}  // namespace pitot::transform
