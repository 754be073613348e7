#include "emulator/image.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/memory.h"

namespace pitot::emulator {
namespace {

constexpr std::string_view kShapeNames[] = {"linear", "1d",   "2d",    "3d",   "a1d",
                                            "a2d",    "cube", "acube", "2dms", "a2dms"};
constexpr uint64_t kMostImageBytes = uint64_t{1} << 32;

}  // namespace

std::string_view name_of(ImageShape shape) { return kShapeNames[static_cast<size_t>(shape)]; }

bool shape_from_name(std::string_view name, ImageShape& out) {
  for (size_t i = 0; i < std::size(kShapeNames); ++i)
    if (kShapeNames[i] == name) {
      out = static_cast<ImageShape>(i);
      return true;
    }
  return false;
}

std::string_view name_of(OpaqueKind kind) {
  return kind == OpaqueKind::kTexture   ? "texture"
         : kind == OpaqueKind::kSurface ? "surface"
                                        : "sampler";
}

uint64_t Image::level_offset(uint32_t level) const {
  uint64_t at = 0;
  for (uint32_t l = 0; l < level; ++l) at += pitch(l) * rows(l);
  return at;
}

std::string Image::complaint() const {
  using enum ImageShape;
  const bool flat = shape == kLinear || shape == k1d || shape == k1dLayered;
  const bool layered = shape == k1dLayered || shape == k2dLayered || shape == kCube ||
                       shape == kCubeLayered || shape == k2dSamplesLayered;
  const bool cube = shape == kCube || shape == kCubeLayered;
  const bool sampled = shape == k2dSamples || shape == k2dSamplesLayered;
  if (width == 0 || height == 0 || depth == 0 || layers == 0 || levels == 0 || samples == 0)
    return "an extent is 0";
  if (flat && height != 1) return "one dimension has no height";
  if (shape != k3d && depth != 1) return "only three dimensions have a depth";
  if (!layered && layers != 1) return "it has no layers";
  if (cube && (width != height || layers % 6 != 0 || (shape == kCube && layers != 6)))
    return "a cube has six square faces";
  if (!sampled && samples != 1) return "it has no samples";
  if ((sampled || shape == kLinear) && levels != 1) return "it has no levels";
  if (levels > kMostLevels || std::max({width, height, depth}) >> (levels - 1) == 0)
    return "it has fewer levels";
  if (std::max({width, height, depth, layers}) > (1u << 27)) return "an extent is too large";
  double bytes = 16;
  for (uint32_t v : {width, height, depth, layers, samples}) bytes *= v;
  if (bytes > static_cast<double>(kMostImageBytes)) return "it has more than 4 GiB";
  return {};
}

bool is_handle(uint64_t address) {
  return address >= kReferenceWindow && address < kHandleWindow + kWindowSize;
}

uint64_t OpaqueObjects::add(OpaqueObject object) {
  objects_.push_back(std::make_unique<OpaqueObject>(std::move(object)));
  return kHandleWindow + (objects_.size() - 1) * kHandleStep;
}

OpaqueObject& OpaqueObjects::declare(uint32_t symbol, OpaqueObject object) {
  declared_.emplace_back(symbol, std::make_unique<OpaqueObject>(std::move(object)));
  return *declared_.back().second;
}

OpaqueObject* OpaqueObjects::declared(std::string_view name) {
  for (auto& [symbol, object] : declared_)
    if (object->name == name) return object.get();
  return nullptr;
}

const OpaqueObject* OpaqueObjects::find(uint64_t handle) const {
  if (handle % kHandleStep != 0) return nullptr;
  if (handle >= kHandleWindow) {
    const uint64_t n = (handle - kHandleWindow) / kHandleStep;
    return n < objects_.size() ? objects_[n].get() : nullptr;
  }
  if (handle < kReferenceWindow) return nullptr;
  const uint64_t symbol = (handle - kReferenceWindow) / kHandleStep;
  const auto it = std::lower_bound(declared_.begin(), declared_.end(), symbol,
                                   [](const auto& d, uint64_t s) { return d.first < s; });
  return it != declared_.end() && it->first == symbol ? it->second.get() : nullptr;
}

Status OpaqueObjects::allocate(OpaqueObject& object, GlobalMemory& memory, bool defined) {
  if (const std::string why = object.image.complaint(); !why.empty())
    return input_error(fmt::format("{} '{}': {}", name_of(object.kind), object.name, why));
  object.image.region = &memory.allocate(object.name, object.image.bytes(), 256, defined);
  return Ok{};
}

}  // namespace pitot::emulator
