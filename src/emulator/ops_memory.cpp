// Loads and stores of registers and vectors of them (PTX ISA, "Data Movement Instructions").
#include "emulator/access.h"
#include "emulator/block.h"
#include "emulator/families.h"
#include "emulator/gang.h"
#include "emulator/quick_access.h"
#include "emulator/race_check.h"
#include "emulator/vector_op.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Space;
using ptx::Type;

// Op::variant: bytes of an element, whether a narrow load extends the sign, whether the access is
// strong, elements.
uint16_t pack(unsigned bytes, bool sign, bool strong, unsigned elements) {
  return static_cast<uint16_t>(bytes | (sign ? 0x100 : 0) | (strong ? 0x200 : 0) |
                               (elements << 10));
}
unsigned element_bytes(const Op& op) { return op.variant & 0xff; }
bool extends_sign(const Op& op) { return (op.variant & 0x100) != 0; }
bool is_strong(const Op& op) { return (op.variant & 0x200) != 0; }
unsigned elements(const Op& op) { return op.variant >> 10; }

Space space_in(const Op& op) { return static_cast<Space>(op.target); }

Access access_of(const Op& op, AccessKind kind) {
  Access a;
  a.space = space_in(op);
  a.kind = kind;
  a.bytes = element_bytes(op) * elements(op);
  return a;
}

// The race check of a quick access; false: take the long way.
PITOT_INLINE bool races_seen(Warp& w, const Op& op, LaneMask mask, AccessKind kind, uint32_t bytes,
                             const QuickAccess& q, std::span<const Slot> values) {
  if (w.block.order == nullptr) return true;
  if (is_strong(op)) return false;
  w.block.gang().races->quick(w, op, mask, kind, bytes, q, values);
  return !w.stop;
}

// One element of every active lane, from memory into a register and back.
template <class W>
PITOT_INLINE void gather(Warp& w, const Slot& d, LaneMask mask, const QuickAccess& a, unsigned at) {
  auto* out = reinterpret_cast<Word<W>*>(w.regs + d.at);
  const std::byte* from = a.memory + at;
  if (mask == kAllLanes) {
    for (unsigned l = 0; l < kLanes; ++l) {
      W v;
      std::memcpy(&v, from + a.offset[l], sizeof v);
      out[l] = v;
    }
    return;
  }
  for_each_lane(mask, [&](unsigned l) {
    W v;
    std::memcpy(&v, from + a.offset[l], sizeof v);
    out[l] = v;
  });
}

template <class W>
PITOT_INLINE void scatter(Warp& w, const Slot& s, LaneMask mask, const QuickAccess& a,
                          unsigned at) {
  const auto* in = reinterpret_cast<const Word<W>*>(w.regs + s.at);
  std::byte* to = a.memory + at;
  for_each_lane(mask, [&](unsigned l) {
    const W v = static_cast<W>(in[l]);
    std::memcpy(to + a.offset[l], &v, sizeof v);
  });
}

// A value of `bytes` bytes as it lies in a register.
PITOT_INLINE uint64_t extended(uint64_t v, unsigned bytes, bool sign) {
  if (!sign || bytes >= 8) return v;
  const unsigned shift = 64 - 8 * bytes;
  return static_cast<uint64_t>(static_cast<int64_t>(v << shift) >> shift);
}

struct Load {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    const unsigned bytes = element_bytes(op), count = elements(op);
    QuickAccess q;
    if (bytes <= 8 &&
        quick_access(w, op, 1, space_in(op), mask, AccessKind::kLoad, bytes * count, q) &&
        races_seen(w, op, mask, AccessKind::kLoad, bytes * count, q, {})) {
      for (unsigned e = 0; e < count; ++e) {
        const Slot& d = w.program().slots[op.first_slot + e];
        if (d.sink) continue;
        if (bytes == 4 && d.bits <= 32) {
          gather<uint32_t>(w, d, mask, q, e * bytes);
        } else if (bytes == 8) {
          gather<uint64_t>(w, d, mask, q, e * bytes);
        } else if (bytes == 2 && d.bits <= 32 && !extends_sign(op)) {
          gather<uint16_t>(w, d, mask, q, e * bytes);
        } else {
          for_each_lane(mask, [&](unsigned l) {
            uint64_t v = 0;
            std::memcpy(&v, q.memory + q.offset[l] + e * bytes, bytes);
            w.set(d, l, extended(v, bytes, extends_sign(op)));
          });
        }
      }
      if (op.tracks && w.block.checks().uninitialised) mark(w, op, mask, nullptr);
      return;
    }
    slow(w, op, mask);
  }

  // The elements of a vector are undefined each for itself. Without an access: none is.
  static void mark(Warp& w, const Op& op, LaneMask mask, const Access* a) {
    const unsigned bytes = element_bytes(op), count = elements(op);
    for (unsigned e = 0; e < count; ++e) {
      const Slot& d = w.program().slots[op.first_slot + e];
      if (d.reg == UINT32_MAX) continue;
      LaneMask bad = 0;
      if (a != nullptr)
        for_each_lane(a->undefined & mask, [&](unsigned l) {
          const uint32_t own = (uint32_t{1} << bytes) - 1;
          if ((a->undefined_bytes[l] >> (e * bytes) & own) != 0) bad |= LaneMask{1} << l;
        });
      LaneMask& undefined = w.frame->undefined[d.reg];
      undefined = (undefined & ~mask) | bad;
    }
  }

  static void slow(Warp& w, const Op& op, LaneMask mask) {
    Access a = access_of(op, AccessKind::kLoad);
    const unsigned bytes = element_bytes(op), count = elements(op);
    if (!resolve_operand(w, op, 1, mask, a)) return;
    if (!op.tracks) {
      w.taint |= a.undefined;
    } else if (w.block.checks().uninitialised) {
      mark(w, op, mask, &a);
    }
    const auto slots = w.program().operand(op, 0);
    for (unsigned e = 0; e < count; ++e) {
      const Slot& d = slots[e];
      if (d.sink) continue;
      const unsigned at = e * bytes;
      for_each_lane(mask, [&](unsigned l) {
        uint64_t v = 0;
        std::memcpy(&v, a.at[l] + at, std::min(bytes, 8u));
        w.set(d, l, extended(v, bytes, extends_sign(op)));
        if (bytes == 16) std::memcpy(&w.u64(d.at)[kLanes + l], a.at[l] + at + 8, 8);
      });
    }
  }
};

