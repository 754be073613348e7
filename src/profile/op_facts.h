// What the collector needs to know of each operation, worked out once a program.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/gpu.h"
#include "emulator/program.h"
#include "profile/costs.h"

namespace pitot::profile {

enum class WaitFor : uint8_t { kNothing, kAsyncGroups, kAllAsync };

struct OpFacts {
  OpCost cost;
  bool loads = false;          // brings values from memory to registers
  bool stores = false;         // changes memory
  uint8_t space = 0;           // 0 generic, global and local, 1 shared, 2 what is only read
  bool ends_window = false;    // ptxas moves nothing across it
  bool cached = false;         // its loads of global memory look in L1
  bool fragments = false;      // reads shared memory for the tensor cores, past the load-store path
  bool wmma = false;           // loads or stores a fragment of wmma
  bool async_copy = false;     // cp.async: to be waited for
  bool commits = false;        // cp.async.commit_group
  uint32_t merged_bytes = 0;   // a lane, of the wider access that may do its work; 0: none
  uint32_t merged_offset = 0;  // its place in that access
  WaitFor waits = WaitFor::kNothing;
  std::vector<uint32_t> reads, writes;  // places in the frame's definedness table
};

std::vector<OpFacts> op_facts(const emulator::Program& program, unsigned sm);

// Cycles of the memory hierarchy; 0: not known.
struct MemoryLatencies {
  uint32_t shared = 0, l1 = 0, l2 = 0, dram = 0;
  bool known() const { return shared != 0 && l1 != 0 && l2 != 0 && dram != 0; }
};
MemoryLatencies latencies_of(const arch::Capability& capability);

}  // namespace pitot::profile
