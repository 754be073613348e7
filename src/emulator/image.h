// Textures, surfaces and samplers of a launch. A program reaches them through handles in a window
// of their own (PTX ISA, "Texture Sampler and Surface Types": opaque), never by address.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emulator/texel.h"
#include "support/result.h"

namespace pitot::emulator {

class GlobalMemory;
class Region;

enum class ImageShape : uint8_t {
  kLinear,  // a range of memory that tex.1d reads by whole numbers
  k1d,
  k2d,
  k3d,
  k1dLayered,
  k2dLayered,
  kCube,  // layers: faces
  kCubeLayered,
  k2dSamples,
  k2dSamplesLayered,
};
std::string_view name_of(ImageShape shape);
bool shape_from_name(std::string_view name, ImageShape& out);

inline constexpr uint32_t kMostLevels = 16;
inline constexpr uint64_t kRowAlignment = 16;

// Texels in memory: levels one after the other, in each the layers, slices, rows; a row begins at a
// multiple of 16 bytes. The samples of a texel lie side by side.
struct Image {
  ImageShape shape = ImageShape::k2d;
  TexelFormat format;
  uint32_t width = 1, height = 1, depth = 1;  // of level 0
  uint32_t layers = 1;                        // of a cube its six faces, of an array of cubes all
  uint32_t levels = 1, samples = 1;
  Region* region = nullptr;  // null: nothing is bound

  uint32_t width_at(uint32_t level) const { return std::max(width >> level, 1u); }
  uint32_t height_at(uint32_t level) const { return std::max(height >> level, 1u); }
  uint32_t depth_at(uint32_t level) const { return std::max(depth >> level, 1u); }
  uint64_t row_bytes(uint32_t level) const {  // without the padding
    return uint64_t{width_at(level)} * samples * format.bytes();
  }
  uint64_t pitch(uint32_t level) const {
    return (row_bytes(level) + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
  }
  uint64_t rows(uint32_t level) const {
    return uint64_t{height_at(level)} * depth_at(level) * layers;
  }
  uint64_t level_offset(uint32_t level) const;
  uint64_t bytes() const { return level_offset(levels); }
  // Byte offset of a texel that is inside.
  uint64_t offset(uint32_t level, uint32_t layer, uint32_t x, uint32_t y, uint32_t z) const {
    const uint64_t row = (uint64_t{layer} * depth_at(level) + z) * height_at(level) + y;
    return level_offset(level) + row * pitch(level) + uint64_t{x} * samples * format.bytes();
  }
  // What is impossible about it; nothing when all is well.
  std::string complaint() const;
};

enum class AddressMode : uint8_t { kWrap, kMirror, kClamp, kBorder };
enum class FilterMode : uint8_t { kPoint, kLinear };

// How a texture is sampled (CUDA Runtime API, cudaTextureDesc).
struct Sampler {
  std::array<AddressMode, 3> address{AddressMode::kClamp, AddressMode::kClamp, AddressMode::kClamp};
  FilterMode filter = FilterMode::kPoint, level_filter = FilterMode::kPoint;
  bool normalized = false;  // coordinates from 0 to 1
  std::array<float, 4> border{};
  float level_bias = 0, least_level = 0, most_level = 1000;
  bool force_unnormalized = false;  // of a sampler: overrides the texture's `normalized`
};

enum class OpaqueKind : uint8_t { kTexture, kSurface, kSampler };
std::string_view name_of(OpaqueKind kind);

struct OpaqueObject {
  OpaqueKind kind = OpaqueKind::kTexture;
  std::string name;
  Image image;            // not of a sampler
  Sampler sampler;        // not of a surface
  std::string uncovered;  // what of its initialiser is not understood
};

// Handles: of objects in the order in which they are added, then of the references that a module
// declares, by symbol.
inline constexpr uint64_t kHandleWindow = 0x0000'7a00'0000'0000;
inline constexpr uint64_t kHandleStep = 64;
inline constexpr uint64_t kReferenceWindow = 0x0000'7900'0000'0000;
inline uint64_t reference_handle(uint32_t symbol) {
  return kReferenceWindow + symbol * kHandleStep;
}
bool is_handle(uint64_t address);

// All that handles of a launch name.
class OpaqueObjects {
 public:
  // The handle of a new object.
  uint64_t add(OpaqueObject object);
  // What a declared reference of the module stands for; without data until it is bound.
  OpaqueObject& declare(uint32_t symbol, OpaqueObject object);
  OpaqueObject* declared(std::string_view name);
  const OpaqueObject* find(uint64_t handle) const;  // null: no such handle
  // Reserves memory for an object's texels. `defined`: they count as written.
  static Status allocate(OpaqueObject& object, GlobalMemory& memory, bool defined);

 private:
  std::vector<std::unique_ptr<OpaqueObject>> objects_;
  std::vector<std::pair<uint32_t, std::unique_ptr<OpaqueObject>>> declared_;  // by symbol
};

}  // namespace pitot::emulator
