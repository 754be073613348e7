// Who touched each byte of a piece of memory last: a cell for four bytes, which comes apart into
// cells of one byte when somebody touches less than a word.
//
// A cell holds the last write, the reads that no later read of the same cell is ordered behind, and
// the writes that strong ones have covered since.
// Reads of a warp at one tick are one entry; all but the last go to a list of limited length: when
// it is full, further readers of the cell are not remembered (kGlobalReaders warps of different
// blocks; in shared memory there is room for every warp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/lanes.h"

namespace pitot::emulator {

class BlockOrder;

// A stamp: the block, the warp in it and the warp's tick. 0 is nobody: ticks begin at 1.
inline constexpr unsigned kStampWarp = 28, kStampBlock = 33;
inline constexpr uint64_t kStampTicks = (uint64_t{1} << kStampWarp) - 1;

// Which operation, of which lane, and how: the low bits are an index into Program::ops.
inline constexpr unsigned kTouchLane = 27;
inline constexpr uint32_t kTouchStrong = 1u << 26;     // atomic, volatile, relaxed, …
inline constexpr uint32_t kTouchBlockOnly = 1u << 25;  // strong for its own block only
inline constexpr uint32_t kTouchOps = kTouchBlockOnly - 1;

inline constexpr size_t kSharedReaders = 64, kGlobalReaders = 8;

// One lane's access.
struct Touch {
  const BlockOrder& order;
  uint32_t warp = 0;
  unsigned lane = 0;
  uint64_t stamp = 0;
  uint32_t op = 0;  // with the bits above, the lane left out
  bool write = false;
  // What the lane knows: of each warp of the block, of the lanes of its own.
  const uint32_t* least = nullptr;
  uint32_t together = 0;
  bool alone = false;  // it knows nothing of other blocks

  // Whether all that its block's warp did up to a stamp is ordered before; false also when that is
  // not known at once.
  bool behind(uint64_t s) const {
    if (s >> kStampBlock != stamp >> kStampBlock) return false;
    const auto other = static_cast<uint32_t>(s >> kStampWarp & 31);
    const auto tick = static_cast<uint32_t>(s & kStampTicks);
    return tick <= least[other] || (other == warp && tick <= together);
  }
};

// An earlier access that conflicts and that nothing orders before.
struct Conflict {
  uint64_t offset = 0, bytes = 0;  // of the cell
  uint64_t stamp = 0;
  uint32_t op = 0;
  unsigned lane = 0;
  bool write = false;
};

// Of a piece of memory, which bytes several shadows of it have seen touched and written.
struct TouchedBytes {
  explicit TouchedBytes(size_t bytes) : cells(bytes / 4 + 1) {}
  std::vector<uint8_t> cells;  // of four bytes: a bit a byte that was touched, above them written
};

class RaceShadow {
 public:
  RaceShadow(size_t bytes, size_t readers) : bytes_(bytes), readers_(readers) {}

  // Whether it has a byte that `others` have too and that it or one of them has written, whatever
  // the order and kind of the accesses; adds its bytes to theirs.
  bool conflicts(TouchedBytes& others) const;

  // Records an access and appends what it conflicts with.
  void touch(uint64_t offset, uint64_t bytes, const Touch& t, std::vector<Conflict>& found);

  // The same where nothing needs a second look; false: touch() has to look.
  bool touch_quickly(uint64_t offset, uint64_t bytes, const Touch& t) {
    if (((offset | bytes) & 3) != 0 || cells_.empty()) return false;
    Cell* const cells = &cells_[offset / 4];
    for (uint64_t k = 0; k < bytes / 4; ++k) {
      Cell& c = cells[k];
      if (c.write != 0 && !t.behind(c.write)) return false;
      if (t.write) {
        if (c.read != 0 && !t.behind(c.read)) return false;
        if (c.more != 0) {
          if (!all_behind(c, t)) return false;
          drop_list(c);
        }
        c.read = 0;
        c.write = t.stamp;
        c.write_op = t.op | t.lane << kTouchLane;
        continue;
      }
      if ((c.more & (kApart | kWrites)) != 0) return false;
      if (c.read == t.stamp && c.read_op == t.op) {
        c.read_lanes |= LaneMask{1} << t.lane;
        continue;
      }
      if (c.read != 0 && !t.behind(c.read)) {
        // Another warp's read stays beside this one, also where a closer look would find them
        // ordered: that is seen when somebody writes.
        if (c.read >> kStampWarp == t.stamp >> kStampWarp) return false;
        if (!full_of_others(c, t)) list(c, t, {c.read, c.read_op, c.read_lanes, false});
      } else if (c.more != 0 && !full_of_others(c, t)) {
        return false;
      }
      c.read = t.stamp;
      c.read_op = t.op;
      c.read_lanes = LaneMask{1} << t.lane;
    }
    return true;
  }

 private:
  struct Cell {
    uint64_t write = 0, read = 0;  // stamps
    uint32_t write_op = 0, read_op = 0;
    LaneMask read_lanes = 0;
    uint32_t more = 0;  // 0, a list (index + 1, and what is known of it), or parts (kApart)
  };
  using Parts = std::array<Cell, 4>;
  struct Entry {
    uint64_t stamp = 0;
    uint32_t op = 0;
    LaneMask lanes = 0;
    bool write = false;
  };
  // Of lists: some entries are writes; it is full of what other blocks did.
  static constexpr uint32_t kApart = 1u << 31, kWrites = 1u << 30, kFull = 1u << 29;
  static constexpr uint32_t kIndex = kFull - 1;

  // The list takes no more, and nothing is to be learned from it about this thread's reads.
  static bool full_of_others(const Cell& c, const Touch& t) {
    return (c.more & kFull) != 0 && t.alone;
  }
  std::vector<Entry>& list_of(const Cell& c) { return lists_[(c.more & kIndex) - 1]; }

  // Of a list of reads: whether all are ordered before, as far as that is known at once.
  bool all_behind(const Cell& c, const Touch& t) {
    if ((c.more & (kApart | kWrites)) != 0) return false;
    for (const Entry& e : list_of(c))
      if (!t.behind(e.stamp)) return false;
    return true;
  }
  void leaf(Cell& c, uint64_t offset, uint64_t bytes, const Touch& t, std::vector<Conflict>& found);
  void read(Cell& c, const Touch& t);
  void take_apart(Cell& c);
  void put_together(Cell& c, const Touch& t);
  void list(Cell& c, const Touch& t, const Entry& e);
  void drop_list(Cell& c);
  void prune(Cell& c, const Touch& t);

  size_t bytes_, readers_;
  std::vector<Cell> cells_;
  std::vector<Parts> parts_;
  std::vector<std::vector<Entry>> lists_;
  std::vector<uint32_t> free_parts_, free_lists_;
};

}  // namespace pitot::emulator
