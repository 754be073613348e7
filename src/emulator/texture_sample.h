// Which texels a lookup reads and with which weights, and what comes of them.
//
// Point and linear filtering are those of the CUDA C++ Programming Guide ("Texture Fetching"): a
// position is kept to 1/256 of a texel, weights have 8 bits behind the point. What the guide leaves
// open was taken from results of an NVIDIA H200, which this reproduces bit for bit: positions round
// half up; normalized coordinates are cut to 21 to 23 bits behind the point first; the weights of 4
// or 8 texels are split one dimension after the other, each part rounded to 1/256; texels are
// aligned to the largest one that has a weight, with 28 bits, the rest cut off; the sum rounds to
// nearest, halves away from zero.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "emulator/image.h"

namespace pitot::emulator {

// One lookup of a lane, as the instruction says it.
struct Lookup {
  bool whole = false;  // coordinates are integers
  std::array<float, 3> at{};
  std::array<int32_t, 3> whole_at{};
  std::array<int32_t, 3> offset{};  // of texels
  uint32_t layer = 0, sample = 0;   // layer: of cubes the cube
  bool has_level = false;           // the instruction says it; else it is 0
  float level = 0;
  int32_t whole_level = 0;
};

struct Tap {
  uint32_t level = 0, layer = 0, x = 0, y = 0, z = 0;
  uint32_t weight = 256;  // of 256
  bool border = false;    // outside: the border's colour
  bool second = false;    // of the further slice or level
};

struct Taps {
  std::array<Tap, 16> taps;
  unsigned count = 0;
  bool filtered = false;       // else one tap's value as it is
  bool zero = false;           // outside where nothing but zeros is read
  std::string_view uncovered;  // why this lookup is not reproduced; empty: it is
  std::span<const Tap> all() const { return std::span(taps).first(count); }
};

// `image` is of the lookup's own geometry.
Taps sample_taps(const Image& image, const Sampler& sampler, const Lookup& lookup);
// The four texels that linear filtering would read, in the order of tld4.
Taps gather_taps(const Image& image, const Sampler& sampler, const Lookup& lookup);

// The weighted mean of one channel of the taps' texels, given raw; a float's bits. Of formats that
// filter.
uint32_t filter_channel(const TexelFormat& format, std::span<const uint32_t> raw,
                        std::span<const Tap> taps);

}  // namespace pitot::emulator
