// The common access: every active lane aligned and inside one stretch of memory, nothing to report.
// Whatever is unusual goes the long way through resolve(), which says what is wrong.
#pragma once

#include <algorithm>

#include "emulator/access.h"
#include "emulator/block.h"
#include "emulator/copies.h"
#include "emulator/defined_bits.h"
#include "emulator/float_lanes.h"

namespace pitot::emulator {

// Lane l's bytes are at memory + offset[l]; lanes that are not active stand at an active one's
// place.
struct QuickAccess {
  std::byte* memory = nullptr;
  uint64_t address = 0;  // of offset 0 in global memory; 0: not global
  bool shared = false;   // of the block's own
  alignas(64) std::array<uint32_t, kLanes> offset;
};

// Stretches longer than this are not searched for bytes that nobody wrote.
inline constexpr uint32_t kDefinedSpan = 8192;

// Whether all bytes in [from, to) are defined, by bit a byte.
PITOT_INLINE bool all_defined(const uint64_t* bits, uint32_t from, uint32_t to) {
  if (to - from > kDefinedSpan) return false;
  uint64_t all = ~uint64_t{0};
  const uint32_t first = from / 64, last = (to - 1) / 64;
  for (uint32_t k = first; k <= last; ++k) all &= defined_word(bits, k);
  return all == ~uint64_t{0};
}

// The lowest and the end of the highest lane's bytes; false when one is not aligned.
PITOT_INLINE bool span_of(const std::array<uint32_t, kLanes>& offset, uint32_t bytes,
                          uint32_t& from, uint64_t& to) {
  uint32_t low = UINT32_MAX, high = 0, any = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    low = std::min(low, offset[l]);
    high = std::max(high, offset[l]);
    any |= offset[l];
  }
  from = low;
  to = uint64_t{high} + bytes;
  return (any & (bytes - 1)) == 0;
}

// Idle lanes take an active lane's place.
PITOT_INLINE void fill_idle(std::array<uint32_t, kLanes>& offset, LaneMask mask) {
  if (mask == kAllLanes) return;
  const uint32_t some = offset[static_cast<unsigned>(std::countr_zero(mask))];
  PITOT_LANES
  for (unsigned l = 0; l < kLanes; ++l) {
    const uint32_t take = uint32_t{0} - ((mask >> l) & 1);
    offset[l] = (offset[l] & take) | (some & ~take);
  }
}

PITOT_INLINE bool quick_shared(Warp& w, const Slot& base, uint32_t displacement, LaneMask mask,
                               uint32_t bytes, QuickAccess& a) {
  Block& block = w.block;
  const auto memory = block.shared();
  const uint32_t start = displacement - static_cast<uint32_t>(block.shared_base());
  const uint32_t* v = w.u32(base.at);
  for (unsigned l = 0; l < kLanes; ++l) a.offset[l] = v[l] + start;
  fill_idle(a.offset, mask);
  uint32_t from;
  uint64_t to;
  if (!span_of(a.offset, bytes, from, to) || to > memory.size()) return false;
  if (block.copies != nullptr && block.copies->any() && block.copies->near(from, to - from))
    return false;
  if (block.checks().uninitialised && !all_defined(block.shared_defined.data(), from, to))
    return false;
  a.memory = memory.data();
  a.shared = true;
  return true;
}

PITOT_INLINE bool quick_global(Warp& w, const Slot& base, uint64_t displacement, LaneMask mask,
                               AccessKind kind, uint32_t bytes, QuickAccess& a) {
  const uint64_t* v = w.u64(base.at);
  const unsigned some = static_cast<unsigned>(std::countr_zero(mask));
  const uint64_t near = v[some] + displacement;
  Region* r = w.region;
  if (r == nullptr || near - r->base() >= r->size()) {
    r = w.block.memory().find(near);
    if (r == nullptr) return false;
    w.region = r;
  }
  if (kind != AccessKind::kLoad && r->read_only) return false;
  // All lanes within the page of one of them.
  const uint64_t page_start = r->base() + (near - r->base()) / kPageBytes * kPageBytes;
  const uint64_t room = std::min<uint64_t>(kPageBytes, r->base() + r->size() - page_start);
  const uint64_t start = displacement - page_start;
  uint64_t far = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    const uint64_t at = v[l] + start;
    a.offset[l] = static_cast<uint32_t>(at);
    const uint64_t take = uint64_t{0} - ((mask >> l) & 1);
    far |= (at >> 16) & take;
  }
  static_assert(kPageBytes == 1u << 16);
  if (far != 0) return false;
  fill_idle(a.offset, mask);
  uint32_t from;
  uint64_t to;
  // Bases are multiples of 256: alignment of the offset is alignment of the address.
  if ((page_start & (bytes - 1)) != 0 || !span_of(a.offset, bytes, from, to) || to > room)
    return false;
  Page* page = r->page(page_start - r->base());
  if (page == nullptr) return false;
  if (w.block.checks().uninitialised &&
      !all_defined(page->defined.data(), from, static_cast<uint32_t>(to)))
    return false;
  if (kind != AccessKind::kLoad && !r->written.load(std::memory_order_relaxed)) r->written = true;
  a.memory = page->bytes.data();
  a.address = page_start;
  return true;
}

// The places of an access to the shared or global space; false: take the long way.
PITOT_INLINE bool quick_access(Warp& w, const Op& op, size_t operand, ptx::Space space,
                               LaneMask mask, AccessKind kind, uint32_t bytes, QuickAccess& a) {
  const Program& p = w.program();
  const OperandPlace& place = p.operands[op.first_operand + operand];
  const Slot& base = p.slots[op.first_slot + place.first];
  if (w.stop || w.block.watched) return false;
  if (w.block.checks().uninitialised && base.reg != UINT32_MAX &&
      (w.frame->undefined[base.reg] & mask) != 0)
    return false;
  if (ptx::base_space(space) == ptx::Space::kParam && base.constant && w.frame->parent == nullptr) {
    // A parameter of the kernel by its name: the same bytes for all lanes.
    const auto& parameters = w.block.launch().parameters;
    const uint64_t at = w.u64(base.at)[0] + static_cast<uint64_t>(place.offset);
    if (base.bits != 64 || kind != AccessKind::kLoad || at % bytes != 0 ||
        at >= parameters.size() || parameters.size() - at < bytes)
      return false;
    a.memory = const_cast<std::byte*>(parameters.data()) + at;
    a.offset.fill(0);
    return true;
  }
  if (space == ptx::Space::kShared && base.bits == 32)
    return quick_shared(w, base, static_cast<uint32_t>(place.offset), mask, bytes, a);
  if ((space == ptx::Space::kGlobal || space == ptx::Space::kNone) && base.bits == 64) {
    // A generic address in a window is no global one: no region lies there.
    return quick_global(w, base, static_cast<uint64_t>(place.offset), mask, kind, bytes, a);
  }
  return false;
}

}  // namespace pitot::emulator
