#include "emulator/register_tile.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "emulator/block.h"

namespace pitot::emulator {

TileFormat packed(ptx::Type t) { return {t, element_bits(t), 0}; }

uint64_t element_of(Warp& w, std::span<const Slot> slots, const TileFormat& f, unsigned lane,
                    unsigned e) {
  if (f.step == 64) return w.u64(slots[e].at)[lane];
  const unsigned per = 32 / f.step;
  const uint32_t word = w.u32(slots[e / per].at)[lane] >> ((e % per) * f.step + f.shift);
  const unsigned bits = element_bits(f.type);
  return bits == 32 ? word : word & ((1u << bits) - 1);
}

namespace {

// `put(place, bits)` for every element of the registers.
template <class F>
void for_each_element(Warp& w, std::span<const Slot> slots, TileRole role, const TileFormat& f,
                      unsigned rows, F&& put) {
  const unsigned per = f.step >= 32 ? 1 : 32 / f.step, bits = element_bits(f.type);
  const uint32_t mask = bits >= 32 ? UINT32_MAX : (1u << bits) - 1;
  for (unsigned r = 0; r < slots.size(); ++r)
    for (unsigned h = 0; h < per; ++h) {
      const unsigned shift = f.step >= 32 ? 0 : h * f.step + f.shift, e = r * per + h;
      if (f.step == 64) {
        const uint64_t* in = w.u64(slots[r].at);
        for (unsigned l = 0; l < kLanes; ++l) put(place_of(role, rows, per, l, e), in[l]);
        continue;
      }
      const uint32_t* in = w.u32(slots[r].at);
      for (unsigned l = 0; l < kLanes; ++l)
        put(place_of(role, rows, per, l, e), uint64_t{in[l] >> shift & mask});
    }
}

}  // namespace

void gather(Warp& w, std::span<const Slot> slots, TileRole role, const TileFormat& f, Tile& tile) {
  auto floats = [&](auto decode) {
    for_each_element(w, slots, role, f, tile.rows,
                     [&](TilePlace p, uint64_t bits) { tile.at(p.row, p.column) = decode(bits); });
  };
  auto integers = [&](auto decode) {
    for_each_element(w, slots, role, f, tile.rows, [&](TilePlace p, uint64_t bits) {
      tile.int_at(p.row, p.column) = decode(static_cast<uint32_t>(bits));
    });
  };
  using ptx::Type;
  // The type is told apart once a register, not once an element.
  switch (f.type) {
    case Type::kF16:
      return floats([](uint64_t b) { return decode_float(Type::kF16, b); });
    case Type::kBf16:
      return floats([](uint64_t b) { return decode_float(Type::kBf16, b); });
    case Type::kTf32:
      return floats([](uint64_t b) { return decode_float(Type::kTf32, b); });
    case Type::kF32:
      return floats([](uint64_t b) { return decode_float(Type::kF32, b); });
    case Type::kS8:
      return integers([](uint32_t b) { return decode_integer(Type::kS8, b); });
    case Type::kU8:
      return integers([](uint32_t b) { return decode_integer(Type::kU8, b); });
    case Type::kS32:
      return integers([](uint32_t b) { return decode_integer(Type::kS32, b); });
    default:
      if (is_integer_element(f.type)) {
        integers([&](uint32_t b) { return decode_integer(f.type, b); });
      } else {
        floats([&](uint64_t b) { return decode_float(f.type, b); });
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
