#include "device/cuda_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "cuda/tensor_map.h"

namespace pitot::device {

namespace {

std::optional<cuda::TensorType> tensor_type(ptx::Type type) {
  switch (type) {
    case ptx::Type::kU8:
      return cuda::TensorType::kU8;
    case ptx::Type::kU16:
      return cuda::TensorType::kU16;
    case ptx::Type::kU32:
      return cuda::TensorType::kU32;
    case ptx::Type::kS32:
      return cuda::TensorType::kS32;
    case ptx::Type::kU64:
      return cuda::TensorType::kU64;
    case ptx::Type::kS64:
      return cuda::TensorType::kS64;
    case ptx::Type::kF16:
      return cuda::TensorType::kF16;
    case ptx::Type::kF32:
      return cuda::TensorType::kF32;
    case ptx::Type::kF64:
      return cuda::TensorType::kF64;
    case ptx::Type::kBf16:
      return cuda::TensorType::kBf16;
    default:
      return std::nullopt;
  }
}

// The driver's form of a map, for a tensor at an address.
Result<std::vector<std::byte>> encoded(const cuda::Gpu& gpu, const ResolvedArgument& a,
                                       uint64_t address) {
  const emulator::TensorMap& m = a.map;
  auto named = [&](const std::string& why) {
    return failed_error(fmt::format("tensor map '{}': {}", a.spec->name, why));
  };
  const auto type = tensor_type(a.spec->type);
  if (!type) return named(fmt::format("no tensors of type '{}'", ptx::name_of(a.spec->type)));
  cuda::TensorLayout t;
  t.address = address;
  t.type = *type;
  t.rank = m.rank;
  std::copy(m.size.begin(), m.size.end(), t.size.begin());
  t.stride = m.stride;
  t.box = m.box;
  std::copy(m.step.begin(), m.step.end(), t.step.begin());
  t.swizzle = m.atomicity == 0   ? static_cast<cuda::TensorSwizzle>(m.swizzle)
              : m.atomicity == 1 ? cuda::TensorSwizzle::k128Atom32
                                 : cuda::TensorSwizzle::k128Atom64;
  t.fill_nan = m.fill != 0;
  t.im2col = m.im2col;
  std::copy(m.lower.begin(), m.lower.end(), t.lower.begin());
  std::copy(m.upper.begin(), m.upper.end(), t.upper.begin());
  t.channels = m.channels;
  t.pixels = m.pixels;
  auto made = cuda::encode(gpu, t);
  if (!made) return named(made.error().message);
  return std::vector<std::byte>(made->bytes.begin(), made->bytes.end());
}

}  // namespace

Result<CudaLaunch> CudaLaunch::make(cuda::GpuRef gpu, const cuda::Kernel& kernel,
                                    const ResolvedLaunch& launch) {
  CudaLaunch out(gpu, kernel);
  if (!launch.references.empty())
    return failed_error(fmt::format(
        "'{}' is a reference of the module: on a GPU textures and surfaces are bound by "
        "handle, references run on the emulator only",
        launch.references.front().spec->name));
  for (const ResolvedArgument& a : launch.arguments) {
    if (a.spec->is_buffer) {
      auto buffer = GuardedBuffer::make(gpu, a);
      if (!buffer) return buffer.error();
      out.buffers_.push_back(std::make_shared<GuardedBuffer>(std::move(*buffer)));
    } else if (a.spec->image) {
      auto image = DeviceImage::make(gpu, a);
      if (!image) return image.error();
      out.images_.push_back(std::make_shared<DeviceImage>(std::move(*image)));
    }
  }
  if (Status s = out.set_parameters(launch); !s) return s.error();
  return out;
}

Result<CudaLaunch> CudaLaunch::with(const cuda::Kernel& kernel,
                                    const ResolvedLaunch& launch) const {
  CudaLaunch out(gpu_, kernel);
  out.buffers_ = buffers_;
  out.images_ = images_;
  if (Status s = out.set_parameters(launch); !s) return s.error();
  return out;
}

Status CudaLaunch::set_parameters(const ResolvedLaunch& launch) {
  shape_ = {launch.grid, launch.block, launch.cluster, launch.dynamic_shared, launch.cooperative};
  const KernelSpec& spec = *launch.spec;
  if (Status s = kernel_.check_threads(shape_); !s)
    return spec.error_at(spec.block_line, s.error().message);
  if (Status s = kernel_.check_shared(shape_); !s)
    return spec.error_at(spec.shared_line, s.error().message);
  if (Status s = kernel_.prepare(shape_); !s) return s;
  size_t buffer = 0, image = 0;
  std::vector<uint64_t> values;
  for (const ResolvedArgument& a : launch.arguments)
    values.push_back(a.spec->is_buffer ? buffers_[buffer++]->base() + a.origin_bytes()
                     : a.spec->image   ? images_[image++]->handle()
                                       : a.bits);
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const ResolvedArgument& a = launch.arguments[i];
    std::vector<std::byte> bytes(std::max<size_t>(a.parameter_bytes, 8));
    if (a.spec->map) {
      auto map = encoded(*gpu_, a, values[a.tensor]);
      if (!map) return map.error();
      bytes = std::move(*map);
    } else {
      std::memcpy(bytes.data(), &values[i], sizeof values[i]);
    }
    parameters_.push_back(std::move(bytes));
  }
  return Ok{};
}

