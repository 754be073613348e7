#include "device/image_spec.h"

#include <fmt/format.h>

#include "device/spec_text.h"

namespace pitot::device {
namespace {

using emulator::AddressMode;
using emulator::FilterMode;
using emulator::OpaqueKind;

std::optional<AddressMode> address_mode(std::string_view name) {
  if (name == "wrap") return AddressMode::kWrap;
  if (name == "mirror") return AddressMode::kMirror;
  if (name == "clamp") return AddressMode::kClamp;
  if (name == "border") return AddressMode::kBorder;
  return std::nullopt;
}

std::optional<FilterMode> filter_mode(std::string_view name) {
  if (name == "point") return FilterMode::kPoint;
  if (name == "linear") return FilterMode::kLinear;
  return std::nullopt;
}

class ImageSpecReader {
 public:
  ImageSpecReader(TomlTable& t, ImageSpec& out) : t_(t), out_(out) {}

  void run() {
    if (out_.has_texels()) texels();
    if (out_.kind != OpaqueKind::kSurface) sampling();
  }

 private:
  void wrong(const char* key, std::string message, std::string hint) {
    const toml::node* n = t_.raw().get(key);
    t_.context().error(n != nullptr ? *n : static_cast<const toml::node&>(t_.raw()), "wrong-value",
                       std::move(message), std::move(hint));
  }

  void texels() {
    if (auto s = t_.text("shape"); s && !emulator::shape_from_name(*s, out_.shape))
      wrong("shape", fmt::format("'{}' is no shape", *s),
            "linear, 1d, 2d, 3d, a1d, a2d, cube, acube, 2dms");
    if (auto s = t_.text("format")) {
      if (auto f = emulator::texel_format(*s))
        out_.format = *f;
      else
        wrong("format", fmt::format("'{}' is no format of texels", *s),
              "f32, f16x4, u8x4, s16x2, unorm8x4, snorm16, …");
    } else if (t_.raw().get("format") == nullptr) {
      t_.context().error(t_.raw(), "missing-key", "`format` is missing");
    }
    take_expression(t_, "width", out_.width);
    take_expression(t_, "height", out_.height);
    take_expression(t_, "depth", out_.depth);
    take_expression(t_, "layers", out_.layers);
    if (t_.raw().get("width") == nullptr)
      t_.context().error(t_.raw(), "missing-key", "`width` is missing");
    if (out_.kind != OpaqueKind::kTexture) return;
    if (auto s = t_.text("layout")) {
      out_.pitch = *s == "pitch";
      if (*s != "pitch" && *s != "array")
        wrong("layout", fmt::format("'{}' is no layout", *s), "array, pitch");
      if (out_.pitch && out_.shape != emulator::ImageShape::k2d)
        wrong("layout", "only a 2d texture has rows of plain memory", "");
    }
    take_expression(t_, "levels", out_.levels);
    take_expression(t_, "samples", out_.samples);
  }

  void sampling() {
    for (auto [key, to] : {std::pair{"filter", &out_.filter}, {"level_filter", &out_.level_filter}})
      if (auto s = t_.text(key)) {
        *to = filter_mode(*s);
        if (!*to) wrong(key, fmt::format("'{}' is no filter", *s), "point, linear");
      }
    const auto modes = t_.texts("address");
    if (!modes.empty()) {
      std::array<AddressMode, 3> address{};
      bool good = modes.size() <= 3;
      for (size_t d = 0; d < 3 && good; ++d) {
        // One for all; of two the last one also for the third dimension.
        const auto mode = address_mode(modes[std::min(d, modes.size() - 1)]);
        good = mode.has_value();
        if (mode) address[d] = *mode;
      }
      if (good)
        out_.address = address;
      else
        wrong("address", "`address` is one to three address modes", "wrap, mirror, clamp, border");
    }
    out_.normalized = t_.flag("normalized");
    border();
    auto level = [&](const char* key, std::optional<float>& to) {
      if (auto v = t_.number(key)) to = static_cast<float>(*v);
    };
    level("level_bias", out_.level_bias);
    level("least_level", out_.least_level);
    level("most_level", out_.most_level);
  }

