#include "emulator/race_clock.h"

#include <algorithm>

namespace pitot::emulator {
namespace {

// One of the two when it covers the other, else a new one.
TicksPtr joined(const TicksPtr& a, const TicksPtr& b) {
  if (a == b) return a;
  const size_t n = a->lane.size();
  bool a_covers = true, b_covers = true;
  for (size_t i = 0; i < n; ++i) {
    a_covers &= a->lane[i] >= b->lane[i];
    b_covers &= b->lane[i] >= a->lane[i];
  }
  if (a_covers) return a;
  if (b_covers) return b;
  std::vector<uint32_t> lane(n);
  for (size_t i = 0; i < n; ++i) lane[i] = std::max(a->lane[i], b->lane[i]);
  return std::make_shared<const Ticks>(std::move(lane));
}

}  // namespace

Ticks::Ticks(std::vector<uint32_t> by_lane) : lane(std::move(by_lane)) {
  least.resize(lane.size() / kLanes);
  for (size_t w = 0; w < least.size(); ++w)
    least[w] = *std::min_element(lane.begin() + static_cast<std::ptrdiff_t>(w * kLanes),
                                 lane.begin() + static_cast<std::ptrdiff_t>((w + 1) * kLanes));
}

Clock::Part& Clock::part(uint64_t block, size_t threads) {
  auto it = std::lower_bound(parts_.begin(), parts_.end(), block,
                             [](const Part& p, uint64_t b) { return p.block < b; });
  if (it == parts_.end() || it->block != block) {
    it = parts_.insert(it, Part{});
    it->block = block;
    it->lane.assign(threads, 0);
  }
  return *it;
}

void Clock::join(uint64_t block, const TicksPtr& ticks) {
  Part& p = part(block, ticks->lane.size());
  if (p.last == ticks) return;
  const uint32_t* from = ticks->lane.data();
  uint32_t* to = p.lane.data();
  const size_t n = p.lane.size();
  for (size_t i = 0; i < n; ++i) to[i] = std::max(to[i], from[i]);
  p.last = ticks;
  p.made = nullptr;
}

void Clock::join(const Released& r) {
  join(r.block, r.knows.own);
  Part& p = part(r.block, r.knows.own->lane.size());
  for (unsigned l = 0; l < kLanes; ++l) {
    uint32_t& t = p.lane[r.warp * kLanes + l];
    t = std::max(t, (r.lanes >> l & 1) != 0 ? r.tick : r.mates);
  }
  p.made = nullptr;
  everything_ |= r.knows.everything;
  if (r.knows.others != nullptr && !everything_)
    for (const auto& [block, ticks] : *r.knows.others) join(block, ticks);
  if (parts_.size() > kMostBlocks) {
    everything_ = true;
    std::erase_if(parts_, [&](const Part& x) { return x.block != r.block; });
  }
}

void Clock::clear() {
  parts_.clear();
  everything_ = false;
}

void Clock::teach(uint64_t block, Knowledge& k) const {
  k.everything |= everything_;
  std::shared_ptr<BlockTicks> others;  // a copy, once something is new
  for (const Part& p : parts_) {
    if (p.made == nullptr) p.made = std::make_shared<const Ticks>(p.lane);
    if (p.block == block) {
      k.own = p.last == k.own ? p.made : joined(k.own, p.made);
      continue;
    }
    if (k.everything) continue;
    const BlockTicks* known = others != nullptr ? others.get() : k.others.get();
    size_t at = 0;
    bool found = false;
    if (known != nullptr) {
      const auto it = std::lower_bound(known->begin(), known->end(), p.block,
                                       [](const auto& e, uint64_t b) { return e.first < b; });
      at = static_cast<size_t>(it - known->begin());
      found = it != known->end() && it->first == p.block;
    }
    TicksPtr both = found ? joined((*known)[at].second, p.made) : p.made;
    if (found && both == (*known)[at].second) continue;
    if (others == nullptr)
      others = k.others != nullptr ? std::make_shared<BlockTicks>(*k.others)
                                   : std::make_shared<BlockTicks>();
    if (found) {
      (*others)[at].second = std::move(both);
    } else {
      others->insert(others->begin() + static_cast<std::ptrdiff_t>(at), {p.block, std::move(both)});
    }
  }
  if (others != nullptr) k.others = std::move(others);
  if (k.everything) k.others = nullptr;
}

}  // namespace pitot::emulator
