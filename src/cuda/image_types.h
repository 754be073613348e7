// Structures and numbers of the CUDA driver's functions for arrays, textures, surfaces and tensor
// maps: names are ours, layouts the driver API's (CUDA 11.8 and later), compared with cuda.h in a
// test.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pitot::cuda {

struct ArrayTag;
struct MipmapTag;
using ArrayHandle = ArrayTag*;
using MipmapHandle = MipmapTag*;
using ObjectHandle = unsigned long long;  // CUtexObject, CUsurfObject

// CUarray_format
enum class ArrayFormat : int {
  kU8 = 0x01,
  kU16 = 0x02,
  kU32 = 0x03,
  kS8 = 0x08,
  kS16 = 0x09,
  kS32 = 0x0a,
  kF16 = 0x10,
  kF32 = 0x20,
  // Of surfaces that hold normalized integers; the number of channels is part of it: one, two, four
  // follow one another.
  kUnorm8 = 0xc0,
  kUnorm16 = 0xc3,
  kSnorm8 = 0xc6,
  kSnorm16 = 0xc9,
};

struct ArrayDescriptor {  // CUDA_ARRAY3D_DESCRIPTOR
  size_t width, height, depth;
  ArrayFormat format;
  unsigned channels, flags;
};
inline constexpr unsigned kArrayLayered = 0x01, kArraySurface = 0x02, kArrayCube = 0x04,
                          kArrayGather = 0x08;

enum class CopyEnd : int { kHost = 1, kDevice = 2, kArray = 3 };  // CUmemorytype

struct CopyPlace {  // half of CUDA_MEMCPY3D
  size_t x_bytes, y, z, level;
  CopyEnd kind;
  void* host;  // of the source it is only read
  unsigned long long device;
  ArrayHandle array;
  void* reserved;
  size_t pitch, height;
};
struct Copy3d {  // CUDA_MEMCPY3D
  CopyPlace from, to;
  size_t width_bytes, height, depth;
};

enum class ResourceKind : int { kArray = 0, kMipmap = 1, kLinear = 2, kPitch = 3 };

struct ResourceDescriptor {  // CUDA_RESOURCE_DESC
  ResourceKind kind;
  union {
    ArrayHandle array;
    MipmapHandle mipmap;
    struct {
      unsigned long long address;
      ArrayFormat format;
      unsigned channels;
      size_t bytes;
    } linear;
    struct {
      unsigned long long address;
      ArrayFormat format;
      unsigned channels;
      size_t width, height, pitch;  // texels, texels, bytes
    } pitch;
    int reserved[32];
  } resource;
  unsigned flags;
};

enum class TextureAddress : int { kWrap = 0, kClamp = 1, kMirror = 2, kBorder = 3 };
enum class TextureFilter : int { kPoint = 0, kLinear = 1 };
inline constexpr unsigned kReadAsInteger = 0x01, kNormalizedCoordinates = 0x02;

struct TextureDescriptor {  // CUDA_TEXTURE_DESC
  TextureAddress address[3];
  TextureFilter filter;
  unsigned flags, anisotropy;
  TextureFilter level_filter;
  float level_bias, least_level, most_level;
  float border[4];
  int reserved[12];
};

// CUtensorMap, 128 bytes that only the driver and the hardware understand.
struct alignas(128) EncodedTensorMap {
  std::array<std::byte, 128> bytes;
};

enum class TensorType : int {  // CUtensorMapDataType
  kU8 = 0,
  kU16,
  kU32,
  kS32,
  kU64,
  kS64,
  kF16,
  kF32,
  kF64,
  kBf16,
};
enum class TensorSwizzle : int {  // CUtensorMapSwizzle
  kNone = 0,
  k32,
  k64,
  k128,
  k128Atom32,
  k128Atom32Flip8,
  k128Atom64,
};
inline constexpr int kTensorNoInterleave = 0, kTensorPromote128 = 2;

}  // namespace pitot::cuda
