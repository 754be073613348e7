// Bulk copies and reductions between global memory and the shared memory of a cluster.
#include <fmt/format.h>

#include "async_test_util.h"

namespace pitot::emulator::test {
namespace {

const std::string kShared = ".shared .align 128 .b8 s[1024];\n.shared .align 8 .b64 m;\n";
// %rd2 = out + 4 tid, %r7 = s + 4 tid; %p1: thread 0. Words 0-63 hold 5 i + 2; mbarrier m for one.
const std::string kStart =
    "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd1, %r2, 4;\nadd.s64 %rd2, %rd0, %rd1;\n"
    "shl.b32 %r8, %r2, 2;\nmov.u32 %r7, s;\nadd.u32 %r7, %r7, %r8;\nsetp.eq.u32 %p1, %r2, 0;\n"
    "mad.lo.u32 %r3, %r2, 5, 2;\nst.global.u32 [%rd2], %r3;\nmov.u32 %r4, s;\nmov.u32 %r5, m;\n"
    "mov.u32 %r6, %cluster_ctarank;\n"
    "@%p1 mbarrier.init.shared.b64 [m], 1;\nbar.sync 0;\n";
const std::string kWait =
    "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [m], 0;\n@!%p2 bra WAIT;\n";
const std::string kRead = "ld.shared.u32 %r9, [%r7];\nst.global.u32 [%rd2+256], %r9;\n";
const std::string kIn =
    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%rd0], 256, "
    "[%r5];\n";

std::string expect_tx(uint32_t bytes) {
  return fmt::format("@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [m], {};\n", bytes);
}

TEST(BulkCopy, FromGlobalToShared) {
  for (const std::string& order : {expect_tx(256) + kIn, kIn + expect_tx(256)}) {
    auto r = run_text(hopper_text(kStart + order + kWait + kRead, kShared), 256, threads(64), {0},
                      copies_checked());
    EXPECT_EQ(r.faults(), "");
    for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(r.out[64 + i], 5 * i + 2);
  }
}

TEST(BulkCopy, FromSharedToGlobalWithAByteMask) {
  const std::string fill =
      "add.u32 %r9, %r2, 0x01020300;\nst.shared.u32 [%r7], %r9;\n"
      "fence.proxy.async.shared::cta;\nbar.sync 0;\n";
  const std::string done = "@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group 0;\n";
  auto r = run_text(hopper_text(kStart + fill +
                                    "@%p1 cp.async.bulk.global.shared::cta.bulk_group "
                                    "[%rd0+512], [%r4], 256;\n" +
                                    done,
                                kShared),
                    256, threads(64), {0}, copies_checked());
  EXPECT_EQ(r.faults(), "");
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(r.out[128 + i], 0x01020300 + i);
  std::string text = hopper_text(kStart + fill +
                                     "mov.u16 %h1, 0x00f1;\n"
                                     "@%p1 cp.async.bulk.global.shared::cta.bulk_group.cp_mask "
                                     "[%rd0+512], [%r4], 256, %h1;\n" +
                                     done,
                                 kShared);
  text.replace(text.find("sm_90a"), 6, "sm_100");
  r = run_text(text, 256, threads(64), {0});
  EXPECT_EQ(r.faults(), "");
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(r.out[128 + i], i % 4 == 0 ? i : i % 4 == 1 ? 0x01020300 + i : 0u);
}

TEST(BulkCopy, ToSeveralBlocksAtOnce) {
  // Block 0 copies to blocks 1 and 2 of 4.
  const std::string body =
      kStart +
      "setp.eq.u32 %p3, %r6, 1;\nsetp.eq.u32 %p4, %r6, 2;\nor.pred %p5, %p3, %p4;\n"
      "and.pred %p6, %p5, %p1;\n@%p6 mbarrier.arrive.expect_tx.shared.b64 _, [m], 256;\n"
      "barrier.cluster.arrive;\nbarrier.cluster.wait;\nst.shared.u32 [%r7+512], %r2;\n"
      "setp.eq.u32 %p7, %r6, 0;\nand.pred %p7, %p7, %p1;\nmov.u16 %h1, 6;\n"
      "@%p7 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%r4], [%rd0], 256, [%r5], %h1;\n"
      "@!%p5 bra END;\n" +
      kWait +
      "ld.shared.u32 %r9, [%r7];\nshl.b32 %r10, %r6, 8;\ncvt.u64.u32 %rd4, %r10;\n"
      "add.s64 %rd4, %rd2, %rd4;\nst.global.u32 [%rd4], %r9;\nEND:\n"
      "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
  auto r = run_text(hopper_text(body, kShared), 256, clusters(64, 4, 4), {0}, copies_checked());
  EXPECT_EQ(r.faults(), "");
  for (uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(r.out[64 + i], 5 * i + 2);
    EXPECT_EQ(r.out[128 + i], 5 * i + 2);
    EXPECT_EQ(r.out[192 + i], 0u);
  }
}

TEST(BulkCopy, BetweenBlocksCopiedAndAdded) {
  for (const bool add : {false, true}) {
    const std::string op = std::string(add ? "cp.reduce.async.bulk" : "cp.async.bulk") +
                           ".shared::cluster.shared::cta.mbarrier::complete_tx::bytes" +
                           (add ? ".add.u32" : "");
    const std::string body =
        kStart + expect_tx(256) +
        "st.shared.u32 [%r7], 3;\nmad.lo.u32 %r9, %r6, 1000, %r2;\nst.shared.u32 [%r7+256], %r9;\n"
        "barrier.cluster.arrive;\nbarrier.cluster.wait;\nxor.b32 %r10, %r6, 1;\n"
        "mapa.shared::cluster.u32 %r11, %r4, %r10;\nmapa.shared::cluster.u32 %r12, %r5, %r10;\n"
        "add.u32 %r13, %r4, 256;\n@%p1 " +
        op + " [%r11], [%r13], 256, [%r12];\n" + kWait +
        "ld.shared.u32 %r9, [%r7];\nshl.b32 %r10, %r6, 8;\ncvt.u64.u32 %rd4, %r10;\n"
        "add.s64 %rd4, %rd2, %rd4;\nst.global.u32 [%rd4+256], %r9;\n"
        "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
    auto r = run_text(hopper_text(body, kShared), 256, clusters(64, 2, 2), {0}, copies_checked());
    EXPECT_EQ(r.faults(), "");
    for (uint32_t b = 0; b < 2; ++b)
      for (uint32_t i = 0; i < 64; ++i)
        EXPECT_EQ(r.out[64 + 64 * b + i], (1 - b) * 1000 + i + (add ? 3 : 0));
  }
}

TEST(BulkCopy, ReducedIntoGlobalMemory) {
  // 64 words on words 0-63.
  auto run = [](const std::string& op, uint32_t value, uint32_t start) {
    auto r = run_text(
        hopper_text(kStart +
                        fmt::format("st.shared.u32 [%r7], {};\nst.global.u32 [%rd2], {};\n"
                                    "bar.sync 0;\n@%p1 cp.reduce.async.bulk.global.shared::cta."
                                    "bulk_group.{} [%rd0], [%r4], 256;\n",
                                    value, start, op) +
                        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n",
                    kShared),
        256, threads(64), {0});
    EXPECT_EQ(r.faults(), "") << op;
    for (uint32_t i = 1; i < 64; ++i) EXPECT_EQ(r.out[i], r.out[i & 1]);
    return uint64_t{r.out[1]} << 32 | r.out[0];
  };
  EXPECT_EQ(run("add.u32", 5, 0xfffffffe), 0x0000000300000003u);
  EXPECT_EQ(run("min.s32", 0xfffffff0, 5), 0xfffffff0fffffff0u);
  EXPECT_EQ(run("max.u32", 0xfffffff0, 5), 0xfffffff0fffffff0u);
  EXPECT_EQ(run("inc.u32", 7, 7), 0u);
  EXPECT_EQ(run("xor.b32", 6, 5), 0x0000000300000003u);
  EXPECT_EQ(run("add.u64", 0x80000001, 0x80000001), 0x0000000300000002u | uint64_t{0} << 32);
  EXPECT_EQ(run("add.f32", 0x3f800000, 0x40000000), 0x4040000040400000u);
  EXPECT_EQ(run("add.noftz.f16", 0x3c003c00, 0x40003c00), 0x4200400042004000u);
  EXPECT_EQ(run("max.bf16", 0x3f80c000, 0x3f00bf80), 0x3f80bf803f80bf80u);
}

TEST(BulkCopy, FaultsOfTheCopyItself) {
  auto expect = [](const std::string& operands, FaultKind kind) {
    const std::string op =
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes " + operands;
    expect_fault(hopper_text(kStart + op + ";\n", kShared), op, kind, 256, threads(1), {});
  };
  expect("[%r4], [%rd0+4], 16, [%r5]", FaultKind::kMisaligned);
  expect("[%r4+8], [%rd0], 16, [%r5]", FaultKind::kMisaligned);
  expect("[%r4], [%rd0], %r3, [%r5]", FaultKind::kMisaligned);
  expect("[%r4], [%rd0+1008], 32, [%r5]", FaultKind::kOutOfBounds);
  expect("[%r4+1024], [%rd0], 32, [%r5]", FaultKind::kOutOfBounds);
  expect("[%r4], [%rd0], 32, [%r4+64]", FaultKind::kIllegal);
}

TEST(BulkCopy, MissingWaitsAreReported) {
  const Options o = copies_checked();
  expect_fault(hopper_text(kStart + expect_tx(256) + kIn + "bar.sync 0;\n" + kRead, kShared),
               "ld.shared", FaultKind::kUnwaitedCopy, 256, threads(64), o);
  // The wait for the phase before does not help.
  std::string wrong = kWait;
  wrong.replace(wrong.find(", 0;"), 4, ", 1;");
  expect_fault(hopper_text(kStart + "@%p1 mbarrier.expect_tx.relaxed.cta.shared.b64 [m], 256;\n" +
                               kIn + wrong + kRead,
                           kShared),
               "ld.shared", FaultKind::kUnwaitedCopy, 256, threads(64), o);
  const std::string out =
      "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd0+512], [%r4], 256;\n"
      "@%p1 cp.async.bulk.commit_group;\n";
  const std::string write = "bar.sync 0;\nst.shared.u32 [%r7], 1;\n";
  expect_fault(hopper_text(kStart + out + write, kShared), "st.shared", FaultKind::kUnwaitedCopy,
               256, threads(64), o, "still reads");
  EXPECT_EQ(run_text(hopper_text(kStart + out + "@%p1 cp.async.bulk.wait_group.read 0;\n" + write,
                                 kShared),
                     256, threads(64), {0}, o)
                .faults(),
            "");
}

TEST(BulkCopy, BytesThatDoNotMatchAreReported) {
  for (uint32_t bytes : {240u, 272u})
    expect_fault(hopper_text(kStart + expect_tx(bytes) + kIn + kWait, kShared),
                 "WAIT:", FaultKind::kTransactions, 256, threads(64), copies_checked(),
                 "16 bytes more");
}

TEST(BulkCopy, ABlockThatIsNotThere) {
  expect_fault(
      hopper_text(kStart + "mov.u16 %h1, 4;\n@%p1 cp.async.bulk.shared::cluster.global.mbarrier::"
                           "complete_tx::bytes.multicast::cluster [%r4], [%rd0], 16, [%r5], %h1;\n",
                  kShared),
      "cp.async.bulk", FaultKind::kIllegal, 256, clusters(64, 2, 2), {});
}

}  // namespace
}  // namespace pitot::emulator::test
