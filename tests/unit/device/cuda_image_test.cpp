// Textures, surfaces and tensor maps through the CUDA backend, over the driver that tests/fake
// makes of the emulator: what the driver is told must mean what the spec says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "device/cuda_run.h"
#include "device/emulated.h"
#include "emulator/program.h"
#include "ptx/parser.h"
#include "support/file.h"

namespace pitot::device {
namespace {

const std::string kRoot = std::string(PITOT_SOURCE_DIR) + "/";

KernelSpec spec_at(const std::string& path) {
  auto text = read_file(path);
  EXPECT_TRUE(text.ok()) << path;
  Diagnostics found;
  KernelSpec spec = read_spec(SourceText(path, text ? *text : ""), found);
  EXPECT_EQ(found.errors(), 0u) << path;
  return spec;
}

std::vector<std::string> image_specs() {
  std::vector<std::string> out;
  auto files = list_files(kRoot + "tests/device/images", {".kernel.toml"});
  EXPECT_TRUE(files.ok());
  if (files) out = *files;
  for (const char* name :
       {"kernels/cuda/texture_sample/texture_sample", "kernels/cuda/texture_rotate/texture_rotate",
        "kernels/cuda/surface_blur/surface_blur", "kernels/cuda/tma_copy/tma_copy",
        "tests/kernels/specs/cuda/texture_gather/texture_gather",
        "tests/kernels/specs/triton/tma_matmul/tma_matmul"})
    out.push_back(kRoot + name + ".kernel.toml");
  return out;
}

class CudaImages : public testing::TestWithParam<std::string> {
 protected:
  // The fake driver is part of this program.
  void SetUp() override { setenv("PITOT_CUDA_LIBRARY", "", 1); }
};

TEST_P(CudaImages, GiveWhatTheEmulatorGives) {
  const KernelSpec spec = spec_at(GetParam());
  auto parsed = ptx::parse_file(spec.beside(spec.ptx));
  ASSERT_TRUE(parsed);
  const auto module = std::make_shared<const ptx::Module>(std::move(*parsed));
  ASSERT_EQ(module->diagnostics.errors(), 0u);
  auto kernel = ptx::find_kernel(*module, spec.entry);
  ASSERT_TRUE(kernel);
  auto program = emulator::load(module);
  ASSERT_TRUE(program);
  CudaOptions options;
  options.seed = 3;
  EmulatedOptions emulated;
  emulated.seed = options.seed;
  CudaRunner runner(*module, *kernel, spec, options);
  for (const SizeSpec& size : spec.sizes) {
    auto want = run_emulated(*program, *kernel, spec, size, emulated);
    auto got = runner.run(size);
    ASSERT_TRUE(want) << want.error().message;
    ASSERT_TRUE(got) << got.error().message;
    ASSERT_TRUE(want->ok()) << want->faults[0].message;
    ASSERT_TRUE(got->ok()) << got->faults[0].message;
    ASSERT_EQ(got->outputs.size(), want->outputs.size());
    ASSERT_FALSE(want->outputs.empty());
    for (size_t i = 0; i < want->outputs.size(); ++i) {
      EXPECT_EQ(got->outputs[i].name, want->outputs[i].name);
      EXPECT_EQ(got->outputs[i].bytes, want->outputs[i].bytes);
      // Outputs that are all alike would agree for no reason.
      const auto& bytes = want->outputs[i].bytes;
      if (bytes.size() > 64) {
        EXPECT_GT(std::set<std::byte>(bytes.begin(), bytes.end()).size(), 4u);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Specs, CudaImages, testing::ValuesIn(image_specs()), [](const auto& info) {
  std::string name = info.param.substr(info.param.rfind('/') + 1);
  name.resize(name.find('.'));
  return name;
});

// Copies that begin between multiples of 16 bytes: a GPU ends such kernels.
TEST(RefusedImages, TheEmulatorSaysWhy) {
  auto files = list_files(kRoot + "tests/device/refused_images", {".kernel.toml"});
  ASSERT_TRUE(files);
  EXPECT_EQ(files->size(), 3u);
  for (const std::string& path : *files) {
    const KernelSpec spec = spec_at(path);
    auto parsed = ptx::parse_file(spec.beside(spec.ptx));
    ASSERT_TRUE(parsed);
    const auto module = std::make_shared<const ptx::Module>(std::move(*parsed));
    auto kernel = ptx::find_kernel(*module, spec.entry);
    auto program = emulator::load(module);
    ASSERT_TRUE(kernel && program) << path;
    auto got = run_emulated(*program, *kernel, spec, spec.sizes[0], {});
    ASSERT_TRUE(got) << got.error().message;
    ASSERT_FALSE(got->faults.empty()) << path;
    EXPECT_NE(got->faults[0].message.find("a copy that begins at element "), std::string::npos)
        << got->faults[0].message;
    EXPECT_NE(got->faults[0].message.find("not a multiple of 16"), std::string::npos);
  }
}

constexpr const char* kKernel = R"(.version 8.0
.target sm_90
.address_size 64
.global .texref picture;
.visible .entry k(.param .u64 image)
{
  ret;
}
)";

std::string refused(const std::string& argument, const std::string& table = "args") {
  setenv("PITOT_CUDA_LIBRARY", "", 1);
  Diagnostics found;
  std::string text = "schema = \"pitot.kernel/1\"\nptx = \"k.ptx\"\n[launch]\nblock = 32\n[[" +
                     table + "]]\n" + argument;
  if (table != "args")
    text += "[[args]]\nname = \"image\"\nkind = \"scalar\"\ntype = \"u64\"\nvalue = 0\n";
  const KernelSpec spec = read_spec(SourceText("k.kernel.toml", text), found);
  EXPECT_EQ(found.errors(), 0u);
  const ptx::Module module = ptx::parse("k.ptx", kKernel);
  EXPECT_EQ(module.diagnostics.errors(), 0u);
  CudaRunner runner(module, 0, spec, {});
  auto r = runner.run(spec.sizes[0]);
  EXPECT_TRUE(r) << (r ? "" : r.error().message);
  EXPECT_TRUE(r && r->faults.size() == 1);
  return r && r->faults.size() == 1 ? r->faults[0].kind + ": " + r->faults[0].message : "";
}

TEST(CudaImageRefusals, NameWhatOnlyTheEmulatorHas) {
  EXPECT_EQ(
      refused("name = \"image\"\nkind = \"sampler\"\nfilter = \"linear\"\n"),
      "launch: 'image' is a sampler apart from its texture, which CUDA does not have: it runs "
      "on the emulator only");
  EXPECT_EQ(refused("name = \"image\"\nkind = \"texture\"\nshape = \"2dms\"\nformat = \"f32\"\n"
                    "width = 4\nheight = 4\nsamples = 2\n"),
            "launch: 'image' is a texture with several samples a texel, which CUDA does not have: "
            "it runs on the emulator only");
  EXPECT_EQ(refused("name = \"image\"\nkind = \"surface\"\nshape = \"linear\"\nformat = \"f32\"\n"
                    "width = 4\n"),
            "launch: 'image' is a surface over plain memory, which CUDA does not have: it runs on "
            "the emulator only");
  EXPECT_EQ(refused("name = \"picture\"\nkind = \"texture\"\nshape = \"1d\"\nformat = \"f32\"\n"
                    "width = 4\n",
                    "references"),
            "launch: 'picture' is a reference of the module: on a GPU textures and surfaces are "
            "bound by handle, references run on the emulator only");
  // The driver's own no.
  EXPECT_EQ(refused("name = \"image\"\nkind = \"texture\"\nshape = \"1d\"\nformat = \"u32\"\n"
                    "width = 4\nfilter = \"linear\"\n"),
            "launch: texture 'image': making a texture: CUDA_ERROR_INVALID_VALUE");
}

}  // namespace
}  // namespace pitot::device
