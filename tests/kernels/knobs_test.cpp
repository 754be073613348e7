// The kernels whose compile knobs are tuned (kernels/knobs), in two tiers. The fast one, sizes at
// the edges of blocks and vectors, is the specs kept beside this test (references_test.cpp). Here
// is the slow one: every configuration of the small space at the sizes of the study; labelled slow,
// and only with nvcc.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "device/emulated.h"
#include "device/values.h"
#include "ptx/parser.h"
#include "reference.h"
#include "support/file.h"
#include "variants/build.h"
#include "variants/grid.h"

namespace pitot::kernels {
namespace {

class Knobs : public testing::TestWithParam<const char*> {};

// PITOT_ALL_SIZES=1: 256, 512 and 1024; else one configuration at 256.
bool all_sizes() {
  const char* asked = std::getenv("PITOT_ALL_SIZES");
  return asked != nullptr && *asked == '1';
}

variants::Template knob_template(const std::string& kernel, const std::string& space) {
  const std::string path = std::string(PITOT_SOURCE_DIR) + "/kernels/knobs/" + kernel + "/" +
                           kernel + "." + space + ".variants.toml";
  auto text = read_file(path);
  EXPECT_TRUE(text.ok()) << path;
  Diagnostics problems;
  variants::Template t = variants::read_template(SourceText(path, text ? *text : ""), problems);
  EXPECT_EQ(problems.errors(), 0u) << path;
  return t;
}

TEST_P(Knobs, ComputeWhatTheReferenceSaysAtTheSizesOfTheStudy) {
  auto toolkit = toolchain::find_toolkit();
  if (!toolkit || !toolkit->nvcc.found()) GTEST_SKIP() << "nvcc is not installed";
  const variants::Template t = knob_template(GetParam(), "small");
  Diagnostics problems;
  const auto all = variants::enumerate(t, problems);
  ASSERT_EQ(all.size(), 9u);
  std::vector<bool> chosen(all.size(), all_sizes());
  chosen[3] = true;
  const std::string directory = testing::TempDir() + "pitot_knobs_" + GetParam();
  std::filesystem::create_directories(directory);
  variants::BuildOptions options;
  options.directory = directory;
  options.toolkit = &*toolkit;
  const auto built = variants::build(t, all, chosen, options, problems);
  ASSERT_TRUE(built.ok()) << built.error().message;
  const auto reference = references().find(std::string("knobs/") + GetParam());
  ASSERT_NE(reference, references().end());
  for (const variants::VariantResult& v : built->variants) {
    if (v.status == "listed") continue;
    SCOPED_TRACE(v.name);
    ASSERT_EQ(v.status, "ok") << v.message;
    device::KernelSpec spec = read_kernel_spec(directory + "/" + v.spec);
    // The study's sizes are the first three.
    ASSERT_GE(spec.sizes.size(), 3u);
    spec.sizes.resize(all_sizes() ? 3 : 1);
    expect_reference(spec, directory + "/" + v.ptx, v.entry, reference->second);
  }
  std::filesystem::remove_all(directory);
}

TEST_P(Knobs, TheLargeSpaceIsAWholeProduct) {
  const variants::Template t = knob_template(GetParam(), "large");
  EXPECT_EQ(t.register_cap, "CAP");
  Diagnostics problems;
  const auto all = variants::enumerate(t, problems);
  EXPECT_GE(all.size(), 700u);
  std::map<std::string, size_t> values;
  for (const auto& p : t.parameters) values[p.name] = p.values.size();
  EXPECT_EQ(values["BLOCK"], 6u);
  EXPECT_EQ(values["CAP"], 10u);
}

// Every row of a softmax sums to one, and no weight is negative: of all kept configurations.
TEST(KnobsSoftmax, RowsAreDistributions) {
  auto files = list_files(std::string(PITOT_SOURCE_DIR) + "/tests/kernels/specs/knobs/softmax",
                          {".kernel.toml"});
  ASSERT_TRUE(files.ok());
  ASSERT_FALSE(files->empty());
  for (const std::string& path : *files) {
    const device::KernelSpec spec = read_kernel_spec(path);
    auto text = read_file(spec.beside(spec.ptx));
    ASSERT_TRUE(text.ok());
    auto module = std::make_shared<const ptx::Module>(ptx::parse(spec.ptx, *text));
    const auto program = emulator::load(module);
    ASSERT_TRUE(program.ok());
    const auto kernel = ptx::find_kernel(*module, spec.entry);
    ASSERT_TRUE(kernel.ok());
    for (const device::SizeSpec& size : spec.sizes) {
      const auto run = device::run_emulated(*program, *kernel, spec, size, {});
      ASSERT_TRUE(run.ok());
      ASSERT_TRUE(run->ok());
      const auto n = static_cast<size_t>(size.values.at("n"));
      const device::RunOutput& y = run->outputs[0];
      ASSERT_EQ(y.elements(), n * n);
      for (size_t row = 0; row < n; ++row) {
        double sum = 0;
        for (size_t i = 0; i < n; ++i) {
          const double v = device::decode(y.bits(row * n + i), ptx::type_from_name("f32"));
          EXPECT_GE(v, 0);
          sum += v;
        }
        ASSERT_NEAR(sum, 1, 1e-5) << path << " row " << row << " of " << n;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Knobs, testing::Values("gemm", "reduction", "softmax"),
                         [](const testing::TestParamInfo<const char*>& info) {
                           return std::string(info.param);
                         });

}  // namespace
}  // namespace pitot::kernels
