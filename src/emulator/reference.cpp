#include "emulator/reference.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace pitot::emulator {
namespace {

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front())) != 0) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back())) != 0) s.remove_suffix(1);
  return s;
}

bool address_mode(std::string_view v, AddressMode& out) {
  if (v == "wrap")
    out = AddressMode::kWrap;
  else if (v == "mirror")
    out = AddressMode::kMirror;
  else if (v == "clamp_to_edge")
    out = AddressMode::kClamp;
  else if (v == "clamp_to_border")
    out = AddressMode::kBorder;
  else
    return false;  // clamp_ogl: between edge and border, as OpenGL once had it
  return true;
}

// One `name = value`.
bool set_field(OpaqueObject& o, std::string_view name, std::string_view value) {
  uint32_t n = 0;
  const auto r = std::from_chars(value.data(), value.data() + value.size(), n);
  const bool number = r.ec == std::errc() && r.ptr == value.data() + value.size();
  if (name == "filter_mode") {
    o.sampler.filter = value == "linear" ? FilterMode::kLinear : FilterMode::kPoint;
    return value == "linear" || value == "nearest";
  }
  for (unsigned d = 0; d < 3; ++d)
    if (name == fmt::format("addr_mode_{}", d)) return address_mode(value, o.sampler.address[d]);
  if (!number) return false;
  if (name == "width")
    o.image.width = n;
  else if (name == "height")
    o.image.height = n;
  else if (name == "depth")
    o.image.depth = n;
  else if (name == "normalized_coords" && n < 2)
    o.sampler.normalized = n != 0;
  else if (name == "force_unnormalized_coords" && n < 2)
    o.sampler.force_unnormalized = n != 0;
  else
    return false;
  return true;
}

}  // namespace

OpaqueObject declared_reference(const ptx::Module& m, const ptx::Symbol& s) {
  OpaqueObject o;
  o.kind = s.type == ptx::Type::kTexref    ? OpaqueKind::kTexture
           : s.type == ptx::Type::kSurfref ? OpaqueKind::kSurface
                                           : OpaqueKind::kSampler;
  o.name = std::string(s.name);
  std::string_view text = trimmed(m.slice(s.initialiser));
  if (text.starts_with('{')) text.remove_prefix(1);
  if (text.ends_with('}')) text.remove_suffix(1);
  while (!trimmed(text).empty()) {
    const size_t comma = text.find(',');
    const std::string_view field = text.substr(0, comma);
    const size_t equals = field.find('=');
    const bool known = equals != field.npos && set_field(o, trimmed(field.substr(0, equals)),
                                                         trimmed(field.substr(equals + 1)));
    if (!known && o.uncovered.empty()) o.uncovered = trimmed(field);
    if (comma == text.npos) break;
    text.remove_prefix(comma + 1);
  }
  return o;
}

}  // namespace pitot::emulator
