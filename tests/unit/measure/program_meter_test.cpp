// Programs of a search on the driver of tests/fake: compared with the original, timed, and lost one
// by one.
#include "measure/program_meter.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "device/spec.h"
#include "measure/clock_probe.h"
#include "ptx/parser.h"

namespace pitot::measure {
namespace {

// Thread i writes out[i] = in[i] + in[i]; BODY is in between.
constexpr const char* kText = R"(.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .b64 %a<4>;
  .reg .b32 %r<4>;
  .reg .f32 %f<4>;
  .reg .pred %p;
  ld.param.u64 %a0, [in];
  ld.param.u64 %a1, [out];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %a2, %r0, 4;
  add.u64 %a0, %a0, %a2;
  add.u64 %a1, %a1, %a2;
  ld.global.f32 %f0, [%a0];
  mov.u32 %r1, 0;
  add.f32 %f1, %f0, %f0;
  st.global.f32 [%a1], %f1;
  ret;
}
)";
constexpr const char* kSpec = R"(schema = "pitot.kernel/1"
ptx = "k.ptx"
entry = "k"
[launch]
grid = GRID
block = 32
[[sizes]]
n = 32
[[args]]
name = "in"
kind = "buffer"
type = "f32"
count = "n"
init = "normal"
role = "in"
[[args]]
name = "out"
kind = "buffer"
type = "f32"
count = "n"
init = "normal"
role = "ROLE"
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  EXPECT_NE(text.find(from), std::string::npos) << from;
  return text.replace(text.find(from), from.size(), to);
}
// Instead of the addition.
std::string program(const std::string& body) {
  return replaced(kText, "  add.f32 %f1, %f0, %f0;\n", body);
}

class ProgramMeterTest : public testing::TestWithParam<ProgramClock> {
 protected:
  void SetUp() override {
    setenv("PITOT_CUDA_LIBRARY", "", 1);
    options_.time_limit = 3;
    options_.seed = 3;
    subject_.protocol.clock = GetParam();
    subject_.protocol.warmups = 2;
    subject_.protocol.launches = 9;
    subject_.protocol.timing.seconds = 0.002;
    set_subject("out", "1");
  }
  void set_subject(const std::string& role, const std::string& grid,
                   const std::string& text = kText) {
    Subject& s = subject_.original;
    s.module = std::make_shared<const ptx::Module>(ptx::parse("k.ptx", text));
    EXPECT_EQ(s.module->diagnostics.errors(), 0u);
    Diagnostics problems;
    s.spec = std::make_shared<const device::KernelSpec>(device::read_spec(
        SourceText("k.kernel.toml", replaced(replaced(kSpec, "ROLE", role), "GRID", grid)),
        problems));
    EXPECT_EQ(problems.errors(), 0u);
  }
  ProgramCode code(const std::string& text) const {
    ProgramCode out{text, {}};
    if (GetParam() != ProgramClock::kSm) return out;
    auto probe = insert_clock_probe(ptx::parse("k.ptx", text), "k");
    EXPECT_TRUE(probe.ok());
    if (probe) out.timed = probe->text;
    return out;
  }
  std::unique_ptr<ProgramMeter> meter() {
    auto out = std::make_unique<ProgramMeter>(std::vector{subject_}, options_);
    out->select(0, code(std::string(subject_.original.module->text())));
    return out;
  }
  ProgramTime time(ProgramMeter& m, const std::string& text) {
    auto t = m.measure(code(text));
    EXPECT_TRUE(t.ok()) << (t.ok() ? "" : t.error().message);
    return t ? *t : ProgramTime{};
  }

  ProgramSubject subject_;
  ProgramMeterOptions options_;
};
INSTANTIATE_TEST_SUITE_P(Clocks, ProgramMeterTest,
                         testing::Values(ProgramClock::kSm, ProgramClock::kEvent),
                         [](const auto& i) {
                           return std::string(i.param == ProgramClock::kSm ? "Sm" : "Event");
                         });

TEST_P(ProgramMeterTest, MoreInstructionsTakeLonger) {
  const auto m = meter();
  auto gpu = m->gpu();
  ASSERT_TRUE(gpu.ok()) << gpu.error().message;
  EXPECT_EQ(gpu->name, "NVIDIA Fake");
  const ProgramTime original = time(*m, kText);
  ASSERT_TRUE(original.ok) << original.reason;
  EXPECT_EQ(original.registers, 32u);
  EXPECT_GE(original.samples, 9u);
  // So many that the fake clock of events shows them too.
  const ProgramTime longer =
      time(*m, program("again:\n  add.u32 %r1, %r1, 1;\n  setp.lt.u32 %p, %r1, 2000;\n"
                       "  @%p bra again;\n  add.f32 %f1, %f0, %f0;\n"));
  ASSERT_TRUE(longer.ok) << longer.reason;
  EXPECT_GT(longer.median.lo, original.median.hi);
  EXPECT_EQ(m->processes(), 1u);
}

