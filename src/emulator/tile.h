// Small dense matrices as tensor-core operations see them: elements decoded from registers or
// shared memory, multiplied, and rounded once into the accumulator's format.
//
// The numeric model. The PTX ISA leaves order and precision of the sum inside a tensor core open
// (PTX ISA, "mma", floating point operations). For sm_90 they are as measured, see tensor_sum.h.
// For other targets products are exact, they are summed with C in IEEE double in the order of k,
// and the sum is rounded once to the format of D (to nearest even; f16 accumulators too, so nothing
// is lost in between). Every product of two formats up to tf32 is exact in double. Hardware cuts
// partial sums off, so that f16, bf16 and tf32 differ from this by a few units in the last place of
// an f32. Integers and f64 agree with hardware bit for bit.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "emulator/lanes.h"
#include "emulator/small_float.h"
#include "ptx/types.h"

namespace pitot::emulator {

enum class TileKind : uint8_t { kFloat, kInteger, kBits };

// Row-major; only the vector of the kind is used.
struct Tile {
  unsigned rows = 0, columns = 0;
  std::vector<double> f;
  std::vector<int32_t> i;

  void reshape(unsigned r, unsigned c, bool integer) {
    rows = r;
    columns = c;
    if (integer) {
      i.assign(size_t{r} * c, 0);
    } else {
      f.assign(size_t{r} * c, 0.0);
    }
  }
  double& at(unsigned r, unsigned c) { return f[size_t{r} * columns + c]; }
  double at(unsigned r, unsigned c) const { return f[size_t{r} * columns + c]; }
  int32_t& int_at(unsigned r, unsigned c) { return i[size_t{r} * columns + c]; }
  int32_t int_at(unsigned r, unsigned c) const { return i[size_t{r} * columns + c]; }
};

// Bits of one element in memory and in a packed register: 1 … 64. tf32 takes 32.
unsigned element_bits(ptx::Type t);
bool is_integer_element(ptx::Type t);  // s8, u8, s4, u4, b1, s32

// The value of an element's bits. tf32 ignores the low 13 bits, as the hardware does.
double decode_narrow(ptx::Type t, uint64_t bits);  // 8 bits and less
inline double decode_float(ptx::Type t, uint64_t bits) {
  const auto word = static_cast<uint32_t>(bits);
  switch (t) {
    case ptx::Type::kF16:
      return static_cast<double>(std::bit_cast<float>(f16_to_f32(word & 0xffff)));
    case ptx::Type::kBf16:
      return static_cast<double>(std::bit_cast<float>(word << 16));
    case ptx::Type::kTf32:
      return static_cast<double>(std::bit_cast<float>(word & 0xffffe000u));
    case ptx::Type::kF32:
      return static_cast<double>(std::bit_cast<float>(word));
    case ptx::Type::kF64:
      return std::bit_cast<double>(bits);
    default:
      return decode_narrow(t, bits);
  }
}
inline int32_t decode_integer(ptx::Type t, uint32_t bits) {
  switch (t) {
    case ptx::Type::kS8:
      return static_cast<int8_t>(bits);
    case ptx::Type::kU8:
      return static_cast<uint8_t>(bits);
    case ptx::Type::kS4:
      return static_cast<int32_t>(bits << 28) >> 28;
    case ptx::Type::kU4:
      return static_cast<int32_t>(bits & 15);
    case ptx::Type::kB1:
      return static_cast<int32_t>(bits & 1);
    default:
      return static_cast<int32_t>(bits);
  }
}

// Rounds to nearest even, overflow to infinity; a NaN becomes the canonical one (f16 0x7fff, f32
// 0x7fffffff). `t`: f16, bf16, f32.
uint32_t encode_float(ptx::Type t, double v);

// d = a · b + c, row-major m×k, k×n, m×n. d may be c.
void multiply_float(const Tile& a, const Tile& b, const Tile& c, Tile& d);
// The same with an fma for each step, in order of k: binary64 (`mma` .f64). `rounding`: FE_….
void multiply_double(const Tile& a, const Tile& b, const Tile& c, Tile& d, int rounding);
// Wraps modulo 2³², or with `saturate` clamps the exact sum to s32.
void multiply_integer(const Tile& a, const Tile& b, const Tile& c, Tile& d, bool saturate);
// Rows and columns of bits: the sum of a ^ b, or of a & b.
void multiply_bits(const Tile& a, const Tile& b, const Tile& c, Tile& d, bool conjunction);

}  // namespace pitot::emulator
