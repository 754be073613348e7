#include "emulator/race_shadow.h"

#include <algorithm>

#include "emulator/race_order.h"

namespace pitot::emulator {
namespace {

unsigned lane_of(uint32_t op) { return op >> kTouchLane; }

// Strong accesses do not race with each other, when each is strong for the other's block too.
bool excused(uint32_t a, uint32_t b, bool same_block) {
  return (a & b & kTouchStrong) != 0 && (same_block || ((a | b) & kTouchBlockOnly) == 0);
}

bool same_block(uint64_t a, uint64_t b) { return a >> kStampBlock == b >> kStampBlock; }
bool same_warp(uint64_t a, uint64_t b) { return a >> kStampWarp == b >> kStampWarp; }

}  // namespace

void RaceShadow::touch(uint64_t offset, uint64_t bytes, const Touch& t,
                       std::vector<Conflict>& found) {
  if (cells_.empty()) cells_.resize(bytes_ / 4 + 1);
  const uint64_t end = std::min<uint64_t>(offset + bytes, bytes_);
  while (offset < end) {
    Cell& c = cells_[offset / 4];
    const uint64_t first = offset % 4, n = std::min<uint64_t>(4 - first, end - offset);
    if (n < 4 && (c.more & kApart) == 0) take_apart(c);
    if ((c.more & kApart) == 0) {
      leaf(c, offset, 4, t, found);
    } else {
      for (uint64_t i = first; i < first + n; ++i)
        leaf(parts_[c.more & kIndex][i], offset - first + i, 1, t, found);
      if (n == 4 && t.write && (t.op & kTouchStrong) == 0) put_together(c, t);
    }
    offset += n;
  }
}

bool RaceShadow::conflicts(TouchedBytes& others) const {
  const auto touched = [](const Cell& c) { return (c.write | c.read | c.more) != 0; };
  unsigned found = 0;
  for (size_t i = 0; i < cells_.size(); ++i) {
    const Cell& c = cells_[i];
    unsigned in = touched(c) ? 0x0f : 0, out = c.write != 0 ? 0x0f : 0;  // bits of bytes
    if ((c.more & kApart) != 0) {
      in = out = 0;
      for (unsigned b = 0; b < 4; ++b) {
        const Cell& part = parts_[c.more & kIndex][b];
        in |= (touched(part) ? 1u : 0u) << b;
        out |= (part.write != 0 ? 1u : 0u) << b;
      }
    }
    uint8_t& o = others.cells[i];
    found |= (in & o >> 4) | (out & o);
    o = static_cast<uint8_t>(o | in | out << 4);
  }
  return found != 0;
}

void RaceShadow::leaf(Cell& c, uint64_t offset, uint64_t bytes, const Touch& t,
                      std::vector<Conflict>& found) {
  const BlockOrder& order = t.order;
  LaneMask writer = 0;  // of the last write, when that is not ordered before
  if (c.write != 0 && !t.behind(c.write)) {
    const LaneMask lane = LaneMask{1} << lane_of(c.write_op);
    if (!(same_warp(c.write, t.stamp) && lane_of(c.write_op) == t.lane) &&
        order.unordered(t.warp, t.lane, c.write, lane) != 0) {
      writer = lane;
      if (!excused(c.write_op, t.op, same_block(c.write, t.stamp)))
        found.push_back({offset, bytes, c.write, c.write_op, lane_of(c.write_op), true});
    }
  }
  if ((t.write && c.more != 0) || (c.more & kWrites) != 0)
    for (const Entry& e : list_of(c)) {
      if ((!t.write && !e.write) || t.behind(e.stamp)) continue;
      if (excused(e.op, t.op, same_block(e.stamp, t.stamp))) continue;
      const LaneMask bad = order.unordered(t.warp, t.lane, e.stamp, e.lanes);
      if (bad != 0)
        found.push_back(
            {offset, bytes, e.stamp, e.op, static_cast<unsigned>(std::countr_zero(bad)), e.write});
    }
  if (!t.write) return read(c, t);
  LaneMask readers = 0;
  if (c.read != 0 && !t.behind(c.read)) {
    readers = order.unordered(t.warp, t.lane, c.read, c.read_lanes);
    if (readers != 0 && !excused(c.read_op, t.op, same_block(c.read, t.stamp)))
      found.push_back({offset, bytes, c.read, c.read_op,
                       static_cast<unsigned>(std::countr_zero(readers)), false});
  }
  if ((t.op & kTouchStrong) == 0) {
    c.read = 0;
    c.read_lanes = 0;
    drop_list(c);
  } else {
    // Strong accesses that run beside this one may still race with a plain one to come.
    if (readers == 0) c.read = 0;
    // A plain write before this one may too: what is ordered behind neither of them.
    const bool plain = c.write != 0 && (c.write_op & kTouchStrong) == 0;
    if (writer != 0 || plain)
      list(c, t, {c.write, c.write_op, LaneMask{1} << lane_of(c.write_op), true});
  }
  c.write = t.stamp;
  c.write_op = t.op | t.lane << kTouchLane;
}

void RaceShadow::read(Cell& c, const Touch& t) {
  const LaneMask bit = LaneMask{1} << t.lane;
  if (c.read == t.stamp && (c.read_op == t.op || ((c.read_lanes & bit) != 0 &&
                                                  ((c.read_op ^ t.op) & kTouchStrong) == 0))) {
    c.read_lanes |= bit;
    return;
  }
  // The last reader lies in the cell itself: the lanes of a warp come one after the other.
  bool beside = c.read != 0 && !t.behind(c.read);
  if (beside) {
    beside = t.order.unordered(t.warp, t.lane, c.read, c.read_lanes) != 0;
    if (beside) list(c, t, {c.read, c.read_op, c.read_lanes, false});
  }
  c.read = t.stamp;
  c.read_op = t.op;
  c.read_lanes = bit;
  if (!beside && c.more != 0 && !full_of_others(c, t)) prune(c, t);
}

void RaceShadow::list(Cell& c, const Touch& t, const Entry& e) {
  if (c.more == 0) {
    if (free_lists_.empty()) {
      lists_.emplace_back().reserve(std::min(readers_, kGlobalReaders));
      free_lists_.push_back(static_cast<uint32_t>(lists_.size()));
    }
    c.more = free_lists_.back();
    free_lists_.pop_back();
  }
  auto& entries = list_of(c);
  constexpr uint32_t kHow = ~(~uint32_t{0} << kTouchLane);  // all but the lane
  bool own = false;                                         // some are of the same block
  for (Entry& x : entries) {
    own |= same_block(x.stamp, t.stamp);
    if (!same_warp(x.stamp, e.stamp) || x.write != e.write) continue;
    if (x.stamp == e.stamp && (x.op & kHow) == (e.op & kHow)) {
      x.lanes |= e.lanes;
      return;
    }
  }
  if (entries.size() >= readers_ && (own || !t.alone))
    std::erase_if(entries, [&](const Entry& x) {
      return t.order.unordered(t.warp, t.lane, x.stamp, x.lanes) == 0;
    });
  c.more &= ~kFull;
  if (entries.size() >= readers_) {
    if (!own) c.more |= kFull;
    return;
  }
  entries.push_back(e);
  if (e.write) c.more |= kWrites;
}

void RaceShadow::prune(Cell& c, const Touch& t) {
  auto& entries = list_of(c);
  std::erase_if(entries, [&](const Entry& x) {
    return !x.write && t.order.unordered(t.warp, t.lane, x.stamp, x.lanes) == 0;
  });
  c.more &= ~kFull;
  if (entries.empty()) drop_list(c);
}

void RaceShadow::drop_list(Cell& c) {
  if (c.more == 0) return;
  list_of(c).clear();
  free_lists_.push_back(c.more & kIndex);
  c.more = 0;
}

void RaceShadow::take_apart(Cell& c) {
  Parts parts;
  for (Cell& p : parts) {
    p = c;
    p.more = 0;
    if (c.more == 0) continue;
    lists_.push_back(list_of(c));
    p.more = static_cast<uint32_t>(lists_.size()) | (c.more & kWrites);
  }
  drop_list(c);
  if (free_parts_.empty()) {
    parts_.emplace_back();
    free_parts_.push_back(static_cast<uint32_t>(parts_.size() - 1));
  }
  const uint32_t at = free_parts_.back();
  free_parts_.pop_back();
  parts_[at] = parts;
  c = {};
  c.more = kApart | at;
}

// A plain write of the whole word: nothing else of the parts matters any more.
void RaceShadow::put_together(Cell& c, const Touch& t) {
  const uint32_t at = c.more & kIndex;
  for (Cell& p : parts_[at]) drop_list(p);
  free_parts_.push_back(at);
  c = {};
  c.write = t.stamp;
  c.write_op = t.op | t.lane << kTouchLane;
}

}  // namespace pitot::emulator
