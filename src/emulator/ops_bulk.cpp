// cp.async.bulk and cp.reduce.async.bulk: runs of bytes between global memory and the shared memory
// of the blocks of a cluster (PTX ISA, "Bulk copy").
//
// The bytes move, and the mbarrier is told, when the copy is issued. With Checks::async_copies what
// a copy writes in shared memory is marked until somebody sees the mbarrier's phase complete, and
// what one reads there until the thread waits for its bulk group.
#include <fmt/format.h>

#include "emulator/access.h"
#include "emulator/atomic_arithmetic.h"
#include "emulator/block.h"
#include "emulator/families.h"
#include "emulator/mbarrier.h"
#include "emulator/memory.h"
#include "emulator/transfer.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Space;

enum : uint16_t { kToShared = 1, kFromGlobal = 2, kMulticast = 4, kByteMask = 8, kIgnoreOob = 16 };

// Bytes of `b` to memory: copied, or combined with what is there.
using Put = bool (*)(Warp&, const Op&, unsigned lane, Space, uint64_t to, const Bytes& b);

bool put_copy(Warp& w, const Op& op, unsigned lane, Space space, uint64_t to, const Bytes& b) {
  return write_run(w, op, lane, space, to, b.data.size(), b, 0);
}

template <class E>
bool put_reduced(Warp& w, const Op& op, unsigned lane, Space space, uint64_t to, const Bytes& b) {
  using W = typename E::Word;
  tell_races(w, op, lane, space, to, b.data.size(), AccessKind::kAtomic);
  return for_each_piece(w, op, lane, space, to, b.data.size(), true, [&](const Piece& p) {
    for (uint64_t i = 0; i < p.bytes; i += sizeof(W)) {
      W v;
      std::memcpy(&v, b.data.data() + p.done + i, sizeof(W));
      rmw::run<E>(p.at + i, v, 0, false);  // unlike atom and red
    }
  });
}

// .cp_mask: of every 16 bytes those whose bit is set.
bool put_masked(Warp& w, const Op& op, unsigned lane, Space space, uint64_t to, const Bytes& b,
                uint64_t mask) {
  for (size_t i = 0; i < b.data.size(); ++i)
    if ((mask >> (i % 16) & 1) != 0 && !write_run(w, op, lane, space, to + i, 1, b, i))
      return false;
  return true;
}

bool to_shared(Warp& w, const Op& op, unsigned lane, Put put, uint64_t to, uint64_t barrier,
               const Bytes& b) {
  if (!put(w, op, lane, Space::kShared, to, b)) return false;
  bool odd = false;
  if (!complete_bytes(w, op, lane, barrier, b.data.size(), &odd)) return false;
  mark_until(w, op, to, b.data.size(), barrier, odd, true);
  return true;
}

// .ignore_oob: bytes at both ends that are not read, and of which the copies are indeterminate.
bool ignored(Warp& w, const Op& op, unsigned l, uint64_t& left, uint64_t& right, Bytes& b) {
  left = w.get(w.program().operand(op, 3)[0], l);
  right = w.get(w.program().operand(op, 4)[0], l);
  if (left > 15 || right > 15) {
    w.fault(FaultKind::kIllegal, op, LaneMask{1} << l, 0,
            fmt::format("{} and {} bytes to ignore: 15 are the most", left, right));
    return false;
  }
  for (size_t i = 0; i < b.data.size(); ++i)
    if (i < left || i + right >= b.data.size()) b.defined[i] = 0;
  return true;
}

bool one(Warp& w, const Op& op, unsigned l, Put put, uint64_t to, uint64_t from, uint64_t bytes,
         uint64_t barrier) {
  const Program& p = w.program();
  if (!aligned_run(w, op, l, to, 16, "the destination") ||
      !aligned_run(w, op, l, from, 16, "the source") ||
      !aligned_run(w, op, l, bytes, 16, "the size"))
    return false;
  Bytes b;
  b.resize(bytes);
  const bool from_global = (op.variant & kFromGlobal) != 0;
  uint64_t left = 0, right = 0;
  if ((op.variant & kIgnoreOob) != 0 && !ignored(w, op, l, left, right, b)) return false;
  if (left + right < bytes && !read_run(w, op, l, from_global ? Space::kGlobal : Space::kShared,
                                        from + left, bytes - left - right, b, left))
    return false;
  if ((op.variant & kToShared) == 0) {
    const size_t last = op.operand_count - 1u;
    const bool good = (op.variant & kByteMask) != 0 ? put_masked(w, op, l, Space::kGlobal, to, b,
                                                                 w.get(p.operand(op, last)[0], l))
                                                    : put(w, op, l, Space::kGlobal, to, b);
    if (good) mark_group(w, op, l, CopyMarks::Kind::kBulk, from, bytes, false);
    return good;
  }
  if ((op.variant & kMulticast) == 0) return to_shared(w, op, l, put, to, barrier, b);
  return for_each_block(w, op, l, w.get(p.operand(op, 4)[0], l), [&](uint64_t base) {
    return to_shared(w, op, l, put, base + to % kSharedStride, base + barrier % kSharedStride, b);
  });
}

void run(Warp& w, const Op& op, LaneMask mask, Put put) {
  const auto operands = w.program().operands_of(op);
  Access to, from, barrier;
  read_addresses(w, op, operands[0], mask, to);
  read_addresses(w, op, operands[1], mask, from);
  if ((op.variant & kToShared) != 0)
    read_addresses(w, op, operands[(op.variant & kIgnoreOob) != 0 ? 5 : 3], mask, barrier);
  const Slot& bytes = w.program().operand(op, 2)[0];
  for_each_lane(mask, [&](unsigned l) {
    if (!w.stop)
      one(w, op, l, put, to.address[l], from.address[l], w.get(bytes, l), barrier.address[l]);
  });
}

void copy(Warp& w, const Op& op, LaneMask mask) { run(w, op, mask, put_copy); }

template <class E>
void reduce(Warp& w, const Op& op, LaneMask mask) {
  run(w, op, mask, put_reduced<E>);
}

void nothing(Warp&, const Op&, LaneMask) {}

}  // namespace

bool select_bulk(Selection& s) {
  const bool multimem = s.opcode.mnemonic == Mnemonic::kMultimem && s.has(Mod::kCp);
  if (s.opcode.mnemonic != Mnemonic::kCp && !multimem) return false;
  if (!s.has(Mod::kBulk) || s.has(Mod::kTensor)) return false;
  if (s.has(Mod::kPrefetch)) {
    s.op.run = nothing;
    return true;
  }
  uint16_t v = 0;
  if (s.opcode.space != Space::kGlobal) v |= kToShared;
  if (s.opcode.space != Space::kGlobal && s.has(Mod::kGlobal)) v |= kFromGlobal;
  if (s.has(Mod::kMulticastCluster)) v |= kMulticast;
  if (s.has(Mod::kCpMask)) v |= kByteMask;
  if (s.has(Mod::kIgnoreOob)) v |= kIgnoreOob;
  s.op.variant = v;
  const size_t least = (v & kIgnoreOob) != 0 ? 6 : (v & kToShared) != 0 ? 4 : 3;
  if (s.operands.size() < least) return false;
  if (!s.has(Mod::kReduce)) {
    s.op.run = copy;
    return true;
  }
  return rmw::visit(s.opcode, s.opcode.type, [&]<class E>(E) { s.op.run = reduce<E>; });
}

}  // namespace pitot::emulator
