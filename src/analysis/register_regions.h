// How many registers are alive when a list scheduler that knows latencies orders the code as ptxas
// would have it: small conditional blocks merged, innermost loops unrolled.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/flow_facts.h"
#include "analysis/register_loops.h"
#include "analysis/register_values.h"

namespace pitot::analysis {

// Peaks in 32-bit registers, strict view (register_values.h), over all regions.
struct RegionPeaks {
  double any = 0;                                     // without regard to registers
  double small = 0;                                   // holding loads back at kSmall registers
  double large = 0;                                   // and at kLarge
  double inner_parameters = 0, outer_parameters = 0;  // small, with those of the loop around
  double loads = 0;  // most registers that loads in flight will write, at `any`'s order
  static constexpr double kSmall = 26, kLarge = 56;
};

class RegisterRegions {
 public:
  RegisterRegions(const FlowFacts& flow, const RegisterValues& values, const RegisterLoops& loops);

  // `entry`, by block: registers alive at its start. O(n log n) in the instructions, those of up to
  // kMostTurns turns of an unrolled loop included.
  RegionPeaks run(const std::vector<double>& entry);

  static constexpr uint32_t kMostTurns = 16;

 private:
  struct Node {
    uint32_t instruction = 0, turn = 0;
    uint32_t waits_for = 0;  // edges not yet issued
    float made = 0;          // registers of its results
    float height = 0;        // cycles to the region's end
    uint32_t ready = 0;      // cycle at which its operands are there
    uint32_t first_read = 0, last_read = 0, first_edge = 0, last_edge = 0;
  };
  struct Edge {
    uint32_t from = 0, to = 0, latency = 0;
  };
  // A value of one turn, or one alive at the region's start.
  struct Held {
    float units = 0;
    uint32_t node = kNone, uses = 0;
    bool leaves = false;
  };

  bool merges(BlockId b) const;
  void region(BlockId first, BlockId last, double entry, RegionPeaks& peaks);
  void find_linear(BlockId first, uint32_t begin, uint32_t end);
  void find_leaving(BlockId last, uint32_t begin, uint32_t end);
  void build(uint32_t begin, uint32_t end, uint32_t turns);
  void memory_edges();
  uint32_t resolve(ValueId v, uint32_t turn, int depth = 0);
  uint32_t external(ValueId v);
  void connect();
  double schedule(double entry, double limit, double* in_flight);
  double net(const Node& n) const;
  uint32_t latency(uint32_t i) const;
  bool is_load(uint32_t i) const;

  const FlowFacts& flow_;
  const RegisterValues& values_;
  const RegisterLoops& loops_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<Held> held_;
  std::vector<uint32_t> reads_, left_, waiting_;
  std::vector<uint32_t> node_of_;  // turn × instructions of the region + instruction
  std::vector<uint8_t> linear_;    // by value: grows by a constant every turn of the loop
  std::vector<uint32_t> external_, external_stamp_, claimed_, leaves_;  // by value, by register
  std::vector<ValueId> linear_list_;
  std::vector<RegId> out_;
  uint32_t begin_ = 0, size_ = 0, item_begin_ = 0, items_ = 0, stamp_ = 0;
  BlockId head_ = kNone;
  bool loops_back_ = false;
};

}  // namespace pitot::analysis
