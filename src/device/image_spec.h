// Arguments of a kernel spec that are textures, surfaces or samplers.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "device/expression.h"
#include "emulator/image.h"
#include "ptx/types.h"
#include "support/toml_table.h"

namespace pitot::device {

// Extents are expressions of the sizes. What is not given is as the reference's own initialiser has
// it, or else the emulator's default.
struct ImageSpec {
  emulator::OpaqueKind kind = emulator::OpaqueKind::kTexture;
  emulator::ImageShape shape = emulator::ImageShape::k2d;
  emulator::TexelFormat format;
  std::string width = "1", height = "1", depth = "1", layers = "1", levels = "1", samples = "1";
  bool pitch = false;  // a 2d texture in rows of plain memory, on a GPU; results are the same
  std::optional<emulator::FilterMode> filter, level_filter;
  std::optional<std::array<emulator::AddressMode, 3>> address;
  std::optional<bool> normalized;
  std::optional<std::array<float, 4>> border;
  std::optional<float> level_bias, least_level, most_level;

  bool has_texels() const { return kind != emulator::OpaqueKind::kSampler; }
  // The type of a channel as it lies in memory: what the initial values are of.
  ptx::Type channel_type() const;
  void apply(emulator::Sampler& sampler) const;
};

// Reads the keys of one argument or reference; `name` for complaints.
ImageSpec read_image_spec(TomlTable& table, emulator::OpaqueKind kind);

// The image at one size. Errors: expressions, extents that do not fit the shape.
Result<emulator::Image> evaluate_image(const ImageSpec& spec, const std::string& name,
                                       const Sizes& sizes);

// Of all levels, rows without their padding.
uint64_t texel_bytes(const emulator::Image& image);

}  // namespace pitot::device
