// wmma: matrices loaded, multiplied and stored by a warp through fragments whose layout is nobody's
// business (PTX ISA, "Matrix multiply-accumulate operation using wmma instruction").
//
// The ISA leaves the layout open. Here a matrix is counted through, A, C and D row by row and B
// column by column, and lane l has the l-th 32nd of it; where the registers hold more
// (halves of A and B), the elements follow again. It is the same for every type, so element i
// of two accumulators of one shape is the same place, which kernels count on.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cfenv>

#include "emulator/access.h"
#include "emulator/block.h"
#include "emulator/families.h"
#include "emulator/register_tile.h"
#include "emulator/tensor_sum.h"

namespace pitot::emulator {
namespace {

using ptx::Mod;
using ptx::Space;
using ptx::Type;

struct WmmaForm {  // Op::imm
  uint64_t m : 6, n : 6, k : 8;
  uint64_t d : 6, a : 6, b : 6, c : 6;  // ptx::Type; a load or store: `d`
  uint64_t role : 2;                    // TileRole of a load
  uint64_t column : 1;                  // of memory
  uint64_t satfinite : 1, bits_and : 1, rounding : 2;
  uint64_t space : 5;
};
static_assert(sizeof(WmmaForm) == 8);

constexpr int kRoundings[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

WmmaForm form_of(const Op& op) { return std::bit_cast<WmmaForm>(op.imm); }
Type type(uint64_t t) { return static_cast<Type>(t); }

// The layout of one fragment.
struct Layout {
  unsigned rows, columns, own;  // elements of a lane
  bool by_column;
  TilePlace place(unsigned lane, unsigned i) const {
    const unsigned at = lane * own + i % own;
    if (by_column) return {at % rows, at / rows};
    return {at / columns, at % columns};
  }
};

Layout layout_of(const WmmaForm& f, TileRole role) {
  const auto m = static_cast<unsigned>(f.m), n = static_cast<unsigned>(f.n),
             k = static_cast<unsigned>(f.k);
  if (role == TileRole::kA) return {m, k, m * k / kLanes, false};
  if (role == TileRole::kB) return {k, n, k * n / kLanes, true};
  return {m, n, m * n / kLanes, false};
}

unsigned per_register(Type t) { return std::max(1u, 32 / element_bits(t)); }

// One pointer and stride for the warp.
bool uniform(Warp& w, const Op& op, const Access& a, LaneMask mask) {
  LaneMask other = 0;
  for_each_lane(mask, [&](unsigned l) {
    if (a.address[l] != a.address[0]) other |= LaneMask{1} << l;
  });
  if (other == 0) return true;
  w.fault(FaultKind::kIllegal, op, other, a.address[0], "lanes give different matrix addresses");
  return false;
}

// Runs over the memory words of a fragment: `each(access, register, part)`. Elements of less than a
// byte go a register at a time, since their matrices are contiguous along it.
template <class F>
void for_each_word(Warp& w, const Op& op, LaneMask mask, size_t pointer, size_t registers,
                   AccessKind kind, F&& each) {
  if (!whole_warp(w, op, mask)) return;
  const WmmaForm f = form_of(op);
  const Program& p = w.program();
  const Type t = type(f.d);
  const Layout layout = layout_of(f, static_cast<TileRole>(f.role));
  const unsigned bits = element_bits(t), step = bits < 8 ? 32 / bits : 1;
  const bool by_column = f.column != 0;
  Access a;
  a.space = static_cast<Space>(f.space);
  a.kind = kind;
  a.bytes = std::max(1u, bits * step / 8);
  read_addresses(w, op, p.operands_of(op)[pointer], mask, a);
  if (w.stop || !uniform(w, op, a, mask)) return;
  const uint64_t base = a.address[0];
  uint64_t stride = by_column ? layout.rows : layout.columns;
  if (const auto given = p.operand(op, 2); !given.empty())
    stride = static_cast<uint32_t>(w.get(given[0], 0));
  const auto slots = p.operand(op, registers);
  const unsigned per = per_register(t);
  const auto count = static_cast<unsigned>(slots.size()) * per;
  for (unsigned i = 0; i < count; i += step) {
    for (unsigned l = 0; l < kLanes; ++l) {
      const TilePlace at = layout.place(l, i);
      const uint64_t element =
          by_column ? at.column * stride + at.row : at.row * stride + at.column;
      a.address[l] = base + element * bits / 8;
    }
    if (!resolve(w, op, kAllLanes, a)) return;
    each(a, slots[i / per], i % per);
  }
}

void load_fragment(Warp& w, const Op& op, LaneMask mask) {
  const Type t = type(form_of(op).d);
  const unsigned per = per_register(t), bits = 32 / per;
  for_each_word(w, op, mask, 1, 0, AccessKind::kLoad,
                [&](const Access& a, const Slot& s, unsigned part) {
                  w.taint |= a.undefined;
                  for (unsigned l = 0; l < kLanes; ++l) {
                    uint64_t v = 0;
                    std::memcpy(&v, a.at[l], a.bytes);
                    if (part != 0) v = v << (part * bits) | w.get(s, l);
                    w.set(s, l, v);
                  }
                });
}

void store_fragment(Warp& w, const Op& op, LaneMask mask) {
  const Type t = type(form_of(op).d);
  const unsigned per = per_register(t), bits = 32 / per;
  for_each_word(w, op, mask, 0, 1, AccessKind::kStore,
                [&](const Access& a, const Slot& s, unsigned part) {
                  for (unsigned l = 0; l < kLanes; ++l) {
                    const uint64_t v = w.get(s, l) >> (part * bits);
                    std::memcpy(a.at[l], &v, a.bytes);
                  }
                });
}

void gather_fragment(Warp& w, std::span<const Slot> slots, const Layout& layout, Type t,
                     bool integer, Tile& tile) {
  tile.reshape(layout.rows, layout.columns, integer);
  const TileFormat f = packed(t);
  for (unsigned l = 0; l < kLanes; ++l)
    for (unsigned i = 0; i < layout.own; ++i) {
      const TilePlace at = layout.place(l, i);
      const uint64_t raw = element_of(w, slots, f, l, i);
      if (integer) {
        tile.int_at(at.row, at.column) = decode_integer(t, static_cast<uint32_t>(raw));
      } else {
        tile.at(at.row, at.column) = decode_float(t, raw);
      }
    }
}

// Lanes whose elements of D come from an undefined one of A, B or C.
LaneMask undefined_elements(Warp& w, const WmmaForm& f, std::span<const Slot> a,
                            std::span<const Slot> b, std::span<const Slot> c) {
  const LaneMask in_a = undefined_lanes(w, a), in_b = undefined_lanes(w, b);
  LaneMask out = undefined_lanes(w, c);
  if ((in_a | in_b) == 0) return out;
  const Layout la = layout_of(f, TileRole::kA), lb = layout_of(f, TileRole::kB),
               ld = layout_of(f, TileRole::kC);
  std::vector<bool> rows(f.m), columns(f.n);
  for_each_lane(in_a, [&](unsigned l) {
    for (unsigned i = 0; i < la.own; ++i) rows[la.place(l, i).row] = true;
  });
  for_each_lane(in_b, [&](unsigned l) {
    for (unsigned i = 0; i < lb.own; ++i) columns[lb.place(l, i).column] = true;
  });
  for (unsigned l = 0; l < kLanes; ++l)
    for (unsigned i = 0; i < ld.own; ++i) {
      const TilePlace at = ld.place(l, i);
      if (rows[at.row] || columns[at.column]) out |= LaneMask{1} << l;
    }
  return out;
}

// .satfinite of halves, up to PTX 6.4: infinities become the largest number, NaN zero (CUDA C
// Programming Guide 10, "mma_sync", satf).
void saturate(Type t, Tile& z) {
  const double largest =
      decode(t == Type::kF16 ? kF16 : kF32, t == Type::kF16 ? kF16.largest() : kF32.largest());
  for (double& v : z.f) v = v != v ? 0.0 : std::clamp(v, -largest, largest);
}

void multiply(Warp& w, const Op& op, LaneMask mask) {
  if (!whole_warp(w, op, mask)) return;
  const WmmaForm f = form_of(op);
  const Program& p = w.program();
  const Type td = type(f.d);
  const bool integer = td == Type::kS32;
  const auto d = p.operand(op, 0), a = p.operand(op, 1), b = p.operand(op, 2), c = p.operand(op, 3);
  Tile x, y, z;
  const Layout out = layout_of(f, TileRole::kC);
  gather_fragment(w, a, layout_of(f, TileRole::kA), type(f.a), integer, x);
  gather_fragment(w, b, layout_of(f, TileRole::kB), type(f.b), integer, y);
  gather_fragment(w, c, out, type(f.c), integer, z);
  if (type(f.a) == Type::kB1) {
    multiply_bits(x, y, z, z, f.bits_and != 0);
  } else if (integer) {
    multiply_integer(x, y, z, z, f.satfinite != 0);
  } else if (td == Type::kF64) {
    multiply_double(x, y, z, z, kRoundings[f.rounding]);
  } else {
    if (sums_are_known(w)) {
      // With C in f32 the sum is one, also where D is f16.
      const Type sum = type(f.c) == Type::kF32 ? Type::kF32 : td;
      multiply_as(hopper_sum(TensorOperation::kWmma, type(f.a)), type(f.a), type(f.b), sum, x, y, z,
                  z);
    } else {
      multiply_float(x, y, z, z);
    }
    if (f.satfinite != 0) saturate(td, z);
  }
  w.taint |= undefined_elements(w, f, a, b, c);
  const unsigned per = per_register(td), step = element_bits(td);
  for (unsigned r = 0; r < d.size(); ++r)
    for (unsigned l = 0; l < kLanes; ++l) {
      uint64_t word = 0;
      for (unsigned h = 0; h < per; ++h) {
        const TilePlace at = out.place(l, r * per + h);
        word |= encode_element(td, z, at.row, at.column) << (h * step % 64);
      }
      w.set(d[r], l, word);
    }
}

// Whether registers hold a fragment, once or several times over.
bool fits(const Selection& s, size_t operand, const Layout& layout, Type t) {
  if (operand >= s.operands.size()) return false;
  const unsigned held = s.operands[operand].count * per_register(t);
  return held != 0 && held % layout.own == 0;
}

bool select_multiply(Selection& s, WmmaForm& f, const std::vector<Type>& types) {
  if (types.size() == 2) {  // halves name only D and C
    f.a = f.b = static_cast<uint64_t>(Type::kF16);
    f.c = static_cast<uint64_t>(types[1]);
  } else if (types.size() == 4) {
    f.a = static_cast<uint64_t>(types[1]);
    f.b = static_cast<uint64_t>(types[2]);
    f.c = static_cast<uint64_t>(types[3]);
  } else {
    return false;
  }
  f.satfinite = s.has(Mod::kSatfinite);
  f.bits_and = s.has(Mod::kAnd);
  f.rounding = s.has(Mod::kRz) ? 1 : s.has(Mod::kRm) ? 2 : s.has(Mod::kRp) ? 3 : 0;
  s.op.run = multiply;
  return s.operands.size() == 4 && fits(s, 0, layout_of(f, TileRole::kC), type(f.d)) &&
         fits(s, 1, layout_of(f, TileRole::kA), type(f.a)) &&
         fits(s, 2, layout_of(f, TileRole::kB), type(f.b)) &&
         fits(s, 3, layout_of(f, TileRole::kC), type(f.c));
}

}  // namespace

bool select_wmma(Selection& s) {
  if (s.opcode.mnemonic != ptx::Mnemonic::kWmma) return false;
  unsigned m = 0, n = 0, k = 0;
  if (!shape_of(s.opcode, m, n, k) || k == 0) return false;
  std::vector<Type> types;
  WmmaForm f{};
  for (ptx::ModId id : s.opcode.modifiers) {
    if (ptx::mod_type(id) != Type::kNone) types.push_back(ptx::mod_type(id));
    if (static_cast<Mod>(id) == Mod::kCol) f.column = 1;
  }
  if (types.empty()) return false;
  f.m = m;
  f.n = n;
  f.k = k;
  f.d = static_cast<uint64_t>(types[0]);
  s.op.flow = Flow::kConvergent;
  s.op.variant = kWholeWarp;
  bool covered = false;
  if (s.has(Mod::kMma)) {
    covered = select_multiply(s, f, types);
  } else {
    const TileRole role = s.has(Mod::kA)   ? TileRole::kA
                          : s.has(Mod::kB) ? TileRole::kB
                                           : TileRole::kC;
    f.role = static_cast<uint64_t>(role);
    f.space = static_cast<uint64_t>(s.opcode.space);
    const bool is_load = s.has(Mod::kLoad);
    s.op.run = is_load ? load_fragment : store_fragment;
    covered = fits(s, is_load ? 0 : 1, layout_of(f, role), types[0]);
  }
  s.op.imm = std::bit_cast<int64_t>(f);
  return covered;
}

}  // namespace pitot::emulator
