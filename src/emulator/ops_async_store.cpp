// Stores and reductions that tell an mbarrier when they are done: st.async, red.async; and st.bulk
// (PTX ISA, "Data Movement and Conversion"). The bytes move at once; see ops_bulk.cpp.
#include "emulator/access.h"
#include "emulator/atomic_arithmetic.h"
#include "emulator/block.h"
#include "emulator/families.h"
#include "emulator/mbarrier.h"
#include "emulator/transfer.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Space;

// Op::target: the space; Op::variant: bytes of an element.
bool find(Warp& w, const Op& op, LaneMask mask, AccessKind kind, uint32_t bytes, Access& a) {
  a.space = static_cast<Space>(op.target);
  a.kind = kind;
  a.bytes = bytes;
  return resolve_operand(w, op, 0, mask, a);
}

// The mbarrier is the third operand; the .release forms on global memory have none.
void tell(Warp& w, const Op& op, LaneMask mask, const Access& a) {
  if (op.operand_count < 3) return;
  Access b;
  read_addresses(w, op, w.program().operands_of(op)[2], mask, b);
  for_each_lane(mask, [&](unsigned l) {
    if (w.stop) return;
    const uint64_t barrier = shared_address(a.space, b.address[l]);
    bool odd = false;
    if (complete_bytes(w, op, l, barrier, a.bytes, &odd))
      mark_until(w, op, shared_address(a.space, a.address[l]), a.bytes, barrier, odd, true);
  });
}

void store(Warp& w, const Op& op, LaneMask mask) {
  const auto values = w.program().operand(op, 1);
  const uint32_t bytes = op.variant;
  Access a;
  if (!find(w, op, mask, AccessKind::kStore, bytes * static_cast<uint32_t>(values.size()), a))
    return;
  for (size_t e = 0; e < values.size(); ++e)
    for_each_lane(mask, [&](unsigned l) {
      const uint64_t v = w.get(values[e], l);
      std::memcpy(a.at[l] + e * bytes, &v, std::min(bytes, 8u));
      if (bytes == 16) std::memcpy(a.at[l] + 8, &w.u64(values[e].at)[kLanes + l], 8);
    });
  tell(w, op, mask, a);
}

template <class E>
void reduce(Warp& w, const Op& op, LaneMask mask) {
  using W = typename E::Word;
  Access a;
  if (!find(w, op, mask, AccessKind::kAtomic, sizeof(W), a)) return;
  const Slot& v = w.program().operand(op, 1)[0];
  for_each_lane(mask,
                [&](unsigned l) { rmw::run<E>(a.at[l], static_cast<W>(w.get(v, l)), 0, false); });
  tell(w, op, mask, a);
}

// Sets bytes of shared memory to zero.
void fill(Warp& w, const Op& op, LaneMask mask) {
  Access a;
  read_addresses(w, op, w.program().operands_of(op)[0], mask, a);
  const Slot& size = w.program().operand(op, 1)[0];
  for_each_lane(mask, [&](unsigned l) {
    if (w.stop) return;
    Bytes b;
    const uint64_t bytes = w.get(size, l);
    if (!aligned_run(w, op, l, a.address[l], 8, "the address") ||
        !aligned_run(w, op, l, bytes, 8, "the size"))
      return;
    uint64_t offset = shared_address(static_cast<Space>(op.target), a.address[l]);
    if (bytes > kSharedStride) {
      w.fault(FaultKind::kOutOfBounds, op, LaneMask{1} << l, offset,
              "st.bulk of more than shared memory");
      return;
    }
    b.resize(bytes);
    write_run(w, op, l, Space::kShared, offset, bytes, b, 0);
  });
}

}  // namespace

bool select_async_store(Selection& s) {
  const Mnemonic m = s.opcode.mnemonic;
  s.op.target = static_cast<uint32_t>(s.opcode.space);
  if (m == Mnemonic::kSt && s.has(Mod::kBulk)) {
    s.op.run = fill;
    return s.operands.size() == 3;
  }
  if ((m != Mnemonic::kSt && m != Mnemonic::kRed) || !s.has(Mod::kAsync)) return false;
  if (s.operands.size() < 2 || s.operands[1].count != s.opcode.vector) return false;
  const unsigned bytes = ptx::bytes_of(s.opcode.type);
  if (bytes == 0 || bytes > 16) return false;
  s.op.variant = static_cast<uint16_t>(bytes);
  if (m == Mnemonic::kSt) {
    s.op.run = store;
    return true;
  }
  return rmw::visit(s.opcode, s.opcode.type, [&]<class E>(E) { s.op.run = reduce<E>; });
}

}  // namespace pitot::emulator
