#include "cuda/image.h"

#include <algorithm>

namespace pitot::cuda {
namespace {

constexpr size_t kPitchAlignment = 512;  // enough for every GPU's textures

size_t at_least_one(size_t v) { return std::max<size_t>(v, 1); }

CopyPlace host_place(const std::byte* at, size_t row_bytes, size_t height) {
  CopyPlace p{};
  p.kind = CopyEnd::kHost;
  p.host = const_cast<std::byte*>(at);  // a source is only read
  p.pitch = row_bytes;
  p.height = height;
  return p;
}

}  // namespace

struct Texels::Storage {
  explicit Storage(GpuRef g) : gpu(std::move(g)) {}
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage() {
    const Api& api = gpu->api();
    for (const ObjectHandle h : textures) api.texture_destroy(h);
    for (const ObjectHandle h : surfaces) api.surface_destroy(h);
    if (array != nullptr) api.array_destroy(array);
    if (mipmap != nullptr) api.mipmap_destroy(mipmap);
  }
  GpuRef gpu;
  ArrayHandle array = nullptr;
  MipmapHandle mipmap = nullptr;
  Memory memory;  // of layouts that are no array
  size_t pitch = 0;
  std::vector<ObjectHandle> textures, surfaces;
};

Result<Texels> Texels::create(GpuRef gpu, const TexelShape& shape) {
  Texels t;
  t.gpu_ = gpu;
  t.shape_ = shape;
  t.storage_ = std::make_shared<Storage>(gpu);
  const bool layered = (shape.flags & (kArrayLayered | kArrayCube)) != 0;
  for (unsigned l = 0; l < shape.levels; ++l) {
    Level level;
    level.row_bytes = at_least_one(shape.width >> l) * shape.texel_bytes;
    level.height = at_least_one(shape.height >> l);
    level.depth = at_least_one(layered ? shape.depth : shape.depth >> l);
    t.levels_.push_back(level);
  }
  const Api& api = gpu->api();
  Storage& s = *t.storage_;
  if (shape.layout != TexelLayout::kArray) {
    s.pitch =
        shape.layout == TexelLayout::kLinear
            ? t.levels_[0].row_bytes
            : (t.levels_[0].row_bytes + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
    auto memory = Memory::allocate(gpu, s.pitch * t.levels_[0].height);
    if (!memory) return memory.error();
    s.memory = std::move(*memory);
    return t;
  }
  const ArrayDescriptor d{shape.width,  shape.height,   shape.depth,
                          shape.format, shape.channels, shape.flags};
  if (shape.levels == 1) {
    if (Status made = api.check(api.array_create(&s.array, &d), "making an array"); !made)
      return made.error();
    t.levels_[0].array = s.array;
    return t;
  }
  if (Status made =
          api.check(api.mipmap_create(&s.mipmap, &d, shape.levels), "making an array of levels");
      !made)
    return made.error();
  for (unsigned l = 0; l < shape.levels; ++l)
    if (Status got = api.check(api.mipmap_level(&t.levels_[l].array, s.mipmap, l),
                               "asking for a level of an array");
        !got)
      return got.error();
  return t;
}

size_t Texels::bytes() const {
  size_t n = 0;
  for (const Level& l : levels_) n += l.bytes();
  return n;
}

CopyPlace Texels::place(const Level& level) const {
  CopyPlace p{};
  p.kind = level.array != nullptr ? CopyEnd::kArray : CopyEnd::kDevice;
  p.array = level.array;
  p.device = storage_->memory.address();
  p.pitch = storage_->pitch;
  p.height = level.height;
  return p;
}

Status Texels::write(std::span<const std::byte> from) {
  const Api& api = gpu_->api();
  const std::byte* at = from.data();
  for (const Level& l : levels_) {
    const Copy3d c{host_place(at, l.row_bytes, l.height), place(l), l.row_bytes, l.height, l.depth};
    if (Status s = api.check(api.copy_3d(&c, nullptr), "copying texels to the GPU"); !s) return s;
    at += l.bytes();
  }
  return api.check(gpu_->synchronize(), "copying texels to the GPU");
}

Status Texels::read(std::span<std::byte> to) const {
  const Api& api = gpu_->api();
  const std::byte* at = to.data();
  for (const Level& l : levels_) {
    const Copy3d c{place(l), host_place(at, l.row_bytes, l.height), l.row_bytes, l.height, l.depth};
    if (Status s = api.check(api.copy_3d(&c, nullptr), "copying texels from the GPU"); !s) return s;
    at += l.bytes();
  }
  return api.check(gpu_->synchronize(), "copying texels from the GPU");
}

Status Texels::copy(const Texels& from, StreamHandle stream) {
  const Api& api = gpu_->api();
  for (size_t i = 0; i < levels_.size(); ++i) {
    const Level& l = levels_[i];
    const Copy3d c{from.place(from.levels_[i]), place(l), l.row_bytes, l.height, l.depth};
    if (Status s = api.check(api.copy_3d(&c, stream), "copying texels"); !s) return s;
  }
  return Ok{};
}

ResourceDescriptor Texels::resource() const {
  ResourceDescriptor r{};
  const Storage& s = *storage_;
  if (shape_.layout == TexelLayout::kLinear) {
    r.kind = ResourceKind::kLinear;
    r.resource.linear = {s.memory.address(), shape_.format, shape_.channels, levels_[0].row_bytes};
  } else if (shape_.layout == TexelLayout::kPitch) {
    r.kind = ResourceKind::kPitch;
    r.resource.pitch = {s.memory.address(), shape_.format,     shape_.channels,
                        shape_.width,       levels_[0].height, s.pitch};
  } else if (s.mipmap != nullptr) {
    r.kind = ResourceKind::kMipmap;
    r.resource.mipmap = s.mipmap;
  } else {
    r.kind = ResourceKind::kArray;
    r.resource.array = s.array;
  }
  return r;
}

Result<ObjectHandle> Texels::keep(ObjectHandle handle, Status32 status, bool is_surface) {
  if (Status s = gpu_->api().check(status, is_surface ? "making a surface" : "making a texture");
      !s)
    return s.error();
  (is_surface ? storage_->surfaces : storage_->textures).push_back(handle);
  return handle;
}

Result<ObjectHandle> Texels::texture(const TextureDescriptor& how) {
  const ResourceDescriptor r = resource();
  ObjectHandle handle = 0;
  const Status32 s = gpu_->api().texture_create(&handle, &r, &how, nullptr);
  return keep(handle, s, false);
}

Result<ObjectHandle> Texels::surface() {
  const ResourceDescriptor r = resource();
  ObjectHandle handle = 0;
  const Status32 s = gpu_->api().surface_create(&handle, &r);
  return keep(handle, s, true);
}

}  // namespace pitot::cuda
