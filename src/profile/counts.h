// What a profile counts for one operation, over the blocks that were executed. Sums only, so that
// gangs can be added in any order.
#pragma once

#include <cstdint>

namespace pitot::profile {

struct OpCounts {
  uint64_t issued = 0;           // warp instructions
  uint64_t lanes = 0;            // lanes that came along
  uint64_t threads = 0;          // of those, lanes that the guard lets take part
  uint64_t taken = 0;            // branches: warp instructions in which some lane jumps,
  uint64_t divergent = 0;        // and those in which some do and some do not
  uint64_t global_requests = 0;  // warp accesses of global or constant memory by address
  uint64_t global_sectors = 0;   // 32-byte sectors that they touch
  uint64_t global_bytes = 0;     // distinct bytes that they ask for
  uint64_t local_requests = 0, local_sectors = 0, local_bytes = 0;
  uint64_t bulk_sectors = 0;       // global sectors that asynchronous bulk operations move
  uint64_t shared_requests = 0;    // warp accesses of shared memory
  uint64_t shared_passes = 0;      // passes over the banks that they need,
  uint64_t merged = 0;             // of the shared requests: done by a neighbour's wider access
  uint64_t shared_ideal = 0;       // and would need without conflicts
  uint64_t atomic_requests = 0;    // warp accesses that are atomic, of any space
  uint64_t atomic_conflicts = 0;   // lanes beyond the first at one address
  uint64_t constant_requests = 0;  // warp accesses of constant memory
  uint64_t constant_words = 0;     // different addresses in them
  uint64_t wavefronts = 0;         // cycles of the load-store data path, all spaces
  uint64_t l1_sectors = 0;         // sectors that loads look up in L1,
  uint64_t l1_hits = 0;            // and find
  uint64_t l2_reads = 0;           // sectors that go to L2: what L1 does not have
  uint64_t l2_writes = 0;          // stores
  uint64_t l2_atomics = 0;         // read-modify-writes
  uint64_t wait = 0;               // cycles that warps stand before it in the latency model

  template <class F>
  static void each(F&& f);
  void add(const OpCounts& o);
};

template <class F>
void OpCounts::each(F&& f) {
  for (auto m : {&OpCounts::issued,
                 &OpCounts::lanes,
                 &OpCounts::threads,
                 &OpCounts::taken,
                 &OpCounts::divergent,
                 &OpCounts::global_requests,
                 &OpCounts::global_sectors,
                 &OpCounts::global_bytes,
                 &OpCounts::local_requests,
                 &OpCounts::local_sectors,
                 &OpCounts::local_bytes,
                 &OpCounts::bulk_sectors,
                 &OpCounts::shared_requests,
                 &OpCounts::shared_passes,
                 &OpCounts::shared_ideal,
                 &OpCounts::merged,
                 &OpCounts::atomic_requests,
                 &OpCounts::atomic_conflicts,
                 &OpCounts::constant_requests,
                 &OpCounts::constant_words,
                 &OpCounts::wavefronts,
                 &OpCounts::l1_sectors,
                 &OpCounts::l1_hits,
                 &OpCounts::l2_reads,
                 &OpCounts::l2_writes,
                 &OpCounts::l2_atomics,
                 &OpCounts::wait})
    f(m);
}

inline void OpCounts::add(const OpCounts& o) {
  each([&](uint64_t OpCounts::*m) { this->*m += o.*m; });
}

}  // namespace pitot::profile
