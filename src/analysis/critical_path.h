// Critical paths: how long the dependences alone make a block, a loop and a kernel take, with any
// number of units and nothing but the dependences in the way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/depgraph.h"
#include "analysis/flow_facts.h"

namespace pitot::analysis {

// In nominal cycles (Opcode::latency), and in instructions (every latency 1).
struct PathLength {
  double cycles = 0;
  double instructions = 0;

  PathLength operator+(const PathLength& o) const {
    return {cycles + o.cycles, instructions + o.instructions};
  }
  PathLength operator-(const PathLength& o) const {
    return {cycles - o.cycles, instructions - o.instructions};
  }
  PathLength operator*(double n) const { return {cycles * n, instructions * n}; }
  void raise_to(const PathLength& o) {
    cycles = std::max(cycles, o.cycles);
    instructions = std::max(instructions, o.instructions);
  }
};

// In a block: the longest chain of flow and memory dependences, the last result included, with
// everything from outside the block ready at its start.
//
// Across blocks: a block starts when the branch that leads to it is done; results still on their
// way are waited for where they are read. An innermost loop costs its first trip in full and, for
// each further one, the distance between two trips: the longest recurrence, through the loop test
// or through registers. A loop with inner loops costs trips × one trip. Of alternative ways the
// longest counts. So `function` is a lower bound on the time of a warp that goes the longest way,
// under nominal latencies. Unreachable blocks are left out of it.
struct CriticalPath {
  std::vector<PathLength> blocks;    // by block
  std::vector<PathLength> per_trip;  // by loop: distance between two trips
  PathLength function;
  double executed = 0;  // instructions, each as often as its loops' trips say, all ways counted
  // Instruction-level parallelism: executed / function.instructions; 0 for an empty function.
  double ilp() const { return function.instructions > 0 ? executed / function.instructions : 0; }

  // `trips`: expected trips by loop, at least 0.
  void build(const FlowFacts& facts, const DepGraph& graph, std::span<const double> trips);

 private:
  friend class PathLayout;
  // Scratch: when values are ready (if their stamp is the current one, else at once), when
  // instructions and blocks start and end.
  std::vector<PathLength> ready_, start_, entry_, end_, cost_, phi_;
  std::vector<uint32_t> stamp_;
  std::vector<uint32_t> member_first_, members_;  // loop → its own blocks and inner loops' headers
  std::vector<uint32_t> phi_first_, phis_;        // block → its phis
};

}  // namespace pitot::analysis
