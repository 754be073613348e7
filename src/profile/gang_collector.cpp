#include "profile/gang_collector.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "analysis/memory_model.h"
#include "emulator/block.h"

namespace pitot::profile {

using emulator::Access;
using emulator::AccessKind;
using emulator::for_each_lane;
using emulator::LaneMask;
using emulator::Op;
using emulator::Warp;
using ptx::Space;

namespace {

// Local memory stands beside all global addresses: words of a warp's lanes side by side (CUDA C++
// Programming Guide, "Local Memory"), 16 MiB a warp.
constexpr uint64_t kLocalSectors = uint64_t{1} << 56;
constexpr size_t kMergingStores = 128;  // sectors
constexpr size_t kMostMisses = 1 << 20;
constexpr size_t kMostAtomics = 1 << 14;  // beyond that they do not stand in each other's way
constexpr uint64_t kLocalStride = (uint64_t{1} << 24) / 32;

analysis::LaneAddresses lane_addresses(const Access& a, LaneMask mask) {
  analysis::LaneAddresses out;
  out.known = true;
  out.lanes = mask;
  for_each_lane(mask, [&](unsigned l) { out.offset[l] = static_cast<int64_t>(a.address[l]); });
  return out;
}

// Lanes beyond the first at each address.
uint64_t repeated(const Access& a, LaneMask mask) {
  std::array<uint64_t, emulator::kLanes> seen;
  size_t n = 0;
  for_each_lane(mask, [&](unsigned l) { seen[n++] = a.address[l]; });
  const auto end = seen.begin() + static_cast<std::ptrdiff_t>(n);
  std::sort(seen.begin(), end);
  return n - static_cast<size_t>(std::unique(seen.begin(), end) - seen.begin());
}

// Atomics of shared memory: a bank takes one lane after the other, at one address or several (as
// measured on an H200: 32 lanes at one address take 32 passes, tools/gpu/memory.py).
uint64_t atomic_passes(const Access& a, LaneMask mask) {
  std::array<uint32_t, 32> load{};
  uint32_t busiest = 0;
  for_each_lane(mask, [&](unsigned l) {
    for (uint64_t w = a.address[l] / 4; w <= (a.address[l] + a.bytes - 1) / 4; ++w)
      busiest = std::max(busiest, ++load[w % 32]);
  });
  return busiest;
}

// Whether every lane's part of the wider access begins at a multiple of its size.
bool whole_is_aligned(const Access& a, LaneMask mask, const OpFacts& facts) {
  uint64_t low = 0;
  for_each_lane(mask, [&](unsigned l) { low |= a.address[l] - facts.merged_offset; });
  return low % facts.merged_bytes == 0;
}

}  // namespace

GangCollector::BlockState& GangCollector::block_of(const Warp& warp) {
  const uint64_t number = warp.block.linear();
  if (number == last_block_) return *last_state_;
  auto& slot = blocks_[number];
  if (!slot)
    slot.reset(new BlockState{SectorCache(owner_.options_.l1_bytes),
                              Timeline(owner_.options_.warps, owner_.registers_),
                              std::vector<std::deque<uint64_t>>(owner_.options_.warps),
                              std::nullopt,
                              {},
                              {}});
  if (owner_.options_.loops != nullptr && !slot->pacer) {
    slot->pacer.emplace(*owner_.options_.loops, owner_.options_.warps);
    slot->at.resize(owner_.options_.warps);
    slot->missed.resize(owner_.options_.warps);
  }
  last_block_ = number;
  last_state_ = slot.get();
  return *slot;
}

void GangCollector::issued(const Warp& warp, const Op& op, LaneMask mask) {
  if (BlockState& b = block_of(warp); b.pacer)
    sample_loops(warp, std::exchange(b.at[warp.index], warp.pc));
  OpCounts& c = counts[warp.pc];
  const uint64_t n = weight(warp);
  const auto active = static_cast<uint64_t>(std::popcount(warp.active()));
  const auto taking = static_cast<uint64_t>(std::popcount(mask));
  c.issued += n;
  c.lanes += n * active;
  c.threads += n * taking;
  if (op.flow == emulator::Flow::kBranch) {
    c.taken += taking != 0 ? n : 0;
    c.divergent += taking != 0 && taking != active ? n : 0;
  }
  accesses_ = 0;
  c.wait += n * block_of(warp).timeline.issue(warp, op, owner_.facts_[warp.pc]);
}

void GangCollector::put_back(const Warp& warp, const Op&, LaneMask mask) {
  OpCounts& c = counts[warp.pc];
  const uint64_t n = weight(warp);
  c.issued -= n;
  c.lanes -= n * static_cast<uint64_t>(std::popcount(warp.active()));
  c.threads -= n * static_cast<uint64_t>(std::popcount(mask));
}

// The warp is about to run warp.pc after `from`: where that is once more round a loop, its
// registers may move on.
void GangCollector::sample_loops(const Warp& warp, uint32_t from) {
  if (from < warp.pc) return;
  Warp& moved = *warp.block.warps()[warp.index];
  if (moved.fragments().size() != 1) return;
  BlockState& b = block_of(warp);
  const LoopPacer::Progress passed =
      b.pacer->came_back(moved, from, {b.timeline.sent_all(warp.index), b.missed[warp.index]});
  b.timeline.put_off(warp.index, passed.cycles);
  b.l1.pass_by(passed.missed / 4);  // four sectors a line, as streams have them
}

// Stores of a warp to sectors that it has just written reach L2 together (so it is seen on an H200
// where each lane stores consecutive words one by one).
bool GangCollector::stored_before(const Warp& warp, uint64_t sector) {
  auto& latest = block_of(warp).stored[warp.index];
  if (std::find(latest.begin(), latest.end(), sector) != latest.end()) return true;
  latest.push_back(sector);
  if (latest.size() > kMergingStores) latest.pop_front();
  return false;
}

uint32_t GangCollector::fetch(const Warp& warp, OpCounts& c, std::span<const uint64_t> sectors,
                              AccessKind kind, bool cached) {
  const MemoryLatencies& latency = owner_.options_.latencies;
  const Toucher by = toucher(gang_, warp.pc);
  const uint64_t times = weight(warp);
  uint32_t slowest = latency.l1;
  for (uint64_t s : sectors) {
    if (kind == AccessKind::kStore) {
      if (!stored_before(warp, s)) c.l2_writes += times;
      touched.write(s, by, times);
      continue;
    }
    if (cached && kind == AccessKind::kLoad) {
      c.l1_sectors += times;
      BlockState& b = block_of(warp);
      if (b.l1.load(s)) {
        c.l1_hits += times;
        continue;
      }
      if (b.pacer) b.missed[warp.index] += times;
      asked_ += 1;
      missed_ += static_cast<double>(times);
      if (keep_misses_ && misses.size() < kMostMisses) misses.push_back({warp.pc, s});
    }
    (kind == AccessKind::kAtomic ? c.l2_atomics : c.l2_reads) += times;
    const bool fresh = touched.read(s, by, times);
    if (kind == AccessKind::kAtomic) {
      touched.write(s, by, times);
      if (atomics.size() < kMostAtomics) atomics.insert(s);
    }
    slowest = std::max(slowest, fresh ? latency.dram : latency.l2);
  }
  return slowest;
}

void GangCollector::global(const Warp& warp, OpCounts& c, const Access& a, LaneMask mask,
                           bool local) {
  const OpFacts& facts = owner_.facts_[warp.pc];
  const uint64_t times = weight(warp);
  std::array<uint64_t, emulator::kLanes * 9> sectors;
  size_t n = 0;
  analysis::LaneAddresses lanes = lane_addresses(a, mask);
  if (local) {
    const uint64_t warp_number = warp.block.linear() * warp.block.warps().size() + warp.index;
    for_each_lane(mask, [&](unsigned l) {
      for (uint64_t w = a.address[l] / 4; w <= (a.address[l] + a.bytes - 1) / 4; ++w)
        sectors[n++] = kLocalSectors + warp_number * kLocalStride + w * 4 + l / 8;
      lanes.offset[l] = static_cast<int64_t>(a.address[l] / 4 * 128 + l * 4);
    });
  } else {
    for_each_lane(mask, [&](unsigned l) {
      for (uint64_t s = a.address[l] / 32; s <= (a.address[l] + a.bytes - 1) / 32; ++s)
        sectors[n++] = s;
    });
  }
  const auto begin = sectors.begin(), end = begin + static_cast<std::ptrdiff_t>(n);
  std::sort(begin, end);
  n = static_cast<size_t>(std::unique(begin, end) - begin);
  if (local) {
    c.local_requests += times;
    c.local_sectors += times * n;
    c.local_bytes += times * static_cast<uint64_t>(std::popcount(mask)) * a.bytes;
  } else {
    c.global_requests += times;
    c.global_sectors += times * n;
    c.global_bytes += times * analysis::count_sectors(lanes, mask, a.bytes).useful_bytes;
  }
  if (a.kind == AccessKind::kAtomic) {
    c.atomic_requests += times;
    c.atomic_conflicts += times * repeated(a, mask);
  }
  const uint32_t passes = analysis::count_line_passes(lanes, mask, a.bytes).wavefronts;
  c.wavefronts += times * passes;
  const uint32_t latency =
      fetch(warp, c, std::span(sectors).first(n), a.kind, facts.cached || local);
  if (a.kind != AccessKind::kStore)
    block_of(warp).timeline.result_after(warp, facts, latency + passes - 1);
}

void GangCollector::shared(const Warp& warp, OpCounts& c, const Access& a, LaneMask mask) {
  const OpFacts& facts = owner_.facts_[warp.pc];
  if (facts.fragments) return;
  const uint64_t times = weight(warp);
  c.shared_requests += times;
  const bool merged = facts.merged_bytes != 0 && whole_is_aligned(a, mask, facts);
  if (merged && facts.merged_offset != 0) {
    c.merged += times;
    block_of(warp).timeline.result_after(warp, facts, owner_.options_.latencies.shared);
    return;
  }
  const uint32_t bytes = merged ? facts.merged_bytes : a.bytes;
  const analysis::BankCount banks =
      analysis::count_bank_passes(lane_addresses(a, mask), mask, bytes);
  uint64_t passes = banks.wavefronts;
  if (a.kind == AccessKind::kAtomic) {
    c.atomic_requests += times;
    c.atomic_conflicts += times * repeated(a, mask);
    passes = std::max(passes, atomic_passes(a, mask));
  }
  c.shared_passes += times * passes;
  c.shared_ideal += times * banks.ideal;
  c.wavefronts += times * passes;
  if (a.kind != AccessKind::kStore)
    block_of(warp).timeline.result_after(warp, facts,
                                         owner_.options_.latencies.shared + passes - 1);
}

void GangCollector::constant(const Warp& warp, OpCounts& c, const Access& a, LaneMask mask) {
  const uint64_t times = weight(warp);
  c.constant_requests += times;
  c.constant_words += times * (static_cast<uint64_t>(std::popcount(mask)) - repeated(a, mask));
}

void GangCollector::accessed(const Warp& warp, const Op&, LaneMask mask, const Access& a) {
  OpCounts& c = counts[warp.pc];
  if (mask == 0) return;
  // A fragment is looked up element by element; the hardware moves registers.
  if (owner_.facts_[warp.pc].wmma && a.bytes < 4 && accesses_++ % (4 / a.bytes) != 0) return;
  const Space space = ptx::base_space(a.space);
  if (space == Space::kShared) return shared(warp, c, a, mask);
  if (space == Space::kGlobal) return global(warp, c, a, mask, false);
  if (space == Space::kLocal) return global(warp, c, a, mask, true);
  if (space == Space::kConst) return constant(warp, c, a, mask);
  if (space == Space::kParam) return;
  // Generic: what the lanes reach may lie in several spaces.
  LaneMask in_shared = 0, in_local = 0, in_global = 0;
  for_each_lane(mask, [&](unsigned l) {
    const Space s = emulator::space_of(a.address[l]);
    const LaneMask bit = LaneMask{1} << l;
    if (s == Space::kShared) in_shared |= bit;
    if (s == Space::kLocal) in_local |= bit;
    if (s == Space::kGlobal) in_global |= bit;
  });
  Access moved_to = a;
  if (in_local != 0) {
    for_each_lane(in_local, [&](unsigned l) { moved_to.address[l] -= emulator::kLocalWindow; });
    global(warp, c, moved_to, in_local, true);
  }
  if (in_shared != 0) shared(warp, c, a, in_shared);
  if (in_global != 0) global(warp, c, a, in_global, false);
}

void GangCollector::moved(const Warp& warp, const Op& op, Space space, uint64_t address,
                          uint64_t bytes, bool write) {
  OpCounts& c = counts[warp.pc];
  if (bytes == 0) return;
  if (space != Space::kGlobal) {
    // What lies in shared memory goes past the load-store path, 128 bytes a pass.
    if (warp.program().instruction(op).opcode->group == ptx::Group::kAsyncCopy && bytes > 8)
      c.wavefronts += weight(warp) * ((bytes + 127) / 128);
    return;
  }
  std::vector<uint64_t> sectors;
  for (uint64_t s = address / 32; s <= (address + bytes - 1) / 32; ++s) sectors.push_back(s);
  c.bulk_sectors += weight(warp) * sectors.size();
  fetch(warp, c, sectors, write ? AccessKind::kStore : AccessKind::kLoad, false);
}

uint64_t GangCollector::cycles() const {
  uint64_t longest = 0;
  for (const auto& [number, b] : blocks_) longest = std::max(longest, b->timeline.cycles());
  return longest;
}

}  // namespace pitot::profile
