#include "emulator/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulator/access.h"
#include "emulator/block.h"
#include "emulator/defined_bits.h"
#include "emulator/gang.h"
#include "emulator/observer.h"
#include "emulator/place_text.h"
#include "emulator/race_check.h"

namespace pitot::emulator {
namespace {

using ptx::Space;

uint32_t number_of(const Warp& w, const Op& op) {
  return static_cast<uint32_t>(&op - w.program().ops.data());
}

bool outside(Warp& w, const Op& op, unsigned lane, uint64_t address, uint64_t bytes, bool write) {
  std::string text = outside_text(w.block.memory(), write ? "write" : "read", address, bytes);
  w.fault(FaultKind::kOutOfBounds, op, LaneMask{1} << lane, address, std::move(text));
  return false;
}

}  // namespace

void tell_races(Warp& w, const Op& op, unsigned lane, Space space, uint64_t address, uint64_t bytes,
                AccessKind kind) {
  if (w.block.order != nullptr) w.block.gang().races->run(w, op, lane, space, address, bytes, kind);
}

bool for_each_piece(Warp& w, const Op& op, unsigned lane, Space space, uint64_t address,
                    uint64_t bytes, bool write, const std::function<void(const Piece&)>& f) {
  if (bytes == 0) return true;
  const LaneMask one = LaneMask{1} << lane;
  space = ptx::base_space(space);
  if (space == Space::kNone) {
    space = space_of(address);
    if (space == Space::kShared) address -= kSharedWindow;
    if (space == Space::kParam) address -= kParamWindow;
  }
  if (space == Space::kShared) {
    uint64_t offset = address;
    Block* owner = w.block.gang().shared_owner(w.block, offset);
    const uint64_t size = owner != nullptr ? owner->shared().size() : 0;
    if (offset > size || bytes > size - offset) {
      w.fault(FaultKind::kOutOfBounds, op, one, address,
              fmt::format("{} of {} bytes at {:#x} of shared memory, which has {} bytes",
                          write ? "write" : "read", bytes, address, w.block.shared().size()));
      return false;
    }
    if (!shared_is_there(w, op, one, *owner, offset, bytes, write)) return false;
    Piece p;
    p.at = owner->shared().data() + offset;
    p.bytes = bytes;
    if (!owner->shared_defined.empty()) p.defined = owner->shared_defined.data();
    p.bit = offset;
    if (Observer* o = w.block.observer()) o->moved(w, op, space, offset, bytes, write);
    f(p);
    return true;
  }
  if (space == Space::kParam) {
    const auto& parameters = w.block.launch().parameters;
    if (write || w.frame->parent || address > parameters.size() ||
        bytes > parameters.size() - address) {
      w.fault(write ? FaultKind::kIllegal : FaultKind::kOutOfBounds, op, one, address,
              fmt::format("{} of {} bytes at {:#x} of the parameters", write ? "write" : "read",
                          bytes, address));
      return false;
    }
    Piece p;
    p.at = const_cast<std::byte*>(parameters.data() + address);
    p.bytes = bytes;
    f(p);
    return true;
  }
  if (space != Space::kGlobal && space != Space::kConst) {
    w.fault(FaultKind::kIllegal, op, one, address, "an asynchronous copy of local memory");
    return false;
  }
  Region* r = w.block.memory().find(address);
  if (r == nullptr || bytes > r->size() - (address - r->base()))
    return outside(w, op, lane, address, bytes, write);
  if (write && r->read_only) {
    w.fault(FaultKind::kIllegal, op, one, address,
            fmt::format("write to constant memory '{}'", r->name()));
    return false;
  }
  if (write) r->written = true;
  if (Observer* o = w.block.observer()) o->moved(w, op, space, address, bytes, write);
  const bool track = w.block.checks().uninitialised;
  uint64_t done = 0;
  while (done < bytes) {
    const uint64_t offset = address - r->base() + done;
    Page* page = r->page(offset);
    if (page == nullptr) {
      w.fault(FaultKind::kMemoryCap, op, one, address, "the emulator's memory cap is reached");
      return false;
    }
    Piece p;
    p.bit = offset % kPageBytes;
    p.at = page->bytes.data() + p.bit;
    p.bytes = std::min(bytes - done, kPageBytes - p.bit);
    p.done = done;
    if (track) p.defined = page->defined.data();
    f(p);
    done += p.bytes;
  }
  return true;
}

bool read_run(Warp& w, const Op& op, unsigned lane, Space space, uint64_t address, uint64_t bytes,
              Bytes& b, size_t offset) {
  const bool there = for_each_piece(w, op, lane, space, address, bytes, false, [&](const Piece& p) {
    const size_t to = offset + p.done;
    std::memcpy(b.data.data() + to, p.at, p.bytes);
    if (p.defined == nullptr) return;
    for (uint64_t i = 0; i < p.bytes; ++i) b.defined[to + i] = is_defined(p.defined, p.bit + i);
  });
  if (there) tell_races(w, op, lane, space, address, bytes, AccessKind::kLoad);
  return there;
}

bool write_run(Warp& w, const Op& op, unsigned lane, Space space, uint64_t address, uint64_t bytes,
               const Bytes& b, size_t offset) {
  const bool there = for_each_piece(w, op, lane, space, address, bytes, true, [&](const Piece& p) {
    const size_t from = offset + p.done;
    std::memcpy(p.at, b.data.data() + from, p.bytes);
    if (p.defined == nullptr) return;
    for (uint64_t i = 0; i < p.bytes; ++i) {
      const uint64_t bit = uint64_t{1} << ((p.bit + i) % 64);
      uint64_t& word = p.defined[(p.bit + i) / 64];
      if (b.defined[from + i] != 0) {
        __atomic_fetch_or(&word, bit, __ATOMIC_RELAXED);
      } else {
        __atomic_fetch_and(&word, ~bit, __ATOMIC_RELAXED);
      }
    }
  });
  if (there) tell_races(w, op, lane, space, address, bytes, AccessKind::kStore);
  return there;
}

bool aligned_run(Warp& w, const Op& op, unsigned lane, uint64_t address, uint64_t alignment,
                 const char* what) {
  if (address % alignment == 0) return true;
  w.fault(FaultKind::kMisaligned, op, LaneMask{1} << lane, address,
          fmt::format("{} {:#x} is not a multiple of {}", what, address, alignment));
  return false;
}

bool for_each_block(Warp& w, const Op& op, unsigned lane, uint64_t blocks,
                    const std::function<bool(uint64_t base)>& f) {
  for (uint64_t rank = 0; rank < 16; ++rank) {
    if ((blocks >> rank & 1) == 0) continue;
    if (w.block.gang().peer(w.block, rank) == nullptr) {
      w.fault(FaultKind::kIllegal, op, LaneMask{1} << lane, 0,
              fmt::format("a copy to block {} of a cluster that has none", rank));
      return false;
    }
    if (!f(rank * kSharedStride)) return false;
  }
  return true;
}

void mark_until(Warp& w, const Op& op, uint64_t address, uint64_t bytes, uint64_t barrier, bool odd,
                bool written) {
  if (w.block.copies == nullptr) return;
  Gang& gang = w.block.gang();
  Block* owner = gang.shared_owner(w.block, address);
  Block* told = gang.shared_owner(w.block, barrier);
  // A barrier in another block says nothing about this block's bytes.
  if (owner == nullptr || owner != told) return;
  owner->copies->add_until(barrier, odd,
                           {address, bytes, written, w.program().line(op), number_of(w, op)});
}

void mark_group(Warp& w, const Op& op, unsigned lane, CopyMarks::Kind kind, uint64_t address,
                uint64_t bytes, bool written) {
  if (w.block.copies == nullptr) return;
  if (w.block.gang().shared_owner(w.block, address) != &w.block) return;
  w.block.copies->add(kind, thread_number(w, lane),
                      {address, bytes, written, w.program().line(op), number_of(w, op)});
}

}  // namespace pitot::emulator
