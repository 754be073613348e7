#include "emulator/race_order.h"

#include <algorithm>

namespace pitot::emulator {

BlockOrder::BlockOrder(uint64_t block, size_t warps, size_t shared_bytes, const TicksPtr& start,
                       bool lockstep)
    : shared(shared_bytes, kSharedReaders),
      block_(block),
      lockstep_(lockstep),
      warps_(warps),
      start_(start) {
  for (WarpState& w : warps_) {
    w.knows.resize(kLanes);
    w.knows[0].own = start;
  }
}

LaneMask BlockOrder::unordered_in(const Ticks& ticks, uint32_t warp, uint32_t tick,
                                  LaneMask lanes) {
  LaneMask out = 0;
  for_each_lane(lanes, [&](unsigned l) {
    if (tick > ticks.lane[warp * kLanes + l]) out |= LaneMask{1} << l;
  });
  return out;
}

LaneMask BlockOrder::unordered_outside(const Knowledge& k, uint64_t stamp, LaneMask lanes) {
  if (k.everything) return 0;
  if (k.others == nullptr) return lanes;
  const uint64_t block = stamp >> kStampBlock;
  const auto it = std::lower_bound(k.others->begin(), k.others->end(), block,
                                   [](const auto& e, uint64_t b) { return e.first < b; });
  if (it == k.others->end() || it->first != block) return lanes;
  return unordered_in(*it->second, static_cast<uint32_t>(stamp >> kStampWarp & 31),
                      static_cast<uint32_t>(stamp & kStampTicks), lanes);
}

Released BlockOrder::released(uint32_t warp, LaneMask lanes, unsigned lane) const {
  const WarpState& w = warps_[warp];
  return {block_, warp, lanes, w.tick, lockstep_ ? w.tick : w.together, known(w, lane)};
}

// Calls f(lanes, one of them) for lanes that know the same.
template <class F>
void BlockOrder::for_each_group(uint32_t warp, LaneMask lanes, F&& f) const {
  const WarpState& w = warps_[warp];
  while (lanes != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    LaneMask same = lanes;
    if (!w.uniform) {
      same = 0;
      for_each_lane(lanes, [&](unsigned l) {
        if (w.knows[l] == w.knows[first]) same |= LaneMask{1} << l;
      });
    }
    f(same, first);
    lanes &= ~same;
  }
}

void BlockOrder::join(Clock& clock, uint32_t warp, LaneMask lanes) const {
  for_each_group(warp, lanes,
                 [&](LaneMask same, unsigned lane) { clock.join(released(warp, same, lane)); });
}

void BlockOrder::learn(const Clock& clock, uint32_t warp, LaneMask lanes, bool whole) {
  if (clock.empty()) return;
  WarpState& w = warps_[warp];
  std::vector<std::pair<LaneMask, Knowledge>> groups;
  for_each_group(warp, lanes, [&](LaneMask same, unsigned lane) {
    groups.emplace_back(same, known(w, lane));
    clock.teach(block_, groups.back().second);
  });
  const bool same = std::all_of(groups.begin(), groups.end(),
                                [&](const auto& g) { return g.second == groups[0].second; });
  if (whole && same) {
    w.uniform = true;
    w.knows[0] = std::move(groups[0].second);
    return;
  }
  if (w.uniform) {
    std::fill(w.knows.begin() + 1, w.knows.end(), w.knows[0]);
    w.uniform = false;
  }
  for (const auto& group : groups)
    for_each_lane(group.first, [&](unsigned l) { w.knows[l] = group.second; });
}

void BlockOrder::meet(uint32_t warp, LaneMask lanes, bool whole) {
  WarpState& w = warps_[warp];
  if (whole && w.uniform) {
    w.together = w.tick;
  } else {
    Clock clock;
    join(clock, warp, lanes);
    learn(clock, warp, lanes, whole);
    if (whole) w.together = w.tick;
  }
  if (w.fences != nullptr) {
    Clock fenced;
    join_fences(fenced, warp, lanes);
    learn_fences(fenced, warp, lanes);
  }
  advance(w);
}

void BlockOrder::join_fences(Clock& clock, uint32_t warp, LaneMask lanes) const {
  const auto& fences = warps_[warp].fences;
  if (fences == nullptr) return;
  for_each_lane(lanes, [&](unsigned l) {
    if (fences->device[l].lanes != 0) clock.join(fences->device[l]);
  });
}

void BlockOrder::learn_fences(const Clock& clock, uint32_t warp, LaneMask lanes) {
  if (clock.empty()) return;
  WarpState& w = warps_[warp];
  if (w.fences == nullptr) w.fences = std::make_unique<Fences>();
  for (auto* kind : {&w.fences->device, &w.fences->block}) {
    Knowledge before, after;  // of the lane before: mostly the same again
    for_each_lane(lanes, [&](unsigned l) {
      Released& r = (*kind)[l];
      if (r.lanes == 0) r = {block_, warp, LaneMask{1} << l, 0, 0, {start_, nullptr, false}};
      if (before.own != nullptr && r.knows == before) {
        r.knows = after;
        return;
      }
      before = r.knows;
      clock.teach(block_, r.knows);
      after = r.knows;
    });
  }
}

void BlockOrder::arrive(uint32_t barrier, uint32_t warp, LaneMask lanes) {
  join(barriers_[barrier], warp, lanes);
  if (fenced_) join_fences(fenced_barriers_[barrier], warp, lanes);
  advance(warps_[warp]);
}

void BlockOrder::leave(uint32_t barrier, uint32_t warp, LaneMask lanes, bool whole) {
  learn(barriers_[barrier], warp, lanes, whole);
  learn_fences(fenced_barriers_[barrier], warp, lanes);
}

void BlockOrder::mbarrier_arrive(uint64_t offset, bool odd, BlockOrder& by, uint32_t warp,
                                 unsigned lane) {
  MbarrierClock& m = mbarriers_[offset];
  if (m.last != odd) m.phase[odd ? 1 : 0].clear();
  m.last = odd;
  by.join(m.phase[odd ? 1 : 0], warp, LaneMask{1} << lane);
  by.advance(by.warps_[warp]);
}

void BlockOrder::mbarrier_wait(uint64_t offset, bool odd, BlockOrder& by, uint32_t warp,
                               LaneMask lanes, bool whole) {
  const auto it = mbarriers_.find(offset);
  if (it != mbarriers_.end()) by.learn(it->second.phase[odd ? 1 : 0], warp, lanes, whole);
}

void BlockOrder::cluster_arrive(BlockOrder& by, uint32_t warp, LaneMask lanes) {
  by.join(cluster_pending_, warp, lanes);
  by.advance(by.warps_[warp]);
}

void BlockOrder::cluster_complete() {
  cluster_done_ = std::move(cluster_pending_);
  cluster_pending_.clear();
}

void BlockOrder::cluster_wait(BlockOrder& by, uint32_t warp, LaneMask lanes, bool whole) {
  by.learn(cluster_done_, warp, lanes, whole);
}

void BlockOrder::fence(uint32_t warp, LaneMask lanes, bool device) {
  WarpState& w = warps_[warp];
  if (w.fences == nullptr) w.fences = std::make_unique<Fences>();
  fenced_ = true;
  for_each_lane(lanes, [&](unsigned l) {
    Released r = released(warp, LaneMask{1} << l, l);
    if (device) w.fences->device[l] = r;
    w.fences->block[l] = std::move(r);
  });
  advance(w);
}

void BlockOrder::acquire(const PublishedFlag& flag, uint32_t warp, unsigned lane) {
  learn(flag.device, warp, LaneMask{1} << lane, false);
  if (flag.block_number == block_) learn(flag.block, warp, LaneMask{1} << lane, false);
}

bool BlockOrder::publishes(uint32_t warp, unsigned lane) const {
  const auto& f = warps_[warp].fences;
  return f != nullptr && f->block[lane].lanes != 0;
}

void BlockOrder::publish(PublishedFlag& flag, uint32_t warp, unsigned lane, bool replaces,
                         bool release, bool device) {
  WarpState& w = warps_[warp];
  if (replaces) flag.device.clear();
  if (replaces || flag.block_number != block_) flag.block.clear();
  flag.block_number = block_;
  if (w.fences != nullptr) {
    if (w.fences->device[lane].lanes != 0) flag.device.join(w.fences->device[lane]);
    if (w.fences->block[lane].lanes != 0) flag.block.join(w.fences->block[lane]);
  }
  if (!release) return;
  join(device ? flag.device : flag.block, warp, LaneMask{1} << lane);
  advance(w);
}

}  // namespace pitot::emulator
