// From PTX addresses to bytes: bounds, alignment and definedness of the accesses of a warp.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "emulator/warp.h"

namespace pitot::emulator {

enum class AccessKind : uint8_t { kLoad, kStore, kAtomic };

// One access of a warp: the lanes' addresses, and after resolve() where the bytes are.
struct Access {
  ptx::Space space = ptx::Space::kNone;  // kNone: generic
  AccessKind kind = AccessKind::kLoad;
  uint32_t bytes = 4;  // of a lane, a power of two (of a vector: all elements)
  std::array<uint64_t, kLanes> address{};
  std::array<std::byte*, kLanes> at{};
  LaneMask undefined = 0;  // lanes that read bytes nobody wrote; only while that is tracked
  std::array<uint32_t, kLanes> undefined_bytes;  // of the lanes in `undefined`: bit a byte
  std::span<const Slot> values;  // of a plain store: what it writes, and the bytes of one of them
  uint32_t element = 0;
  // Of a store whose bytes are not the lanes' own values: those that lane l's place gets.
  const std::byte* const* rows = nullptr;
  unsigned on_behalf = kLanes;  // the lane whose access this is, where the addresses are not one
                                // a lane
};

// Fills in the addresses from an address operand.
void read_addresses(Warp& warp, const Op& op, const OperandPlace& operand, LaneMask mask,
                    Access& access);

// Looks every lane's bytes up. False after a fault: out of bounds, misaligned, write to read-only
// memory, undefined address.
bool resolve(Warp& warp, const Op& op, LaneMask mask, Access& access);

// While undefined values are tracked, of a store: bytes that get one become undefined again. One
// that goes to global memory is noted as a fault.
void store_undefined(Warp& warp, const Op& op, LaneMask mask, const Access& access);

// Bytes from `at` on of what a lane's store has resolved are undefined after all. False when nobody
// keeps track of them.
bool undefine(Warp& warp, const Access& access, unsigned lane, uint64_t at, uint64_t bytes);

// Addresses and resolve().
inline bool resolve_operand(Warp& warp, const Op& op, size_t operand, LaneMask mask,
                            Access& access) {
  read_addresses(warp, op, warp.program().operands_of(op)[operand], mask, access);
  return resolve(warp, op, mask, access);
}

// Shared bytes of a block that has not exited and that no asynchronous copy is at work on. False
// after a fault.
bool shared_is_there(Warp& warp, const Op& op, LaneMask lanes, Block& owner, uint64_t offset,
                     uint64_t bytes, bool write);

// The space that a generic address lies in; kNone when it is no window and no region.
ptx::Space space_of(uint64_t generic);

}  // namespace pitot::emulator
