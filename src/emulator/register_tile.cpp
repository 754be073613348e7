#include "emulator/register_tile.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "emulator/block.h"

namespace pitot::emulator {

TilePlace place_of(TileRole role, unsigned rows, unsigned per, unsigned lane, unsigned element) {
  const unsigned group = lane >> 2, thread = lane & 3;
  const unsigned reg = element / per, in = element % per;
  switch (role) {
    case TileRole::kA:
      if (rows == 8) return {group, thread * per + in + reg * 4 * per};
      return {group + 8 * (reg & 1), thread * per + in + (reg >> 1) * 4 * per};
    case TileRole::kB:
      return {thread * per + in + reg * 4 * per, group};
    default:
      // Accumulators come in pairs of neighbours, packed or not, in blocks of eight columns.
      return {group + 8 * ((element >> 1) & 1), (element >> 2) * 8 + thread * 2 + (element & 1)};
  }
}

TileFormat packed(ptx::Type t) { return {t, element_bits(t), 0}; }

uint64_t element_of(Warp& w, std::span<const Slot> slots, const TileFormat& f, unsigned lane,
                    unsigned e) {
  if (f.step == 64) return w.u64(slots[e].at)[lane];
  const unsigned per = 32 / f.step;
  const uint32_t word = w.u32(slots[e / per].at)[lane] >> ((e % per) * f.step + f.shift);
  const unsigned bits = element_bits(f.type);
  return bits == 32 ? word : word & ((1u << bits) - 1);
}

void gather(Warp& w, std::span<const Slot> slots, TileRole role, const TileFormat& f, Tile& tile) {
  const unsigned per = f.step >= 32 ? 1 : 32 / f.step;
  const auto count = static_cast<unsigned>(slots.size()) * per;
  const bool integer = is_integer_element(f.type);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned e = 0; e < count; ++e) {
      const TilePlace p = place_of(role, tile.rows, per, lane, e);
      const uint64_t bits = element_of(w, slots, f, lane, e);
      if (integer) {
        tile.int_at(p.row, p.column) = decode_integer(f.type, static_cast<uint32_t>(bits));
      } else {
        tile.at(p.row, p.column) = decode_float(f.type, bits);
      }
    }
}

uint64_t encode_element(ptx::Type t, const Tile& tile, unsigned row, unsigned column) {
  if (t == ptx::Type::kS32) return static_cast<uint32_t>(tile.int_at(row, column));
  const double v = tile.at(row, column);
  return t == ptx::Type::kF64 ? std::bit_cast<uint64_t>(v) : encode_float(t, v);
}

void scatter(Warp& w, std::span<const Slot> slots, const TileFormat& f, const Tile& tile) {
  const unsigned per = f.step >= 32 ? 1 : 32 / f.step;
  for (unsigned r = 0; r < slots.size(); ++r) {
    if (slots[r].sink) continue;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      uint64_t word = 0;
      for (unsigned h = 0; h < per; ++h) {
        const TilePlace p = place_of(TileRole::kC, tile.rows, per, lane, r * per + h);
        word |= encode_element(f.type, tile, p.row, p.column) << (h * f.step % 64);
      }
      w.set(slots[r], lane, word);
    }
  }
}

LaneMask undefined_lanes(Warp& w, std::span<const Slot> slots) {
  if (!w.block.checks().uninitialised) return 0;
  LaneMask out = 0;
  for (const Slot& s : slots)
    if (s.reg != UINT32_MAX) out |= w.frame->undefined[s.reg];
  return out;
}

LaneMask undefined_results(Warp& w, std::span<const Slot> a, std::span<const Slot> b,
                           std::span<const Slot> c) {
  const LaneMask in_a = undefined_lanes(w, a), in_b = undefined_lanes(w, b);
  LaneMask out = undefined_lanes(w, c);
  for_each_lane(in_a, [&](unsigned lane) { out |= LaneMask{15} << (lane & ~3u); });
  // Lane l holds column l/4 of B; columns 2t and 2t+1 of D belong to the lanes with l%4 = t.
  for_each_lane(in_b, [&](unsigned lane) { out |= LaneMask{0x11111111} << (lane >> 3); });
  return out;
}

bool whole_warp(Warp& w, const Op& op, LaneMask mask) {
  if (mask == kAllLanes) return true;
  w.fault(FaultKind::kMemberMask, op, mask, 0,
          fmt::format("'{}' needs all 32 lanes of the warp, but only lanes {:#010x} are there",
                      w.program().instruction(op).opcode->text, mask));
  return false;
}

bool shape_of(const ptx::Opcode& opcode, unsigned& m, unsigned& n, unsigned& k) {
  for (ptx::ModId id : opcode.modifiers) {
    const std::string_view s = ptx::mod_name(id);
    const char *p = s.data(), *end = p + s.size();
    auto number = [&](char letter, unsigned& v) {
      if (p == end || *p != letter) return false;
      const auto r = std::from_chars(p + 1, end, v);
      if (r.ec != std::errc{}) return false;
      p = r.ptr;
      return true;
    };
    k = 0;
    if (number('m', m) && number('n', n) && (p == end || (number('k', k) && p == end))) return true;
  }
  return false;
}

}  // namespace pitot::emulator
