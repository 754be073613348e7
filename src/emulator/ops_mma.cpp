// mma: matrix products of a warp from and to registers, dense, sparse and block-scaled (PTX ISA,
// "Warp Level Matrix Multiply-Accumulate Instructions", mma, mma.sp). The numeric model is in
// tile.h.
#include <bit>
#include <cfenv>

#include "emulator/block.h"
#include "emulator/families.h"
#include "emulator/mma_operands.h"
#include "emulator/register_tile.h"

namespace pitot::emulator {
namespace {

using ptx::Mod;
using ptx::Type;

// What a handler needs of the instruction, packed into Op::imm.
struct MmaForm {
  uint64_t m : 9, n : 9, k : 9;
  uint64_t d : 6, a : 6, b : 6, c : 6;  // ptx::Type
  uint64_t satfinite : 1, bits_and : 1, bytes : 1;
  uint64_t rounding : 2;  // into kRoundings
  uint64_t a_column : 1, b_row : 1;
  uint64_t sparse : 1, ordered : 1;
  uint64_t scale_blocks : 3, scale_e4m3 : 1;  // 0: no block scales
};
static_assert(sizeof(MmaForm) == 8);

constexpr int kRoundings[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

MmaForm form_of(const Op& op) { return std::bit_cast<MmaForm>(op.imm); }
Type type(uint64_t t) { return static_cast<Type>(t); }

// An element of A or B. kind::f8f6f4 gives each a byte: 6 bits lie in its low bits, e2m1 in bits
// 2 … 5.
TileFormat operand_format(Type t, bool bytes) {
  TileFormat f = packed(t);
  if (bytes) {
    f.step = 8;
    f.shift = t == Type::kE2m1 ? 2 : 0;
  }
  return f;
}

bool sparse_a(Warp& w, const Op& op, const MmaForm& f, Tile& stored, Tile& a,
              SparseColumns& columns) {
  const Program& p = w.program();
  const Type t = type(f.a);
  SparseForm form;
  const unsigned step = operand_format(t, f.bytes != 0).step;
  form.kind = step == 32  ? Sparsity::kOneOfTwo
              : step == 4 ? Sparsity::kPairsOfFour
                          : Sparsity::kTwoOfFour;
  form.narrow = step <= 8;
  form.ordered = f.ordered != 0;
  stored.reshape(f.m, f.k / 2, is_integer_element(t));
  gather(w, p.operand(op, 1), TileRole::kA, operand_format(t, f.bytes != 0), stored);
  const auto selector = static_cast<unsigned>(w.get(p.operand(op, 5)[0], 0));
  return expand_sparse(w, op, form, p.operand(op, 4), selector, stored, a, columns);
}

void scale(Warp& w, const Op& op, const MmaForm& f, Tile& a, Tile& b) {
  const Program& p = w.program();
  const size_t at = f.sparse != 0 ? 6 : 4;
  const Type t = f.scale_e4m3 != 0 ? Type::kUe4m3 : Type::kUe8m0;
  auto number = [&](size_t operand, size_t element) {
    return static_cast<unsigned>(w.get(p.operand(op, operand)[element], 0));
  };
  scale_rows(w, p.operand(op, at), t, number(at + 1, 0), number(at + 1, 1), f.scale_blocks, a);
  scale_columns(w, p.operand(op, at + 2), t, number(at + 3, 0), number(at + 3, 1), f.scale_blocks,
                b);
}

void mma(Warp& w, const Op& op, LaneMask mask) {
  if (!whole_warp(w, op, mask)) return;
  const MmaForm f = form_of(op);
  const Program& p = w.program();
  const auto d = p.operand(op, 0), a = p.operand(op, 1), b = p.operand(op, 2), c = p.operand(op, 3);
  const Type ta = type(f.a), tb = type(f.b), tc = type(f.c), td = type(f.d);
  const bool integer = td == Type::kS32;
  Tile x, y, z, stored;
  SparseColumns columns;
  x.reshape(f.m, f.k, integer);
  y.reshape(f.k, f.n, integer);
  z.reshape(f.m, f.n, integer);
  if (f.sparse != 0) {
    if (!sparse_a(w, op, f, stored, x, columns)) return;
  } else {
    gather(w, a, TileRole::kA, operand_format(ta, f.bytes != 0), x);
  }
  gather(w, b, TileRole::kB, operand_format(tb, f.bytes != 0), y);
  gather(w, c, TileRole::kC, packed(tc), z);
  if (f.scale_blocks != 0) scale(w, op, f, x, y);
  if (ta == Type::kB1) {
    multiply_bits(x, y, z, z, f.bits_and != 0);
  } else if (integer) {
    multiply_integer(x, y, z, z, f.satfinite != 0);
  } else if (td == Type::kF64) {
    multiply_double(x, y, z, z, kRoundings[f.rounding]);
  } else if (sums_are_known(w) && f.scale_blocks == 0) {
    const TensorSum how = hopper_sum(TensorOperation::kMma, ta);
    if (f.sparse != 0) {
      multiply_as(how, ta, tb, td, stored, y, z, z, &columns);
    } else {
      multiply_as(how, ta, tb, td, x, y, z, z);
    }
  } else {
    multiply_float(x, y, z, z);
  }
  w.taint |= undefined_results(w, a, b, c);
  // Metadata and scales: whatever they touch, without following which.
  for (size_t n = 4; n < op.operand_count; ++n)
    if (undefined_lanes(w, p.operand(op, n)) != 0) w.taint |= kAllLanes;
  scatter(w, d, packed(td), z);
}

// m8n8k4 of halves: four products, one for each pair of quads (lanes 4q … 4q+3 and 16 further).
void mma_by_quad_pairs(Warp& w, const Op& op, LaneMask mask) {
  if (!whole_warp(w, op, mask)) return;
  const MmaForm f = form_of(op);
  const Program& p = w.program();
  const auto d = p.operand(op, 0), a = p.operand(op, 1), b = p.operand(op, 2), c = p.operand(op, 3);
  auto accumulator = [](Type t, unsigned lane, unsigned i) -> TilePlace {
    const unsigned high = lane < 16 ? 0 : 4;
    if (t == Type::kF16) return {(lane & 3) + high, i};
    return {(lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1)};
  };
  const TileFormat half = packed(Type::kF16), in = packed(type(f.c)), out = packed(type(f.d));
  const LaneMask bad = undefined_lanes(w, a) | undefined_lanes(w, b) | undefined_lanes(w, c);
  for (unsigned quad = 0; quad < 4; ++quad) {
    const LaneMask lanes = LaneMask{0x000f000f} << (4 * quad);
    if ((bad & lanes) != 0) w.taint |= lanes;
    Tile x, y, z;
    x.reshape(8, 4, false);
    y.reshape(4, 8, false);
    z.reshape(8, 8, false);
    for_each_lane(lanes, [&](unsigned lane) {
      const unsigned own = lane & 3, high = lane < 16 ? 0 : 4;
      for (unsigned i = 0; i < 4; ++i) {
        const double va = decode_float(Type::kF16, element_of(w, a, half, lane, i));
        const double vb = decode_float(Type::kF16, element_of(w, b, half, lane, i));
        if (f.a_column != 0) {
          x.at(i + high, own) = va;
        } else {
          x.at(own + high, i) = va;
        }
        if (f.b_row != 0) {
          y.at(own, i + high) = vb;
        } else {
          y.at(i, own + high) = vb;
        }
      }
      for (unsigned i = 0; i < 8; ++i) {
        const TilePlace at = accumulator(in.type, lane, i);
        z.at(at.row, at.column) = decode_float(in.type, element_of(w, c, in, lane, i));
      }
    });
    if (sums_are_known(w)) {
      multiply_as(hopper_sum(TensorOperation::kMma, Type::kF16, true), Type::kF16, Type::kF16,
                  out.type, x, y, z, z);
    } else {
      multiply_float(x, y, z, z);
    }
    const unsigned per = 32 / out.step;
    for_each_lane(lanes, [&](unsigned lane) {
      for (unsigned r = 0; r < d.size(); ++r) {
        uint64_t word = 0;
        for (unsigned h = 0; h < per; ++h) {
          const TilePlace at = accumulator(out.type, lane, r * per + h);
          word |= encode_element(out.type, z, at.row, at.column) << (h * out.step);
        }
        w.set(d[r], lane, word);
      }
    });
  }
}

}  // namespace

bool select_mma(Selection& s) {
  if (s.opcode.mnemonic != ptx::Mnemonic::kMma) return false;
  const bool sparse = s.has(Mod::kSp) || s.has(Mod::kSpOrderedMetadata);
  const bool scaled = s.has(Mod::kBlockScale);
  unsigned m = 0, n = 0, k = 0;
  if (!shape_of(s.opcode, m, n, k) || s.operands.size() != 4u + (sparse ? 2 : 0) + (scaled ? 4 : 0))
    return false;
  std::vector<Type> types;
  std::vector<Mod> layouts;
  for (ptx::ModId id : s.opcode.modifiers) {
    if (ptx::mod_type(id) != Type::kNone) types.push_back(ptx::mod_type(id));
    const auto mod = static_cast<Mod>(id);
    if (mod == Mod::kRow || mod == Mod::kCol) layouts.push_back(mod);
  }
  if (types.size() != (scaled ? 5u : 4u) || layouts.size() != 2) return false;
  MmaForm f{};
  f.m = m;
  f.n = n;
  f.k = k;
  f.d = static_cast<uint64_t>(types[0]);
  f.a = static_cast<uint64_t>(types[1]);
  f.b = static_cast<uint64_t>(types[2]);
  f.c = static_cast<uint64_t>(types[3]);
  f.satfinite = s.has(Mod::kSatfinite);
  f.bits_and = s.has(Mod::kAnd);
  f.rounding = s.has(Mod::kRz) ? 1 : s.has(Mod::kRm) ? 2 : s.has(Mod::kRp) ? 3 : 0;
  f.a_column = layouts[0] == Mod::kCol;
  f.b_row = layouts[1] == Mod::kRow;
  const unsigned bits = element_bits(types[1]);
  const bool four_bits = s.has(Mod::kKindMxf4) || s.has(Mod::kKindMxf4nvf4);
  f.bytes = !is_integer_element(types[1]) && bits <= 8 && !four_bits;
  f.sparse = sparse;
  f.ordered = s.has(Mod::kSpOrderedMetadata);
  if (scaled) {
    f.scale_blocks = s.has(Mod::kScaleVec_4X) ? 4 : four_bits ? 2 : 1;
    f.scale_e4m3 = types[4] == Type::kUe4m3;
  }
  const bool quads = m == 8 && n == 8 && k == 4 && types[1] != Type::kF64;
  if (quads) {
    // The ISA has no fragments for the other types that ptxas takes here.
    if (types[1] != Type::kF16) return false;
  } else {
    // Registers that the layout accounts for, no more and no fewer.
    auto fits = [&](size_t operand, unsigned elements, Type t, bool multiplicand) {
      const unsigned step = multiplicand ? operand_format(t, f.bytes != 0).step : element_bits(t);
      return s.operands[operand].count * std::max(32u, step) * kLanes == elements * step;
    };
    if (!fits(0, m * n, types[0], false) || !fits(1, m * (sparse ? k / 2 : k), types[1], true) ||
        !fits(2, k * n, types[2], true) || !fits(3, m * n, types[3], false))
      return false;
  }
  s.op.imm = std::bit_cast<int64_t>(f);
  s.op.flow = Flow::kConvergent;
  s.op.variant = kWholeWarp;
  s.op.run = quads ? mma_by_quad_pairs : mma;
  return true;
}

}  // namespace pitot::emulator