TEST_P(ProgramMeterTest, WhatComputesSomethingElseIsNamedAndCostsNoProcess) {
  const auto m = meter();
  EXPECT_EQ(time(*m, program("  add.f32 %f1, %f0, 0f3F800000;\n")).reason,
            "different: 'out' differs from the original's from byte 0 on");
  // Only the last of the 32.
  EXPECT_EQ(time(*m, program("  add.f32 %f1, %f0, %f0;\n  setp.eq.u32 %p, %r0, 31;\n"
                             "  @%p add.f32 %f1, %f1, 0f3F800000;\n"))
                .reason.substr(0, 58),
            "different: 'out' differs from the original's from byte 124");
  EXPECT_EQ(time(*m, program("  add.f32 %f1, %f0, %f0;\n  st.global.f32 [%a0], %f1;\n")).reason,
            "different: it writes to the input 'in'");
  // What it wrote to the input is not there any more, nor is a result that stays where it was.
  EXPECT_TRUE(time(*m, kText).ok);
  const ProgramTime nothing = time(*m, replaced(kText, "  st.global.f32 [%a1], %f1;\n", ""));
  EXPECT_EQ(nothing.reason, "different: 'out' differs from the original's from byte 0 on");
  EXPECT_EQ(m->processes(), 1u);
}

TEST_P(ProgramMeterTest, FaultsCostAProcessAndTheRestGoesOn) {
  const auto m = meter();
  const std::string add = "  add.f32 %f1, %f0, %f0;\n";
  const struct {
    std::string text, reason;
  } cases[] = {
      {program(add + "  trap;\n"), "trap: "},
      {program(add + "  ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%a0];\n"), "misaligned: "},
      {program(add + "  st.global.f32 [%a1+0x70000000], %f0;\n"), "out-of-bounds: CUDA_ERROR"},
      {program(add + "  st.global.f32 [%a1+128], %f0;\n"),
       "out-of-bounds: written past the end of 'out': byte 128"},
      {program(add + "  st.global.f32 [%a1+-128], %f0;\n"),
       "out-of-bounds: written before the start of 'out'"},
      {program(add + "again:\n  bra again;\n"), "timeout: no answer within 3 s"},
  };
  unsigned processes = 1;
  for (const auto& c : cases) {
    const ProgramTime t = time(*m, c.text);
    EXPECT_FALSE(t.ok);
    EXPECT_EQ(t.reason.substr(0, c.reason.size()), c.reason);
    EXPECT_TRUE(time(*m, kText).ok);
    EXPECT_EQ(m->processes(), ++processes) << c.reason;
  }
}

// What it reads and writes starts anew for every program, and for every launch of the SM's clock.
TEST_P(ProgramMeterTest, BuffersThatAreReadAndWrittenStartAnew) {
  const std::string accumulates =
      program("  ld.global.f32 %f1, [%a1];\n  add.f32 %f1, %f0, %f1;\n");
  set_subject("inout", "1", accumulates);
  const auto m = meter();
  EXPECT_TRUE(time(*m, accumulates).ok);
  EXPECT_TRUE(time(*m, accumulates).ok);
  EXPECT_FALSE(time(*m, kText).ok);
  EXPECT_EQ(m->processes(), 1u);
}

TEST_P(ProgramMeterTest, AJudgeIsAskedWhereItMayBe) {
  const std::string nearly = program("  add.f32 %f1, %f0, %f0;\n  add.f32 %f1, %f1, 0f33000000;\n");
  unsigned asked = 0;
  subject_.judge = [&](const device::ArgumentSpec& output, std::span<const std::byte> a,
                       std::span<const std::byte> b) {
    ++asked;  // in another process
    return output.name == "out" && a.size() == 128 && b.size() == 128 ? "" : "wrongly asked";
  };
  EXPECT_FALSE(time(*meter(), nearly).ok);
  subject_.judge_all = true;
  EXPECT_TRUE(time(*meter(), nearly).ok);
  subject_.judge = [](const device::ArgumentSpec&, std::span<const std::byte>,
                      std::span<const std::byte>) { return std::string("too far off"); };
  EXPECT_EQ(time(*meter(), nearly).reason, "different: too far off");
}

TEST_P(ProgramMeterTest, SeveralKernelsShareTheProcess) {
  const ProgramSubject first = subject_;
  const std::string other = program("  mul.f32 %f1, %f0, 0f40400000;\n");
  set_subject("out", "1", other);
  ProgramMeter m({first, subject_}, options_);
  m.select(0, code(kText));
  EXPECT_TRUE(time(m, kText).ok);
  EXPECT_FALSE(time(m, other).ok);
  m.select(1, code(other));
  EXPECT_TRUE(time(m, other).ok);
  EXPECT_FALSE(time(m, kText).ok);
}

TEST_P(ProgramMeterTest, AnOriginalThatFaultsIsAnError) {
  set_subject("out", "1", program("  trap;\n"));
  const auto m = meter();
  const auto t = m->measure(code(kText));
  ASSERT_FALSE(t.ok());
  EXPECT_EQ(t.error().message.substr(0, 20), "the original: trap: ");
}

TEST(ProgramMeter, AGpuThatIsNotThereIsMissing) {
  setenv("PITOT_CUDA_LIBRARY", "/nonexistent/libcuda.so", 1);
  ProgramMeter m({}, {});
  const auto gpu = m.gpu();
  ASSERT_FALSE(gpu.ok());
  EXPECT_EQ(gpu.error().kind, ErrorKind::kMissing);
}

}  // namespace
}  // namespace pitot::measure
