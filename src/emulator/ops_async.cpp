// cp.async: copies of a thread from global to shared memory, and the ways to wait for them (PTX
// ISA, "Asynchronous Data Movement and Conversion", non-bulk).
//
// The bytes move when the copy is issued, which is the earliest that the hardware may do it. With
// Checks::async_copies the destination is marked until the thread waits for its group, or until
// somebody sees the phase of the mbarrier complete that the thread tied its copies to.
#include <fmt/format.h>

#include "emulator/access.h"
#include "emulator/block.h"
#include "emulator/families.h"
#include "emulator/gang.h"
#include "emulator/mbarrier.h"
#include "emulator/race_check.h"
#include "emulator/transfer.h"
#include "emulator/vector_op.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Space;

enum : uint16_t { kSourceSize = 1, kIgnoreSource = 2 };

void copy(Warp& w, const Op& op, LaneMask mask) {
  const Program& p = w.program();
  const auto bytes = static_cast<uint32_t>(w.get(p.operand(op, 2)[0], 0));
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return w.fault(FaultKind::kIllegal, op, mask, 0,
                   fmt::format("a copy of {} bytes: 4, 8 and 16 are allowed", bytes));
  LaneMask whole = mask, part = 0;
  if (op.variant == kIgnoreSource) {
    const Slot& s = p.operand(op, 3)[0];
    whole &= s.negated ? w.predicate(s.at) : ~w.predicate(s.at);
  } else if (op.variant == kSourceSize) {
    const Slot& s = p.operand(op, 3)[0];
    whole = lanes_where([&](unsigned l) { return w.get(s, l) == bytes; }) & mask;
    part = mask & ~whole;
    LaneMask bad = lanes_where([&](unsigned l) { return w.get(s, l) > bytes; }) & part;
    if (bad != 0) {
      const unsigned l = static_cast<unsigned>(std::countr_zero(bad));
      return w.fault(FaultKind::kIllegal, op, bad, 0,
                     fmt::format("a source of {} bytes for a copy of {}", w.get(s, l), bytes));
    }
  }
  Access to, from;
  to.space = Space::kShared;
  to.kind = AccessKind::kStore;
  from.space = Space::kGlobal;
  to.bytes = from.bytes = bytes;
  if (!resolve_operand(w, op, 0, mask, to)) return;
  read_addresses(w, op, p.operands_of(op)[1], mask, from);
  if (whole != 0 && !resolve(w, op, whole, from)) return;
  for_each_lane(whole, [&](unsigned l) { std::memcpy(to.at[l], from.at[l], bytes); });
  // What the source does not fill is zero.
  for_each_lane(mask & ~whole, [&](unsigned l) { std::memset(to.at[l], 0, bytes); });
  for_each_lane(part, [&](unsigned l) {
    const uint64_t n = w.get(p.operand(op, 3)[0], l);
    if (w.stop || n == 0) return;
    if (!aligned_run(w, op, l, from.address[l], bytes, "the source's address")) return;
    for_each_piece(w, op, l, Space::kGlobal, from.address[l], n, false,
                   [&](const Piece& s) { std::memcpy(to.at[l] + s.done, s.at, s.bytes); });
    tell_races(w, op, l, Space::kGlobal, from.address[l], n, AccessKind::kLoad);
  });
  if (w.stop) return;
  if (w.block.checks().uninitialised) {
    const uint64_t base = w.block.shared_base();
    for_each_lane(from.undefined & whole, [&](unsigned l) {
      for (uint64_t b = to.address[l] - base; b < to.address[l] - base + bytes; ++b)
        w.block.shared_defined[b / 64] &= ~(uint64_t{1} << (b % 64));
    });
  }
  if (w.block.copies != nullptr)
    for_each_lane(mask, [&](unsigned l) {
      mark_group(w, op, l, CopyMarks::Kind::kPlain, to.address[l], bytes, true);
    });
}

