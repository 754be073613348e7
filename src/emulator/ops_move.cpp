// Data movement between registers: mov, selp, cvta, isspacep, mapa, and the registers that change
// over time.
#include "emulator/access.h"
#include "emulator/block.h"
#include "emulator/families.h"
#include "emulator/memory.h"
#include "emulator/vector_op.h"
#include "ptx/special_register.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Space;
using ptx::Type;

template <class T>
void mov(Warp& w, const Op& op, LaneMask mask) {
  unary<T, T>(w, op, mask, [](T a) { return a; });
}

void mov_pred(Warp& w, const Op& op, LaneMask mask) {
  LaneMask a = w.predicate(op.a);
  if (w.program().slots_of(op)[1].negated) a = ~a;
  LaneMask& d = w.predicate(op.d);
  d = (d & ~mask) | (a & mask);
}

// A packed register whose one half nobody wrote: the other is mostly all that is used of it, and
// definedness is kept by register. It counts as undefined where all of its elements are.
void track_packed(Warp& w, std::span<const Slot> elements, const Slot& d, LaneMask mask) {
  if (d.reg == UINT32_MAX) return;
  auto& undefined = w.frame->undefined;
  LaneMask bad = mask;
  for (const Slot& s : elements) bad &= s.reg == UINT32_MAX ? 0 : undefined[s.reg];
  undefined[d.reg] = (undefined[d.reg] & ~mask) | bad;
}

// Between registers of different widths, and the packing and unpacking of vectors: bits in order,
// the first element lowest.
void mov_bits(Warp& w, const Op& op, LaneMask mask) {
  const auto d = w.program().operand(op, 0), a = w.program().operand(op, 1);
  if (op.tracks && w.block.checks().uninitialised) track_packed(w, a, d[0], mask);
  // Elements share the bits of the other side evenly: `_` and literals have no width of their own.
  const unsigned each_a = a.size() > 1 ? d[0].bits / static_cast<unsigned>(a.size()) : a[0].bits;
  const unsigned each_d = d.size() > 1 ? a[0].bits / static_cast<unsigned>(d.size()) : d[0].bits;
  const uint64_t keep = each_a >= 64 ? UINT64_MAX : (uint64_t{1} << each_a) - 1;
  for_each_lane(mask, [&](unsigned lane) {
    Uint128 bits = 0;
    unsigned at = 0;
    for (const Slot& s : a) {
      Uint128 v = w.get(s, lane) & keep;
      if (s.bits > 64) v |= static_cast<Uint128>(w.u64(s.at)[kLanes + lane]) << 64;
      bits |= v << at;
      at += each_a;
    }
    at = 0;
    for (const Slot& s : d) {
      const Uint128 v = at >= 128 ? 0 : bits >> at;
      if (!s.sink) {
        w.set(s, lane, static_cast<uint64_t>(v));
        if (s.bits > 64) w.u64(s.at)[kLanes + lane] = static_cast<uint64_t>(v >> 64);
      }
      at += each_d;
    }
  });
}

// %clock and its kin: warp instructions that the block has issued, for want of cycles.
void read_clock(Warp& w, const Op& op, LaneMask mask) {
  const auto id = static_cast<ptx::SpecialId>(op.imm);
  const uint64_t cycles = w.block.clock_start() + w.block.counters().warp_instructions * 4;
  uint64_t v = cycles;
  if (id == ptx::SpecialId::kClockHi || id == ptx::SpecialId::kGlobaltimerHi) v >>= 32;
  const Slot& d = w.program().slots_of(op)[0];
  for_each_lane(mask, [&](unsigned lane) { w.set(d, lane, v); });
}

template <class T>
void selp(Warp& w, const Op& op, LaneMask mask) {
  const LaneMask flip = w.program().slots_of(op)[3].negated ? kAllLanes : 0;
  const LaneMask p = w.predicate(op.c) ^ flip;
  const auto* a = words<T>(w, op.a);
  const auto* b = words<T>(w, op.b);
  store_lanes<T>(words<T>(w, op.d), mask,
                 [&](unsigned i) { return from_word<T>((p >> i) & 1 ? a[i] : b[i]); });
}

uint64_t window_of(Space s) {
  switch (ptx::base_space(s)) {
    case Space::kShared:
      return kSharedWindow;
    case Space::kLocal:
      return kLocalWindow;
    case Space::kParam:
      return kParamWindow;
    default:
      return 0;
  }
}

