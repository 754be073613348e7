// Exchange between the lanes of a warp: shfl, vote, match, redux, elect, activemask (PTX ISA,
// "Data Movement and Conversion", "Parallel Synchronization and Communication").
#include <fmt/format.h>

#include <algorithm>

#include "emulator/block.h"
#include "emulator/families.h"
#include "emulator/member_mask.h"
#include "emulator/vector_op.h"

namespace pitot::emulator {

bool member_masks_hold(Warp& w, const Op& op, LaneMask executing, const Members& members) {
  if (!w.block.checks().member_masks) return true;
  const unsigned first = static_cast<unsigned>(std::countr_zero(executing));
  const bool uniform = members.uniform();
  if (uniform && (executing & ~members.given(first)) == 0) return true;
  LaneMask outside = 0;
  for_each_lane(executing, [&](unsigned l) {
    if (((members.given(l) >> l) & 1) == 0) outside |= LaneMask{1} << l;
  });
  if (outside != 0) {
    w.fault(FaultKind::kMemberMask, op, outside, 0,
            fmt::format("lanes {:#010x} are not in their own member mask {:#010x}", outside,
                        members.given(static_cast<unsigned>(std::countr_zero(outside)))));
    return false;
  }
  LaneMask differ = 0;
  for_each_lane(executing, [&](unsigned l) {
    for_each_lane(members.of(l), [&](unsigned other) {
      if (members.given(other) != members.given(l)) differ |= LaneMask{1} << l;
    });
  });
  if (differ == 0) return true;
  const unsigned l = static_cast<unsigned>(std::countr_zero(differ));
  w.fault(
      FaultKind::kMemberMask, op, differ, 0,
      fmt::format("lane {} gives the member mask {:#010x}, but lanes that it names give another", l,
                  members.given(l)));
  return false;
}

LaneMask undefined_in(const Warp& w, const Slot& slot) {
  if (slot.reg == UINT32_MAX || !w.block.checks().uninitialised) return 0;
  return w.frame->undefined[slot.reg];
}

void set_undefined(Warp& w, const Slot& slot, LaneMask written, LaneMask undefined) {
  if (slot.reg == UINT32_MAX || !w.block.checks().uninitialised) return;
  LaneMask& u = w.frame->undefined[slot.reg];
  u = (u & ~written) | (undefined & written);
}

namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

void write_predicate(Warp& w, const Slot& d, LaneMask mask, LaneMask value) {
  LaneMask& p = w.predicate(d.at);
  p = (p & ~mask) | (value & mask);
}

LaneMask read_predicate(Warp& w, const Slot& s) {
  return s.negated ? ~w.predicate(s.at) : w.predicate(s.at);
}

enum class Shuffle : uint8_t { kUp, kDown, kBfly, kIdx };

// Op::imm: the slot of the value; those of the lane and of the clamp follow. The slots before are
// d, or d and p. A lane that reads one that does not take part gets its own value, undefined.
template <Shuffle kMode>
void shfl(Warp& w, const Op& op, LaneMask mask) {
  const Members members(w, op, mask);
  if (!member_masks_hold(w, op, mask, members)) return;
  const auto slots = w.program().slots_of(op);
  const auto source = static_cast<size_t>(op.imm);
  uint32_t value[kLanes];
  std::copy_n(w.u32(slots[source].at), kLanes, value);
  const uint32_t* b = w.u32(slots[source + 1].at);
  const uint32_t* c = w.u32(slots[source + 2].at);
  int32_t from[kLanes];
  const LaneMask inside = lanes_where([&](unsigned i) {
    const int32_t lane = static_cast<int32_t>(i);
    const int32_t segment = static_cast<int32_t>((c[i] >> 8) & 31);
    const int32_t clamp = static_cast<int32_t>(c[i] & 31), by = static_cast<int32_t>(b[i] & 31);
    const int32_t highest = (lane & segment) | (clamp & ~segment);
    int32_t j = 0;
    bool in = false;
    switch (kMode) {
      case Shuffle::kUp:
        j = lane - by;
        in = j >= highest;
        break;
      case Shuffle::kDown:
        j = lane + by;
        in = j <= highest;
        break;
      case Shuffle::kBfly:
        j = lane ^ by;
        in = j <= highest;
        break;
      case Shuffle::kIdx:
        j = (lane & segment) | (by & ~segment);
        in = j <= highest;
        break;
    }
    from[i] = in ? j : lane;
    return in;
  });
  const LaneMask missing =
      lanes_where([&](unsigned i) { return ((members.of(i) >> from[i]) & 1) == 0; }) & mask;
  if (missing != 0) for_each_lane(missing, [&](unsigned i) { from[i] = static_cast<int32_t>(i); });
  store_lanes<uint32_t>(w.u32(slots[0].at), mask, [&](unsigned i) { return value[from[i]]; });
  if (source == 2) write_predicate(w, slots[1], mask, inside);
  if (w.block.checks().uninitialised) {
    const LaneMask values = undefined_in(w, slots[source]);
    const LaneMask choice = undefined_in(w, slots[source + 1]) | undefined_in(w, slots[source + 2]);
    const LaneMask bad =
        missing | choice | lanes_where([&](unsigned i) { return (values >> from[i]) & 1; });
    set_undefined(w, slots[0], mask, bad);
    if (source == 2) set_undefined(w, slots[1], mask, choice);
  }
}

enum class Vote : uint8_t { kAll, kAny, kUni, kBallot };

template <Vote kKind>
void vote(Warp& w, const Op& op, LaneMask mask) {
  const Members members(w, op, mask);
  if (!member_masks_hold(w, op, mask, members)) return;
  const auto slots = w.program().slots_of(op);
  const LaneMask p = read_predicate(w, slots[1]);
  const LaneMask unknown = undefined_in(w, slots[1]);
  LaneMask yes = 0, bad = 0;
  for_each_lane(mask, [&](unsigned lane) {
    const LaneMask those = members.of(lane), set = p & those;
    if ((unknown & those) != 0) bad |= LaneMask{1} << lane;
    if constexpr (kKind == Vote::kBallot) {
      w.u32(slots[0].at)[lane] = set;
    } else {
      const bool v = kKind == Vote::kAll   ? set == those
                     : kKind == Vote::kAny ? set != 0
                                           : set == 0 || set == those;
      yes |= static_cast<LaneMask>(v ? 1 : 0) << lane;
    }
  });
  if constexpr (kKind != Vote::kBallot) write_predicate(w, slots[0], mask, yes);
  set_undefined(w, slots[0], mask, bad);
}

// Op::imm: the slot of the value; 2 when there is a predicate before it.
template <class T, bool kAll>
void match(Warp& w, const Op& op, LaneMask mask) {
  const Members members(w, op, mask);
  if (!member_masks_hold(w, op, mask, members)) return;
  const auto slots = w.program().slots_of(op);
  const Slot& source = slots[static_cast<size_t>(op.imm)];
  T value[kLanes];
  std::copy_n(words<T>(w, source.at), kLanes, value);
  const LaneMask unknown = undefined_in(w, source);
  LaneMask yes = 0, bad = 0;
  for_each_lane(mask, [&](unsigned lane) {
    const LaneMask those = members.of(lane);
    const LaneMask equal = lanes_where([&](unsigned i) { return value[i] == value[lane]; }) & those;
    w.u32(slots[0].at)[lane] = !kAll || equal == those ? equal : 0;
    if (equal == those) yes |= LaneMask{1} << lane;
    if ((unknown & those) != 0) bad |= LaneMask{1} << lane;
  });
  set_undefined(w, slots[0], mask, bad);
  if (op.imm == 2) {
    write_predicate(w, slots[1], mask, yes);
    set_undefined(w, slots[1], mask, bad);
  }
}

// Folds the values of the lanes that take part, for each set of them once.
template <class T, class F>
void reduce(Warp& w, const Op& op, LaneMask mask, F fold) {
  const Members members(w, op, mask);
  if (!member_masks_hold(w, op, mask, members)) return;
  const auto slots = w.program().slots_of(op);
  uint32_t value[kLanes];
  std::copy_n(w.u32(op.a), kLanes, value);
  const LaneMask unknown = undefined_in(w, slots[1]);
  LaneMask left = mask, bad = 0;
  while (left != 0) {
    const LaneMask those = members.of(static_cast<unsigned>(std::countr_zero(left)));
    T result{};
    bool first = true;
    for_each_lane(those, [&](unsigned i) {
      const T v = from_word<T>(value[i]);
      result = first ? fold(v, v, true) : fold(result, v, false);
      first = false;
    });
    for_each_lane(those, [&](unsigned i) { w.u32(op.d)[i] = to_word<T>(result); });
    if ((unknown & those) != 0) bad |= those;
    // Without the check, lanes outside of their own mask are possible: they keep what they had.
    left &= ~(those | LaneMask{1} << std::countr_zero(left));
  }
  set_undefined(w, slots[0], mask, bad);
}

void redux_add(Warp& w, const Op& op, LaneMask mask) {
  reduce<uint32_t>(w, op, mask, [](uint32_t a, uint32_t b, bool f) { return f ? a : a + b; });
}
template <class T>
void redux_min(Warp& w, const Op& op, LaneMask mask) {
  reduce<T>(w, op, mask, [](T a, T b, bool) { return std::min(a, b); });
}
template <class T>
void redux_max(Warp& w, const Op& op, LaneMask mask) {
  reduce<T>(w, op, mask, [](T a, T b, bool) { return std::max(a, b); });
}
void redux_and(Warp& w, const Op& op, LaneMask mask) {
  reduce<uint32_t>(w, op, mask, [](uint32_t a, uint32_t b, bool) { return a & b; });
}
void redux_or(Warp& w, const Op& op, LaneMask mask) {
  reduce<uint32_t>(w, op, mask, [](uint32_t a, uint32_t b, bool) { return a | b; });
}
void redux_xor(Warp& w, const Op& op, LaneMask mask) {
  reduce<uint32_t>(w, op, mask, [](uint32_t a, uint32_t b, bool f) { return f ? a : a ^ b; });
}

// f32 as bits. NaNs are left out unless kNaN, where one makes the result NaN; all of them make it
// NaN too. +0 > -0.
template <bool kMax, bool kAbs, bool kNaN>
void redux_float(Warp& w, const Op& op, LaneMask mask) {
  constexpr uint32_t kCanonical = 0x7fffffff;
  auto is_nan = [](uint32_t v) { return (v & 0x7fffffff) > 0x7f800000; };
  auto order = [](uint32_t v) {  // as a signed number, in the order of the floats
    return static_cast<int32_t>(v) < 0 ? static_cast<int32_t>(0x80000000u - v) - 1
                                       : static_cast<int32_t>(v);
  };
  auto clean = [&](uint32_t v) {
    if (kAbs) v &= 0x7fffffff;
    return is_nan(v) ? kCanonical : v;
  };
  reduce<uint32_t>(w, op, mask, [&](uint32_t a, uint32_t b, bool) {
    a = clean(a), b = clean(b);
    if (is_nan(a)) return kNaN ? a : b;
    if (is_nan(b)) return kNaN ? b : a;
    return (kMax ? order(a) >= order(b) : order(a) <= order(b)) ? a : b;
  });
}

template <bool kMax>
Handler redux_float_for(bool abs, bool nan) {
  if (abs) return nan ? redux_float<kMax, true, true> : redux_float<kMax, true, false>;
  return nan ? redux_float<kMax, false, true> : redux_float<kMax, false, false>;
}

// The lowest lane of the mask is the leader.
void elect(Warp& w, const Op& op, LaneMask mask) {
  const Members members(w, op, mask);
  if (!member_masks_hold(w, op, mask, members)) return;
  const auto slots = w.program().slots_of(op);
  LaneMask leaders = 0;
  for_each_lane(mask, [&](unsigned lane) {
    const LaneMask those = members.of(lane);
    const unsigned leader = those != 0 ? static_cast<unsigned>(std::countr_zero(those)) : lane;
    w.set(slots[0], lane, leader);
    if (leader == lane) leaders |= LaneMask{1} << lane;
  });
  set_undefined(w, slots[0], mask, 0);
  write_predicate(w, slots[1], mask, leaders);
  set_undefined(w, slots[1], mask, 0);
}

void activemask(Warp& w, const Op& op, LaneMask mask) {
  store_lanes<uint32_t>(w.u32(op.d), mask, [&](unsigned) { return mask; });
}

// The member mask is the last operand of every .sync form.
bool convergent(Selection& s, bool sync, Handler run) {
  if (run == nullptr) return false;
  s.op.flow = Flow::kConvergent;
  s.op.variant = kNoMemberMask;
  s.op.tracks = true;
  if (sync) {
    if (s.slots.back().bits != 32) return false;
    s.op.variant = static_cast<uint16_t>(s.slots.size() - 1);
  }
  s.op.run = run;
  return true;
}

bool shuffle(Selection& s) {
  const bool sync = s.has(Mod::kSync);
  if (s.operands.size() != (sync ? 5u : 4u)) return false;
  const size_t source = s.operands[0].count;
  if (source > 2 || s.slots.size() != source + s.operands.size() - 1) return false;
  for (size_t i = source; i < s.slots.size(); ++i)
    if (s.slots[i].bits != 32) return false;
  if (s.slots[0].bits != 32) return false;
  s.op.imm = static_cast<int64_t>(source);
  return convergent(s, sync,
                    s.has(Mod::kUp)     ? shfl<Shuffle::kUp>
                    : s.has(Mod::kDown) ? shfl<Shuffle::kDown>
                    : s.has(Mod::kBfly) ? shfl<Shuffle::kBfly>
                    : s.has(Mod::kIdx)  ? shfl<Shuffle::kIdx>
                                        : nullptr);
}

bool voting(Selection& s) {
  const bool sync = s.has(Mod::kSync);
  if (s.slots.size() != (sync ? 3u : 2u) || s.slots[1].bits != 1) return false;
  return convergent(s, sync,
                    s.has(Mod::kAll)      ? vote<Vote::kAll>
                    : s.has(Mod::kAny)    ? vote<Vote::kAny>
                    : s.has(Mod::kUni)    ? vote<Vote::kUni>
                    : s.has(Mod::kBallot) ? vote<Vote::kBallot>
                                          : nullptr);
}

bool matching(Selection& s) {
  const size_t source = s.operands[0].count;
  if (source > 2 || s.slots.size() != source + 2) return false;
  s.op.imm = static_cast<int64_t>(source);
  const unsigned bits = s.slots[source].bits;
  if (bits != 32 && bits != 64) return false;
  const bool all = s.has(Mod::kAll);
  return convergent(s, true,
                    bits == 64 ? (all ? match<uint64_t, true> : match<uint64_t, false>)
                               : (all ? match<uint32_t, true> : match<uint32_t, false>));
}

bool reduction(Selection& s) {
  if (s.slots.size() != 3 || s.slots[0].bits != 32 || s.slots[1].bits != 32) return false;
  const bool min = s.has(Mod::kMin), max = s.has(Mod::kMax);
  Handler run = nullptr;
  if (s.type == Type::kF32) {
    const bool abs = s.has(Mod::kAbs), nan = s.has(Mod::kNaN);
    run = max ? redux_float_for<true>(abs, nan) : min ? redux_float_for<false>(abs, nan) : nullptr;
  } else if (s.has(Mod::kAdd)) {
    run = redux_add;
  } else if (s.has(Mod::kAnd)) {
    run = redux_and;
  } else if (s.has(Mod::kOr)) {
    run = redux_or;
  } else if (s.has(Mod::kXor)) {
    run = redux_xor;
  } else if (s.type == Type::kS32) {
    run = min ? redux_min<int32_t> : max ? redux_max<int32_t> : nullptr;
  } else if (s.type == Type::kU32) {
    run = min ? redux_min<uint32_t> : max ? redux_max<uint32_t> : nullptr;
  }
  return convergent(s, true, run);
}

}  // namespace

bool select_warp(Selection& s) {
  switch (s.opcode.mnemonic) {
    case Mnemonic::kShfl:
      return shuffle(s);
    case Mnemonic::kVote:
      return voting(s);
    case Mnemonic::kMatch:
      return matching(s);
    case Mnemonic::kRedux:
      return reduction(s);
    case Mnemonic::kElect:
      return s.slots.size() == 3 && s.slots[1].bits == 1 && convergent(s, true, elect);
    case Mnemonic::kActivemask:
      if (s.slots.size() != 1 || s.slots[0].bits != 32) return false;
      s.op.run = activemask;
      return true;
    default:
      return false;
  }
}

}  // namespace pitot::emulator
