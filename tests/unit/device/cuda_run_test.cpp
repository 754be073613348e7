// The CUDA backend over the driver that tests/fake makes of the emulator: results, faults, limits,
// time limits, and a process that dies.
#include "device/cuda_run.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "device/emulated.h"
#include "emulator/program.h"
#include "ptx/parser.h"

namespace pitot::device {
namespace {

// out[i] = in[i] * 2 for i < n, one thread an element; `extra` stands before the store.
std::string doubling(const std::string& extra = "") {
  return R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 out, .param .u64 in, .param .u32 n)
{
  .reg .b64 %a<4>;
  .reg .b32 %r<8>;
  .reg .pred %p<2>;
  ld.param.u64 %a0, [out];
  ld.param.u64 %a1, [in];
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.u32 %r1, %r2, 32, %r1;
  setp.ge.u32 %p0, %r1, %r0;
  @%p0 bra done;
  mul.wide.u32 %a2, %r1, 4;
  add.u64 %a0, %a0, %a2;
  add.u64 %a1, %a1, %a2;
  ld.global.u32 %r3, [%a1];
  shl.b32 %r3, %r3, 1;
)" + extra +
         R"(  st.global.u32 [%a0], %r3;
done:
  ret;
}
)";
}

constexpr const char* kSpec = R"toml(schema = "pitot.kernel/1"
ptx = "twice.ptx"
entry = "twice"
[launch]
grid = "ceil_div(n, 32)"
block = 32
[[sizes]]
n = 100
[[sizes]]
n = 7
[[args]]
name = "out"
kind = "buffer"
type = "u32"
count = "n"
init = "poison"
role = "out"
[[args]]
name = "in"
kind = "buffer"
type = "u32"
count = "n"
init = "bits"
[[args]]
name = "n"
kind = "scalar"
type = "u32"
value = "n"
)toml";

class CudaRun : public testing::Test {
 protected:
  void SetUp() override {
    // The fake driver is part of this program.
    setenv("PITOT_CUDA_LIBRARY", "", 1);
    Diagnostics out;
    spec_ = read_spec(SourceText("k.kernel.toml", kSpec), out);
    ASSERT_EQ(out.errors(), 0u);
    options_.seed = 5;
  }
  RunResult run(const std::string& text, size_t size = 0) {
    const ptx::Module module = ptx::parse("twice.ptx", text);
    EXPECT_EQ(module.diagnostics.errors(), 0u);
    CudaRunner runner(module, 0, spec_, options_);
    auto r = runner.run(spec_.sizes[size]);
    EXPECT_TRUE(r) << (r ? "" : r.error().message);
    return r ? std::move(*r) : RunResult{};
  }

  KernelSpec spec_;
  CudaOptions options_;
};

TEST_F(CudaRun, GivesWhatTheEmulatorGives) {
  const auto module = std::make_shared<const ptx::Module>(ptx::parse("twice.ptx", doubling()));
  auto program = emulator::load(module);
  ASSERT_TRUE(program);
  EmulatedOptions emulated;
  emulated.seed = options_.seed;
  CudaRunner runner(*module, 0, spec_, options_);
  for (const SizeSpec& size : spec_.sizes) {
    auto want = run_emulated(*program, 0, spec_, size, emulated);
    auto got = runner.run(size);
    ASSERT_TRUE(want && got);
    EXPECT_TRUE(got->ok());
    EXPECT_EQ(got->device, "cuda:0");
    EXPECT_EQ(got->gpu, "NVIDIA Fake");
    EXPECT_EQ(got->size_text, want->size_text);
    ASSERT_EQ(got->outputs.size(), 1u);
    EXPECT_EQ(got->outputs[0].bytes, want->outputs[0].bytes);
    EXPECT_GT(got->seconds, 0);
  }
}

TEST_F(CudaRun, WritingPastABufferIsFoundByItsGuardZone) {
  const RunResult r = run(doubling("  st.global.u32 [%a0+256], %r3;\n"), 1);
  ASSERT_EQ(r.faults.size(), 1u);
  EXPECT_EQ(r.faults[0].kind, "out-of-bounds");
  EXPECT_EQ(r.faults[0].message, "written past the end of 'out' (28 bytes): bytes 256 to 283");
  const RunResult before = run(doubling("  st.global.u32 [%a0+-64], %r3;\n"), 1);
  ASSERT_EQ(before.faults.size(), 1u);
  EXPECT_EQ(before.faults[0].message, "written before the start of 'out': bytes -64 to -37");
}