void CudaLaunch::append_parameter(uint64_t bits) {
  std::vector<std::byte> bytes(sizeof bits);
  std::memcpy(bytes.data(), &bits, sizeof bits);
  parameters_.push_back(std::move(bytes));
}

void CudaLaunch::replace_last_parameter(uint64_t bits) {
  parameters_.pop_back();
  append_parameter(bits);
}

Status CudaLaunch::fill(uint64_t period) {
  for (const auto& b : buffers_)
    if (Status s = b->fill(period); !s) return s;
  for (const auto& i : images_)
    if (Status s = i->fill(); !s) return s;
  return Ok{};
}

Status CudaLaunch::copy(const CudaLaunch& from, cuda::StreamHandle stream) {
  const cuda::Api& api = gpu_->api();
  for (size_t i = 0; i < buffers_.size(); ++i)
    if (Status s = api.check(
            api.copy(buffers_[i]->base(), from.buffers_[i]->base(), buffers_[i]->bytes(), stream),
            "copying buffers");
        !s)
      return s;
  for (size_t i = 0; i < images_.size(); ++i)
    if (Status s = images_[i]->copy(*from.images_[i], stream); !s) return s;
  return Ok{};
}

Result<Snapshot> CudaLaunch::snapshot(cuda::StreamHandle stream) const {
  const cuda::Api& api = gpu_->api();
  Snapshot out;
  for (const auto& b : buffers_) {
    if (b->argument().spec->role != Role::kInOut) continue;
    auto copy = cuda::Memory::allocate(gpu_, b->bytes());
    if (!copy) return copy.error();
    if (Status s =
            api.check(api.copy(copy->address(), b->base(), b->bytes(), stream), "copying buffers");
        !s)
      return s.error();
    out.buffers.push_back(std::move(*copy));
  }
  for (const auto& i : images_) {
    if (i->spec().role != Role::kInOut) continue;
    auto copy = DeviceImage::make(gpu_, i->argument());
    if (!copy) return copy.error();
    if (Status s = copy->copy(*i, stream); !s) return s.error();
    out.images.push_back(std::move(*copy));
  }
  return out;
}

Status CudaLaunch::restore(const Snapshot& snapshot, cuda::StreamHandle stream) const {
  const cuda::Api& api = gpu_->api();
  size_t buffer = 0, image = 0;
  for (const auto& b : buffers_) {
    if (b->argument().spec->role != Role::kInOut) continue;
    if (Status s =
            api.check(api.copy(b->base(), snapshot.buffers[buffer++].address(), b->bytes(), stream),
                      "restoring buffers");
        !s)
      return s;
  }
  for (const auto& i : images_) {
    if (i->spec().role != Role::kInOut) continue;
    if (Status s = i->copy(snapshot.images[image++], stream); !s) return s;
  }
  return Ok{};
}

Result<std::string> CudaLaunch::overwritten() const {
  for (const auto& b : buffers_) {
    auto said = b->overwritten();
    if (!said || !said->empty()) return said;
  }
  return std::string();
}

cuda::Status32 CudaLaunch::launch(cuda::StreamHandle stream) const {
  std::vector<void*> pointers;
  for (const auto& p : parameters_)
    pointers.push_back(const_cast<std::byte*>(p.data()));  // the driver only reads them
  return kernel_.launch(shape_, pointers, stream);
}

}  // namespace pitot::device
