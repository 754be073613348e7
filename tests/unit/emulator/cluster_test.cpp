// Clusters: ranks, distributed shared memory, the barrier of the cluster, stores and reductions
// that tell a remote mbarrier.
#include <fmt/format.h>

#include "async_test_util.h"

namespace pitot::emulator::test::cluster_test {
namespace {

const std::string kShared = ".shared .align 8 .b64 m;\n.shared .align 16 .b8 s[256];\n";
const std::string kSync = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";

// %r2 tid, %r3 rank in the cluster, %r4 next rank of 4, %rd2 = out + 4 (32 ctaid + tid).
const std::string kStart =
    "mov.u32 %r2, %tid.x;\nmov.u32 %r3, %cluster_ctarank;\nadd.u32 %r4, %r3, 1;\n"
    "and.b32 %r4, %r4, 3;\nmov.u32 %r5, %ctaid.x;\nmad.lo.u32 %r6, %r5, 32, %r2;\n"
    "mul.wide.u32 %rd1, %r6, 4;\nadd.s64 %rd2, %rd0, %rd1;\nmov.u32 %r7, s;\nshl.b32 %r8, %r2, 2;\n"
    "add.u32 %r7, %r7, %r8;\nsetp.eq.u32 %p1, %r2, 0;\n";

TEST(Cluster, ABlockReadsItsNeighbour) {
  // Both as a shared::cluster address and as a generic one; two clusters.
  for (const bool generic : {false, true}) {
    const std::string read =
        generic ? "cvt.u64.u32 %rd3, %r7;\ncvta.shared.u64 %rd3, %rd3;\nmapa.u64 %rd4, %rd3, %r4;\n"
                  "ld.u32 %r10, [%rd4];\ngetctarank.u64 %r11, %rd4;\n"
                : "mapa.shared::cluster.u32 %r9, %r7, %r4;\nld.shared::cluster.u32 %r10, [%r9];\n"
                  "getctarank.shared::cluster.u32 %r11, %r9;\n";
    auto r = run_text(
        hopper_text(kStart + "mad.lo.u32 %r12, %r5, 1000, %r2;\nst.shared.u32 [%r7], %r12;\n" +
                        kSync + read + kSync + "mad.lo.u32 %r10, %r11, 100000, %r10;\n" +
                        "st.global.u32 [%rd2], %r10;\n",
                    kShared),
        256, clusters(32, 8, 4), {0});
    EXPECT_EQ(r.faults(), "");
    for (uint32_t b = 0; b < 8; ++b)
      for (uint32_t t = 0; t < 32; ++t) {
        const uint32_t next = (b + 1) % 4;
        EXPECT_EQ(r.out[b * 32 + t], next * 100000 + (b / 4 * 4 + next) * 1000 + t);
      }
  }
}

TEST(Cluster, RanksFollowTheShapeOfTheCluster) {
  Launch l;
  l.grid = {4, 4, 1};
  l.cluster = {2, 2, 1};
  auto r = run_text(hopper_text("mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\n"
                                "mad.lo.u32 %r3, %r2, 4, %r1;\nmul.wide.u32 %rd1, %r3, 4;\n"
                                "add.s64 %rd1, %rd0, %rd1;\nmov.u32 %r4, %cluster_ctarank;\n"
                                "st.global.u32 [%rd1], %r4;\n"),
                    16, l, {0});
  EXPECT_EQ(r.faults(), "");
  for (uint32_t y = 0; y < 4; ++y)
    for (uint32_t x = 0; x < 4; ++x) EXPECT_EQ(r.out[y * 4 + x], x % 2 + y % 2 * 2);
}

TEST(Cluster, TheBarrierWaitsForEveryBlockOverManyPhases) {
  // Every block adds to the counter of block 0 and sees the sum of all after each barrier.
  auto r = run_text(
      hopper_text(kStart + "st.shared.u32 [%r7], 0;\nmov.u32 %r20, 0;\nmov.u32 %r21, 0;\n" + kSync +
                      "mapa.shared::cluster.u32 %r9, %r7, 0;\n"
                      "LOOP: atom.shared::cluster.add.u32 %r10, [%r9], 1;\n" +
                      kSync + "ld.shared::cluster.u32 %r11, [%r9];\nadd.u32 %r20, %r20, %r11;\n" +
                      kSync +
                      "add.u32 %r21, %r21, 1;\nsetp.lt.u32 %p2, %r21, 5;\n@%p2 bra LOOP;\n"
                      "st.global.u32 [%rd2], %r20;\n",
                  kShared),
      128, clusters(32, 4, 4), {0});
  EXPECT_EQ(r.faults(), "");
  for (uint32_t v : r.out) EXPECT_EQ(v, 4u + 8 + 12 + 16 + 20);
}

TEST(Cluster, ArriveAndWaitMayLieApart) {
  auto r =
      run_text(hopper_text(kStart + "barrier.cluster.arrive.release;\nadd.u32 %r9, %r2, 5;\n"
                                    "barrier.cluster.wait.acquire;\nst.global.u32 [%rd2], %r9;\n",
                           kShared),
               128, clusters(32, 4, 4), {0});
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(r.out[127], 36u);
}

TEST(Cluster, ExitedThreadsAreNotWaitedFor) {
  auto r = run_text(hopper_text(kStart + "setp.eq.u32 %p2, %r3, 2;\n@%p2 exit;\n" + kSync +
                                    "st.global.u32 [%rd2], 1;\n",
                                kShared),
                    128, clusters(32, 4, 4), {0});
  EXPECT_EQ(r.faults(), "");
  for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(r.out[i], i / 32 == 2 ? 0u : 1u);
}

TEST(Cluster, RemoteArrivals) {
  // Every block arrives at the mbarrier of block 0, which waits for all of them.
  auto r = run_text(
      hopper_text(kStart + "setp.eq.u32 %p2, %r3, 0;\n@%p1 mbarrier.init.shared.b64 [m], 4;\n" +
                      kSync +
                      "mov.u32 %r9, m;\nmapa.shared::cluster.u32 %r9, %r9, 0;\n"
                      "@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r9];\n"
                      "@!%p2 bra END;\n"
                      "WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [m], 0;\n@!%p3 bra WAIT;\n"
                      "st.global.u32 [%rd2], 7;\nEND:\n" +
                      kSync,
                  kShared),
      128, clusters(32, 4, 4), {0});
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(r.out[31], 7u);
  EXPECT_EQ(r.out[32], 0u);
}

// Each lane sends a word (or adds to it) in the next block, which waits for the bytes.
std::string remote(const std::string& send, uint32_t bytes) {
  return kStart + "@%p1 mbarrier.init.shared.b64 [m], 1;\nst.shared.u32 [%r7], 10;\n" + kSync +
         fmt::format("@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [m], {};\n", bytes) +
         "mapa.shared::cluster.u32 %r9, %r7, %r4;\nmov.u32 %r11, m;\n"
         "mapa.shared::cluster.u32 %r11, %r11, %r4;\nmad.lo.u32 %r12, %r3, 100, %r2;\n" +
         send +
         "WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [m], 0;\n@!%p3 bra WAIT;\n"
         "ld.shared.u32 %r13, [%r7];\nst.global.u32 [%rd2], %r13;\n" +
         kSync;
}

TEST(Cluster, StoresAndReductionsThatTellAnMbarrier) {
  const std::string end = ".shared::cluster.mbarrier::complete_tx::bytes";
  for (const bool add : {false, true}) {
    const std::string send =
        add ? "red.async.relaxed.cluster" + end + ".add.u32 [%r9], %r12, [%r11];\n"
            : "st.async.weak" + end + ".u32 [%r9], %r12, [%r11];\n";
    auto r = run_text(hopper_text(remote(send, 128), kShared), 128, clusters(32, 4, 4), {0},
                      copies_checked());
    EXPECT_EQ(r.faults(), "");
    for (uint32_t i = 0; i < 128; ++i)
      EXPECT_EQ(r.out[i], (i / 32 + 3) % 4 * 100 + i % 32 + (add ? 10 : 0));
  }
  expect_fault(
      hopper_text(remote("st.async.weak" + end + ".u32 [%r9], %r12, [%r11];\n", 132), kShared),
      "WAIT:", FaultKind::kTransactions, 128, clusters(32, 4, 4), copies_checked(),
      "expects 4 bytes more");
}

TEST(Cluster, TheCauseIsNamedBeforeThoseWhoWaitForIt) {
  // Block 2 expects bytes that nobody sends; the others wait for it at the barrier.
  expect_fault(hopper_text(kStart +
                               "@%p1 mbarrier.init.shared.b64 [m], 1;\n"
                               "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [m], 16;\n"
                               "setp.ne.u32 %p2, %r3, 2;\n@%p2 bra END;\nbar.sync 0;\n"
                               "WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [m], 0;\n"
                               "@!%p3 bra WAIT;\nEND:\n" +
                               kSync,
                           kShared),
               "WAIT:", FaultKind::kTransactions, 128, clusters(32, 4, 4), {},
               "expects 16 bytes more");
}

TEST(Cluster, NoLaunchIsCancelled) {
  std::string text = hopper_text(
      kStart +
          "@%p1 mbarrier.init.shared.b64 [m], 1;\n@%p1 mbarrier.arrive.expect_tx.shared.b64 _, "
          "[m], 16;\nst.shared.u32 [%r7], -1;\nmov.u32 %r9, s;\nmov.u32 %r10, m;\nbar.sync 0;\n"
          "@%p1 "
          "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
          "[%r9], [%r10];\nWAIT: mbarrier.try_wait.parity.shared.b64 %p3, [m], 0;\n"
          "@!%p3 bra WAIT;\nld.shared.b128 %q1, [%r9];\n"
          "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p4, %q1;\n"
          "selp.u32 %r11, 1, 2, %p4;\nst.global.u32 [%rd2], %r11;\n",
      kShared + ".reg .b128 %q<4>;\n");
  text.replace(text.find("sm_90a"), 6, "sm_100");
  auto r = run_text(text, 128, threads(32), {0}, copies_checked());
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(r.out[31], 2u);
}

TEST(Cluster, MemoryOfABlockThatHasExited) {
  expect_fault(hopper_text(kStart + kSync +
                               "mapa.shared::cluster.u32 %r9, %r7, %r4;\n"
                               "setp.ne.u32 %p2, %r3, 3;\n@%p2 exit;\n" +
                               kSync + "ld.shared::cluster.u32 %r10, [%r9];\n",
                           kShared),
               "ld.shared::cluster", FaultKind::kIllegal, 128, clusters(32, 4, 4), {},
               "block 0 of the cluster, which has exited");
}

TEST(Cluster, WrongUseOfTheBarrier) {
  auto expect = [](const std::string& body, const std::string& where, FaultKind kind,
                   const std::string& message) {
    expect_fault(hopper_text(kStart + body, kShared), where, kind, 128, clusters(32, 4, 4), {},
                 message);
  };
  expect("barrier.cluster.wait;\n", "barrier.cluster.wait", FaultKind::kIllegal, "without having");
  expect("barrier.cluster.arrive;\nbarrier.cluster.arrive.relaxed;\n", "barrier.cluster.arrive.rel",
         FaultKind::kIllegal, "again");
  expect(
      "@%p1 bra END;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait;\nEND:\nbarrier.sync "
      "1;\n",
      "barrier.cluster.arrive", FaultKind::kBarrierDivergence, "only part");
  // Block 1 waits for something else for ever.
  expect(
      "setp.eq.u32 %p2, %r3, 1;\n@%p2 bra OTHER;\nbarrier.cluster.arrive;\n"
      "barrier.cluster.wait;\nexit;\nOTHER: bar.sync 0, 64;\n",
      "barrier.cluster.wait", FaultKind::kDeadlock,
      "the barrier of the cluster waited by 96 of 128 threads");
}

TEST(Cluster, ARankBeyondTheCluster) {
  expect_fault(hopper_text(kStart + "mapa.shared::cluster.u32 %r9, %r7, 4;\n"
                                    "ld.shared::cluster.u32 %r10, [%r9];\n",
                           kShared),
               "ld.shared::cluster", FaultKind::kOutOfBounds, 128, clusters(32, 4, 4), {});
}

}  // namespace
}  // namespace pitot::emulator::test::cluster_test
