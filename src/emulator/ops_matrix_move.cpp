// ldmatrix, stmatrix, movmatrix: 8×8 matrices of 16-bit elements between shared memory and the
// registers of a warp (PTX ISA, "ldmatrix", "stmatrix", "movmatrix"). Smaller elements are in
// ops_matrix_bytes.cpp.
#include <fmt/format.h>

#include <array>

#include "emulator/access.h"
#include "emulator/block.h"
#include "emulator/families.h"
#include "emulator/matrix_rows.h"
#include "emulator/register_tile.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Space;

using Matrix = std::array<std::array<uint16_t, 8>, 8>;

// Op::imm.
enum : int64_t { kTransposed = 1, kGeneric = 2 };

// Eight rows a matrix, row r of matrix i at the address of lane 8i + r.
bool rows(Warp& w, const Op& op, size_t operand, size_t matrices, AccessKind kind, Access& a) {
  return matrix_rows(w, op, operand, static_cast<unsigned>(8 * matrices), (op.imm & kGeneric) != 0,
                     kind, a);
}

// The word of a lane: elements 2t, 2t+1 of row g, or transposed of column g.
uint32_t fragment_word(const Matrix& m, unsigned lane, bool t) {
  const unsigned g = lane >> 2, c = (lane & 3) * 2;
  const uint16_t low = t ? m[c][g] : m[g][c], high = t ? m[c + 1][g] : m[g][c + 1];
  return low | uint32_t{high} << 16;
}

// Lanes that receive something of row r.
LaneMask lanes_of_row(unsigned r, bool transposed) {
  return transposed ? LaneMask{0x11111111} << (r / 2) : LaneMask{15} << (4 * r);
}

void load_matrix(Warp& w, const Op& op, LaneMask mask) {
  if (!whole_warp(w, op, mask)) return;
  const auto d = w.program().operand(op, 0);
  Access a;
  if (!rows(w, op, 1, d.size(), AccessKind::kLoad, a)) return;
  const bool t = (op.imm & kTransposed) != 0;
  for_each_lane(a.undefined, [&](unsigned l) { w.taint |= lanes_of_row(l % 8, t); });
  for (unsigned i = 0; i < d.size(); ++i) {
    if (d[i].sink) continue;
    Matrix m;
    for (unsigned r = 0; r < 8; ++r) std::memcpy(m[r].data(), a.at[8 * i + r], 16);
    uint32_t* out = w.u32(d[i].at);
    for (unsigned l = 0; l < kLanes; ++l) out[l] = fragment_word(m, l, t);
  }
}

// The matrix that a register of the warp holds.
Matrix matrix_of(const uint32_t* in, bool t) {
  Matrix m;
  for (unsigned l = 0; l < kLanes; ++l) {
    const unsigned g = l >> 2, c = (l & 3) * 2;
    (t ? m[c][g] : m[g][c]) = static_cast<uint16_t>(in[l]);
    (t ? m[c + 1][g] : m[g][c + 1]) = static_cast<uint16_t>(in[l] >> 16);
  }
  return m;
}

void store_matrix(Warp& w, const Op& op, LaneMask mask) {
  if (!whole_warp(w, op, mask)) return;
  const auto s = w.program().operand(op, 1);
  const bool t = (op.imm & kTransposed) != 0;
  std::array<Matrix, 4> m;
  std::array<const std::byte*, kLanes> from{};
  for (unsigned i = 0; i < s.size(); ++i) {
    m[i] = matrix_of(w.u32(s[i].at), t);
    for (unsigned r = 0; r < 8; ++r) from[8 * i + r] = reinterpret_cast<std::byte*>(m[i][r].data());
  }
  Access a;
  a.rows = from.data();
  if (!rows(w, op, 0, s.size(), AccessKind::kStore, a)) return;
  for (unsigned i = 0; i < s.size(); ++i) {
    for (unsigned r = 0; r < 8; ++r) std::memcpy(a.at[8 * i + r], m[i][r].data(), 16);
    for_each_lane(undefined_lanes(w, s.subspan(i, 1)), [&](unsigned l) {
      const unsigned g = l >> 2, c = (l & 3) * 2;
      if (!t) {
        undefine(w, a, 8 * i + g, 2 * c, 4);
      } else {
        for (unsigned e = 0; e < 2; ++e) undefine(w, a, 8 * i + c + e, 2 * g, 2);
      }
    });
  }
}

void move_matrix(Warp& w, const Op& op, LaneMask mask) {
  if (!whole_warp(w, op, mask)) return;
  const auto m = matrix_of(w.u32(op.a), true);
  for_each_lane(undefined_lanes(w, w.program().operand(op, 1)),
                [&](unsigned l) { w.taint |= lanes_of_row(l >> 2, true); });
  uint32_t* out = w.u32(op.d);
  for (unsigned l = 0; l < kLanes; ++l) out[l] = fragment_word(m, l, false);
}

}  // namespace

bool matrix_rows(Warp& w, const Op& op, size_t operand, unsigned rows, bool generic,
                 AccessKind kind, Access& a) {
  const LaneMask lanes = mask_of_first(rows);
  a.space = generic ? Space::kNone : Space::kShared;
  a.kind = kind;
  a.bytes = 16;
  read_addresses(w, op, w.program().operands_of(op)[operand], lanes, a);
  if (generic) {
    LaneMask outside = 0;
    for_each_lane(lanes, [&](unsigned l) {
      if (space_of(a.address[l]) != Space::kShared) outside |= LaneMask{1} << l;
    });
    if (outside != 0) {
      const unsigned l = static_cast<unsigned>(std::countr_zero(outside));
      w.fault(FaultKind::kIllegal, op, outside, a.address[l],
              fmt::format("the matrix row at {:#x} is not in shared memory", a.address[l]));
      return false;
    }
  }
  return resolve(w, op, lanes, a);
}

bool select_matrix_move(Selection& s) {
  const bool load = s.opcode.mnemonic == Mnemonic::kLdmatrix;
  const bool move = s.opcode.mnemonic == Mnemonic::kMovmatrix;
  if (!load && !move && s.opcode.mnemonic != Mnemonic::kStmatrix) return false;
  if (!s.has(Mod::kM8n8) || s.opcode.type != ptx::Type::kB16 || s.operands.size() != 2)
    return false;
  s.op.flow = Flow::kConvergent;
  s.op.variant = kWholeWarp;
  s.op.imm = 0;
  if (s.has(Mod::kTrans)) s.op.imm |= kTransposed;
  if (s.opcode.space == Space::kNone) s.op.imm |= kGeneric;
  s.op.run = move ? move_matrix : load ? load_matrix : store_matrix;
  return true;
}

}  // namespace pitot::emulator
