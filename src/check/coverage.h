// How much of a kernel ran: instructions, and both sides of every branch.
#pragma once

#include "check/check_result.h"
#include "check/impossible.h"
#include "check/options.h"

namespace pitot::check {

// What runs have executed of one side (see emulator::Outcome::executed), over all of them.
class Reached {
 public:
  // `block`: of every launch, where that is one.
  explicit Reached(const Side& side, std::optional<std::array<uint32_t, 3>> block = {});
  void add(const std::vector<uint8_t>& executed);

  // Code from which every way leads to a trap counts as reached, valid inputs never get there; so
  // does what no thread of such a block can come to.
  Coverage coverage() const;
  bool complete() const;

 private:
  const Side& side_;
  std::vector<uint8_t> seen_;
  std::vector<bool> fatal_;  // by operation of the kernel
  Impossible impossible_;
};

}  // namespace pitot::check
