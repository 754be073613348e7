// Shadows of memory: loads, stores, matrices in shared memory, atomic sums.
#include <algorithm>
#include <bit>

#include "emulator/access.h"
#include "emulator/block.h"
#include "emulator/gang.h"
#include "emulator/shadow.h"

namespace pitot::emulator {
namespace {

using ptx::Mod;
using ptx::Space;
using ptx::Type;

constexpr uint64_t kSharedKey = uint64_t{1} << 63, kLocalKey = uint64_t{1} << 62;

Space space_at(Space space, uint64_t& address) {
  Space s = ptx::base_space(space);
  if (s != Space::kNone) return s;
  s = space_of(address);
  if (s == Space::kShared) address -= kSharedWindow;
  if (s == Space::kLocal) address -= kLocalWindow;
  return s;
}

}  // namespace

// One number a byte of memory, whoever looks at it through which window.
Shadow::Place Shadow::place(Warp& w, Space space, unsigned lane, uint64_t address) const {
  switch (space_at(space, address)) {
    case Space::kGlobal:
    case Space::kConst:
      return {address, true};
    case Space::kShared: {
      const Block* owner = w.block.gang().shared_owner(w.block, address);
      if (owner == nullptr) return {};
      return {kSharedKey | owner->linear() << 24 | address, true};
    }
    case Space::kLocal:
      return {kLocalKey | ((w.block.linear() * 32 + w.index) * kLanes + lane) << 20 | address,
              true};
    default:
      return {};
  }
}

void Shadow::address(Warp& w, const Op& op, const OperandPlace& operand, LaneMask mask,
                     Space space) {
  Access a;
  read_addresses(w, op, operand, mask, a);
  address_ = a.address;
  for_each_lane(mask, [&](unsigned l) { place_[l] = place(w, space, l, a.address[l]); });
}

void Shadow::remember(Warp& w, const Slot& slot, unsigned lane, unsigned bytes, const Place& at) {
  if (!at.known || slot.bits != 8 * bytes) return;
  const Cell* c = cell(w, slot, lane);
  if (c == nullptr) return;
  const unsigned width = c->width[lane];
  for (unsigned i = 0; i < 2; ++i) {
    if ((c->has[lane] >> i & 1) == 0) continue;
    const uint64_t part = c->bits[lane] >> (8 * width * i);
    memory_[at.key + i * width] = {width >= 8 ? part : part & ((uint64_t{1} << (8 * width)) - 1),
                                   c->part[i][lane], static_cast<uint8_t>(width)};
  }
}

void Shadow::recall(Warp& w, const Slot& slot, unsigned lane, unsigned bytes, const Place& at) {
  if (!at.known || slot.bits != 8 * bytes || slot.sink) return;
  const uint64_t actual = w.get(slot, lane);
  for (unsigned width : {bytes, bytes / 2}) {
    if (width < 2) break;
    bool some = false;
    for (unsigned i = 0; i < bytes / width; ++i) {
      const auto it = memory_.find(at.key + i * width);
      if (it == memory_.end() || it->second.bytes != width) continue;
      uint64_t part = actual >> (8 * width * i);
      if (width < 8) part &= (uint64_t{1} << (8 * width)) - 1;
      if (it->second.bits != part) continue;
      write(slot, lane, i * width, width, it->second.value);
      some = true;
    }
    if (some) return;
  }
}

void Shadow::loaded(Warp& w, const Op& op, const ptx::Opcode& o, LaneMask mask) {
  const unsigned bytes = ptx::bytes_of(o.type);
  const auto slots = program_.operand(op, 0);
  if (memory_.empty() || bytes > 8) return;
  for_each_lane(mask, [&](unsigned l) {
    for (unsigned e = 0; e < slots.size(); ++e)
      recall(w, slots[e], l, bytes, {place_[l].key + e * bytes, place_[l].known});
  });
}

void Shadow::stored(Warp& w, const Op& op, const ptx::Opcode& o, LaneMask mask) {
  const unsigned bytes = ptx::bytes_of(o.type);
  const auto slots = program_.operand(op, 1);
  for_each_lane(mask, [&](unsigned l) {
    for (unsigned e = 0; e < slots.size(); ++e)
      remember(w, slots[e], l, bytes, {place_[l].key + e * bytes, place_[l].known});
  });
}

// Matrix i has its rows at the addresses of lanes 8i … 8i+7; lane l holds elements 2(l%4) and the
// next of row l/4, or of column l/4 when transposed (PTX ISA, "ldmatrix").
void Shadow::loaded_matrix(Warp& w, const Op& op, const ptx::Opcode& o) {
  const auto slots = program_.operand(op, 0);
  if (memory_.empty() || o.type != Type::kB16) return;
  for (unsigned i = 0; i < slots.size(); ++i)
    for (unsigned l = 0; l < kLanes; ++l) {
      if (!o.has_mod(Mod::kTrans)) {
        const Place& row = place_[8 * i + (l >> 2)];
        recall(w, slots[i], l, 4, {row.key + 4 * (l & 3), row.known});
        continue;
      }
      for (unsigned e = 0; e < 2; ++e) {
        const Place& row = place_[8 * i + (l & 3) * 2 + e];
        const auto it = memory_.find(row.key + 2 * (l >> 2));
        if (!row.known || it == memory_.end() || it->second.bytes != 2) continue;
        if (it->second.bits == ((w.get(slots[i], l) >> (16 * e)) & 0xffff))
          write(slots[i], l, 2 * e, 2, it->second.value);
      }
    }
}

void Shadow::stored_matrix(Warp& w, const Op& op, const ptx::Opcode& o) {
  const auto slots = program_.operand(op, 1);
  if (o.type != Type::kB16) return;
  for (unsigned i = 0; i < slots.size(); ++i)
    for (unsigned l = 0; l < kLanes; ++l) {
      if (!o.has_mod(Mod::kTrans)) {
        const Place& row = place_[8 * i + (l >> 2)];
        remember(w, slots[i], l, 4, {row.key + 4 * (l & 3), row.known});
        continue;
      }
      const Cell* c = cell(w, slots[i], l);
      if (c == nullptr || c->width[l] != 2) continue;
      for (unsigned e = 0; e < 2; ++e) {
        const Place& row = place_[8 * i + (l & 3) * 2 + e];
        if ((c->has[l] >> e & 1) != 0 && row.known)
          memory_[row.key + 2 * (l >> 2)] = {(c->bits[l] >> (16 * e)) & 0xffff, c->part[e][l], 2};
      }
    }
}

uint64_t Shadow::peek(Warp& w, unsigned lane, Space space, unsigned bytes) const {
  uint64_t v = 0, address = address_[lane];
  if (space_at(space, address) == Space::kShared) {
    Block* owner = w.block.gang().shared_owner(w.block, address);
    if (owner != nullptr && address + bytes <= owner->shared().size())
      std::memcpy(&v, owner->shared().data() + address, bytes);
  } else if (!w.block.memory().read(address,
                                    std::as_writable_bytes(std::span(&v, 1)).first(bytes))) {
    v = 0;
  }
  return v;
}

// Atomic sums of f32 and f64: the lanes one after the other.
void Shadow::reduce(Warp& w, const Op& op, const ptx::Opcode& o, LaneMask mask) {
  sums_.clear();
  const size_t at = o.has(ptx::kAtomic) ? 1 : 0;
  address(w, op, program_.operands_of(op)[at], mask, o.space);
  const bool is_float = ptx::kind_of(o.type) == ptx::TypeKind::kFloat;
  if (!is_float) return;
  if (!o.has_mod(Mod::kAdd) || o.vector != 1 || (o.type != Type::kF32 && o.type != Type::kF64))
    return not_followed(o);
  const unsigned bytes = ptx::bytes_of(o.type);
  const Slot& source = program_.operand(op, at + 1)[0];
  for_each_lane(mask, [&](unsigned l) {
    if (!place_[l].known) return;
    auto it = std::find_if(sums_.begin(), sums_.end(),
                           [&](const auto& s) { return s.first.key == place_[l].key; });
    if (it == sums_.end()) {
      const uint64_t bits = peek(w, l, o.space, bytes);
      const auto word = memory_.find(place_[l].key);
      ShadowValue v = exact_shadow(
          bytes == 8 ? std::bit_cast<double>(bits)
                     : static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits))));
      if (word != memory_.end() && word->second.bytes == bytes && word->second.bits == bits)
        v = word->second.value;
      it = sums_.insert(it, {place_[l], v});
    }
    it->second =
        shadow_add(it->second, read(w, source, l, 0, bytes, o.type), unit_roundoff(o.type));
  });
}

