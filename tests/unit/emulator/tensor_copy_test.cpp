// Boxes of tensors: what lies outside, swizzling, strides, reductions, maps made on the device.
#include <functional>

#include "tensor_copy_util.h"

namespace pitot::emulator::test::tensor_copy_test {
namespace {

TEST(TensorMap, KeepsItsFields) {
  TensorMap m = words_2d(12, 7, 8, 4);
  m.swizzle = 2, m.fill = 1, m.element = 7, m.step[1] = 2, m.address = 0x1234560;
  const TensorMap d = TensorMap::decode(m.encode());
  EXPECT_EQ(d.encode(), m.encode());
  EXPECT_EQ(d.rank, 2);
  EXPECT_EQ(d.stride[0], 48u);
  EXPECT_EQ(d.step[1], 2);
  EXPECT_EQ(d.box_bytes(), 8u * 2 * 4);
}

TEST(TensorCopy, WhatLiesOutsideIsZero) {
  // 12 x 5 words; a box of 8 x 4 at every corner.
  const TensorMap m = words_2d(12, 5, 8, 4);
  for (int x : {-4, 0, 8, 20})
    for (int y : {-2, 1, 3, -9}) {
      auto t = run_tensor(m, load("2d", fmt::format("{}, {}", x, y), 32));
      ASSERT_EQ(t.faults(), "");
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 8; ++c) {
          const bool inside = x + c >= 0 && x + c < 12 && y + r >= 0 && y + r < 5;
          ASSERT_EQ(t.out[static_cast<size_t>(r * 8 + c)],
                    inside ? static_cast<uint32_t>((y + r) * 12 + x + c + 1) : 0u)
              << x << "," << y << ": " << r << "," << c;
        }
    }
}

TEST(TensorCopy, OrNaN) {
  TensorMap m = words_2d(12, 5, 8, 4);
  m.element = 7;  // f32
  m.fill = 1;
  auto t = run_tensor(m, load("2d", "8, 0", 32));
  ASSERT_EQ(t.faults(), "");
  EXPECT_EQ(t.out[3], 12u);
  EXPECT_EQ(t.out[4], 0x7ff77ff7u);  // as an H200 has it, of every type
  // Halves: 24 in a row; those at 16 and beyond of a box at 16.
  m = words_2d(12, 5, 8, 4);
  m.element = 6;
  m.size[0] = 24;
  m.box[0] = 16;
  m.fill = 1;
  t = run_tensor(m, load("2d", "16, 0", 32));
  ASSERT_EQ(t.faults(), "");
  EXPECT_EQ(t.out[3], 12u);
  EXPECT_EQ(t.out[4], 0x7ff77ff7u);
}

TEST(TensorCopy, BeginsAtAMultipleOfSixteenBytes) {
  auto fault = [](const TensorMap& m, const std::string& body, const std::string& words) {
    auto t = run_tensor(m, body);
    ASSERT_EQ(t.outcome.faults.size(), 1u);
    EXPECT_EQ(t.outcome.faults[0].kind, FaultKind::kIllegal);
    EXPECT_NE(t.outcome.faults[0].message.find(words), std::string::npos) << t.faults();
  };
  const TensorMap m = words_2d(12, 5, 8, 4);
  fault(m, load("2d", "-3, 0", 32),
        "a copy that begins at element -3 of dimension 0, -12 bytes from the row's start: not a "
        "multiple of 16");
  fault(m, load("2d", "2, 0", 32), "element 2 of dimension 0, 8 bytes");
  fault(m, "@%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd2, {7, 3}], [%r4];\n",
        "element 7 of dimension 0, 28 bytes");
  TensorMap bytes = words_2d(12, 5, 8, 4);
  bytes.element = 0;
  bytes.size[0] = 48;
  bytes.box[0] = 32;
  fault(bytes, load("2d", "-8, 0", 32), "element -8 of dimension 0, -8 bytes");
  EXPECT_EQ(run_tensor(bytes, load("2d", "-16, 0", 32)).faults(), "");
}

TEST(TensorCopy, Swizzles) {
  // Rows as long as the swizzle. In 128-byte lines, piece p of line n is found at p xor (n mod 8),
  // and for shorter swizzles at p xor ((n / …) mod …) within the row's own pieces.
  for (uint8_t mode : {1, 2, 3}) {
    const uint32_t row = 4u << mode;  // words
    TensorMap m = words_2d(row, 16, row, 16);
    m.swizzle = mode;
    auto t = run_tensor(m, load("2d", "0, 0", row * 16));
    ASSERT_EQ(t.faults(), "");
    const uint32_t pieces = row / 4;
    for (uint32_t r = 0; r < 16; ++r)
      for (uint32_t p = 0; p < pieces; ++p) {
        const uint32_t line = r * row * 4 / 128;
        const uint32_t found = p ^ (line % pieces);
        for (uint32_t i = 0; i < 4; ++i)
          ASSERT_EQ(t.out[r * row + found * 4 + i], r * row + p * 4 + i + 1)
              << int{mode} << " " << r << " " << p;
      }
  }
}

TEST(TensorCopy, OneToFiveDimensionsAndElementStrides) {
  TensorMap m;
  m.element = 2;
  m.size = {8, 3, 4, 2, 2};
  m.box = {4, 2, 4, 1, 2};
  m.step = {1, 1, 2, 1, 1};
  m.stride = {32, 96, 384, 768};
  m.rank = 5;
  auto t = run_tensor(m, load("5d", "4, 1, 1, 1, 0", 32));
  ASSERT_EQ(t.faults(), "");
  size_t at = 0;
  for (uint32_t e = 0; e < 2; ++e)
    for (uint32_t c = 1; c < 5; c += 2)
      for (uint32_t b = 1; b < 3; ++b)
        for (uint32_t a = 4; a < 8; ++a, ++at)
          ASSERT_EQ(t.out[at], c < 4 ? a + b * 8 + c * 24 + 96 + e * 192 + 1 : 0u) << at;
  m = TensorMap();
  m.element = 2;
  m.size[0] = 40;
  m.box[0] = 32;
  m.step[0] = 2;  // not used
  t = run_tensor(m, load("1d", "12", 32));
  ASSERT_EQ(t.faults(), "");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(t.out[i], 12 + i < 40 ? 13 + i : 0u);
}

const std::string kFill =
    "shl.b32 %r11, %r2, 2;\nadd.u32 %r12, %r4, %r11;\nadd.u32 %r13, %r2, 1000;\n"
    "st.shared.u32 [%r12], %r13;\nbar.sync 0;\n";
const std::string kDone = "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n";

TEST(TensorCopy, StoresLeaveWhatLiesOutside) {
  auto t = run_tensor(words_2d(12, 5, 8, 4),
                      kFill +
                          "@%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
                          "[%rd2, {8, 3}], [%r4];\n" +
                          kDone);
  ASSERT_EQ(t.faults(), "");
  for (uint32_t i = 0; i < 80; ++i) {
    const uint32_t x = i % 12, y = i / 12;
    const bool inside = x >= 8 && y >= 3 && y < 5;
    EXPECT_EQ(t.in[i], inside ? 1000 + (y - 3) * 8 + x - 8 : i + 1) << i;
  }
}

TEST(TensorCopy, Reductions) {
  auto t = run_tensor(words_2d(12, 5, 8, 4),
                      kFill +
                          "@%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile."
                          "bulk_group [%rd2, {-4, 0}], [%r4];\n" +
                          kDone);
  ASSERT_EQ(t.faults(), "");
  for (uint32_t i = 0; i < 60; ++i) {
    const uint32_t x = i % 12, y = i / 12;
    EXPECT_EQ(t.in[i], i + 1 + (x < 4 && y < 4 ? 1000 + y * 8 + x + 4 : 0)) << i;
  }
}

TEST(TensorCopy, WithAMapMadeOnTheDevice) {
  // As a compiler does it: zeros, then every field, then a copy to global memory behind the data.
  std::string body =
      "shl.b32 %r11, %r2, 2;\nmov.u32 %r20, made;\nadd.u32 %r12, %r20, %r11;\n"
      "st.shared.u32 [%r12], 0;\nbar.sync 0;\n";
  auto field = [&](const std::string& name, const std::string& type, const std::string& value) {
    body += "@%p1 tensormap.replace.tile." + name + ".shared::cta.b1024." + type + " [%r20], " +
            value + ";\n";
  };
  field("global_address", "b64", "%rd1");
  field("rank", "b32", "1");
  field("box_dim", "b32", "0, 8");
  field("box_dim", "b32", "1, 4");
  field("global_dim", "b32", "0, 12");
  field("global_dim", "b32", "1, 5");
  field("global_stride", "b64", "0, 48");
  field("element_stride", "b32", "0, 1");
  field("element_stride", "b32", "1, 1");
  field("elemtype", "b32", "2");
  field("interleave_layout", "b32", "0");
  field("swizzle_mode", "b32", "0");
  field("fill_mode", "b32", "0");
  body +=
      "bar.sync 0;\nadd.s64 %rd2, %rd0, 8192;\n"
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
      "[%rd2], [%r20], 128;\nfence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;\n";
  auto t = run_tensor({}, body + load("2d", "8, 2", 32));
  ASSERT_EQ(t.faults(), "");
  for (uint32_t i = 0; i < 32; ++i) {
    const uint32_t x = 8 + i % 8, y = 2 + i / 8;
    EXPECT_EQ(t.out[i], x < 12 && y < 5 ? y * 12 + x + 1 : 0u);
  }
}

TEST(TensorCopy, MapsThatCannotBe) {
  auto kind = [](const std::function<void(TensorMap&)>& change,
                 const std::string& coordinates = "0, 0", const std::string& dims = "2d") {
    TensorMap m = words_2d(12, 5, 8, 4);
    change(m);
    auto t = run_tensor(m, load(dims, coordinates, 32));
    EXPECT_EQ(t.outcome.faults.size(), 1u) << t.faults();
    return t.outcome.faults.empty() ? FaultKind::kTrap : t.outcome.faults[0].kind;
  };
  EXPECT_EQ(kind([](TensorMap& m) { m.address += 8; }), FaultKind::kIllegal);
  EXPECT_EQ(kind([](TensorMap& m) { m.stride[0] = 40; }), FaultKind::kIllegal);
  EXPECT_EQ(kind([](TensorMap& m) { m.box[1] = 300; }), FaultKind::kIllegal);
  EXPECT_EQ(kind([](TensorMap& m) { m.box[0] = 6; }), FaultKind::kIllegal);
  EXPECT_EQ(kind([](TensorMap& m) { m.swizzle = 1, m.box[0] = 12; }), FaultKind::kIllegal);
  EXPECT_EQ(kind([](TensorMap& m) { m.fill = 1; }), FaultKind::kIllegal);
  EXPECT_EQ(kind([](TensorMap&) {}, "0, 0, 0", "3d"), FaultKind::kIllegal);
  EXPECT_EQ(kind([](TensorMap& m) { m.element = 11; }), FaultKind::kUncovered);
  EXPECT_EQ(kind([](TensorMap& m) { m.interleave = 1; }), FaultKind::kUncovered);
  // The tensor is larger than its memory.
  EXPECT_EQ(kind([](TensorMap& m) { m.size[1] = 5000; }, "0, 4000"), FaultKind::kOutOfBounds);
  // The box has fewer bytes than are waited for.
  EXPECT_EQ(kind([](TensorMap& m) { m.box[1] = 3; }), FaultKind::kTransactions);
}

}  // namespace
}  // namespace pitot::emulator::test::tensor_copy_test
