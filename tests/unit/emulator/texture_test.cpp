// tex, tld4, txq and istypep through whole kernels: handles, references, samplers, what is refused.
#include "texture_test_util.h"

namespace pitot::emulator::test::texture_test {
namespace {

std::vector<uint32_t> counted(uint32_t n, uint32_t first = 0) {
  std::vector<uint32_t> v(n);
  for (uint32_t i = 0; i < n; ++i) v[i] = first + i;
  return v;
}
std::vector<float> counted_floats(uint32_t n) {
  std::vector<float> v(n);
  for (uint32_t i = 0; i < n; ++i) v[i] = static_cast<float>(i);
  return v;
}
uint32_t bits(float f) { return std::bit_cast<uint32_t>(f); }

Sampler sampler(FilterMode filter, AddressMode address, bool normalized) {
  Sampler s;
  s.filter = filter;
  s.address = {address, address, address};
  s.normalized = normalized;
  return s;
}

// Stores %f1 … %f4 of each thread.
constexpr char kStoreFloats[] = "st.global.v4.f32 [%rd0], {%f1, %f2, %f3, %f4};";

TEST(Texture, PointLookupsByHandle) {
  TextureRig rig(texture_kernel("cvt.rn.f32.u32 %f0, %r0;\nadd.f32 %f0, %f0, 0f3F000000;\n"
                                "mov.f32 %f5, 0f3FC00000;\n"
                                "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f5}];\n" +
                                    std::string(kStoreFloats),
                                1),
                 32);
  rig.add(object_of(OpaqueKind::kTexture, "t", image_of(ImageShape::k2d, "f32x2", 5, 3)),
          counted_floats(30));
  const Ran r = rig.run(threads(8));
  ASSERT_TRUE(r.outcome.ok()) << r.faults();
  for (uint32_t i = 0; i < 8; ++i) {
    const uint32_t x = std::min(i, 4u);  // clamped
    EXPECT_EQ(r.out[4 * i], bits(static_cast<float>(2 * (5 + x))));
    EXPECT_EQ(r.out[4 * i + 1], bits(static_cast<float>(2 * (5 + x) + 1)));
    EXPECT_EQ(r.out[4 * i + 2], 0u);  // channels that the format lacks
    EXPECT_EQ(r.out[4 * i + 3], 0u);
  }
}

TEST(Texture, LinearWeightsHaveEightBits) {
  // x = i / 64 + 1/1024 + 0.5: the last part is less than a weight's step.
  TextureRig rig(texture_kernel("cvt.rn.f32.u32 %f0, %r0;\nmul.f32 %f0, %f0, 0f3C800000;\n"
                                "add.f32 %f0, %f0, 0f3F004000;\n"
                                "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0}];\n" +
                                    std::string(kStoreFloats),
                                1),
                 128);
  rig.add(object_of(OpaqueKind::kTexture, "t", image_of(ImageShape::k1d, "f32", 4),
                    sampler(FilterMode::kLinear, AddressMode::kClamp, false)),
          counted_floats(4));
  const Ran r = rig.run(threads(32));
  ASSERT_TRUE(r.outcome.ok()) << r.faults();
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(r.out[4 * i], bits(static_cast<float>(i) / 64)) << i;
}

TEST(Texture, IntegerCoordinatesReadZeroOutside) {
  TextureRig rig(texture_kernel("sub.u32 %r1, %r0, 2;\nmov.u32 %r2, 1;\n"
                                "tex.2d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%rd1, {%r1, %r2}];\n"
                                "st.global.v4.u32 [%rd0], {%r3, %r4, %r5, %r6};",
                                1),
                 32);
  rig.add(object_of(OpaqueKind::kTexture, "t", image_of(ImageShape::k2d, "s8", 4, 2)),
          std::vector<int8_t>{1, 2, 3, 4, -1, -2, -3, -4});
  const Ran r = rig.run(threads(8));
  ASSERT_TRUE(r.outcome.ok()) << r.faults();
  const int want[8] = {0, 0, -1, -2, -3, -4, 0, 0};
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(static_cast<int>(r.out[4 * i]), want[i]) << i;
}

TEST(Texture, LinearMemoryOffsetsAndLayers) {
  TextureRig rig(
      texture_kernel("mov.u32 %r10, 7;\nmov.f32 %f0, 0f3F000000;\n"  // layer 7 of 3 is the last
                     "tex.1d.v4.u32.s32 {%r1, %r5, %r6, %r7}, [%rd1, {%r10}];\n"
                     "tex.a2d.v4.u32.f32 {%r2, %r5, %r6, %r7}, [%rd2, {%r10, %f0, %f0, %f0}], "
                     "{1, 2};\n"
                     "tex.3d.v4.u32.f32 {%r3, %r5, %r6, %r7}|%p1, [%rd3, {%f0, %f0, %f0, %f0}];\n"
                     "selp.u32 %r4, 1, 0, %p1;\n"
                     "st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4};",
                     3),
      4);
  rig.add(object_of(OpaqueKind::kTexture, "a", image_of(ImageShape::kLinear, "u32", 8)),
          counted(8, 100));
  rig.add(object_of(OpaqueKind::kTexture, "b", image_of(ImageShape::k2dLayered, "u32", 3, 4, 1, 3)),
          counted(36));
  rig.add(object_of(OpaqueKind::kTexture, "c", image_of(ImageShape::k3d, "u32", 2, 2, 2)),
          counted(8, 50));
  const Ran r = rig.run(threads(1));
  ASSERT_TRUE(r.outcome.ok()) << r.faults();
  EXPECT_EQ(r.out, (std::vector<uint32_t>{107, 24 + 2 * 3 + 1, 50, 1}));
}

TEST(Texture, ModuleReferencesWithSamplers) {
  const std::string before =
      ".global .texref image = {normalized_coords = 1};\n"
      ".global .samplerref nearest = {addr_mode_0 = wrap, filter_mode = nearest};\n"
      ".global .samplerref texels = {force_unnormalized_coords = 1, addr_mode_0 = clamp_to_border, "
      "filter_mode = linear};\n";
  TextureRig rig(texture_kernel("mov.f32 %f0, 0f3FA00000;\n"  // 1.25
                                "tex.1d.v4.f32.f32 {%f1, %f5, %f6, %f7}, [image, nearest, {%f0}];\n"
                                "tex.1d.v4.f32.f32 {%f2, %f5, %f6, %f7}, [image, texels, {%f0}];\n"
                                "mov.f32 %f8, 0f00000000;\n"
                                "tex.1d.v4.f32.f32 {%f3, %f5, %f6, %f7}, [image, texels, {%f8}];\n"
                                "txq.width.b32 %r1, [image];\ncvt.rn.f32.u32 %f4, %r1;\n" +
                                    std::string(kStoreFloats),
                                0, before, "sm_90, texmode_independent"),
                 4);
  Image m = image_of(ImageShape::k1d, "f32", 4);
  rig.bind("image", m, std::vector<float>{10, 20, 30, 40});
  const Ran r = rig.run(threads(1));
  ASSERT_TRUE(r.outcome.ok()) << r.faults();
  EXPECT_EQ(r.out[0], bits(20));     // 1.25 wraps to 0.25
  EXPECT_EQ(r.out[1], bits(17.5f));  // between texels 0 and 1
  EXPECT_EQ(r.out[2], bits(5));      // half of it is the border, which is 0
  EXPECT_EQ(r.out[3], bits(4));
}

TEST(Texture, ReferencesAsParametersAndPointers) {
  const std::string text =
      ".version 8.3\n.target sm_90\n.address_size 64\n"
      ".global .texref other;\n"
      ".func (.param .b32 r) read(.param .b64 t)\n{\n.reg .b64 %rd<2>;\n.reg .b32 %r<8>;\n"
      "ld.param.b64 %rd1, [t];\nmov.u32 %r1, 2;\n"
      "tex.2d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%rd1, {%r1, %r1}];\n"
      "st.param.b32 [r], %r2;\nret;\n}\n"
      ".visible .entry k(.param .u64 out, .param .texref given)\n{\n.reg .b64 %rd<8>;\n"
      ".reg .b32 %r<16>;\n.reg .pred %p<4>;\nld.param.u64 %rd0, [out];\nmov.u32 %r1, 1;\n"
      "tex.2d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [given, {%r1, %r1}];\n"
      "mov.u64 %rd1, other;\n"
      "{\n.param .b64 a;\n.param .b32 b;\nst.param.b64 [a], %rd1;\ncall (b), read, (a);\n"
      "ld.param.b32 %r6, [b];\n}\n"
      "istypep.texref %p1, %rd1;\nistypep.surfref %p2, %rd1;\nistypep.texref %p3, %rd0;\n"
      "selp.u32 %r7, 1, 0, %p1;\nselp.u32 %r8, 2, 0, %p2;\nselp.u32 %r9, 4, 0, %p3;\n"
      "or.b32 %r7, %r7, %r8;\nor.b32 %r7, %r7, %r9;\n"
      "st.global.v4.u32 [%rd0], {%r2, %r6, %r7, %r1};\nret;\n}\n";
  TextureRig rig(text, 4);
  rig.add(object_of(OpaqueKind::kTexture, "given", image_of(ImageShape::k2d, "u32", 3, 3)),
          counted(9));
  rig.bind("other", image_of(ImageShape::k2d, "u16", 3, 3),
           std::vector<uint16_t>{0, 1, 2, 3, 4, 5, 6, 7, 888});
  const Ran r = rig.run(threads(1));
  ASSERT_TRUE(r.outcome.ok()) << r.faults();
  EXPECT_EQ(r.out, (std::vector<uint32_t>{4, 888, 1, 1}));
}

TEST(Texture, GatherTakesOneComponentOfFourTexels) {
  TextureRig rig(texture_kernel("mov.f32 %f0, 0f40000000;\n"
                                "tld4.g.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%f0, %f0}];\n"
                                "st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4};",
                                1),
                 4);
  rig.add(object_of(OpaqueKind::kTexture, "t", image_of(ImageShape::k2d, "u32x2", 3, 3)),
          counted(18));
  const Ran r = rig.run(threads(1));
  ASSERT_TRUE(r.outcome.ok()) << r.faults();
  // Texels (1,2), (2,2), (2,1), (1,1), second channel.
  EXPECT_EQ(r.out, (std::vector<uint32_t>{15, 17, 11, 9}));
}

TEST(Texture, Queries) {
  TextureRig rig(texture_kernel("txq.height.b32 %r1, [%rd1];\ntxq.num_mipmap_levels.b32 %r2, "
                                "[%rd1];\ntxq.level.width.b32 %r3, [%rd1], 1;\n"
                                "txq.channel_order.b32 %r4, [%rd1];\n"
                                "st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4};",
                                1),
                 4);
  Image m = image_of(ImageShape::k2d, "f32x4", 6, 4);
  m.levels = 2;
  rig.add(object_of(OpaqueKind::kTexture, "t", m), std::vector<float>(4 * (24 + 6)));
  const Ran r = rig.run(threads(1));
  ASSERT_TRUE(r.outcome.ok()) << r.faults();
  EXPECT_EQ(r.out, (std::vector<uint32_t>{4, 2, 3, 0x10b5}));
}

// Body with one lookup of a 2d texture, the sampler, the image, and words of the fault.
struct RefusedLookup {
  const char* name;
  const char* lookup;
  Image image;
  Sampler sampler;
  FaultKind kind;
  const char* words;
};

class RefusedLookups : public testing::TestWithParam<RefusedLookup> {};

TEST_P(RefusedLookups, FaultByName) {
  const RefusedLookup& c = GetParam();
  TextureRig rig(texture_kernel(std::string("mov.f32 %f0, 0f3F000000;\nmov.u32 %r1, 0;\n") +
                                    c.lookup + "\nst.global.v4.f32 [%rd0], {%f1, %f2, %f3, %f4};",
                                1),
                 4);
  rig.add(object_of(OpaqueKind::kTexture, "picture", c.image, c.sampler),
          std::vector<std::byte>(c.image.bytes()));
  const Ran r = rig.run(threads(1));
  ASSERT_FALSE(r.outcome.ok());
  EXPECT_EQ(r.outcome.faults[0].kind, c.kind) << r.faults();
  EXPECT_NE(r.outcome.faults[0].message.find(c.words), std::string::npos) << r.faults();
  EXPECT_EQ(r.outcome.faults[0].line, 17u);
}

Image levels(uint32_t n) {
  Image m = image_of(ImageShape::k2d, "f32", 4, 4);
  m.levels = n;
  return m;
}

const Sampler kLinear = sampler(FilterMode::kLinear, AddressMode::kClamp, true);
constexpr char kPlain[] = "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}];";

INSTANTIATE_TEST_SUITE_P(
    All, RefusedLookups,
    testing::Values(
        RefusedLookup{"shape",
                      kPlain,
                      image_of(ImageShape::k3d, "f32", 4, 4, 4),
                      {},
                      FaultKind::kIllegal,
                      "of the texture 'picture', whose shape is 3d"},
        RefusedLookup{"kind_of_handle",
                      "suld.b.2d.b32.trap %r2, [%rd1, {%r1, %r1}];\nmov.b32 %f1, %r2;",
                      image_of(ImageShape::k2d, "f32", 4, 4),
                      {},
                      FaultKind::kIllegal,
                      "is of the texture 'picture', not of a surface"},
        RefusedLookup{"address",
                      "mov.u64 %rd1, %rd0; tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, "
                      "[%rd0, {%f0, %f0}];",
                      image_of(ImageShape::k2d, "f32", 4, 4),
                      {},
                      FaultKind::kIllegal,
                      "no texture has the handle 0x1000000000, which is an address in 'out'"},
        RefusedLookup{"integers_filtered", kPlain, image_of(ImageShape::k2d, "u8", 4, 4), kLinear,
                      FaultKind::kUncovered, "linear filtering of integers"},
        RefusedLookup{"gradients",
                      "tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}], {%f0, "
                      "%f0}, {%f0, %f0};",
                      levels(3), kLinear, FaultKind::kUncovered, "levels chosen by gradients"},
        RefusedLookup{"offset",
                      "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}], {8, 0};",
                      levels(1), kLinear, FaultKind::kIllegal, "an offset of 8 texels"},
        RefusedLookup{"load_from_a_handle",
                      "ld.global.f32 %f1, [%rd1];",
                      levels(1),
                      {},
                      FaultKind::kOutOfBounds,
                      "this is no address but a handle of a texture, surface or sampler"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Texture, NothingIsBound) {
  TextureRig rig(texture_kernel("mov.f32 %f0, 0f3F000000;\n"
                                "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f0, %f0}];",
                                0, ".global .texref image;\n"),
                 4);
  const Ran r = rig.run(threads(1));
  ASSERT_FALSE(r.outcome.ok());
  EXPECT_EQ(r.outcome.faults[0].message, "nothing is bound to the texture 'image'");
}

TEST(Texture, UndefinedTexelsTaintTheResult) {
  TextureRig rig(texture_kernel("sub.u32 %r1, %r0, 0;\nmov.u32 %r2, 0;\n"
                                "tex.2d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%rd1, {%r1, %r2}];\n"
                                "setp.eq.u32 %p1, %r3, 77;\n@%p1 bra DONE;\n"
                                "st.global.u32 [%rd0], %r3;\nDONE:",
                                1),
                 32);
  OpaqueObject o = object_of(OpaqueKind::kTexture, "t", image_of(ImageShape::k2d, "u32", 8, 2));
  ASSERT_TRUE(OpaqueObjects::allocate(o, rig.memory, false).ok());
  const std::vector<uint32_t> three{5, 6, 7};
  ASSERT_TRUE(rig.memory.write(o.image.region->base(), std::as_bytes(std::span(three))).ok());
  rig.pass(rig.memory.objects().add(std::move(o)));
  Options options;
  options.checks.uninitialised = true;
  EXPECT_TRUE(rig.run(threads(3), options).outcome.ok());
  const Ran r = rig.run(threads(4), options);
  ASSERT_FALSE(r.outcome.ok());
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kUninitialised);
  EXPECT_EQ(r.outcome.faults[0].thread[0], 3u);
}

}  // namespace
}  // namespace pitot::emulator::test::texture_test
