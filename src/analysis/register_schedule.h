// Orders in which a block's instructions could be issued: as written, and with the addresses of
// loads, then the loads early to hide their latency.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/flow_facts.h"

namespace pitot::analysis {

// Orders are instruction numbers of the function; all respect data and the order of barriers. Time
// is linear in the block.
class BlockSchedules {
 public:
  explicit BlockSchedules(const FlowFacts& flow);

  std::vector<uint32_t> text, addresses_first;

  // For one block. `addresses_first`: what loads and stores need as addresses, then the loads, then
  // the rest.
  void build(const Block& block);

 private:
  void early(const Block& block, std::vector<uint32_t>& order);
  void place(const Block& block, uint32_t i, std::vector<uint32_t>& order, bool itself = true);
  void memory_order(const Block& block);
  bool is_load(uint32_t i) const;
  bool fixed(uint32_t i) const;

  const FlowFacts& flow_;
  std::vector<uint8_t> placed_;
  std::vector<uint32_t> after_;  // of the block: the store that a load may not pass, or kNone
  std::vector<uint32_t> stack_;
};

}  // namespace pitot::analysis
