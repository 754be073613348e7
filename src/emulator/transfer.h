// Runs of bytes of any length that an asynchronous operation of one lane reads or writes: bulk
// copies, boxes of tensors, tensor maps.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "emulator/access.h"
#include "emulator/copies.h"
#include "emulator/warp.h"

namespace pitot::emulator {

// A part of a run that lies in one piece of host memory.
struct Piece {
  std::byte* at = nullptr;
  uint64_t bytes = 0;
  uint64_t done = 0;            // bytes of the run before it
  uint64_t* defined = nullptr;  // a bit a byte; null when that is not tracked
  uint64_t bit = 0;             // of its first byte
};

// Bytes, and whether each is defined.
struct Bytes {
  std::vector<std::byte> data;
  std::vector<uint8_t> defined;

  void resize(size_t n) {
    data.resize(n);
    defined.assign(n, 1);
  }
};

// For the race check: a lane's access to a run. read_run and write_run do it themselves.
void tell_races(Warp& w, const Op& op, unsigned lane, ptx::Space space, uint64_t address,
                uint64_t bytes, AccessKind kind);

// Calls f for each piece of a run. False after a fault. Shared-space addresses may be of any block
// of the cluster; kNone is a generic address.
bool for_each_piece(Warp& w, const Op& op, unsigned lane, ptx::Space space, uint64_t address,
                    uint64_t bytes, bool write, const std::function<void(const Piece&)>& f);

// Between memory and `b` at an offset of it.
bool read_run(Warp& w, const Op& op, unsigned lane, ptx::Space space, uint64_t address,
              uint64_t bytes, Bytes& b, size_t offset);
bool write_run(Warp& w, const Op& op, unsigned lane, ptx::Space space, uint64_t address,
               uint64_t bytes, const Bytes& b, size_t offset);

// Whether the address is a multiple of `alignment`; a fault if not.
bool aligned_run(Warp& w, const Op& op, unsigned lane, uint64_t address, uint64_t alignment,
                 const char* what);

// Calls f with the first shared-space address of each block of the cluster that the mask names.
// False when f says so, or after a fault: there is no such block.
bool for_each_block(Warp& w, const Op& op, unsigned lane, uint64_t blocks,
                    const std::function<bool(uint64_t base)>& f);

// Number of the thread in its block.
inline uint32_t thread_number(const Warp& w, unsigned lane) { return w.index * kLanes + lane; }

// While copies are checked: shared bytes that this operation has begun to write or read, until the
// mbarrier at a shared-space address passes its phase, or until the thread waits for its group.
void mark_until(Warp& w, const Op& op, uint64_t address, uint64_t bytes, uint64_t barrier, bool odd,
                bool written);
void mark_group(Warp& w, const Op& op, unsigned lane, CopyMarks::Kind kind, uint64_t address,
                uint64_t bytes, bool written);

}  // namespace pitot::emulator
