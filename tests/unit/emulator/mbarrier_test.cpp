// mbarrier objects: phases, tokens, counts, transaction bytes, and waits that never end.
#include <fmt/format.h>

#include "async_test_util.h"

namespace pitot::emulator::test::mbarrier_test {
namespace {

const std::string kShared = ".shared .align 8 .b64 m[4];\n.shared .align 8 .b8 s[1024];\n";
const std::string kOne = "mov.u32 %r2, %tid.x;\nsetp.eq.u32 %p1, %r2, 0;\n";

std::string init(uint32_t count) {
  return kOne + fmt::format("@%p1 mbarrier.init.shared.b64 [m], {};\nbar.sync 0;\n", count);
}

Ran run_lanes(const std::string& body, uint32_t lanes, uint64_t seed = 0) {
  Options o;
  o.instruction_budget = 10'000'000;
  o.seed = seed;
  return run_text(hopper_text(body, kShared), 128, threads(lanes), {0}, o);
}

TEST(Mbarrier, OneWarpWaitsForAnother) {
  // Warp 1 writes and arrives, warp 0 waits and reads.
  const std::string body =
      init(32) +
      "setp.lt.u32 %p2, %r2, 32;\nand.b32 %r3, %r2, 31;\nmul.wide.u32 %rd1, %r3, 4;\n"
      "mov.u64 %rd2, s;\nadd.s64 %rd2, %rd2, %rd1;\n@%p2 bra WAIT;\n"
      "add.u32 %r4, %r3, 500;\nst.shared.u32 [%rd2], %r4;\n"
      "mbarrier.arrive.shared.b64 _, [m];\nbra END;\n"
      "WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [m], 0;\n@!%p3 bra WAIT;\n"
      "ld.shared.u32 %r5, [%rd2];\nadd.s64 %rd3, %rd0, %rd1;\nst.global.u32 [%rd3], %r5;\nEND:\n";
  for (uint64_t seed : {0, 1}) {
    auto r = run_lanes(body, 64, seed);
    EXPECT_EQ(r.faults(), "");
    for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(r.out[i], 500 + i);
  }
}

TEST(Mbarrier, TwoWarpsAlternateOverManyPhases) {
  // A counter that both raise in turn: full[0] is told by warp 0, empty[1] by warp 1.
  const std::string body =
      kOne +
      "@%p1 mbarrier.init.shared.b64 [m], 1;\n@%p1 mbarrier.init.shared.b64 [m+8], 1;\n"
      "@%p1 st.shared.u32 [s], 1;\nbar.sync 0;\nmov.u32 %r4, 0;\nand.b32 %r5, %r2, 31;\n"
      "setp.ne.u32 %p2, %r5, 0;\n@%p2 bra END;\nsetp.ge.u32 %p3, %r2, 32;\n@%p3 bra SECOND;\n"
      "FIRST: ld.shared.u32 %r6, [s];\nmul.lo.u32 %r6, %r6, 3;\nst.shared.u32 [s], %r6;\n"
      "mbarrier.arrive.shared.b64 _, [m];\nand.b32 %r7, %r4, 1;\n"
      "W1: mbarrier.try_wait.parity.shared.b64 %p4, [m+8], %r7;\n@!%p4 bra W1;\n"
      "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p5, %r4, 9;\n@%p5 bra FIRST;\n"
      "ld.shared.u32 %r6, [s];\nst.global.u32 [%rd0], %r6;\nbra END;\n"
      "SECOND: and.b32 %r7, %r4, 1;\n"
      "W2: mbarrier.try_wait.parity.shared.b64 %p4, [m], %r7;\n@!%p4 bra W2;\n"
      "ld.shared.u32 %r6, [s];\nadd.u32 %r6, %r6, 1;\nst.shared.u32 [s], %r6;\n"
      "mbarrier.arrive.shared.b64 _, [m+8];\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p5, %r4, 9;\n"
      "@%p5 bra SECOND;\nEND:\n";
  auto r = run_lanes(body, 64);
  EXPECT_EQ(r.faults(), "");
  uint32_t want = 1;
  for (int i = 0; i < 9; ++i) want = want * 3 + 1;
  EXPECT_EQ(r.out[0], want);
}

TEST(Mbarrier, TokensNameTheirPhase) {
  auto r = run_lanes(init(1) +
                         "mbarrier.arrive.shared.b64 %rd1, [m];\n"
                         "mbarrier.test_wait.shared.b64 %p2, [m], %rd1;\n"
                         "selp.u32 %r3, 1, 0, %p2;\nst.global.u32 [%rd0], %r3;\n"
                         "mbarrier.test_wait.parity.shared.b64 %p2, [m], 1;\n"
                         "selp.u32 %r3, 1, 0, %p2;\nst.global.u32 [%rd0+4], %r3;\n"
                         "mbarrier.arrive.shared.b64 %rd1, [m];\n"
                         "mbarrier.test_wait.parity.shared.b64 %p2, [m], 1;\n"
                         "selp.u32 %r3, 1, 0, %p2;\nst.global.u32 [%rd0+8], %r3;\n",
                     1);
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(r.out[0], 1u);
  EXPECT_EQ(r.out[1], 0u);
  EXPECT_EQ(r.out[2], 1u);
}

TEST(Mbarrier, PendingCountIsThatBeforeTheArrival) {
  auto r = run_lanes(init(7) +
                         "mbarrier.arrive.noComplete.shared.b64 %rd1, [m], 2;\n"
                         "mbarrier.pending_count.b64 %r3, %rd1;\nst.global.u32 [%rd0], %r3;\n"
                         "mbarrier.arrive.noComplete.shared.b64 %rd1, [m], 3;\n"
                         "mbarrier.pending_count.b64 %r3, %rd1;\nst.global.u32 [%rd0+4], %r3;\n"
                         "mbarrier.arrive.noComplete.shared.b64 %rd1, [m], 1;\n"
                         "mbarrier.pending_count.b64 %r3, %rd1;\nst.global.u32 [%rd0+8], %r3;\n",
                     1);
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(r.out[0], 7u);
  EXPECT_EQ(r.out[1], 5u);
  EXPECT_EQ(r.out[2], 2u);
}

TEST(Mbarrier, WhoDropsOutIsNotExpectedAgain) {
  // Three, of whom one drops out: the second phase takes two.
  auto test = [](uint32_t at) {
    return fmt::format(
        "mbarrier.test_wait.parity.shared.b64 %p2, [m], {};\nselp.u32 %r3, 1, 0, %p2;\n"
        "st.global.u32 [%rd0+{}], %r3;\n",
        at < 2 ? 0 : 1, at * 4);
  };
  const std::string arrive = "mbarrier.arrive.shared.b64 %rd1, [m];\n";
  auto r = run_lanes(init(3) + "mbarrier.arrive_drop.shared.b64 _, [m];\n" + arrive + test(0) +
                         arrive + test(1) + arrive + test(2) + arrive + test(3),
                     1);
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(std::vector<uint32_t>(r.out.begin(), r.out.begin() + 4),
            (std::vector<uint32_t>{0, 1, 0, 1}));
}

TEST(Mbarrier, BytesAreWaitedForToo) {
  auto test = [](uint32_t at) {
    return fmt::format(
        "mbarrier.test_wait.parity.shared.b64 %p2, [m], 0;\nselp.u32 %r3, 1, 0, %p2;\n"
        "st.global.u32 [%rd0+{}], %r3;\n",
        at * 4);
  };
  auto r = run_lanes(init(1) + "mbarrier.expect_tx.relaxed.cta.shared.b64 [m], 64;\n" +
                         "mbarrier.arrive.expect_tx.shared.b64 _, [m], 36;\n" + test(0) +
                         "mbarrier.complete_tx.relaxed.cta.shared.b64 [m], 60;\n" + test(1) +
                         "mbarrier.complete_tx.relaxed.cta.shared.b64 [m], 40;\n" + test(2),
                     1);
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(std::vector<uint32_t>(r.out.begin(), r.out.begin() + 3),
            (std::vector<uint32_t>{0, 0, 1}));
}

TEST(Mbarrier, WaitsThatNeverEnd) {
  const std::string wait =
      "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [m], 0;\n@!%p2 bra WAIT;\n";
  Options o;
  o.instruction_budget = 50'000'000;
  auto expect = [&](const std::string& body, FaultKind kind, const std::string& message) {
    expect_fault(hopper_text(body + wait, kShared), "WAIT:", kind, 128, threads(64), o, message);
  };
  expect(init(65) + "mbarrier.arrive.shared.b64 _, [m];\n", FaultKind::kDeadlock,
         "the mbarrier at 0x0 waits for 1 of 65 arrivals");
  expect(init(1) +
             "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [m], 128;\n"
             "@%p1 mbarrier.complete_tx.relaxed.cta.shared.b64 [m], 96;\n",
         FaultKind::kTransactions, "the mbarrier at 0x0 expects 32 bytes more than were copied");
  expect(init(1) +
             "@%p1 mbarrier.complete_tx.relaxed.cta.shared.b64 [m], 96;\n"
             "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [m], 64;\n",
         FaultKind::kTransactions, "32 bytes more were copied than the mbarrier at 0x0 expects");
}

TEST(Mbarrier, MisuseIsReported) {
  auto expect = [](const std::string& body, const std::string& where, FaultKind kind) {
    expect_fault(hopper_text(body + where + ";\n", kShared), where, kind, 128, threads(1), {});
  };
  const std::string arrive = "mbarrier.arrive.shared.b64 _, [m]";
  expect(kOne, arrive, FaultKind::kIllegal);
  expect(init(2) + "mbarrier.inval.shared.b64 [m];\n", arrive, FaultKind::kIllegal);
  expect(init(2), "mbarrier.arrive.shared.b64 _, [m], 3", FaultKind::kIllegal);
  expect(init(2), "mbarrier.arrive.noComplete.shared.b64 %rd1, [m], 2", FaultKind::kIllegal);
  expect(init(2), "mbarrier.arrive.shared.b64 _, [m+4]", FaultKind::kMisaligned);
  expect(init(2), "mbarrier.try_wait.parity.shared.b64 %p2, [m+16], 0", FaultKind::kIllegal);
  expect("mov.u32 %r3, 0;\n", "mbarrier.init.shared.b64 [m], %r3", FaultKind::kIllegal);
  expect(init(1), "mbarrier.arrive.b64 _, [%rd0]", FaultKind::kIllegal);
}

}  // namespace
}  // namespace pitot::emulator::test::mbarrier_test
