// wgmma: matrix products of four warps, B and maybe A in shared memory (PTX ISA, "Asynchronous
// Warpgroup Level Matrix Multiply-Accumulate Instructions").
//
// Each warp computes its own 16 of the 64 rows when it comes to the instruction. The hardware may
// do so at any time up to the wait; a kernel whose result depends on when is wrong, and
// wgmma.commit_group and wait_group have nothing left to do. The numeric model is in tile.h.
#include <bit>

#include "emulator/block.h"
#include "emulator/families.h"
#include "emulator/register_tile.h"
#include "emulator/shared_matrix.h"
#include "emulator/tensor_sum.h"

namespace pitot::emulator {
namespace {

using ptx::Mod;
using ptx::Type;

struct WgmmaForm {  // Op::imm
  uint64_t n : 9, k : 9;
  uint64_t d : 6, a : 6, b : 6;  // ptx::Type
  uint64_t satfinite : 1, a_in_registers : 1;
};

void only_together(Warp& w, const Op& op, LaneMask mask) { whole_warp(w, op, mask); }

// A descriptor or an immediate is one value for the warp.
uint64_t uniform(Warp& w, std::span<const Slot> slots) { return w.get(slots[0], 0); }

bool descriptor(Warp& w, const Op& op, size_t operand, bool mn_major, SharedMatrix& m) {
  const auto slots = w.program().operand(op, operand);
  const uint64_t d = uniform(w, slots);
  LaneMask other = 0;
  for (unsigned l = 1; l < kLanes; ++l)
    if (w.get(slots[0], l) != d) other |= LaneMask{1} << l;
  if (other != 0) {
    w.fault(FaultKind::kIllegal, op, other, d, "lanes give different matrix descriptors");
    return false;
  }
  if (const LaneMask bad = undefined_lanes(w, slots); bad != 0) {
    w.fault(FaultKind::kUninitialised, op, bad, 0,
            "the matrix descriptor comes from a value that nothing wrote");
    return false;
  }
  std::string problem;
  if (!parse_descriptor(w, d, DescriptorKind::kWarpgroup, m, problem)) {
    w.fault(FaultKind::kUncovered, op, kAllLanes, d, std::move(problem));
    return false;
  }
  m.mn_major = mn_major;
  return true;
}

void negate(Tile& t) {
  for (double& v : t.f) v = -v;
}

void mma_async(Warp& w, const Op& op, LaneMask mask) {
  if (!whole_warp(w, op, mask)) return;
  const auto f = std::bit_cast<WgmmaForm>(op.imm);
  const Program& p = w.program();
  if (w.index / 4 * 4 + 4 > w.block.warps().size()) {
    w.fault(FaultKind::kIllegal, op, mask, 0, "the warp is not one of a group of four");
    return;
  }
  const Type ta = static_cast<Type>(f.a), tb = static_cast<Type>(f.b), td = static_cast<Type>(f.d);
  const bool integer = td == Type::kS32;
  // Operands after the scale of D: scales of A and B, then transpositions (only of what is in
  // shared memory); integers have none.
  auto flag = [&](size_t n) {
    const auto slots = p.operand(op, n);
    return slots.empty() ? int64_t{0} : static_cast<int32_t>(uniform(w, slots));
  };
  const bool in_registers = f.a_in_registers != 0;
  const bool a_mn = !in_registers && flag(6) == 1, b_mn = flag(in_registers ? 6 : 7) == 1;
  const auto d = p.operand(op, 0);
  const bool accumulate = uniform(w, p.operand(op, 3)) != 0;
  Tile a, b, c;
  std::vector<bool> bad_rows(16), bad_columns;
  if (in_registers) {
    a.reshape(16, f.k, integer);
    gather(w, p.operand(op, 1), TileRole::kA, packed(ta), a);
    for_each_lane(undefined_lanes(w, p.operand(op, 1)),
                  [&](unsigned l) { bad_rows[l >> 2] = bad_rows[(l >> 2) + 8] = true; });
  } else {
    SharedMatrix m;
    if (!descriptor(w, op, 1, a_mn, m) ||
        !load_matrix(w, op, m, ta, w.index % 4 * 16, 16, f.k, true, a, bad_rows))
      return;
  }
  SharedMatrix m;
  if (!descriptor(w, op, 2, b_mn, m) ||
      !load_matrix(w, op, m, tb, 0, f.n, f.k, false, b, bad_columns))
    return;
  if (flag(4) == -1) negate(a);
  if (flag(5) == -1) negate(b);
  c.reshape(16, f.n, integer);
  if (accumulate) {
    gather(w, d, TileRole::kC, packed(td), c);
  } else {
    // D is not read then, whatever the instruction table says of it.
    for (const Slot& s : d)
      if (s.reg != UINT32_MAX) w.frame->undefined[s.reg] &= ~mask;
  }
  if (ta == Type::kB1) {
    multiply_integer(a, b, c, c, false);  // and, popc: products of 0 and 1
  } else if (integer) {
    multiply_integer(a, b, c, c, f.satfinite != 0);
  } else if (sums_are_known(w)) {
    multiply_as(hopper_sum(TensorOperation::kWgmma, ta), ta, tb, td, a, b, c, c);
  } else {
    multiply_float(a, b, c, c);
  }
  for (unsigned l = 0; l < kLanes; ++l) {
    bool bad = bad_rows[l >> 2] || bad_rows[(l >> 2) + 8];
    for (unsigned n = (l & 3) * 2; n < f.n; n += 8)
      bad = bad || bad_columns[n] || bad_columns[n + 1];
    if (bad) w.taint |= LaneMask{1} << l;
  }
  scatter(w, d, packed(td), c);
}

}  // namespace

bool select_wgmma(Selection& s) {
  if (s.opcode.mnemonic != ptx::Mnemonic::kWgmma) return false;
  s.op.flow = Flow::kConvergent;
  s.op.variant = kWholeWarp;
  if (s.has(Mod::kFence) || s.has(Mod::kCommitGroup) || s.has(Mod::kWaitGroup)) {
    s.op.run = only_together;
    return true;
  }
  unsigned m = 0, n = 0, k = 0;
  if (!s.has(Mod::kMmaAsync) || s.has(Mod::kSp) || !shape_of(s.opcode, m, n, k) || m != 64 ||
      s.operands.size() < 4)
    return false;
  std::vector<Type> types;
  for (ptx::ModId id : s.opcode.modifiers)
    if (ptx::mod_type(id) != Type::kNone) types.push_back(ptx::mod_type(id));
  if (types.size() != 3) return false;
  WgmmaForm f{};
  f.n = n;
  f.k = k;
  f.d = static_cast<uint64_t>(types[0]);
  f.a = static_cast<uint64_t>(types[1]);
  f.b = static_cast<uint64_t>(types[2]);
  f.satfinite = s.has(Mod::kSatfinite);
  f.a_in_registers = s.operands[1].kind == ptx::OperandKind::kVector;
  // 32 bytes of K, and a D that the registers hold exactly.
  if (k * element_bits(types[1]) != 256 ||
      s.operands[0].count * 32 * 32 != 16 * n * element_bits(types[0]) ||
      (f.a_in_registers != 0 && s.operands[1].count != 4))
    return false;
  s.op.imm = std::bit_cast<int64_t>(f);
  s.op.run = mma_async;
  return true;
}

}  // namespace pitot::emulator
