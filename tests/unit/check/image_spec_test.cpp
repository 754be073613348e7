// Textures, surfaces and samplers in a kernel spec: what is read, and what is complained of.
#include <gtest/gtest.h>

#include "device/spec.h"

namespace pitot::device {
namespace {

KernelSpec spec_of(const std::string& tables, std::string* complaints = nullptr) {
  Diagnostics found;
  KernelSpec s = read_spec(
      SourceText(
          "k.kernel.toml",
          "schema = \"pitot.kernel/1\"\nptx = \"a.ptx\"\nentry = \"k\"\n[launch]\nblock = 32\n"
          "[[sizes]]\nkind = \"full\"\nn = 32\n" +
              tables),
      found);
  std::string text;
  for (const auto& d : found.items()) text += d.message + "\n";
  if (complaints != nullptr) {
    *complaints = text;
  } else {
    EXPECT_EQ(text, "");
  }
  return s;
}

TEST(ImageSpec, ATextureWithItsSampling) {
  const KernelSpec s = spec_of(
      "[[args]]\nname = \"t\"\nkind = \"texture\"\nshape = \"a2d\"\nformat = \"unorm8x4\"\n"
      "width = \"2 * n\"\nheight = 5\nlayers = 3\nfilter = \"linear\"\naddress = [\"wrap\", "
      "\"border\"]\nnormalized = true\nborder = [0.5, 1]\ninit = \"bits\"\n");
  ASSERT_EQ(s.arguments.size(), 1u);
  ASSERT_TRUE(s.arguments[0].image.has_value());
  const ImageSpec& i = *s.arguments[0].image;
  auto m = evaluate_image(i, "t", {{"n", 32}});
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(m->shape, emulator::ImageShape::k2dLayered);
  EXPECT_EQ(emulator::name_of(m->format), "unorm8x4");
  EXPECT_EQ(m->width, 64u);
  EXPECT_EQ(m->height, 5u);
  EXPECT_EQ(m->layers, 3u);
  EXPECT_EQ(i.channel_type(), ptx::Type::kU8);
  emulator::Sampler sampler;
  i.apply(sampler);
  EXPECT_EQ(sampler.filter, emulator::FilterMode::kLinear);
  EXPECT_EQ(sampler.address[0], emulator::AddressMode::kWrap);
  EXPECT_EQ(sampler.address[1], emulator::AddressMode::kBorder);
  EXPECT_EQ(sampler.address[2], emulator::AddressMode::kBorder);
  EXPECT_TRUE(sampler.normalized);
  EXPECT_EQ(sampler.border[0], 0.5f);
  EXPECT_EQ(sampler.border[1], 1.0f);
  EXPECT_EQ(s.arguments[0].role, Role::kIn);
}

TEST(ImageSpec, SurfacesHaveARoleAndReferencesTheirOwnTable) {
  const KernelSpec s = spec_of(
      "[[args]]\nname = \"s\"\nkind = \"surface\"\nformat = \"f32\"\nwidth = 4\nrole = \"out\"\n"
      "[[references]]\nname = \"smp\"\nkind = \"sampler\"\nnormalized = false\n");
  EXPECT_EQ(s.arguments[0].role, Role::kOut);
  ASSERT_EQ(s.references.size(), 1u);
  emulator::Sampler sampler;
  s.references[0].image->apply(sampler);
  EXPECT_TRUE(sampler.force_unnormalized);
}

TEST(ImageSpec, Complaints) {
  auto about = [](const std::string& keys) {
    std::string out;
    spec_of("[[args]]\nname = \"t\"\nkind = \"texture\"\n" + keys, &out);
    return out;
  };
  EXPECT_EQ(about("format = \"f32\"\nwidth = 1\nshape = \"4d\"\n"), "'4d' is no shape\n");
  EXPECT_EQ(about("format = \"f8\"\nwidth = 1\n"), "'f8' is no format of texels\n");
  EXPECT_EQ(about("format = \"unorm32\"\nwidth = 1\n"), "'unorm32' is no format of texels\n");
  EXPECT_EQ(about("width = 1\n"), "`format` is missing\n");
  EXPECT_EQ(about("format = \"f32\"\n"), "`width` is missing\n");
  EXPECT_EQ(about("format = \"f32\"\nwidth = 1\nfilter = \"cubic\"\n"), "'cubic' is no filter\n");
  EXPECT_EQ(about("format = \"f32\"\nwidth = 1\naddress = \"repeat\"\n"),
            "`address` is one to three address modes\n");
  EXPECT_NE(about("format = \"f32\"\nwidth = 1\nrole = \"out\"\n"), "");
  std::string out;
  spec_of("[[references]]\nname = \"t\"\nkind = \"buffer\"\ntype = \"f32\"\ncount = 1\n", &out);
  EXPECT_EQ(out, "a reference is a texture, a surface or a sampler\n");
}

TEST(ImageSpec, ExtentsThatDoNotFitTheShape) {
  ImageSpec s;
  s.shape = emulator::ImageShape::kCube;
  s.width = "4";
  s.height = "5";
  s.layers = "6";
  auto m = evaluate_image(s, "sky", {});
  ASSERT_FALSE(m.ok());
  EXPECT_EQ(m.error().message, "texture 'sky': a cube has six square faces");
  s.height = "n";
  EXPECT_FALSE(evaluate_image(s, "sky", {}).ok());
}

}  // namespace
}  // namespace pitot::device
