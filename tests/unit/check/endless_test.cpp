// Kernels that do not come to an end, and trials beside each other.
#include "check/endless.h"

#include <gmock/gmock.h>

#include "check_test_util.h"
#include "support/file.h"

namespace pitot::check::test {
namespace {

using testing::HasSubstr;

const std::string kLoad = "ld.global.f32 %f0, [%rd3];\n";
// 5 lines from where it is put; its loop is the second to the fourth.
const std::string kEndless =
    "mov.u32 %r3, 0;\nLOOP:\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 0xffffffff;\n"
    "@%p1 bra LOOP;\n";

CheckResult check_bodies(const std::string& a, const std::string& b, Options o = {}) {
  return check_loaded(load_text("a.ptx", kernel_of(a)), load_text("b.ptx", kernel_of(b)), o);
}

TEST(Endless, PatienceIsAMultipleOfWhatTheFirstNeeds) {
  EXPECT_EQ(patience(10, 4'000'000), 250'000u) << "never less than a sixteenth";
  EXPECT_EQ(patience(10'000, 4'000'000), 2'560'000u);
  EXPECT_EQ(patience(100'000, 4'000'000), 4'000'000u) << "never more than the budget";
  EXPECT_TRUE(hangs(4'000'000, 62'500));
  EXPECT_FALSE(hangs(4'000'000, 62'501)) << "it may only be slow";
}

// 4 million instructions a trial, 48 trials of two kernels would take minutes.
TEST(Endless, AnEndlessFirstKernelIsGivenUpSoon) {
  const CheckResult r = check_bodies(kLoad + kEndless, kLoad);
  EXPECT_EQ(r.verdict, Verdict::kUndecided);
  EXPECT_EQ(r.trials, 0u);
  EXPECT_EQ(r.skipped, 2u);
  ASSERT_EQ(r.reasons.size(), 1u) << explain(r);
  EXPECT_EQ(
      r.reasons[0],
      "no end within 4,000,000 warp instructions (a in 2 trials, however small its numbers): a "
      "was in the loop of lines 24 to 26; --budget allows more");
}

TEST(Endless, ItIsSaidWhenBothAre) {
  const CheckResult r = check_bodies(kLoad + kEndless, kLoad + "mov.u32 %r7, 1;\n" + kEndless);
  EXPECT_EQ(r.verdict, Verdict::kUndecided);
  ASSERT_EQ(r.reasons.size(), 1u);
  EXPECT_THAT(r.reasons[0], HasSubstr("(a and b in 2 trials"));
}

TEST(Endless, ASecondKernelThatHangsIsAFault) {
  const CheckResult r = check_bodies(kLoad, kLoad + kEndless);
  EXPECT_EQ(r.verdict, Verdict::kFault);
  ASSERT_EQ(r.faults.size(), 1u);
  EXPECT_EQ(r.faults[0].side, 'b');
  EXPECT_EQ(r.faults[0].kind, "hang");
  EXPECT_THAT(r.faults[0].message, HasSubstr("where a was done after"));
  EXPECT_THAT(r.faults[0].message, HasSubstr("in the loop of lines 24 to 26"));
  EXPECT_EQ(r.trials, 1u);
}

// Fifty times as many instructions are slow, not wrong.
TEST(Endless, ASlowSecondKernelIsTheSame) {
  const std::string slow =
      "mov.u32 %r3, 0;\nLOOP:\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 200;\n"
      "@%p1 bra LOOP;\n";
  const CheckResult r = check_bodies(kLoad, kLoad + slow);
  EXPECT_EQ(r.verdict, Verdict::kSame) << explain(r);
}

// Only where n is odd: found, and as a hang.
TEST(Endless, AHangOnSomeInputsIsFound) {
  const std::string odd =
      "and.b32 %r4, %r0, 1;\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra DONE;\n" + kEndless + "DONE:\n";
  const CheckResult r = check_bodies(kLoad, kLoad + odd);
  EXPECT_EQ(r.verdict, Verdict::kFault) << explain(r);
  ASSERT_EQ(r.faults.size(), 1u);
  EXPECT_EQ(r.faults[0].kind, "hang");
}

// The first kernel hangs for one number: smaller ones are tried, and it is said.
TEST(Endless, AFirstKernelThatHangsOnSomeInputsIsNoted) {
  const std::string some = "setp.ne.u32 %p2, %r0, 97;\n@%p2 bra DONE;\n" + kEndless + "DONE:\n";
  const CheckResult r = check_bodies(kLoad + some, kLoad);
  EXPECT_EQ(r.verdict, Verdict::kUndecided) << explain(r);
  ASSERT_FALSE(r.notes.empty());
  EXPECT_THAT(r.notes[0],
              HasSubstr("made smaller: with grid 1, n = 97 a has no end within 4,000,000 "
                        "warp instructions (in the loop of lines 26 to 28)"));
}

TEST(Endless, WithASpecToo) {
  device::KernelSpec spec;
  spec.block = {"32", "1", "1"};
  spec.sizes.push_back({"full", {{"n", 4}}});
  for (const char* name : {"out", "x"}) {
    device::ArgumentSpec buffer;
    buffer.name = name;
    buffer.is_buffer = true;
    buffer.type = ptx::Type::kF32;
    buffer.count = "32 * n";
    buffer.role = device::Role::kInOut;
    spec.arguments.push_back(buffer);
  }
  device::ArgumentSpec n;
  n.name = "n";
  n.type = ptx::Type::kU32;
  n.value = "n";
  spec.arguments.push_back(n);
  Options o;
  o.spec = &spec;
  o.budget = 1'000'000;
  const CheckResult hang = check_bodies(kLoad, kLoad + kEndless, o);
  EXPECT_EQ(hang.verdict, Verdict::kFault);
  ASSERT_EQ(hang.faults.size(), 1u);
  EXPECT_EQ(hang.faults[0].kind, "hang");
  const CheckResult endless = check_bodies(kLoad + kEndless, kLoad, o);
  EXPECT_EQ(endless.verdict, Verdict::kUndecided);
  ASSERT_FALSE(endless.reasons.empty());
  EXPECT_THAT(endless.reasons[0], HasSubstr("with n=4 a has no end within 1,000,000"));
  EXPECT_TRUE(endless.faults.empty());
}

// Everything that a check says, for comparisons.
std::string all_of(const CheckResult& r) {
  std::string out = std::to_string(static_cast<int>(r.verdict)) + " " + std::to_string(r.trials) +
                    " " + std::to_string(r.skipped) + " " + std::to_string(r.coverage_a.ran) + " " +
                    std::to_string(r.coverage_b.taken) + " " + std::to_string(r.bits_equal) +
                    std::to_string(r.reassociated) + "\n" + explain(r);
  for (const auto& c : r.counterexamples) out += c.spec + c.no_spec;
  return out;
}

TEST(Parallel, TheSameForAnyNumberOfWorkers) {
  const std::string head = "mov.u32 %r3, 0;\nLOOP:\n" + kLoad;
  const std::string tail = "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 1;\n@%p1 bra LOOP;\n";
  // Reads what it never wrote, but only where n is large: a check is dropped on the way.
  const std::string dropped =
      kLoad +
      "setp.lt.u32 %p2, %r0, 100;\n@%p2 bra DONE;\nadd.f32 %f9, %f10, %f11;\n"
      "setp.gt.f32 %p3, %f9, 0f00000000;\n@%p3 mov.u32 %r9, 1;\nDONE:\n";
  const std::string late =  // differs where n is a multiple of 7 above 20
      kLoad +
      "setp.lt.u32 %p2, %r0, 20;\n@%p2 bra DONE;\nrem.u32 %r4, %r0, 7;\nsetp.ne.u32 %p3, %r4, 0;\n"
      "@%p3 bra DONE;\nadd.f32 %f0, %f0, 0f3F800000;\nDONE:\n";
  const std::string cubic =
      "mul.lo.u32 %r4, %r0, %r0;\nmul.lo.u32 %r4, %r4, %r0;\nmov.u32 %r3, 0;\n"
      "mov.f32 %f0, 0f00000000;\nsetp.ge.u32 %p0, %r3, %r4;\n@%p0 bra DONE;\nLOOP:\n"
      "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r4;\n@%p1 bra LOOP;\nDONE:\n";
  const std::string extra = "mov.u32 %r7, 1;\n";
  const std::pair<std::string, std::string> pairs[] = {
      {kLoad, kLoad + "add.f32 %f0, %f0, 0f80000000;\n"},
      {head + tail, head + extra + tail},
      {dropped, dropped + extra},
      {kLoad, dropped},
      {kLoad, late},
      {kLoad, kLoad + kEndless},
      {cubic, cubic + extra}};
  for (const auto& [a, b] : pairs) {
    Options o;
    o.budget = 100'000;
    o.workers = 1;
    const std::string one = all_of(check_bodies(a, b, o));
    for (unsigned workers : {2u, 3u, 16u}) {
      o.workers = workers;
      EXPECT_EQ(all_of(check_bodies(a, b, o)), one) << b;
    }
  }
}

TEST(Parallel, SizesOfASpecToo) {
  const std::string folder = "pairs/l2norm/";
  Diagnostics found;
  const std::string path = kernels_directory() + folder + "l2norm.kernel.toml";
  const auto text = read_file(path);
  ASSERT_TRUE(text.ok());
  const device::KernelSpec spec = device::read_spec(SourceText(path, *text), found);
  ASSERT_EQ(found.errors(), 0u);
  const Loaded right = load_file(folder + "l2norm_right.sm80.ptx");
  for (const char* other : {"l2norm_right.sm90a.ptx", "l2norm_wrong.sm80.ptx"}) {
    const Loaded b = load_file(folder + other);
    Options o;
    o.spec = &spec;
    const CheckResult one = check_loaded(right, b, o);
    EXPECT_GT(one.trials, 0u);
    for (unsigned workers : {2u, 5u}) {
      o.workers = workers;
      EXPECT_EQ(all_of(check_loaded(right, b, o)), all_of(one)) << other;
    }
  }
}

}  // namespace
}  // namespace pitot::check::test
