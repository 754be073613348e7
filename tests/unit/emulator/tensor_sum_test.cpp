// Sums of a tensor core against what an H200 gave for the same elements.
#include "emulator/tensor_sum.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace pitot::emulator::test {
namespace {

using ptx::Type;

// One sum: row 0, column 0 of a product with eight columns.
uint32_t sum_of(const TensorSum& how, Type t, const std::vector<uint32_t>& a,
                const std::vector<uint32_t>& b, uint32_t c, Type d = Type::kF32) {
  Tile x, y, z;
  const auto k = static_cast<unsigned>(a.size());
  x.reshape(1, k, false);
  y.reshape(k, 8, false);
  z.reshape(1, 8, false);
  for (unsigned q = 0; q < k; ++q) {
    x.at(0, q) = decode_float(t, a[q]);
    y.at(q, 0) = decode_float(t, b[q]);
  }
  z.at(0, 0) = decode_float(d, c);
  multiply_as(how, t, t, d, x, y, z, z);
  return encode_float(d, z.at(0, 0));
}

TEST(TensorSum, HalvesAreCutOff) {
  const TensorSum how = hopper_sum(TensorOperation::kMma, Type::kF16);
  EXPECT_EQ(
      sum_of(how, Type::kF16, {0x34a0, 0x37a6, 0x3a75, 0xb5c5, 0x4356, 0xb4b2, 0xc3ac, 0x400f},
             {0x3e34, 0xb6ab, 0x3a80, 0x42e2, 0x42a9, 0x3567, 0x3a2a, 0x3a3c}, 0x3f74fdff),
      0x4135cbb6u);
  EXPECT_EQ(
      sum_of(how, Type::kF16, {0x3cda, 0x942e, 0xb3bc, 0x19d2, 0xa36d, 0x4efa, 0x44f9, 0x8b16},
             {0x469d, 0xbe0c, 0xc721, 0x1073, 0xb6c8, 0x9fd7, 0x0b11, 0xa741}, 0xbf828aa9),
      0x41084fdcu);
  EXPECT_EQ(
      sum_of(how, Type::kF16, {0x2f5f, 0x3772, 0xadbe, 0x2c4f, 0x2efe, 0xb3f7, 0xb72c, 0xafa6},
             {0x585e, 0x36fc, 0x37b8, 0x3669, 0xb636, 0xb280, 0xac72, 0xaf6c}, 0xbe4d3e44),
      0x41811479u);
}

TEST(TensorSum, BytesByMmaGoInTwoHalves) {
  EXPECT_EQ(sum_of(hopper_sum(TensorOperation::kMma, Type::kE4m3), Type::kE4m3,
                   {0x2e, 0x1a, 0xac, 0x2b, 0x18, 0xaa, 0x23, 0x20, 0x29, 0xab, 0x24, 0xa1, 0x6f,
                    0x21, 0x27, 0x9a},
                   {0x2b, 0x1a, 0xa3, 0x9d, 0x24, 0xaf, 0xa4, 0x2e, 0x9e, 0x2a, 0x68, 0xed, 0xea,
                    0x1e, 0x2a, 0x25},
                   0xbe427932),
            0xc615950du);
}

TEST(TensorSum, BytesByWgmmaKeepThirteenBits) {
  // 1 + 2^-13 is there, 2^-14 beside 1 is not.
  const TensorSum how = hopper_sum(TensorOperation::kWgmma, Type::kE4m3);
  std::vector<uint32_t> a(32, 0), b(32, 0);
  a[0] = b[0] = 0x38;  // 1
  a[1] = 0x08;         // 2^-6
  b[1] = 0x01;         // 2^-9: a product of 2^-15
  EXPECT_EQ(sum_of(how, Type::kE4m3, a, b, 0), 0x3f800000u);
  b[1] = 0x04;  // 2^-7
  EXPECT_EQ(sum_of(how, Type::kE4m3, a, b, 0), 0x3f800400u);
}

TEST(TensorSum, SpecialValues) {
  const TensorSum how = hopper_sum(TensorOperation::kMma, Type::kF16);
  EXPECT_EQ(sum_of(how, Type::kF16, {0x7c00, 0x3c00}, {0x3c00, 0x3c00}, 0), 0x7f800000u);
  EXPECT_EQ(sum_of(how, Type::kF16, {0x7c00, 0x3c00}, {0x0000, 0x3c00}, 0), 0x7fffffffu);
  EXPECT_EQ(sum_of(how, Type::kF16, {0x0000}, {0x3c00}, 0x00000001), 0x00000001u);
}

}  // namespace
}  // namespace pitot::emulator::test
