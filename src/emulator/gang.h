// Blocks that run at the same time: one, a cluster, or the whole grid of a cooperative launch.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "emulator/block.h"
#include "emulator/observer.h"

namespace pitot::emulator {

class RaceCheck;

// What all blocks of a launch share.
struct LaunchState {
  const Program& program;
  const FunctionCode& kernel;
  const Launch& launch;
  GlobalMemory& memory;
  const Options& options;

  LaunchState(const Program& p, const FunctionCode& k, const Launch& l, GlobalMemory& m,
              const Options& o)
      : program(p), kernel(k), launch(l), memory(m), options(o) {}

  std::mutex mutex;
  std::vector<Fault> faults;
  Counters counters;
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> instructions{0};
  std::vector<uint8_t> executed;  // by operation; merged from the gangs
  bool tentative = false;         // nothing that is found counts: the launch stops at once

  void report(Fault fault);  // and stops the launch
  void note(Fault fault);    // and goes on; one a kind and line (of races: two lines)
};

class Gang {
 public:
  // `number`: of the gang, for its observer. `races`: its worker's; null unless that is checked.
  Gang(LaunchState& state, const std::vector<uint64_t>& blocks, size_t number, RaceCheck* races);

  // Runs for about so many warp instructions; true when every block is done or the launch stopped.
  bool run(uint64_t quantum);
  // Adds what it counted to the launch. Once, at the end.
  void finish();

  // barrier.cluster: counts the warp's arrivals; true when that lets some go on.
  bool settle_cluster(Warp& warp);
  std::string explain_cluster(const Block& block) const;  // who has arrived of how many
  // The block whose shared memory a shared-space address lies in (null: no such block), and the
  // offset there.
  Block* shared_owner(Block& own, uint64_t& address);
  // The block of this rank in the cluster of `of`; null beyond its end.
  Block* peer(const Block& of, uint64_t rank);

  LaunchState& state;
  RaceCheck* const races;
  std::vector<uint8_t> executed;
  Observer* observer = nullptr;  // null: nobody looks
  std::vector<std::unique_ptr<Block>>& blocks() { return blocks_; }

 private:
  bool same_cluster(const Block& a, const Block& b) const;
  void complete_cluster(const Block& block);

  std::vector<std::unique_ptr<Block>> blocks_;
  uint64_t counted_ = 0;
  size_t number_;
};

}  // namespace pitot::emulator
