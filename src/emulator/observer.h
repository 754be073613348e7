// Who wants to know what a launch executes and which memory it touches: profiles. One observer a
// gang of blocks, called by the one thread that runs the gang.
#pragma once

#include <cstddef>

#include "emulator/access.h"

namespace pitot::emulator {

class Observer {
 public:
  virtual ~Observer() = default;
  // The operation at warp.pc is issued for the lanes of warp.active(); those of `mask` take part.
  virtual void issued(const Warp& warp, const Op& op, LaneMask mask) = 0;
  // It has to wait for other lanes or for memory after all, and will be issued again.
  virtual void put_back(const Warp& warp, const Op& op, LaneMask mask) = 0;
  // The bytes that it reads or writes lane by lane, all of them mapped.
  virtual void accessed(const Warp& warp, const Op& op, LaneMask mask, const Access& access) = 0;
  // A run of bytes in one piece that an asynchronous operation of one lane moves. The address is
  // of the space's own window: from the start of the block's for shared memory.
  virtual void moved(const Warp& warp, const Op& op, ptx::Space space, uint64_t address,
                     uint64_t bytes, bool write) = 0;
};

// Gives every gang its observer. Both are called from the thread that runs the gang.
class Observers {
 public:
  virtual ~Observers() = default;
  // Gangs count from 0 in the order of their first blocks, those that are not run left out.
  virtual Observer* begin(size_t gang) = 0;
  virtual void end(size_t gang) = 0;
};

}  // namespace pitot::emulator
