// suld, sust and sured through whole kernels. Results at and beyond the edges are what an NVIDIA
// H200 gives.
#include "texture_test_util.h"

namespace pitot::emulator::test {
namespace {

std::vector<uint32_t> counted(uint32_t n) {
  std::vector<uint32_t> v(n);
  for (uint32_t i = 0; i < n; ++i) v[i] = i + 1;
  return v;
}

OpaqueObject surface(const Image& m) { return object_of(OpaqueKind::kSurface, "canvas", m); }

// %r1: x in bytes, four less than the thread's place; %r2: y.
constexpr char kPlace[] = "mul.lo.u32 %r1, %r0, 4;\nsub.u32 %r1, %r1, 4;\nmov.u32 %r2, 1;\n";

TEST(Surface, LoadsOutsideReadZeroOrTheNearest) {
  for (const bool clamp : {false, true}) {
    TextureRig rig(
        texture_kernel(std::string(kPlace) + "suld.b.2d.b32." + (clamp ? "clamp" : "zero") +
                           " %r3, [%rd1, {%r1, %r2}];\nst.global.u32 [%rd0], %r3;",
                       1),
        32);
    rig.add(surface(image_of(ImageShape::k2d, "u32", 5, 2)), counted(10));
    const Ran r = rig.run(threads(8));
    ASSERT_TRUE(r.outcome.ok()) << r.faults();
    const uint32_t zero[8] = {0, 6, 7, 8, 9, 10, 0, 0}, near[8] = {6, 6, 7, 8, 9, 10, 10, 10};
    for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(r.out[4 * i], clamp ? near[i] : zero[i]) << i;
  }
}

TEST(Surface, StoresOutsideAreDroppedOrMoved) {
  TextureRig rig(texture_kernel(std::string(kPlace) +
                                    "add.u32 %r3, %r0, 100;\n"
                                    "sust.b.2d.b32.zero [%rd1, {%r1, %r2}], %r3;\n"
                                    "setp.ne.u32 %p1, %r0, 7;\n@%p1 bra DONE;\n"
                                    "mov.u32 %r4, 9;\nsust.b.2d.b32.clamp [%rd1, {%r1, %r4}], %r3;"
                                    "\nDONE:",
                                1),
                 4);
  const Image m = rig.add(surface(image_of(ImageShape::k2d, "u32", 5, 3)), counted(15));
  const Ran r = rig.run(threads(8));
  ASSERT_TRUE(r.outcome.ok()) << r.faults();
  EXPECT_EQ(contents<uint32_t>(rig.memory, m),
            (std::vector<uint32_t>{1, 2, 3, 4, 5, 101, 102, 103, 104, 105, 11, 12, 13, 14, 107}));
}

TEST(Surface, ATrapIsAFaultAtItsPlace) {
  TextureRig rig(
      texture_kernel(std::string(kPlace) + "sust.b.2d.b32.trap [%rd1, {%r1, %r2}], %r0;", 1), 4);
  rig.add(surface(image_of(ImageShape::k2d, "u32", 7, 2)), counted(14));
  EXPECT_FALSE(rig.run(threads(8)).outcome.ok());  // thread 0
  TextureRig past(texture_kernel("shl.b32 %r1, %r0, 2;\nmov.u32 %r2, 2;\n"
                                 "sust.b.2d.b32.trap [%rd1, {%r1, %r2}], %r0;",
                                 1),
                  4);
  past.add(surface(image_of(ImageShape::k2d, "u32", 7, 2)), counted(14));
  const Ran r = past.run(threads(1));
  ASSERT_FALSE(r.outcome.ok());
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kOutOfBounds);
  EXPECT_EQ(r.outcome.faults[0].message,
            "sust.b.2d.b32.trap of 4 bytes at x = 0 (bytes), y = 2 of the surface 'canvas' "
            "(28 bytes × 2)");
}

TEST(Surface, LayersSlicesAndVectors) {
  TextureRig rig(texture_kernel("mov.u32 %r1, 8;\nmov.u32 %r2, 1;\nmov.u32 %r3, 2;\n"
                                "suld.b.a2d.v2.b32.trap {%r4, %r5}, [%rd1, {%r3, %r1, %r2, %r2}];\n"
                                "suld.b.3d.b32.trap %r6, [%rd2, {%r1, %r2, %r3, %r3}];\n"
                                "mov.u32 %r7, 2;\nsuld.b.a1d.b16.trap %h1, [%rd3, {%r2, %r7}];\n"
                                "cvt.u32.u16 %r8, %h1;\n"
                                "st.global.v4.u32 [%rd0], {%r4, %r5, %r6, %r8};",
                                3),
                 4);
  rig.add(surface(image_of(ImageShape::k2dLayered, "u32x2", 3, 2, 1, 3)), counted(36));
  rig.add(surface(image_of(ImageShape::k3d, "u32", 3, 2, 3)), counted(18));
  rig.add(surface(image_of(ImageShape::k1dLayered, "u16", 3, 1, 1, 2)),
          std::vector<uint16_t>{1, 2, 3, 4, 5, 6});
  const Ran r = rig.run(threads(1));
  ASSERT_TRUE(r.outcome.ok()) << r.faults();
  EXPECT_EQ(r.out, (std::vector<uint32_t>{2 * (2 * 6 + 3 + 1) + 1, 2 * (2 * 6 + 3 + 1) + 2,
                                          2 * 6 + 3 + 2 + 1, 5}));
}

TEST(Surface, PlacesThatAreNoMultipleOfTheAccess) {
  TextureRig rig(texture_kernel("mov.u32 %r1, 1;\nsuld.b.1d.b16.trap %h1, [%rd1, {%r1}];", 1), 4);
  rig.add(surface(image_of(ImageShape::k1d, "u8", 4)), std::vector<uint8_t>(4));
  const Ran r = rig.run(threads(1));
  ASSERT_FALSE(r.outcome.ok());
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kMisaligned) << r.faults();
}

