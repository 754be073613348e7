// Initial values that stay on the device, over the driver that tests/fake makes of the emulator.
#include "device/kept_values.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "ptx/parser.h"

namespace pitot::device::kept_values_test {
namespace {

constexpr const char* kNothing = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry nothing(.param .u64 a, .param .u64 b)
{
  ret;
}
)";

constexpr const char* kSpec = R"toml(schema = "pitot.kernel/1"
ptx = "nothing.ptx"
entry = "nothing"
[launch]
block = 32
[[sizes]]
n = 1000
[[sizes]]
n = 500
[[args]]
name = "a"
kind = "buffer"
type = "f32"
count = "n"
init = "normal"
[[args]]
name = "b"
kind = "buffer"
type = "u32"
count = "n"
init = "permutation(n)"
role = "inout"
)toml";

class KeptValuesTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("PITOT_CUDA_LIBRARY", "", 1);
    auto api = cuda::load_api();
    ASSERT_TRUE(api) << api.error().message;
    auto gpu = cuda::Gpu::open(*api, 0);
    ASSERT_TRUE(gpu) << gpu.error().message;
    gpu_ = *gpu;
    module_ = std::make_shared<const ptx::Module>(ptx::parse("nothing.ptx", kNothing));
    Diagnostics problems;
    spec_ = read_spec(SourceText("nothing.kernel.toml", kSpec), problems);
    ASSERT_EQ(problems.errors(), 0u);
    auto kernel = cuda::Kernel::load(gpu_, kNothing, "nothing");
    ASSERT_TRUE(kernel) << kernel.error().message;
    kernel_.emplace(std::move(*kernel));
  }

  CudaLaunch launch(size_t size, uint64_t seed) {
    auto resolved = resolve(*module_, 0, spec_, spec_.sizes[size], seed);
    EXPECT_TRUE(resolved);
    auto made = CudaLaunch::make(gpu_, *kernel_, *resolved);
    EXPECT_TRUE(made);
    return std::move(*made);
  }

  // All buffers hold what their spec says, or the first `period` elements of it again and again.
  void expect_filled(const CudaLaunch& l, uint64_t period = UINT64_MAX) {
    for (const auto& b : l.buffers()) {
      std::vector<std::byte> is(b->bytes());
      ASSERT_TRUE(b->read(is));
      auto want = values_of(b->argument());
      ASSERT_TRUE(want);
      for (size_t i = 0; i < is.size(); ++i)
        ASSERT_EQ(is[i], (*want)[i % std::min<uint64_t>(is.size(), 4 * period)]) << i;
    }
  }

  cuda::GpuRef gpu_;
  std::shared_ptr<const ptx::Module> module_;
  KernelSpec spec_;
  std::optional<cuda::Kernel> kernel_;
};

TEST_F(KeptValuesTest, EachLaunchStartsFromItsOwn) {
  KeptValues kept(gpu_, 1 << 20);
  for (int again = 0; again < 2; ++again)
    for (const size_t size : {0, 1})
      for (const uint64_t seed : {1, 2}) {
        CudaLaunch l = launch(size, seed);
        ASSERT_TRUE(kept.fill(l, UINT64_MAX));
        expect_filled(l);
        // As a kernel that writes them: the next launch must not see it.
        for (const auto& b : l.buffers())
          ASSERT_TRUE(b->write(std::vector<std::byte>(b->bytes(), std::byte{7})));
      }
  EXPECT_EQ(kept.bytes(), 2u * 2 * (4000 + 2000));
}

TEST_F(KeptValuesTest, APeriodIsPartOfWhatTheyAre) {
  KeptValues kept(gpu_, 1 << 20);
  for (const uint64_t period : {uint64_t{64}, uint64_t{100}, UINT64_MAX, uint64_t{64}}) {
    CudaLaunch l = launch(0, 1);
    ASSERT_TRUE(kept.fill(l, period));
    expect_filled(l, period);
  }
}

TEST_F(KeptValuesTest, NoMoreIsKeptThanWasAllowed) {
  KeptValues kept(gpu_, 9000);
  for (const uint64_t seed : {1, 2, 3, 1}) {
    CudaLaunch l = launch(0, seed);
    ASSERT_TRUE(kept.fill(l, UINT64_MAX));
    expect_filled(l);
    EXPECT_LE(kept.bytes(), 9000u);
  }
  KeptValues none(gpu_, 100);
  CudaLaunch l = launch(0, 1);
  ASSERT_TRUE(none.fill(l, UINT64_MAX));
  expect_filled(l);
  EXPECT_EQ(none.bytes(), 0u);
}

}  // namespace
}  // namespace pitot::device::kept_values_test
