// Fundamental types, state spaces and their sizes (PTX ISA, "State Spaces,
// Types, and Variables").
#pragma once

#include <cstdint>
#include <string_view>

namespace pitot::ptx {

// In the order of kTypeTable in types.cpp.
enum class Type : uint8_t {
  kNone,
  kPred,
  kB1,
  kB4,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU2,
  kU4,
  kU8,
  kU16,
  kU32,
  kU64,
  kS2,
  kS4,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kF32,
  kF64,
  kBf16,
  kTf32,
  kE4m3,
  kE5m2,
  kE2m1,
  kE2m3,
  kE3m2,
  kUe8m0,
  kUe4m3,
  kS2f6,
  kF16x2,
  kBf16x2,
  kF32x2,
  kU16x2,
  kS16x2,
  kU8x4,
  kS8x4,
  kB16x2,
  kB8x4,
  kE4m3x2,
  kE5m2x2,
  kE2m1x2,
  kE2m3x2,
  kE3m2x2,
  kUe8m0x2,
  kUe4m3x2,
  kS2f6x2,
  kE4m3x4,
  kE5m2x4,
  kE2m1x4,
  kE2m3x4,
  kE3m2x4,
  kB4x16,
  kB4x16P64,
  kB6x16P32,
  kB6p2x16,
  kTexref,
  kSamplerref,
  kSurfref,
  kCount,
};

enum class TypeKind : uint8_t { kNone, kPred, kBits, kUnsigned, kSigned, kFloat, kOpaque };

TypeKind kind_of(Type t);
// Register or memory footprint in bits; a packed fp8 pair is 16, pred is 1,
// opaque references 64.
unsigned bits_of(Type t);
inline unsigned bytes_of(Type t) { return (bits_of(t) + 7) / 8; }
std::string_view name_of(Type t);            // "u32", no dot
Type type_from_name(std::string_view name);  // without the dot; kNone if it is no type

enum class Space : uint8_t {
  kNone,  // not an access, or the generic space where a space could be named
  kReg,
  kSreg,
  kConst,
  kGlobal,
  kLocal,
  kParam,
  kShared,
  kTex,
  kParamEntry,
  kParamFunc,
  kSharedCta,
  kSharedCluster,
};

std::string_view name_of(Space s);             // "shared::cta"
Space space_from_name(std::string_view name);  // kNone if it is no space
// The space without its sub-space: shared::cta → shared, param::entry → param.
Space base_space(Space s);

}  // namespace pitot::ptx
