// Orders in which a block's instructions could be issued: as written, loads early to hide their
// latency, values late to save registers, and loads early as long as registers last.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/flow_facts.h"
#include "analysis/register_values.h"

namespace pitot::analysis {

// Orders are instruction numbers of the function; all respect data and the order of barriers. Time
// is linear in the block.
class BlockSchedules {
 public:
  BlockSchedules(const FlowFacts& flow, const RegisterValues& values);

  std::vector<uint32_t> text, loads_first, addresses_first, lazy, limited;

  // All but `limited`, for one block. `addresses_first`: what loads need, then the loads, then the
  // rest.
  void build(const Block& block);
  // `limited`: addresses first while at most `limit` registers are alive (machine view), else the
  // lazy order's next. `alive` is what passes through the block or enters it; `lives_on` (by value)
  // marks, with `mark`, what leaves it.
  void build_limited(const Block& block, double limit, double alive,
                     const std::vector<uint32_t>& lives_on, uint32_t mark);

 private:
  void early(const Block& block, bool addresses, std::vector<uint32_t>& order);
  void place(const Block& block, uint32_t i, std::vector<uint32_t>& order, bool itself = true);
  void memory_order(const Block& block);
  bool is_load(uint32_t i) const;
  bool fixed(uint32_t i) const;

  const FlowFacts& flow_;
  const RegisterValues& values_;
  std::vector<uint8_t> placed_;
  std::vector<uint32_t> after_;  // of the block: the store that a load may not pass, or kNone
  std::vector<uint32_t> stack_;
  std::vector<uint32_t> left_;  // by value: reads not yet issued
  bool obey_memory_ = false;
};

}  // namespace pitot::analysis
