// vote, match, redux, elect, activemask, against loops over the lanes written from the ISA text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "emulator_test_util.h"

namespace pitot::emulator::test {
namespace {

// %r1 = a value of the lane that repeats among lanes; `body` leaves its result in %r3.
std::string text_of(const std::string& body, const std::string& target = "sm_80") {
  std::string text = kernel_text(
      "mov.u32 %r2, %laneid;\nmul.lo.u32 %r1, %r2, 2654435761;\nshr.u32 %r1, %r1, 28;\n" + body +
      "mul.wide.u32 %rd1, %r2, 4;\nadd.s64 %rd2, %rd0, %rd1;\nst.global.u32 [%rd2], %r3;\n");
  text.replace(text.find("sm_80"), 5, target);
  if (target != "sm_80") text.replace(text.find("8.0"), 3, "8.8");
  return text;
}

uint32_t value(uint32_t lane) { return (lane * 2654435761u) >> 28; }

std::vector<uint32_t> run_lanes(const std::string& text) {
  auto r = run_text(text, 32, threads(32), {0});
  EXPECT_EQ(r.faults(), "") << text;
  return r.out;
}

TEST(Vote, EveryKind) {
  for (uint32_t limit : {0u, 5u, 16u}) {
    const std::string p = fmt::format("setp.lt.u32 %p1, %r1, {};\n", limit);
    uint32_t ballot = 0;
    for (uint32_t l = 0; l < 32; ++l) ballot |= (value(l) < limit ? 1u : 0u) << l;
    auto yes = [&](const char* op) {
      return run_lanes(text_of(p + fmt::format("vote.sync.{}.pred %p2, %p1, -1;\n"
                                               "selp.u32 %r3, 1, 0, %p2;\n",
                                               op)))[7];
    };
    EXPECT_EQ(yes("all"), ballot == UINT32_MAX ? 1u : 0u);
    EXPECT_EQ(yes("any"), ballot != 0 ? 1u : 0u);
    EXPECT_EQ(yes("uni"), ballot == 0 || ballot == UINT32_MAX ? 1u : 0u);
    auto b = run_lanes(text_of(p + "vote.sync.ballot.b32 %r3, %p1, -1;\n"));
    EXPECT_EQ(b, std::vector<uint32_t>(32, ballot));
    b = run_lanes(text_of(p + "vote.sync.ballot.b32 %r3, !%p1, -1;\n"));
    EXPECT_EQ(b, std::vector<uint32_t>(32, ~ballot));
  }
}

TEST(Vote, OnlyTheNamedLanesCount) {
  auto r =
      run_lanes(text_of("mov.u32 %r3, 99;\nsetp.ge.u32 %p1, %r2, 4;\n@%p1 bra END;\n"
                        "setp.ne.u32 %p2, %r2, 2;\nvote.sync.ballot.b32 %r3, %p2, 15;\nEND:\n"));
  for (uint32_t l = 0; l < 32; ++l) EXPECT_EQ(r[l], l < 4 ? 0b1011u : 99u);
}

TEST(Vote, MissingThreadsOfAShortWarpAreZeros) {
  auto r = run_text(text_of("setp.eq.u32 %p1, 0, 0;\nvote.sync.ballot.b32 %r3, %p1, -1;\n"), 32,
                    threads(20), {0});
  EXPECT_EQ(r.faults(), "");
  for (uint32_t l = 0; l < 20; ++l) EXPECT_EQ(r.out[l], 0x000fffffu);
}

TEST(Vote, AWrongMaskIsReported) {
  for (const char* op : {"vote.sync.any.pred %p2, %p1, 3;\n", "redux.sync.add.u32 %r3, %r1, 3;\n",
                         "match.any.sync.b32 %r3, %r1, 3;\n"}) {
    auto r = run_text(text_of(std::string("mov.u32 %r3, 0;\nsetp.eq.u32 %p1, %r2, 0;\n") + op), 32,
                      threads(32), {0});
    ASSERT_EQ(r.outcome.faults.size(), 1u) << op;
    EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kMemberMask);
    EXPECT_EQ(r.outcome.faults[0].line, 20u);
    EXPECT_EQ(r.outcome.faults[0].lanes, ~3u);
  }
}

TEST(Match, Any) {
  auto r = run_lanes(text_of("match.any.sync.b32 %r3, %r1, -1;\n"));
  for (uint32_t l = 0; l < 32; ++l) {
    uint32_t want = 0;
    for (uint32_t o = 0; o < 32; ++o)
      if (value(o) == value(l)) want |= 1u << o;
    EXPECT_EQ(r[l], want);
  }
  // 64 bits that differ only in the upper half.
  r =
      run_lanes(text_of("shl.b32 %r4, %r1, 0;\nmov.u32 %r5, 1;\nmov.b64 %rd5, {%r5, %r4};\n"
                        "match.any.sync.b64 %r3, %rd5, -1;\n"));
  for (uint32_t l = 0; l < 32; ++l) EXPECT_NE(r[l] >> l & 1, 0u);
  EXPECT_EQ(r[0] == r[1], value(0) == value(1));
}

TEST(Match, All) {
  auto r = run_lanes(text_of("match.all.sync.b32 %r3|%p1, %r1, -1;\n@%p1 add.u32 %r3, %r3, 1;\n"));
  EXPECT_EQ(r, std::vector<uint32_t>(32, 0));
  r =
      run_lanes(text_of("mov.u32 %r4, 5;\nmatch.all.sync.b32 %r3|%p1, %r4, -1;\n"
                        "@%p1 sub.u32 %r3, %r3, 1;\n"));
  EXPECT_EQ(r, std::vector<uint32_t>(32, UINT32_MAX - 1));
}

TEST(Redux, Integers) {
  // Signed values around zero.
  const std::string shift = "sub.s32 %r4, %r1, 8;\n";
  int64_t sum = 0;
  int32_t low = INT32_MAX, high = INT32_MIN;
  uint32_t ulow = UINT32_MAX, uhigh = 0, all = UINT32_MAX, any = 0, odd = 0;
  for (uint32_t l = 0; l < 32; ++l) {
    const int32_t v = static_cast<int32_t>(value(l)) - 8;
    const uint32_t u = static_cast<uint32_t>(v);
    sum += v;
    low = std::min(low, v), high = std::max(high, v);
    ulow = std::min(ulow, u), uhigh = std::max(uhigh, u);
    all &= u, any |= u, odd ^= u;
  }
  auto run = [&](const char* op) {
    auto r = run_lanes(text_of(shift + fmt::format("redux.sync.{} %r3, %r4, -1;\n", op)));
    for (uint32_t v : r) EXPECT_EQ(v, r[0]);
    return r[0];
  };
  EXPECT_EQ(run("add.s32"), static_cast<uint32_t>(sum));
  EXPECT_EQ(run("add.u32"), static_cast<uint32_t>(sum));
  EXPECT_EQ(run("min.s32"), static_cast<uint32_t>(low));
  EXPECT_EQ(run("max.s32"), static_cast<uint32_t>(high));
  EXPECT_EQ(run("min.u32"), ulow);
  EXPECT_EQ(run("max.u32"), uhigh);
  EXPECT_EQ(run("and.b32"), all);
  EXPECT_EQ(run("or.b32"), any);
  EXPECT_EQ(run("xor.b32"), odd);
}

TEST(Redux, TwoMasksInOneInstruction) {
  auto r =
      run_lanes(text_of("setp.lt.u32 %p1, %r2, 16;\nselp.b32 %r5, 0xffff, 0xffff0000, %p1;\n"
                        "redux.sync.add.u32 %r3, %r2, %r5;\n"));
  for (uint32_t l = 0; l < 32; ++l) EXPECT_EQ(r[l], l < 16 ? 120u : 376u);
}

TEST(Redux, Floats) {
  // Lane 3 has `special`, the others lane - 10.
  auto run = [](const char* op, uint32_t special, bool everywhere = false) {
    return run_lanes(
        text_of(fmt::format("cvt.rn.f32.u32 %f1, %r2;\nsub.f32 %f1, %f1, 0f41200000;\n"
                            "setp.eq.u32 %p1, %r2, 3;\n{}mov.b32 %f2, 0x{:08x};\n"
                            "selp.f32 %f1, %f2, %f1, %p1;\nredux.sync.{}.f32 %f3, %f1, -1;\n"
                            "mov.b32 %r3, %f3;\n",
                            everywhere ? "setp.eq.u32 %p1, 0, 0;\n" : "", special, op),
                "sm_100a"))[9];
  };
  auto bits = [](float f) { return std::bit_cast<uint32_t>(f); };
  EXPECT_EQ(run("min", bits(0)), bits(-10.f));
  EXPECT_EQ(run("max", bits(0)), bits(21.f));
  EXPECT_EQ(run("max.abs", bits(-40.f)), bits(40.f));
  EXPECT_EQ(run("min.abs", bits(1)), bits(0.f));
  EXPECT_EQ(run("max", 0xffc00001), bits(21.f));
  EXPECT_EQ(run("max.NaN", 0xffc00001), 0x7fffffffu);
  EXPECT_EQ(run("min", 0xffc00001, true), 0x7fffffffu);
  EXPECT_EQ(run("max", 0xff800000), bits(21.f));
  EXPECT_EQ(run("min", 0xff800000), 0xff800000u);
  // Lane 10 has +0: -0 is less.
  EXPECT_EQ(run("min.abs", 0x80000000), 0u);
  EXPECT_EQ(run("min", 0x80000000, true), 0x80000000u);
}

TEST(Elect, TheLowestNamedLane) {
  auto r =
      run_lanes(text_of("mov.u32 %r3, 77;\nsetp.lt.u32 %p1, %r2, 12;\n@%p1 bra END;\n"
                        "elect.sync %r3|%p2, 0xfffff000;\n@%p2 add.u32 %r3, %r3, 100;\nEND:\n",
                        "sm_90"));
  for (uint32_t l = 0; l < 32; ++l) EXPECT_EQ(r[l], l < 12 ? 77u : l == 12 ? 112u : 12u);
  r = run_lanes(text_of("mov.u32 %r3, 1;\nelect.sync _|%p2, -1;\n@%p2 mov.u32 %r3, 2;\n", "sm_90"));
  for (uint32_t l = 0; l < 32; ++l) EXPECT_EQ(r[l], l == 0 ? 2u : 1u);
}

TEST(ActiveMask, IsWhoIsHere) {
  auto r =
      run_lanes(text_of("mov.u32 %r3, 0;\nand.b32 %r4, %r2, 1;\nsetp.eq.u32 %p1, %r4, 0;\n"
                        "@%p1 activemask.b32 %r3;\n"));
  for (uint32_t l = 0; l < 32; ++l) EXPECT_EQ(r[l], l % 2 == 0 ? 0x55555555u : 0u);
}

}  // namespace
}  // namespace pitot::emulator::test
