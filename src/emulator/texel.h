// What the elements of textures and surfaces look like: their formats, and the way from the bytes
// to what an instruction returns and back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pitot::emulator {

enum class ChannelKind : uint8_t { kUnsigned, kSigned, kFloat, kUnorm, kSnorm };

// Channels of 8, 16 or 32 bits; 1, 2 or 4 of them. Float has 16 or 32, the normalized ones 8 or 16.
struct TexelFormat {
  ChannelKind kind = ChannelKind::kFloat;
  uint8_t bits = 32, channels = 1;

  unsigned bytes() const { return unsigned{bits} / 8 * channels; }
  // Whether values are numbers that may be filtered.
  bool filters() const { return kind != ChannelKind::kUnsigned && kind != ChannelKind::kSigned; }
  bool operator==(const TexelFormat&) const = default;
};

// "f32x4", "u8", "unorm8x4", "snorm16x2"; nothing when it is none.
std::optional<TexelFormat> texel_format(std::string_view name);
std::string name_of(const TexelFormat& format);

// Four channels as 32-bit words. Those that the format does not have are zero.
using Texel = std::array<uint32_t, 4>;
// The channels as they lie in memory, extended to 32 bits.
Texel raw_texel(const TexelFormat& format, const std::byte* bytes);
// What they mean: floats, or integers.
uint32_t decode_channel(const TexelFormat& format, uint32_t raw);

// What sust.p writes (PTX ISA, "sust"): floats go to float formats, integers to integer ones;
// `given` components, of which those that the format lacks are dropped. Results of the conversion
// as an H200 has them: floats of 16 bits round toward zero, integers saturate, normalized numbers
// round to nearest.
void encode_texel(const TexelFormat& format, const Texel& value, std::byte* bytes);

// A colour in the format's own precision, raw, as the border has it.
Texel border_texel(const TexelFormat& format, const std::array<float, 4>& colour);

// The .f16 of a result.
uint32_t half_of(uint32_t float_bits);

// OpenCL's names of formats, which txq and suq return (PTX ISA, "Channel Data Type and Channel
// Order Fields"); nothing where there is none.
std::optional<uint32_t> channel_data_type(const TexelFormat& format);
uint32_t channel_order(const TexelFormat& format);

}  // namespace pitot::emulator
