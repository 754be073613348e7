// Counts what the sampled blocks do: one GangCollector a gang while it runs, all added up here.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <utility>
#include <vector>

#include "emulator/memory.h"
#include "emulator/observer.h"
#include "profile/counts.h"
#include "profile/footprint.h"
#include "profile/op_facts.h"
#include "profile/steady_loops.h"

namespace pitot::profile {

struct CollectorOptions {
  uint64_t l1_bytes = 0;  // of L1 that one block may take for itself
  size_t warps = 1;       // of a block
  MemoryLatencies latencies;
  uint64_t whole_l1_bytes = 0;                        // of an SM
  size_t clump = 1;                                   // gangs in a row that were chosen together
  std::vector<std::pair<size_t, size_t>> successors;  // see Sample
  const SteadyLoops* loops = nullptr;                 // whose trips are sampled; null: none
};

// Sectors of one region of memory, or of local memory.
struct RegionTouches {
  uint64_t bytes = 0;  // of the region
  // By operation: sectors that it is the first to read, or to write; and those of them that were
  // new although `Collector::early_gangs` had gone before.
  std::vector<uint64_t> reads, writes, later_reads, later_writes;
  uint64_t first_gang_reads = 0;  // what the first gang of each clump reads, and what those after
  uint64_t later_gang_reads = 0;  // it read besides
};

// Sectors that loads of one gang asked L1 for in vain, in order.
struct Miss {
  uint32_t op;
  uint64_t sector;
};

class GangCollector;

class Collector : public emulator::Observers {
 public:
  Collector(const emulator::Program& program, const std::vector<OpFacts>& facts,
            const emulator::GlobalMemory& memory, size_t gangs, const CollectorOptions& options);
  ~Collector() override;

  emulator::Observer* begin(size_t gang) override;
  void end(size_t gang) override;

  // After the launch.
  const std::vector<OpCounts>& counts() const { return counts_; }  // by operation
  std::vector<RegionTouches> regions() const;
  // By operation: of the sectors that a gang does not find in what it has loaded itself, the share
  // that its predecessor on the SM has left there.
  std::vector<double> left_by_predecessor() const;
  // Gangs after which what is new is taken to be what any further gang would add.
  size_t early_gangs() const;
  uint64_t clumps() const { return clumps_done_; }
  uint64_t gangs() const { return gangs_done_; }
  uint64_t block_cycles() const { return block_cycles_; }  // sum over gangs of their longest
  uint64_t atomic_sectors() const { return atomics_.size(); }
  uint64_t longest_block() const { return longest_block_; }  // cycles

 private:
  friend class GangCollector;
  struct Clump {
    size_t left = 0;
    Footprint touched;
  };
  size_t region_of(uint64_t sector) const;
  bool has_partner(size_t gang) const;
  void follow(size_t gang, std::vector<Miss> misses, double share);
  void close(Clump& clump, size_t number);

  const emulator::Program& program_;
  const std::vector<OpFacts>& facts_;
  const emulator::GlobalMemory& memory_;
  CollectorOptions options_;
  size_t registers_ = 1;

  std::mutex mutex_;
  std::vector<std::unique_ptr<GangCollector>> running_;  // by gang
  std::vector<Clump> open_;
  Footprint all_;
  std::unordered_set<uint64_t> atomics_;  // sectors of global memory
  struct GangMisses {
    std::vector<Miss> misses;
    double share = 1;  // of those that there would be if all trips of loops had run
  };
  std::map<size_t, GangMisses> misses_;     // of gangs whose partner is not done yet
  std::vector<uint64_t> followed_, found_;  // by operation
  std::vector<OpCounts> counts_;
  std::vector<uint64_t> first_reads_, later_reads_;  // by region
  uint64_t clumps_done_ = 0, gangs_done_ = 0, block_cycles_ = 0, longest_block_ = 0;
};

}  // namespace pitot::profile
