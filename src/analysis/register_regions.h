// How many registers are alive when a list scheduler that knows latencies orders the code as ptxas
// would have it: small conditional blocks merged, innermost loops unrolled.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/flow_facts.h"
#include "analysis/register_loops.h"
#include "analysis/register_values.h"

namespace pitot::analysis {

// What is alive, in 32-bit registers: all of it, and by kind what takes a register alone.
struct LiveUnits {
  float all = 0;
  float single = 0;              // of no store
  float global = 0, shared = 0;  // data of scalar stores (RegisterValues::Data)
  void add(double units, uint8_t data, double sign);
  // With data of stores in odd registers, R1 among them; `too`: those of shared memory as well.
  double in_banks(bool too) const;
};

// Peaks in 32-bit registers, strict view (register_values.h), over all regions.
struct RegionPeaks {
  double any = 0;                                     // without regard to registers
  double small = 0;                                   // holding loads back at kSmall registers
  double large = 0;                                   // and at kLarge
  double inner_parameters = 0, outer_parameters = 0;  // small, with those of the loop around
  double loads = 0;  // most registers that loads in flight will write, at `any`'s order
  double text = 0;   // in the order of the text, turn after turn
  // ptxas orders freely up to a step of occupancy: the first of kSteps within which every region
  // can stay, and the peak if it orders so.
  double step = 0, stepped = 0;
  // In banks at `stepped`'s order and at the text's: of global memory, and of shared memory too.
  std::array<double, 2> banks{}, text_banks{};
  bool incomplete = false;  // a block was too long
  void at_least(double units);
  static constexpr double kSmall = 26, kLarge = 56;
  static constexpr double kSteps[] = {27, 35, 43, 51, 59, 75, 91, 123, 163, 250};
};

class RegisterRegions {
 public:
  // `loaded_parameters`: as on sm_90, the parameters that a loop reads are in registers all the
  // time, and so is what a product by a constant is added to.
  RegisterRegions(const FlowFacts& flow, const RegisterValues& values, const RegisterLoops& loops,
                  bool loaded_parameters = false);

  // `entry`, by block: what is alive at its start. O(n log n) in the instructions, those of up to
  // kMostTurns turns of an unrolled loop included.
  RegionPeaks run(const std::vector<LiveUnits>& entry);

  static constexpr uint32_t kMostTurns = 16;

 private:
  struct Node {
    uint32_t instruction = 0, turn = 0;
    uint32_t waits_for = 0;  // edges not yet issued
    float made = 0;          // registers of its results
    float extra = 0;         // registers that it takes besides, while its operands are alive
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
    uint8_t data = 0;
  };

  bool merges(BlockId b) const;
  void region(BlockId first, BlockId last, LiveUnits entry, RegionPeaks& peaks);
  void find_linear(BlockId first, uint32_t begin, uint32_t end);
  void find_leaving(BlockId last, uint32_t begin, uint32_t end);
  void build(uint32_t begin, uint32_t end, uint32_t turns);
  void memory_edges();
  uint32_t resolve(ValueId v, uint32_t turn, int depth = 0);
  uint32_t external(ValueId v);
  uint8_t data_of(ValueId v) const;
  void connect();
  // Peaks of one order.
  struct Order {
    double all = 0;
    std::array<double, 2> banks{};
  };
  Order schedule(const LiveUnits& entry, double limit, double* in_flight);
  Order in_order(const LiveUnits& entry);
  void issue(const Node& n, LiveUnits& live, Order& peaks);
  double extra_units(uint32_t i) const;
  double product_units(uint32_t i) const;
  double net(const Node& n) const;
  uint32_t latency(uint32_t i) const;
  bool is_load(uint32_t i) const;

  const FlowFacts& flow_;
  const RegisterValues& values_;
  const RegisterLoops& loops_;
  const bool loaded_parameters_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<Held> held_;
  std::vector<uint32_t> reads_, left_, waiting_;
  std::vector<uint32_t> node_of_;  // turn × instructions of the region + instruction
  std::vector<uint8_t> linear_;    // by value: grows by a constant every turn of the loop
  std::vector<uint32_t> external_, external_stamp_, claimed_, leaves_;  // by value, by register
  std::vector<ValueId> linear_list_;
  std::vector<RegId> out_;
  size_t step_ = 0;  // of RegionPeaks::kSteps
  uint32_t begin_ = 0, size_ = 0, item_begin_ = 0, items_ = 0, stamp_ = 0;
  BlockId head_ = kNone;
  bool loops_back_ = false;
};

}  // namespace pitot::analysis
