// Dependences between the instructions of each block: what must stay in order, and how long one
// waits for the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/flow_facts.h"
#include "analysis/memory_order.h"

namespace pitot::analysis {

enum class DependenceKind : uint8_t {
  kFlow,    // reads (or, under a guard, may keep) what `from` wrote; the carry flag included
  kAnti,    // writes what `from` read
  kOutput,  // writes what `from` wrote
  kMemory,  // overlapping accesses, barriers, fences, calls, volatile operations
};

struct Dependence {
  uint32_t from = 0;
  uint16_t latency = 0;  // cycles from issue of `from` to issue of the instruction, nominal
  DependenceKind kind = DependenceKind::kFlow;
  // Whether it bounds the schedule on hardware, where registers are renamed by the assembler.
  bool is_true() const { return kind == DependenceKind::kFlow || kind == DependenceKind::kMemory; }
};

// Which dependences are wanted: schedules need all of them, path lengths only the true ones.
enum class Wanted : uint8_t { kAll, kTrue };

// The graph of every block of a function, reachable or not; edges do not leave blocks. Keeping
// every edge keeps the block's meaning for one thread (calls and barriers are not looked into).
// Memory edges that others imply, with at least their latency, are left out.
struct DepGraph {
  std::vector<uint32_t> first;    // instruction → into items; one past at the end
  std::vector<Dependence> items;  // of one instruction, from < it
  bool folded = false;            // see MemoryOrder: more order than needed in very long blocks

  void build(const FlowFacts& facts, Workspace& ws, Wanted wanted = Wanted::kAll);

  std::span<const Dependence> of(uint32_t instruction) const {
    return std::span(items).subspan(first[instruction],
                                    first[instruction + 1] - first[instruction]);
  }

 private:
  struct Late {  // an edge to an instruction whose edges are already listed
    uint32_t to = 0;
    Dependence edge;
  };
  void insert(std::vector<Late>& late);

  MemoryOrder memory_;
};

}  // namespace pitot::analysis
