// The race check of a launch: which accesses to shared and global memory conflict without anything
// that orders them (race_order.h). Off unless Checks::races asks for it. No order of blocks counts,
// however they were scheduled. Each worker has a RaceCheck of its own for the blocks that it runs;
// whether blocks of different workers meet is asked at the end, and only whether: execute() then
// runs them on one worker to hear where.
//
// Two accesses race when they touch a byte in common, one writes, they are not ordered, and not
// both are strong (atomic, volatile, relaxed, acquire, release; of scope cta: in one block). Not
// reported: an instruction that stores the value that the byte has already from the same
// instruction, of another thread; a plain load and an atom.cas with the same address operand, since
// the usual loop begins with a guess that the cas then confirms. Asynchronous copies count as
// accesses of the thread that issues them, and once more when it waits for their group.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/access.h"
#include "emulator/race_order.h"

namespace pitot::emulator {

class Gang;
class GlobalMemory;
struct QuickAccess;
struct LaunchState;
class Region;

class RaceCheck {
 public:
  explicit RaceCheck(LaunchState& state);
  ~RaceCheck();

  std::unique_ptr<BlockOrder> make_order(const Block& block, size_t warps, size_t shared_bytes);

  // The lanes' access, before it changes memory.
  void access(Warp& w, const Op& op, LaneMask mask, const Access& a);
  // The same of plain accesses that lie in one piece of memory. `values`: of a store.
  void quick(Warp& w, const Op& op, LaneMask mask, AccessKind kind, uint32_t bytes,
             const QuickAccess& q, std::span<const Slot> values);
  // A run of bytes of one lane. Shared-space addresses may be of any block of the cluster.
  void run(Warp& w, const Op& op, unsigned lane, ptx::Space space, uint64_t address, uint64_t bytes,
           AccessKind kind);
  // Bytes of the block's own shared memory that a copy issued by operation `copy` has finished.
  void landed(Warp& w, uint32_t copy, unsigned lane, uint64_t offset, uint64_t bytes, bool write);
  // A fence of these lanes.
  void fence(Warp& w, const Op& op, LaneMask mask);
  // Whether two of these have touched a byte of global memory that one of them writes.
  static bool conflict(std::span<const std::unique_ptr<RaceCheck>> checks,
                       const GlobalMemory& memory, unsigned workers);
  // Lanes meet at a convergent operation. Where that accesses memory they do so together: `after`
  // it, each of them has done it.
  void meet(Warp& w, const Op& op, LaneMask lanes, bool after);

 private:
  struct Traits {
    bool strong = false, block_only = false, acquire = false, release = false, collective = false;
  };
  struct Place {  // of shared memory when `owner` is not null
    RaceShadow* shadow = nullptr;
    PublishedFlags* flags = nullptr;
    Block* owner = nullptr;
    const Region* region = nullptr;
    uint64_t offset = 0;  // in the shadow
    uint64_t name = 0;    // what a report counts from: shared offset, or global address
  };
  static constexpr unsigned kMostReports = 64;

  void touch(Warp& w, const Op& op, unsigned lane, Place& p, uint64_t bytes, bool write,
             bool strong, const Access* a, LaneMask mask);
  bool locate(Warp& w, const Op& op, unsigned lane, ptx::Space space, uint64_t address, Place& p);
  RaceShadow* page(Warp& w, const Op& op, unsigned lane, const Region& region, uint64_t address);
  bool same_value(Warp& w, unsigned lane, const Access* a, LaneMask mask, uint64_t first,
                  uint64_t bytes) const;
  void judge(Warp& w, const Op& op, unsigned lane, const Place& p, uint64_t bytes, bool write,
             const Access* a, LaneMask mask);
  void report(Warp& w, const Op& op, unsigned lane, const Place& p, const Conflict& c,
              uint64_t touched, bool write);
  uint32_t index(const Op& op) const;
  bool guess(uint32_t op, uint32_t earlier) const;
  std::string shared_name(uint64_t offset) const;

  LaunchState& state_;
  std::vector<Traits> traits_;  // by operation
  TicksPtr start_;
  bool lockstep_;
  std::unordered_map<uint64_t, std::unique_ptr<RaceShadow>> pages_;  // by address / kPageBytes
  std::atomic<uint64_t>* budget_ = nullptr;                          // what they were taken from
  struct Recent {
    uint64_t page = UINT64_MAX;
    RaceShadow* shadow = nullptr;
    const Region* region = nullptr;
  };
  std::array<Recent, 64> recent_;
  PublishedFlags flags_;  // by global address
  std::vector<Conflict> found_;
  std::set<std::array<uint32_t, 3>> reported_;
};

}  // namespace pitot::emulator
