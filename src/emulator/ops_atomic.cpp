// atom and red: read-modify-write of memory by every lane in turn, lowest first (PTX ISA,
// "Parallel Synchronization and Communication").
#include <fmt/format.h>

#include <array>

#include "emulator/access.h"
#include "emulator/atomic_arithmetic.h"
#include "emulator/block.h"
#include "emulator/families.h"
#include "emulator/member_mask.h"
#include "emulator/vector_op.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Space;
using ptx::Type;

// Op::variant: whether there is a destination; elements.
bool has_result(const Op& op) { return (op.variant & 1) != 0; }
unsigned elements(const Op& op) { return op.variant >> 1; }
constexpr unsigned kMostElements = 8;

// Looks the bytes up. False after a fault: also for memory that has no atomics, and for what
// nothing wrote, since it would be written back with the result.
bool resolve_atomic(Warp& w, const Op& op, LaneMask mask, bool replaces, Access& a) {
  a.space = static_cast<Space>(op.target);
  a.kind = AccessKind::kAtomic;
  const size_t address = has_result(op) ? 1 : 0;
  read_addresses(w, op, w.program().operands_of(op)[address], mask, a);
  if (a.space == Space::kNone) {
    LaneMask bad = 0;
    for_each_lane(mask, [&](unsigned l) {
      const Space s = space_of(a.address[l]);
      if (s == Space::kLocal || s == Space::kParam) bad |= LaneMask{1} << l;
    });
    if (bad != 0) {
      w.fault(FaultKind::kIllegal, op, bad, a.address[static_cast<unsigned>(std::countr_zero(bad))],
              "an atomic operation on memory of the thread");
      return false;
    }
  }
  if (!resolve(w, op, mask, a)) return false;
  if (!w.block.checks().uninitialised) return true;
  LaneMask bad = replaces ? 0 : a.undefined & mask;
  if (replaces) w.taint |= a.undefined;
  const char* what = "an atomic operation on memory that nothing wrote";
  if (bad == 0) {
    const auto all = w.program().operands_of(op);
    for (size_t k = address + 1; k < all.size(); ++k)
      for (const Slot& s : w.program().operand(op, k)) bad |= undefined_in(w, s) & mask;
    what = "the operand comes from a value that nothing wrote";
  }
  if (bad == 0) return true;
  w.fault(FaultKind::kUninitialised, op, bad,
          a.address[static_cast<unsigned>(std::countr_zero(bad))], what);
  return false;
}

template <class E>
void atomic(Warp& w, const Op& op, LaneMask mask) {
  using W = typename E::Word;
  const unsigned count = elements(op);
  Access a;
  a.bytes = static_cast<uint32_t>(sizeof(W)) * count;
  if (!resolve_atomic(w, op, mask, rmw::replaces<E>(), a)) return;
  const size_t first = has_result(op) ? 2 : 1;
  const auto d = w.program().operand(op, 0), b = w.program().operand(op, first);
  const Slot& c = w.program().operand(op, first + (op.operand_count > first + 1 ? 1 : 0))[0];
  const bool generic = a.space == Space::kNone;
  const bool global = ptx::base_space(a.space) == Space::kGlobal;
  for_each_lane(mask, [&](unsigned l) {
    const bool flush = global || (generic && space_of(a.address[l]) == Space::kGlobal);
    std::array<W, kMostElements> old{};  // a destination may be a later element's source
    for (unsigned e = 0; e < count; ++e)
      old[e] = rmw::run<E>(a.at[l] + e * sizeof(W), static_cast<W>(w.get(b[e], l)),
                           static_cast<W>(w.get(c, l)), flush);
    if (!has_result(op)) return;
    for (unsigned e = 0; e < count; ++e)
      if (!d[e].sink) w.set(d[e], l, old[e]);
  });
}

// 128 bits without a host atomic: an operation with a result keeps the blocks of a launch from
// running at the same time, and there is none without one.
template <bool kCompare>
void atomic_wide(Warp& w, const Op& op, LaneMask mask) {
  Access a;
  a.bytes = 16;
  if (!resolve_atomic(w, op, mask, !kCompare, a)) return;
  const Slot& d = w.program().operand(op, 0)[0];
  const uint64_t* b = w.u64(w.program().operand(op, 2)[0].at);
  const uint64_t* c = kCompare ? w.u64(w.program().operand(op, 3)[0].at) : b;
  for_each_lane(mask, [&](unsigned l) {
    uint64_t old[2];
    std::memcpy(old, a.at[l], 16);
    if (!kCompare || (old[0] == b[l] && old[1] == b[kLanes + l])) {
      const uint64_t next[2] = {c[l], c[kLanes + l]};
      std::memcpy(a.at[l], next, 16);
    }
    if (d.sink) return;
    w.u64(d.at)[l] = old[0];
    w.u64(d.at)[kLanes + l] = old[1];
  });
}

bool select(Selection& s, bool result) {
  const size_t first = result ? 2 : 1;
  if (s.operands.size() <= first) return false;
  const unsigned count = s.opcode.vector;
  if (count > kMostElements) return false;
  if (s.operands[first].count != count || (result && s.operands[0].count != count)) return false;
  for (unsigned e = 0; e < count; ++e)
    if (s.slot_of(first, e)->bits == 1 || (result && s.slot_of(0, e)->bits == 1)) return false;
  s.op.variant = static_cast<uint16_t>((result ? 1u : 0u) | count << 1);
  s.op.target = static_cast<uint32_t>(s.opcode.space);
  const Type t = s.opcode.type;
  if (t == Type::kB128) {
    const bool cas = s.has(Mod::kCas);
    for (size_t k = first; k < first + (cas ? 2 : 1); ++k)
      if (s.slot_of(k) == nullptr || s.slot_of(k)->bits != 128) return false;
    s.op.run = cas ? atomic_wide<true> : s.has(Mod::kExch) ? atomic_wide<false> : nullptr;
    return result && s.op.run != nullptr;
  }
  if (s.has(Mod::kCas) && s.slot_of(first + 1) == nullptr) return false;
  return rmw::visit(s.opcode, t, [&]<class E>(E) { s.op.run = atomic<E>; });
}

}  // namespace

bool select_atomic(Selection& s) {
  switch (s.opcode.mnemonic) {
    case Mnemonic::kAtom:
      return select(s, true);
    case Mnemonic::kRed:
      return !s.has(Mod::kAsync) && select(s, false);
    case Mnemonic::kMultimem:
      return s.has(Mod::kRed) && select(s, false);
    default:
      return false;
  }
}

}  // namespace pitot::emulator
