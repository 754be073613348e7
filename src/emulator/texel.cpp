#include "emulator/texel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "emulator/small_float.h"

namespace pitot::emulator {
namespace {

struct KindName {
  std::string_view name;
  ChannelKind kind;
};
// Longest first: the names are prefixes of a format's.
constexpr KindName kKindNames[] = {{"unorm", ChannelKind::kUnorm},
                                   {"snorm", ChannelKind::kSnorm},
                                   {"u", ChannelKind::kUnsigned},
                                   {"s", ChannelKind::kSigned},
                                   {"f", ChannelKind::kFloat}};

uint32_t largest_of(const TexelFormat& f) {
  return (uint32_t{1} << (f.bits - (f.kind == ChannelKind::kSnorm ? 1 : 0))) - 1;
}

uint32_t extended_channel(const TexelFormat& f, uint32_t v) {
  const bool sign = f.kind == ChannelKind::kSigned || f.kind == ChannelKind::kSnorm;
  if (!sign || f.bits == 32) return v;
  const unsigned shift = 32 - f.bits;
  return static_cast<uint32_t>(static_cast<int32_t>(v << shift) >> shift);
}

// The fraction is cut to a few bits more than the channel has; a half then rounds down.
uint32_t normalized_channel(const TexelFormat& f, float value) {
  const bool has_sign = f.kind == ChannelKind::kSnorm;
  double v = std::isnan(value) ? 0 : static_cast<double>(value);
  v = std::clamp(v, has_sign ? -1.0 : 0.0, 1.0);
  const int kept = f.bits + (has_sign ? 3 : 4);
  const double cut = std::ldexp(std::trunc(std::ldexp(std::fabs(v), kept)), -kept);
  const double n = std::ceil(cut * largest_of(f) - 0.5);
  return static_cast<uint32_t>(static_cast<int32_t>(v < 0 ? -n : n));
}

uint32_t encode_channel(const TexelFormat& f, uint32_t v) {
  switch (f.kind) {
    case ChannelKind::kFloat:
      if (f.bits == 32) return v;
      // Toward zero, and what is too large becomes the largest number.
      if ((v & 0x7fffffff) > 0x7f800000) return (v >> 16 & 0x8000) | 0x7e00 | (v >> 13 & 0x3ff);
      return static_cast<uint32_t>(
          encode(kF16, static_cast<double>(std::bit_cast<float>(v)), Rounding::kZero));
    case ChannelKind::kUnorm:
    case ChannelKind::kSnorm:
      return normalized_channel(f, std::bit_cast<float>(v));
    case ChannelKind::kUnsigned:
      return f.bits == 32 ? v : std::min(v, (uint32_t{1} << f.bits) - 1);
    case ChannelKind::kSigned: {
      if (f.bits == 32) return v;
      const int32_t most = (1 << (f.bits - 1)) - 1;
      return static_cast<uint32_t>(std::clamp(static_cast<int32_t>(v), -most - 1, most));
    }
  }
  return v;
}

}  // namespace

std::optional<TexelFormat> texel_format(std::string_view name) {
  for (const KindName& k : kKindNames) {
    if (!name.starts_with(k.name)) continue;
    std::string_view rest = name.substr(k.name.size());
    TexelFormat f;
    f.kind = k.kind;
    const size_t x = rest.find('x');
    const std::string_view bits = rest.substr(0, x),
                           count = x == rest.npos ? "1" : rest.substr(x + 1);
    f.bits = bits == "8" ? 8 : bits == "16" ? 16 : bits == "32" ? 32 : 0;
    f.channels = count == "1" ? 1 : count == "2" ? 2 : count == "4" ? 4 : 0;
    const bool normalized = k.kind == ChannelKind::kUnorm || k.kind == ChannelKind::kSnorm;
    if (f.bits == 0 || f.channels == 0 || (normalized && f.bits == 32) ||
        (k.kind == ChannelKind::kFloat && f.bits == 8))
      return std::nullopt;
    return f;
  }
  return std::nullopt;
}

std::string name_of(const TexelFormat& f) {
  std::string out;
  for (const KindName& k : kKindNames)
    if (k.kind == f.kind) out = k.name;
  out += std::to_string(f.bits);
  return f.channels == 1 ? out : out + "x" + std::to_string(f.channels);
}

uint32_t decode_channel(const TexelFormat& f, uint32_t v) {
  switch (f.kind) {
    case ChannelKind::kFloat:
      return f.bits == 16 ? f16_to_f32(v) : v;
    case ChannelKind::kUnorm:
      return std::bit_cast<uint32_t>(
          static_cast<float>(static_cast<double>(v) / static_cast<double>(largest_of(f))));
    case ChannelKind::kSnorm:
      return std::bit_cast<uint32_t>(static_cast<float>(
          std::max(-1.0, static_cast<double>(static_cast<int32_t>(v)) / largest_of(f))));
    default:
      return v;
  }
}

Texel raw_texel(const TexelFormat& f, const std::byte* bytes) {
  Texel out{};
  const unsigned width = f.bits / 8;
  for (unsigned c = 0; c < f.channels; ++c) {
    uint32_t raw = 0;
    std::memcpy(&raw, bytes + c * width, width);
    out[c] = extended_channel(f, raw);
  }
  return out;
}

void encode_texel(const TexelFormat& f, const Texel& value, std::byte* bytes) {
  const unsigned width = f.bits / 8;
  for (unsigned c = 0; c < f.channels; ++c) {
    const uint32_t raw = encode_channel(f, value[c]);
    std::memcpy(bytes + c * width, &raw, width);
  }
}

Texel border_texel(const TexelFormat& f, const std::array<float, 4>& colour) {
  Texel out{};
  for (unsigned c = 0; c < f.channels; ++c) {
    // Of integer formats the number itself, cut to the channel.
    const bool integer = !f.filters();
    uint32_t raw = integer ? static_cast<uint32_t>(static_cast<int64_t>(colour[c]))
                           : encode_channel(f, std::bit_cast<uint32_t>(colour[c]));
    if (f.bits < 32) raw &= (uint32_t{1} << f.bits) - 1;
    out[c] = extended_channel(f, raw);
  }
  return out;
}

uint32_t half_of(uint32_t float_bits) { return f32_to_f16(float_bits); }

std::optional<uint32_t> channel_data_type(const TexelFormat& f) {
  const uint32_t wide = f.bits == 8 ? 0 : f.bits == 16 ? 1 : 2;
  switch (f.kind) {
    case ChannelKind::kSnorm:
      return 0x10d0 + wide;
    case ChannelKind::kUnorm:
      return 0x10d2 + wide;
    case ChannelKind::kSigned:
      return 0x10d7 + wide;
    case ChannelKind::kUnsigned:
      return 0x10da + wide;
    case ChannelKind::kFloat:
      return f.bits == 16 ? 0x10dd : 0x10de;
  }
  return std::nullopt;
}

uint32_t channel_order(const TexelFormat& f) {
  return f.channels == 1 ? 0x10b0 : f.channels == 2 ? 0x10b2 : 0x10b5;
}

}  // namespace pitot::emulator