TEST_F(CudaRun, FaultsAreToldAndTheNextRunIsFine) {
  const ptx::Module module = ptx::parse("twice.ptx", doubling("  @!%p0 trap;\n"));
  CudaRunner runner(module, 0, spec_, options_);
  for (int i = 0; i < 2; ++i) {
    auto r = runner.run(spec_.sizes[1]);
    ASSERT_TRUE(r);
    ASSERT_EQ(r->faults.size(), 1u);
    EXPECT_EQ(r->faults[0].kind, "trap");
    EXPECT_EQ(r->faults[0].message, "CUDA_ERROR_LAUNCH_FAILED");
  }
  EXPECT_TRUE(run(doubling()).ok());
  const RunResult far = run(doubling("  st.global.u32 [%a2], %r3;\n"));
  ASSERT_EQ(far.faults.size(), 1u);
  EXPECT_EQ(far.faults[0].kind, "out-of-bounds");
  const RunResult odd = run(doubling("  st.global.u32 [%a0+2], %r3;\n"));
  ASSERT_EQ(odd.faults.size(), 1u);
  EXPECT_EQ(odd.faults[0].kind, "misaligned");
}

TEST_F(CudaRun, AKernelThatNeverEndsIsStopped) {
  options_.seconds = 1;
  const RunResult r = run(doubling("again:\n  ld.volatile.global.u32 %r3, [%a1];\n"
                                   "  st.volatile.global.u32 [%a0], %r3;\n  bra again;\n"),
                          1);
  ASSERT_EQ(r.faults.size(), 1u);
  EXPECT_EQ(r.faults[0].kind, "timeout");
  EXPECT_NE(r.faults[0].message.find("did not end within 1 s"), std::string::npos);
}

TEST_F(CudaRun, TooMuchSharedMemoryNamesTheLimit) {
  spec_.shared = "300000";
  const RunResult r = run(doubling());
  ASSERT_EQ(r.faults.size(), 1u);
  EXPECT_EQ(r.faults[0].kind, "launch");
  EXPECT_EQ(
      r.faults[0].message,
      "k.kernel.toml:4: 300000 bytes of shared memory a block (0 static, 300000 dynamic): NVIDIA "
      "Fake has at most 232448");
  // Over 48 KiB needs the opt-in, which is made.
  spec_.shared = "100000";
  EXPECT_TRUE(run(doubling()).ok());
}

TEST_F(CudaRun, WithoutADriverOrAGpuItSaysSo) {
  const ptx::Module module = ptx::parse("twice.ptx", doubling());
  setenv("PITOT_CUDA_LIBRARY", "/nonexistent/libcuda.so.1", 1);
  CudaRunner none(module, 0, spec_, options_);
  auto r = none.run(spec_.sizes[0]);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().kind, ErrorKind::kMissing);
  EXPECT_TRUE(r.error().message.starts_with("no CUDA driver here: ")) << r.error().message;
  setenv("PITOT_CUDA_LIBRARY", "", 1);
  setenv("PITOT_FAKE_GPUS", "0", 1);
  CudaRunner empty(module, 0, spec_, options_);
  r = empty.run(spec_.sizes[0]);
  unsetenv("PITOT_FAKE_GPUS");
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().message, "the CUDA driver sees no GPU");
  options_.number = 3;
  CudaRunner fourth(module, 0, spec_, options_);
  r = fourth.run(spec_.sizes[0]);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().message, "no device cuda:3; the driver sees one, cuda:0");
}

TEST_F(CudaRun, OnAnyOfSeveralDevices) {
  setenv("PITOT_FAKE_GPUS", "3", 1);
  options_.number = 2;
  const RunResult r = run(doubling());
  EXPECT_TRUE(r.ok());
  EXPECT_EQ(r.device, "cuda:2");
  options_.number = 3;
  const ptx::Module module = ptx::parse("twice.ptx", doubling());
  CudaRunner beyond(module, 0, spec_, options_);
  auto none = beyond.run(spec_.sizes[0]);
  unsetenv("PITOT_FAKE_GPUS");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "no device cuda:3; the driver sees 3");
}

TEST(CudaNumber, Names) {
  EXPECT_EQ(cuda_number("cuda"), 0);
  EXPECT_EQ(cuda_number("cuda:7"), 7);
  EXPECT_FALSE(cuda_number("cuda:"));
  EXPECT_FALSE(cuda_number("cuda:-1"));
  EXPECT_FALSE(cuda_number("cuda:1x"));
  EXPECT_FALSE(cuda_number("emu"));
}

}  // namespace
}  // namespace pitot::device
