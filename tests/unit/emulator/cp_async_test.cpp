// cp.async: sizes, zero fill, groups, mbarriers, and reads that do not wait.
#include <fmt/format.h>

#include "async_test_util.h"

namespace pitot::emulator::test::cp_async_test {
namespace {

const std::string kShared = ".shared .align 16 .b8 s[1024];\n.shared .align 8 .b64 m;\n";

// %rd2 = the lane's place in the buffer, %rd3 in shared memory, 16 bytes a lane; the buffer's
// words 0-127 hold 3 i + 1.
const std::string kFill =
    "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd1, %r2, 16;\nadd.s64 %rd2, %rd0, %rd1;\n"
    "mov.u64 %rd3, s;\nadd.s64 %rd3, %rd3, %rd1;\nmul.lo.u32 %r3, %r2, 12;\n"
    "add.u32 %r4, %r3, 1;\nadd.u32 %r5, %r3, 4;\nadd.u32 %r6, %r3, 7;\nadd.u32 %r7, %r3, 10;\n"
    "st.global.v4.u32 [%rd2], {%r4, %r5, %r6, %r7};\nbar.sync 0;\n";
// Stores what the opposite lane copied behind the 512 bytes.
const std::string kBack =
    "bar.sync 0;\nxor.b32 %r8, %r2, 31;\nmul.wide.u32 %rd4, %r8, 16;\nmov.u64 %rd5, s;\n"
    "add.s64 %rd5, %rd5, %rd4;\nld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%rd5];\n"
    "st.global.v4.u32 [%rd2+512], {%r10, %r11, %r12, %r13};\n";

void expect_copied(const Ran& r, uint32_t bytes) {
  EXPECT_EQ(r.faults(), "");
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 4; ++i)
      EXPECT_EQ(r.out[128 + lane * 4 + i], i * 4 < bytes ? 3 * ((31 - lane) * 4 + i) + 1 : 0u);
}

TEST(CpAsync, SizesAndCacheOperators) {
  for (const char* op :
       {"ca.shared.global [%rd3], [%rd2], 4", "ca.shared.global [%rd3], [%rd2], 8",
        "ca.shared.global [%rd3], [%rd2], 16", "cg.shared.global [%rd3], [%rd2], 16"}) {
    const uint32_t bytes =
        static_cast<uint32_t>(std::stoi(std::string(op).substr(std::string(op).rfind(' '))));
    const std::string text = kernel_text(
        kFill + "cp.async." + op + ";\ncp.async.commit_group;\ncp.async.wait_group 0;\n" + kBack,
        kShared);
    expect_copied(run_text(text, 256, threads(32), {0}), bytes);
    expect_copied(run_text(text, 256, threads(32), {0}, copies_checked()), bytes);
  }
}

TEST(CpAsync, TheRestOfAShortSourceIsZero) {
  for (uint32_t n : {0u, 4u, 8u, 12u, 16u})
    expect_copied(run_text(kernel_text(kFill +
                                           fmt::format("cp.async.cg.shared.global [%rd3], "
                                                       "[%rd2], 16, {};\n"
                                                       "cp.async.wait_all;\n",
                                                       n) +
                                           kBack,
                                       kShared),
                           256, threads(32), {0}),
                  n);
  // Bytes that are not whole words, and no access to an address that is not read.
  auto r = run_text(kernel_text(kFill +
                                    "mov.u32 %r9, 6;\nsetp.ne.u32 %p1, %r2, 31;\n"
                                    "selp.u32 %r9, 0, %r9, %p1;\nselp.b64 %rd2, 16, %rd2, %p1;\n"
                                    "cp.async.ca.shared.global [%rd3], [%rd2], 16, %r9;\n"
                                    "cp.async.wait_all;\nadd.s64 %rd2, %rd0, %rd1;\n" +
                                    kBack,
                                kShared),
                    256, threads(32), {0});
  EXPECT_EQ(r.faults(), "");
  EXPECT_EQ(r.out[128], 3u * 124 + 1);
  EXPECT_EQ(r.out[129], (3u * 125 + 1) & 0xffff);
  EXPECT_EQ(r.out[130], 0u);
  EXPECT_EQ(r.out[132], 0u);
}

TEST(CpAsync, AnIgnoredSourceIsZeros) {
  auto r = run_text(kernel_text(kFill +
                                    "setp.ge.u32 %p1, %r2, 16;\n"
                                    "cp.async.ca.shared.global [%rd3], [%rd2], 16, %p1;\n"
                                    "cp.async.wait_all;\n" +
                                    kBack,
                                kShared),
                    256, threads(32), {0});
  EXPECT_EQ(r.faults(), "");
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(r.out[128 + lane * 4], lane > 15 ? 3 * (31 - lane) * 4 + 1 : 0u);
}

TEST(CpAsync, FaultsOfTheCopyItself) {
  auto expect = [](const std::string& op, FaultKind kind) {
    expect_fault(kernel_text(kFill + op + ";\n", kShared), op, kind, 256, threads(32), {});
  };
  expect("cp.async.ca.shared.global [%rd3], [%rd2+4], 8", FaultKind::kMisaligned);
  expect("cp.async.ca.shared.global [%rd3+8], [%rd2], 16", FaultKind::kMisaligned);
  expect("cp.async.ca.shared.global [%rd3], [%rd2+528], 16", FaultKind::kOutOfBounds);
  expect("cp.async.ca.shared.global [%rd3+1040], [%rd2], 16", FaultKind::kOutOfBounds);
  expect("cp.async.ca.shared.global [%rd3], [%rd2], 4, 5", FaultKind::kIllegal);
}

TEST(CpAsync, ReadsThatDoNotWaitAreReported) {
  const std::string copy = "cp.async.ca.shared.global [%rd3], [%rd2], 16;\n";
  const std::string commit = "cp.async.commit_group;\n";
  const std::string none = "cp.async.ca.shared.global [%rd3+512], [%rd2], 16;\n" + commit;
  const char* const load = "ld.shared.v4";
  auto early = [&](const std::string& middle) {
    const std::string text = kernel_text(kFill + copy + middle + kBack, kShared);
    expect_fault(text, load, FaultKind::kUnwaitedCopy, 256, threads(32), copies_checked(),
                 fmt::format("line {}", line_of(text, "cp.async.ca")));
    EXPECT_EQ(run_text(text, 256, threads(32), {0}).faults(), "");
  };
  early("");
  early(commit);
  early(commit + "cp.async.wait_group 1;\n");
  early("cp.async.wait_group 0;\n");  // never committed
  early(commit + none + "cp.async.wait_group 2;\n");
  auto fine = [&](const std::string& middle) {
    expect_copied(run_text(kernel_text(kFill + copy + middle + kBack, kShared), 256, threads(32),
                           {0}, copies_checked()),
                  16);
  };
  fine(commit + none + "cp.async.wait_group 1;\n");
  fine("cp.async.wait_all;\n");
}

TEST(CpAsync, OverwritingACopyOnItsWayIsReported) {
  expect_fault(kernel_text(kFill + "cp.async.ca.shared.global [%rd3], [%rd2], 16;\n"
                                   "st.shared.u32 [%rd3+12], %r2;\n",
                           kShared),
               "st.shared", FaultKind::kUnwaitedCopy, 256, threads(32), copies_checked());
}

TEST(CpAsync, AnMbarrierKnowsOfTheCopies) {
  const std::string start =
      "setp.eq.u32 %p1, %r2, 0;\n@%p1 mbarrier.init.shared.b64 [m], 32;\nbar.sync 0;\n"
      "cp.async.ca.shared.global [%rd3], [%rd2], 16;\n";
  const std::string wait =
      "WAIT: mbarrier.test_wait.parity.shared.b64 %p2, [m], 0;\n@!%p2 bra WAIT;\n";
  for (const char* arrive :
       {"cp.async.mbarrier.arrive.noinc.shared.b64 [m];\n",
        "cp.async.mbarrier.arrive.shared.b64 [m];\nmbarrier.arrive.shared.b64 %rd9, [m];\n"}) {
    expect_copied(run_text(kernel_text(kFill + start + arrive + wait + kBack, kShared), 256,
                           threads(32), {0}, copies_checked()),
                  16);
    expect_fault(kernel_text(kFill + start + arrive + kBack, kShared), "ld.shared.v4",
                 FaultKind::kUnwaitedCopy, 256, threads(32), copies_checked());
  }
}

}  // namespace
}  // namespace pitot::emulator::test::cp_async_test
