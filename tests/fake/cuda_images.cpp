// Arrays, textures, surfaces and tensor maps of the CUDA driver for tests: images of the emulator.
#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/tensor_map.h"
#include "fake_gpu.h"

using namespace pitot;
using namespace pitot::cuda;
using namespace pitot::fake;

namespace {

using emulator::ChannelKind;
using emulator::Image;
using emulator::ImageShape;

emulator::TexelFormat format_of(ArrayFormat f, unsigned channels) {
  const auto n = static_cast<uint8_t>(channels);
  const int code = static_cast<int>(f);
  if (code >= 0xc0) {
    const int kind = (code - 0xc0) / 3;
    return {kind < 2 ? ChannelKind::kUnorm : ChannelKind::kSnorm,
            static_cast<uint8_t>(kind % 2 == 0 ? 8 : 16), n};
  }
  if (f == ArrayFormat::kF32) return {ChannelKind::kFloat, 32, n};
  if (f == ArrayFormat::kF16) return {ChannelKind::kFloat, 16, n};
  return {code < 8 ? ChannelKind::kUnsigned : ChannelKind::kSigned,
          static_cast<uint8_t>(8 << ((code & 7) - (code < 8 ? 1 : 0))), n};
}

Image image_of(const ArrayDescriptor& d, unsigned levels) {
  Image m;
  const auto height = static_cast<uint32_t>(std::max<size_t>(d.height, 1));
  const auto depth = static_cast<uint32_t>(std::max<size_t>(d.depth, 1));
  const bool layered = (d.flags & kArrayLayered) != 0, cube = (d.flags & kArrayCube) != 0;
  m.format = format_of(d.format, d.channels);
  m.width = static_cast<uint32_t>(d.width);
  m.height = height;
  m.levels = levels;
  (layered || cube ? m.layers : m.depth) = depth;
  m.shape = cube            ? (layered ? ImageShape::kCubeLayered : ImageShape::kCube)
            : layered       ? (d.height == 0 ? ImageShape::k1dLayered : ImageShape::k2dLayered)
            : d.depth != 0  ? ImageShape::k3d
            : d.height != 0 ? ImageShape::k2d
                            : ImageShape::k1d;
  return m;
}

bool place(Image& m) {
  emulator::OpaqueObject o;
  o.name = "array";
  o.image = m;
  if (!emulator::OpaqueObjects::allocate(o, state().memory, true)) return false;
  m.region = o.image.region;
  return true;
}

// Where a row of a copy begins; of memory of the host, none.
uint64_t row_address(const CopyPlace& p, size_t y, size_t z) {
  if (p.kind == CopyEnd::kDevice) return p.device + (z * p.height + y) * p.pitch;
  const Image& m = p.array->image;
  const uint64_t row = z * m.height_at(p.array->level) + y;
  return m.region->base() + m.level_offset(p.array->level) + row * m.pitch(p.array->level);
}

Status32 copy_now(const Copy3d& c) {
  std::vector<std::byte> bytes(c.width_bytes);
  for (size_t z = 0; z < c.depth; ++z)
    for (size_t y = 0; y < c.height; ++y) {
      auto host = [&](const CopyPlace& p) {
        return static_cast<std::byte*>(p.host) + (z * p.height + y) * p.pitch;
      };
      if (c.from.kind == CopyEnd::kHost)
        std::memcpy(bytes.data(), host(c.from), bytes.size());
      else if (!state().memory.read(row_address(c.from, y, z), bytes))
        return kInvalidValue;
      if (c.to.kind == CopyEnd::kHost)
        std::memcpy(host(c.to), bytes.data(), bytes.size());
      else if (!state().memory.write(row_address(c.to, y, z), bytes))
        return kInvalidValue;
    }
  return kSuccess;
}

// Whether a format that is not read as integers means normalized numbers.
emulator::TexelFormat as_read(emulator::TexelFormat f, bool integers) {
  if (integers || f.bits == 32) return f;
  if (f.kind == ChannelKind::kUnsigned) f.kind = ChannelKind::kUnorm;
  if (f.kind == ChannelKind::kSigned) f.kind = ChannelKind::kSnorm;
  return f;
}

// Plain memory as an image of its own, which takes the memory's bytes before every launch.
std::optional<Image> plain_image(const ResourceDescriptor& r) {
  Image m;
  uint64_t from = 0, pitch = 0;
  if (r.kind == ResourceKind::kLinear) {
    const auto& l = r.resource.linear;
    m.shape = ImageShape::kLinear;
    m.format = format_of(l.format, l.channels);
    m.width = static_cast<uint32_t>(l.bytes / m.format.bytes());
    from = l.address;
    pitch = l.bytes;
  } else {
    const auto& p = r.resource.pitch;
    m.format = format_of(p.format, p.channels);
    m.width = static_cast<uint32_t>(p.width);
    m.height = static_cast<uint32_t>(p.height);
    from = p.address;
    pitch = p.pitch;
    if (pitch % 32 != 0) return std::nullopt;
  }
  if (!place(m)) return std::nullopt;
  state().plain_textures.emplace_back([m, from, pitch] {
    std::vector<std::byte> row(m.row_bytes(0));
    for (uint32_t y = 0; y < m.height; ++y)
      if (state().memory.read(from + y * pitch, row))
        (void)state().memory.write(m.region->base() + m.offset(0, 0, 0, y, 0), row);
  });
  return m;
}

Status32 tensor_map(EncodedTensorMap* out, TensorType type, uint32_t rank, void* address,
                    const uint64_t* size, const uint64_t* stride, const uint32_t* step,
                    TensorSwizzle swizzle, int fill, emulator::TensorMap m) {
  // The numbers of tensormap.replace, which has f32 without subnormals before f64.
  constexpr uint8_t kNumbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10};
  if (static_cast<size_t>(type) >= std::size(kNumbers) || rank < 1 || rank > 5)
    return kInvalidValue;
  m.address = reinterpret_cast<uint64_t>(address);
  m.rank = static_cast<uint8_t>(rank);
  m.element = kNumbers[static_cast<size_t>(type)];
  for (uint32_t d = 0; d < rank; ++d) {
    m.size[d] = static_cast<uint32_t>(size[d]);
    m.step[d] = static_cast<uint16_t>(step[d]);
    if (d > 0) m.stride[d - 1] = stride[d - 1];
  }
  const int s = static_cast<int>(swizzle);
  m.swizzle = static_cast<uint8_t>(std::min(s, 3));
  m.atomicity = static_cast<uint8_t>(std::max(s - 3, 0));
  m.fill = static_cast<uint8_t>(fill);
  bool covered = false;
  if (!m.problem(covered).empty()) return kInvalidValue;
  out->bytes = m.encode();
  return kSuccess;
}

}  // namespace