void Shadow::reduced(Warp& w, const Op& op, const ptx::Opcode& o, LaneMask mask) {
  const unsigned bytes = ptx::bytes_of(o.type);
  for (const auto& sum : sums_)
    for_each_lane(mask, [&](unsigned l) {
      if (place_[l].key == sum.first.key)
        memory_[sum.first.key] = {peek(w, l, o.space, bytes), sum.second,
                                  static_cast<uint8_t>(bytes)};
    });
  // A loop around a compare-and-swap adds floats too: what it puts there is a value of ours.
  if ((!o.has_mod(Mod::kCas) && !o.has_mod(Mod::kExch)) || bytes > 8 || bytes < 4) return;
  const size_t last = op.operand_count - 1u;
  for_each_lane(mask, [&](unsigned l) {
    const Slot& s = program_.operand(op, last)[0];
    if (peek(w, l, o.space, bytes) == w.get(s, l)) remember(w, s, l, bytes, place_[l]);
  });
}

std::optional<ShadowValue> Shadow::global(uint64_t address, unsigned bytes, uint64_t bits) const {
  const auto it = memory_.find(address);
  if (it == memory_.end() || it->second.bytes != bytes || it->second.bits != bits)
    return std::nullopt;
  return it->second.value;
}

}  // namespace pitot::emulator