TEST(Surface, Reductions) {
  TextureRig rig(texture_kernel("mov.u32 %r1, 4;\nmov.u32 %r2, 1;\n"
                                "sured.b.add.2d.u32.trap [%rd1, {%r1, %r2}], %r0;\n"
                                "sured.p.max.2d.b32.trap [%rd1, {%r2, %r1}], %r0;\n"
                                "sured.p.min.1d.b32.clamp [%rd2, {%r1}], -5;",
                                2),
                 4);
  const Image m =
      rig.add(surface(image_of(ImageShape::k2d, "u32", 3, 5)), std::vector<uint32_t>(15, 2));
  const Image s = rig.add(surface(image_of(ImageShape::k1d, "s32", 2)), std::vector<int32_t>{7, 1});
  const Ran r = rig.run(threads(32));
  ASSERT_TRUE(r.outcome.ok()) << r.faults();
  const auto words = contents<uint32_t>(rig.memory, m);
  EXPECT_EQ(words[3 + 1], 2u + 31 * 32 / 2);
  EXPECT_EQ(words[4 * 3 + 1], 31u);
  EXPECT_EQ(contents<int32_t>(rig.memory, s), (std::vector<int32_t>{7, -5}));
}

TEST(Surface, WritesAreSeenByTheRaceCheck) {
  TextureRig rig(texture_kernel("mov.u32 %r1, 0;\nsust.b.1d.b32.trap [%rd1, {%r1}], %r0;", 1), 4);
  rig.add(surface(image_of(ImageShape::k1d, "u32", 4)), counted(4));
  Options options;
  options.checks.races = true;
  const Ran r = rig.run(threads(64), options);
  ASSERT_FALSE(r.outcome.ok());
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kRace) << r.faults();
  EXPECT_NE(r.outcome.faults[0].message.find("canvas"), std::string::npos) << r.faults();
}

TEST(Surface, UndefinedValuesStayUndefinedThere) {
  TextureRig rig(texture_kernel("shl.b32 %r1, %r0, 2;\nsuld.b.1d.b32.trap %r2, [%rd1, {%r1}];\n"
                                "setp.eq.u32 %p1, %r2, 1;\n@%p1 bra DONE;\nDONE:",
                                1),
                 4);
  OpaqueObject o = surface(image_of(ImageShape::k1d, "u32", 4));
  ASSERT_TRUE(OpaqueObjects::allocate(o, rig.memory, false).ok());
  rig.pass(rig.memory.objects().add(std::move(o)));
  Options options;
  options.checks.uninitialised = true;
  const Ran r = rig.run(threads(1), options);
  ASSERT_FALSE(r.outcome.ok());
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kUninitialised);
}

TEST(Surface, Queries) {
  TextureRig rig(texture_kernel("suq.width.b32 %r1, [%rd1];\nsuq.depth.b32 %r2, [%rd1];\n"
                                "suq.channel_data_type.b32 %r3, [%rd1];\n"
                                "suq.array_size.b32 %r4, [%rd2];\n"
                                "st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4};",
                                2),
                 4);
  rig.add(surface(image_of(ImageShape::k3d, "s16x2", 5, 4, 3)), std::vector<uint32_t>(60));
  rig.add(surface(image_of(ImageShape::k2dLayered, "f32", 2, 2, 1, 6)), std::vector<float>(24));
  const Ran r = rig.run(threads(1));
  ASSERT_TRUE(r.outcome.ok()) << r.faults();
  EXPECT_EQ(r.out, (std::vector<uint32_t>{5, 3, 0x10d8, 6}));
}

}  // namespace
}  // namespace pitot::emulator::test
