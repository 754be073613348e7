// Undefined values on their way through registers: reported where they first matter, not where they
// are made (a masked load whose value nobody uses is fine).
#include "emulator/track.h"

#include "emulator/block.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;

LaneMask undefined_in_slot(const Warp& w, const Slot& s) {
  return s.reg == UINT32_MAX ? 0 : w.frame->undefined[s.reg];
}

LaneMask predicate_of(Warp& w, const Slot& s) {
  const LaneMask p = w.predicate(s.at);
  return s.negated ? ~p : p;
}

// Lanes in which the slot holds this value, of at most 64 bits.
LaneMask lanes_with(Warp& w, const Slot& s, uint64_t value) {
  LaneMask out = 0;
  for (unsigned l = 0; l < kLanes; ++l) out |= LaneMask{w.get(s, l) == value} << l;
  return out;
}

}  // namespace

Choice choice_of(const ptx::Opcode& o, std::span<const Slot> slots) {
  switch (o.mnemonic) {
    case Mnemonic::kSelp:
      return slots.size() == 4 ? Choice::kPredicate : Choice::kNone;
    case Mnemonic::kSlct:
      return slots.size() == 4 ? Choice::kSign : Choice::kNone;
    case Mnemonic::kAnd:
    case Mnemonic::kOr:
      if (slots.size() != 3 || slots[0].bits > 64) return Choice::kNone;
      return o.mnemonic == Mnemonic::kAnd ? Choice::kAnd : Choice::kOr;
    case Mnemonic::kSetp:
      if (slots.size() < 4 || slots.back().bits != 1) return Choice::kNone;
      return o.has_mod(Mod::kAnd)  ? Choice::kCompareAnd
             : o.has_mod(Mod::kOr) ? Choice::kCompareOr
                                   : Choice::kNone;
    default:
      return Choice::kNone;
  }
}

void Block::choose(Warp& w, const Op& op) {
  const auto slots = w.program().slots_of(op);
  auto undefined = [&](size_t n) { return undefined_in_slot(w, slots[n]); };
  LaneMask all = 0;
  for (const Slot& s : slots)
    if (s.read) all |= undefined_in_slot(w, s);
  w.chosen = all;
  if (all == 0) return;
  switch (op.choice) {
    case Choice::kPredicate: {
      const LaneMask p = predicate_of(w, slots[3]);
      w.chosen = undefined(3) | (p & undefined(1)) | (~p & undefined(2));
      return;
    }
    case Choice::kSign: {
      // A float's sign is not all that decides (-0, NaN): what it says is undefined only when it
      // is.
      const bool real =
          ptx::kind_of(w.program().instruction(op).opcode->type) == ptx::TypeKind::kFloat;
      LaneMask first = 0;
      for (unsigned l = 0; l < kLanes; ++l) {
        const auto c = static_cast<uint32_t>(w.get(slots[3], l));
        const bool yes = real ? std::bit_cast<float>(c) >= 0 : static_cast<int32_t>(c) >= 0;
        first |= LaneMask{yes} << l;
      }
      w.chosen = undefined(3) | (first & undefined(1)) | (~first & undefined(2));
      return;
    }
    case Choice::kAnd:
    case Choice::kOr: {
      const bool is_and = op.choice == Choice::kAnd;
      LaneMask decided = 0;
      for (size_t n = 1; n <= 2; ++n) {
        const Slot& s = slots[n];
        const uint64_t ones = s.bits >= 64 ? UINT64_MAX : (uint64_t{1} << s.bits) - 1;
        decided |= lanes_with(w, s, is_and ? 0 : ones) & ~undefined(n);
      }
      w.chosen = all & ~decided;
      return;
    }
    case Choice::kCompareAnd:
    case Choice::kCompareOr: {
      const LaneMask c = predicate_of(w, slots.back());
      const LaneMask decides = op.choice == Choice::kCompareAnd ? ~c : c;
      w.chosen = all & ~(decides & ~undefined(slots.size() - 1));
      return;
    }
    case Choice::kNone:
      return;
  }
}

void Block::track(Warp& w, const Op& op, LaneMask mask) {
  LaneMask bad = w.taint;
  w.taint = 0;
  if (op.tracks) return;
  LaneMask* const undefined = w.frame->undefined.data();
  const uint32_t* reg = w.program().regs.data() + op.first_reg;
  if (op.choice != Choice::kNone) {
    bad |= w.chosen;
    reg += op.regs_read;
  } else {
    for (unsigned k = 0; k < op.regs_read; ++k) bad |= undefined[*reg++];
  }
  bad &= mask;
  for (unsigned k = 0; k < op.regs_written; ++k, ++reg)
    undefined[*reg] = (undefined[*reg] & ~mask) | bad;
}

bool Block::undefined_guard(Warp& w, const Op& op, LaneMask lanes) {
  w.fault(FaultKind::kUninitialised, op, lanes, 0,
          "the guard comes from a value that nothing wrote");
  return false;
}

}  // namespace pitot::emulator
