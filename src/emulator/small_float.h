// Floating-point formats of up to 64 bits: exact decoding, correctly rounded encoding, and forms of
// the 16-bit conversions that vectorise.
#pragma once

#include <bit>
#include <cstdint>

#include "emulator/float_lanes.h"

namespace pitot::emulator {

// What the topmost exponent means.
enum class TopExponent : uint8_t {
  kIeee,    // infinities and NaN
  kOneNan,  // numbers, but all ones is NaN: e4m3
  kFinite,  // numbers only: e2m3, e3m2, e2m1
};

struct Format {
  int exponent_bits, mantissa_bits;
  TopExponent top = TopExponent::kIeee;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int bits() const { return 1 + exponent_bits + mantissa_bits; }
  constexpr uint64_t sign() const { return uint64_t{1} << (exponent_bits + mantissa_bits); }
  constexpr uint64_t infinity() const {  // kIeee
    return ((uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  }
  constexpr uint64_t largest() const {  // finite
    if (top == TopExponent::kIeee) return infinity() - 1;
    return sign() - (top == TopExponent::kOneNan ? 2 : 1);
  }
  // The NaN that conversions give; kFinite has none: the largest number stands for it.
  constexpr uint64_t nan() const { return sign() - 1; }
};

inline constexpr Format kF16{5, 10}, kBf16{8, 7}, kTf32{8, 10}, kF32{8, 23}, kF64{11, 52};
inline constexpr Format kE4m3{4, 3, TopExponent::kOneNan}, kE5m2{5, 2};
inline constexpr Format kE2m3{2, 3, TopExponent::kFinite}, kE3m2{3, 2, TopExponent::kFinite};
inline constexpr Format kE2m1{2, 1, TopExponent::kFinite};

// Bits of ±mantissa · 2^exponent rounded to the format. What is too large becomes infinite or the
// largest number, as IEEE 754 has it for the rounding; with satfinite always the latter.
uint64_t round_to(const Format& f, bool negative, uint64_t mantissa, int exponent, Rounding r,
                  bool satfinite = false);

// Bits of v rounded to the format; NaN becomes Format::nan(), for f64 too.
uint64_t encode(const Format& f, double v, Rounding r, bool satfinite = false);

// The value; exact, as no format is wider than f64. NaN of any payload is a NaN.
double decode(const Format& f, uint64_t bits);

// v rounded to an integer, the sign kept.
double round_integral(double v, Rounding r);

// ue8m0: 2^(bits − 127), 255 is NaN. Only rz and rp exist; the sign is ignored and zero gives 0.
uint32_t encode_ue8m0(float v, Rounding r, bool satfinite);

// f16 bits to f32 bits; NaN stays a NaN.
PITOT_INLINE uint32_t f16_to_f32(uint32_t h) {
  const uint32_t magnitude = h & 0x7fff;
  const uint32_t subnormal = bits(static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f);
  const uint32_t normal = (magnitude << 13) + (112u << 23);
  const uint32_t special = normal + (112u << 23);
  const auto m = static_cast<int32_t>(magnitude);
  return pick(m >= 0x7c00, special, pick(m < 0x400, subnormal, normal)) | (h & 0x8000) << 16;
}

// f32 bits to f16 bits, to nearest even; NaN becomes 0x7fff. The host must round to nearest.
PITOT_INLINE uint32_t f32_to_f16(uint32_t v) {
  const uint32_t magnitude = v & 0x7fffffff;
  const auto m = static_cast<int32_t>(magnitude);
  // 0.5 has the quantum of f16's subnormals.
  const uint32_t subnormal = bits(as_f32(magnitude) + 0.5f) - bits(0.5f);
  const uint32_t normal = ((magnitude + 0xfff + ((magnitude >> 13) & 1)) >> 13) - (112u << 10);
  const uint32_t finite = pick(m < 0x38800000, subnormal, normal);
  const uint32_t r = pick(m >= 0x477ff000, 0x7c00, finite) | ((v >> 16) & 0x8000);
  return pick(m > 0x7f800000, 0x7fff, r);
}

PITOT_INLINE uint32_t bf16_to_f32(uint32_t b) { return b << 16; }

// f32 bits to bf16 bits, to nearest even; NaN becomes 0x7fff.
PITOT_INLINE uint32_t f32_to_bf16(uint32_t v) {
  const uint32_t r = (v + 0x7fff + ((v >> 16) & 1)) >> 16;
  return pick(is_nan32(v), 0x7fff, r);
}

// f32 bits of v rounded to odd: towards zero, and the last bit says that something was cut off.
PITOT_INLINE uint32_t odd_f32(double v) {
  const auto f = static_cast<float>(v);
  const double back = f;
  uint32_t r = bits(f);
  r -= __builtin_fabs(back) > __builtin_fabs(v) ? 1 : 0;
  return r | (back != v ? 1 : 0);
}

}  // namespace pitot::emulator
