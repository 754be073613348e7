#include "profile/loop_pacer.h"

#include <algorithm>

#include "analysis/int_ops.h"

namespace pitot::profile {
namespace {

using emulator::kLanes;
using emulator::LaneMask;
using emulator::Warp;

int64_t value_of(const Warp& warp, const LoopValue& v, unsigned lane) {
  const uint64_t bits = warp.get(v.slot, lane);
  return v.is_signed ? analysis::sign_extended(bits, v.slot.bits) : static_cast<int64_t>(bits);
}

}  // namespace

LoopPacer::Progress LoopPacer::came_back(Warp& warp, uint32_t from, const Progress& now) {
  const uint32_t header = warp.pc;
  WarpState& w = warps_[warp.index];
  // Loops that it has left, or comes into anew.
  while (!w.stack.empty()) {
    const SteadyLoop& top = *w.stack.back().loop;
    if (top.contains(header) && top.contains(from)) break;
    w.stack.pop_back();
  }
  weigh(w);
  if (w.stack.empty() || w.stack.back().header != header) {
    const SteadyLoop* loop = loops_.at(header);
    if (loop == nullptr) return {};
    Active a;
    a.loop = loop;
    a.header = header;
    a.instance = w.instances[header]++;
    w.stack.push_back(std::move(a));
  }
  Active& a = w.stack.back();
  ++a.visits;
  snapshot(warp, a);
  if (a.counts_for > 1) {
    if (--a.left > 0) return {};
    const uint64_t passed = a.counts_for - 1;
    const Progress taken{(now.cycles - a.began.cycles) * passed,
                         (now.missed - a.began.missed) / w.weight * passed};
    move_on(warp, a);
    a.counts_for = 1;
    // Comparisons of what a trip makes anew still have the values from before: seen after the next.
    a.seen.clear();
    weigh(w);
    return taken;
  }
  Decision d;
  if (a.loop->joint) {
    auto& [latest, made] = joint_[{header, a.instance}];
    if (a.visits > latest) {
      latest = a.visits;
      d = decide(warp, a);
      if (d.periods > 0) made[a.visits] = d;
    } else if (const auto found = made.find(a.visits); found != made.end()) {
      d = found->second;
    }
  } else {
    d = decide(warp, a);
  }
  if (d.periods == 0) return {};
  a.counts_for = d.periods + 1;
  a.period = a.left = d.period;
  a.began = now;
  weigh(w);
  return {};
}

void LoopPacer::weigh(WarpState& w) {
  w.weight = 1;
  for (const Active& a : w.stack) w.weight *= a.counts_for;
}

void LoopPacer::snapshot(Warp& warp, Active& a) const {
  Snapshot s;
  s.reserve((a.loop->carried.size() + a.loop->tests.size()) * kLanes);
  for (const emulator::Slot& slot : a.loop->carried)
    for (unsigned lane = 0; lane < kLanes; ++lane) s.push_back(warp.get(slot, lane));
  for (const LoopTest& e : a.loop->tests)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      s.push_back(static_cast<uint64_t>(value_of(warp, e.left, lane)) -
                  static_cast<uint64_t>(value_of(warp, e.right, lane)));
  if (a.seen.size() == 2 * kMostPeriod + 1) a.seen.erase(a.seen.begin());
  a.seen.push_back(std::move(s));
}

LoopPacer::Decision LoopPacer::decide(const Warp& warp, const Active& a) const {
  if (a.loop->wraps && a.seen.size() <= 2 * kMostPeriod) return {};
  for (size_t period = 1; period <= kMostPeriod && 2 * period < a.seen.size(); ++period) {
    if (!steady(warp, a, period)) continue;
    const uint64_t left = trips_left(warp, a, period);
    if (left < kLastTrips + 2 * period) return {};
    const uint64_t periods = (left - kLastTrips - period) * 3 / 4 / period;
    if (periods < 2) return {};
    return {period, periods};
  }
  return {};
}

// Over all that was seen, where registers wrap around: else the last two periods.
bool LoopPacer::steady(const Warp& warp, const Active& a, size_t period) const {
  const size_t last = a.seen.size() - 1;
  const size_t first = a.loop->wraps ? 2 * period : last;
  for (size_t at = first; at <= last; ++at) {
    const Snapshot &now = a.seen[at], &before = a.seen[at - period],
                   &earlier = a.seen[at - 2 * period];
    for (size_t i = 0; i < now.size(); ++i) {
      if (((warp.active() >> (i % kLanes)) & 1) == 0) continue;
      const size_t value = i / kLanes, carried = a.loop->carried.size();
      if (value >= carried && !a.loop->tests[value - carried].exit) continue;
      if (now[i] - before[i] != before[i] - earlier[i]) return false;
    }
  }
  return true;
}

// Until the first comparison turns out otherwise in some lane; 0 where none ever will.
uint64_t LoopPacer::trips_left(const Warp& warp, const Active& a, size_t period) const {
  const Snapshot& now = a.seen[a.seen.size() - 1];
  const Snapshot& before = a.seen[a.seen.size() - 1 - period];
  const Snapshot& earlier = a.seen[a.seen.size() - 1 - 2 * period];
  uint64_t least = UINT64_MAX;
  for (size_t i = a.loop->carried.size() * kLanes; i < now.size(); ++i) {
    if (((warp.active() >> (i % kLanes)) & 1) == 0) continue;
    const auto distance = static_cast<int64_t>(now[i]);
    const auto step = static_cast<int64_t>(now[i] - before[i]);
    if (before[i] - earlier[i] != now[i] - before[i]) continue;  // it follows the data
    if (step == 0 || (distance < 0) == (step < 0)) continue;
    const uint64_t d = distance < 0 ? 0 - now[i] : now[i];
    const uint64_t s = step < 0 ? 0 - static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
    least = std::min(least, d / s * period);
  }
  return least == UINT64_MAX ? 0 : least;
}

void LoopPacer::move_on(Warp& warp, Active& a) const {
  if (a.seen.size() <= a.period) return;
  const Snapshot& now = a.seen[a.seen.size() - 1];
  const Snapshot& before = a.seen[a.seen.size() - 1 - a.period];
  const uint64_t periods = a.counts_for - 1;
  for (size_t c = 0; c < a.loop->carried.size(); ++c) {
    const emulator::Slot& slot = a.loop->carried[c];
    if (slot.bits == 1) continue;  // the same after every period
    emulator::for_each_lane(warp.active(), [&](unsigned lane) {
      const size_t i = c * kLanes + lane;
      warp.set(slot, lane, now[i] + (now[i] - before[i]) * periods);
    });
  }
}

}  // namespace pitot::profile