struct Store {
  static PITOT_INLINE void run(Warp& w, const Op& op, LaneMask mask) {
    const unsigned bytes = element_bytes(op), count = elements(op);
    QuickAccess q;
    if (bytes <= 8 && defined(w, op, mask) &&
        quick_access(w, op, 0, space_in(op), mask, AccessKind::kStore, bytes * count, q) &&
        races_seen(w, op, mask, AccessKind::kStore, bytes * count, q, w.program().operand(op, 1))) {
      const Slot* slots = &w.program().operand(op, 1)[0];
      for (unsigned e = 0; e < count; ++e) {
        const Slot& s = slots[e];
        if (bytes == 4 && s.bits <= 32) {
          scatter<uint32_t>(w, s, mask, q, e * bytes);
        } else if (bytes == 8) {
          scatter<uint64_t>(w, s, mask, q, e * bytes);
        } else {
          for_each_lane(mask, [&](unsigned l) {
            const uint64_t v = w.get(s, l);
            std::memcpy(q.memory + q.offset[l] + e * bytes, &v, bytes);
          });
        }
      }
      return;
    }
    slow(w, op, mask);
  }

  // Whether all values are, as far as that is tracked.
  static PITOT_INLINE bool defined(Warp& w, const Op& op, LaneMask mask) {
    if (!w.block.checks().uninitialised) return true;
    LaneMask bad = 0;
    for (const Slot& s : w.program().operand(op, 1))
      if (s.reg != UINT32_MAX) bad |= w.frame->undefined[s.reg];
    return (bad & mask) == 0;
  }

  static void slow(Warp& w, const Op& op, LaneMask mask) {
    Access a = access_of(op, AccessKind::kStore);
    const unsigned bytes = element_bytes(op), count = elements(op);
    const auto slots = w.program().operand(op, 1);
    a.values = slots;
    a.element = bytes;
    if (!resolve_operand(w, op, 0, mask, a)) return;
    if (w.block.checks().uninitialised) store_undefined(w, op, mask, a);
    for (unsigned e = 0; e < count; ++e) {
      const Slot& s = slots[e];
      const unsigned at = e * bytes;
      for_each_lane(mask, [&](unsigned l) {
        const uint64_t v = w.get(s, l);
        std::memcpy(a.at[l] + at, &v, std::min(bytes, 8u));
        if (bytes == 16) std::memcpy(a.at[l] + at + 8, &w.u64(s.at)[kLanes + l], 8);
      });
    }
  }
};

void nothing(Warp&, const Op&, LaneMask) {}

bool access(Selection& s, size_t values) {
  const Type t = s.opcode.type;
  const unsigned bytes = ptx::bytes_of(t);
  if (values >= s.operands.size()) return false;
  const OperandPlace& place = s.operands[values];
  const unsigned count = s.opcode.vector;
  if (place.count != count || bytes == 0 || bytes > 16) return false;
  for (unsigned e = 0; e < count; ++e)
    if (s.slot_of(values, e)->bits == 1) return false;
  const bool strong = s.has(Mod::kVolatile) || s.has(Mod::kRelaxed) || s.has(Mod::kAcquire) ||
                      s.has(Mod::kRelease) || s.has(Mod::kMmio);
  s.op.variant = pack(bytes, ptx::kind_of(t) == ptx::TypeKind::kSigned, strong, count);
  Space space = s.opcode.space;
  // Parameters that a body declares lie in its frame, also in a kernel.
  if (ptx::base_space(space) == Space::kParam && s.symbol_space == Space::kLocal)
    space = Space::kLocal;
  s.op.target = static_cast<uint32_t>(space);
  return true;
}

}  // namespace

bool select_memory(Selection& s) {
  switch (s.opcode.mnemonic) {
    case Mnemonic::kLd:
    case Mnemonic::kLdu:
      if (!access(s, 0)) return false;
      if (s.opcode.mnemonic == Mnemonic::kLdu && s.opcode.space == Space::kNone)
        s.op.target = static_cast<uint32_t>(Space::kNone);
      s.op.run = handler_of<Load>();
      s.op.tracks = elements(s.op) > 1;
      return true;
    case Mnemonic::kSt:
      if (s.has(Mod::kAsync) || s.has(Mod::kBulk) || !access(s, 1)) return false;
      s.op.run = handler_of<Store>();
      return true;
    case Mnemonic::kPrefetch:
    case Mnemonic::kPrefetchu:
    case Mnemonic::kApplypriority:
      s.op.run = nothing;
      return true;
    default:
      return false;
  }
}

}  // namespace pitot::emulator