template <class T, bool kTo>
void cvta(Warp& w, const Op& op, LaneMask mask) {
  const T window = static_cast<T>(op.imm);
  unary<T, T>(w, op, mask, [window](T a) { return static_cast<T>(kTo ? a - window : a + window); });
}

void isspacep(Warp& w, const Op& op, LaneMask mask) {
  const auto wanted = static_cast<Space>(op.variant);
  const bool own = (op.imm & 1) != 0;  // shared::cta: only the own block's part of the window
  const uint64_t* a = w.u64(op.a);
  LaneMask& d = w.predicate(op.d);
  const uint64_t base = w.block.shared_base();
  const LaneMask yes = lanes_where([&](unsigned i) {
    if (space_of(a[i]) != wanted) {
      return wanted == Space::kConst && w.block.memory().find(a[i]) != nullptr &&
             w.block.memory().find(a[i])->read_only;
    }
    if (own) return a[i] - kSharedWindow >= base && a[i] - kSharedWindow < base + kSharedStride;
    return true;
  });
  d = (d & ~mask) | (yes & mask);
}

bool move(Selection& s) {
  const auto d = s.slot_of(0), a = s.slot_of(1);
  if (d == nullptr || a == nullptr) return false;
  const OperandPlace& source = s.operands[1];
  if (source.special != UINT16_MAX) {
    const auto& special = ptx::special_registers()[source.special];
    if (special.has(ptx::kChangesOverTime)) {
      switch (special.id()) {
        case ptx::SpecialId::kClock:
        case ptx::SpecialId::kClockHi:
        case ptx::SpecialId::kClock64:
        case ptx::SpecialId::kGlobaltimer:
        case ptx::SpecialId::kGlobaltimerLo:
        case ptx::SpecialId::kGlobaltimerHi:
          s.op.imm = static_cast<int64_t>(special.id());
          s.op.run = read_clock;
          return true;
        case ptx::SpecialId::kWarpid:
        case ptx::SpecialId::kSmid:
          break;  // fixed here
        default:
          return false;
      }
    }
    if (special.width > 1 && a->bits != 32) return false;
  }
  const bool single = s.operands[0].count == 1 && s.operands[1].count == 1;
  if (single && d->bits == a->bits && d->selector == ptx::Selector::kNone &&
      a->selector == ptx::Selector::kNone) {
    if (d->bits == 1) {
      s.op.run = mov_pred;
    } else if (d->bits <= 32) {
      s.op.run = mov<uint32_t>;
    } else if (d->bits == 64) {
      s.op.run = mov<uint64_t>;
    } else {
      s.op.run = mov_bits;
    }
    return true;
  }
  // Different widths: a symbol's address in a narrow register, %tid as .u16, packed values.
  for (const Slot& slot : s.slots)
    if (slot.bits == 1) return false;
  s.op.run = mov_bits;
  s.op.tracks = s.operands[0].count == 1 && s.operands[1].count > 1;
  return true;
}

}  // namespace

bool select_move(Selection& s) {
  switch (s.opcode.mnemonic) {
    case Mnemonic::kMov:
      return move(s);
    case Mnemonic::kSelp:
      s.op.run = ptx::bits_of(s.type) > 32 ? selp<uint64_t> : selp<uint32_t>;
      return true;
    case Mnemonic::kCvta: {
      const Space space = s.opcode.space;
      s.op.imm = static_cast<int64_t>(window_of(space));
      const bool to = s.has(Mod::kTo), wide = s.type == Type::kU64;
      if (!wide) s.op.imm = 0;  // 32-bit addresses have no windows
      if (s.slots.size() < 2 || s.slots[0].bits != (wide ? 64 : 32)) return false;
      if (s.slots[1].bits != s.slots[0].bits) return false;
      s.op.run = wide ? (to ? cvta<uint64_t, true> : cvta<uint64_t, false>)
                      : (to ? cvta<uint32_t, true> : cvta<uint32_t, false>);
      return true;
    }
    case Mnemonic::kIsspacep: {
      if (s.slots.size() < 2 || s.slots[1].bits != 64) return false;
      s.op.variant = static_cast<uint16_t>(ptx::base_space(s.opcode.space));
      s.op.imm = s.opcode.space == Space::kShared || s.opcode.space == Space::kSharedCta ? 1 : 0;
      s.op.run = isspacep;
      return true;
    }
    default:
      return false;
  }
}

}  // namespace pitot::emulator
