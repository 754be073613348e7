// ldmatrix and stmatrix with elements of 8 bits and less (PTX ISA, "ldmatrix", "stmatrix").
//
// A row in memory has 16 elements in 16 bytes: bytes, or b6x16_p32 (16 · 6 bits, then 32 of
// padding) and b4x16_p64 (16 · 4 bits, then 64 of padding), which a load spreads out to bytes with
// the element in the low bits. With g = lane / 4 and q = lane % 4 register byte e is
//   ldmatrix .m8n16          register i: matrix i, row g, element 4q + e
//   ldmatrix .m16n16.trans   register 2i + h: matrix i, row 4q + e, element g + 8h
//   stmatrix .m16n8.trans    register i: matrix i, row 2q + e%2, element g + 8·(e/2)
#include <array>

#include "emulator/families.h"
#include "emulator/matrix_rows.h"
#include "emulator/register_tile.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Space;
using ptx::Type;

// Op::imm: bits of an element in memory, and
enum : int64_t { kBits = 15, kGeneric = 16, kWide = 32 };

struct ByteRow {
  std::array<uint8_t, 16> element;
  uint16_t undefined = 0;  // bit an element
};

ByteRow read_row(const std::byte* at, unsigned bits, uint32_t undefined_bytes) {
  std::array<uint8_t, 17> raw{};
  std::memcpy(raw.data(), at, 16);
  ByteRow row;
  for (unsigned k = 0; k < 16; ++k) {
    const unsigned first = k * bits / 8, last = (k * bits + bits - 1) / 8;
    const unsigned word = raw[first] | unsigned{raw[first + 1]} << 8;
    row.element[k] = static_cast<uint8_t>(word >> (k * bits % 8) & ((1u << bits) - 1));
    if ((undefined_bytes >> first & 1) != 0 || (undefined_bytes >> last & 1) != 0)
      row.undefined |= static_cast<uint16_t>(1u << k);
  }
  return row;
}

void load_bytes(Warp& w, const Op& op, LaneMask mask) {
  if (!whole_warp(w, op, mask)) return;
  const auto d = w.program().operand(op, 0);
  const bool wide = (op.imm & kWide) != 0;  // 16 rows a matrix, two registers
  const auto rows = static_cast<unsigned>(8 * d.size());
  Access a;
  if (!matrix_rows(w, op, 1, rows, (op.imm & kGeneric) != 0, AccessKind::kLoad, a)) return;
  std::array<ByteRow, kLanes> row;
  for (unsigned r = 0; r < rows; ++r)
    row[r] = read_row(a.at[r], static_cast<unsigned>(op.imm & kBits),
                      (a.undefined >> r & 1) != 0 ? a.undefined_bytes[r] : 0);
  for (unsigned i = 0; i < d.size(); ++i) {
    for (unsigned l = 0; l < kLanes; ++l) {
      const unsigned g = l >> 2, q = l & 3;
      uint32_t word = 0;
      for (unsigned e = 0; e < 4; ++e) {
        const ByteRow& from = wide ? row[i / 2 * 16 + 4 * q + e] : row[8 * i + g];
        const unsigned k = wide ? g + 8 * (i & 1) : 4 * q + e;
        word |= uint32_t{from.element[k]} << (8 * e);
        if ((from.undefined >> k & 1) != 0) w.taint |= LaneMask{1} << l;
      }
      if (!d[i].sink) w.u32(d[i].at)[l] = word;
    }
  }
}

void store_bytes(Warp& w, const Op& op, LaneMask mask) {
  if (!whole_warp(w, op, mask)) return;
  const auto s = w.program().operand(op, 1);
  std::array<std::array<std::byte, 16>, kLanes> row;
  std::array<const std::byte*, kLanes> from{};
  auto for_each_byte = [&](auto&& f) {  // f(register, lane, byte of it, row, byte of the row)
    for (unsigned i = 0; i < s.size(); ++i)
      for (unsigned l = 0; l < kLanes; ++l)
        for (unsigned e = 0; e < 4; ++e)
          f(i, l, e, 8 * i + 2 * (l & 3) + (e & 1), (l >> 2) + 8 * (e >> 1));
  };
  for_each_byte([&](unsigned i, unsigned l, unsigned e, unsigned r, unsigned k) {
    row[r][k] = static_cast<std::byte>(w.u32(s[i].at)[l] >> (8 * e) & 0xff);
  });
  const auto rows = static_cast<unsigned>(8 * s.size());
  for (unsigned r = 0; r < rows; ++r) from[r] = row[r].data();
  Access a;
  a.rows = from.data();
  if (!matrix_rows(w, op, 0, rows, (op.imm & kGeneric) != 0, AccessKind::kStore, a)) return;
  for (unsigned r = 0; r < rows; ++r) std::memcpy(a.at[r], row[r].data(), 16);
  if (undefined_lanes(w, s) == 0) return;
  for_each_byte([&](unsigned i, unsigned l, unsigned, unsigned r, unsigned k) {
    if ((undefined_lanes(w, s.subspan(i, 1)) >> l & 1) != 0) undefine(w, a, r, k, 1);
  });
}

}  // namespace

bool select_matrix_bytes(Selection& s) {
  const bool is_load = s.opcode.mnemonic == Mnemonic::kLdmatrix;
  if ((!is_load && s.opcode.mnemonic != Mnemonic::kStmatrix) || s.operands.size() != 2)
    return false;
  const bool narrow = s.has(Mod::kB6x16P32) || s.has(Mod::kB4x16P64);
  if (!narrow && s.opcode.type != Type::kB8) return false;
  s.op.imm = s.has(Mod::kB6x16P32) ? 6 : s.has(Mod::kB4x16P64) ? 4 : 8;
  if (s.opcode.space == Space::kNone) s.op.imm |= kGeneric;
  if (s.has(Mod::kM16n16)) {
    s.op.imm |= kWide;
  } else if (!s.has(is_load ? Mod::kM8n16 : Mod::kM16n8)) {
    return false;
  }
  if (s.operands[is_load ? 0 : 1].count > 4) return false;
  s.op.flow = Flow::kConvergent;
  s.op.variant = kWholeWarp;
  s.op.run = is_load ? load_bytes : store_bytes;
  return true;
}

}  // namespace pitot::emulator
