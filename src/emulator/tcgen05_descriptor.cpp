#include "emulator/tcgen05_descriptor.h"

#include <fmt/format.h>

#include "emulator/tile.h"

namespace pitot::emulator {
namespace {

using ptx::Type;

Type small_float(uint32_t code) {
  switch (code) {
    case 0:
      return Type::kE4m3;
    case 1:
      return Type::kE5m2;
    case 3:
      return Type::kE2m3;
    case 4:
      return Type::kE3m2;
    case 5:
      return Type::kE2m1;
    default:
      return Type::kNone;
  }
}

Type multiplicand(MmaKind kind, uint32_t code) {
  switch (kind) {
    case MmaKind::kF16:
      return code == 0 ? Type::kF16 : code == 1 ? Type::kBf16 : Type::kNone;
    case MmaKind::kTf32:
      return code == 2 ? Type::kTf32 : Type::kNone;
    case MmaKind::kI8:
      return code == 0 ? Type::kU8 : code == 1 ? Type::kS8 : Type::kNone;
    case MmaKind::kMxf4:
    case MmaKind::kMxf4nvf4:
      return code == 1 ? Type::kE2m1 : Type::kNone;
    default:
      return small_float(code);
  }
}

bool shape_is_legal(const MmaVariant& v, const MmaDescription& d) {
  if (d.n == 0 || d.n > 256) return false;
  if (v.ws) return d.n == 64 || d.n == 128 || d.n == 256;
  if (v.pair) return d.n % 16 == 0;
  return d.n % (d.m == 64 || v.scales != 0 ? 8 : 16) == 0;
}

std::string describe_scales(uint32_t i, const MmaVariant& v, MmaDescription& d, bool& covered) {
  d.scale = (i >> 23 & 1) != 0 ? Type::kUe8m0 : Type::kUe4m3;
  d.scale_b_id = i >> 4 & 3;
  d.scale_a_id = i >> 29 & 3;
  d.d = Type::kF32;
  if (d.scale == Type::kUe4m3 && (v.kind != MmaKind::kMxf4nvf4 || v.scales != 4))
    return "scale factors of type ue4m3, which the kind has not";
  if ((v.scales == 2 && ((d.scale_a_id | d.scale_b_id) & 1) != 0) ||
      (v.scales == 4 && (d.scale_a_id | d.scale_b_id) != 0))
    return fmt::format("scale factors begin at bytes {} and {} of a word, which {} a row must not",
                       d.scale_a_id, d.scale_b_id, v.scales);
  if ((i >> 31 & 1) != 0) {
    covered = false;
    return "K of 96 is not covered";
  }
  return {};
}

}  // namespace

std::string describe_mma(uint32_t i, const MmaVariant& v, MmaDescription& d, bool& covered) {
  covered = true;
  d.a = multiplicand(v.kind, i >> 7 & 7);
  d.b = multiplicand(v.kind, i >> 10 & 7);
  d.negate_a = (i >> 13 & 1) != 0;
  d.negate_b = (i >> 14 & 1) != 0;
  d.a_mn = (i >> 15 & 1) != 0;
  d.b_mn = (i >> 16 & 1) != 0;
  d.n = (i >> 17 & 63) * 8;
  d.m = (i >> 24 & 31) * 16;
  if (v.scales != 0) {
    if (std::string problem = describe_scales(i, v, d, covered); !problem.empty()) return problem;
  } else {
    constexpr Type kAccumulators[] = {Type::kF16, Type::kF32, Type::kS32, Type::kNone};
    d.saturate = (i >> 3 & 1) != 0;
    d.d = kAccumulators[i >> 4 & 3];
  }
  if (d.a == Type::kNone || d.b == Type::kNone || d.d == Type::kNone ||
      (d.d == Type::kS32) != (v.kind == MmaKind::kI8) ||
      (d.d == Type::kF16 && v.kind == MmaKind::kTf32))
    return "the instruction descriptor has types that the kind has not";
  if (((i >> 2 & 1) != 0) != v.sparse)
    return fmt::format("the instruction descriptor says that A is {}, the instruction does not",
                       v.sparse ? "dense" : "sparse");
  if ((d.a_mn && element_bits(d.a) < 8) || (d.b_mn && element_bits(d.b) < 8))
    return "a transposed matrix of elements of less than 8 bits";
  const bool m_legal = v.ws            ? d.m == 32 || d.m == 64 || d.m == 128
                       : v.pair        ? d.m == 128 || d.m == 256
                       : v.scales != 0 ? d.m == 128
                                       : d.m == 64 || d.m == 128;
  if (!m_legal) return fmt::format("M is {}, which the instruction does not have", d.m);
  if (!shape_is_legal(v, d)) return fmt::format("N of {} does not go with M of {}", d.n, d.m);
  d.rows = v.pair ? d.m / 2 : d.m;
  if (d.rows == 128) {
    d.layout = MmaLayout::kFull;
  } else if (v.ws) {
    d.layout = d.rows == 64 ? MmaLayout::kTwo : MmaLayout::kFour;
  } else {
    d.layout = v.pair && !v.sparse ? MmaLayout::kTwo : MmaLayout::kHalf;
  }
  const bool packed = v.kind == MmaKind::kMxf4 || v.kind == MmaKind::kMxf4nvf4;
  const unsigned bits = packed ? 4
                        : v.kind == MmaKind::kF8f6f4 || v.kind == MmaKind::kMxf8f6f4
                            ? 8
                            : element_bits(d.a);
  d.k = 256 / bits * (v.sparse ? 2 : 1);
  if (v.sparse && (i & 3) != 0) {
    covered = v.kind != MmaKind::kF16 && v.kind != MmaKind::kTf32;
    return fmt::format("sparsity selector {}{}", i & 3, covered ? "" : " is not covered");
  }
  if (v.sparse && d.layout == MmaLayout::kHalf) {
    covered = false;
    return "sparse products of 64 rows a block are not covered";
  }
  return {};
}

}  // namespace pitot::emulator