// What the thread has waited for counts as done by it now.
void tell_landed(Warp& w, unsigned lane, std::vector<CopyMark>& landed) {
  if (w.block.order != nullptr)
    for (const CopyMark& m : landed)
      w.block.gang().races->landed(w, m.op, lane, m.offset, m.bytes, m.written);
  landed.clear();
}

template <CopyMarks::Kind kKind>
void commit(Warp& w, const Op&, LaneMask mask) {
  if (w.block.copies == nullptr) return;
  for_each_lane(mask, [&](unsigned l) { w.block.copies->commit(kKind, thread_number(w, l)); });
}

template <CopyMarks::Kind kKind>
void wait_group(Warp& w, const Op& op, LaneMask mask) {
  if (w.block.copies == nullptr) return;
  const Slot& n = w.program().slots_of(op)[0];
  std::vector<CopyMark> landed;
  for_each_lane(mask, [&](unsigned l) {
    w.block.copies->wait(kKind, thread_number(w, l), w.get(n, l), landed);
    tell_landed(w, l, landed);
  });
}

void wait_all(Warp& w, const Op&, LaneMask mask) {
  if (w.block.copies == nullptr) return;
  std::vector<CopyMark> landed;
  for_each_lane(mask, [&](unsigned l) {
    w.block.copies->wait_all(thread_number(w, l), landed);
    tell_landed(w, l, landed);
  });
}

// All copies of the thread are complete here, so that it arrives at once. Without .noinc one more
// arrival is expected in this phase, and comes: nothing changes.
template <bool kNoinc>
void arrive(Warp& w, const Op& op, LaneMask mask) {
  Access a;
  a.space = static_cast<Space>(op.target);
  a.kind = AccessKind::kAtomic;
  a.bytes = 8;
  if (!resolve_operand(w, op, 0, mask, a)) return;
  for_each_lane(mask, [&](unsigned l) {
    if (w.stop) return;
    bool odd = false;
    const bool good = change_mbarrier(w, op, l, a.at[l], a.address[l], [&](Mbarrier& m) {
      odd = m.odd;
      return kNoinc ? m.arrive(1) : std::string();
    });
    if (!good) return;
    note_arrival(w, l, shared_address(a.space, a.address[l]), odd);
    if (w.block.copies != nullptr)
      w.block.copies->tie(thread_number(w, l),
                          shared_address(a.space, a.address[l]) - w.block.shared_base(), odd);
  });
}

bool plain(Selection& s) {
  if (s.has(Mod::kMbarrier)) {
    s.op.target = static_cast<uint32_t>(s.opcode.space);
    s.op.run = s.has(Mod::kNoinc) ? arrive<true> : arrive<false>;
    return true;
  }
  const size_t given = s.operands.size() - (s.has(Mod::kL2CacheHint) ? 1 : 0);
  if (given < 3 || given > 4 || !s.slot_of(2)->constant) return false;
  if (given == 4) s.op.variant = s.slot_of(3)->bits == 1 ? kIgnoreSource : kSourceSize;
  s.op.run = copy;
  return true;
}

}  // namespace

bool select_async(Selection& s) {
  using Kind = CopyMarks::Kind;
  if (s.opcode.mnemonic != Mnemonic::kCp || !s.has(Mod::kAsync)) return false;
  const bool bulk = s.has(Mod::kBulk);
  if (s.has(Mod::kCommitGroup)) {
    s.op.run = bulk ? commit<Kind::kBulk> : commit<Kind::kPlain>;
  } else if (s.has(Mod::kWaitGroup)) {
    s.op.run = bulk ? wait_group<Kind::kBulk> : wait_group<Kind::kPlain>;
  } else if (s.has(Mod::kWaitAll)) {
    s.op.run = wait_all;
  } else {
    return !bulk && plain(s);
  }
  return true;
}

}  // namespace pitot::emulator
