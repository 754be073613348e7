// The mbarrier object: counts of arrivals and of transaction bytes, in the 64 bits of memory that
// the program sets aside for it (PTX ISA, "mbarrier"). The layout is our own, as the ISA leaves it
// open:
//   bits 0-19 pending arrivals · 20-39 expected arrivals · 40-60 transaction bytes + 2^20
//   bit 62 the phase's parity · bit 63 set while the object is valid
// An arrival's token is the object as it was before the arrival.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "emulator/fault.h"
#include "emulator/warp.h"

namespace pitot::emulator {

inline constexpr uint32_t kMbarrierLimit = (1u << 20) - 1;  // arrivals, and bytes either way

struct Mbarrier {
  uint32_t pending = 0, expected = 0;
  int32_t bytes = 0;  // expected minus completed in this phase
  bool odd = false;   // parity of the phase that is going on
  bool valid = false;

  static Mbarrier decode(uint64_t word);
  uint64_t encode() const;

  // Each returns why it must not be done, or nothing (PTX ISA: the behaviour is undefined).
  std::string init(uint64_t count);
  std::string arrive(uint64_t count, bool may_complete = true);
  std::string drop(uint64_t count, bool may_complete = true);  // arrives, and never again
  std::string add_bytes(int64_t count);                        // expect (+), complete (−)

 private:
  void finish_phase();
};

// Changes the object in memory for one lane. False after a fault: no valid object there, or what f
// says must not be done.
bool change_mbarrier(Warp& w, const Op& op, unsigned lane, std::byte* at, uint64_t address,
                     const std::function<std::string(Mbarrier&)>& f);

// The shared-space address that an address of this space means.
uint64_t shared_address(ptx::Space space, uint64_t address);

// Tells the mbarrier at a shared-memory address that so many bytes have come. False after a fault.
// `odd`, if given: parity of the phase that they belong to.
bool complete_bytes(Warp& w, const Op& op, unsigned lane, uint64_t address, uint64_t bytes,
                    bool* odd = nullptr);

// For the race check: a lane has arrived at the mbarrier at a shared-space address, in the phase of
// this parity; lanes have seen that phase complete.
void note_arrival(Warp& w, unsigned lane, uint64_t address, bool odd);
void note_completion(Warp& w, LaneMask lanes, uint64_t address, bool odd);

// Why a fragment that waits at an mbarrier cannot go on; false when it does not wait at one.
bool explain_mbarrier(Warp& w, const Fragment& f, FaultKind& kind, std::string& text);

}  // namespace pitot::emulator
