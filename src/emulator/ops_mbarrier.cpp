// The instructions on mbarrier objects (PTX ISA, "mbarrier").
//
// A try_wait here waits until the phase completes: the time after which the hardware gives up is
// not modelled, so a program that counts on giving up ends as a deadlock. A test_wait that finds
// the phase incomplete lets the other warps run once before it says so.
#include <fmt/format.h>

#include "emulator/access.h"
#include "emulator/block.h"
#include "emulator/copies.h"
#include "emulator/families.h"
#include "emulator/gang.h"
#include "emulator/mbarrier.h"
#include "emulator/race_order.h"
#include "emulator/transfer.h"

namespace pitot::emulator {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Space;

uint64_t shared_address(Space space, uint64_t address) {
  return space == Space::kNone ? address - kSharedWindow : address;
}

bool change_mbarrier(Warp& w, const Op& op, unsigned lane, std::byte* at, uint64_t address,
                     const std::function<std::string(Mbarrier&)>& f) {
  uint64_t word;
  std::memcpy(&word, at, 8);
  Mbarrier m = Mbarrier::decode(word);
  std::string why = m.valid ? f(m) : "no mbarrier was initialised here";
  if (why.empty()) {
    word = m.encode();
    std::memcpy(at, &word, 8);
    return true;
  }
  w.fault(FaultKind::kIllegal, op, LaneMask{1} << lane, address, std::move(why));
  return false;
}

bool complete_bytes(Warp& w, const Op& op, unsigned lane, uint64_t address, uint64_t bytes,
                    bool* odd) {
  if (!aligned_run(w, op, lane, address, 8, "an mbarrier's address")) return false;
  bool good = false, phase = false;
  const bool there =
      for_each_piece(w, op, lane, Space::kShared, address, 8, true, [&](const Piece& p) {
        good = change_mbarrier(w, op, lane, p.at, address, [&](Mbarrier& m) {
          phase = m.odd;
          return m.add_bytes(-static_cast<int64_t>(bytes));
        });
      });
  if (!there || !good) return false;
  if (odd != nullptr) *odd = phase;
  note_arrival(w, lane, address, phase);
  return true;
}

void note_arrival(Warp& w, unsigned lane, uint64_t address, bool odd) {
  if (w.block.order == nullptr) return;
  if (Block* owner = w.block.gang().shared_owner(w.block, address))
    owner->order->mbarrier_arrive(address, odd, *w.block.order, w.index, lane);
}

void note_completion(Warp& w, LaneMask lanes, uint64_t address, bool odd) {
  if (w.block.order == nullptr) return;
  if (Block* owner = w.block.gang().shared_owner(w.block, address))
    owner->order->mbarrier_wait(address, odd, *w.block.order, w.index, lanes, lanes == w.live());
}

namespace {

// Op::variant of arrivals; Op::target: the space.
enum : uint16_t { kDrop = 1, kNoComplete = 2, kExpect = 4, kResult = 8, kComplete = 16 };

bool find(Warp& w, const Op& op, size_t operand, LaneMask mask, AccessKind kind, Access& a) {
  a.space = static_cast<Space>(op.target);
  a.kind = kind;
  a.bytes = 8;
  read_addresses(w, op, w.program().operands_of(op)[operand], mask, a);
  if (a.space == Space::kNone) {
    LaneMask bad = 0;
    for_each_lane(mask, [&](unsigned l) {
      if (space_of(a.address[l]) != Space::kShared) bad |= LaneMask{1} << l;
    });
    if (bad != 0) {
      w.fault(FaultKind::kIllegal, op, bad, a.address[static_cast<unsigned>(std::countr_zero(bad))],
              "an mbarrier outside of shared memory");
      return false;
    }
  }
  return resolve(w, op, mask, a);
}

void init(Warp& w, const Op& op, LaneMask mask) {
  Access a;
  if (!find(w, op, 0, mask, AccessKind::kStore, a)) return;
  const Slot& count = w.program().operand(op, 1)[0];
  for_each_lane(mask, [&](unsigned l) {
    if (w.stop) return;
    Mbarrier m;
    std::string why = m.init(w.get(count, l));
    if (!why.empty())
      return w.fault(FaultKind::kIllegal, op, LaneMask{1} << l, a.address[l], std::move(why));
    const uint64_t word = m.encode();
    std::memcpy(a.at[l], &word, 8);
  });
}

void inval(Warp& w, const Op& op, LaneMask mask) {
  Access a;
  if (!find(w, op, 0, mask, AccessKind::kAtomic, a)) return;
  for_each_lane(mask, [&](unsigned l) {
    if (w.stop) return;
    change_mbarrier(w, op, l, a.at[l], a.address[l], [](Mbarrier& m) {
      m.valid = false;
      return std::string();
    });
  });
}

void arrive(Warp& w, const Op& op, LaneMask mask) {
  const size_t at = (op.variant & kResult) != 0 ? 1 : 0;
  Access a;
  if (!find(w, op, at, mask, AccessKind::kAtomic, a)) return;
  const auto given = w.program().operand(op, at + 1);
  const auto result = w.program().operand(op, 0);
  for_each_lane(mask, [&](unsigned l) {
    if (w.stop) return;
    const uint64_t n = given.empty() ? 1 : w.get(given[0], l);
    uint64_t before = 0;
    const bool good = change_mbarrier(w, op, l, a.at[l], a.address[l], [&](Mbarrier& m) {
      before = m.encode();
      const bool may_complete = (op.variant & kNoComplete) == 0;
      uint64_t count = n;
      if ((op.variant & kExpect) != 0) {
        if (std::string why = m.add_bytes(static_cast<int64_t>(n)); !why.empty()) return why;
        count = 1;
      }
      return (op.variant & kDrop) != 0 ? m.drop(count, may_complete)
                                       : m.arrive(count, may_complete);
    });
    if (good && at == 1 && !result[0].sink) w.set(result[0], l, before);
    if (good && !w.program().instruction(op).opcode->has_mod(Mod::kRelaxed))
      note_arrival(w, l, shared_address(a.space, a.address[l]), Mbarrier::decode(before).odd);
  });
}

// expect_tx and complete_tx.
void bytes(Warp& w, const Op& op, LaneMask mask) {
  Access a;
  if (!find(w, op, 0, mask, AccessKind::kAtomic, a)) return;
  const Slot& count = w.program().operand(op, 1)[0];
  for_each_lane(mask, [&](unsigned l) {
    if (w.stop) return;
    const auto n = static_cast<int64_t>(w.get(count, l));
    change_mbarrier(w, op, l, a.at[l], a.address[l], [&](Mbarrier& m) {
      return m.add_bytes((op.variant & kComplete) != 0 ? -n : n);
    });
  });
}

void pending_count(Warp& w, const Op& op, LaneMask mask) {
  const auto slots = w.program().slots_of(op);
  for_each_lane(
      mask, [&](unsigned l) { w.set(slots[0], l, Mbarrier::decode(w.get(slots[1], l)).pending); });
}

template <bool kParity, bool kTry>
void wait(Warp& w, const Op& op, LaneMask mask) {
  Access a;
  if (!find(w, op, 1, mask, AccessKind::kLoad, a)) return;
  const Slot& d = w.program().operand(op, 0)[0];
  const Slot& given = w.program().operand(op, 2)[0];
  LaneMask done = 0, odds = 0;
  for_each_lane(mask, [&](unsigned l) {
    if (w.stop) return;
    uint64_t word;
    std::memcpy(&word, a.at[l], 8);
    const Mbarrier m = Mbarrier::decode(word);
    if (!m.valid)
      return w.fault(FaultKind::kIllegal, op, LaneMask{1} << l, a.address[l],
                     "no mbarrier was initialised here");
    const uint64_t v = w.get(given, l);
    const bool odd = kParity ? (v & 1) != 0 : Mbarrier::decode(v).odd;
    if (m.odd == odd) return;
    done |= LaneMask{1} << l;
    if (odd) odds |= LaneMask{1} << l;
    if (w.block.copies == nullptr) return;
    uint64_t offset = shared_address(a.space, a.address[l]);
    if (Block* owner = w.block.gang().shared_owner(w.block, offset))
      owner->copies->passed(offset, odd);
  });
  if (w.stop) return;
  LaneMask told = w.program().instruction(op).opcode->has_mod(Mod::kRelaxed) ? 0 : done;
  while (told != 0 && w.block.order != nullptr) {  // lanes at one object together
    const auto first = static_cast<unsigned>(std::countr_zero(told));
    LaneMask same = 0;
    for_each_lane(told, [&](unsigned l) {
      if (a.address[l] == a.address[first] && (odds >> l & 1) == (odds >> first & 1))
        same |= LaneMask{1} << l;
    });
    note_completion(w, same, shared_address(a.space, a.address[first]), (odds >> first & 1) != 0);
    told &= ~same;
  }
  if (done != mask) {
    if (kTry || (mask & ~w.put_off) != 0) {
      if (!kTry) w.put_off |= mask;
      w.again = true;
      return;
    }
  }
  if (!kTry) w.put_off &= ~mask;
  LaneMask& p = w.predicate(d.at);
  p = (p & ~mask) | done;
}

}  // namespace

bool explain_mbarrier(Warp& w, const Fragment& f, FaultKind& kind, std::string& text) {
  const Op& op = w.program().ops[f.pc];
  const ptx::Opcode& o = *w.program().instruction(op).opcode;
  if (o.mnemonic != Mnemonic::kMbarrier || op.flow != Flow::kWait) return false;
  w.regs = f.frame->registers;
  w.frame = f.frame.get();
  const OperandPlace& place = w.program().operands_of(op)[1];
  const Slot& base = w.program().slots[op.first_slot + place.first];
  const Slot& given = w.program().operand(op, 2)[0];
  bool found = false;
  for_each_lane(f.lanes, [&](unsigned l) {
    if (found) return;
    const uint64_t address = w.get(base, l) + static_cast<uint64_t>(place.offset);
    uint64_t offset = shared_address(static_cast<Space>(op.target), address);
    if (base.bits <= 32) offset &= UINT32_MAX;
    Block* owner = w.block.gang().shared_owner(w.block, offset);
    if (owner == nullptr || offset + 8 > owner->shared().size()) return;
    uint64_t word;
    std::memcpy(&word, owner->shared().data() + offset, 8);
    const Mbarrier m = Mbarrier::decode(word);
    const uint64_t v = w.get(given, l);
    if (!m.valid || m.odd != (o.has_mod(Mod::kParity) ? (v & 1) != 0 : Mbarrier::decode(v).odd))
      return;
    found = true;
    if (m.pending == 0) {
      kind = FaultKind::kTransactions;
      text = m.bytes > 0
                 ? fmt::format("the mbarrier at {:#x} expects {} bytes more than were copied",
                               offset, m.bytes)
                 : fmt::format("{} bytes more were copied than the mbarrier at {:#x} expects",
                               -m.bytes, offset);
      return;
    }
    text = fmt::format("the mbarrier at {:#x} waits for {} of {} arrivals", offset, m.pending,
                       m.expected);
    if (m.bytes != 0) text += fmt::format(" and for {} bytes", m.bytes);
  });
  return found;
}

bool select_mbarrier(Selection& s) {
  if (s.opcode.mnemonic != Mnemonic::kMbarrier) return false;
  s.op.target = static_cast<uint32_t>(s.opcode.space);
  if (s.has(Mod::kPendingCount)) {
    s.op.run = pending_count;
    return s.slots.size() == 2;
  }
  if (s.has(Mod::kInit)) {
    s.op.run = init;
  } else if (s.has(Mod::kInval)) {
    s.op.run = inval;
  } else if (s.has(Mod::kTestWait) || s.has(Mod::kTryWait)) {
    if (s.operands.size() < 3 || s.slots[0].bits != 1) return false;
    const bool parity = s.has(Mod::kParity);
    s.op.flow = Flow::kWait;
    s.op.run = s.has(Mod::kTryWait) ? (parity ? wait<true, true> : wait<false, true>)
                                    : (parity ? wait<true, false> : wait<false, false>);
  } else if (s.has(Mod::kArrive) || s.has(Mod::kArriveDrop)) {
    uint16_t v = 0;
    if (s.has(Mod::kArriveDrop)) v |= kDrop;
    if (s.has(Mod::kNoComplete)) v |= kNoComplete;
    if (s.has(Mod::kExpectTx)) v |= kExpect;
    if (s.operands[0].kind != ptx::OperandKind::kAddress) v |= kResult;
    s.op.variant = v;
    s.op.run = arrive;
  } else if (s.has(Mod::kExpectTx) || s.has(Mod::kCompleteTx)) {
    s.op.variant = s.has(Mod::kCompleteTx) ? kComplete : 0;
    s.op.run = bytes;
  }
  return s.op.run != nullptr;
}

}  // namespace pitot::emulator
