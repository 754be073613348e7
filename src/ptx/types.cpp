// Names, kinds and widths of the fundamental types, and names of the state spaces.
#include "ptx/types.h"

#include <array>

namespace pitot::ptx {
namespace {

struct TypeRow {
  std::string_view name;
  TypeKind kind;
  uint16_t bits;
};

using enum TypeKind;

constexpr TypeRow kTypeTable[] = {
    {"", kNone, 0},
    {"pred", kPred, 1},
    {"b1", kBits, 1},
    {"b4", kBits, 4},
    {"b8", kBits, 8},
    {"b16", kBits, 16},
    {"b32", kBits, 32},
    {"b64", kBits, 64},
    {"b128", kBits, 128},
    {"u2", kUnsigned, 2},
    {"u4", kUnsigned, 4},
    {"u8", kUnsigned, 8},
    {"u16", kUnsigned, 16},
    {"u32", kUnsigned, 32},
    {"u64", kUnsigned, 64},
    {"s2", kSigned, 2},
    {"s4", kSigned, 4},
    {"s8", kSigned, 8},
    {"s16", kSigned, 16},
    {"s32", kSigned, 32},
    {"s64", kSigned, 64},
    {"f16", kFloat, 16},
    {"f32", kFloat, 32},
    {"f64", kFloat, 64},
    {"bf16", kFloat, 16},
    {"tf32", kFloat, 32},
    {"e4m3", kFloat, 8},
    {"e5m2", kFloat, 8},
    {"e2m1", kFloat, 4},
    {"e2m3", kFloat, 6},
    {"e3m2", kFloat, 6},
    {"ue8m0", kFloat, 8},
    {"ue4m3", kFloat, 8},
    {"s2f6", kFloat, 8},
    {"f16x2", kFloat, 32},
    {"bf16x2", kFloat, 32},
    {"f32x2", kFloat, 64},
    {"u16x2", kUnsigned, 32},
    {"s16x2", kSigned, 32},
    {"u8x4", kUnsigned, 32},
    {"s8x4", kSigned, 32},
    {"b16x2", kBits, 32},
    {"b8x4", kBits, 32},
    {"e4m3x2", kFloat, 16},
    {"e5m2x2", kFloat, 16},
    {"e2m1x2", kFloat, 8},
    {"e2m3x2", kFloat, 16},
    {"e3m2x2", kFloat, 16},
    {"ue8m0x2", kFloat, 16},
    {"ue4m3x2", kFloat, 16},
    {"s2f6x2", kFloat, 16},
    {"e4m3x4", kFloat, 32},
    {"e5m2x4", kFloat, 32},
    {"e2m1x4", kFloat, 16},
    {"e2m3x4", kFloat, 32},
    {"e3m2x4", kFloat, 32},
    {"b4x16", kBits, 64},
    {"b4x16_p64", kBits, 128},
    {"b6x16_p32", kBits, 128},
    {"b6p2x16", kBits, 128},
    {"texref", kOpaque, 64},
    {"samplerref", kOpaque, 64},
    {"surfref", kOpaque, 64},
};
static_assert(std::size(kTypeTable) == static_cast<size_t>(Type::kCount));

constexpr std::string_view kSpaceNames[] = {
    "",       "reg", "sreg",         "const",       "global",      "local",           "param",
    "shared", "tex", "param::entry", "param::func", "shared::cta", "shared::cluster",
};

const TypeRow& row(Type t) {
  size_t index = static_cast<size_t>(t);
  return kTypeTable[index < std::size(kTypeTable) ? index : 0];
}

}  // namespace

TypeKind kind_of(Type t) { return row(t).kind; }
unsigned bits_of(Type t) { return row(t).bits; }
std::string_view name_of(Type t) { return row(t).name; }

Type type_from_name(std::string_view name) {
  for (size_t i = 1; i < std::size(kTypeTable); ++i)
    if (kTypeTable[i].name == name) return static_cast<Type>(i);
  return Type::kNone;
}

std::string_view name_of(Space s) {
  size_t index = static_cast<size_t>(s);
  return kSpaceNames[index < std::size(kSpaceNames) ? index : 0];
}

Space space_from_name(std::string_view name) {
  for (size_t i = 1; i < std::size(kSpaceNames); ++i)
    if (kSpaceNames[i] == name) return static_cast<Space>(i);
  return Space::kNone;
}

Space base_space(Space s) {
  switch (s) {
    case Space::kParamEntry:
    case Space::kParamFunc:
      return Space::kParam;
    case Space::kSharedCta:
    case Space::kSharedCluster:
      return Space::kShared;
    default:
      return s;
  }
}

}  // namespace pitot::ptx
