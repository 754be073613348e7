// Shared memory that asynchronous copies are at work on, for the check that nobody touches it
// before a wait. The bytes themselves move when the copy is issued; what is kept here is who may
// not look at them yet. Other threads need a barrier besides: that is a question of races.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace pitot::emulator {

// Bytes of the block's shared memory that a copy writes, or reads.
struct CopyMark {
  uint64_t offset = 0, bytes = 0;
  bool written = false;
  uint32_t line = 0;  // of the copy
  uint32_t op = 0;    // its index in Program::ops
};

class CopyMarks {
 public:
  CopyMarks(size_t shared_bytes, uint32_t threads)
      : cells_(shared_bytes / kCell + 2), groups_(threads), bulk_groups_(threads) {}

  // cp.async and bulk copies complete in groups of the issuing thread.
  enum class Kind : uint8_t { kPlain, kBulk };
  void add(Kind kind, uint32_t thread, const CopyMark& mark);
  void commit(Kind kind, uint32_t thread);
  // All groups but so many, and cp.async.wait_all; `landed` gets what that finished.
  void wait(Kind kind, uint32_t thread, uint64_t newest, std::vector<CopyMark>& landed);
  void wait_all(uint32_t thread, std::vector<CopyMark>& landed);

  // Completion told to an mbarrier, at an offset of this block's shared memory, in the phase of
  // this parity: of one copy, and of all cp.async that the thread has issued.
  void add_until(uint64_t barrier, bool odd, const CopyMark& mark);
  void tie(uint32_t thread, uint64_t barrier, bool odd);
  void passed(uint64_t barrier, bool odd);  // somebody saw the phase complete

  // Whether any copy is under way, and whether one touches these bytes.
  bool any() const { return live_.size() != landed_; }
  bool near(uint64_t offset, uint64_t bytes) const {
    const uint64_t last = std::min<uint64_t>((offset + bytes - 1) / kCell, cells_.size() - 1);
    for (uint64_t c = offset / kCell; c <= last; ++c)
      if (cells_[c] != 0) return true;
    return false;
  }

  // The copy that an access is too early for; null when there is none.
  const CopyMark* touched(uint64_t offset, uint64_t bytes, bool write) const;

 private:
  static constexpr uint64_t kCell = 4;
  struct Batch {
    std::vector<CopyMark> marks;
    bool landed = false;
  };
  using Shared = std::shared_ptr<Batch>;
  struct Groups {
    std::vector<Shared> open;
    std::deque<std::vector<Shared>> closed;
    bool sealed = true;  // the last batch of `open` is tied to an mbarrier already
  };

  Groups& of(Kind kind, uint32_t thread) {
    return kind == Kind::kPlain ? groups_[thread] : bulk_groups_[thread];
  }
  Shared make();
  void put(Batch& batch, const CopyMark& mark);
  void land(Batch& batch);

  std::vector<uint32_t> cells_;  // marks that touch these 4 bytes
  std::vector<Groups> groups_, bulk_groups_;
  std::map<std::pair<uint64_t, bool>, std::vector<Shared>> barriers_;
  std::vector<Shared> live_;
  size_t landed_ = 0;
};

}  // namespace pitot::emulator
