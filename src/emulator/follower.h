// Who follows a kernel through its run with values of its own: called around every operation that
// runs for some lane and is not a branch, a wait or a barrier of the block.
#pragma once

#include "emulator/lanes.h"

namespace pitot::emulator {

class Warp;
struct Op;

class Follower {
 public:
  virtual ~Follower() = default;
  // Registers hold what the operation will read, then what it has written.
  virtual void before(Warp& warp, const Op& op, LaneMask mask) = 0;
  virtual void after(Warp& warp, const Op& op, LaneMask mask) = 0;
};

}  // namespace pitot::emulator
