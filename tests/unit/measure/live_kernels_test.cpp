// Kernels that stay loaded, over the driver that tests/fake makes of the emulator.
#include "measure/live_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "ptx/parser.h"
#include "support/file.h"
#include "support/hash.h"

namespace pitot::measure {
namespace {

class LiveTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("PITOT_CUDA_LIBRARY", "", 1);
    setenv("PITOT_NVML_LIBRARY", "", 1);
    options_.protocol.batch_ms = 0.2;
  }

  // spin.ptx with this many iterations; `text` replaces parts of it.
  static Subject spin(const std::string& n, const std::string& from = "",
                      const std::string& to = "") {
    const std::string folder = std::string(PITOT_SOURCE_DIR) + "/tools/gpu/timing/";
    std::string ptx = *read_file(folder + "spin.ptx");
    if (!from.empty()) ptx.replace(ptx.find(from), from.size(), to);
    std::string spec = *read_file(folder + "spin.kernel.toml");
    spec.replace(spec.find("n = 2700"), 8, "n = " + n);
    spec.replace(spec.find("grid = 132"), 10, "grid = 4  ");
    Subject s;
    s.module = std::make_shared<const ptx::Module>(ptx::parse("spin.ptx", ptx));
    Diagnostics problems;
    s.spec = std::make_shared<const device::KernelSpec>(
        device::read_spec(SourceText("spin.kernel.toml", spec), problems));
    EXPECT_EQ(problems.errors(), 0u);
    s.spec_hash = hash_bytes(spec).hex();
    return s;
  }
  static double expected_ms(double n) { return 0.002 + 2e-7 * 16 * (19 * n + 16); }

  MeterOptions options_;
};

TEST_F(LiveTest, ASampleIsTheTimeOfALaunchAndTheStateOfTheGpu) {
  Meter meter({spin("1000"), spin("2000")}, options_);
  for (int i = 0; i < 3; ++i)
    for (size_t k = 0; k < 2; ++k) {
      const LiveSample s = meter.sample(k);
      ASSERT_TRUE(s.ok()) << s.failure;
      EXPECT_NEAR(s.ms / expected_ms(k == 0 ? 1000 : 2000), 1, 0.02);
      ASSERT_TRUE(s.state.has_value());
      EXPECT_EQ(s.state->sm_clock_mhz, 1980.0);
    }
}

TEST_F(LiveTest, WhatFailsHasItsReasonAndOthersGoOn) {
  Meter meter({spin("10", "  st.global.f32 [%a0], %f0;", "  trap;"), spin("10"),
               spin("10", "  st.global.f32 [%a0]",
                    "  st.global.f32 [%a0+-128], %f0;\n  st.global.f32 [%a0]")},
              options_);
  const LiveSample trap = meter.sample(0);
  EXPECT_THAT(trap.failure, testing::HasSubstr("trap"));
  EXPECT_TRUE(trap.lost);
  EXPECT_TRUE(meter.sample(1).ok());
  const LiveSample outside = meter.sample(2);
  EXPECT_THAT(outside.failure, testing::HasSubstr("out-of-bounds: written before the start"));
  EXPECT_FALSE(outside.lost);
  EXPECT_TRUE(meter.sample(1).ok());
  // Without a driver that is the reason.
  setenv("PITOT_CUDA_LIBRARY", "no-such-library.so", 1);
  Meter none({spin("10")}, options_);
  EXPECT_THAT(none.sample(0).failure, testing::HasSubstr("no-such-library.so"));
}

TEST_F(LiveTest, AnEndlessKernelIsStopped) {
  options_.time_limit = 2;
  Meter meter({spin("10", "  @%p bra again;", "  bra again;"), spin("10")}, options_);
  const LiveSample s = meter.sample(0);
  EXPECT_THAT(s.failure, testing::StartsWith("timeout: "));
  EXPECT_TRUE(s.lost);
  EXPECT_TRUE(meter.sample(1).ok());
}

TEST_F(LiveTest, KernelsAreLetGoWhenTheirBuffersAreTooMany) {
  const auto api = cuda::load_api();
  ASSERT_TRUE(api);
  const auto gpu = cuda::Gpu::open(*api, 0);
  ASSERT_TRUE(gpu);
  const auto bench = Bench::open(*gpu);
  ASSERT_TRUE(bench);
  int loads = 0;
  const auto load = [&](const Subject& s) {
    ++loads;
    return cuda::Kernel::load(*gpu, std::string(s.module->text()), "spin");
  };
  const std::vector<Subject> subjects = {spin("10"), spin("20"), spin("30")};
  const auto ask = [&](LiveKernels& live, std::initializer_list<size_t> order) {
    loads = 0;
    for (const size_t k : order)
      EXPECT_TRUE(live.sample(k, subjects[k], options_, *bench, std::nullopt, load).ok());
    return loads;
  };
  LiveKernels roomy(uint64_t{1} << 40);
  EXPECT_EQ(ask(roomy, {0, 1, 2, 0, 1, 2}), 3);
  EXPECT_EQ(roomy.loaded(), 3u);
  // Room for two: the one that was not used for longest goes.
  const auto launch = device::resolve(*subjects[0].module, 0, *subjects[0].spec,
                                      subjects[0].spec->sizes[0], options_.seed);
  ASSERT_TRUE(launch);
  LiveKernels narrow(2 * buffer_bytes(*launch));
  EXPECT_EQ(ask(narrow, {0, 1, 0, 2, 0, 1}), 4);
  EXPECT_EQ(narrow.loaded(), 2u);
  // No room at all: the last one stays nevertheless.
  LiveKernels none(0);
  EXPECT_EQ(ask(none, {0, 0, 1, 1}), 2);
  EXPECT_EQ(none.loaded(), 1u);
}

}  // namespace
}  // namespace pitot::measure
