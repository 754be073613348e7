// A block of threads: its warps, shared memory and barriers.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "emulator/launch.h"
#include "emulator/tensor_memory.h"
#include "emulator/warp.h"

namespace pitot::emulator {

class BlockOrder;
class CopyMarks;
class Gang;
class Observer;

// Bits of Op::variant for Flow::kBarrier.
enum BarrierVariant : uint16_t {
  kBarrierArrive = 1,  // does not wait
  kBarrierPopc = 2,    // reductions over the threads that arrive
  kBarrierAnd = 4,
  kBarrierOr = 8,
  kBarrierAligned = 16,  // every lane of the warp must come together
};

class Block {
 public:
  Block(Gang& gang, uint64_t linear, uint32_t rank);
  ~Block();

  // Runs every warp in turn for about so many warp instructions. False when nothing could run and
  // nothing will without other blocks.
  bool run(uint64_t quantum);
  bool finished() const { return finished_; }

  // --- for warps and operations ---
  const Program& program() const;
  const FunctionCode& kernel() const;
  const Launch& launch() const;
  const Checks& checks() const { return checks_; }
  uint64_t clock_start() const;
  GlobalMemory& memory() const;
  Gang& gang() { return gang_; }
  Observer* observer() const;  // null: nobody looks
  Counters& counters() { return counters_; }
  uint8_t* executed();
  Dim3 index() const { return index_; }
  uint64_t linear() const { return linear_; }
  uint32_t rank() const { return rank_; }                // in the cluster
  uint64_t shared_base() const { return shared_base_; }  // of its window, as a shared-space address
  std::span<std::byte> shared() { return {shared_.get(), shared_bytes_}; }
  uint64_t special(uint16_t special, uint8_t component, uint32_t warp, unsigned lane) const;
  static bool differs_by_lane(uint16_t special);
  Dim3 thread_of(uint32_t warp, unsigned lane) const;
  uint32_t threads() const { return threads_; }
  std::vector<std::unique_ptr<Warp>>& warps() { return warps_; }

  void report(Fault fault);
  // A fragment has nothing to run: counts barrier arrivals, joins what waits. True when something
  // became ready.
  bool settle(Warp& warp);

  // Reports who waits where: nothing in the gang can go on.
  void stuck();

  // Undefined values: what an operation passes on, and a guard that a branch or access rests on.
  void choose(Warp& warp, const Op& op);  // Op::choice, before the operation runs
  void track(Warp& warp, const Op& op, LaneMask mask);
  bool undefined_guard(Warp& warp, const Op& op, LaneMask lanes);

  TensorMemory& tensor_memory();  // made on the first use

  // Every access must go through resolve(), where those who watch see it.
  bool watched = false;

  // Bit a byte of shared memory that was written; empty when not tracked.
  std::vector<uint64_t> shared_defined;
  // What orders the threads; null unless races are checked.
  std::unique_ptr<BlockOrder> order;
  // Asynchronous copies that nobody has waited for; null unless that or races are checked.
  std::shared_ptr<CopyMarks> copies;
  // barrier.cluster, by warp: lanes that have arrived in this phase; lanes that have not waited for
  // it since they arrived.
  std::vector<LaneMask> cluster_arrived, cluster_owed;

 private:
  struct Barrier {
    uint64_t arrived = 0;   // threads
    uint64_t expected = 0;  // 0: none has come yet
    uint32_t popc = 0;
    bool all = true, any = false;
  };

  bool arrive(Warp& warp, Fragment& f);
  void release(uint32_t id);

  Gang& gang_;
  const Checks& checks_;
  uint64_t linear_;
  uint32_t rank_;
  uint64_t shared_base_;
  Dim3 index_;
  uint32_t threads_;
  std::unique_ptr<std::byte[]> shared_;
  size_t shared_bytes_;
  std::unique_ptr<TensorMemory> tensor_memory_;
  std::array<Barrier, 16> barriers_;
  std::vector<std::unique_ptr<Warp>> warps_;
  Counters counters_;
  bool finished_ = false;
};

}  // namespace pitot::emulator