  void border() {
    const toml::node* n = t_.take("border");
    if (n == nullptr) return;
    const auto* list = n->as_array();
    bool good = list != nullptr && list->size() <= 4;
    std::array<float, 4> colour{};
    for (size_t c = 0; good && c < list->size(); ++c) {
      const auto v = list->get(c)->value<double>();
      good = v.has_value();
      if (v) colour[c] = static_cast<float>(*v);
    }
    if (good)
      out_.border = colour;
    else
      t_.context().error(*n, "wrong-type", "`border` is up to four numbers",
                         "[0.0, 0.0, 0.0, 1.0]");
  }

  TomlTable& t_;
  ImageSpec& out_;
};

}  // namespace

ptx::Type ImageSpec::channel_type() const {
  using emulator::ChannelKind;
  using ptx::Type;
  const unsigned n = format.bits == 8 ? 0 : format.bits == 16 ? 1 : 2;
  constexpr Type kUnsigned[] = {Type::kU8, Type::kU16, Type::kU32},
                 kSigned[] = {Type::kS8, Type::kS16, Type::kS32};
  switch (format.kind) {
    case ChannelKind::kFloat:
      return format.bits == 16 ? Type::kF16 : Type::kF32;
    case ChannelKind::kUnsigned:
    case ChannelKind::kUnorm:
      return kUnsigned[n];
    case ChannelKind::kSigned:
    case ChannelKind::kSnorm:
      return kSigned[n];
  }
  return Type::kNone;
}

void ImageSpec::apply(emulator::Sampler& s) const {
  s.filter = filter.value_or(s.filter);
  s.level_filter = level_filter.value_or(s.level_filter);
  s.address = address.value_or(s.address);
  s.border = border.value_or(s.border);
  s.level_bias = level_bias.value_or(s.level_bias);
  s.least_level = least_level.value_or(s.least_level);
  s.most_level = most_level.value_or(s.most_level);
  if (kind == OpaqueKind::kSampler)
    s.force_unnormalized = normalized ? !*normalized : s.force_unnormalized;
  else
    s.normalized = normalized.value_or(s.normalized);
}

ImageSpec read_image_spec(TomlTable& table, OpaqueKind kind) {
  ImageSpec out;
  out.kind = kind;
  ImageSpecReader(table, out).run();
  return out;
}

uint64_t texel_bytes(const emulator::Image& m) {
  uint64_t bytes = 0;
  for (uint32_t level = 0; level < m.levels; ++level) bytes += m.row_bytes(level) * m.rows(level);
  return bytes;
}

Result<emulator::Image> evaluate_image(const ImageSpec& spec, const std::string& name,
                                       const Sizes& sizes) {
  emulator::Image m;
  m.shape = spec.shape;
  m.format = spec.format;
  const std::pair<const std::string*, uint32_t*> extents[] = {
      {&spec.width, &m.width},   {&spec.height, &m.height}, {&spec.depth, &m.depth},
      {&spec.layers, &m.layers}, {&spec.levels, &m.levels}, {&spec.samples, &m.samples}};
  for (const auto& [text, to] : extents) {
    auto v = evaluate(*text, sizes);
    if (!v) return v.error();
    if (*v < 1 || *v > INT32_MAX)
      return input_error(fmt::format("'{}' has an extent of {}", name, *v));
    *to = static_cast<uint32_t>(*v);
  }
  if (spec.pitch && m.levels != 1)
    return input_error(fmt::format("'{}': rows of plain memory have no levels", name));
  if (const std::string why = m.complaint(); !why.empty())
    return input_error(fmt::format("{} '{}': {}", emulator::name_of(spec.kind), name, why));
  return m;
}

}  // namespace pitot::device
