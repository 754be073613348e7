#include "device/cuda_image.h"

#include <fmt/format.h>

#include <bit>

#include "device/values.h"

namespace pitot::device {
namespace {

using cuda::ArrayFormat;
using emulator::ChannelKind;
using emulator::ImageShape;

constexpr uint32_t kMostGathered = 32768;  // width and height of arrays that tld4 may read

ArrayFormat plain_format(ptx::Type channel) {
  switch (channel) {
    case ptx::Type::kU8:
      return ArrayFormat::kU8;
    case ptx::Type::kU16:
      return ArrayFormat::kU16;
    case ptx::Type::kU32:
      return ArrayFormat::kU32;
    case ptx::Type::kS8:
      return ArrayFormat::kS8;
    case ptx::Type::kS16:
      return ArrayFormat::kS16;
    case ptx::Type::kS32:
      return ArrayFormat::kS32;
    case ptx::Type::kF16:
      return ArrayFormat::kF16;
    default:
      return ArrayFormat::kF32;
  }
}

// Textures of normalized integers are of integers, read as floats; surfaces have formats for them.
ArrayFormat format_of(const ImageSpec& spec) {
  const emulator::TexelFormat& f = spec.format;
  const bool normalized = f.kind == ChannelKind::kUnorm || f.kind == ChannelKind::kSnorm;
  if (!normalized || spec.kind != emulator::OpaqueKind::kSurface)
    return plain_format(spec.channel_type());
  const ArrayFormat one = f.kind == ChannelKind::kUnorm
                              ? (f.bits == 8 ? ArrayFormat::kUnorm8 : ArrayFormat::kUnorm16)
                              : (f.bits == 8 ? ArrayFormat::kSnorm8 : ArrayFormat::kSnorm16);
  return static_cast<ArrayFormat>(static_cast<int>(one) + std::countr_zero(f.channels));
}

cuda::TexelShape shape_of(const ImageSpec& spec, const emulator::Image& m) {
  cuda::TexelShape s;
  s.width = m.width;
  s.levels = m.levels;
  s.format = format_of(spec);
  s.channels = m.format.channels;
  s.texel_bytes = m.format.bytes();
  if (spec.kind == emulator::OpaqueKind::kSurface) s.flags |= cuda::kArraySurface;
  switch (m.shape) {
    case ImageShape::kLinear:
      s.layout = cuda::TexelLayout::kLinear;
      break;
    case ImageShape::k1d:
      break;
    case ImageShape::k1dLayered:
      s.depth = m.layers;
      s.flags |= cuda::kArrayLayered;
      break;
    case ImageShape::k3d:
      s.height = m.height;
      s.depth = m.depth;
      break;
    case ImageShape::k2dLayered:
      s.height = m.height;
      s.depth = m.layers;
      s.flags |= cuda::kArrayLayered;
      break;
    case ImageShape::kCubeLayered:
      s.flags |= cuda::kArrayLayered;
      [[fallthrough]];
    case ImageShape::kCube:
      s.height = m.height;
      s.depth = m.layers;
      s.flags |= cuda::kArrayCube;
      break;
    default:
      s.height = m.height;
      if (spec.pitch)
        s.layout = cuda::TexelLayout::kPitch;
      else if (spec.kind == emulator::OpaqueKind::kTexture && m.levels == 1 &&
               m.width <= kMostGathered && m.height <= kMostGathered)
        s.flags |= cuda::kArrayGather;
  }
  return s;
}

cuda::TextureAddress address_of(emulator::AddressMode mode) {
  switch (mode) {
    case emulator::AddressMode::kWrap:
      return cuda::TextureAddress::kWrap;
    case emulator::AddressMode::kMirror:
      return cuda::TextureAddress::kMirror;
    case emulator::AddressMode::kClamp:
      return cuda::TextureAddress::kClamp;
    case emulator::AddressMode::kBorder:
      break;
  }
  return cuda::TextureAddress::kBorder;
}

cuda::TextureFilter filter_of(emulator::FilterMode mode) {
  return mode == emulator::FilterMode::kLinear ? cuda::TextureFilter::kLinear
                                               : cuda::TextureFilter::kPoint;
}

cuda::TextureDescriptor sampling_of(const ImageSpec& spec, uint32_t levels) {
  emulator::Sampler s;
  spec.apply(s);
  cuda::TextureDescriptor d{};
  for (size_t i = 0; i < 3; ++i) d.address[i] = address_of(s.address[i]);
  // A GPU has a second dimension in 1d textures, which the program does not see.
  const bool flat = spec.shape == ImageShape::k1d || spec.shape == ImageShape::k1dLayered;
  if (flat) d.address[1] = d.address[2] = cuda::TextureAddress::kClamp;
  d.filter = filter_of(s.filter);
  d.level_filter = filter_of(s.level_filter);
  if (!spec.format.filters()) d.flags |= cuda::kReadAsInteger;
  if (s.normalized) d.flags |= cuda::kNormalizedCoordinates;
  if (levels > 1) {
    d.level_bias = s.level_bias;
    d.least_level = s.least_level;
    d.most_level = s.most_level;
  }
  // Of integer formats the driver takes the bits of integers in its floats.
  for (size_t i = 0; i < 4; ++i)
    d.border[i] =
        spec.format.filters()
            ? s.border[i]
            : std::bit_cast<float>(static_cast<uint32_t>(static_cast<int64_t>(s.border[i])));
  return d;
}

// Why a GPU cannot have it; empty when it can.
std::string only_emulated(const ImageSpec& spec) {
  if (spec.kind == emulator::OpaqueKind::kSampler)
    return "a sampler apart from its texture, which CUDA does not have";
  if (spec.shape == ImageShape::k2dSamples || spec.shape == ImageShape::k2dSamplesLayered)
    return "a texture with several samples a texel, which CUDA does not have";
  if (spec.shape == ImageShape::kLinear && spec.kind == emulator::OpaqueKind::kSurface)
    return "a surface over plain memory, which CUDA does not have";
  return {};
}

}  // namespace

Result<DeviceImage> DeviceImage::make(cuda::GpuRef gpu, const ResolvedArgument& argument) {
  const ImageSpec& spec = *argument.spec->image;
  const std::string& name = argument.spec->name;
  if (const std::string why = only_emulated(spec); !why.empty())
    return failed_error(fmt::format("'{}' is {}: it runs on the emulator only", name, why));
  auto named = [&](const Error& e) {
    return failed_error(fmt::format("{} '{}': {}", emulator::name_of(spec.kind), name, e.message));
  };
  DeviceImage out;
  out.argument_ = argument;
  auto texels = cuda::Texels::create(std::move(gpu), shape_of(spec, argument.image));
  if (!texels) return named(texels.error());
  out.texels_ = std::move(*texels);
  auto handle = spec.kind == emulator::OpaqueKind::kTexture
                    ? out.texels_.texture(sampling_of(spec, argument.image.levels))
                    : out.texels_.surface();
  if (!handle) return named(handle.error());
  out.handle_ = *handle;
  return out;
}

Status DeviceImage::fill() {
  const ArgumentSpec& a = *argument_.spec;
  auto values =
      initial_values(argument_.init, a.type, bytes() / ptx::bytes_of(a.type), argument_.seed);
  if (!values) return values.error();
  return texels_.write(*values);
}

Result<std::vector<std::byte>> DeviceImage::read() const {
  std::vector<std::byte> out(bytes());
  if (Status s = texels_.read(out); !s) return s.error();
  return out;
}

}  // namespace pitot::device
