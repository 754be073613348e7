#include "profile/timeline.h"

#include <algorithm>
#include <cmath>

#include "emulator/block.h"

namespace pitot::profile {
namespace {

// From the last arrival to the first instruction after it: a block of one warp on an H200
// (tools/gpu/memory.py).
constexpr uint64_t kBarrierCycles = 16;

// The barrier's number, which follows the destination of a reduction.
uint64_t barrier_number(const emulator::Warp& warp, const emulator::Op& op) {
  const bool reduces =
      (op.variant & (emulator::kBarrierPopc | emulator::kBarrierAnd | emulator::kBarrierOr)) != 0;
  const size_t slot = reduces ? 1 : 0;
  if (op.slot_count <= slot) return 0;
  return warp.get(warp.program().slots[op.first_slot + slot], 0);
}

}  // namespace

uint64_t Timeline::issue(const emulator::Warp& warp, const emulator::Op& op, const OpFacts& facts) {
  WarpState& w = warps_[warp.index];
  if (w.ready.empty()) w.ready.assign(registers_, 0);
  uint64_t start = w.base;
  if (w.at_barrier) {
    start = std::max(start, releases_[{w.barrier, w.phase}]);
    w.base = std::max(w.base, start);
    w.at_barrier = false;
  }
  for (uint32_t r : facts.reads) start = std::max(start, w.ready[r]);
  if (facts.ends_window) start = std::max(start, w.frontier);
  if (facts.loads && facts.space < kSpaces) start = std::max(start, w.stored[facts.space]);
  if (facts.commits) {
    w.groups.push_back(w.open_copies);
    w.open_copies = 0;
  } else if (facts.waits != WaitFor::kNothing) {
    size_t newest = 0;
    if (facts.waits == WaitFor::kAllAsync) {
      start = std::max(start, w.open_copies);
    } else if (op.slot_count > 0) {
      newest = static_cast<size_t>(warp.get(warp.program().slots[op.first_slot], 0));
    }
    while (w.groups.size() > newest) {
      start = std::max(start, w.groups.front());
      w.groups.pop_front();
    }
  }
  const auto slots = static_cast<uint64_t>(std::ceil(facts.cost.issue));
  const uint64_t waited = start > w.frontier ? start - w.frontier : 0;
  w.sent = start;
  w.base += slots;
  w.frontier = std::max(w.frontier, start) + (start >= w.frontier ? slots : 0);
  w.frontier = std::max(w.frontier, w.base);
  if (facts.ends_window) w.base = w.frontier;
  if (facts.stores && facts.space < kSpaces) w.stored[facts.space] = start;
  for (uint32_t r : facts.writes) w.ready[r] = start + facts.cost.latency;
  if (op.flow == emulator::Flow::kBarrier) {
    const uint64_t barrier = barrier_number(warp, op);
    const uint64_t phase = w.arrivals[barrier]++;
    uint64_t& release = releases_[{barrier, phase}];
    release = std::max(release, start + kBarrierCycles);
    if ((op.variant & emulator::kBarrierArrive) == 0) {
      w.at_barrier = true;
      w.barrier = barrier;
      w.phase = phase;
    }
  }
  return waited;
}

void Timeline::result_after(const emulator::Warp& warp, const OpFacts& facts, uint64_t cycles) {
  WarpState& w = warps_[warp.index];
  const uint64_t at = w.sent + cycles;
  if (facts.async_copy) w.open_copies = std::max(w.open_copies, at);
  for (uint32_t r : facts.writes) w.ready[r] = std::max(w.ready[r], at);
}

void Timeline::put_off(uint32_t warp, uint64_t cycles) {
  if (cycles == 0) return;
  WarpState& w = warps_[warp];
  w.base += cycles;
  w.frontier += cycles;
  w.sent += cycles;
  w.open_copies += cycles;
  for (uint64_t& t : w.stored) t += cycles;
  for (uint64_t& t : w.ready) t += cycles;
  for (uint64_t& t : w.groups) t += cycles;
}

uint64_t Timeline::cycles() const {
  uint64_t last = 0;
  for (const WarpState& w : warps_) {
    last = std::max(last, w.frontier);
    if (w.at_barrier) {
      const auto it = releases_.find({w.barrier, w.phase});
      if (it != releases_.end()) last = std::max(last, it->second);
    }
  }
  return last;
}

}  // namespace pitot::profile