namespace pitot::fake {
void refresh_textures() {
  for (const auto& take : state().plain_textures) take();
}
}  // namespace pitot::fake

extern "C" {

Status32 cuArray3DCreate_v2(ArrayHandle* out, const ArrayDescriptor* d) {
  auto array = std::make_unique<ArrayTag>();
  array->image = image_of(*d, 1);
  array->flags = d->flags;
  if (!place(array->image)) return kInvalidValue;
  *out = array.release();
  return kSuccess;
}
Status32 cuArrayDestroy(ArrayHandle a) {
  delete a;
  return kSuccess;
}
Status32 cuMipmappedArrayCreate(MipmapHandle* out, const ArrayDescriptor* d, unsigned levels) {
  auto mipmap = std::make_unique<MipmapTag>();
  mipmap->image = image_of(*d, levels);
  mipmap->flags = d->flags;
  if (!place(mipmap->image)) return kInvalidValue;
  for (uint32_t l = 0; l < levels; ++l)
    mipmap->levels.push_back(std::make_unique<ArrayTag>(ArrayTag{mipmap->image, l, d->flags}));
  *out = mipmap.release();
  return kSuccess;
}
Status32 cuMipmappedArrayGetLevel(ArrayHandle* out, MipmapHandle m, unsigned level) {
  if (level >= m->levels.size()) return kInvalidValue;
  return *out = m->levels[level].get(), kSuccess;
}
Status32 cuMipmappedArrayDestroy(MipmapHandle m) {
  delete m;
  return kSuccess;
}

Status32 cuMemcpy3DAsync_v2(const Copy3d* c, StreamHandle stream) {
  if (state().broken != kSuccess) return state().broken;
  return later(stream, [copy = *c] { return copy_now(copy); });
}

Status32 cuTexObjectCreate(ObjectHandle* out, const ResourceDescriptor* r,
                           const TextureDescriptor* t, const void*) {
  emulator::OpaqueObject o;
  o.name = "texture";
  if (r->kind == ResourceKind::kArray) {
    o.image = r->resource.array->image;
  } else if (r->kind == ResourceKind::kMipmap) {
    o.image = r->resource.mipmap->image;
  } else if (auto plain = plain_image(*r)) {
    o.image = *plain;
  } else {
    return kInvalidValue;
  }
  const bool integers = (t->flags & kReadAsInteger) != 0;
  o.image.format = as_read(o.image.format, integers);
  if (!o.image.format.filters() && t->filter == TextureFilter::kLinear) return kInvalidValue;
  using emulator::AddressMode;
  constexpr AddressMode kModes[] = {AddressMode::kWrap, AddressMode::kClamp, AddressMode::kMirror,
                                    AddressMode::kBorder};
  auto filter = [](TextureFilter f) {
    return f == TextureFilter::kLinear ? emulator::FilterMode::kLinear
                                       : emulator::FilterMode::kPoint;
  };
  for (size_t d = 0; d < 3; ++d) o.sampler.address[d] = kModes[static_cast<size_t>(t->address[d])];
  o.sampler.filter = filter(t->filter);
  o.sampler.level_filter = filter(t->level_filter);
  o.sampler.normalized = (t->flags & kNormalizedCoordinates) != 0;
  // Of integer formats the floats hold the bits of integers, as cuda.h says of texture references.
  for (size_t i = 0; i < 4; ++i) {
    const auto raw = std::bit_cast<uint32_t>(t->border[i]);
    o.sampler.border[i] = o.image.format.filters() ? t->border[i]
                          : o.image.format.kind == emulator::ChannelKind::kSigned
                              ? static_cast<float>(static_cast<int32_t>(raw))
                              : static_cast<float>(raw);
  }
  o.sampler.level_bias = t->level_bias;
  o.sampler.least_level = t->least_level;
  o.sampler.most_level = t->most_level;
  return *out = state().memory.objects().add(std::move(o)), kSuccess;
}
Status32 cuTexObjectDestroy(ObjectHandle) { return kSuccess; }

Status32 cuSurfObjectCreate(ObjectHandle* out, const ResourceDescriptor* r) {
  if (r->kind != ResourceKind::kArray || (r->resource.array->flags & kArraySurface) == 0)
    return kInvalidValue;
  emulator::OpaqueObject o;
  o.kind = emulator::OpaqueKind::kSurface;
  o.name = "surface";
  o.image = r->resource.array->image;
  return *out = state().memory.objects().add(std::move(o)), kSuccess;
}
Status32 cuSurfObjectDestroy(ObjectHandle) { return kSuccess; }

Status32 cuTensorMapEncodeTiled(EncodedTensorMap* out, TensorType type, uint32_t rank,
                                void* address, const uint64_t* size, const uint64_t* stride,
                                const uint32_t* box, const uint32_t* step, int,
                                TensorSwizzle swizzle, int, int fill) {
  emulator::TensorMap m;
  std::copy(box, box + std::min(rank, 5u), m.box.begin());
  return tensor_map(out, type, rank, address, size, stride, step, swizzle, fill, m);
}
Status32 cuTensorMapEncodeIm2col(EncodedTensorMap* out, TensorType type, uint32_t rank,
                                 void* address, const uint64_t* size, const uint64_t* stride,
                                 const int* lower, const int* upper, uint32_t channels,
                                 uint32_t pixels, const uint32_t* step, int, TensorSwizzle swizzle,
                                 int, int fill) {
  emulator::TensorMap m;
  if (rank < 3 || rank > 5) return kInvalidValue;
  m.im2col = true;
  for (uint32_t d = 0; d + 2 < rank; ++d) {
    m.lower[d] = static_cast<int16_t>(lower[d]);
    m.upper[d] = static_cast<int16_t>(upper[d]);
  }
  m.channels = static_cast<uint16_t>(channels);
  m.pixels = static_cast<uint16_t>(pixels);
  return tensor_map(out, type, rank, address, size, stride, step, swizzle, fill, m);
}
}
